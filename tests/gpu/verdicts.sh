#!/bin/sh
# Takes what verdicts are judged by: the pairs of kernels of verdicts/causes.py, of which one is slow for a
# known cause. Each is swept twice, with all counters that tell why warps wait, and ncu judges it by its rules.
#
# usage: tests/gpu/verdicts.sh BUILD FOLDER [PART …]
# parts (default: all):
#   sweep     all pairs, twice
#   ncu       what the rules of ncu say of the kernels with a cause
#   library   kernels of libraries, recorded from a PyTorch program: two sets
set -eu
gpu_tests=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$2"
results=$(CDPATH= cd -- "$2" && pwd)
. "$gpu_tests/lib.sh"
ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)

stalls="barrier branch_resolving dispatch_stall drain gmma imc_miss lg_throttle long_scoreboard
	math_pipe_throttle membar mio_throttle misc no_instruction not_selected selected short_scoreboard
	sleeping tex_throttle wait"
# The counted stalls are for comparison: verdicts are judged by the samples and by core.
metrics=core
for stall in $stalls; do
	metrics=$metrics,smsp__warps_issue_stalled_$stall.sum
done

python3 "$gpu_tests/verdicts/causes.py" .
cp expected.json causes.cu "$results/"

sweep() {
	PERFLAB_CEILINGS=auto
	export PERFLAB_CEILINGS
	for _ in 1 2; do
		"$perflab" sweep causes.cu --backend cuda --metrics "$metrics" --lines all --db "$results/causes.db" \
			--quiet -v >>"$results/sweep.txt" 2>&1 || failed=1
	done
}

# As a cubin, because a compiler does not run under ncu; it does not say that its numbers are integers. Only
# the kernels with the cause, and none with many launches: ncu executes each 20 times or more.
ncu() {
	"$nvcc" -arch=sm_90 -lineinfo -cubin -o causes.cubin causes.cu
	sed -n '/^.. perflab: /{s///;s/(n, 7,/(i32(n), i32(7),/;p;}' causes.cu >causes.cubin.perflab
	PERFLAB_CEILINGS=never
	export PERFLAB_CEILINGS
	sections=
	for section in SpeedOfLight ComputeWorkloadAnalysis MemoryWorkloadAnalysis SchedulerStats \
		WarpStateStats InstructionStats LaunchStats Occupancy SourceCounters WorkloadDistribution; do
		sections="$sections --section $section"
	done
	# one report for each kind of cause, so that what is done stays if the time is over
	for kind in $(sed -n 's/^ "\([a-z0-9]*\)_.*/\1/p' expected.json | sort -u); do
		"$ncu" --target-processes all --clock-control none $sections --nvtx --nvtx-include "perflab@profile/" \
			-k "regex:^(?!launch_(50|200))${kind}_.*_with\$" -f -o "ncu-$kind" "$perflab" sweep \
			causes.cubin "*/${kind}_*_with" --backend cuda --rounds 1 --min-samples 3 --max-time 1ms \
			--db ncu.db --quiet >>"$results/ncu.txt" 2>&1 || failed=1
		"$ncu" --import "ncu-$kind.ncu-rep" --csv --page details >"$results/ncu-$kind.csv" || failed=1
	done
}

# library NUMBER: the kernels of that set of libraries, recorded.
library() {
	if ! python3 -c 'import torch' 2>/dev/null; then
		echo "library: skipped, there is no PyTorch"
		return
	fi
	PERFLAB_CEILINGS=auto
	export PERFLAB_CEILINGS
	"$perflab" record -k '*' --most 40 -o "library$1" -- python3 "$gpu_tests/verdicts/library.py" "$1" \
		>"$results/record$1.txt" 2>&1 || failed=1
	for capture in "library$1"*.capture; do
		[ -e "$capture" ] || continue
		"$perflab" sweep "$capture" --backend cuda --lines all --quiet \
			--db "$results/library$1.db" >>"$results/library$1.txt" 2>&1 || failed=1
	done
}

shift 2
failed=0
[ $# -gt 0 ] || set -- sweep ncu library
for part in "$@"; do
	case $part in
	sweep | ncu) "$part" ;;
	library) library 1 && library 2 ;;
	library1 | library2) library "${part#library}" ;;
	*) fail "no such part: $part" ;;
	esac
done
exit "$failed"
