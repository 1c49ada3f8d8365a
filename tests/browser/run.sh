#!/bin/sh
# The page of `perflab report --format html` in Chromium, against the database that it is of.
# usage: run.sh SOURCE BUILD [TEST…]   Exits 77 (skipped) with the reason where something is missing.
set -eu
source_root=$1
build=$2
shift 2

skip() {
	echo "skipped: $1"
	exit 77
}

for program in node npm sqlite3; do
	command -v $program >/dev/null 2>&1 || skip "no $program here"
done
chromium=${PERFLAB_CHROMIUM:-}
for name in chromium chromium-browser google-chrome; do
	[ -n "$chromium" ] || chromium=$(command -v $name) || true
done
[ -n "$chromium" ] || skip "no Chromium here: install it, or name it in PERFLAB_CHROMIUM"

# What drives the browser is installed once, beside the build.
modules=$build/tests/browser-modules
mkdir -p "$modules"
if ! cmp -s "$source_root/tests/browser/package-lock.json" "$modules/installed-lock.json"; then
	cp "$source_root/tests/browser/package.json" "$source_root/tests/browser/package-lock.json" \
		"$source_root/tests/browser/.npmrc" "$modules"
	(cd "$modules" && npm ci --no-progress --prefer-offline --fetch-retries=1 \
		--fetch-timeout=20000 >npm.log 2>&1) || skip "npm cannot install what drives the browser"
	cp "$modules/package-lock.json" "$modules/installed-lock.json"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PERFLAB_EPOCH_NS=1763700045000000000
for what in lab hostile one bare; do
	"$build/tests/make_lab" "$scratch/$what.db" $what
done

# report DATABASE RUN PAGE OPTION…
report() {
	database=$1 run=$2 page=$3
	shift 3
	status=0
	"$build/bin/perflab" report "$run" --db "$scratch/$database.db" --format html "$@" \
		-o "$scratch/$page.html" 2>"$scratch/said" || status=$?
	[ $status -ne 4 ] || skip "$(cat "$scratch/said")"
	[ $status -eq 0 ] || { cat "$scratch/said" && exit 1; }
}
report lab now lab --compare before
report lab emulated emulated
report hostile last hostile
report one last one
report bare last bare

status=0
CHROMIUM=$chromium MODULES=$modules/node_modules PAGES=$scratch \
	node --test --test-concurrency=1 "${@:-$source_root/tests/browser/page.test.mjs}" || status=$?
exit $status
