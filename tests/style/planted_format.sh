#!/bin/sh
# Checks that check_format.sh accepts a well formatted file, rejects a badly formatted one, and
# reports a missing clang-format.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fail() {
	echo "$1"
	exit 1
}

status=0
CLANG_FORMAT=clang-format-that-is-not-there sh "$here/check_format.sh" "$tree" >"$tree/said" ||
	status=$?
[ "$status" -eq 77 ] || fail "without clang-format the check exits with $status, not 77"
grep -q 'skipped: clang-format-that-is-not-there is not installed' "$tree/said" || fail "no reason is given"
if ! command -v "${CLANG_FORMAT:-clang-format}" >/dev/null 2>&1; then
	echo "skipped: clang-format is not installed; install it, or name one in CLANG_FORMAT"
	exit 77
fi

cp "$here/../../.clang-format" "$tree"
mkdir -p "$tree/module" "$tree/build-x" "$tree/b/CMakeFiles"
if sh "$here/check_format.sh" "$tree" >/dev/null 2>&1; then
	fail "an empty tree passed as checked"
fi
printf 'int module_zero(void)\n{\n\treturn 0;\n}\n' >"$tree/module/good.c"
printf 'int x ;\n' >"$tree/build-x/generated.c"
printf 'int x ;\n' >"$tree/b/CMakeFiles/probe.c"
sh "$here/check_format.sh" "$tree" || fail "a well formatted file was refused"
printf 'int module_zero(void) {\n    return 0;\n}\n' >"$tree/module/bad.h"
if sh "$here/check_format.sh" "$tree" >"$tree/said" 2>&1; then
	fail "a badly formatted file passed"
fi
grep -q 'module/bad.h:1' "$tree/said" || fail "the badly formatted file is not named"
