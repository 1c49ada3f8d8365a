# Without a usable backend: exit code 4 with the reason, and no database is created.
. "$(dirname "$0")/lib.sh"
no_worker

refused 4 'no-such-worker' sweep reduce
[ -e perflab.db ] && complain 'a database was created'
run doctor
expect_code 4
expect_out 'no-such-worker'
expect_out 'cannot run here'
run doctor --format json
expect_code 4
expect_out '"check": "sweep"'
run sweep reduce/shuffle --dry-run
expect_code 0
expect_err 'no device'
expect_out 'reduce/shuffle/block=256,n='

# a program that is not a worker
printf '#!/bin/sh\nexit 3\n' >"$work/broken"
chmod +x "$work/broken"
export PERFLAB_WORKER_CUDA="$work/broken"
run doctor
expect_code 4
expect_out 'worker answers'
run sweep reduce/shuffle --size 4096
[ "$code" -eq 3 ] || [ "$code" -eq 4 ] || complain "exit code $code"
expect_err 'broken'
finish
