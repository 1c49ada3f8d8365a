# perflab import: measurements of other benchmark programs become runs.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip 'sqlite3 is not here'
no_worker
data=$(cd "$(dirname "$0")/../imports/data" 2>/dev/null && pwd) || data=$IMPORT_DATA
export PERFLAB_DB=a.db

of() {
	command_line="sqlite3 a.db $1"
	got=$(sqlite3 a.db "$1")
	[ "$got" = "$2" ] || complain "got '$got', not '$2'"
}

# ---- Google Benchmark ----
run import "$data/google_benchmark.json" --label nightly --revision 1a2b3c4
expect_code 0
expect_err 'run 1, google-benchmark on host bench-01, 4 cases, 1 round'
[ -s out ] && complain 'data on stdout'
of "SELECT backend, label, source_revision, state, driver IS NULL, settings IS NULL FROM run" \
	'google-benchmark|nightly|1a2b3c4|finished|1|1'
of "SELECT kernel, variant, config, status, sample_count FROM trial WHERE kernel = 'copy'" \
	'copy|default|arg1=4096|ok|3'
of "SELECT count(*) FROM sample JOIN round USING (trial_id, round)" 9
of "SELECT status, reason FROM trial WHERE kernel = 'broken'" 'failed|no such device'
of "SELECT count(*) FROM trial WHERE finished_ns IS NOT NULL" 0
run report last
expect_code 0
expect_out 'copy_named'
expect_out '1 round'
expect_no_out 'seed'

# a file is stored once
run import "$data/google_benchmark.json"
expect_code 0
expect_err 'is in a.db already, as run 1'
of 'SELECT count(*) FROM run' 1

# a median alone is stored without samples
run import "$data/google_benchmark_aggregates.json" --device 'Xeon 8481C'
expect_code 0
of "SELECT sample_count, round(median_ns, 3), mad_ns IS NULL, session_low_ns IS NULL FROM trial
	WHERE run_id = 2 AND kernel = 'copy'" '7|152.981|1|1'
of "SELECT count(*) FROM sample JOIN trial ON trial.id = trial_id WHERE run_id = 2" 0
of "SELECT name FROM device WHERE id = (SELECT device_id FROM run WHERE id = 2)" 'Xeon 8481C'

# ---- nvbench ----
run import "$data/nvbench.json" --format nvbench -q
expect_code 0
[ -s err ] && complain '--quiet prints a message'
of "SELECT group_concat(name, ', ') FROM device JOIN run ON device.id = device_id
	WHERE backend = 'nvbench'" 'NVIDIA H200, NVIDIA A100'
of "SELECT count(*) FROM sample JOIN trial ON trial.id = trial_id WHERE run_id = 3" 4
of "SELECT median_ns IS NULL, status FROM trial WHERE run_id = 4 AND position = 0" '1|ok'
of "SELECT value FROM counters JOIN trial ON trial.id = trial_id WHERE run_id = 4
	AND metric = 'nvbench:nv/cold/time/gpu/mean'" '1.5e-05'
# without the sample files, the median of the JSON is stored
cp "$data/nvbench.json" alone.json
run import alone.json --db b.db
expect_code 0
expect_err 'run 1, nvbench on NVIDIA H200, 2 cases'
expect_err '1 case has no median, because the file has neither samples nor a median of it; the mean is shown as a mean'
run report 2 --db b.db
grep -q '^ *MEAN ' "$work/out" || complain 'no column of means'
expect_out '15.0 us'
expect_no_out 'MEDIAN'
run report 2 --db b.db --format csv
head -n 1 "$work/out" | grep -q ',mean_ns$' || complain 'no mean in the head of the CSV'
expect_out ',15000'
run report 2 --db b.db --format json
expect_out '"mean_ns": 15000'
run query 'SELECT mean_ns, median_ns FROM results WHERE run_id = 2 AND mean_ns > 0' --db b.db --format csv
expect_out '15000,'
[ "$(sqlite3 b.db 'SELECT count(*) FROM sample')" = 0 ] || complain 'samples without a file'

expect_no_err 'occurrence'

# medians without samples compare, although they decide nothing
state() {
	cat <<-END
		{"devices": [{"id": 0, "name": "GPU"}, {"id": 1, "name": "GPU"}], "benchmarks":
		[{"name": "k", "states": [{"device": $1, "summaries": [
		{"tag": "nv/cold/sample_size", "value": 20},
		{"tag": "nv/cold/time/gpu/median", "value": $2}]}${3:-}]}]}
	END
}
state 0 1e-5 >before.json
state 0 2e-5 >after.json
state 1 2e-5 ', {"device": 1}' >other_gpu.json
run import before.json after.json other_gpu.json --db c.db
expect_code 0
expect_err 'run 3, nvbench on GPU (device 1), 2 cases'
expect_err 'other_gpu.json: 1 result has the name of an earlier one'
run regress --base 1 --head 2 --db c.db
expect_code 0
expect_out '+100'
expect_out 'inconclusive'
run import other_gpu.json --device Named --db d.db
expect_err 'on Named, 2 cases'
state 0 1e-5 ', {"device": 1}, {"device": null}' >several.json
run import several.json --device Named --db e.db
expect_err 'on Named (device 0), 1 case'
expect_err 'on Named (device 1), 1 case'

# ---- several files as the rounds of one run ----
rounds=$data/rounds
run import "$rounds/base-1.json" "$rounds/base-2.json" "$rounds/base-3.json" --rounds --label base --db r.db
expect_code 0
expect_err 'base-1.json, base-2.json, base-3.json: run 1, google-benchmark on host bench-01, 2 cases, 3 rounds'
run import "$rounds/base-3.json" "$rounds/base-1.json" "$rounds/base-2.json" --rounds --db r.db
expect_err 'is in r.db already, as run 1'
# named in another order than measured
run import "$rounds/head-3.json" "$rounds/head-1.json" "$rounds/head-2.json" --rounds --label head --db r.db
expect_code 0
run query "SELECT group_concat(round || ':' || count, ' ') FROM (SELECT round, count(*) AS count FROM sample
	JOIN trial ON trial.id = trial_id WHERE run_id = 2 AND kernel = 'copy' GROUP BY round)" --db r.db --format csv
expect_out '0:3 1:3 2:3'
run regress --base base --head head --db r.db --all
expect_code 1
expect_out 'regressed'
expect_out '1 unchanged'
# one of the files alone shows neither an interval nor a p
run import "$rounds/base-1.json" "$rounds/head-1.json" --db one.db
run regress --base 1 --head 2 --db one.db --format json
expect_code 0
expect_out '"low": null'
expect_out '"adjusted_p": null'
expect_err 'run 2 has one round, which cannot show a change in time; import several files with --rounds'
run regress --base 1 --head 2 --db one.db
expect_out 'each run needs at least two rounds'
expect_no_out 'e-0'
run regress --base 1 --head 2 --db one.db --format junit
expect_no_out 'nan'
# medians without samples are rounds, too
state 0 1.01e-5 >before-2.json
run import before.json before-2.json --rounds --db m.db
expect_code 0
[ "$(sqlite3 m.db 'SELECT group_concat(round(median_ns), " ") FROM round')" = '10000.0 10100.0' ] ||
	complain 'the medians of the files are not those of the rounds'
of_m=$(sqlite3 m.db 'SELECT round(median_ns), sample_count FROM trial')
[ "$of_m" = '10050.0|40' ] || complain "the trial has $of_m"
run report last --db m.db
expect_code 0

# ---- files that are no rounds of one run, which create no database ----
refused 2 'there is only' import "$rounds/base-1.json" --rounds --db none.db
refused 2 'have the same results' import before.json before.json --rounds --db none.db
refused 2 'their format differs' import before.json "$rounds/base-1.json" --rounds --db none.db
sed 's/"copy/"other/g; s/"sum/"another/g' "$rounds/base-2.json" >cases.json
refused 2 'no case in common' import "$rounds/base-1.json" cases.json --rounds --db none.db
sed 's/bench-01/bench-02/' "$rounds/base-2.json" >host.json
refused 2 'their device differs: host bench-01 and host bench-02' import "$rounds/base-1.json" host.json \
	--rounds --db none.db
: >empty.json
refused 3 'empty.json: the file is empty' import before.json empty.json --rounds --db none.db

# ---- refused files, which create no database ----
printf '{\n "context": {},\n "benchmarks": [,]\n}\n' >bad.json
refused 3 'bad.json: line 3' import bad.json --db none.db
refused 3 'bad.json: line 3' import "$data/nvbench.json" bad.json --db none.db
printf '{"a": 1}' >other.json
refused 2 'no list "benchmarks": perflab import reads the JSON that nvbench writes' import other.json --db none.db
refused 3 'the file has no list "benchmarks"' import other.json --format nvbench --db none.db
refused 3 'absent.json' import absent.json --db none.db
refused 2 'an operand is missing' import --db none.db
refused 2 'one of: detect, nvbench, google-benchmark' import other.json --format gtest --db none.db
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' >deep.json
refused 3 'brackets are nested' import deep.json --db none.db
truncate -s 65M large.json
refused 3 'large.json' import large.json --db none.db
[ -e none.db ] && complain 'a database was created'


# ---- Nsight Compute: a time for the cases of a stored run ----
fake_worker
run sweep reduce/shuffle --block-sizes 64,128 --size 1024 --rounds 1 --ceilings never --db n.db -q
expect_code 0
counters=$(sqlite3 n.db 'SELECT count(*) FROM counter')
rows() {
	echo '"Process ID","thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg","Metric Name","Metric Unit","Metric Value"'
	for time in "$@"; do
		echo "\"$time\",\"7  \"\"perflab:reduce:x\"\"  \"\"perflab:shuffle:x\"\"  \"\"perflab:block=64:x\"\"  \"\"perflab:n=1024:x\"\"  \"\"perflab:profile:x\"\" \",\"gpu__time_duration.sum\",\"ns\",\"$time\""
	done
}
rows 4100 4300 9000 >ncu.csv
rows 4200 >again.csv
run import ncu.csv again.csv --run last --db n.db
expect_code 0
expect_err 'run 1: 1 case has a time of Nsight Compute'
clock="SELECT config, value, source FROM result_counters WHERE name = 'clock_ncu_ns'"
[ "$(sqlite3 n.db "$clock")" = 'block=64,n=1024|4250.0|Nsight Compute' ] || complain "$(sqlite3 n.db "$clock")"
[ "$(sqlite3 n.db 'SELECT count(*) FROM counter')" -eq $((counters + 1)) ] || complain 'other counters changed'
run report last --db n.db
expect_out 'by other clocks'
expect_out '4.25 us'
run import again.csv --run 1 --db n.db
expect_code 0
[ "$(sqlite3 n.db "$clock")" = 'block=64,n=1024|4200.0|Nsight Compute' ] || complain 'the time is not replaced'
refused 2 'give no other option' import ncu.csv --run 1 --label x --db n.db
refused 2 'has none of the cases that ncu saw, such as short_kernels/copy4' import "$data/ncu.csv" --run 1 --db n.db
refused 3 'no column' import "$data/google_benchmark.json" --run 1 --db n.db
refused 3 'missing.csv' import missing.csv --run 1 --db n.db
refused 2 '' import ncu.csv --run 7 --db n.db
cp n.db interrupted.db
sqlite3 interrupted.db "UPDATE run SET state = 'interrupted'"
refused 2 'is not finished: perflab sweep --resume 1 first' import ncu.csv --run 1 --db interrupted.db
fake_emulator
run sweep reduce/shuffle --backend ptx --block-sizes 64 --size 1024 --db n.db -q
refused 2 'is emulated and has no times' import ncu.csv --run last --db n.db
finish
