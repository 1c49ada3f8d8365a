#!/bin/sh
# Takes what scripts/compare-lines judges: profiles of perflab, and what ncu says of the same cases.
# Keeps the databases and ncu's tables in FOLDER.
#
# usage: tests/gpu/lines.sh BUILD FOLDER [PART …]
# parts (default: all but cost):
#   elements   kernels over 2^22 elements
#   matrices   transpose and matmul
#   planted    the kernels of lines/planted.py, before and after one line of each is made worse
#   machine    the same kernels as a cubin from elsewhere
#   captures   kernels of libraries, recorded from a PyTorch program
#   cost       what profiles cost the main job, and what ncu needs for one family of it
# In the environment: TIMES, how often perflab profiles the built-in kernels (default 5), and PAGES, which
# tables of ncu (default: sass samples again)
set -eu
gpu_tests=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$2"
results=$(CDPATH= cd -- "$2" && pwd)
. "$gpu_tests/lib.sh"
ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
quick="--rounds 1 --min-samples 10 --max-time 20ms --backend cuda"

# profile NAME ARGUMENT …: one more run in NAME.db.
profile() {
	name=$1
	shift
	echo "profile $name"
	"$perflab" sweep "$@" $quick --lines all --db "$results/$name.db" --quiet >"$results/$name.txt" 2>&1 ||
		tail -n 3 "$results/$name.txt"
}

# under_ncu NAME ARGUMENT …: NAME.sass.csv has the counts of the instructions of each launch,
# NAME.samples.csv and NAME.again.csv the samples, and each .raw.csv the ranges that say of which case it
# is.
under_ncu() {
	name=$1
	shift
	for page in ${PAGES:-sass samples again}; do
		case $page in
		sass) options="--cache-control all --section SourceCounters" ;;
		# ncu needs two or three passes. If it replayed the kernel, the second would find what the
		# restored memory left in the L2; so each pass is a run of perflab, which flushes the L2 as for
		# a timed execution.
		*) options="--replay-mode application --cache-control none
			--metrics group:smsp__pcsamp_warp_stall_reasons" ;;
		esac
		ncu_pages "$name" "$page" "$options" "$@"
	done
}

# ncu_pages NAME PAGE OPTIONS ARGUMENT …
ncu_pages() {
	name=$1
	page=$2
	options=$3
	shift 3
	echo "ncu $name $page"
	report=$scratch/$name-$page
	# The fastest interval that has no period of 2^8 cycles: that one favours some lines of many kernels
	# (docs/results/line-shares.md).
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

elements() {
	both elements "${TIMES:-5}" reduce stream divergence histogram select warp_ops tail stencil \
		--block-sizes 256 --size 2^22
}

matrices() {
	both matrices "${TIMES:-5}" transpose matmul --block-sizes 256 --size 1024
}

plant() {
	python3 "$gpu_tests/lines/planted.py" "$scratch/planted"
	cp "$scratch/planted/expected.json" "$results/"
}

planted() {
	plant
	# the same path before and after, so that perflab knows the kernels again
	cp "$scratch/planted/before/planted.cu" planted.cu
	for _ in 1 2 3; do
		profile planted planted.cu
	done
	cp "$scratch/planted/after/planted.cu" planted.cu
	profile planted planted.cu
}

machine() {
	plant
	"$nvcc" -arch=sm_90 -lineinfo -cubin -o machine.cubin "$scratch/planted/before/planted.cu"
	# a cubin does not say that its numbers are integers
	sed -n '/^.. perflab: /{s///;s/(n, 3,/(i32(n), i32(3),/;p;}' "$scratch/planted/before/planted.cu" \
		>machine.cubin.perflab
	both machine 1 machine.cubin
}

captures() {
	"$perflab" record -k '*' -o library -- python3 "$gpu_tests/lines/library.py" \
		>"$results/record.txt" 2>&1 || tail -n 3 "$results/record.txt"
	# each has memory of its own, so one at a time
	for capture in library*.capture; do
		both "${capture%.capture}" 1 "$capture"
	done
}

# seconds NAME COMMAND …: adds a line to cost.txt.
seconds() {
	name=$1
	shift
	begun=$(date +%s%N)
	"$@" >"$results/cost-$name.txt" 2>&1 || tail -n 3 "$results/cost-$name.txt"
	echo "$name $((($(date +%s%N) - begun) / 1000000)) ms" | tee -a "$results/cost.txt"
}

cost() {
	for lines in none best all; do
		seconds "lines-$lines" "$perflab" sweep --block-sizes 64..1024 --backend cuda -v \
			--lines "$lines" --db "$scratch/cost.db"
	done
	seconds perflab-reduce "$perflab" sweep reduce --block-sizes 64..1024 --backend cuda -v \
		--lines all --db "$scratch/cost.db"
	seconds ncu-reduce "$ncu" --target-processes all --clock-control none --section SourceCounters \
		--nvtx --nvtx-include "perflab@profile/" -f -o "$scratch/cost" \
		"$perflab" sweep reduce --block-sizes 64..1024 --backend cuda --db "$scratch/cost-ncu.db"
}

shift 2
[ $# -gt 0 ] || set -- elements matrices planted machine captures
for part in "$@"; do
	case $part in
	elements | matrices | planted | machine | captures | cost) "$part" ;;
	*) fail "no such part: $part" ;;
	esac
done
