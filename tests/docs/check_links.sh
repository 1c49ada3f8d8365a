#!/bin/sh
# Checks that every relative link in README.md, CONTRIBUTING.md and docs/ has an existing target: a
# file, and a section of it if the link names one.
# Fenced blocks have no links: kernel[grid](x) is Python.
# A package has no CONTRIBUTING.md and no results.
# usage: check_links.sh SOURCE-FOLDER
set -eu
anchors=$(cd "$(dirname "$0")" && pwd)/anchors.awk
cd "$1"
broken=0
checked=0
documents=$(ls README.md CONTRIBUTING.md docs/*.md docs/*/*.md 2>/dev/null || true)
for document in $documents; do
	for link in $(awk '/^```/ { fenced = !fenced; next } !fenced' "$document" |
		grep -o '](\([^)#]*\)' | sed 's/^](//' | grep -v '^[a-z]*:'); do
		checked=$((checked + 1))
		[ -e "$(dirname "$document")/$link" ] || {
			echo "$document: $link does not exist" >&2
			broken=1
		}
	done
done
[ "$checked" -gt 0 ] || {
	echo "no link was found" >&2
	exit 1
}
# shellcheck disable=SC2086 # several files
awk -f "$anchors" $documents || broken=1
exit $broken
