# scripts/reframe/perflab_check.py, with ReFrame where it is installed: `reframe` in PATH, or a
# Python path in $PERFLAB_REFRAME. Elsewhere with the stub of tests/cluster/reframe_stub.
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
check=$here/../../scripts/reframe/perflab_check.py
cd "$work" || exit 1
command -v python3 >/dev/null || skip 'python3 is not installed'
fake_worker
export PERFLAB PYTHONDONTWRITEBYTECODE=1
unset PERFLAB_BASELINE
# ReFrame keeps its reports and its database there.
export HOME="$work/home"
mkdir "$HOME"

if [ -n "${PERFLAB_REFRAME:-}" ]; then
	export PYTHONPATH="$PERFLAB_REFRAME"
	set -- /usr/bin/python3 -c 'import reframe.frontend.cli as cli; cli.main()'
elif command -v reframe >/dev/null; then
	set -- reframe
else
	echo 'ReFrame is not installed: a stub of it runs the check'
	export PYTHONPATH="$here/reframe_stub"
	set -- python3 -m reframe
fi
number=0

# checked WORD…: runs the check in a new folder; see `run`.
checked() {
	number=$((number + 1))
	command_line="reframe $*"
	timeout "$(seconds_left)" "$@" --nocolor --prefix "$work/rfm-$number" -c "$check" -r \
		--performance-report >"$work/out" 2>"$work/err" </dev/null
	code=$?
}

# expect_missed VARIABLE: this one alone is not as in the baseline.
expect_missed() {
	expect_out 'performance error: failed to meet reference'
	grep ' fail$' "$work/out" >missed
	[ "$(wc -l <missed)" -eq 1 ] || complain "not one failed: $(cat missed)"
	grep -qE "$1 +(ns|count) " missed || complain "it is not $1"
}

run sweep reduce/shuffle --block-sizes 64,128 --size 4096 --db base.db -q
run report last --db base.db -f json -o baseline.json
expect_code 0
# edited FILE CODE: the baseline after these statements on `run` and `trials`.
edited() {
	python3 -c "import json
report = json.load(open('baseline.json'))
run, trials = report['run'], report['trials']
$2
json.dump(report, open('$1', 'w'))"
}

export PERFLAB_BASELINE=baseline.json
checked "$@" -S perflab_check.counters=blocks
expect_code 0
expect_out 'PASSED'
expect_out 'reduce/shuffle/block=64,n=4096'
expect_out 'reduce/shuffle/block=128,n=4096 blocks'

# The stand-in worker gives the same times again, so another baseline decides.
edited slow.json "trials[1]['summary']['median_ns'] *= 2; trials[1]['summary']['session_high_ns'] *= 2
trials[1]['summary']['session_low_ns'] *= 2"
PERFLAB_BASELINE=slow.json checked "$@"
expect_code 0
edited fast.json "trials[1]['summary']['median_ns'] *= 0.9"
PERFLAB_BASELINE=fast.json checked "$@"
expect_code 1
expect_missed 'reduce/shuffle/block=128,n=4096'
PERFLAB_BASELINE=fast.json checked "$@" -S perflab_check.margin=0.2
expect_code 0
edited counted.json "next(c for c in trials[0]['counters'] if c['metric'] == 'blocks')['value'] += 1"
PERFLAB_BASELINE=counted.json checked "$@" -S perflab_check.counters=blocks
expect_code 1
expect_missed 'reduce/shuffle/block=64,n=4096 blocks'

# what cannot be compared
edited other.json "run['device']['name'] = 'another GPU'"
PERFLAB_BASELINE=other.json checked "$@"
expect_code 1
expect_out 'the device differs: another GPU in the baseline, Fake GPU here'
edited hot.json "run['settings']['cache'] = 'hot'"
PERFLAB_BASELINE=hot.json checked "$@"
expect_code 1
expect_out '--cache differs: hot in the baseline, cold here'
PERFLAB_BASELINE=hot.json checked "$@" -S perflab_check.options=--cache,hot
expect_code 0
FAKE_WORKER_SCRIPT='mismatch:reduce/shuffle/block=128' checked "$@"
expect_code 1
expect_out '1 of 2 cases have no verified result, such as reduce/shuffle/block=128,n=4096: mismatch'
unset PERFLAB_BASELINE
checked "$@"
expect_code 0
expect_out 'PERFLAB_BASELINE does not name a baseline'
export PERFLAB_BASELINE=baseline.json PERFLAB="$work/absent"
checked "$@"
expect_code 1
expect_out 'perflab stored no results'
finish
