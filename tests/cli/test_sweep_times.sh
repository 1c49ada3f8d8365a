# Where the wall time of a sweep went: on the terminal, and in the database.
. "$(dirname "$0")/lib.sh"
fake_worker
export PERFLAB_DB=a.db

# The parts of run $1 in the database, in nanoseconds.
stored_ns() {
	"$PERFLAB" query --format csv \
		"SELECT coalesce(sum(wall_ns), 0) AS ns FROM run_part WHERE run_id = $1" | tail -n 1
}

# The table on standard error is in order and adds up: each row is rounded to a millisecond.
expect_parts() {
	awk '
		NR == 1 && /^PART +SECONDS +% +MEANING$/ { table = 1; next }
		$1 == "all" { all = $2; next }
		$2 == 0 && $3 == 0 { zero = 1 }
		rows++ && $2 > before { unordered = 1 }
		{ sum += $2; before = $2 }
		END {
			difference = sum - all
			if (difference < 0)
				difference = -difference
			exit !(table && all > 0 && rows > 3 && !unordered &&
				difference <= 0.0005 * (rows + 1) + 0.0000001)
		}' "$work/err" || complain 'the parts are not a table in order that adds up'
}

run sweep reduce/shuffle --block-sizes 64..512 --size 1024 --metrics dram_read_bytes -q -v
expect_code 0
expect_parts
for part in starting samples timing counting storing judging; do
	expect_err "$part "
done
expect_err 'the timed executions, on the device'
expect_out 'reduce/shuffle (n=1024): 4 cases'
grep -q '^emulating\|^flushes' "$work/err" && complain 'it names what it did not do'
all=$(awk '$1 == "all" { printf "%.0f", $2 * 1000 }' "$work/err")
stored=$(stored_ns 1)
[ $((stored / 1000000)) -ge $((all - 1)) ] && [ $((stored / 1000000)) -le $((all + 1)) ] ||
	complain "$stored ns are stored, and $all ms are shown"

# without -v nothing is said, and everything is stored
run sweep reduce/shuffle --block-sizes 64 --size 1024 --metrics none -q
expect_code 0
[ -s "$work/err" ] && complain 'the times are shown unasked'
[ "$(stored_ns 2)" -gt 0 ] || complain 'run 2 has no parts'
run query run_times --format csv
expect_code 0
expect_out 'run_id,label,started_at,device,backend,part,seconds,wall_pct,started_ns'

# A sweep that is interrupted has parts, too, and one that resumes it adds to them.
export FAKE_WORKER_LOG="$work/log"
: >"$FAKE_WORKER_LOG"
FAKE_WORKER_SCRIPT='hang:reduce/shuffle/block=128' "$PERFLAB" sweep reduce/shuffle \
	--block-sizes 64,128 --size 1024 --rounds 1 --timeout 60min -q -v \
	>"$work/out" 2>"$work/err" &
sweep=$!
command_line='perflab sweep, interrupted'
await_of $sweep 'the case that hangs is begun' \
	has_line 'measure-0 reduce/shuffle/block=128' "$FAKE_WORKER_LOG"
kill -INT $sweep
end_of $sweep
expect_code 3
expect_err 'interrupted'
expect_err 'wall time of the sweep'
interrupted=$(stored_ns 3)
[ "$interrupted" -gt 0 ] || complain 'an interrupted run has no parts'
run sweep --resume 3 -q
expect_code 0
[ "$(stored_ns 3)" -gt "$interrupted" ] || complain 'the resumed run did not add its parts'

# What a worker claims cannot exceed the time that perflab waited for it.
FAKE_WORKER_SCRIPT=lie_times run sweep reduce/shuffle --block-sizes 64..512 --size 1024 \
	--metrics none -q -v
expect_code 0
expect_parts

# With several workers the parts are the wall time of perflab, not the sum of the workers.
fake_emulator
run sweep reduce/shuffle --backend ptx --block-sizes 64..512 --size 1024 --jobs 3 -q -v
expect_code 0
expect_parts
expect_err 'emulating '
grep -q '^samples' "$work/err" && complain 'an emulator has no samples'

# merged, the parts are kept
cp a.db b.db
before=$(stored_ns 1)
export PERFLAB_DB=merged.db
run merge b.db -q --db merged.db
expect_code 0
[ "$(stored_ns 1)" = "$before" ] || complain 'a merge loses the parts'

finish
