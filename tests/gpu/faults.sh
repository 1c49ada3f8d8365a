#!/bin/sh
# A failure on a real device affects only the case that is running.
set -eu
. "$(dirname -- "$0")/lib.sh"

whole() {
	holds "$1" "the database is whole" \
		"SELECT (SELECT integrity_check FROM pragma_integrity_check) = 'ok'"
}

# Too large for any device: an error, or a skipped case with a reason, never a crash.
status=0
timeout 60 "$perflab" sweep stream/copy_scalar --size 2^45 --db large.db >out.txt 2>&1 || status=$?
[ "$status" -ne 0 ] || grep -q -i 'skip' out.txt || fail "2^45 elements were accepted"
[ "$status" -lt 100 ] || fail "2^45 elements: exit $status"

# One case per fault: each ends with its status, and the cases after it are still measured.
expect 1 "$perflab" sweep fault --timeout 5s --rounds 1 --metrics basic --db wrong.db
# Only the emulator finds a race or an uninitialised read that does not change the result.
for outcome in none:ok illegal_address:device_error misaligned:device_error trap:device_error \
	assertion:device_error endless_loop:timeout wrong_result:mismatch not_a_number:mismatch \
	unwritten:mismatch out_of_bounds:mismatch race:ok uninitialised:ok; do
	holds wrong.db "fault/${outcome%:*} ends as ${outcome#*:}, with a reason" \
		"SELECT count(*) = 1 FROM trial WHERE variant = '${outcome%:*}'
			AND status = '${outcome#*:}' AND (reason IS NULL) = (status = 'ok')"
done
holds wrong.db "what is wrong was never timed" \
	"SELECT count(*) = 0 FROM trial JOIN sample ON trial_id = trial.id WHERE status <> 'ok'"
whole wrong.db

# The buffers fit on the device, but not together with the data for verification: out of memory,
# and the case after it in the same worker is measured.
elements=$(python3 -c '
import sqlite3
memory = sqlite3.connect("wrong.db").execute("SELECT memory_bytes FROM device").fetchone()[0]
print(int(0.4 * memory / 4))')
expect 3 "$perflab" sweep stream/copy_float4 --block-sizes 256 --size "2^20,$elements" --rounds 1 \
	--metrics basic --db memory.db
holds memory.db "one case is out of memory, the other well" \
	"SELECT sum(status = 'out_of_memory' AND reason IS NOT NULL) = 1 AND sum(status = 'ok') = 1
		FROM trial"
holds memory.db "running out of memory cost no round of the other" \
	"SELECT count(*) = 1 FROM round"
whole memory.db

# A worker is killed during a sweep: at most one case is lost.
"$perflab" sweep stream reduce --block-sizes 64..1024 --rounds 2 --metrics basic --db killed.db \
	>out.txt 2>&1 &
sweep=$!
await_rounds killed.db 3
worker=$(worker_of "$sweep")
[ -n "$worker" ] || fail "there was no worker to kill"
kill -9 "$worker"
status=0
wait "$sweep" || status=$?
sweep=
holds killed.db "at most one case crashed, all others are well, and the exit code says so" \
	"SELECT sum(status = 'crashed') <= 1 AND sum(status IN ('ok', 'skipped', 'crashed')) = count(*)
		AND $status = 3 * sum(status = 'crashed') FROM trial"
whole killed.db

# perflab itself is killed: the stored data is complete, and --resume finishes the run.
"$perflab" sweep stream reduce --block-sizes 64..1024 --rounds 2 --metrics basic --db resume.db \
	>out.txt 2>&1 &
sweep=$!
await_rounds resume.db 5
kill -9 "$sweep"
wait "$sweep" || true
sweep=
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
sys.exit(0 if before <= rows else 1)' || fail "--resume measured stored rounds again"
echo "faults: ok"
