#!/bin/sh
# Records the kernels of a small program and replays them: every way to launch and every kind of
# memory, a kernel that only a CUDA graph launches, a launch with another result, and a replacement.
# Skipped without nvcc.
#
# usage: tests/gpu/record.sh BUILD
set -eu
cases=$(CDPATH= cd -- "$(dirname -- "$0")/../record" && pwd)
. "$(dirname -- "$0")/lib.sh"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "no nvcc"
expect 0 "$nvcc" -arch=native -lineinfo -cudart static -o cases "$cases/cases.cu"
./cases >alone.txt || fail "cases does not run"

kernels="saxpy in_struct in_list variables shared cooperative stream_ordered managed mapped"

# says TEXT: fails unless the last command printed it.
says() {
	grep -q -e "$1" out.txt || fail "the output does not say '$1'"
}

# undisturbed: fails unless the program printed what it prints alone.
undisturbed() {
	while read -r line; do
		grep -q -F -x -e "$line" out.txt || fail "the recorded program did not print: $line"
	done <alone.txt
}

list_kernels() {
	expect 0 "$perflab" record --list --db list.db -- ./cases
	undisturbed
	for kernel in $kernels; do
		says "$kernel"
	done
	expect 0 "$perflab" record --list --db list.db -- ./cases graph
	says in_graph
}

# The second launch of each kernel, all in one run of the program.
record_all() {
	for kernel in $kernels; do
		set -- "$@" -k "$kernel"
	done
	expect 0 "$perflab" record "$@" --launch 2 -o all -- ./cases
	undisturbed
	set -- all*.capture
	[ $# -eq 9 ] || fail "$# captures instead of 9: $*"
	set -- *.part-*
	[ ! -e "$1" ] || fail "a part of a capture was left: $*"
}

replay_all() {
	for capture in all*.capture; do
		expect 0 "$perflab" record --show "$capture"
		expect 0 "$perflab" sweep "$capture" --rounds 1 --metrics core --label "$capture" --db all.db -q
	done
	holds all.db "nine replays are verified and timed" \
		"SELECT count(*) = 9 FROM trial WHERE status = 'ok' AND median_ns > 0"
	expect 0 "$perflab" record -k saxpy -o saxpy -- ./cases
}

# Nsight Compute sees the recorded kernel, and two runs of a capture are compared.
profile_and_compare() {
	ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
	if [ -x "$ncu" ]; then
		expect 0 "$perflab" nsight ncu saxpy.capture -o profile
		expect 0 "$ncu" --import profile.ncu-rep --page raw
		says 'saxpy'
	fi
	for run in before after; do
		expect 0 "$perflab" sweep saxpy.capture --rounds 3 --db runs.db --label "$run" -q
	done
	expect 0 "$perflab" regress --base before --head after --all --db runs.db
	says 'saxpy/recorded'
}

# A third of the blocks leaves a part of y as it was.
change_launch() {
	expect 1 "$perflab" sweep saxpy.capture --set grid=1365 --rounds 1 --db changed.db -q
	holds changed.db "another result is a mismatch and never timed" \
		"SELECT count(*) = 1 FROM trial WHERE status = 'mismatch' AND median_ns IS NULL"
	expect 0 "$perflab" sweep saxpy.capture --set block=128,512 --rounds 1 --db blocks.db -q
	holds blocks.db "other block sizes give the same result" \
		"SELECT count(*) = 2 FROM trial WHERE status = 'ok'"
}

replace_saxpy() {
	expect 0 "$perflab" sweep saxpy.capture --replace "$cases/faster_saxpy.cu" --db replaced.db -q
	says 'faster_saxpy'
	holds replaced.db "the replacement is right and at least 1.5 times as fast" \
		"SELECT (SELECT median_ns FROM trial WHERE status = 'ok' AND variant = 'recorded')
			> 1.5 * (SELECT median_ns FROM trial WHERE status = 'ok' AND variant = 'faster_saxpy')"
	sed 's/a \* x/2 * a * x/' "$cases/faster_saxpy.cu" >wrong.cu
	expect 1 "$perflab" sweep saxpy.capture --replace wrong.cu --db wrong.db -q
	holds wrong.db "a wrong replacement is a mismatch" \
		"SELECT count(*) = 1 FROM trial WHERE status = 'mismatch' AND median_ns IS NULL"
}

# The program's exit code is passed on, and a launch that cannot be recorded is explained.
end_badly() {
	expect 7 "$perflab" record -k saxpy -o failing -- ./cases fail
	[ -s failing.capture ] || fail "no capture of a program that failed later"
	status=0
	"$perflab" record -k in_graph -o graph -- ./cases graph >out.txt 2>&1 </dev/null || status=$?
	[ "$status" -ne 0 ] || fail "exit 0 without a capture"
	says 'in_graph'
	says 'graph'
	[ ! -e graph.capture ] || fail "a launch of a graph was recorded"
	status=0
	"$perflab" record -k saxpy -o none -- ./cases none >out.txt 2>&1 </dev/null || status=$?
	[ "$status" -ne 0 ] || fail "exit 0 without a launch"
	head -c 3000 saxpy.capture >cut.capture
	status=0
	"$perflab" sweep cut.capture --db cut.db >out.txt 2>&1 || status=$?
	[ "$status" -gt 1 ] || fail "exit $status after a capture that is cut"
	says 'cut.capture'
}

# Attached by the environment, as for a program that another one starts.
attach() {
	(eval "$("$perflab" record --env -k in_struct -o attached)" && exec sh -c './cases') >out.txt 2>&1 ||
		fail "the program failed"
	undisturbed
	expect 0 "$perflab" sweep attached.capture --rounds 1 --db attached.db -q
}

# In a part, only expect, holds and fail end it: the shell ignores set -e there.
status=0
for part in list_kernels record_all replay_all profile_and_compare change_launch replace_saxpy end_badly attach; do
	begin=$(date +%s)
	($part) || status=1
	echo "$part: $(($(date +%s) - begin)) s"
done
[ "$status" -eq 0 ]
echo "record: ok"
