# A signal ends a sweep with several workers: no worker is left, the database is intact, and
# --resume runs the remaining cases.
. "$(dirname "$0")/lib.sh"
fake_emulator
export PERFLAB_DB=a.db FAKE_WORKER_LOG="$work/log"

# Two cases hang in two workers, the other two end; then the sweep is ended.
start() {
	: >"$FAKE_WORKER_LOG"
	FAKE_EMULATOR_SCRIPT='hang:reduce/shuffle/block=64;hang:reduce/shuffle/block=128' \
		"$PERFLAB" sweep reduce/shuffle --block-sizes 64..512 --size 1024 --jobs 3 \
		--timeout 60min --backend ptx -q >"$work/out" 2>"$work/err" &
	sweep=$!
	command_line='perflab sweep, interrupted'
	await_of $sweep 'all cases are begun, and two are stored' is_halfway
}

is_halfway() {
	[ "$(grep -c ' emulate ' "$FAKE_WORKER_LOG")" -eq 4 ] &&
		[ "$("$PERFLAB" report last --format csv 2>/dev/null | grep -c ',ok,')" -eq 2 ]
}

# Every worker in the log has ended, or ends soon.
no_worker_is_left() {
	for pid in $(cut -d' ' -f1 "$FAKE_WORKER_LOG" | sort -u); do
		await "worker $pid ends" is_gone "$pid"
	done
}

# Resumes run $1: the two finished cases are not emulated again.
resume() {
	: >"$FAKE_WORKER_LOG"
	run sweep --resume "$1" --jobs 2 -q
	expect_code 0
	[ "$(grep -c ' emulate ' "$FAKE_WORKER_LOG")" -eq 2 ] || complain 'not just the rest ran'
	grep -qE 'emulate .*block=(256|512)' "$FAKE_WORKER_LOG" && complain 'a case ran twice'
	run report "$1" --format csv
	[ "$(grep -c ',ok,' "$work/out")" -eq 4 ] || complain 'not every case is ok'
}

start
kill -INT $sweep
end_of $sweep
expect_code 3
expect_err 'interrupted'
expect_err 'perflab sweep --resume 1 --db a.db'
no_worker_is_left
resume 1

start
kill -KILL $sweep
end_of $sweep
no_worker_is_left
if command -v sqlite3 >/dev/null; then
	[ "$(sqlite3 a.db 'PRAGMA integrity_check')" = ok ] || complain 'the database is damaged'
fi
refused 2 '--chip cannot be changed' sweep --resume 2 --chip GA100
refused 2 '--backend cannot be changed' sweep --resume 2 --backend cuda
PERFLAB_WORKER_PTX="$work/none" refused 4 'run 2 continues only with ptx, the backend that it began with: ' \
	sweep --resume 2
resume 2
finish
