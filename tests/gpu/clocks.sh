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
	python3 "$here/clocks/ncu_median.py" "$db" $cache "$folder"/ncu-$cache-*.csv |
		tee "$folder/ncu-$cache.txt"
done
# the same code again: which cases does a comparison leave undecided?
timeout 120 "$perflab" sweep "$kernels" --metrics none --lines none --db "$db" --label again -q >/dev/null
timeout 60 "$perflab" regress --base cold --head again --db "$db" --format json \
	>"$folder/regress.json" || true
