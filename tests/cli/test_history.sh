# perflab history: a case over its runs and its change points; and perflab mark.
. "$(dirname "$0")/lib.sh"
fake_worker
export PERFLAB_DB="$work/history.db"

refused 3 'does not exist' history reduce/shuffle
refused 2 'an operand is missing' history
: >empty.db
refused 3 'is empty' history reduce --db empty.db

# ten runs, one per day
day=0
while [ $day -lt 10 ]; do
	export PERFLAB_EPOCH_NS=$((1795229445000000000 + day * 86400000000000))
	run sweep reduce/shuffle stream/copy_scalar --block-sizes 64,256 --label "day-$day"
	expect_code 0
	day=$((day + 1))
done
config=$("$PERFLAB" query "SELECT config FROM trial WHERE kernel = 'reduce' AND config LIKE 'block=256,%' LIMIT 1" --format csv | tail -n 1 | tr -d '"')

# ---- names of cases ----
run history "reduce/shuffle/$config"
expect_code 0
expect_out "reduce/shuffle/$config on"
expect_out ': 10 runs'
expect_out 'no change point'
[ "$(grep -c 'day-' "$work/out")" -eq 10 ] || complain 'not one row per run'
run history reduce/shuffle --limit 2
[ "$(grep -c 'day-' "$work/out")" -eq 4 ] || complain 'not two cases of two runs'
expect_out '(8 older runs: --limit 0 shows all)'
# more than three cases have one line each, unless all are asked for
run history '*/block=*'
expect_code 0
expect_out '4 cases on '
expect_out ': 0 changed'
[ "$(grep -c '^[a-z]*/[a-z_]*/block=[0-9,n=]*  *10  ' "$work/out")" -eq 4 ] || complain 'not one line a case'
expect_no_out 'day-'
run history '*/block=*' --format md
expect_out '### 4 cases on '
run history '*/block=*' --all
[ "$(grep -c 'day-' "$work/out")" -eq 40 ] || complain 'not ten runs of four cases'
expect_no_out 'MARK' # nothing is marked
run history 'reduce/*/block=256*' --format csv
expect_code 0
[ "$(wc -l <"$work/out")" -eq 11 ] || complain 'not a head and ten runs'
[ "$(sed 1d "$work/out" | cut -d, -f1,2 | sort -u)" = reduce,shuffle ] || complain 'another case'
refused 2 'did you mean reduce/shuffle?' history reduce/shufle
refused 2 'did you mean reduce' history reducs
refused 2 "did you mean 'reduce/shuffle/block=64*'?" history reduce/shuffle/block=64
refused 2 "did you mean 'redu*'?" history redu
refused 2 'give KERNEL/VARIANT/CONFIG, such as' history xyz
refused 2 'no case' history "$(head -c 500 /dev/zero | tr '\0' a)"
refused 2 'no case' history 'reduce/shuffle/block=99*'
refused 2 'not on that --device' history reduce/shuffle --device H100
refused 2 'not on that --device and --backend' history reduce/shuffle --backend ptx
run history stream/copy_scalar --device fake --format md
expect_code 0
expect_out '### stream/copy\_scalar/'
run history reduce/shuffle --format json
expect_out '"histories": ['
expect_out '"change_points": []'

# ---- marks ----
refused 2 'nothing to change for run 3' mark 3
refused 2 "good, bad or none, not 'fine'" mark 3 fine
refused 2 "no run 'nightly'" mark nightly good
refused 2 'marked good' report last-good
refused 3 'does not exist' mark 3 good --db no-such.db
run mark 3 good --note 'the release'
expect_code 0
expect_err 'run 3 is marked good'
expect_err '7 later runs were judged again'
run query 'SELECT kind, why FROM mark' --format csv
[ "$(sed 1d "$work/out")" = 'good,the release' ] || complain 'not marked'
run query 'SELECT DISTINCT run_id FROM comparison JOIN trial ON trial.id = base_trial_id WHERE comparison.trial_id IN (SELECT id FROM trial WHERE run_id = 9)' --format csv
[ "$(sed 1d "$work/out")" = 3 ] || complain 'run 9 is not judged against run 3'
run mark day-5 bad
expect_code 0
run mark last --label v1.2
expect_code 0
run history "reduce/shuffle/$config"
grep -q ' day-2 .* good$' "$work/out" || complain 'run 3 is not shown as good'
grep -q ' day-5 .* bad$' "$work/out" || complain 'run 6 is not shown as bad'
grep -q ' v1.2 ' "$work/out" || complain 'the label is not changed'
run mark last-good none
expect_err 'has no mark'
expect_code 0
run query 'SELECT run_id FROM mark' --format csv
[ "$(sed 1d "$work/out")" = 6 ] || complain 'the mark is still there'
run mark last --label ''
run query 'SELECT label FROM run WHERE id = 10' --format csv
[ "$(sed 1d "$work/out")" = '' ] || complain 'the label is still there'

command -v sqlite3 >/dev/null || finish

# ---- a damaged run: the long reason of a case is on a page that the file lacks ----
sqlite3 "$PERFLAB_DB" ".backup '$work/damaged.db'" 'PRAGMA journal_mode = DELETE' >"$work/ignored"
sqlite3 "$work/damaged.db" "PRAGMA journal_mode = DELETE; UPDATE trial SET status = 'failed', reason = hex(zeroblob(10000)) WHERE id = (SELECT max(id) FROM trial WHERE run_id = 8)" >"$work/ignored"
page=$(sqlite3 "$work/damaged.db" "SELECT pageno FROM dbstat WHERE name = 'trial' AND pagetype = 'overflow' ORDER BY pageno LIMIT 1")
size=$(sqlite3 "$work/damaged.db" 'PRAGMA page_size')
printf '\177\377\377\377' | dd of="$work/damaged.db" conv=notrunc bs=1 seek=$(((page - 1) * size)) 2>/dev/null
run mark 3 good --db "$work/damaged.db"
expect_code 3
expect_err 'judging run 8: '
expect_err '6 later runs were judged again'
run query 'SELECT run_id FROM judgement WHERE rules < 0' --format csv --db "$work/damaged.db"
[ "$(sed 1d "$work/out")" = 8 ] || complain 'not the damaged run alone is left to judge'

# ---- change points, created with the sqlite3 shell ----

# ---- emulated runs have counters and no times ----
(
	fake_emulator
	for day in 1 2 3 4; do
		run sweep reduce/shuffle --block-sizes 64 --backend ptx --db ptx.db --label "day-$day" -q
		expect_code 0
	done
	run history reduce/shuffle --db ptx.db
	expect_code 0
	expect_out 'backend ptx: 4 runs'
	expect_out 'no counter that repeats exactly changed; an emulated run has no times'
	expect_no_out 'MEDIAN'
	cp ptx.db more.db
	sqlite3 more.db "UPDATE counter SET value = value + 50 WHERE trial_id IN (SELECT id FROM trial WHERE run_id > 2);
		UPDATE run SET source_revision = CASE WHEN id > 2 THEN 'bbbbbbbb' ELSE 'aaaaaaaa' END"
	run history reduce/shuffle --db more.db
	expect_code 0
	count=$(sqlite3 ptx.db "SELECT CAST(value AS INTEGER) FROM counters WHERE metric = 'ptx_warp_instructions' LIMIT 1")
	expect_out "worse: ptx_warp_instructions from $count to $((count + 50)), between run 2"
	expect_out 'day-2, revision aaaaaaaa) and run 3'
	grep -q "^ *3 .* $((count + 50)) .*worse: 1 counter" "$work/out" || complain 'the row of run 3 lacks the change'
	grep -q "^ *4 .* $((count + 50)) .*worse" "$work/out" && complain 'the change is shown twice'
	run history reduce/shuffle --db more.db --format md
	expect_out '- worse: ptx\_warp\_instructions from'
	run history reduce/shuffle --db more.db --format csv
	[ "$(grep -c ",worse,ptx_warp_instructions $count $((count + 50))\$" "$work/out")" -eq 1 ] || complain 'not one change'
	run history reduce/shuffle --db more.db --format json
	expect_out '"direction": "worse"'
	expect_out "\"after\": $((count + 50))"
	expect_out '"median_ns": null'
	# other inputs give other counts, which is no change
	sqlite3 more.db "UPDATE run SET seed = 77 WHERE id > 2"
	run history reduce/shuffle --db more.db
	expect_out 'no counter that repeats exactly changed'
	# a case with times keeps its history of times
	"$PERFLAB" merge ptx.db "$work/history.db" -o both.db 2>/dev/null
	run history reduce/shuffle/block=64 --db both.db --backend ptx
	run history 'reduce/shuffle/block=64*' --db both.db
	expect_out 'backend cuda'
	run history 'reduce/shuffle/block=64*' --db both.db --backend ptx
	expect_out 'backend ptx'
	run regress --db more.db --base 1 --head 2
	expect_code 0
	sqlite3 more.db "UPDATE run SET seed = 1; UPDATE trial SET code_hash = run_id"
	run regress --db more.db --base 2 --head 3
	expect_code 1
	expect_out "ptx_warp_instructions"
	exit "$failures"
) || failures=$((failures + $?))

slower() {
	cp "$work/history.db" "$work/changed.db"
	sqlite3 "$work/changed.db" "
		UPDATE sample SET time_ns = time_ns * $1 WHERE trial_id IN (SELECT id FROM trial WHERE run_id $2);
		UPDATE round SET median_ns = median_ns * $1 WHERE trial_id IN (SELECT id FROM trial WHERE run_id $2);
		UPDATE trial SET median_ns = median_ns * $1, session_low_ns = session_low_ns * $1, session_high_ns = session_high_ns * $1
			WHERE run_id $2;
		UPDATE run SET source_revision = CASE WHEN run.id $2 THEN 'bbbbbbbb' ELSE 'aaaaaaaa' END"
}
slower 1.2 '> 6'
run history "reduce/shuffle/$config" --db changed.db
expect_code 0
expect_out 'slower by 20.00 %'
expect_out 'between run 6 (2026-11-26, day-5, revision aaaaaaaa) and run 7 (2026-11-27, day-6, revision bbbbbbbb)'
grep -q '^  *\^$' "$work/out" || complain 'no mark below the bars'
grep -q ' 7 .* slower by 20.00 %' "$work/out" || complain 'the row of run 7 lacks the change'
run history "reduce/shuffle/$config" --db changed.db --limit 2
expect_out 'slower by 20.00 %'
run history '*/block=*' --db changed.db
expect_out ': 4 changed'
expect_out 'slower by 20.00 %, in run 7'
run history "reduce/shuffle/$config" --db changed.db --format md
expect_out '- slower by 20.00 %'
run history "reduce/shuffle/$config" --db changed.db --format csv
[ "$(awk -F, 'NR > 1 && $(NF - 4) != ""' "$work/out" | wc -l)" -eq 1 ] || complain 'not one change point'
run history "reduce/shuffle/$config" --db changed.db --format json
expect_out '"last_revision": "aaaaaaaa"'
expect_out '"first_run": 7'
expect_out '"provisional": false'
slower 0.8 '= 10'
run history "reduce/shuffle/$config" --db changed.db
expect_out 'faster by 20.00 %'
expect_out 'one run so far: wait for the next'
slower 3 '= 5'
run history "reduce/shuffle/$config" --db changed.db
expect_out 'no change point'

# the newest run is as slow as two before it, each of which was alone
slower 1.02 'IN (3, 6, 10)'
run history "reduce/shuffle/$config" --db changed.db
expect_out 'no change point in 10 runs of this device'
expect_out 'two modes since run 1'
expect_out '%) in 3 of 10 runs, last in run 10; a level that comes and goes is a mode and no change'
run history '*/block=*' --db changed.db
expect_out ': 0 changed'
expect_out 'in 3 of 10 runs'
run history "reduce/shuffle/$config" --db changed.db --format json
expect_out '"change_points": []'
expect_out '"newest_run": 10'
slower 1.02 '= 10'
run history "reduce/shuffle/$config" --db changed.db
expect_out 'slower by 2.00 %'
expect_out 'the interval covers 9 runs before and 1 after, of this device'
expect_no_out 'modes'
slower 3 '= 5'

# times that are missing, no number or 0 are no times; without any there is nothing to say
slower 1.2 '> 6'
sqlite3 changed.db "UPDATE round SET median_ns = NULL WHERE trial_id IN (SELECT id FROM trial WHERE run_id = 1);
	UPDATE round SET median_ns = 9e999 WHERE trial_id IN (SELECT id FROM trial WHERE run_id = 2);
	UPDATE round SET median_ns = 0 WHERE trial_id IN (SELECT id FROM trial WHERE run_id = 3)"
run history "reduce/shuffle/$config" --db changed.db
expect_code 0
expect_out 'slower by 20.0'
sqlite3 changed.db "UPDATE trial SET sample_count = 0, median_ns = NULL, session_low_ns = NULL, session_high_ns = NULL"
refused 2 'has no times' history "reduce/shuffle/$config" --db changed.db
slower 1.2 '> 6'
sqlite3 changed.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id < 8"
run history "reduce/shuffle/$config" --db changed.db
expect_code 0
expect_out 'too few runs for change points, which need at least 5'
slower 3 '= 5'
run history "reduce/shuffle/$config" --db changed.db
expect_out 'no change point'

# a failed run appears in its place, without a time; untrusted text is escaped
sqlite3 changed.db "PRAGMA foreign_keys = ON;
	UPDATE trial SET status = 'mismatch', reason = 'element 3' || char(27) || '[31m differs' WHERE run_id = 4;
	UPDATE run SET label = 'a' || char(10) || 'b' WHERE id = 8"
run history "reduce/shuffle/$config" --db changed.db
expect_code 0
grep -q '^ *4 .* -  *-  *-  .*mismatch: element 3\\x1b\[31m differs' "$work/out" ||
	complain 'the failed run is not in its place'
expect_out 'a\nb'
run history "reduce/shuffle/$config" --db changed.db --format json
expect_out '"median_ns": null'

# another --cache and another device are separate series
sqlite3 changed.db "UPDATE run SET cache = 'hot' WHERE id = 2"
run history "reduce/shuffle/$config" --db changed.db
expect_out ': 9 runs (1 more with another --cache, or with the cost of events in their times)'
sqlite3 changed.db "UPDATE round SET event_ns = 2000 WHERE trial_id IN (SELECT id FROM trial WHERE run_id > 4)"
run history "reduce/shuffle/$config" --db changed.db
expect_out ': 7 runs (3 more with another --cache, or with the cost of events in their times)'
grep -q '^ *4 .*mismatch' "$work/out" || complain 'a run without times has any clock'
sqlite3 changed.db "UPDATE round SET event_ns = NULL"
sqlite3 changed.db "INSERT INTO device (name) VALUES ('another one');
	UPDATE run SET device_id = (SELECT max(id) FROM device) WHERE id = 1;
	UPDATE newest SET device_id = device_id"
run history "reduce/shuffle/$config" --db changed.db
expect_out ': 8 runs'

# devices of one name are distinguished; a number never matches a part of a name
sqlite3 changed.db "UPDATE device SET name = 'H200'; UPDATE device SET uuid = 'GPU-22222222-3333' WHERE id = 2;
	INSERT OR REPLACE INTO newest (device_id, backend, origin, kernel, variant, config, trial_id, timed_trial_id)
	SELECT 2, 'cuda', '', kernel, variant, config, id, id FROM trial WHERE run_id = 1"
run history "reduce/shuffle/$config" --db changed.db
expect_out ': 8 runs'
expect_err '2 (H200 GPU-22222222, cuda)'
run list devices --db changed.db --format csv
id=$(awk -F, '/GPU-22222222/ { print $2 }' "$work/out")
run history "reduce/shuffle/$config" --db changed.db --device "$id"
expect_out ': 1 run'
run history "reduce/shuffle/$config" --db changed.db --device H200
expect_out ': 8 runs'
refused 2 'not on that --device' history "reduce/shuffle/$config" --db changed.db --device 0

# a file of another schema version
sqlite3 changed.db 'PRAGMA user_version = 999'
refused 3 'schema version 999' history reduce --db changed.db
refused 3 'schema version 999' mark 1 good --db changed.db
finish
