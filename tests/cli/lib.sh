# Sourced by the command-line tests. The environment gives PERFLAB, the program under test, and
# FAKE_WORKER, a worker that needs no GPU.
set -u

[ -x "$PERFLAB" ] || { echo "no program to test: PERFLAB=$PERFLAB"; exit 1; }
built_in_ptx=$(dirname "$PERFLAB")/../share/perflab/ptx
work=$(mktemp -d) || exit 1
finished=
# A test that ends without finish() would pass whatever failed in it.
clean_up() {
	status=$?
	rm -rf "$work"
	[ $status -ne 0 ] || [ "$finished" ] || { echo 'the test does not end with finish'; exit 1; }
}
trap clean_up EXIT
cd "$work" || exit 1
unset PERFLAB_DB PERFLAB_SHARED_MEMORY PERFLAB_WORKER_CUDA PERFLAB_WORKER_PTX NO_COLOR COLUMNS CUDA_HOME PAGER LESS
# A pager would wait for a key on the terminals that tests make; test_pager.sh tests it.
export PERFLAB_PAGER=cat
export PERFLAB_EPOCH_NS=1795229445000000000
# A sweep stores one run here, because it measures no ceilings; test_ceilings.sh tests them.
export PERFLAB_CEILINGS=never
# Not that of the user, which other tests and builds use, too.
export PERFLAB_CACHE="$work/cache"
failures=0
# When the test must have ended, in seconds since the machine started: shortly before ctest ends it,
# so that the test says what it waited for.
read -r uptime _ </proc/uptime
test_end=$((${uptime%.*} + ${TEST_LIMIT:-300} - 10))
# A test may set another PATH for perflab.
timeout_program=$(command -v timeout)

# Paths of workers that do not exist.
no_worker() {
	export PERFLAB_WORKER_CUDA="$work/no-such-worker"
	export PERFLAB_WORKER_PTX="$work/no-such-emulator"
}

# Uses a worker that needs no GPU, and no emulator. FAKE_WORKER_SCRIPT says what the worker does
# wrong.
fake_worker() {
	no_worker
	export PERFLAB_WORKER_CUDA="$FAKE_WORKER"
	export PERFLAB_SHARED_MEMORY=0 # it needs no data, and a GPU's take long to make
}

# Uses an emulator that executes nothing, and no GPU. FAKE_EMULATOR_SCRIPT says what it does wrong.
fake_emulator() {
	no_worker
	cat >"$work/fake-emulator" <<-'END'
		#!/bin/sh
		FAKE_WORKER_SCRIPT="untimed;${FAKE_EMULATOR_SCRIPT:-}" exec "$FAKE_WORKER"
	END
	chmod +x "$work/fake-emulator"
	export PERFLAB_WORKER_PTX="$work/fake-emulator" FAKE_WORKER
}

# Uses the real emulator, and no GPU. Skips the test where no emulator is built.
real_emulator() {
	no_worker
	PERFLAB_WORKER_PTX=$(dirname "$PERFLAB")/perflab-worker-ptx
	[ -x "$PERFLAB_WORKER_PTX" ] || skip "$PERFLAB_WORKER_PTX is not built"
}

# Sets $left to the seconds that are left to the test, at least 1. Starts no process: run() is called
# a thousand times.
look_at_clock() {
	read -r uptime _ </proc/uptime
	left=$((test_end - ${uptime%.*}))
	[ "$left" -gt 0 ] || left=1
}

# Prints what look_at_clock() finds.
seconds_left() {
	look_at_clock
	echo "$left"
}

# run WORD…: runs perflab; its exit code is in $code, its output in $work/out and $work/err.
run() {
	command_line="perflab $*"
	look_at_clock
	"$timeout_program" --foreground -k 5 "$left" "$PERFLAB" "$@" \
		>"$work/out" 2>"$work/err" </dev/null
	code=$?
	[ $code -ne 124 ] || { complain 'it does not end'; finish; }
}

complain() {
	failures=$((failures + 1))
	printf 'FAILED: %s\n  %s\n' "$command_line" "$1"
	sed 's/^/  stdout: /' "$work/out" | head -n 15
	sed 's/^/  stderr: /' "$work/err" | head -n 15
}

expect_code() {
	[ "$code" -eq "$1" ] || complain "exit code $code, expected $1"
}

# expect_out TEXT, expect_err TEXT: fails unless the stream contains TEXT.
expect_out() {
	grep -qF -- "$1" "$work/out" || complain "stdout lacks: $1"
}

# stderr is short, so the shell reads it: a process takes longer.
expect_err() {
	while IFS= read -r err_line || [ -n "$err_line" ]; do
		case $err_line in *"$1"*) return 0 ;; esac
	done <"$work/err"
	complain "stderr lacks: $1"
}

expect_no_err() {
	if grep -qF -- "$1" "$work/err"; then
		complain "stderr has: $1"
	fi
}

expect_no_out() {
	if grep -qF -- "$1" "$work/out"; then
		complain "stdout has: $1"
	fi
}

# Fails unless there is one line on stderr and nothing on stdout, as for every usage error.
expect_one_line() {
	{ read -r err_line && ! read -r err_line; } <"$work/err" || complain "not one line on stderr"
	[ -s "$work/out" ] && complain "data on stdout beside an error"
	return 0
}

# refused CODE TEXT WORD…: perflab must exit with CODE and one line that contains TEXT.
refused() {
	wanted=$1 text=$2
	shift 2
	run "$@"
	expect_code "$wanted"
	expect_one_line
	expect_err "$text"
}

# True if the process has ended, also if nobody has asked for its exit code.
is_gone() {
	! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}

# await WHAT COMMAND…: waits until the command succeeds. The test ends if that does not happen.
await() {
	await_of $$ "$@"
}

# await_of PID WHAT COMMAND…: the same; the test also ends if the process, which makes the command
# succeed, ends before.
await_of() {
	maker=$1 awaited=$2
	shift 2
	until "$@"; do
		if is_gone "$maker" && ! "$@"; then
			complain "it ended before this: $awaited"
			finish
		fi
		read -r uptime _ </proc/uptime
		if [ "${uptime%.*}" -ge "$test_end" ]; then
			complain "the test waited in vain for this: $awaited"
			[ "$maker" = $$ ] || kill -9 "$maker"
			finish
		fi
		sleep 0.05
	done
}

# end_of PID: waits until this process of the test has ended; its exit code is in $code.
end_of() {
	await "process $1 ends" is_gone "$1"
	code=0
	wait "$1" 2>/dev/null || code=$?
}

# has_line TEXT FILE
has_line() {
	grep -q -- "$1" "$2" 2>/dev/null
}

finish() {
	finished=yes
	if [ "$failures" -ne 0 ]; then
		echo "$failures failed"
		exit 1
	fi
	echo "all well"
	exit 0
}

# on_terminal COMMAND: runs the command on a pseudo-terminal; both of its streams come to stdout.
on_terminal() {
	script -qec "$1" /dev/null </dev/null
}

# True if this machine can make a pseudo-terminal: a container may lack script(1) or /dev/ptmx.
has_terminal() {
	[ "$(on_terminal 'echo seen' 2>/dev/null | tr -d '\r')" = seen ]
}

# finish_without REASON: ends a test in which one part could not run on this machine.
finish_without() {
	skip "$1; the rest of the test passed"
}

# skip REASON: ends a test that cannot run on this machine; ctest shows it as skipped.
skip() {
	[ "$failures" -eq 0 ] || finish
	echo "skipped: $1"
	exit 77
}
