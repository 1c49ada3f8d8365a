#!/bin/sh
# check_format.sh ROOT: checks that every C file has the format of ROOT/.clang-format.
# CLANG_FORMAT names another clang-format. Exits 77 (skipped) if it is not installed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$1
format=${CLANG_FORMAT:-clang-format}
if ! command -v "$format" >/dev/null 2>&1; then
	echo "skipped: $format is not installed; install clang-format, or name one in CLANG_FORMAT"
	exit 77
fi
files=$(sh "$here/list_sources.sh" "$root" c h)
if [ -z "$files" ]; then
	echo "no C files under $root: nothing was checked" >&2
	exit 1
fi

cd "$root"
"$format" --version
IFS='
'
set -f
# shellcheck disable=SC2086 # one file per line
if ! "$format" --dry-run -Werror --style=file $files; then
	echo "to fix a file, run: $format -i FILE" >&2
	exit 1
fi
