#!/bin/sh
# check_comments.sh ROOT: checks that no comment begins with "Of" or "The same": it would need the
# line before it to be understood. It should name its subject.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
files=$(sh "$here/list_sources.sh" "$1" c h cu cuh js mjs py sh) || files=
if [ -z "$files" ]; then
	echo "no source files under $1: nothing was checked" >&2
	exit 1
fi

cd "$1"
IFS='
'
set -f
# shellcheck disable=SC2086 # one file per line
if grep -nHE '(/\*+|^[[:space:]]*\*|//|#)[[:space:]]+(Of|The same)([[:space:]]|$)' $files; then
	echo 'begin these comments with their subject, not with "Of" or "The same"' >&2
	exit 1
fi
