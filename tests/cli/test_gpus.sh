# A sweep on several GPUs, which are fake: split, spread, GPUs that die, and interruptions.
. "$(dirname "$0")/lib.sh"
fake_worker
export FAKE_WORKER_GPUS=2 FAKE_WORKER_STATE="$work/state" FAKE_WORKER_LOG="$work/log"
cases='sweep reduce --size 1024 --block-sizes 64..1024 --db g.db --interference never'

# value SQL: the only value of a query
value() {
	"$PERFLAB" query "$1" --db g.db --format csv | sed -n 2p
}

# expect_value VALUE SQL
expect_value() {
	got=$(value "$2")
	[ "$got" = "$1" ] || complain "$2 gives '$got', expected '$1'"
}

# expect_whole COUNT: each of the cases of the plan is there once.
expect_whole() {
	expect_value "$1" 'SELECT count(*) FROM trial'
	expect_value "$1" "SELECT count(DISTINCT kernel || variant || config) FROM trial"
}

afresh() {
	rm -f g.db g.db-* state* log*
	unset FAKE_WORKER_SCRIPT
	export FAKE_WORKER_GPUS=2
}

# Split: each case once, on one of the GPUs, and a run for each GPU.
run $cases --gpus all
expect_code 0
expect_whole 100
expect_value 100 "SELECT count(*) FROM trial WHERE status = 'ok'"
expect_value 2 "SELECT count(*) FROM run WHERE state = 'finished'"
expect_value 2 "SELECT count(DISTINCT device_id) FROM run"
expect_value 2 "SELECT count(DISTINCT run_id) FROM trial"
expect_value 1 "SELECT count(DISTINCT value) FROM environment WHERE key = 'gpus.group'"
expect_value 2 "SELECT count(*) FROM environment WHERE key = 'gpus.mode' AND value = 'split'"
expect_value 300 'SELECT count(*) FROM round'
[ "$(grep -c 'measure-[0-2] ' "$work/log")" = 300 ] || complain 'a case was measured on both GPUs'
# Each GPU takes its own variants first, then those of the other from their end. So few are on both:
# the one where they meet, and the one of the case that each GPU has from the beginning.
expect_value 1 "SELECT count(*) <= 3 FROM (SELECT variant FROM trial GROUP BY variant
	HAVING count(DISTINCT run_id) > 1)"
expect_err '100 cases on 2 runs'
expect_out 'GPU-00000001-0000-0000-0000-000000000000'
# the runs are ordinary ones: --decide and reports take them
run report 1 --db g.db
expect_code 0
afresh

# Four of them, in the order of their numbers, by number and by the beginning of a UUID.
export FAKE_WORKER_GPUS=4
run $cases --gpus 3,1,GPU-00000002 --format csv
expect_code 0
expect_whole 100
expect_value 3 'SELECT count(DISTINCT device_id) FROM run'
run report last --columns gpu --format csv --db g.db
[ "$(sed 1d "$work/out" | sed 's/.*,//' | sort -u | paste -sd' ')" = '1 2 3' ] || complain 'other GPUs'
afresh

# Each GPU gets a case even if there are few; a case stays with its base case.
run sweep reduce/shuffle reduce/sequential --baseline sequential --size 1024 --block-sizes 64..256 \
	--db g.db --gpus all
expect_code 0
expect_whole 6
expect_value 2 "SELECT count(DISTINCT run_id) FROM trial"
expect_value 0 "SELECT count(*) FROM trial AS a JOIN speedup ON speedup.trial_id = a.id
	LEFT JOIN trial AS b ON b.run_id = a.run_id AND b.variant = 'sequential'
	AND b.config = a.config WHERE b.id IS NULL"
afresh

# Skipped cases are stored once, too.
run sweep matmul --size 64 --db g.db --gpus all
expect_value "$(value 'SELECT count(DISTINCT variant || config) FROM trial')" \
	'SELECT count(*) FROM trial'
[ "$(value "SELECT count(*) FROM trial WHERE status = 'skipped'")" -gt 0 ] ||
	complain 'no case was skipped'
afresh

# A GPU that gets only skipped cases, or none, does no harm. Only skipped ones are reported as ever.
for time in 1 2 3; do
	run sweep matmul/tiled --size 64 --block-sizes 64,128 --db g.db --gpus all
	expect_code 0
	expect_value 2 'SELECT count(*) FROM trial'
	afresh
done
run sweep matmul/tiled --size 64 --block-sizes 128 --db g.db --gpus all
expect_code 4
expect_err 'nothing to run: every case was skipped'
afresh

# Spread: every case on every GPU, also of other models.
export FAKE_WORKER_SCRIPT=other_model:1
run sweep reduce --size 1024 --block-sizes 64..1024 --db g.db --gpus all --spread
expect_code 0
expect_value 200 "SELECT count(*) FROM trial WHERE status = 'ok'"
expect_value 2 "SELECT count(DISTINCT name) FROM device"
expect_value 2 "SELECT count(*) FROM environment WHERE key = 'gpus.mode' AND value = 'spread'"
afresh

# How they differ: the second is slower in one case of four.
export FAKE_WORKER_SCRIPT=slow_on_1:reduce/shuffle/block=128
run sweep reduce/shuffle --size 1024 --block-sizes 64..512 --db g.db --gpus all --spread
expect_code 0
expect_out 'Time against GPU 0'
grep -Eq '^ *1 +4 +\+10\.6[5-8] % .* 1 +0 +0 +\+49\.9[0-9] %  reduce/shuffle/block=128,n=1024$' "$work/out" ||
	complain 'the difference between the GPUs is missing'
afresh

# A GPU that dies in the middle: the others take over, nothing is lost, nothing is there twice.
export FAKE_WORKER_SCRIPT=gpu_dies_measure-1:1
run $cases --gpus all
expect_code 3
expect_err 'GPU 1 cannot go on'
expect_err 'GPU 1 has fallen off the bus'
expect_err 'other GPUs take over its cases'
expect_whole 100
expect_value 100 "SELECT count(*) FROM trial WHERE status = 'ok'"
expect_value 300 'SELECT count(*) FROM round'
expect_value 1 "SELECT count(*) FROM run WHERE state = 'interrupted'"
expect_value 1 "SELECT count(*) FROM environment WHERE key = 'gpus.failed'
	AND value LIKE '%fallen off the bus%'"
dead=$(value "SELECT id FROM run WHERE state = 'interrupted'")
[ "$(value "SELECT count(*) FROM trial WHERE run_id = $dead")" -ne 0 ] ||
	refused 2 'other GPUs of its sweep measured them' sweep --resume "$dead" --db g.db
afresh

# One that is another GPU after a reset is not measured as if it were the same.
export FAKE_WORKER_SCRIPT=gpu_dies_measure-0:1
run $cases --gpus all
expect_code 3
expect_whole 100
expect_value 100 "SELECT count(*) FROM trial WHERE status = 'ok'"
afresh
export FAKE_WORKER_SCRIPT=swapped:1
run $cases --gpus all
expect_code 3
expect_err 'a GPU was taken away or added'
expect_whole 100
expect_value 0 "SELECT count(*) FROM device WHERE uuid LIKE 'GPU-9999%'"
afresh

# It dies when all others have ended: one of them begins another run for what is left.
export FAKE_WORKER_SCRIPT='gpu_dies_count:1;gpu_dies_last'
"$PERFLAB" $cases --gpus all >"$work/out" 2>"$work/err" &
sweep=$!
has_finished_run() {
	[ "$(value "SELECT count(*) FROM run WHERE state = 'finished'" 2>/dev/null)" = 1 ]
}
await_of $sweep 'a GPU has finished' has_finished_run
: >"$work/state.go"
end_of $sweep
expect_code 3
expect_out 'took over cases'
expect_whole 100
expect_value 3 'SELECT count(*) FROM run'
expect_value 100 "SELECT count(*) FROM trial WHERE status = 'ok'"
afresh

# It dies in the last case that it has, and no other shows that it is dead.
for round in 0 1; do
	export FAKE_WORKER_SCRIPT=gpu_dies_measure-$round:0
	run sweep reduce/shuffle --size 1024 --block-sizes 64,128 --db g.db --gpus all --interference never
	expect_code 3
	expect_err 'GPU 0 has fallen off the bus'
	expect_whole 2
	expect_value 2 "SELECT count(*) FROM trial WHERE status = 'ok'"
	afresh
done
# One that crashes on each GPU is its own fault.
export FAKE_WORKER_SCRIPT=crash
run sweep reduce/shuffle --size 1024 --block-sizes 64,128 --db g.db --gpus all --interference never
expect_code 3
expect_value 2 "SELECT count(*) FROM trial WHERE status = 'crashed'"
expect_value 2 "SELECT count(*) FROM run WHERE state = 'finished'"
expect_no_err 'cannot go on'
afresh

# It is gone before it is opened.
touch state.dead.1
run $cases --gpus all
expect_code 3
expect_err 'has fallen off the bus; perflab doctor says what the worker can do here; it has measured nothing'
expect_no_err 'it had finished its cases'
expect_err '100 cases on 1 run in'
expect_whole 100
afresh
touch state.dead.0 state.dead.1
run $cases --gpus all
expect_code 3
expect_value 0 'SELECT count(*) FROM run'
expect_no_err 'it had finished its cases'
afresh

# The database is removed while two GPUs write into it: each has a copy, and perflab says what to do.
cat >worker <<-'END'
	#!/bin/sh
	echo >>starts
	[ "$(wc -l <starts)" -lt 5 ] || ! mkdir removed 2>/dev/null || rm g.db g.db-*
	exec "$FAKE_WORKER"
END
chmod +x worker
export FAKE_WORKER PERFLAB_WORKER_CUDA="$work/worker"
run $cases --gpus all
PERFLAB_WORKER_CUDA=$FAKE_WORKER
expect_code 3
expect_err 'g.db is gone: the runs may have cases in common. Join the copies that are named above with perflab merge, then continue each run with --resume'
expect_no_err 'perflab sweep` creates it'
mkdir -p copies
mv g.db.rescued* copies
run merge copies/* --db g.db
expect_code 0
for number in 1 2; do
	run sweep --resume $number --db g.db
	expect_code 0
done
expect_value 100 "SELECT count(DISTINCT variant || config) FROM trial WHERE status = 'ok'"
rm -r copies starts removed
afresh

# All die.
export FAKE_WORKER_SCRIPT='gpu_dies_measure-0:0;gpu_dies_measure-0:1'
run $cases --gpus all
expect_code 3
expect_err 'has fallen off the bus'
expect_err 'no GPU is left for its cases'
expect_value 0 "SELECT count(*) FROM run WHERE state = 'finished'"
# each run can be resumed, and together they have each case once; no case is to blame
expect_whole 100
expect_value 100 "SELECT count(*) FROM trial WHERE status = 'pending'"
for number in 1 2; do
	expect_err "run $number has 50 cases that no GPU measured; continue with: perflab sweep --resume $number --db g.db"
done
run report last --db g.db
expect_out 'cases     100 (100 pending)'
expect_no_out 'crashed'
for number in 1 2; do
	expect_out "perflab sweep --resume $number --db g.db"
	run report $number --db g.db
	expect_out 'has fallen off the bus'
	expect_out "perflab sweep --resume $number --db g.db"
	run report last --db g.db
done
unset FAKE_WORKER_SCRIPT
rm -f state*
for number in 1 2; do
	run sweep --resume $number --db g.db
	expect_code 0
done
expect_value 100 "SELECT count(*) FROM trial WHERE status = 'ok'"
expect_value 300 'SELECT count(*) FROM round'
run report last --db g.db
expect_out ', finished'
expect_no_out 'failed: '
expect_no_out '--resume'
afresh

# The only one dies in the second round: what it has measured is kept, also of the case in flight.
for mode in '--interference never' --spread; do
	export FAKE_WORKER_SCRIPT=gpu_dies_measure-1:1
	run sweep reduce --size 1024 --block-sizes 64..1024 --db g.db --gpus 1 $mode
	expect_code 3
	expect_value 100 "SELECT count(*) FROM trial WHERE status = 'pending'"
	expect_value 100 'SELECT count(*) FROM round'
	expect_err 'run 1 has 100 cases that no GPU measured; continue with: perflab sweep --resume 1 --db g.db'
	unset FAKE_WORKER_SCRIPT
	rm -f state*
	run sweep --resume 1 --db g.db
	expect_code 0
	expect_value 300 'SELECT count(*) FROM round'
	afresh
done
# A case that crashes there, on a GPU that goes on, is its own fault.
export FAKE_WORKER_SCRIPT=crash:reduce/shuffle/block=64
run sweep reduce/shuffle --size 1024 --block-sizes 64,128 --db g.db --gpus 1 --spread
expect_code 3
expect_value 1 "SELECT count(*) FROM trial WHERE status = 'crashed'"
expect_value 1 "SELECT count(*) FROM run WHERE state = 'finished'"
afresh

# Interrupted in the first round, when most cases are nobody's, and in the second, when all have an
# owner: each run can be resumed, and together they have each case once.
hang_in() {
	[ "$(grep "measure-$1 " "$work/log" 2>/dev/null | cut -d' ' -f1 | sort -u | wc -l)" -ge 2 ]
}
for round in 0 1; do
	export FAKE_WORKER_SCRIPT=hang
	[ $round = 0 ] || FAKE_WORKER_SCRIPT='hang;in_round_1'
	"$PERFLAB" $cases --gpus all >"$work/out" 2>"$work/err" &
	sweep=$!
	await_of $sweep 'both GPUs measure' hang_in $round
	kill -INT $sweep
	end_of $sweep
	expect_code 3
	expect_err 'GPU 0: what was measured is stored; continue with: perflab sweep --resume'
	expect_err 'GPU 1: what was measured is stored; continue with: perflab sweep --resume'
	expect_whole 100
	expect_value 2 "SELECT count(*) FROM run WHERE state = 'interrupted'"
	expect_value 2 "SELECT count(*) FROM environment WHERE key = 'gpus.interference'
		AND value = 'not measured: --interference never'"
	unset FAKE_WORKER_SCRIPT
	newest=$(value 'SELECT id FROM run ORDER BY started_ns DESC, id DESC LIMIT 1')
	run sweep --resume last --db g.db
	expect_code 0
	expect_err "\"last\" is a sweep on several GPUs; this is its run $newest alone, and the others are $((3 - newest))"
	run sweep --resume $((3 - newest)) --db g.db
	expect_code 0
	expect_no_err 'is a sweep on several GPUs'
	expect_whole 100
	expect_value 100 "SELECT count(*) FROM trial WHERE status = 'ok'"
	expect_value 2 "SELECT count(*) FROM run WHERE state = 'finished'"
	afresh
done

# The parent is killed: its processes end, and no case that one has begun is in the run of another.
export FAKE_WORKER_SCRIPT='hang;in_round_1'
"$PERFLAB" $cases --gpus all >"$work/out" 2>"$work/err" &
sweep=$!
await_of $sweep 'both GPUs measure' hang_in 1
kill -9 $sweep
end_of $sweep
both_interrupted() {
	[ "$(value "SELECT count(*) FROM run WHERE state = 'interrupted'")" = 2 ]
}
await 'both processes end' both_interrupted
expect_whole 100
afresh

# Interference: sentinels are measured alone first, each GPU in its turn, and again in the split.
measured='sweep reduce --size 1024 --block-sizes 64..1024 --db g.db'
run $measured --gpus all
expect_code 0
expect_whole 100
expect_value 300 'SELECT count(*) FROM round'
expect_value 2 "SELECT count(*) FROM environment WHERE key = 'gpus.interference' AND value = 'not found'"
expect_value 6 "SELECT count(*) FROM environment WHERE key LIKE 'gpus.interference._'
	AND value LIKE '%95 \% interval%' ESCAPE '\'"
expect_no_err 'the other GPUs change its times'
afresh
export FAKE_WORKER_SCRIPT=interfered
run $measured --device 0
expect_code 0
rm -f "$work/log"
run $measured --gpus all
expect_code 0
expect_err 'the other GPUs change its times: +20'
expect_value 2 "SELECT count(*) FROM environment WHERE key = 'gpus.interference' AND value = 'found'"
expect_value 2 "SELECT count(*) FROM environment WHERE key = 'gpus.interference.found'
	AND value LIKE '+20.0 \% for reduce/%' ESCAPE '\'"
expect_out 'disturbed GPU 0: +20.0 % for reduce/'
# such a run does not compare with one of a GPU alone
split=$(value "SELECT run.id FROM run JOIN device ON device.id = device_id
	JOIN environment ON run_id = run.id AND key = 'gpus.mode'
	WHERE uuid LIKE 'GPU-00000000%'")
refused 2 'interference of other GPUs (none, then +20.0 % for reduce/' \
	regress --base 1 --head "$split" --db g.db
expect_err '--allow-different compares them anyway'
run regress --base 1 --head "$split" --db g.db --allow-different
[ "$code" -le 1 ] || complain "--allow-different: $code"
afresh
# too few cases for it, unless it is wanted
run sweep reduce/shuffle --size 1024 --block-sizes 64..512 --db g.db --gpus all
expect_value 2 "SELECT count(*) FROM environment WHERE value = 'not measured: too few cases for it'"
afresh
run sweep reduce/shuffle --size 1024 --block-sizes 64..512 --db g.db --gpus all --interference always
expect_code 0
expect_whole 4
expect_value 0 "SELECT count(*) FROM environment WHERE value LIKE 'not measured%'"
afresh
# a sentinel that fails alone is measured like any other case
export FAKE_WORKER_SCRIPT=mismatch
run sweep reduce/shuffle --size 1024 --block-sizes 64..512 --db g.db --gpus all --interference always
expect_code 1
expect_whole 4
expect_value 4 "SELECT count(*) FROM trial WHERE status = 'mismatch'"
afresh

# Each process shares data with its own workers only: a file of both would give cases wrong inputs.
cp "$(dirname "$0")/../../kernels/generated/stream/copy_scalar.ptx" copy.ptx
cat >copy.ptx.perflab <<-'ANNOTATIONS'
	axis n = 16384..1048576
	axis block = 64..256
	buffer x: f32[n] in
	buffer y: f32[n] out
	launch stream_copy_scalar<<<ceil_div(n, block), block>>>(x, y, n)
	verify y = x
ANNOTATIONS
unset PERFLAB_SHARED_MEMORY
export FAKE_WORKER_SCRIPT=data
run sweep copy.ptx --db g.db --gpus all --interference never
expect_code 0
has_line ' shared-[0-9]' "$work/log" || complain 'no data was shared'
has_line ' wrong-' "$work/log" && complain 'a case got wrong data'
export PERFLAB_SHARED_MEMORY=0
afresh

# The processors next to each GPU.
mkdir -p pci/0000:a0:00.0 pci/0000:a1:00.0
echo 0-4095 >pci/0000:a1:00.0/local_cpulist
first=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
echo "$first" >pci/0000:a0:00.0/local_cpulist
PERFLAB_PCI_FOLDER="$work/pci"
export PERFLAB_PCI_FOLDER
run $cases --gpus all --verbose
expect_code 0
expect_err ": processors $first"
expect_value "$first" "SELECT value FROM environment JOIN run ON run.id = run_id
	JOIN device ON device.id = device_id
	WHERE key = 'gpus.processors' AND uuid LIKE 'GPU-00000000%'"
expect_value 1 "SELECT count(*) FROM environment
	WHERE key = 'gpus.processors' AND value LIKE 'not pinned: %is no list of processors'"
unset PERFLAB_PCI_FOLDER
afresh

# --dry-run checks the list as a sweep does, and measures nothing.
plan="$cases --dry-run"
run $plan --gpus 1,GPU-00000000
expect_code 0
expect_err 'split over 2 GPUs: 0 (Fake GPU, GPU-00000000-0000-0000-0000-000000000000), 1 (Fake GPU, GPU-00000001'
expect_err '100 to run'
run sweep reduce --size 1024 --dry-run --gpus all --spread
expect_code 0
expect_err 'every case on each of 2 GPUs: 0 ('
refused 2 'no GPU is "5": there is 0 (GPU-' $plan --gpus 5
refused 2 'names GPU 0 twice, as "0" and as "GPU-00000000"' $plan --gpus 0,GPU-00000000
refused 2 'has an empty word' $plan --gpus 0,
refused 2 '--gpus does not go with --device: ' $plan --gpus all --device 1
refused 2 '--gpus does not go with --backend ptx' $plan --gpus all --backend ptx
export FAKE_WORKER_SCRIPT=other_model:1
refused 2 'GPU 0 is Fake GPU (132 SMs) and GPU 1 is Fake GPU XL (144 SMs)' $plan --gpus all
run sweep reduce --size 1024 --dry-run --gpus all --spread
expect_code 0
expect_err '1 (Fake GPU XL, GPU-00000001'
# without a GPU to ask it says so, and refuses what is wrong in any case
export FAKE_WORKER_SCRIPT=no_device
run $plan --gpus 0,7
expect_code 0
expect_err '--gpus 0,7 is not checked, because no GPU can be asked: there is no fake device: plug one in'
expect_err '100 to run'
refused 2 'has an empty word' $plan --gpus 0,,1
refused 2 '--gpus names "0" twice' $plan --gpus 0,1,0
[ -e g.db ] && complain 'a plan made a database'
unset FAKE_WORKER_SCRIPT

# What is refused, before a database is made.
refused 2 '--gpus is empty: give all, or numbers or UUIDs separated by commas' $cases --gpus ''
refused 2 '--gpus "0, 1" has a space: separate numbers or UUIDs by commas alone' $cases --gpus '0, 1'
refused 2 '--gpus "all,0" has all and more: all is every GPU' $cases --gpus all,0
refused 2 '"GPU-000" is too short for a UUID: give at least 8 characters of it' $cases --gpus 0,GPU-000
refused 2 'or give all' $cases --gpus ALL
CUDA_VISIBLE_DEVICES=3,4
export CUDA_VISIBLE_DEVICES
refused 2 'no GPU is "3": there is 0 (GPU-' $cases --gpus 3
expect_err 'CUDA_VISIBLE_DEVICES is "3,4", so CUDA shows no others, and numbers these from 0'
run $cases --gpus all --dry-run
expect_err 'split over the 2 GPUs that CUDA_VISIBLE_DEVICES shows: 0 (Fake GPU, '
run $cases --gpus 1 --dry-run
expect_err 'split over 1 GPU: 1 (Fake GPU, '
unset CUDA_VISIBLE_DEVICES
refused 2 'no GPU is "5": there is 0 (GPU-' $cases --gpus 5
refused 2 'no GPU is "GPU-1"' $cases --gpus GPU-1
refused 2 '2 GPUs have a UUID that begins with "GPU-0000"' $cases --gpus GPU-0000
refused 2 'names GPU 0 twice, as "0" and as "GPU-00000000"' $cases --gpus 0,GPU-00000000
refused 2 'has an empty word' $cases --gpus 0,
refused 2 'no GPU is "99999999999999999999"' $cases --gpus 99999999999999999999
refused 2 'CUDA does not list the MIG slice "MIG-1234"' $cases --gpus MIG-1234
expect_err 'once for each slice with CUDA_VISIBLE_DEVICES set to its whole UUID, which nvidia-smi -L lists'
refused 2 'with CUDA_VISIBLE_DEVICES=MIG-11111111-2222-3333-4444-555555555555' \
	$cases --gpus MIG-11111111-2222-3333-4444-555555555555
refused 2 '--gpus does not go with --device: ' $cases --gpus all --device 1
refused 2 '--gpus does not go with --shard: ' $cases --gpus all --shard 1/2
refused 2 '--gpus does not go with --decide: ' $cases --gpus all --decide
refused 2 '--gpus does not go with --resume: ' sweep --resume 1 --db g.db --gpus all
refused 2 '--gpus does not go with --backend ptx' $cases --gpus all --backend ptx
refused 2 'name them with --gpus' sweep reduce --db g.db --spread
refused 2 'name the GPUs with --gpus' sweep reduce --db g.db --interference never
refused 2 'leave it or --spread out' $cases --gpus all --spread
FAKE_WORKER_SCRIPT=other_model:1
export FAKE_WORKER_SCRIPT
refused 2 'GPU 0 is Fake GPU (132 SMs) and GPU 1 is Fake GPU XL (144 SMs)' $cases --gpus all
FAKE_WORKER_SCRIPT=no_device
refused 4 'there is no fake device: plug one in' $cases --gpus all
[ -e g.db ] && complain 'a refused sweep made a database'
# a slice that CUDA lists is a device like others
FAKE_WORKER_SCRIPT=is_slice:1
run $cases --gpus MIG-00000001
expect_code 0
expect_value 1 "SELECT count(*) FROM device WHERE uuid LIKE 'MIG-%' AND name LIKE '% MIG 1g.18gb'"
afresh
# slices of one profile split, those of two do not, nor do a slice and a whole GPU
export FAKE_WORKER_GPUS=3 FAKE_WORKER_SCRIPT='is_slice:0;is_slice:1;is_large_slice:2'
run list devices
expect_out 'MIG-00000001-0000-0000-0000-000000000000'
expect_out 'Fake GPU MIG 2g.35gb'
run $cases --gpus MIG-00000000,MIG-00000001
expect_code 0
expect_whole 100
expect_value 2 "SELECT count(DISTINCT device_id) FROM run"
expect_out 'Fake GPU MIG 1g.18gb'
refused 2 'GPU 0 is Fake GPU MIG 1g.18gb (16 SMs) and GPU 2 is Fake GPU MIG 2g.35gb (32 SMs)' $cases --gpus all
FAKE_WORKER_SCRIPT=is_slice:1
refused 2 'GPU 0 is Fake GPU (132 SMs) and GPU 1 is Fake GPU MIG 1g.18gb (16 SMs)' $cases --gpus 0,1
finish
