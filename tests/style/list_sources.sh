#!/bin/sh
# list_sources.sh ROOT EXTENSION…: prints the source files of the tree, one per line, relative to
# ROOT: the files that git tracks or would add. Without git, all files outside hidden folders and
# build folders.
set -eu

cd "$1"
shift
extensions=$(printf '%s|' "$@")
wanted="\\.(${extensions%|})\$"

list=$(git ls-files --cached --others --exclude-standard 2>/dev/null | grep -E "$wanted") || list=
if [ -z "$list" ]; then
	list=$(find . -name '.?*' -prune -o -name 'build*' -prune -o -name CMakeFiles -prune -o \
		-type f -print |
		sed 's|^\./||' | grep -E "$wanted") || list=
fi
printf '%s\n' "$list" | sort | while IFS= read -r file; do
	# git still lists a file that was just removed
	if [ -f "$file" ]; then
		printf '%s\n' "$file"
	fi
done
