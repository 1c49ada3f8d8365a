# What a database of several sessions knows: how times scatter between them, and which clock counts.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip 'there is no sqlite3'
fake_worker

# Seven nights of 48 cases. Night by night each case scatters by 0.3 %, its rounds by 0.03 %, and the
# code seems to change, as it does when a commit touches a file.
for night in 1 2 3 4 5 6 7; do
	run sweep reduce --size 1024 --block-sizes 64..512 --label "night-$night" -q
	expect_code 0
done
cases=$(sqlite3 perflab.db "SELECT count(*) FROM trial WHERE run_id = 1 AND status = 'ok'")
[ "$cases" -ge 20 ] || complain "only $cases cases"
chance() { echo "(($1 * 43758.5453) - floor($1 * 43758.5453) - 0.5) * sqrt(12)"; }
sqlite3 perflab.db "
	UPDATE trial SET code_hash = hex(randomblob(32)), median_ns = 60000 WHERE status = 'ok';
	UPDATE round SET median_ns = 60000 * (1
		+ 0.003 * $(chance 'sin(12.9898 * trial_id)')
		+ 0.0003 * $(chance 'sin(78.233 * trial_id + 37.719 * (round + 1))'))"
run regress --base night-6 --head night-7 --counters none
expect_code 0
expect_out 'earlier sessions of this card'
expect_no_out 'regressed'
expect_no_out 'improved'
run regress --base night-6 --head night-7 --counters none --format json
[ "$(grep -c '"covers": "sessions"' "$work/out")" -eq "$cases" ] || complain 'the sessions are not in each interval'

# Without the other nights, the difference of the same two cannot be told from a change, and it is said
# that no earlier session tells how others differ.
sqlite3 perflab.db ".backup '$work/two.db'"
sqlite3 two.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE label < 'night-6'"
run regress --base night-6 --head night-7 --counters none --db two.db
expect_out 'no earlier session'
grep -q 'regressed\|improved' "$work/out" || complain 'two sessions alone are enough to see no change'

# Exports have the wider interval.
run export -f bmf
expect_code 0
expect_err 'widened the intervals'

# A case that became slower at a lower clock: nothing shows that it follows the clock.
sqlite3 two.db "UPDATE round SET median_ns = 60000 * (1 + 0.0001 * (round - 1)), sm_clock_hz = 1980e6;
	UPDATE round SET median_ns = median_ns * 1.022, sm_clock_hz = 1942e6
	WHERE trial_id IN (SELECT trial.id FROM trial JOIN run ON run.id = run_id WHERE label = 'night-7')"
run regress --base night-6 --head night-7 --counters none --db two.db
expect_code 1
expect_out 'nothing shows that the case follows it'

# Sessions whose times have the cost of the events say nothing of those without it.
sqlite3 perflab.db ".backup '$work/costs.db'"
sqlite3 costs.db "UPDATE round SET event_ns = 2100, launch_ns = 1800 WHERE trial_id IN
	(SELECT trial.id FROM trial JOIN run ON run.id = run_id WHERE label IN ('night-6', 'night-7'))"
run regress --base night-6 --head night-7 --counters none --db costs.db
expect_out 'no earlier session'
expect_out 'an empty kernel took 1.80 us, then 1.80 us'

# Equal code is the same code, and the ledger counts what its times would have said.
run sweep reduce/shuffle --size 1024 --block-sizes 64 --label a --db ledger.db -q
run sweep reduce/shuffle --size 1024 --block-sizes 64 --label b --db ledger.db -q
run regress --base a --db ledger.db
expect_code 0
expect_out '1 same code'
run query 'SELECT comparisons, false_alarms, coverage_pct FROM false_alarms' --db ledger.db --format csv
[ "$(sed 1d "$work/out" | cut -d, -f1)" = 1 ] || complain 'the ledger does not count the comparison'

finish
