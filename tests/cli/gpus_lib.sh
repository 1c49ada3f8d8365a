# Sourced by the tests of sweeps on several GPUs, which are fake.
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
