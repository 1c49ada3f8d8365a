#!/bin/sh
# Checks that every relative link in README.md, CONTRIBUTING.md and docs/ has an existing target: a
# file, and a section of it if the link names one.
# Fenced blocks have no links: kernel[grid](x) is Python.
# usage: check_links.sh SOURCE-FOLDER
set -eu
anchors=$(cd "$(dirname "$0")" && pwd)/anchors.awk
cd "$1"
broken=0
checked=0
for document in README.md CONTRIBUTING.md docs/*.md docs/*/*.md; do
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
awk -f "$anchors" README.md CONTRIBUTING.md docs/*.md docs/*/*.md || broken=1
exit $broken
