#!/bin/sh
# check_web.sh ROOT: the sources of the report's page keep texts of strangers text, ask no network,
# and keep to their places.
set -eu

cd "$1/reports/web"

# objections WHAT: to the lines that a grep found
objections() {
	while IFS= read -r line; do
		printf 'reports/web/%s: %s\n' "$line" "$1"
		echo finding >>"$found"
	done
}
found=$(mktemp)
trap 'rm -f "$found"' EXIT

grep -nrE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment' source |
	objections "makes markup of text"
grep -nrE '\beval\(|new Function|setTimeout\("' source | objections "makes a program of text"
grep -nrE 'fetch\(|XMLHttpRequest|WebSocket|sendBeacon|EventSource|importScripts|https?://' source page.html |
	grep -v 'http://www.w3.org/2000/svg' | objections "reaches for a network"
grep -nr "from \"vega" source | grep -v '^source/chart\.js:' | objections "chart.js alone draws with Vega"
grep -HnE 'from "\./sections/' source/*.js | grep -v '^source/main\.js:' |
	objections "only main.js knows the sections"
grep -nr 'JSON\.parse(document\|getElementById("run")' source | grep -v '^source/model\.js:' |
	objections "model.js alone reads the run"
findings=$(wc -l <"$found")
files=$(find source -name '*.js' | wc -l)
[ "$files" -gt 0 ] || { echo "no sources: nothing was checked" && exit 1; }
[ "$findings" -eq 0 ]
