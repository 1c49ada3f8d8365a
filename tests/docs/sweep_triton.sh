#!/bin/sh
# Sweeps the PTX that Triton made of the examples (docs/examples/triton/recorded) on the emulator:
# every case must be verified, with the counts of what the kernels do.
# usage: sweep_triton.sh SOURCE-FOLDER BUILD-FOLDER
set -eu
recorded=$1/docs/examples/triton/recorded
perflab=$2/bin/perflab
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset PERFLAB_DB

fail() {
	echo "sweep_triton: $*" >&2
	cat said.txt >&2
	exit 1
}

# sweep_cases EXIT COUNT STATUS ARGUMENT …: the sweep must end with EXIT and have as many cases, all
# of this status.
sweep_cases() {
	wanted=$1
	count=$2
	status=$3
	shift 3
	ended=0
	"$perflab" sweep "$@" --backend ptx --db triton.db -q >said.txt 2>&1 || ended=$?
	[ $ended -eq "$wanted" ] || fail "exit $ended, not $wanted: sweep $*"
	"$perflab" query --db triton.db --format csv "SELECT count(*), sum(trial.status = '$status')
		FROM trial WHERE run_id = (SELECT max(id) FROM run)" >said.txt 2>&1 || fail "query"
	[ "$(tail -n 1 said.txt)" = "$count,$count" ] || fail "not $count cases are $status: $*"
}

sweep_cases 0 6 ok "$recorded"/add.*.ptx
sweep_cases 0 5 ok "$recorded"/softmax.*.ptx
# Sizes that the compiler did not expect.
sweep_cases 4 6 skipped "$recorded"/add.*.ptx --set n=1000
sweep_cases 4 5 skipped "$recorded"/softmax.*.ptx --set columns=1024
"$perflab" report 1 --lines add/BLOCK_SIZE1024-warps4-stages3 --db triton.db >said.txt 2>&1 ||
	fail "report --lines"
grep -q '^docs/examples/triton/add.py$' said.txt || fail "no lines of add.py"
echo "sweep_triton: ok"
