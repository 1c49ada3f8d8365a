# Compares two runs: verdicts, exit codes, formats, thresholds, and every reason why
# there is nothing to compare.
. "$(dirname "$0")/lib.sh"
fake_worker

# sweep_as LABEL SCRIPT [WORD…]: measures two variants, 4 cases, with a scripted worker.
sweep_as() {
	export FAKE_WORKER_SCRIPT="$2"
	label=$1
	shift 2
	run sweep reduce/shuffle reduce/naive --size 1024 --block-sizes 64,128 --label "$label" "$@"
	unset FAKE_WORKER_SCRIPT
}

# kept VERDICTS LABEL: expects these stored verdicts of the cases of a run.
kept() {
	verdicts=$(sqlite3 perflab.db "SELECT group_concat(verdict || ' ' || cases, ', ') FROM
		(SELECT verdict, count(*) AS cases FROM comparison JOIN trial ON trial.id = trial_id
		JOIN run ON run.id = run_id WHERE label = '$2' GROUP BY verdict ORDER BY min(position), verdict)")
	[ "$verdicts" = "$1" ] || complain "stored for $2: $verdicts, expected $1"
}

# reasons why there is nothing to compare
refused 3 'no-such.db' regress --db no-such.db
refused 2 'did you mean branch_targets_divergent' regress --counters branch_target_divergent
refused 2 'unknown value "html"' regress --format html
sweep_as before ''
expect_code 0
refused 2 'no run of that device and backend' regress
expect_err 'perflab mark RUN good'
refused 2 'are the same run, 1: nothing to compare' regress --base before --head 1
refused 2 'no run of that device and backend other than run 1' regress --base last
refused 2 "--base: no run 'nonesuch'" regress --base nonesuch
refused 2 "--head: no run 'nonesuch'" regress --base before --head nonesuch

# a run beside other processes on the GPU: said when it is measured, and in the comparison
sweep_as alone '' --db shared.db
grep -q "other process" err && complain "says that others use the GPU"
sweep_as shared shared_gpu --db shared.db
expect_code 0
expect_err '2 other processes use the GPU, so times may hold their work'
run regress --base alone --head shared --db shared.db
expect_code 0
expect_out 'other processes on the GPU'

# measured again: nothing changed; new and missing cases are reported
sweep_as same ''
expect_code 0
run regress --base before
expect_code 0
expect_out '4 same code (--all shows every case)'
expect_no_out reduce/shuffle/block=64
run regress --base before --all
expect_out reduce/shuffle/block=64
export FAKE_WORKER_SCRIPT=recompiled
run sweep reduce/naive stream/copy_scalar --size 1024 --block-sizes 64 --label other
unset FAKE_WORKER_SCRIPT
run regress --base before
expect_code 0
expect_out '1 unchanged, 1 new, 3 missing'

# slower code is a regression, in every format
sweep_as slower 'slow:reduce/shuffle;recompiled'
expect_code 0
expect_out 'changes   2 slower, most x'
run report slower
expect_out ': reduce/shuffle/block='
run report slower stream
expect_no_out 'slower, most'
run regress --base before
expect_code 1
expect_out '2 regressed, 2 unchanged'
expect_out 'regressed  reduce/shuffle/block=128,n=1024'
for format in json md junit; do
	run regress --base before --format $format -o out.$format
	expect_code 1
	[ ! -s "$work/out" ] || complain 'data on stdout besides the file'
	grep -q regressed out.$format || complain "no regression as $format"
done
if command -v python3 >/dev/null; then
	python3 - <<-'END' || complain 'wrong content of json or junit'
		import json, xml.etree.ElementTree as xml
		report = json.load(open("out.json"))
		suites = xml.parse("out.junit").getroot()
		slow = [c for c in report["cases"] if c["verdict"] == "regressed"]
		assert report["format"] == 1 and report["summary"]["gating"] == 2
		assert {c["variant"] for c in slow} == {"shuffle"} and all(c["gates"] for c in slow)
		for case in slow:
		    assert case["time"]["low"] < case["time"]["change"] < case["time"]["high"]
		    assert 0.4 < case["time"]["change"] < 0.6 and not case["same_code"]
		assert suites.tag == "testsuites" and len(suites.findall("testsuite/testcase")) == 4
		assert len(suites.findall("testsuite/testcase/failure")) == 2
		assert suites.find("testsuite").get("failures") == "2"
	END
fi
# faster code is an improvement
run regress --base slower --head before
expect_code 0
expect_err 'the base, run 4, is newer than the head, run 1'
expect_out '2 improved, 2 unchanged'
# a slower environment with equal code is not a regression
sweep_as unlucky 'slow:reduce/shuffle'
run regress --base before
expect_code 0
expect_out '4 same code'
expect_out '4 cases by time, 4 by counters'
run regress --base before --judge-same-code
expect_code 1

# counters of different inputs are not compared
sweep_as seeded '' --seed 2
printf '* ignore=time\n' >untimed.txt
refused 2 'counters of different --seed are not compared' regress --base before --thresholds untimed.txt

# one round cannot show a change, and a message says so
sweep_as once 'slow:reduce/shuffle;recompiled' --rounds 1
run regress --base before
expect_code 0
expect_out '4 inconclusive'
expect_err 'has one round'

# a counter that repeats exactly needs no statistics
sweep_as counted 'recompiled' --metrics branch_targets_divergent,branch_targets,dram_read_bytes
expect_code 0
sweep_as wasteful 'recompiled;wasteful:reduce/naive/block=64' --metrics branch_targets_divergent,branch_targets,dram_read_bytes
expect_code 0
if command -v sqlite3 >/dev/null; then
	# code that differs from the base
	sqlite3 perflab.db "UPDATE trial SET code_hash = 'of old' WHERE run_id = (SELECT id FROM run WHERE label = 'counted')"
	run regress --base counted
	expect_code 1
	expect_out '1 regressed, 3 unchanged'
	expect_out 'branch_targets_divergent'
	run regress --base counted --counters none
	expect_code 0
	run regress --base counted --counters branch_targets
	expect_code 0
	expect_out 'branch_targets '
	run regress --base counted --counters branch_targets_divergent,branch_targets
	expect_code 1
	refused 2 'dram_read_bytes does not repeat exactly' regress --base counted --counters dram_read_bytes
	refused 2 'no case has l1_bytes in both runs' regress --base counted --counters l1_bytes
fi

# limits from a file
printf '* time=60%%\n' >wide.thresholds
run regress --base before --head slower --thresholds wide.thresholds
expect_code 0
expect_out '4 unchanged'
printf 'reduce/shuffle* ignore\n' >perflab.thresholds
run regress --base before --head slower
expect_code 0
expect_out '2 unchanged, 2 ignored'
expect_out 'perflab.thresholds'
run regress --base before --head slower --thresholds none
expect_code 1
printf 'redcue time=5%%\n* time=60%%\n' >slip.thresholds
run regress --base before --head slower --thresholds slip.thresholds
expect_code 0
expect_err 'slip.thresholds:1: no case of these runs matches'
[ "$(wc -l <"$work/err")" -eq 1 ] || complain 'more than one message'
printf 'zzz time=1%%\n%.0s' 1 2 3 4 5 >slip.thresholds
run regress --base before --head same --thresholds slip.thresholds
expect_err '2 more patterns match no case'
printf '* ignore\n' >perflab.thresholds
refused 2 'that no threshold ignores' regress --base before --head slower
printf '# fine\nreduce tmie=3%%\n' >perflab.thresholds
refused 3 'perflab.thresholds:2: neither time nor a metric' regress --base before --head slower
refused 3 '--thresholds: ' regress --base before --head slower --thresholds no-such-file
head -c 2000000 /dev/zero >large.thresholds
refused 3 'large.thresholds' regress --base before --head slower --thresholds large.thresholds
rm perflab.thresholds

# a new failure is a finding; a failure that the base has is not
sweep_as broken 'mismatch:reduce/naive/block=64;recompiled'
expect_code 1
run regress --base before
expect_code 1
expect_out 'failed  '
expect_out 'mismatch'
sweep_as broken-still 'mismatch:reduce/naive/block=64;recompiled'
run regress --base broken
expect_code 0
expect_out 'it failed in the base too'

# backends never compare; different environments only with --allow-different
if command -v sqlite3 >/dev/null; then
	sqlite3 perflab.db "UPDATE run SET driver = '999.1', toolkit = '99.9' WHERE label = 'slower'"
	refused 2 'differ in more than the code: driver (580.0, then 999.1)' regress --base before --head slower
	expect_err 'toolkit'
	expect_err '--allow-different'
	run regress --base before --head slower --allow-different
	expect_code 1
	expect_out 'then 999.1'
	sqlite3 perflab.db "UPDATE round SET sm_clock_hz = 1e9 WHERE trial_id IN (SELECT trial.id FROM trial JOIN run ON run.id = run_id WHERE label = 'same')"
	refused 2 'SM clock (1980 MHz, then 1000 MHz)' regress --base before --head same
	sqlite3 perflab.db "PRAGMA foreign_keys = OFF; UPDATE run SET backend = 'ptx' WHERE label = 'slower'"
	refused 2 'their numbers do not compare' regress --base before --head slower --allow-different
	sqlite3 perflab.db "INSERT INTO device (name, uuid) VALUES ('Other GPU', 'GPU-other'); UPDATE run SET device_id = last_insert_rowid() WHERE label = 'unlucky'"
	refused 2 'device (Fake GPU GPU-' regress --base before --head unlucky
	# two runs with a common prefix
	sqlite3 perflab.db "UPDATE run SET uid = 'abcd1' || substr(uid, 6) WHERE id = 1; UPDATE run SET uid = 'abcd2' || substr(uid, 6) WHERE id = 2"
	refused 2 'means several runs' regress --base abcd
	# a sweep stores its comparison with earlier runs
	kept 'new 4' before
	kept 'same code 4' same
	kept 'failed 1, same code 3' broken
	kept 'same code 1, unchanged 1, regressed 2' slower
	# a case that the last good run lacks is compared with the run that has it
	rm -f added.db
	added() {
		export FAKE_WORKER_SCRIPT="$2"
		label=$1
		shift 2
		run sweep "$@" --size 1024 --block-sizes 64 --label "$label" --db added.db
		unset FAKE_WORKER_SCRIPT
		expect_code 0
	}
	added narrow '' reduce/shuffle
	run mark last good --db added.db
	run regress --base last --db added.db # a run alone
	expect_code 2
	added wide '' reduce/shuffle reduce/naive
	run regress --db added.db
	expect_code 0
	expect_out '1 same code, 1 new'
	expect_no_out 'compared with run'
	added doubled 'slow:reduce/naive;recompiled' reduce/shuffle reduce/naive
	run regress --db added.db
	expect_code 1
	expect_out '1 regressed, 1 unchanged'
	expect_out 'compared with run 2, not marked good: no older good run has the case'
	expect_err 'run 1 lacks 1 case or did not measure it; the case is compared with an older run that has it'
	[ "$(sqlite3 added.db "SELECT verdict || ': ' || why FROM comparison JOIN trial ON trial.id = trial_id
		WHERE run_id = 3 AND variant = 'naive'")" = 'regressed: compared with run 2, not marked good: no older good run has the case' ] ||
		complain 'the stored verdict of the added case is wrong'
	# a named base is compared as it is
	run regress --base narrow --db added.db
	expect_code 0
	expect_out '1 unchanged, 1 new'
	# nor with a bad run, nor with one of another driver unless that is allowed
	run mark wide bad --db added.db
	run regress --db added.db
	expect_code 0
	expect_out '1 unchanged, 1 new'
	run mark wide none --db added.db
	sqlite3 added.db "UPDATE run SET driver = '999.1' WHERE id = 2"
	run regress --db added.db --all
	expect_code 0
	expect_out 'run 2 has it, but does not compare: driver: 999.1 in run 2, now 580.0'
	run regress --db added.db --allow-different
	expect_code 1
	# an older good run is preferred to a newer unmarked one
	sqlite3 added.db "UPDATE run SET driver = (SELECT driver FROM run WHERE id = 1)"
	run mark wide good --db added.db
	added again '' reduce/shuffle
	run mark last good --db added.db
	added slow 'slow:reduce/naive;recompiled' reduce/shuffle reduce/naive
	run regress --db added.db
	expect_code 1
	expect_out 'compared with run 2, the newest older good run that has the case'
	# one that no good run measured is compared with the newest that did
	sqlite3 added.db "UPDATE trial SET status = 'failed', reason = 'x', sample_count = 0, median_ns = NULL
		WHERE run_id = 2 AND variant = 'naive'"
	run regress --db added.db --all
	expect_code 0
	expect_out 'compared with run 3, not marked good'
	# the base is a good run newer than the head and lacks the case: no older run counts as good
	rm -f newer.db
	added() {
		run sweep "$@" --size 1024 --block-sizes 64 --db newer.db
		expect_code 0
	}
	added reduce/shuffle reduce/naive
	added reduce/shuffle reduce/naive
	added reduce/shuffle reduce/naive
	added reduce/shuffle
	run mark last good --db newer.db
	run regress --head 3 --base last-good --all --db newer.db
	expect_code 0
	expect_out 'compared with run 2, not marked good: no older good run has the case'
	expect_no_out 'newest older good run'
	sqlite3 perflab.db "UPDATE run SET driver = '999.1'"
	sweep_as later 'slow:reduce/shuffle;recompiled'
	kept 'inconclusive 4' later
	[ "$(sqlite3 perflab.db "SELECT count(*) FROM comparison WHERE why LIKE 'driver: 999.1 in run %, now 580.0'")" -eq 4 ] ||
		complain 'the different driver is not mentioned'
	# files that cannot be used
	cp perflab.db newer.db
	sqlite3 newer.db 'PRAGMA user_version = 9999'
	refused 3 'newer' regress --db newer.db --base before
	sqlite3 perflab.db .dump | sed '/^INSERT INTO/d' | sqlite3 empty.db
	sqlite3 empty.db "PRAGMA application_id = 1886151010; PRAGMA user_version = $(sqlite3 perflab.db 'PRAGMA user_version')"
	refused 2 'holds no run yet' regress --db empty.db
fi
printf 'no database' >text.db
refused 3 'text.db' regress --db text.db --base before

finish
