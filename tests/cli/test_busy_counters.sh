# Counters that another process holds: what is said, waiting, and trying again.
. "$(dirname "$0")/lib.sh"
fake_worker
export FAKE_WORKER_STATE="$work/state" FAKE_WORKER_LOG="$work/log"
cases='sweep reduce/shuffle --size 1024 --block-sizes 64..256 --metrics basic --db c.db'

counted() {
	"$PERFLAB" query "SELECT count(DISTINCT trial_id) FROM counter JOIN metric
		ON metric.id = metric_id WHERE metric.name = 'dram_read_bytes' AND value IS NOT NULL" \
		--db c.db --format csv 2>/dev/null | sed -n 2p
}

afresh() {
	rm -f c.db c.db-* state* log
	unset FAKE_WORKER_SCRIPT
}

# who holds them, as far as it can be seen: a process of this test, whose name the kernel cuts
cp "$(command -v sleep)" "$work/holds-the-counters"
"$work/holds-the-counters" 1000 &
holder=$!
export FAKE_HOLDER=$holder
export FAKE_WORKER_SCRIPT=counters_busy
run $cases
expect_code 0
expect_err "counters are off: another process holds the counters; it may be"
expect_err "holds-the-counters (process $holder)"
[ "$(counted)" = 0 ] || complain 'there are counters'
afresh
# one that is gone, or not to be seen
kill $holder
wait $holder 2>/dev/null
export FAKE_WORKER_SCRIPT=counters_busy
run $cases
expect_err "a process elsewhere (process $holder)"
unset FAKE_HOLDER
afresh

# waiting gets them
export FAKE_WORKER_SCRIPT=counters_busy_once
run $cases --wait-counters 30s
expect_code 0
expect_err 'waiting up to 30.0 s for the counters (--wait-counters): another process holds'
expect_err 'another worker had counters: 3 of 3 cases were counted'
[ "$(counted)" = 3 ] || complain "$(counted) cases have counters"
afresh
# without waiting the sweep ends without them
export FAKE_WORKER_SCRIPT=counters_busy_once
run $cases
expect_code 0
expect_no_err 'waiting'
expect_err 'the counters stayed busy: none of 3 cases was counted'
[ "$(counted)" = 0 ] || complain 'it waited'
afresh
# the wait has an end
export FAKE_WORKER_SCRIPT=counters_busy
run $cases --wait-counters 1s
expect_code 0
expect_err 'waiting up to 1.00 s'
[ "$(counted)" = 0 ] || complain 'there are counters'
afresh

# busy when the sweep began, free when it counts: what is said and stored is that they were read
export FAKE_WORKER_SCRIPT=open_counters_busy_once
run $cases
expect_code 0
expect_err 'counters are off: another process holds the counters'
expect_err 'another worker had counters: 3 of 3 cases were counted'
expect_out 'read for 3 cases, although at first: another process holds the counters'
[ "$(counted)" = 3 ] || complain "$(counted) cases have counters"
afresh
export FAKE_WORKER_SCRIPT=open_counters_busy
run $cases
expect_code 0
expect_no_err 'another worker had counters'
[ "$(counted)" = 0 ] || complain 'there are counters'
afresh

# lost after the first case was counted: the message says which cases have none
export FAKE_WORKER_SCRIPT=busy_after_one
run $cases
expect_code 0
expect_err '1 of 3 cases were counted; without counters: reduce/shuffle/block='
[ "$(counted)" = 1 ] || complain "$(counted) cases have counters"
afresh

# an interruption ends the wait
export FAKE_WORKER_SCRIPT=counters_busy
"$PERFLAB" $cases --wait-counters 10min >"$work/out" 2>"$work/err" &
sweep=$!
await_of $sweep 'it waits' has_line 'waiting up to' "$work/err"
kill -INT $sweep
end_of $sweep
expect_code 3
expect_err 'continue with: perflab sweep --resume 1'
unset FAKE_WORKER_SCRIPT
run sweep --resume 1 --db c.db --wait-counters 5s
expect_code 0
[ "$(counted)" = 3 ] || complain "$(counted) cases have counters"

refused 2 '--wait-counters' $cases --wait-counters soon
finish
