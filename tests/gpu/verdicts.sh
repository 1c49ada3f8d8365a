#!/bin/sh
# Takes what verdicts are judged by: the pairs of kernels of verdicts/causes.py, of which one is slow for a
# known cause. Each is swept twice, with all counters that tell why warps wait, and ncu judges it by its rules.
#
# usage: tests/gpu/verdicts.sh BUILD FOLDER [PART …]
# parts (default: all):
#   sweep     all pairs, twice
#   ncu       what the rules of ncu say of the kernels with a cause
#   library   kernels of libraries, recorded from a PyTorch program
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
metrics=core
for stall in $stalls; do
	metrics=$metrics,smsp__warps_issue_stalled_$stall.sum
done
for pipe in alu fma fp64 xu lsu tensor cbu uniform; do
	metrics=$metrics,sm__inst_executed_pipe_$pipe.sum
done
for operation in atom red; do
	metrics=$metrics,l1tex__t_requests_pipe_lsu_mem_global_op_$operation.sum,lts__t_sectors_op_$operation.sum
done
for operation in ld st; do
	metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_local_op_$operation.sum
done
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum,idc__requests_lookup_miss.sum
metrics=$metrics,sm__cycles_active.min,sm__cycles_active.avg,sm__cycles_active.max,smsp__warps_active.sum

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
	"$ncu" --target-processes all --clock-control none $sections --nvtx --nvtx-include "perflab@profile/" \
		-k 'regex:^(?!launch_(50|200)).*_with$' -f -o causes "$perflab" sweep causes.cubin \
		--backend cuda --rounds 1 --min-samples 3 --max-time 1ms --db ncu.db --quiet \
		>"$results/ncu.txt" 2>&1 || failed=1
	"$ncu" --import causes.ncu-rep --csv --page details >"$results/ncu.csv" || failed=1
}

# Kernels of libraries, recorded.
library() {
	if ! python3 -c 'import torch' 2>/dev/null; then
		echo "library: skipped, there is no PyTorch"
		return
	fi
	"$perflab" record -k '*' --most 40 -o library -- python3 "$gpu_tests/verdicts/library.py" \
		>"$results/record.txt" 2>&1 || failed=1
	for capture in library*.capture; do
		[ -e "$capture" ] || continue
		"$perflab" sweep "$capture" --backend cuda --metrics "$metrics" --lines all --quiet \
			--db "$results/library.db" >>"$results/library.txt" 2>&1 || failed=1
	done
}

shift 2
failed=0
[ $# -gt 0 ] || set -- sweep ncu library
for part in "$@"; do
	case $part in
	sweep | ncu | library) "$part" ;;
	*) fail "no such part: $part" ;;
	esac
done
exit "$failed"
