# The one report of a sweep on several GPUs, which are fake: split and spread, in every format.
. "$(dirname "$0")/lib.sh"
fake_worker
export FAKE_WORKER_GPUS=3 FAKE_WORKER_STATE="$work/state" PERFLAB_DB=g.db
unset PERFLAB_EPOCH_NS # a run takes some time

value() {
	"$PERFLAB" query "$1" --format csv | sed -n 2p
}

# python CODE: runs it with the output of the last command as `text`.
python() {
	python3 - "$work/out" <<-END || complain "this does not hold: $1"
		import csv, io, json, sys
		text = open(sys.argv[1], encoding="utf-8").read()
		$1
	END
}
command -v python3 >/dev/null || skip "python3 is not installed"

# ---- split ----
run sweep reduce --size 1024 --block-sizes 64..1024 --gpus all --interference always --label night
expect_code 0
expect_err '100 cases on 3 runs'
expect_err '--group'
cp "$work/out" at_end
# last and a label mean the sweep, because all of its runs have them
for reference in '' last night; do
	run report $reference
	expect_code 0
	cmp -s "$work/out" at_end || complain "not the report at the end of the sweep"
done
expect_out 'Sweep on 3 GPUs, split'
expect_out 'cases     100 (100 ok)'
expect_out 'Interference'
[ "$(grep -c '^  [012]  not found  *[+-]0.0 %  *[+-][0-9.]* to [+-][0-9.]* %  reduce/' "$work/out")" = 9 ] ||
	complain 'not three sentinels of each GPU'
for gpu in 0 1 2; do
	cases=$(value "SELECT count(*) FROM trial JOIN run ON run.id = run_id WHERE device_ordinal = $gpu")
	id=$(value "SELECT id FROM run WHERE device_ordinal = $gpu")
	grep -Eq "^ +$gpu  Fake GPU  GPU-0000000$gpu-[-0-9]+ +$id +$cases +[0-9.]+  not pinned +-\$" "$work/out" ||
		complain "GPU $gpu is not listed with its run and its cases"
done
# a number means that run, also where a revision begins with it; --group its sweep
cp g.db other.db
! command -v sqlite3 >/dev/null || sqlite3 other.db "UPDATE run SET source_revision = '2' || source_revision"
run report 2 --db other.db
expect_out 'Run 2'
expect_no_out 'Sweep on'
run report 2 --group
cmp -s "$work/out" at_end || complain "--group is not the sweep of the run"
# the GPU of each case is where it was stored
run report last --all
[ "$(grep -c 'BLOCK$' "$work/out")" = 1 ] && grep -q 'GPU  BLOCK$' "$work/out" || complain 'no column of the GPU'
run report last 'reduce/shuffle' --columns gpu,block --sort block --format csv
expect_code 0
sed 1d "$work/out" | while IFS=, read -r _ _ _ _ _ gpu block; do
	want=$(value "SELECT device_ordinal FROM run JOIN trial ON run_id = run.id WHERE variant = 'shuffle'
		AND config LIKE 'block=$block,%'")
	[ "$gpu" = "$want" ] || echo "block $block: GPU $gpu, stored of $want"
done >wrong
[ ! -s wrong ] || complain "$(cat wrong)"
refused 2 '--columns: run 1 has no column "gpu": it is of one GPU; --group shows all GPUs of its sweep' \
	report 1 --columns block,gpu
refused 2 '--sort: run 1 has no column "gpu": it is of one GPU; --group' report 1 --sort gpu
run report 1 --group --columns gpu
expect_code 0
run report 1
expect_out 'all GPUs    perflab report 1 --group'
run report 1 --group
expect_no_out 'all GPUs'
run report last --format csv
python '
rows = list(csv.DictReader(io.StringIO(text)))
assert len(rows) == 100 and {row["gpu"] for row in rows} == {"0", "1", "2"}
assert all(row["gpu_uuid"].startswith("GPU-0000000" + row["gpu"]) for row in rows)
assert len({row["run_uid"] for row in rows}) == 3'
run report last --format json
python '
data = json.loads(text)
assert data["run"]["id"] is None and data["run"]["label"] == "night" and len(data["trials"]) == 100
gpus = data["gpus"]
assert gpus["mode"] == "split" and gpus["gpus"] == 3 and gpus["differences"] == []
for gpu in gpus["runs"]:
    assert gpu["cases"] == sum(trial["gpu"] == gpu["gpu"] for trial in data["trials"])
    assert gpu["interference"] == "not found" and len(gpu["sentinels"]) == 3
    for sentinel in gpu["sentinels"]:
        assert sentinel["low"] <= sentinel["change"] <= sentinel["high"]
        assert sentinel["case"].startswith("reduce/")'
run report last --format md
expect_out '### perflab: Sweep on 3 GPUs, split'
expect_out '#### Interference'
if command -v gnuplot >/dev/null; then
	run report last -o roofline.svg
	expect_code 0
fi
# about one run
run report last --compare 1
expect_code 2
expect_err 'perflab regress compares them'
refused 2 '--group does not work with --compare' report 1 --group --compare 2
refused 2 '--group does not work with --lines' report 1 --group --lines
# a part of the cases
run report last 'reduce/shuffle/*'
expect_out 'cases     5 of 100 (5 ok) that match reduce/shuffle/*'
refused 2 'no case of this sweep matches "reduce/absent"' report last 'reduce/absent'

# ---- roofs are of one GPU ----
rm -f g.db*
run ceilings --device 1
expect_code 0
run sweep reduce/shuffle --size 1024 --block-sizes 64..512 --gpus all
expect_code 0
expect_out 'roofs     those of GPU 1, for all GPUs'

# ---- disturbed, and a GPU that failed ----
rm -f g.db* state*
FAKE_WORKER_SCRIPT=gpu_dies_measure-1:1 "$PERFLAB" sweep reduce --size 1024 --block-sizes 64..1024 --gpus all -q >/dev/null 2>&1
run report
expect_out 'cases     100 (100 ok)'
expect_out ', finished'
grep -q '^  1  Fake GPU .*  failed: .*GPU 1 has fallen off the bus' "$work/out" || complain 'the failed GPU is not named'
expect_out 'not measured: the run was interrupted'

# the first GPU is no other than the others
rm -f g.db* state*
FAKE_WORKER_SCRIPT=gpu_dies_measure-1:0 "$PERFLAB" sweep reduce --size 1024 --block-sizes 64..1024 --gpus all -q >/dev/null 2>&1
run report
expect_out 'cases     100 (100 ok)'
expect_out ', finished'
grep -q '^  0  Fake GPU .*  failed: ' "$work/out" || complain 'the failed GPU is not named'

# ---- spread ----
rm -f g.db* state*
FAKE_WORKER_SCRIPT=slow_on_2:reduce/shuffle/block=128 "$PERFLAB" sweep reduce/shuffle --size 1024 \
	--block-sizes 64..512 --gpus all --spread -q >at_end 2>&1
run report
expect_code 0
cmp -s "$work/out" at_end || complain "not the report at the end of the sweep"
expect_out 'Sweep on 3 GPUs, spread'
expect_out 'Time against GPU 0, judged as perflab regress does'
grep -Eq '^  1 +4 +\+0\.00 % +[-+]0\.[0-9]+ to [-+]0\.[0-9]+ % +0 +0 +' "$work/out" || complain 'GPU 1 differs'
grep -Eq '^  2 +4 +\+10\.6[5-8] % +\+[0-9.]+ to \+[0-9.]+ % +1 +0 +0 +\+49\.9[0-9] %  reduce/shuffle/block=128,n=1024$' \
	"$work/out" || complain 'GPU 2 does not differ'
[ "$(grep -c 'slower   reduce/shuffle' "$work/out")" = 1 ] || complain 'not one case that differs'
expect_no_out 'Interference'
run report last block=64
expect_no_out 'Cases that differ'
# what takes one run says which one it took
newest=$(value "SELECT id FROM run ORDER BY started_ns DESC, id DESC LIMIT 1")
others=$(value "SELECT group_concat(id, ', ') FROM (SELECT id FROM run WHERE id <> $newest ORDER BY id)" | tr -d '"')
taken="\"last\" is a sweep on several GPUs; this is its run $newest alone, and the others are $others"
other=${others%%,*}
for command in 'export last --format bmf' 'mark last good' "report $other --compare last -o page.html" \
	"report last --compare $other -o page.html" "regress --base $other --allow-different"; do
	run $command
	expect_err "$taken"
done
run export "$newest" --format bmf
expect_no_err 'several GPUs'
run report last --format json
python '
data = json.loads(text)
assert len(data["trials"]) == 12 and data["gpus"]["mode"] == "spread"
by_gpu = {each["gpu"]: each for each in data["gpus"]["differences"]}
assert sorted(by_gpu) == [1, 2]
assert abs(by_gpu[1]["mean"]["change"]) < 1e-4
slow = {each["case"]: each for each in by_gpu[2]["cases"]}["reduce/shuffle/block=128,n=1024"]
assert slow["verdict"] == "regressed" and slow["low"] < 0.5 < slow["high"]
# the mean of the logarithms of four cases, one of which takes half as long again
assert abs(by_gpu[2]["mean"]["change"] - (1.4997 ** 0.25 - 1)) < 2e-4
assert by_gpu[2]["mean"]["low"] <= by_gpu[2]["mean"]["change"] <= by_gpu[2]["mean"]["high"]'
refused 2 'svg does not show a spread over GPUs' report last -o spread.svg
# the base of a label is on the GPU of the head
"$PERFLAB" sweep reduce/shuffle --size 1024 --block-sizes 64..512 --gpus all --spread -q --label next >/dev/null 2>&1
for gpu in 0 1 2; do
	run regress --base next --head "$(value "SELECT id FROM run WHERE device_ordinal = $gpu AND label IS NULL")"
	expect_code 0
done

# one GPU differs from none, so its cases are shown
rm -f g.db* state*
run sweep reduce/shuffle --size 1024 --block-sizes 64..512 --gpus 1 --spread
expect_code 0
expect_out 'Sweep on 1 GPU, spread'
expect_out 'reduce/shuffle (n=1024): 4 cases'
expect_no_out 'Time against'
expect_err 'on 1 run in'

# the first GPU fails: the others are compared with the next one, and the sweep is not finished
rm -f g.db* state*
FAKE_WORKER_SCRIPT='gpu_dies_measure-0:0;slow_on_2:reduce/shuffle/block=128' "$PERFLAB" sweep reduce/shuffle \
	--size 1024 --block-sizes 64..512 --gpus all --spread >/dev/null 2>"$work/err"
failed=$(value "SELECT id FROM run WHERE device_ordinal = 0")
expect_err "run $failed has 4 cases that no GPU measured; continue with: perflab sweep --resume $failed --db g.db"
run report
expect_out ', interrupted'
expect_out 'Time against GPU 1, judged as perflab regress does'
grep -Eq '^  0 +0 +- ' "$work/out" || complain 'GPU 0 has no row'
grep -Eq '^  2 +4 +\+10\.6[5-8] % ' "$work/out" || complain 'GPU 2 does not differ'
run report --format json
python '
gpus = json.loads(text)["gpus"]
assert gpus["base"] == 1 and [each["gpu"] for each in gpus["differences"]] == [0, 2]'

# GPUs of two models: no roof holds for both
rm -f g.db* state*
run ceilings --device 0
FAKE_WORKER_SCRIPT=other_model:2 "$PERFLAB" sweep reduce/shuffle --size 1024 --block-sizes 64..128 --gpus all \
	--spread -q >/dev/null 2>&1
run report last --all
expect_out 'Fake GPU XL'
expect_no_out 'roofs '
run report last --format json
python '
data = json.loads(text)
assert data["run"]["device"]["name"] is None and not data["gpus"]["one_model"] and data["ceilings"] == []'

# ---- a part of the sweep, as after a merge of one run ----
if command -v sqlite3 >/dev/null; then
	sqlite3 g.db "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id = (SELECT run_id FROM environment
		JOIN run ON run.id = run_id WHERE key = 'gpus.group' AND device_ordinal = 1)"
	run report
	expect_out 'GPUs: 2 of 3 have a run here'
fi

# ---- no sweep on several GPUs ----
rm -f g.db*
run sweep reduce/shuffle --size 1024 --block-sizes 64
run report
expect_out 'Run 1'
refused 2 '--group: run 1 is of no sweep on several GPUs' report 1 --group
refused 2 'run 1 has no column "gpu": only sweeps on several GPUs have it' report 1 --columns gpu
expect_no_err '--group'
run report 1
expect_no_out 'all GPUs'
finish
