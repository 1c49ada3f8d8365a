# A worker that says nothing, is stopped, or counts what cannot be: each is ended in bounded time,
# perflab says what it waits for, and the other cases are right.
. "$(dirname "$0")/lib.sh"
fake_worker
words='sweep reduce/shuffle --block-sizes 64,128 --size 1024 --timeout 1s'

# sweep_in SECONDS SCRIPT WORD…
sweep_in() {
	most=$1 script=$2
	shift 2
	rm -f a.db*
	began=$(date +%s)
	# shellcheck disable=SC2086 # words
	FAKE_WORKER_SCRIPT=$script run $words --db a.db "$@"
	took=$(($(date +%s) - began))
	command_line="$command_line, with $script"
	[ "$took" -le "$most" ] || complain "it took $took s, not at most $most"
}

# no hello: one attempt, of the time that --timeout gives but at least 5 s
printf '#!/bin/sh\necho >>starts\nexec "%s"\n' "$FAKE_WORKER" >"$work/counted"
chmod +x "$work/counted"
PERFLAB_WORKER_CUDA="$work/counted" sweep_in 60 start_hang --metrics none -q
expect_code 3
[ "$(wc -l <starts)" -eq 1 ] || complain "$(wc -l <starts) workers were started, not one"
expect_err 'waiting for the hello of the worker; the worker is ended after 5.00 s'
expect_err 'did not start: it did not answer in time'
# a worker that was stopped by a signal is not waited for as long as --timeout allows
words='sweep reduce/shuffle --block-sizes 64,128 --size 1024 --timeout 10min'
sweep_in 90 stop:reduce/shuffle/block=64 --metrics none
expect_code 3
run report last --format csv --db a.db
expect_out 'did not go on within 5 s'
[ "$(grep -c ',timeout,' out)" -eq 1 ] || complain 'not one case has ended by the timeout'
[ "$(grep -c ',ok,' out)" -eq 1 ] || complain 'the other case is not ok'
fake_emulator
export FAKE_EMULATOR_SCRIPT=stop:reduce/shuffle/block=64
sweep_in 90 emulated -j 2
expect_code 3
expect_out 'did not go on within 5 s'

# impossible numbers are no results
for script in negative over_all; do
	export FAKE_EMULATOR_SCRIPT=$script:reduce/shuffle/block=64
	sweep_in 60 emulated_$script
	expect_code 3
	expect_out 'broke the protocol'
	run query "SELECT count(*) AS odd FROM counter WHERE value < 0 OR metric_id IN
		(SELECT id FROM metric WHERE name = 'ptx_x')" --format csv --db a.db
	[ "$(tail -1 out)" = 0 ] || complain 'an impossible number is stored'
done
fake_worker
sweep_in 60 negative:reduce/shuffle/block=64 --metrics basic
run query 'SELECT count(*) AS odd FROM counters WHERE value < 0' --format csv --db a.db
[ "$(tail -1 out)" = 0 ] || complain 'a negative counter is stored'
sweep_in 60 odd_occupancy:reduce/shuffle/block=64 --metrics none
expect_code 3
expect_out "'theoretical_occupancy_pct' is 250"

# what is said about counters is what happened
export FAKE_WORKER_STATE="$work/first"
sweep_in 60 no_counters_once --metrics basic
expect_code 0
expect_err 'counters are off: the driver refuses'
expect_err 'another worker had counters: 2 of 2 cases were counted'
unset FAKE_WORKER_STATE
sweep_in 60 no_counters --metrics basic
expect_err 'counters are off'
grep -q 'another worker' err && complain 'a worker that had no counters had some'

# after a kill of perflab no worker lives on, even one behind a script that perflab cannot signal
cat >"$work/behind" <<'END'
#!/bin/sh
"$FAKE_WORKER"
END
chmod +x "$work/behind"
export FAKE_WORKER FAKE_WORKER_LOG="$work/log" PERFLAB_WORKER_CUDA="$work/behind"
command_line='kill -9 of perflab in the middle of a case'
# shellcheck disable=SC2086 # words
FAKE_WORKER_SCRIPT=hang:reduce/shuffle/block=64 "$PERFLAB" $words --db killed.db --metrics none \
	>out 2>err &
perflab=$!
await_of $perflab 'the case is begun' has_line 'measure-0 reduce/shuffle/block=64' log
worker=$(grep -m1 'measure-0 reduce/shuffle/block=64' log | cut -d' ' -f1)
kill -9 $perflab
end_of $perflab
await 'the worker ends, too' is_gone "$worker"
finish
