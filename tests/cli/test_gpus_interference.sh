# How much the GPUs of a sweep change the times of each other.
. "$(dirname "$0")/gpus_lib.sh"

# Interference: sentinels are measured alone first, each GPU in its turn, and again in the split.
measured='sweep reduce --size 1024 --block-sizes 64..1024 --db g.db'
run $measured --gpus all
expect_code 0
expect_whole 100
expect_value 500 'SELECT count(*) FROM round'
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
finish
