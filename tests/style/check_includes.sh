#!/bin/sh
# check_includes.sh ROOT: checks all includes against the rules in includes.awk.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$1
files=$(sh "$here/list_sources.sh" "$root" c h cu cuh)
if [ -z "$files" ]; then
	echo "no source files under $root: nothing was checked" >&2
	exit 1
fi

cd "$root"
IFS='
'
set -f
# shellcheck disable=SC2086 # one file per line
awk -f "$here/includes.awk" $files
