# Failing cases get a status and a reason, the other cases are measured, and the exit code shows the
# failure.
. "$(dirname "$0")/lib.sh"
fake_worker
export PERFLAB_DB=a.db

sweep_with() {
	FAKE_WORKER_SCRIPT=$1 run sweep reduce/shuffle --block-sizes 64..512 --size 1024 \
		--metrics none --timeout "${2:-30s}" -q
	"$PERFLAB" report --format csv >"$work/csv"
	[ "$(grep -c ',ok,' "$work/csv")" -eq "${3:-3}" ] || complain 'the other cases are not ok'
}

sweep_with mismatch:reduce/shuffle/block=64
expect_code 1
expect_err '1 case has a wrong result'
expect_out 'Failures'
for fault in crash abort kill exit; do
	sweep_with $fault:reduce/shuffle/block=64
	expect_code 3
	grep -q ',crashed,' "$work/csv" || complain "no trial is crashed by $fault"
	expect_err '1 case failed; the reasons are in the report'
done
sweep_with hang:reduce/shuffle/block=64 2s
expect_code 3
grep -q ',timeout,' "$work/csv" || complain 'no trial is timed out'
sweep_with oom:reduce/shuffle/block=64
expect_code 3
grep -q ',out_of_memory,' "$work/csv" || complain 'no trial is out of memory'
sweep_with device_error:reduce/shuffle/block=64
expect_code 3
grep -q ',device_error,' "$work/csv" || complain 'no trial has a device error'
# a wrong result decides the exit code, even if other cases failed differently
sweep_with 'mismatch:reduce/shuffle/block=64;crash:reduce/shuffle/block=128' 30s 2
expect_code 1
expect_err 'wrong result'
expect_err 'failed for another reason'
finish
