#!/bin/sh
# sweep --take-counters: the copies are what the next sweep counts itself, and counting takes less time.
# Needs a GPU, and the right to read counters. Kernels that spin may count otherwise, so they are named
# and do not fail it.
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
sweep first
sweep second
sweep taken --take-counters
sweep counted

ask() {
	"$perflab" query "$1" --db "$db" --format "${2:-text}"
}
seconds="SELECT sum(wall_ns) / 1e9 FROM run_part JOIN run ON run.id = run_id WHERE part = 'counting' AND label"
copies="FROM result_counters AS copy JOIN result_counters AS own USING (kernel, variant, config, name)
	WHERE copy.label = 'taken' AND own.label = 'counted' AND copy.source LIKE '%taken over%'"
ask "SELECT label, sum(wall_ns) / 1e9 AS counting_s FROM run_part JOIN run ON run.id = run_id
	WHERE part = 'counting' GROUP BY run.id"
ask "SELECT kernel, variant, name, copy.value AS copied, own.value AS counted $copies AND copy.value IS NOT own.value"
ask "SELECT count(*) AS copies, sum(copy.value IS NOT own.value) AS differ,
	($seconds = 'taken') < ($seconds = 'counted') AS shorter $copies" csv | tail -n 1 | {
	IFS=, read -r found differ shorter
	echo "$found copies, $differ differ, shorter: $shorter"
	[ "$found" -gt 1000 ] && [ "$((differ * 100))" -le "$found" ] && [ "$shorter" -eq 1 ]
}
