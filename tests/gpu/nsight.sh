#!/bin/sh
# perflab under the real Nsight tools: nsys sees a range for every case, ncu selects one case by its
# range, and perflab turns its own counters off with one message.
# NSYS and NCU name the tools when they are not on the PATH.
set -eu
. "$(dirname -- "$0")/lib.sh"
ran=0

find_tool() {
	command -v "$1" || find /usr/local/cuda/bin /opt/nvidia -maxdepth 5 -name "$1" -type f \
		-perm -u+x 2>/dev/null | sort | tail -n 1
}
ncu=${NCU:-$(find_tool ncu)}
nsys=${NSYS:-$(find_tool nsys)}

if [ -n "$ncu" ]; then
	ran=1
	expect 0 "$ncu" --clock-control none --nvtx \
		--nvtx-include 'perflab@reduce/shuffle/block=256/' --metrics gpu__time_duration.sum \
		--csv --page raw --log-file ncu.csv \
		"$perflab" sweep reduce --block-sizes 64..1024 --metrics core --db ncu.db
	grep -q -i 'ncu\|profiler' out.txt || fail "no message that counters are off under ncu"
	grep -q 'reduce_shuffle' ncu.csv || fail "ncu did not profile the selected case"
	! grep '^"[0-9]' ncu.csv | grep -v 'block=256' | grep -q . ||
		fail "ncu profiled other cases than the selected one: $(cut -c1-200 ncu.csv)"
	holds ncu.db "counters are missing with a reason" \
		"SELECT count(*) = 0 FROM counters WHERE value IS NOT NULL AND source LIKE '%\\_\\_%'
			ESCAPE '\\'"
	# perflab nsight profiles the selected case, too.
	expect 0 "$perflab" sweep reduce --block-sizes 256 --rounds 1 --db stored.db
	expect 0 "$perflab" nsight ncu reduce/shuffle/block=256,n=16777216 \
		--db stored.db -o shuffle
	[ -s shuffle.ncu-rep ] || fail "perflab nsight ncu left no report"
else
	echo "ncu: not found, not tested"
fi

if [ -n "$nsys" ]; then
	ran=1
	expect 0 "$nsys" profile -t cuda,nvtx --force-overwrite true -o traced \
		"$perflab" sweep reduce --block-sizes 64..1024 --rounds 1 --db nsys.db
	[ -s traced.nsys-rep ] || fail "nsys left no report: is libdw installed?"
	expect 0 "$nsys" export --type sqlite --force-overwrite true -o traced.sqlite traced.nsys-rep
	python3 - <<'END' || fail "the trace lacks cases"
import collections
import sqlite3
import sys

wanted = {(k, v, *c.split(",")) for k, v, c in sqlite3.connect("nsys.db").execute(
    "SELECT kernel, variant, config FROM trial WHERE status = 'ok'")}
trace = sqlite3.connect("traced.sqlite")
strings = dict(trace.execute("SELECT id, value FROM StringIds"))
threads = collections.defaultdict(list)
for begin, end, text, text_id, thread in trace.execute(
        "SELECT start, end, text, textId, globalTid FROM NVTX_EVENTS WHERE end IS NOT NULL"):
    threads[thread].append((begin, -end, text or strings.get(text_id, "")))
found = set()
for events in threads.values():
    stack = []
    for begin, negative_end, name in sorted(events):
        while stack and stack[-1][0] <= begin:
            stack.pop()
        stack.append((-negative_end, name))
        found.add(tuple(name for _, name in stack))
missing = [case for case in wanted
           if not any(path[:2] == case[:2] and set(case[2:]) == set(path[2:]) for path in found)]
print(f"{len(wanted) - len(missing)} of {len(wanted)} cases are in the trace")
print("\n".join(map(str, missing[:5])))
sys.exit(1 if missing or not wanted else 0)
END
	# perflab nsight traces one case of a stored run.
	expect 0 "$perflab" nsight nsys reduce/shuffle/block=256,n=16777216 --db nsys.db -o one-case
	[ -s one-case.nsys-rep ] || fail "perflab nsight nsys left no report"
else
	echo "nsys: not found, not tested"
fi
[ "$ran" -eq 1 ] || skip "neither ncu nor nsys is installed"
echo "nsight: ok"
