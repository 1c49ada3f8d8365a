# --take-counters: exact counters of earlier runs with the same code, and when they are counted again.
. "$(dirname "$0")/lib.sh"
fake_worker
log="$work/log"
export PERFLAB_DB=a.db FAKE_WORKER_LOG="$log"
words='reduce/shuffle --block-sizes 64,128 --size 1024 --rounds 1 --ceilings never'

# counted_again NUMBER: another sweep copies counters of all of the two cases but so many.
counted_again() {
	rm -f "$log"
	# shellcheck disable=SC2086 # words
	run sweep $words --take-counters
	expect_code 0
	expect_err "exact counters of $((2 - $1)) of 2 cases are those of earlier runs"
}
# of_run RUN CONDITION: how many counters of the run meet it.
of_run() {
	sqlite3 a.db "SELECT count(*) FROM result_counters WHERE run_id = $1 AND $2"
}
is() {
	[ "$1" = "$2" ] || complain "'$1' is not '$2'"
}

# newest_only CHANGE: the runs that were counted whole, and a change of them.
newest_only() {
	sqlite3 a.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id > 2" "$1"
}

# one count alone is not believed
# shellcheck disable=SC2086 # words
run sweep $words -q
expect_code 0
counted_again 2
has_line 'count_rest -' "$log" && complain 'a single count is believed'
counted_again 0
has_line 'count_rest -' "$log" || complain 'the worker counts everything'
uid=$(sqlite3 a.db 'SELECT substr(uid, 1, 8) FROM run WHERE id = 2')
is "$(of_run 3 "name = 'branch_targets' AND source LIKE '%, taken over from run $uid'")" 2
is "$(of_run 3 "name = 'dram_read_bytes' AND value > 0 AND source NOT LIKE '%taken over%'")" 2
# every metric has the value of run 2, the derived ones, too
is "$(of_run 2 1)" "$(of_run 3 1)"
is "$(sqlite3 a.db "SELECT count(*) FROM result_counters AS a JOIN result_counters AS b USING (kernel, variant, config, name)
	WHERE a.run_id = 2 AND b.run_id = 3 AND a.value IS NOT b.value AND name NOT LIKE '%per_s'")" 0
is "$(of_run 3 "name = 'branch_efficiency_pct' AND value > 0")" 2
run report 3
expect_out 'copied    exact counters of 2 of 2 cases, from earlier runs'
# a copy is no count: with run 2, the other copies lose their ground
counted_again 0
is "$(of_run 4 "source LIKE '%taken over%'")" "$(of_run 4 "source LIKE '%taken over from run $uid'")"
run mark 2 bad
counted_again 2
sqlite3 a.db 'DELETE FROM mark'

# without the option everything is counted
rm -f "$log"
# shellcheck disable=SC2086 # words
run sweep $words -q
expect_code 0
has_line 'count_rest -' "$log" && complain 'counters are taken over unasked'
is "$(of_run 6 "source LIKE '%taken over%'")" 0

# without the right to count, copies are all there is
newest_only ''
# shellcheck disable=SC2086 # words
FAKE_WORKER_SCRIPT=counters_lost run sweep $words --take-counters
expect_code 0
is "$(of_run 3 "name = 'branch_targets' AND value > 0")" 2
is "$(of_run 3 "name = 'dram_read_bytes' AND value IS NULL AND reason LIKE '%holds the counters%'")" 2

# two runs that disagree in one case: by a value, by a missing one, and by the counter behind the name
of_one="WHERE trial_id = (SELECT id FROM trial WHERE run_id = 2 AND config LIKE 'block=64,%')
	AND metric_id IN (SELECT id FROM metric WHERE name = 'branch_targets')"
newest_only "UPDATE counter SET value = value + 1 $of_one"
counted_again 1
has_line 'count_rest -' "$log" || complain 'the other case is counted, too'
newest_only "UPDATE counter SET value = NULL, reason = 'disturbed' $of_one"
counted_again 1
newest_only "UPDATE counter SET value = (SELECT value FROM counter WHERE trial_id = (SELECT id FROM trial WHERE run_id = 1
	AND config LIKE 'block=64,%') AND metric_id IN (SELECT id FROM metric WHERE name = 'branch_targets')), reason = NULL $of_one"
counted_again 0
newest_only "UPDATE metric SET source = 'another counter' WHERE name = 'branch_targets' AND source NOT GLOB '*taken*'"
counted_again 2

# runs that were asked for fewer counters are passed over, and so are other kernels
sqlite3 a.db 'PRAGMA foreign_keys = ON; DELETE FROM run'
for metrics in core core none basic basic; do
	# shellcheck disable=SC2086 # words
	run sweep $words -q --metrics $metrics
done
counted_again 0
# the right to count that two runs lacked is no agreement on nothing
sqlite3 a.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id > (SELECT min(id) FROM run) + 1;
	UPDATE counter SET value = NULL, reason = 'no right'"
counted_again 2
sqlite3 a.db 'PRAGMA foreign_keys = ON; DELETE FROM run'
for metrics in core core; do
	# shellcheck disable=SC2086 # words
	run sweep $words -q --metrics $metrics
done
# another seed, another perflab, other code, another launch
first=$(sqlite3 a.db 'SELECT min(id) FROM run')
sqlite3 a.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id > $first + 1"
words="$words --seed 7"
counted_again 2
words=${words% --seed 7}
sqlite3 a.db "UPDATE run SET version = '0' WHERE id = $first"
counted_again 2
sqlite3 a.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id > $first + 1;
	UPDATE run SET version = (SELECT version FROM run WHERE id = $first + 1);
	UPDATE trial SET code_hash = 'cccccccccccccccc' WHERE config LIKE 'block=64,%'"
counted_again 1
sqlite3 a.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id > $first + 1;
	UPDATE trial SET launch_hash = 'cccccccccccccccc' WHERE config LIKE 'block=128,%'"
counted_again 2

fake_emulator
run sweep reduce/shuffle --backend ptx --block-sizes 64 --size 1024 --take-counters
expect_err '--take-counters'
finish
