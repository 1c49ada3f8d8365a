#!/bin/sh
# Runs everything that needs a GPU, on an existing build. The steps cheats and watch need a compiler. Each
# step has a time limit and writes its output to FOLDER/STEP.log. A failing step does not stop the
# others.
# Exits with 1 if a step failed, 77 if there is no GPU.
#
# usage: tests/gpu/run_all.sh [FOLDER [STEP …]]
#   FOLDER  the folder for logs and results (default gpu-results)
#   STEP    one of: doctor sweep faults cheats ceilings known intensity nsight compare cost
#           roof watch steady suite regress decide pairs against studies triton record listening examples
#           contention take gpus
#           (default: all of these); or large, placements, instructions and ptx (record results and
#           counters for the emulator), report (the sweep of README.md)
#   gpus needs two equal GPUs and is skipped otherwise
#   PERFLAB_BUILD names the build folder (default build/)
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
results=${1:-gpu-results}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- doctor sweep faults cheats ceilings known intensity nsight roof watch steady suite regress decide pairs against studies cost compare triton record listening examples contention take gpus
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
	echo "skipped: no NVIDIA driver on this machine"
	exit 77
fi
build=$(CDPATH= cd -- "${PERFLAB_BUILD:-$root/build}" && pwd)
mkdir -p "$results"
results=$(CDPATH= cd -- "$results" && pwd)
cd "$root"

measure() {
	script=$1
	shift
	scripts/"$script" --perflab "$build/bin/perflab" --output "$results/$script.md" \
		--log "$results/$script.said" "$@"
}

step() {
	case $1 in
	doctor) "$build/bin/perflab" doctor ;;
	sweep | faults | nsight) sh "tests/gpu/$1.sh" "$build" ;;
	cheats) sh tests/cheats/run.sh "$build" cuda ;; # compiles; skipped without nvcc and NVRTC
	ceilings) sh tests/gpu/ceilings.sh "$build" "$results/ceilings" ;;
	known) # uses the ceilings of the step before, if it ran
		if [ -s "$results/ceilings/ceilings.db" ]; then
			measure compare-ceilings --db "$results/ceilings/ceilings.db"
		else
			measure compare-ceilings
		fi
		;;
	intensity) measure check-intensity ;;
	compare) measure compare-ncu ;;
	cost) measure bench-cost ;;
	roof) measure bench-roof ;;
	watch) # compiles; the median from a save to a verdict must be at most 2 s
		rm -f "$results/bench-watch.said"
		measure bench-watch
		;;
	steady) measure check-steady ;;
	placements) measure check-placements ;;
	suite) measure check-suite ;;
	large) measure check-large --db "$results/large.db" ;;
	record) sh tests/gpu/record.sh "$build" ;; # compiles; skipped without nvcc
	listening) measure bench-record ;;        # compiles
	triton) sh tests/gpu/triton.sh "$build" "$results/triton" ;; # skipped without Triton
	instructions) # records them again, for tests/golden/ptx
		for name in opcodes matrices textures copies; do
			sh "tests/gpu/$name.sh" "$build" --write "$results/$name.txt.zst"
		done
		for list in more edges interleave layouts; do
			sh tests/gpu/copies.sh "$build" "--$list" --write "$results/copies_$list.txt.zst"
		done
		sh tests/gpu/mbarriers.sh # compiles; skipped without nvcc
		sh tests/gpu/clusters.sh
		;;
	ptx)
		mkdir -p "$results/ptx"
		sh tests/gpu/ptx.sh "$build" "$results/ptx"
		;;
	report) # two runs, so that a page can compare them; scripts/report-screenshots makes the page
		cd "$results" # the page shows the command line
		for label in 1 2; do
			"$build/bin/perflab" sweep --block-sizes 64..1024 --metrics core -q \
				--db report.db --label "h200-$label"
		done
		"$build/bin/perflab" report last --db report.db --format md -o report.md
		;;
	regress) # over a thousand equal pairs, and 240 pairs of each planted change
		measure check-regress --record 4 --timeout 100 \
			--sweep "stream reduce divergence --block-sizes 64..1024" "$results/regress.db"
		;;
	decide) # about seven times a plain sweep of the suite
		measure check-decide --record 3 --timeout 200 "$results/decide.db"
		;;
	pairs) # over a thousand pairs of equal code, and 240 of each planted difference
		sh tests/gpu/pairs.sh "$build" "$results/pairs"
		;;
	against) # as many with sweep --against, in 200 s; needs git
		sh tests/gpu/against.sh "$build" "$results/against"
		;;
	studies) measure run-studies --db "$results/studies.db" --timeout 280 ;;
	contention) sh tests/gpu/contention.sh "$build" ;;
	take) sh tests/gpu/take_counters.sh "$build" "$results/take" ;;
	gpus) sh tests/gpu/gpus.sh "$build" "$results/gpus.md" ;; # skipped with fewer than two GPUs
	examples) sh tests/docs/run_examples.sh "$root" "$build" gpu ;;
	*)
		echo "unknown step: $1"
		return 2
		;;
	esac
}

# The script runs itself for each step, under timeout.
if [ "${PERFLAB_GPU_STEP:-}" ]; then
	step "$PERFLAB_GPU_STEP"
	exit
fi

for name in "$@"; do
	begin=$(date +%s)
	status=0
	limit=300
	[ "$name" != large ] || limit=1500 # each sweep computes oracles of 2^32 elements
	[ "$name" != pairs ] || limit=580
	PERFLAB_GPU_STEP=$name PERFLAB_BUILD=$build timeout -k 10 $limit \
		sh "$root/tests/gpu/run_all.sh" "$results" >"$results/$name.log" 2>&1 </dev/null ||
		status=$?
	case $status in
	0) verdict=ok ;;
	77) verdict=skipped ;;
	124 | 137) verdict="ran too long" ;;
	*) verdict="FAILED ($status)" ;;
	esac
	printf '%-10s %-14s %4s s  %s\n' "$name" "$verdict" "$(($(date +%s) - begin))" \
		"$(tail -n 1 "$results/$name.log" | cut -c1-110)"
done | tee "$results/summary.txt"
! grep -q 'FAILED\|ran too long' "$results/summary.txt"
