#!/bin/sh
# Takes what scripts/compare-lines judges: profiles of built-in kernels, of the kernels of
# lines/planted.py and of a recorded PyTorch program, each sweep several times, and what ncu says of
# the same cases. Keeps the databases and ncu's tables in FOLDER.
#
# usage: tests/gpu/lines.sh BUILD FOLDER [TIMES]
#   TIMES  how often the built-in kernels are swept (default 5)
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

# under_ncu NAME ARGUMENT …: NAME.sass.csv has the counts of the instructions of each launch,
# NAME.samples.csv the samples, and each .raw.csv the ranges that say of which case it is.
under_ncu() {
	name=$1
	shift
	echo "ncu $name"
	ncu_pages "$name" sass "--cache-control all --section SourceCounters" "$@"
	# With its own cache control ncu also empties the caches of instructions, which no timed
	# execution finds empty. In one pass, the flush of perflab is enough.
	ncu_pages "$name" samples "--cache-control none --metrics group:smsp__pcsamp_warp_stall_reasons" "$@"
}

# ncu_pages NAME PAGE OPTIONS ARGUMENT …
ncu_pages() {
	name=$1
	page=$2
	options=$3
	shift 3
	report=$scratch/$name-$page
	"$ncu" --target-processes all --clock-control none $options --nvtx \
		--nvtx-include "perflab@profile/" --warp-sampling-interval 4 -f -o "$report" \
		"$perflab" sweep "$@" --backend cuda --db "$report.db" --quiet \
		>"$results/$name.ncu.txt" 2>&1 || tail -n 3 "$results/$name.ncu.txt"
	[ -e "$report.ncu-rep" ] || return 0
	"$ncu" --import "$report.ncu-rep" --csv --page source --print-source sass \
		>"$results/$name.$page.csv"
	"$ncu" --import "$report.ncu-rep" --csv --page raw >"$results/$name.$page.raw.csv"
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

both elements "${3:-5}" $elements --block-sizes 256 --size 2^22
both matrices 1 transpose matmul --block-sizes 256 --size 1024

# the same path before and after, so that perflab knows the kernels again
python3 "$gpu_tests/lines/planted.py" "$scratch/planted"
cp "$scratch/planted/expected.json" "$results/"
cp "$scratch/planted/before/planted.cu" planted.cu
profile planted planted.cu
profile planted planted.cu
profile planted planted.cu
cp "$scratch/planted/after/planted.cu" planted.cu
profile planted planted.cu

# as a cubin: a compiler does not run under ncu
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
"$nvcc" -arch=sm_90 -lineinfo -cubin -o machine.cubin "$scratch/planted/before/planted.cu"
sed -n 's,^// perflab: ,,p' "$scratch/planted/before/planted.cu" >machine.cubin.perflab
both machine 1 machine.cubin

"$perflab" record -k '*' -o captures -- python3 "$gpu_tests/lines/library.py" \
	>"$results/record.txt" 2>&1 || tail -n 3 "$results/record.txt"
ls captures >"$results/captures.txt" 2>&1 || true
set -- captures/*.capture
[ -e "$1" ] && both captures 1 "$@"
exit 0
