# Sourced by the GPU tests: sh TEST.sh BUILD-FOLDER. They change to a new working folder and are
# skipped if there is no GPU. A test that sets `without_perflab` before runs no perflab: it needs only
# a driver, and stays in its folder.
skip() {
	echo "skipped: $*"
	exit 77
}

# needs_driver: skips the test on a machine without a GPU.
needs_driver() {
	[ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || skip "no NVIDIA driver on this machine"
}

scratch=$(mktemp -d)
sweep= # the process ID of a sweep in the background
trap '[ -z "$sweep" ] || kill -9 "$sweep" 2>/dev/null || true; rm -rf "$scratch"' EXIT

if [ -z "${without_perflab:-}" ]; then
	build=$(CDPATH= cd -- "$1" && pwd)
	perflab=$build/bin/perflab
	[ -x "$build/bin/perflab-worker-cuda" ] || skip "this build has no CUDA worker"
	needs_driver
	# A failure on the GPU must not make perflab fall back to the emulator.
	export PERFLAB_WORKER_PTX=/nonexistent/no-emulator
	# A sweep stores one run here, because it measures no ceilings; ceilings.sh does.
	export PERFLAB_CEILINGS=never
	said=$("$perflab" doctor --backend cuda 2>&1) || skip "no usable GPU:
$said"
	cd "$scratch"
fi

# ---- golden files: results of a program of the build folder, line by line ----

# golden_of BUILD-FOLDER NAME NEED: the program and the golden file of that name, in $program and
# $recorded. Skips the test if the folder lacks the program, which cannot be built without NEED.
golden_of() {
	program=$1/tests/$2_golden
	packed=$1/tests/packed
	recorded=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)/tests/golden/ptx/$2.txt.zst
	[ -x "$program" ] || skip "this build has no $2_golden (it needs $3)"
	needs_driver
}

# needs_golden: the text of the golden file is in $golden. Skips the test if nothing was recorded.
needs_golden() {
	[ -s "$recorded" ] || skip "$recorded does not exist; make it with --write"
	golden=$scratch/recorded.txt
	"$packed" "$recorded" >"$golden"
}

# write_golden FRESH FILE: makes a golden file of the text in FRESH.
write_golden() {
	"$packed" --make "$1" >"$2"
}

# needs_same_gpu FILE: skips the test if the golden file is of another GPU than FILE. Only on the same
# kind of GPU every line is equal.
needs_same_gpu() {
	[ "$(head -n 1 "$golden")" = "$(head -n 1 "$1")" ] ||
		skip "the golden file is of another GPU or driver: $(head -n 1 "$golden")"
}

# known_lines GOLDEN FRESH: prints the lines of FRESH that GOLDEN has, too: other cases are not
# recorded yet.
known_lines() {
	awk -F '\t' 'NR == FNR { recorded[$1]; next } $1 in recorded' "$1" "$2"
}

# ---- sweeps ----

fail() {
	printf 'FAILED: %s\n' "$*" >&2
	if [ -s out.txt ]; then
		tail -n 30 out.txt >&2
	fi
	exit 1
}

# expect CODE COMMAND …: fails if the command's exit code is not CODE; its output is in out.txt.
expect() {
	wanted=$1
	shift
	status=0
	timeout 200 "$@" >out.txt 2>&1 </dev/null || status=$?
	[ "$status" -eq "$wanted" ] || fail "exit $status, not $wanted, of: $*"
}

# holds DATABASE WHAT QUERY: fails if the query does not return 1.
holds() {
	answer=$(python3 -c '
import sqlite3, sys
db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
print(db.execute(sys.argv[2]).fetchone()[0])' "$1" "$3") || fail "query: $3"
	[ "$answer" = 1 ] || fail "$2 does not hold ($answer): $3"
}

# worker_of PID: prints the process ID of the worker of a sweep, or nothing.
worker_of() {
	for process in /proc/[0-9]*/stat; do
		# "PID (NAME) STATE PARENT …"; the process may have ended.
		sed -n "s/^\\([0-9]*\\) (perflab-worker-*[a-z]*) [^Z] $1 .*/\\1/p" "$process" 2>/dev/null ||
			true
	done | head -n 1
}

# stored_rounds DATABASE: prints the number of stored rounds; 0 without a database.
stored_rounds() {
	python3 -c '
import sqlite3, sys
try:
    db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
    print(db.execute("SELECT count(*) FROM round").fetchone()[0])
except sqlite3.Error:
    print(0)' "$1"
}

# await_rounds DATABASE COUNT: waits for that many rounds, at most half a minute.
await_rounds() {
	for _ in $(seq 300); do
		[ "$(stored_rounds "$1")" -lt "$2" ] || return 0
		sleep 0.1
	done
	fail "$1 never held $2 rounds"
}
