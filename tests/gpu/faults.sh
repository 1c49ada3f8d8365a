#!/bin/sh
# What goes wrong on a real device costs only the case in flight.
set -eu
. "$(dirname -- "$0")/lib.sh"

whole() {
	holds "$1" "the database is whole" \
		"SELECT (SELECT integrity_check FROM pragma_integrity_check) = 'ok'"
}

# Too large for any device: an error or a skip with its reason, never a crash.
status=0
timeout 60 "$perflab" sweep stream/copy_scalar --size 2^45 --db large.db >out.txt 2>&1 || status=$?
[ "$status" -ne 0 ] || grep -q -i 'skip' out.txt || fail "2^45 elements went unremarked"
[ "$status" -lt 100 ] || fail "2^45 elements: exit $status"

# Every way to go wrong, once: each ends as what it is, and what follows is still measured.
expect 3 "$perflab" sweep fault --timeout 5s --rounds 1 --metrics basic --db wrong.db
for outcome in none:ok illegal_address:device_error misaligned:device_error trap:device_error \
	endless_loop:timeout wrong_result:mismatch not_a_number:mismatch unwritten:mismatch \
	out_of_bounds:mismatch; do
	holds wrong.db "fault/${outcome%:*} ends as ${outcome#*:}, with a reason" \
		"SELECT count(*) = 1 FROM trial WHERE variant = '${outcome%:*}'
			AND status = '${outcome#*:}' AND (reason IS NULL) = (status = 'ok')"
done
holds wrong.db "what is wrong was never timed" \
	"SELECT count(*) = 0 FROM trial JOIN sample ON trial_id = trial.id WHERE status <> 'ok'"
whole wrong.db

# A worker killed in the middle: one case is lost, the others are not.
"$perflab" sweep stream reduce --block-sizes 64..1024 --rounds 2 --metrics basic --db killed.db \
	>out.txt 2>&1 &
sweep=$!
worker=
for _ in $(seq 200); do
	worker=$(pgrep -P "$sweep" -f perflab-worker-cuda || true)
	[ -z "$worker" ] || break
	sleep 0.05
done
[ -n "$worker" ] || fail "no worker appeared"
# Only once it measures: before that there is nothing in flight.
for _ in $(seq 400); do
	stored=$(python3 -c '
import sqlite3
try:
    print(sqlite3.connect("file:killed.db?mode=ro", uri=True).execute(
        "SELECT count(*) FROM round").fetchone()[0])
except sqlite3.Error:
    print(0)')
	[ "$stored" -lt 3 ] || break
	sleep 0.05
done
worker=$(pgrep -P "$sweep" -f perflab-worker-cuda || true)
[ -n "$worker" ] || fail "the sweep ended before a worker could be killed"
kill -9 "$worker"
status=0
wait "$sweep" || status=$?
[ "$status" -eq 3 ] || fail "a killed worker must end with 3, not $status"
holds killed.db "at most one case crashed and all others are well" \
	"SELECT sum(status = 'crashed') = 1 AND sum(status IN ('ok', 'skipped')) = count(*) - 1
		FROM trial"
whole killed.db

# perflab itself killed: what is stored is whole, and --resume finishes it.
"$perflab" sweep stream --block-sizes 64..1024 --rounds 2 --metrics basic --db resume.db \
	>out.txt 2>&1 &
sweep=$!
for _ in $(seq 400); do
	stored=$(python3 -c '
import sqlite3
try:
    print(sqlite3.connect("file:resume.db?mode=ro", uri=True).execute(
        "SELECT count(*) FROM round").fetchone()[0])
except sqlite3.Error:
    print(0)')
	[ "$stored" -lt 5 ] || break
	sleep 0.05
done
kill -9 "$sweep"
wait "$sweep" || true
whole resume.db
holds resume.db "some cases are still pending" "SELECT sum(status = 'pending') > 0 FROM trial"
python3 -c '
import sqlite3
db = sqlite3.connect("resume.db")
rows = db.execute("SELECT trial_id, round, stored_ns FROM round ORDER BY 1, 2").fetchall()
open("before.txt", "w").write("\n".join(map(str, rows)))'
expect 0 "$perflab" sweep --resume 1 --db resume.db
holds resume.db "the run is finished" \
	"SELECT state = 'finished' AND (SELECT count(*) FROM trial WHERE status = 'pending') = 0
		FROM run WHERE id = 1"
python3 -c '
import sqlite3, sys
db = sqlite3.connect("resume.db")
rows = set(map(str, db.execute("SELECT trial_id, round, stored_ns FROM round")))
before = set(open("before.txt").read().split("\n"))
sys.exit(0 if before <= rows else 1)' || fail "--resume measured again what was stored"
echo "faults: ok"
