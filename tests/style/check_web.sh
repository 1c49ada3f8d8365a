#!/bin/sh
# check_web.sh ROOT: checks the sources of the report page. They insert untrusted input as text
# only, use no network, and import only what their place in the page allows.
set -eu

cd "$1/reports/web"

# objections WHAT: prints each line that grep found, with the objection WHAT
objections() {
	while IFS= read -r line; do
		printf 'reports/web/%s: %s\n' "$line" "$1"
		echo finding >>"$found"
	done
}
found=$(mktemp)
trap 'rm -f "$found"' EXIT

grep -nrE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment' source |
	objections "inserts text as markup"
grep -nrE '\beval\(|new Function|setTimeout\("' source | objections "executes text as code"
grep -nrE 'fetch\(|XMLHttpRequest|WebSocket|sendBeacon|EventSource|importScripts|https?://' source page.html |
	grep -v 'http://www.w3.org/2000/svg' | objections "uses a network"
grep -nr "from \"vega" source | grep -v '^source/chart\.js:' | objections "only chart.js may import Vega"
grep -HnE 'from "\./sections/' source/*.js | grep -v '^source/main\.js:' |
	objections "only main.js may import sections"
grep -nr 'JSON\.parse(document\|getElementById("run")' source | grep -v '^source/model\.js:' |
	objections "only model.js may read the run"
grep -nrE '\blocation\.|hashchange|\b(replace|push)State' source | grep -v '^source/address\.js:' |
	objections "only address.js may use the address of the page"
findings=$(wc -l <"$found")
files=$(find source -name '*.js' | wc -l)
[ "$files" -gt 0 ] || { echo "no sources: nothing was checked" && exit 1; }
[ "$findings" -eq 0 ]
