#!/bin/sh
# Writes one comment at a time into an empty tree and checks whether check_comments.sh objects.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# plant VERDICT FILE BEFORE TEXT: VERDICT is "fine" or "refused"; BEFORE and TEXT are one line, and
# separate here, so that the check accepts this file
plant() {
	printf '%b %s\n' "$3" "$4" >"$tree/$2"
	verdict=refused
	if sh "$here/check_comments.sh" "$tree" >/dev/null 2>&1; then
		verdict=fine
	fi
	if [ "$verdict" != "$1" ]; then
		printf '%s with %s %s: expected %s, was %s\n' "$2" "$3" "$4" "$1" "$verdict"
		failures=$((failures + 1))
	fi
	rm "$tree/$2"
}

plant fine a.c 'int x; /*' 'of the caller */'
plant fine a.c '/*' 'Offsets in bytes. */'
plant fine a.c 'say("Two:' 'Of the caller");'
plant refused a.c '/*' 'Of the caller. */'
plant refused a.h '/*\n *' 'The same in two steps.'
plant refused a.cu '//' 'Of the block.'
plant refused a.js '\t/**' 'The same for a group. */'
plant refused a.py '#' 'Of the run.'
plant refused a.sh '\t#' 'The same after a round.'

if sh "$here/check_comments.sh" "$tree" >/dev/null 2>&1; then
	echo "an empty tree passed as checked"
	failures=$((failures + 1))
fi
[ "$failures" -eq 0 ]
