#!/bin/sh
# Three sweeps that want the counters of one GPU at once. The first holds them. The second waits
# (--wait-counters) and has them in the end. The third goes on without them, names the processes that
# may hold them, and says at its end that no case was counted. Takes at most 90 s.
# Skipped if the driver serves several processes at once; their counters must then be those of a sweep
# alone.
# usage: tests/gpu/contention.sh BUILD-FOLDER
set -eu
. "$(dirname -- "$0")/lib.sh"
small="reduce/shuffle --block-sizes 64..256 --rounds 1 --metrics instructions,dram_read_bytes"
waiting= # the process ID of the sweep that waits
holders= # those of its workers, one of which holds the counters
trap '[ -z "$sweep$waiting" ] || kill -9 $sweep $waiting $holders 2>/dev/null || true; rm -rf "$scratch"' EXIT

value() {
	"$perflab" query "$2" --db "$1" --format csv | sed -n 2p
}

# counted DATABASE: prints the number of cases whose instructions were counted.
counted() {
	value "$1" "SELECT count(DISTINCT trial_id) FROM counters
		WHERE metric = 'instructions' AND value IS NOT NULL"
}

instructions() {
	"$perflab" query "SELECT config, value FROM counters JOIN trial ON trial.id = trial_id
		WHERE metric = 'instructions' ORDER BY 1" --db "$1" --format csv
}

# workers_of PID: prints the process IDs of the workers of a sweep: the one that counts, and those that
# prepare data for it.
workers_of() {
	cat /proc/[0-9]*/stat 2>/dev/null |
		sed -n "s/^\\([0-9]*\\) (perflab-worker-*[a-z]*) [^Z] $1 .*/\\1/p"
}

# is_running PID
is_running() {
	grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null
}

# await_line TEXT FILE PID: waits for the line; 1 if the process ends, or half a minute passes, before.
await_line() {
	for _ in $(seq 300); do
		! grep -q -e "$1" "$2" || return 0
		is_running "$3" || break
		sleep 0.1
	done
	grep -q -e "$1" "$2"
}

# said TEXT FILE: fails unless the sweep whose output is in FILE said it.
said() {
	grep -q -F -e "$1" "$2" || {
		cp "$2" out.txt
		fail "$2 does not say '$1'"
	}
}

# What the sweeps must count: alone, before.
# shellcheck disable=SC2086
expect 0 "$perflab" sweep $small --db alone.db --quiet
cases=$(value alone.db 'SELECT count(*) FROM trial')
[ "$(counted alone.db)" = "$cases" ] || skip "no counters on this machine:
$(cat out.txt)"

# hold_counters SECONDS: starts the holder, and stops its workers so long after some of its cases were
# counted. The others are counted in further passes of the same session of CUPTI, a second or more, and
# a worker that is stopped in a pass keeps the counters.
hold_counters() {
	rm -f holder.db*
	# shellcheck disable=SC2086
	"$perflab" sweep ${CONTENTION_HOLDER:-reduce stream stencil select occupancy --block-sizes 64..1024} \
		--rounds 1 --metrics core --db holder.db >holder.txt 2>&1 </dev/null &
	sweep=$!
	deadline=$(($(date +%s) + 60))
	until some=$(counted holder.db 2>/dev/null || true) && [ "${some:-0}" -gt 0 ]; do
		is_running $sweep && [ "$(date +%s)" -lt $deadline ] || {
			cp holder.txt out.txt
			fail "the holder does not count"
		}
	done
	sleep "$1"
	holders=$(workers_of $sweep)
	# shellcheck disable=SC2086
	[ -n "$holders" ] && kill -STOP $holders && [ "$(counted holder.db)" -lt \
		"$(value holder.db "SELECT count(*) FROM trial WHERE status <> 'skipped'")" ] ||
		fail "the holder counted too quickly: name more cases with CONTENTION_HOLDER"
}

# end_holder: ends the holder.
end_holder() {
	kill -INT $sweep
	# shellcheck disable=SC2086
	kill -CONT $holders 2>/dev/null || true
	wait $sweep || true
	sweep= holders=
}

# One that waits. If it need not, the holder may have been stopped between two passes: once more, at
# another moment.
for moment in 0.15 0.3 0.05; do
	hold_counters $moment
	rm -f waits.db*
	# shellcheck disable=SC2086
	"$perflab" sweep $small --wait-counters 60s --db waits.db >waits.txt 2>&1 </dev/null &
	waiting=$!
	! await_line 'waiting up to' waits.txt $waiting || break
	wait $waiting || fail "the sweep that may wait ended with $?: $(tail -n 3 waits.txt)"
	waiting=
	[ "$(instructions waits.db)" = "$(instructions alone.db)" ] ||
		fail "two processes had counters at once, and they are not those of one alone"
	end_holder
	[ $moment != 0.05 ] ||
		skip "this driver gives counters to two processes at once; they are equal to those of one alone"
done

# One that does not.
# shellcheck disable=SC2086
expect 0 "$perflab" sweep $small --db without.db
mv out.txt without.txt
[ "$(counted without.db)" = 0 ] || {
	tail -n 20 waits.txt holder.txt without.txt >out.txt
	for holder in $holders; do
		grep -H -e '^Name' -e '^State' "/proc/$holder/status" >>out.txt || true
	done
	fail "the sweep that did not wait has counters of $(counted without.db) cases"
}
[ "$(value without.db "SELECT count(*) FROM trial WHERE status = 'ok'")" = "$cases" ] ||
	fail "the sweep without counters has not all cases"
said 'counters are off: ' without.txt
said 'another process holds the counters' without.txt
said "none of $cases cases was counted" without.txt
named=
for holder in $holders; do
	! grep -q -F -e "(process $holder)" without.txt || named="process $holder"
done
if [ -z "$named" ]; then
	# in a container the driver may know the processes by other numbers
	said 'a process elsewhere (process ' without.txt
	named="known to the driver by another number, and the message says so"
fi

# The holder ends, and the one that waits has its turn.
end_holder
status=0
wait $waiting || status=$?
waiting=
[ $status -eq 0 ] || fail "the sweep that waited ended with $status: $(tail -n 3 waits.txt)"
[ "$(counted waits.db)" = "$cases" ] ||
	fail "the sweep that waited has counters of $(counted waits.db) of $cases cases"
[ "$(instructions waits.db)" = "$(instructions alone.db)" ] ||
	fail "the sweep that waited counted other numbers than one alone"
said "$cases of $cases cases were counted" waits.txt

grep -h -e 'counters are off' without.txt
grep -h -e 'waiting up to' -e 'cases were counted' waits.txt
echo "holder's worker: $named; $cases of $cases cases counted after waiting, none without"
