# A sweep on several GPUs that is interrupted.
. "$(dirname "$0")/gpus_lib.sh"

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
finish
