# perflab fleet: which GPUs are outliers. The GPUs are copies of one fake device with
# other uuids and times.
. "$(dirname "$0")/lib.sh"
fake_worker

command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"

# ---- nothing to compare ----
refused 3 'does not exist' fleet --db absent.db
: >empty.db
refused 3 'is empty' fleet --db empty.db
refused 2 'unexpected operand' fleet perflab.db
for since in yesterday 2026-02-31 2026-11-01T25:00:00Z 0d 1e9d; do
	refused 2 '--since takes a date such as' fleet --since "$since"
done
refused 2 'expected a ratio' fleet --smallest 0
refused 2 'not a whole number' fleet --last -1
refused 2 'one of: text, csv, json, md' fleet --format html

run sweep stream/copy_scalar reduce/shuffle --size 1024 --block-sizes 64 --rounds 3
expect_code 0
cp perflab.db emulated.db
run fleet
expect_code 0
expect_err 'there is one GPU and nothing to compare it with'
expect_out 'Not compared: GPU-00000000: fewer than 3 GPUs of its model are in the database.'

sqlite3 emulated.db "UPDATE run SET emulated = 1, timed = 0"
refused 3 'no finished run with times, only emulated ones: perflab sweep on a GPU stores one' fleet --db emulated.db
cp perflab.db none.db
sqlite3 none.db "UPDATE run SET state = 'interrupted'"
refused 3 'no finished run with times' fleet --db none.db
sqlite3 none.db "PRAGMA foreign_keys = ON; DELETE FROM run; DELETE FROM device"
refused 3 'no finished run with times' fleet --db none.db

sqlite3 old.db <"$(dirname "$0")/../db/version_22.sql"
run fleet --db old.db
expect_code 0
expect_err 'there is one GPU and nothing to compare it with'
expect_err 'left out: 1 emulated run, which have no times'

# ---- a fleet ----
# Ten nights of 12 GPUs, whose times differ by up to 0.1 %; that of GPU 5 by 3 % from night 5 on.
# GPU 7 has 10 % more power. All copies have the clocks of the first run.
night=86400000000000
sqlite3 perflab.db "
	CREATE TEMP TABLE planned AS WITH RECURSIVE
		gpu(g) AS (VALUES (0) UNION ALL SELECT g + 1 FROM gpu WHERE g < 11),
		night(k) AS (VALUES (0) UNION ALL SELECT k + 1 FROM night WHERE k < 9)
	SELECT g, k, 100 + 12 * k + g AS id FROM night, gpu;
	INSERT INTO device (id, name, uuid, cc_major, cc_minor, sm_count) SELECT 100 + g, 'Made GPU',
		printf('GPU-%08d-made', g), 9, 0, 132 FROM planned WHERE k = 0;
	INSERT INTO run (id, uid, state, started_ns, finished_ns, backend, device_id, device_ordinal, version, seed,
		rounds, timed, emulated, cache)
	SELECT planned.id, printf('%032x', planned.id), 'finished', run.started_ns + k * $night + g * 1000000000,
		run.finished_ns + k * $night, 'cuda', 100 + g, g % 4, version, seed, rounds, 1, 0, 'cold'
	FROM planned, run WHERE run.id = 1;
	INSERT INTO environment (run_id, key, value) SELECT id, 'host', 'node' || (g / 4) FROM planned;
	INSERT INTO environment (run_id, key, value) SELECT id, 'gpu.power_limit_w', iif(g = 7, '700', '600') FROM planned;
	INSERT INTO environment (run_id, key, value) SELECT id, 'profiler', 'nsys' FROM planned WHERE g = 5;
	INSERT INTO trial (id, run_id, position, kernel, variant, config, status, code_hash, launch_hash, sample_count,
		median_ns)
	SELECT 10 * planned.id + position, planned.id, position, kernel, variant, config, 'ok', 'c0de', 'f00d', 30,
		100000.0 * (1 + position) * (1 + 0.02 * (k * 7 % 5)) * (1 + 0.0002 * ((g * 5 + k * 3) % 11 - 5))
			* iif(g = 5 AND k >= 5, 1.03, 1)
	FROM planned, trial WHERE trial.run_id = 1;
	INSERT INTO round (trial_id, round, stored_ns, sm_clock_hz, power_w, median_ns)
	SELECT trial.id, 0, 0, 1.7e9, 500.0 * (1 + 0.001 * ((g * 3 + k) % 7)) * iif(g = 7, 1.1, 1), trial.median_ns
	FROM planned JOIN trial ON trial.run_id = planned.id;"
run fleet --last 5
expect_code 1
expect_out 'Made GPU, compute capability 9.0, 132 SMs: 12 GPUs, 2 outliers'
expect_out '10 of 12 compared GPUs are like their fleet.'
grep -q '^GPU-00000007  node1  *3  *2  *5  *5 .* +0.00 %  *+9.[0-9]* %  its first run, 2026-11-2[0-9]  power higher  power limit in W 700, most have 600$' "$work/out" ||
	complain 'the GPU with more power is not shown as such'
grep -q '^GPU-00000005  node1  *1  *2  *5  *5  *+[23].[0-9]* %  *+[23].[0-9]* to +3.[0-9]* %  .*, run 165  *slower  *profiler nsys, most have none$' "$work/out" ||
	complain 'the slow GPU is not shown as such'
[ "$(grep -c '^GPU-' "$work/out")" = 2 ] || complain 'not two rows'
[ "$(sed -n 's/^\(GPU-[0-9]*\).*/\1/p' "$work/out" | head -n 1)" = GPU-00000007 ] || complain 'the worst is not first'
# nobody measured the memory clock, so there is no column of it
expect_no_out 'MEMORY CLOCK'
# the fake device is of another model
expect_out 'Not compared: GPU-00000000: fewer than 3 GPUs of its model'

# times without the cost of events are cases of their own, which one GPU alone has here
cp perflab.db clocks.db
sqlite3 clocks.db "UPDATE round SET event_ns = 2000 WHERE trial_id IN (SELECT trial.id FROM trial JOIN run
	ON run.id = run_id WHERE device_id = 105)"
run fleet --last 5 --db clocks.db
grep -q '^GPU-00000005 .*slower' "$work/out" && complain 'times of two clocks are compared'
expect_out 'GPU-00000007'

# ---- the figures as a view ----
sqlite3 perflab.db ".mode list" "SELECT count(*), count(DISTINCT uuid), count(DISTINCT night), min(runs), max(cases), min(compared_cases)
	FROM gpu_nights WHERE device = 'Made GPU'" >figures
[ "$(cat figures)" = '120|12|10|1|2|2' ] || complain "not a row for each GPU and night: $(cat figures)"
# GPU 5 is 3 % slower from night 5 on, and GPU 7 draws 10 % more
sqlite3 perflab.db "SELECT printf('%.2f', avg(time_ratio) FILTER (WHERE uuid LIKE 'GPU-00000005%' AND run_id >= 160)),
	printf('%.2f', avg(time_ratio) FILTER (WHERE uuid LIKE 'GPU-00000005%' AND run_id < 160)),
	printf('%.3f', avg(time_ratio) FILTER (WHERE uuid LIKE 'GPU-00000003%')),
	printf('%.2f', avg(power_w) FILTER (WHERE uuid LIKE 'GPU-00000007%') / avg(power_w) FILTER (WHERE uuid LIKE 'GPU-00000008%')),
	min(sm_clock_hz), count(memory_clock_hz) FROM gpu_nights WHERE device = 'Made GPU'" >figures
[ "$(cat figures)" = '1.03|1.00|1.000|1.10|1700000000.0|0' ] || complain "other figures: $(cat figures)"
run query "SELECT host, device_ordinal FROM gpu_nights WHERE run_id = 105" --format csv
expect_out 'node1,1'
# a night lasts from noon to noon, UTC; two runs in one are one row; two GPUs are compared with nobody
cp perflab.db nights.db
sqlite3 nights.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE device_id NOT IN (100, 101) OR id > 140;
	UPDATE run SET started_ns = 1763726399000000000 WHERE id = 100; -- 2025-11-21T11:59:59Z
	UPDATE run SET started_ns = 1763726400000000000 WHERE id IN (112, 113); -- noon, of both GPUs
	UPDATE run SET started_ns = 1763769600000000000 WHERE id = 124; -- midnight
	UPDATE run SET label = 'ceilings' WHERE id = 136"
sqlite3 nights.db "SELECT night, runs, cases, compared_cases, time_ratio IS NULL, run_id FROM gpu_nights WHERE uuid LIKE 'GPU-00000000%' ORDER BY 1" >figures
printf '%s\n' '2025-11-20|1|2|0|1|100' '2025-11-21|2|4|0|1|124' | cmp -s - figures || complain "other nights: $(cat figures)"

# what the evidence is, and what would not show
run fleet --last 5
expect_out 'Evidence: 5 runs of each of 12 GPUs. A difference of the time under 0.'
expect_out ' % would not show, nor one'
run fleet --last 1
expect_out 'Evidence: 1 run of each of 12 GPUs.'
expect_out 'With one'
expect_out 'a slow session looks like a slow'

# one slow GPU of four
cp perflab.db four.db
sqlite3 four.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE device_id NOT BETWEEN 100 AND 103;
	UPDATE trial SET median_ns = 1.1 * median_ns WHERE run_id IN (SELECT id FROM run WHERE device_id = 101)"
run fleet --db four.db
expect_code 1
expect_out 'Made GPU, compute capability 9.0, 132 SMs: 4 GPUs, 1 outlier'
expect_out 'Evidence: 10 runs of each of 4 GPUs. A difference of the time under '
sqlite3 four.db "UPDATE trial SET median_ns = median_ns / 1.1 WHERE run_id IN (SELECT id FROM run WHERE device_id = 101)"
run fleet --db four.db
expect_code 0
expect_out '4 of 4 compared GPUs are like their fleet.'

run fleet --last 5 --all
[ "$(grep -c 'like its fleet  *-$' "$work/out")" = 10 ] || complain '--all does not show all'
run fleet --last 5 --format md
expect_code 1
expect_out '| GPU-00000007 | node1 | 3 |'
run fleet --last 5 -o fleet.json
expect_code 1
python=$(command -v python3) && { "$python" - fleet.json <<'END' || complain 'the JSON is not as documented'; }
import json, sys
data = json.load(open(sys.argv[1]))
assert data["format"] == 1 and data["last"] == 5 and data["smallest"] == 0.005
made = [model for model in data["models"] if model["name"] == "Made GPU"][0]
assert made["apart"] == 2 and made["compared"] == 12 and len(made["gpus"]) == 12
slow = [gpu for gpu in made["gpus"] if gpu["uuid"] == "GPU-00000005-made"][0]
assert slow["host"] == "node1" and slow["device"] == 1 and slow["verdict"] == "apart"
assert slow["differs"] == "profiler nsys, most have none"
time = slow["quantities"][0]
assert time["name"] == "time" and time["apart"] and time["since_run"] == 165 and time["change_point"]
assert 0.005 <= time["least"] < 0.028 and 0.005 <= made["least"] <= time["least"] <= made["least_worst"]
assert 0.028 < time["low"] < time["change"] < time["high"] < 0.032 and time["p"] < 0.05
assert [each["name"] for each in slow["quantities"]] == ["time", "sm_clock", "power"]
END
run fleet --last 5 --format csv
expect_code 1
[ "$(grep -c '^Made GPU,.*,\(time\|sm_clock\|power\),' "$work/out")" = 36 ] || complain 'not one row per GPU and quantity'
[ "$(grep -c '^Made GPU,.*,GPU-00000005-made,.*,"time of ' "$work/out")" = 2 ] || complain 'not one row per case that is an outlier'

# the window: before night 5 all are alike; later runs do not count by --last alone
sqlite3 perflab.db "SELECT strftime('%Y-%m-%d', started_ns / 1000000000 + 5 * 86400, 'unixepoch') FROM run WHERE id = 1" >since
run fleet --since "$(cat since)" --last 0
expect_code 1
expect_out 'slower'
run fleet --since 2100-01-01
expect_code 3
expect_err 'no finished run with times since 2100-01-01: name an earlier --since'
run fleet --last 5 --smallest 20%
expect_code 0
expect_out ': 12 GPUs, 0 outliers'

# a GPU that is slow in one case only
cp perflab.db one.db
sqlite3 one.db "UPDATE trial SET median_ns = 1.05 * median_ns WHERE kernel = 'reduce' AND run_id IN (SELECT id FROM run WHERE device_id = 102)"
run fleet --db one.db --last 0
expect_code 1
grep -q '^GPU-00000002  .*  slower in 1 of 2 cases, most in reduce/shuffle/block=64,n=1024: +[45].[0-9]* %' "$work/out" ||
	complain 'the slow case is not named'

# ---- what is left out is said ----
sqlite3 perflab.db "
	UPDATE run SET emulated = 1, timed = 0 WHERE id = 100;
	UPDATE run SET state = 'running' WHERE id = 101;
	UPDATE trial SET median_ns = NULL, sample_count = 0 WHERE id = 1020;
	UPDATE trial SET median_ns = 0 WHERE id = 1021;
	UPDATE trial SET median_ns = 9e999 WHERE id = 1030;
	UPDATE trial SET code_hash = NULL WHERE id = 1031;
	UPDATE round SET power_w = 9e999 WHERE trial_id = 1031;
	UPDATE round SET power_w = 0 WHERE trial_id = 1040"
run fleet --last 5
expect_code 1
expect_out ': 12 GPUs, 2 outliers'
expect_err 'left out: 1 emulated run, which have no times'
expect_err 'left out: 1 run that did not finish'
expect_err 'left out: 3 trials whose median is missing, 0 or no number'
expect_err 'left out: 1 trial without a code hash'

# the view leaves out the same: an emulated run, one that did not finish, and trials without a number or a code hash
sqlite3 perflab.db "SELECT count(*) FROM gpu_nights WHERE run_id IN (100, 101);
	SELECT cases, abs(power_w) < 9e999 IS NOT FALSE FROM gpu_nights WHERE run_id = 103;
	SELECT power_w > 400 FROM gpu_nights WHERE run_id = 104" >figures
printf '%s\n' 0 '0|1' 1 | cmp -s - figures || complain "the view has what does not count: $(cat figures)"

# other code is not compared, nor a GPU without a uuid
sqlite3 perflab.db "
	UPDATE trial SET code_hash = 'other' WHERE run_id IN (SELECT id FROM run WHERE device_id = 105);
	UPDATE device SET uuid = NULL WHERE id = 107"
run fleet --last 5
expect_code 0
expect_out ': 12 GPUs, 0 outliers'
expect_out 'Not compared: GPU-00000005: fewer than 3 GPUs of its model have timed the same case'
expect_out 'Not compared: one without a uuid: it has no uuid, so it cannot be told from'
expect_err 'left out: 10 runs of GPUs without a uuid'
finish
