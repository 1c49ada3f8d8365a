#!/bin/sh
# A sweep on one GPU, split over all, and spread over all, twice: how much shorter the split is, how
# much the GPUs change each other's times, how they differ, and what regress calls different between
# two spreads although nothing changed. Skipped with fewer than two equal GPUs.
# usage: tests/gpu/gpus.sh BUILD-FOLDER [RESULT.md]
# GPUS_CASES names the cases. Takes about a minute on two H100s.
set -eu
result=${2:-gpus.md}
case $result in
/*) ;;
*) result=$PWD/$result ;;
esac
scripts=$(CDPATH= cd -- "$(dirname -- "$0")/../../scripts" && pwd)
. "$(dirname -- "$0")/lib.sh"
cases=${GPUS_CASES:-reduce --block-sizes 64..1024}

count=$("$perflab" list devices --format csv | sed 1d | grep -c . || true)
[ "$count" -ge 2 ] || skip "this machine has $count GPU; the test needs two"

value() {
	"$perflab" query "$2" --db "$1" --format csv | sed -n 2p
}

# timed NAME OPTION…: a sweep into NAME.db; its seconds are in $seconds.
timed() {
	name=$1
	shift
	begin=$(date +%s.%N)
	# shellcheck disable=SC2086
	expect 0 "$perflab" sweep $cases --db "$name.db" "$@"
	seconds=$(echo "$begin $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }')
	mv out.txt "$name.txt"
}

timed single --device 0 --quiet
single=$seconds
# over the first two, four and so on, then over all
rows="one GPU:$single"
for part in 2 4 8; do
	[ $part -lt "$count" ] || continue
	timed "part$part" --gpus "$(seq -s, 0 $((part - 1)))" --interference never --quiet
	rows="$rows
split over $part:$seconds"
done
timed split --gpus all --interference never --quiet
split=$seconds
timed watched --gpus all --interference always --quiet
watched=$seconds
timed spread --gpus all --spread --quiet
spread=$seconds

# The split has each case of the single sweep once, with the same results.
counted="SELECT count(DISTINCT trial_id) FROM counters WHERE value IS NOT NULL
	AND source LIKE '%\\_\\_%' ESCAPE '\\'"
all=$(value single.db 'SELECT count(*) FROM trial')
for database in split watched; do
	[ "$(value $database.db 'SELECT count(*) FROM trial')" = "$all" ] ||
		fail "$database: not $all cases"
	[ "$(value $database.db 'SELECT count(DISTINCT kernel || variant || config) FROM trial')" = "$all" ] ||
		fail "$database: a case is there twice"
	[ "$(value $database.db "SELECT count(*) FROM trial WHERE status = 'ok'")" = \
		"$(value single.db "SELECT count(*) FROM trial WHERE status = 'ok'")" ] ||
		fail "$database: other cases are ok than on one GPU"
	# CUPTI must serve the processes of several GPUs at once
	[ "$(value $database.db "$counted")" = "$(value single.db "$counted")" ] ||
		fail "$database: fewer cases have counters than on one GPU"
	[ "$(value $database.db 'SELECT count(DISTINCT run_id) FROM trial')" = "$count" ] ||
		fail "$database: a GPU has no case"
done
[ "$(value spread.db 'SELECT count(*) FROM trial')" = $((all * count)) ] ||
	fail "spread: not every case on every GPU"

# Another spread into the same database. Too many false alarms are part of the result.
first=$spread
cp spread.txt first_spread.txt
timed spread --gpus all --spread --quiet
again=$spread spread=$first
status=0
"$scripts/compare-cards" --perflab "$perflab" spread.db >cards.md 2>out.txt || status=$?
[ $status -le 1 ] || fail "compare-cards ended with $status"

parts="SELECT device_ordinal AS gpu, group_concat(part || ' ' || seconds, ', ') AS seconds FROM (
	SELECT run_id, part, round(1e-9 * wall_ns, 1) AS seconds FROM run_part ORDER BY wall_ns DESC)
	JOIN run ON run.id = run_id WHERE seconds >= 0.2 GROUP BY run.id ORDER BY 1"
{
	echo '# Several GPUs'
	echo
	echo "- date: $(date -u +%F)"
	echo "- devices: $count × $(value split.db 'SELECT name FROM device LIMIT 1')"
	echo "- cases: $all (\`$cases\`)"
	echo
	echo '## Wall time'
	echo
	echo '| sweep | seconds | of one GPU |'
	echo '| --- | ---: | ---: |'
	printf '%s\n' "$rows" "split over $count:$split" "split, with interference measured:$watched" \
		"spread:$spread" "spread once more:$again" |
		awk -F: -v one="$single" '{ printf "| %s | %s | %.2f |\n", $1, $2, $2 / one }'
	echo
	echo '## Cases and processors of each GPU of the split'
	echo
	"$perflab" query "SELECT device_ordinal AS gpu, count(*) AS cases,
		(SELECT value FROM environment WHERE run_id = run.id AND key = 'gpus.processors')
		AS processors FROM run JOIN trial ON run_id = run.id GROUP BY run.id ORDER BY 1" \
		--db split.db --format md
	echo
	echo '## Where the time goes: parts of 0.2 s and more'
	echo
	echo 'On one GPU:'
	echo
	"$perflab" query "$parts" --db single.db --format md
	echo
	echo 'In the split:'
	echo
	"$perflab" query "$parts" --db split.db --format md
	echo
	echo '## Interference: sentinel cases in the split against alone'
	echo
	"$perflab" query "SELECT device_ordinal AS gpu, key, value FROM environment
		JOIN run ON run.id = run_id WHERE key LIKE 'gpus.interference%' ORDER BY 1, 2" \
		--db watched.db --format md
	echo
	echo '## Differences between the GPUs'
	echo
	echo '```text'
	cat first_spread.txt
	echo '```'
	echo
	sed -n '/^## /,$p' cards.md
} >"$result"
cat "$result"
echo "split over $count GPUs: $single s to $split s"
