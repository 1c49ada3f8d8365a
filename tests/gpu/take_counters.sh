#!/bin/sh
# sweep --take-counters: the values are those that counting gives, and counting takes less time. Needs a
# GPU, and the right to read counters.
# usage: tests/gpu/take_counters.sh BUILD FOLDER
set -eu
perflab=$(cd "$1" && pwd)/bin/perflab
mkdir -p "$2"
db=$(cd "$2" && pwd)/take_counters.db
rm -f "$db"

sweep() {
	label=$1
	shift
	timeout 200 "$perflab" sweep stream reduce divergence matmul --metrics core --rounds 1 --min-samples 5 \
		--precision 50% --lines none --ceilings never --db "$db" --label "$label" -q "$@" >/dev/null
}
sweep counted
sweep again
sweep taken --take-counters

ask() {
	"$perflab" query "$1" --db "$db"
}
ask "SELECT label, round(sum(wall_ns) / 1e9, 2) AS counting_s,
	(SELECT value FROM environment WHERE run_id = run.id AND key = 'counters_taken') AS taken
	FROM run_part JOIN run ON run.id = run_id WHERE part LIKE 'count%' GROUP BY run.id"
# counters that differ: between two runs that counted, and between those of the second and of the third
ask "SELECT head.label, head.name, count(*) AS differ FROM result_counters AS base JOIN result_counters AS head
	ON head.run_id = base.run_id + 1 AND head.kernel = base.kernel AND head.variant = base.variant
	AND head.config = base.config AND head.name = base.name
	WHERE head.value IS NOT base.value AND (head.source LIKE '%taken over%' OR
	head.name IN (SELECT name FROM result_counters WHERE source LIKE '%taken over%'))
	GROUP BY head.label, head.name ORDER BY 1, 2"
