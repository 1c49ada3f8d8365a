#!/bin/sh
# Writes one line at a time into a separate page and checks whether check_web.sh objects.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
page=$tree/reports/web
mkdir -p "$page/source/sections"
echo '<!doctype html>' >"$page/page.html"
failures=0

# plant VERDICT FILE LINE: VERDICT is "fine" or a part of the expected message
plant() {
	printf '%s\n' "$3" >"$page/$2"
	if said=$(sh "$here/check_web.sh" "$tree" 2>&1); then
		said=fine
	fi
	case $said in
	*"$1"*) ;;
	*)
		printf "%s with %s: expected '%s', gave: %s\n" "$2" "$3" "$1" "$said"
		failures=$((failures + 1))
		;;
	esac
	rm "$page/$2"
}

if sh "$here/check_web.sh" "$tree" >/dev/null 2>&1; then
	echo "a page without sources passed as checked"
	failures=$((failures + 1))
fi
plant fine source/main.js 'import { gaps } from "./sections/gaps.js";'
plant fine source/chart.js 'import * as vega from "vega";'
plant fine source/dom.js 'document.createElementNS("http://www.w3.org/2000/svg", tag)'
plant 'as markup' source/dom.js 'element.innerHTML = text;'
plant 'as markup' source/sections/a.js 'element.insertAdjacentHTML("beforeend", text);'
plant 'as code' source/dom.js 'const run = new Function(text);'
plant 'uses a network' source/dom.js 'fetch("data.json")'
plant 'uses a network' source/dom.js 'location = "https://example.org"'
plant 'only chart.js' source/sections/a.js 'import * as vega from "vega";'
plant 'only main.js' source/dom.js 'import { gaps } from "./sections/gaps.js";'
plant 'only model.js' source/sections/a.js 'JSON.parse(document.getElementById("run").textContent)'
plant 'only address.js' source/sections/a.js 'const text = location.hash;'
plant 'only address.js' source/main.js 'history.replaceState(null, "", text);'
plant fine source/address.js 'history.replaceState(null, "", location.pathname);'
[ "$failures" -eq 0 ]
