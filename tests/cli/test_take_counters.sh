# --take-counters: exact counters of earlier runs with the same code, and when they are counted again.
. "$(dirname "$0")/lib.sh"
fake_worker
log="$work/log"
export PERFLAB_DB=a.db FAKE_WORKER_LOG="$log"
words='reduce/shuffle --block-sizes 64,128 --size 1024 --rounds 1 --ceilings never'

# counted_again NUMBER: another sweep takes counters of all of the two cases but so many.
counted_again() {
	rm -f "$log"
	# shellcheck disable=SC2086 # words
	run sweep $words --take-counters
	expect_code 0
	expect_err "exact counters of $((2 - $1)) of 2 cases are taken over from earlier runs"
}
# of_run RUN CONDITION: how many counters of the run meet it.
of_run() {
	sqlite3 a.db "SELECT count(*) FROM result_counters WHERE run_id = $1 AND $2"
}
is() {
	[ "$1" = "$2" ] || complain "'$1' is not '$2'"
}

# shellcheck disable=SC2086 # words
run sweep $words -q
expect_code 0
counted_again 0
has_line 'count_rest -' "$log" || complain 'the worker counts everything'
uid=$(sqlite3 a.db 'SELECT substr(uid, 1, 8) FROM run WHERE id = 1')
is "$(of_run 2 "name = 'branch_targets' AND source LIKE '%, taken over from run $uid'")" 2
is "$(of_run 2 "name = 'dram_read_bytes' AND value > 0 AND source NOT LIKE '%taken over%'")" 2
# every metric has the value of run 1, the derived ones, too
is "$(of_run 1 1)" "$(of_run 2 1)"
is "$(sqlite3 a.db "SELECT count(*) FROM result_counters AS a JOIN result_counters AS b USING (kernel, variant, config, name)
	WHERE a.run_id = 1 AND b.run_id = 2 AND a.value IS NOT b.value AND name NOT LIKE '%per_s'")" 0
is "$(of_run 2 "name = 'branch_efficiency_pct' AND value > 0")" 2
run query "SELECT value FROM environment WHERE run_id = 2 AND key = 'counters_taken'" --format csv
expect_out 'exact counters of 2 cases are those of earlier runs with the same code'
# the source stays that of the run that counted
counted_again 0
is "$(of_run 3 "source LIKE '%taken over%'")" "$(of_run 3 "source LIKE '%taken over from run $uid'")"

# without the option everything is counted
rm -f "$log"
# shellcheck disable=SC2086 # words
run sweep $words -q
expect_code 0
has_line 'count_rest -' "$log" && complain 'counters are taken over unasked'
is "$(of_run 4 "source LIKE '%taken over%'")" 0

# two runs that disagree, and a run without one of the counters
change="UPDATE counter SET value = value + 1 WHERE trial_id = (SELECT id FROM trial WHERE run_id = 4
	AND config LIKE 'block=64,%') AND metric_id IN (SELECT id FROM metric WHERE name = 'branch_targets')"
sqlite3 a.db "$change"
counted_again 1
has_line 'count_rest -' "$log" || complain 'the other case is counted, too'
sqlite3 a.db 'PRAGMA foreign_keys = ON; DELETE FROM run WHERE id > 4' "$(echo "$change" | sed "s/value = value + 1/value = NULL, reason = 'disturbed'/")"
counted_again 1
# marked bad, another seed, other code, another launch
sqlite3 a.db 'PRAGMA foreign_keys = ON; DELETE FROM run WHERE id > 4'
run mark 4 bad
counted_again 0
words="$words --seed 7"
counted_again 2
words=${words% --seed 7}
sqlite3 a.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id > 4; UPDATE trial SET code_hash = 'cccccccccccccccc' WHERE config LIKE 'block=64,%'"
counted_again 1
sqlite3 a.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id > 4; UPDATE trial SET launch_hash = 'cccccccccccccccc' WHERE config LIKE 'block=128,%'"
counted_again 2
finish
