# A sweep that a signal ended, caught or not, is resumed where it stopped.
. "$(dirname "$0")/lib.sh"
fake_worker
export PERFLAB_DB=a.db FAKE_WORKER_LOG="$work/log"

# One case hangs; once it is reached in the last round, the sweep is ended.
start() {
	: >"$FAKE_WORKER_LOG"
	FAKE_WORKER_SCRIPT='hang:reduce/shuffle/block=512' "$PERFLAB" sweep reduce/shuffle \
		--block-sizes 64..512 --size 1024 --rounds 1 --timeout 60min -q \
		>"$work/out" 2>"$work/err" &
	sweep=$!
	command_line='perflab sweep, interrupted'
	await_of $sweep 'the last case is begun' \
		has_line 'measure-0 reduce/shuffle/block=512' "$FAKE_WORKER_LOG"
}

# gone_from_table PID: nobody waits for the end of this process any more.
gone_from_table() {
	[ ! -d "/proc/$1" ]
}

measured() {
	"$PERFLAB" report "$1" --format csv | grep -c ',ok,'
}

# Resumes run $1: finished cases are not measured again, all are ok at the end.
resume() {
	cp "$FAKE_WORKER_LOG" "$work/log.before"
	: >"$FAKE_WORKER_LOG"
	run sweep --resume "$1" -q
	expect_code 0
	[ "$(measured "$1")" -eq 4 ] || complain 'not every case is ok'
	grep 'measure-' "$work/log.before" | cut -d' ' -f2- | grep -v 'block=512' |
		while read -r line; do
			if grep -qF "$line" "$FAKE_WORKER_LOG"; then
				echo "$line"
			fi
		done >"$work/repeated"
	[ -s "$work/repeated" ] && complain "measured again: $(cat "$work/repeated")"
	"$PERFLAB" list runs --format csv >"$work/runs"
	grep -q "^$1,.*,finished," "$work/runs" || complain "run $1 is not finished"
}

# nohup ignores SIGHUP, and perflab keeps ignoring it
trap '' HUP
start
case $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/$sweep/status) in
[13579bdf]) ;;
*) complain 'a hang-up that is to be ignored would end the sweep' ;;
esac
trap - HUP
kill -KILL $sweep
end_of $sweep
rm -f a.db*

start
kill -INT $sweep
end_of $sweep
expect_code 3
expect_err 'interrupted'
expect_err 'perflab sweep --resume 1 --db a.db'
"$PERFLAB" list runs --format csv >"$work/runs"
grep -q '^1,.*,interrupted,' "$work/runs" || complain 'run 1 is not marked interrupted'
resume 1

start
kill -TERM $sweep
end_of $sweep
expect_code 3
resume 2

# A scheduler sends SIGTERM to all processes of a job. The worker that ends first has not crashed.
# Stopped, perflab sees its end and its own signal in this order.
PERFLAB_DB=term.db
start
kill -STOP $sweep
workers=$(sed -n "s/^\([0-9]*\) (.*) [A-Z] $sweep .*/\1/p" /proc/[0-9]*/stat 2>/dev/null)
[ -n "$workers" ] || complain 'no worker runs'
# shellcheck disable=SC2086 # several
kill -TERM $workers
for worker in $workers; do
	await 'the worker has ended' is_gone "$worker"
done
kill -CONT $sweep
await_of $sweep 'perflab has seen the end of the worker' gone_from_table "$worker"
kill -TERM $sweep
end_of $sweep
expect_code 3
expect_err 'interrupted'
resume 1
PERFLAB_DB=a.db

start
refused 3 'still running' sweep --resume 3
run list runs
expect_out ' running '
kill -KILL $sweep
end_of $sweep
expect_code 137
# a killed perflab could not report this itself
run list runs
expect_no_out ' running '
run report 3
expect_out ', interrupted'
if command -v sqlite3 >/dev/null; then
	[ "$(sqlite3 a.db 'PRAGMA integrity_check')" = ok ] || complain 'the database is damaged'
fi
run sweep --resume 3 --dry-run
expect_code 0
expect_out 'run'
resume 3

refused 2 'finished' sweep --resume 3

# a run that is ended in its second round: summaries are over the samples of all rounds
if command -v sqlite3 >/dev/null; then
	: >"$FAKE_WORKER_LOG"
	FAKE_WORKER_SCRIPT='in_round_1;hang:reduce/shuffle/block=512' "$PERFLAB" sweep \
		reduce/shuffle --block-sizes 64..512 --size 1024 --rounds 3 --placements 2 \
		--timeout 60min -q --db rounds.db >"$work/out" 2>"$work/err" &
	sweep=$!
	await_of $sweep 'the second round of the last case is begun' \
		has_line 'measure-1 reduce/shuffle/block=512' "$FAKE_WORKER_LOG"
	kill -INT $sweep
	end_of $sweep
	[ "$(sqlite3 rounds.db 'SELECT count(*) FROM round')" -ge 4 ] || complain 'no first round'
	run sweep --resume last -q --db rounds.db
	expect_code 0
	[ "$(sqlite3 rounds.db "SELECT count(*) FROM trial WHERE status = 'ok'
		AND (SELECT count(*) FROM round WHERE trial_id = trial.id) = 3
		AND sample_count = (SELECT count(*) FROM sample WHERE trial_id = trial.id)
		AND min_ns = (SELECT min(time_ns) FROM sample WHERE trial_id = trial.id)
		AND max_ns = (SELECT max(time_ns) FROM sample WHERE trial_id = trial.id)")" -eq 4 ] ||
		complain 'a summary is not over all samples'
	# the fake worker says that it had as many placements as it was asked for
	[ "$(sqlite3 rounds.db 'SELECT placements FROM run
		UNION ALL SELECT DISTINCT placements FROM round')" = "$(printf '2\n2')" ] ||
		complain 'the resumed run has another number of placements'
	refused 2 'so --placements cannot be changed' sweep --resume last --placements 4 --db rounds.db
fi

# two that go on with the same run at once: one of them does
start
kill -TERM $sweep
end_of $sweep
command_line='two resumes at once'
"$PERFLAB" sweep --resume last -q >"$work/out" 2>"$work/err" &
one=$!
"$PERFLAB" sweep --resume last -q >/dev/null 2>"$work/err.two" &
two=$!
end_of $one
one=$code
end_of $two
two=$code
cat "$work/err.two" >>"$work/err"
case "$one $two" in
'0 2' | '0 3' | '2 0' | '3 0') ;;
*) complain "exit codes $one and $two" ;;
esac
[ "$(wc -l <"$work/err")" -eq 1 ] || complain 'not one refusal'
refused 2 'no-such-run' sweep --resume no-such-run
refused 2 '--seed cannot be changed' sweep --resume 3 --seed 7
refused 2 'cannot be added' sweep reduce --resume 3
refused 3 'no.db' sweep --resume 1 --db no.db

# another build may have other kernels, and another device has other times
start
kill -KILL $sweep
end_of $sweep
if command -v sqlite3 >/dev/null; then
	another=0123456789012345678901234567890123456789
	built=$("$PERFLAB" version | awk 'NF == 4 { print $3 }')
	began=$(sqlite3 a.db "SELECT max(id) FROM run")
	[ "$(sqlite3 a.db "SELECT ifnull(source_revision, '') FROM run WHERE id = $began")" = "$built" ] ||
		complain 'the run is of another commit'
	sqlite3 a.db "UPDATE run SET source_revision = '$another' WHERE id = $began"
	if [ -n "$built" ]; then
		refused 4 "built from $another, and this one is built from $built" sweep --resume last
		expect_err "start a new run"
		refused 4 "built from $another" sweep --resume last --dry-run
	fi
	sqlite3 a.db "UPDATE run SET source_revision = NULL WHERE id = $began"
	run sweep --resume last --dry-run
	expect_code 0
	# a build without a revision is known by its code
	sqlite3 a.db "CREATE TABLE kept AS SELECT id, code_hash, launch_hash FROM trial;
		UPDATE trial SET code_hash = 'other' || substr(code_hash, 6) WHERE run_id = $began"
	refused 4 "of run $began has other machine code (other" sweep --resume last
	expect_err 'restore the file, header, flag or compiler that changed, or start a new run'
	sqlite3 a.db "UPDATE trial SET code_hash = '0123456789abcdef0123456789abcdef' WHERE run_id = $began"
	refused 4 "of run $began was begun by an earlier version" sweep --resume last
	expect_err 'continue with the perflab that began it, or start a new run'
	expect_no_err 'restore the file'
	sqlite3 a.db "UPDATE trial SET code_hash = (SELECT code_hash FROM kept WHERE kept.id = trial.id);
		UPDATE trial SET launch_hash = 'another' WHERE run_id = $began"
	refused 4 "of run $began has another grid, other arguments or other buffers" sweep --resume last
	sqlite3 a.db "UPDATE trial SET launch_hash = (SELECT launch_hash FROM kept WHERE kept.id = trial.id)"
	run sweep --resume last --dry-run
	expect_code 0
	sqlite3 a.db "UPDATE device SET uuid = 'GPU-another'" 2>"$work/err" ||
		complain 'the device cannot be changed'
	refused 4 'was measured on Fake GPU (GPU-another)' sweep --resume last
fi
finish
