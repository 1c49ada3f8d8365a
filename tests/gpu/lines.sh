#!/bin/sh
# Takes what scripts/compare-lines judges: profiles of built-in kernels, of the kernels of
# lines/planted.py and of a recorded PyTorch program, each sweep several times, and what ncu says of
# the same cases. Keeps the databases and ncu's tables in FOLDER.
#
# usage: tests/gpu/lines.sh BUILD FOLDER
set -eu
gpu_tests=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$2"
results=$(CDPATH= cd -- "$2" && pwd)
. "$gpu_tests/lib.sh"
ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
quick="--rounds 1 --min-samples 10 --max-time 20ms --backend cuda"
elements="reduce stream divergence histogram select warp_ops tail stencil"

# profile NAME ARGUMENT …: one more run in NAME.db.
profile() {
	name=$1
	shift
	echo "profile $name"
	"$perflab" sweep "$@" $quick --lines all --db "$results/$name.db" --quiet >"$results/$name.txt" 2>&1 ||
		tail -n 3 "$results/$name.txt"
}

# under_ncu NAME ARGUMENT …: NAME.sass.csv has the instructions of each launch, NAME.raw.csv the
# ranges that say of which case it is.
under_ncu() {
	name=$1
	shift
	echo "ncu $name"
	"$ncu" --target-processes all --clock-control none --cache-control all --nvtx \
		--nvtx-include "perflab@profile/" --section SourceCounters --section WarpStateStats \
		--sampling-interval 4 -f -o "$scratch/$name" \
		"$perflab" sweep "$@" --backend cuda --db "$scratch/$name.db" --quiet \
		>"$results/$name.ncu.txt" 2>&1 || tail -n 3 "$results/$name.ncu.txt"
	"$ncu" --import "$scratch/$name.ncu-rep" --csv --page source --print-source sass \
		>"$results/$name.sass.csv"
	"$ncu" --import "$scratch/$name.ncu-rep" --csv --page raw >"$results/$name.raw.csv"
}

# both NAME TIMES ARGUMENT …
both() {
	name=$1
	times=$2
	shift 2
	while [ "$times" -gt 0 ]; do
		profile "$name" "$@"
		times=$((times - 1))
	done
	under_ncu "$name" "$@"
}

both elements 5 $elements --block-sizes 256 --size 2^22
both matrices 1 transpose matmul --block-sizes 256 --size 1024

# the same path before and after, so that perflab knows the kernels again
python3 "$gpu_tests/lines/planted.py" "$scratch/planted"
cp "$scratch/planted/expected.json" "$results/"
cp "$scratch/planted/before/planted.cu" planted.cu
both planted 3 planted.cu
cp "$scratch/planted/after/planted.cu" planted.cu
profile planted planted.cu

"$perflab" record -o captures -- python3 "$gpu_tests/lines/library.py" \
	>"$results/record.txt" 2>&1 || tail -n 3 "$results/record.txt"
ls captures >"$results/captures.txt" 2>&1 || true
set -- captures/*.capture
[ -e "$1" ] && both captures 1 "$@"
exit 0
