#!/bin/sh
# Kernels of 1 to 20 us by all clocks of perflab, and beside Nsight Compute's gpu__time_duration in the
# same cache state. Needs a GPU, and the right to read counters.
# usage: tests/gpu/clocks.sh BUILD FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
perflab=$(cd "$1" && pwd)/bin/perflab
mkdir -p "$2"
folder=$(cd "$2" && pwd)
db=$folder/clocks.db
rm -f "$db" "$folder/ncu.db"

# under ncu perflab cannot start a compiler, so all use one cubin
kernels=$folder/short_kernels.cubin
nvcc -arch=native -lineinfo -cubin -o "$kernels" "$here/clocks/short_kernels.cu"
sed -n 's,^// perflab: ,,p' "$here/clocks/short_kernels.cu" >"$kernels.perflab"

for cache in cold hot; do
	timeout 120 "$perflab" sweep "$kernels" --cache $cache --metrics clocks --lines none --db "$db" \
		--label $cache -q >"$folder/$cache.txt"
	for i in 1 2 3 4 5; do
		timeout 120 ncu --clock-control none --cache-control none --target-processes all \
			--nvtx --nvtx-include perflab@profile/ --print-units base \
			--metrics gpu__time_duration.sum --csv --log-file "$folder/ncu-$cache-$i.csv" \
			"$perflab" sweep "$kernels" --cache $cache --metrics none --lines none --rounds 1 \
			--ceilings never --db "$folder/ncu.db" -q >>"$folder/log" 2>&1
	done
	"$perflab" import "$folder"/ncu-$cache-*.csv --run $cache --db "$db"
	"$perflab" report $cache --all --db "$db" >"$folder/ncu-$cache.txt"
	"$perflab" query "SELECT '$cache' AS cache, count(*) AS kernels, sum(abs(apart) <= 0.2) AS within,
		min(apart) AS least_us, avg(apart) AS mean_us, max(apart) AS most_us FROM (
		SELECT (median_ns - value) / 1e3 AS apart FROM trial JOIN run ON run.id = run_id
		JOIN counters ON trial_id = trial.id WHERE label = '$cache' AND metric = 'clock_ncu_ns')" --db "$db"
done
# the same code again: which cases does a comparison leave undecided?
timeout 120 "$perflab" sweep "$kernels" --metrics none --lines none --db "$db" --label again -q >/dev/null
timeout 60 "$perflab" regress --base cold --head again --db "$db" --format json \
	>"$folder/regress.json" || true
