#!/bin/sh
# Finds Chromium and installs its driver once, in the build folder. Prints the program and the
# node_modules folder, one per line; exits 77 with the reason if one is not available.
# usage: chromium.sh SOURCE BUILD   PERFLAB_CHROMIUM names another program.
set -eu
source_root=$1
build=$(CDPATH= cd -- "$2" && pwd)

skip() {
	echo "skipped: $1" >&2
	exit 77
}

for program in node npm; do
	command -v $program >/dev/null 2>&1 || skip "no $program here"
done
chromium=${PERFLAB_CHROMIUM:-}
# the shell draws the same pages with a third less processor time
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
	[ -n "$chromium" ] || chromium=$(command -v $name) || true
done
[ -n "$chromium" ] || skip "no Chromium here: install it, or name it in PERFLAB_CHROMIUM"

modules=$build/tests/browser-modules
mkdir -p "$modules"
if ! cmp -s "$source_root/tests/browser/package-lock.json" "$modules/installed-lock.json"; then
	for file in package.json package-lock.json .npmrc; do
		cp "$source_root/tests/browser/$file" "$modules"
	done
	(cd "$modules" && timeout -k 5 180 npm ci --no-progress --prefer-offline --fetch-retries=1 \
		--fetch-timeout=20000 >npm.log 2>&1) || skip "npm cannot install what drives the browser"
	cp "$modules/package-lock.json" "$modules/installed-lock.json"
fi
printf '%s\n%s\n' "$chromium" "$modules/node_modules"
