# What is to blame when a case loses its worker: the case, the GPU, or the program of the worker.
. "$(dirname "$0")/gpus_lib.sh"
command -v sqlite3 >/dev/null || skip 'sqlite3 is not here'
export FAKE_WORKER
one='sweep reduce/shuffle --size 1024 --block-sizes 64 --db g.db --rounds 1'
two='sweep reduce/shuffle --size 1024 --block-sizes 64,128 --db g.db'

# The workers after the one that crashes do what $AFTER says; `exit`: they do not start.
cat >worker <<-'END'
	#!/bin/sh
	if grep -q ' measure-' "$FAKE_WORKER_LOG" 2>/dev/null; then
		[ "$AFTER" != exit ] || exit 3
		export FAKE_WORKER_SCRIPT="$AFTER"
	fi
	exec "$FAKE_WORKER"
END
chmod +x worker
export PERFLAB_WORKER_CUDA="$work/worker"

# No worker can be started after a crash, but nothing says that the GPU is lost.
for after in exit open_fail open_busy; do
	export AFTER=$after FAKE_WORKER_SCRIPT=crash
	# after the last case all is measured
	run $one
	expect_code 3
	expect_value crashed 'SELECT status FROM trial'
	expect_value finished 'SELECT state FROM run'
	expect_value 0 "SELECT count(*) FROM environment WHERE key = 'gpus.failed'"
	expect_no_err 'was lost while'
	expect_err 'whether the GPU is lost is not known, because no worker could be started after reduce/shuffle/block=64,n=1024: '
	afresh
	# in the middle the run ends, and the case stays what it is
	export FAKE_WORKER_SCRIPT=crash
	run $two --rounds 1
	expect_code 3
	expect_value 1 "SELECT count(*) FROM trial WHERE status = 'crashed'"
	expect_value 1 "SELECT count(*) FROM trial WHERE status = 'pending'"
	expect_value interrupted 'SELECT state FROM run'
	expect_value 0 "SELECT count(*) FROM environment WHERE key = 'gpus.failed'"
	expect_no_err 'was lost while'
	expect_no_err 'once perflab doctor finds the GPU again'
	expect_err 'continue with: perflab sweep --resume 1 --db g.db'
	afresh
done
# The driver finds no device, or dies of it.
for after in no_device open_crash; do
	export AFTER=$after FAKE_WORKER_SCRIPT=crash
	run $one
	expect_value pending 'SELECT status FROM trial'
	expect_value interrupted 'SELECT state FROM run'
	expect_err 'so this case is pending and did not crash'
	afresh
done
PERFLAB_WORKER_CUDA=$FAKE_WORKER

# The GPU dies while the counters of a case are read: they are read when the run goes on.
# Without the error that verification found: only the process that verified knows it.
counters="SELECT count(DISTINCT trial_id) || ' cases: ' || count(value) || ' of ' || count(*) || ', ' ||
	total(value) FROM counter JOIN metric ON metric.id = metric_id
	WHERE metric.name <> 'relative_error'"
run $two --metrics core
expect_code 0
whole=$(value "$counters")
afresh
export FAKE_WORKER_SCRIPT=gpu_dies_count_phase:0
run $two --metrics core
expect_code 3
expect_err 'once perflab doctor finds the GPU again, continue with: perflab sweep --resume 1 --db g.db'
expect_value 2 "SELECT count(*) FROM trial WHERE status = 'pending'"
expect_value 10 'SELECT count(*) FROM round'
unset FAKE_WORKER_SCRIPT
rm -f state* log*
run sweep --resume last --db g.db
expect_code 0
expect_value "$whole" "$counters"
grep -q 'measure-' log && complain 'a case was measured again'
afresh
# in the only case, which no other case follows
export FAKE_WORKER_SCRIPT=gpu_dies_count_phase:0
run $one --metrics core
expect_code 3
expect_value pending 'SELECT status FROM trial'
afresh
# on one of two: the other counts it
export FAKE_WORKER_SCRIPT=gpu_dies_count_phase:1
run $two --metrics core --gpus all --interference never
expect_code 3
expect_whole 2
expect_value "$whole" "$counters"
afresh
# One that kills its worker on a GPU that goes on is left without counters.
export FAKE_WORKER_SCRIPT=die_in_count
run $two --metrics core
expect_code 0
expect_value 2 "SELECT count(*) FROM trial WHERE status = 'ok'"
expect_value 2 "SELECT count(DISTINCT trial_id) FROM counter
	WHERE reason LIKE 'the worker died in counting: %'"
afresh

# The case in flight cannot be made pending: perflab does not say that it is, and no other GPU gets it.
cat >worker <<-'END'
	#!/bin/sh
	# before perflab knows that the GPU is lost: of its run only one case may be pending, the other
	if [ -e state.dead.0 ] &&
		run=$(sqlite3 g.db "SELECT run_id FROM trial WHERE status = 'crashed'") &&
		[ "$run" ] && mkdir state.kept 2>/dev/null; then
		sqlite3 -cmd '.timeout 5000' g.db "CREATE UNIQUE INDEX kept ON trial (run_id)
			WHERE status = 'pending' AND run_id = $run"
	fi
	exec "$FAKE_WORKER"
END
export PERFLAB_WORKER_CUDA="$work/worker"
for gpus in '' '--gpus all --interference never'; do
	export FAKE_WORKER_SCRIPT=gpu_dies_measure-0:0
	run $two $gpus
	expect_code 3
	expect_err 'this case could not be made pending, so it stays as it has ended: '
	expect_no_err 'so this case is pending'
	expect_value 1 "SELECT count(*) FROM trial WHERE status = 'crashed'"
	expect_whole 2
	rm -r state.kept
	afresh
done
PERFLAB_WORKER_CUDA=$FAKE_WORKER

# A case that takes the GPU with it each time is to blame, from the second time on.
export FAKE_WORKER_SCRIPT=takes_gpu:reduce/shuffle/block=64
lost_twice="FROM trial WHERE config = 'block=64,n=1024'
	AND reason LIKE 'the GPU was lost twice with this case: %GPU 0 has%; then: %GPU 0 has%'"
run $two
expect_code 3
expect_value pending "SELECT status FROM trial WHERE config = 'block=64,n=1024'"
rm -f state*
run sweep --resume 1 --db g.db
expect_code 3
expect_err 'Fake GPU was lost while it measured reduce/shuffle/block=64,n=1024 for the second time, so this case has crashed'
expect_no_err 'so this case is pending'
expect_value crashed "SELECT status $lost_twice"
rm -f state*
run sweep --resume 1 --db g.db
expect_code 3
expect_value finished 'SELECT state FROM run'
expect_value ok "SELECT status FROM trial WHERE config = 'block=128,n=1024'"
afresh
# while it is counted: it is left without counters
export FAKE_WORKER_SCRIPT=takes_gpu_in_count:reduce/shuffle/block=64
run $two --metrics core
expect_code 3
expect_err 'Fake GPU was lost while it counted reduce/shuffle/block=64,n=1024, so this case is pending until its counters are read'
rm -f state*
run sweep --resume 1 --db g.db
expect_code 3
expect_err 'Fake GPU was lost while it counted reduce/shuffle/block=64,n=1024 for the second time, so this case is left without counters'
expect_value ok "SELECT status FROM trial WHERE config = 'block=64,n=1024'"
rm -f state*
run sweep --resume 1 --db g.db
expect_code 0
expect_value 2 "SELECT count(*) FROM trial WHERE status = 'ok'"
expect_value 1 "SELECT count(DISTINCT trial_id) FROM counter
	WHERE reason LIKE 'the GPU was lost twice with this case: %GPU 0 has%; then: %GPU 0 has%'"
afresh
# In a sweep on several GPUs it takes two of them, also together with its base case and in a spread.
for way in '' '--baseline naive'; do
	for fault in takes_gpu takes_gpu_in_count; do
		export FAKE_WORKER_GPUS=4 FAKE_WORKER_SCRIPT=$fault:reduce/shuffle/block=64,n
		run $cases --metrics core --gpus all $way
		expect_code 3
		expect_whole 100
		expect_value 2 "SELECT count(*) FROM environment WHERE key = 'gpus.failed'"
		expect_value 1 "SELECT count(*) FROM environment
			WHERE key = 'gpus.lost.reduce/shuffle/block=64,n=1024'"
		if [ $fault = takes_gpu ]; then
			expect_value 99 "SELECT count(*) FROM trial WHERE status = 'ok'"
			expect_value crashed "SELECT status FROM trial WHERE reason LIKE '%were lost with this case'
				OR reason LIKE 'the GPU was lost twice with this case: %; then: %'"
		else
			expect_value 100 "SELECT count(*) FROM trial WHERE status = 'ok'"
			expect_value 1 "SELECT count(DISTINCT trial_id) FROM counter
				WHERE reason LIKE '%were lost with this case'
				OR reason LIKE 'the GPU was lost twice with this case: %; then: %'"
		fi
		afresh
	done
done
export FAKE_WORKER_GPUS=2 FAKE_WORKER_SCRIPT=takes_gpu:reduce/shuffle/block=64
run $two --gpus all --spread
expect_code 3
expect_value 1 "SELECT count(*) FROM trial WHERE status = 'crashed'"
expect_value 1 "SELECT count(*) FROM trial WHERE status = 'pending' AND config = 'block=64,n=1024'"
afresh
finish
