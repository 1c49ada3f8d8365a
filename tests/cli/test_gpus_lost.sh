# GPUs that are lost in a sweep: on several GPUs, and on one.
. "$(dirname "$0")/gpus_lib.sh"

# A GPU that dies in the middle: the others take over, nothing is lost, nothing is there twice.
export FAKE_WORKER_SCRIPT=gpu_dies_measure-1:1
run $cases --gpus all
expect_code 3
expect_err 'GPU 1 cannot go on'
expect_err 'GPU 1 has fallen off the bus'
expect_err 'other GPUs take over its cases'
expect_whole 100
expect_value 100 "SELECT count(*) FROM trial WHERE status = 'ok'"
expect_value 500 'SELECT count(*) FROM round'
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
# whoever reads the database later sees why it has no run
expect_value 1 "SELECT count(*) FROM environment WHERE key = 'gpus.absent.1'
	AND value LIKE 'GPU-00000001-0000-0000-0000-000000000000: %fallen off the bus%'"
expect_value 1 'SELECT count(*) FROM environment WHERE key LIKE "gpus.absent%"'
run report last --db g.db
expect_out 'GPUs: 1 of 2 have a run here'
expect_out 'no run: given up after 3 attempts: scripted: GPU 1 has fallen off the bus'
run report 1 --db g.db
expect_out 'no run of GPU 1: given up after 3 attempts: scripted: GPU 1 has fallen off the bus'
run report last --db g.db --format json
expect_out '"reason": "given up after 3 attempts: scripted: GPU 1 has fallen off the bus'
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
expect_value 500 'SELECT count(*) FROM round'
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
	expect_value 500 'SELECT count(*) FROM round'
	afresh
done
# A case that crashes there, on a GPU that goes on, is its own fault.
export FAKE_WORKER_SCRIPT=crash:reduce/shuffle/block=64
run sweep reduce/shuffle --size 1024 --block-sizes 64,128 --db g.db --gpus 1 --spread
expect_code 3
expect_value 1 "SELECT count(*) FROM trial WHERE status = 'crashed'"
expect_value 1 "SELECT count(*) FROM run WHERE state = 'finished'"
afresh

# A GPU is lost without --gpus: the case in flight is not to blame; the resumed run measures it.
alone='sweep reduce/shuffle --size 1024 --block-sizes 64,128 --db g.db'
for round in 0 1; do
	export FAKE_WORKER_SCRIPT=gpu_dies_measure-$round:0
	run $alone
	expect_code 3
	expect_err "Fake GPU was lost while it measured reduce/shuffle/block="
	expect_err 'so this case is pending and did not crash'
	expect_err 'once perflab doctor finds the GPU again, continue with: perflab sweep --resume 1 --db g.db'
	expect_err 'GPU 0 has fallen off the bus'
	expect_value 2 "SELECT count(*) FROM trial WHERE status = 'pending' AND reason IS NULL"
	expect_value $((2 * round)) 'SELECT count(*) FROM round'
	expect_value interrupted 'SELECT state FROM run'
	run report last --db g.db
	expect_out 'failed    given up after 3 attempts: scripted: GPU 0 has fallen off the bus'
	expect_no_out 'crashed'
	unset FAKE_WORKER_SCRIPT
	rm -f state*
	run sweep --resume last --db g.db
	expect_code 0
	expect_value 2 "SELECT count(*) FROM trial WHERE status = 'ok'"
	expect_value 10 'SELECT count(*) FROM round'
	expect_no_out 'fallen off the bus'
	afresh
done
# in the last case that was left, whose loss no other case shows
export FAKE_WORKER_SCRIPT=gpu_dies_measure-0:0
run sweep reduce/shuffle --size 1024 --block-sizes 64 --db g.db --rounds 1
expect_code 3
expect_err 'Fake GPU was lost while it measured reduce/shuffle/block=64,n=1024, so'
expect_value pending 'SELECT status FROM trial'
afresh
# while counters are read: no time is lost, and the run that goes on only counts
export FAKE_WORKER_SCRIPT=gpu_dies_count:0
run $alone --metrics core
expect_code 3
expect_no_err 'was lost while it measured'
expect_err 'once perflab doctor finds the GPU again, continue with: perflab sweep --resume 1 --db g.db'
expect_value 1 "SELECT count(*) FROM environment WHERE key = 'gpus.failed'
	AND value LIKE '%fallen off the bus%'"
expect_value 10 'SELECT count(*) FROM round'
unset FAKE_WORKER_SCRIPT
rm -f state* log*
run sweep --resume last --db g.db
expect_code 0
expect_value 2 "SELECT count(*) FROM trial WHERE status = 'ok'"
grep -q 'measure-' log && complain 'a case was measured again'
afresh
# A case that crashed before, and after which a worker has opened the GPU, is not acquitted.
export FAKE_WORKER_SCRIPT='crash:reduce/shuffle/block=64;gpu_dies_count:0'
run $alone --metrics core --rounds 1
expect_code 3
expect_err 'GPU 0 has fallen off the bus'
expect_no_err 'was lost while it measured'
expect_value 1 "SELECT count(*) FROM trial WHERE status = 'crashed'"
afresh
# One whose worker dies, and a case that hangs, are their own fault if the GPU is still there.
for fault in crash hang; do
	export FAKE_WORKER_SCRIPT=$fault:reduce/shuffle/block=64
	run $alone --timeout 1s --rounds 1
	expect_code 3
	expect_value 1 "SELECT count(*) FROM trial WHERE status IN ('crashed', 'timeout')"
	expect_value 1 "SELECT count(*) FROM trial WHERE status = 'ok'"
	expect_value finished 'SELECT state FROM run'
	expect_no_err 'was lost while'
	expect_value 0 "SELECT count(*) FROM environment WHERE key = 'gpus.failed'"
	afresh
done
finish
