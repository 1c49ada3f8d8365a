#!/bin/sh
# Plants a well and a badly formatted file and sees whether check_format.sh tells them apart,
# and that it says so where there is no clang-format.
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
[ "$status" -eq 77 ] || fail "without clang-format the check exits $status, not 77"
grep -q 'skipped: no clang-format-that-is-not-there' "$tree/said" || fail "no reason is given"
if ! command -v "${CLANG_FORMAT:-clang-format}" >/dev/null 2>&1; then
	echo "skipped: no clang-format here; install it, or name one in CLANG_FORMAT"
	exit 77
fi

cp "$here/../../.clang-format" "$tree"
mkdir -p "$tree/room" "$tree/build-x" "$tree/b/CMakeFiles"
if sh "$here/check_format.sh" "$tree" >/dev/null 2>&1; then
	fail "an empty tree passed as checked"
fi
printf 'int room_zero(void)\n{\n\treturn 0;\n}\n' >"$tree/room/good.c"
printf 'int x ;\n' >"$tree/build-x/generated.c"
printf 'int x ;\n' >"$tree/b/CMakeFiles/probe.c"
sh "$here/check_format.sh" "$tree" || fail "a well formatted file was refused"
printf 'int room_zero(void) {\n    return 0;\n}\n' >"$tree/room/bad.h"
if sh "$here/check_format.sh" "$tree" >"$tree/said" 2>&1; then
	fail "a badly formatted file passed"
fi
grep -q 'room/bad.h:1' "$tree/said" || fail "the badly formatted file is not named"
