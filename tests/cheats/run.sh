#!/bin/sh
# Sweeps every kernel of this folder. Each goes wrong in one way and says in its lines `// expect:`
# with which status perflab must store it, and with which words in the reason. `gpu not faster: A
# than B` names two variants: the median of A must be at least 0.95 of B's. Prints `caught NAME:
# STATUS REASON` or `MISSED NAME`. Exits with 1 if one was missed, 77 if BACKEND cannot run here.
#
# usage: tests/cheats/run.sh BUILD BACKEND [NAME …]
#   BUILD    the build folder
#   BACKEND  cuda or ptx
#   NAME     one of the files, without .cu (default: all)
set -eu
[ $# -ge 2 ] || {
	sed -n '7,10s/^# //p' "$0"
	exit 2
}
folder=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
perflab=$(CDPATH= cd -- "$1" && pwd)/bin/perflab
backend=$2
shift 2

skip() {
	echo "skipped: $*"
	exit 77
}

case $backend in
cuda)
	column=gpu
	options="--rounds 1 --min-samples 20 --ceilings never"
	;;
ptx)
	column=emulator
	options=
	;;
*) skip "no expectations for the backend $backend" ;;
esac
command -v python3 >/dev/null || skip "no python3"
[ -x "${perflab%/*}/perflab-worker-$backend" ] || skip "this build has no worker for $backend"
if [ "$backend" = cuda ]; then
	said=$("$perflab" doctor --backend cuda 2>&1) || skip "no usable GPU:
$said"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Not that of the user, which other tests and builds use, too.
export PERFLAB_CACHE="$scratch/cache"
[ $# -gt 0 ] || set -- $(cd "$folder" && ls *.cu | sed 's/\.cu$//')

# sweep_cheat NAME: sweeps one file into NAME.db; what perflab says is in NAME.txt.
sweep_cheat() {
	# Bounded also where perflab itself hangs.
	timeout 120 "$perflab" sweep "$folder/$1.cu" --backend "$backend" $options --timeout 5s --metrics none \
		--db "$scratch/$1.db" -q \
		>"$scratch/$1.txt" 2>&1 </dev/null || true
}

# compare_with_expectation NAME: prints the verdict; fails if it is a miss.
compare_with_expectation() {
	python3 - "$folder/$1.cu" "$scratch/$1" "$column" <<'END'
import re, sqlite3, sys

source, stored, column = sys.argv[1:]
name = source.split("/")[-1].removesuffix(".cu")
wanted = not_faster = None
for line in open(source):
    if not line.startswith("// expect:"):
        continue
    status = re.search(rf"\b{column}=([\w|]+)", line)
    not_faster = re.search(rf"\b{column} not faster: (\S+) than (\S+)", line) or not_faster
    reason = re.search(r'reason="([^"]*)"', line)
    if status:
        wanted = status[1].split("|"), reason[1] if reason else ""
if not wanted:
    sys.exit(f"MISSED {name}: it has no line `// expect:` for {column}")
try:
    database = sqlite3.connect(f"file:{stored}.db?mode=ro", uri=True)
    trials = database.execute("SELECT status, coalesce(reason, '') FROM trial").fetchall()
except sqlite3.Error as error:
    trials = []
    print(f"{name}: {error}")
if not_faster:
    medians = dict(database.execute("SELECT variant, min(median_ns) FROM trial GROUP BY variant"))
    cheat, plain = (medians.get(variant) for variant in not_faster.groups())
    if not cheat or not plain or cheat < 0.95 * plain:
        sys.exit(f"MISSED {name}: {not_faster[0]}, but the medians are {cheat} and {plain} ns")
matches = [t for t in trials if t[0] in wanted[0] and wanted[1].lower() in t[1].lower()]
right = wanted[0] == ["ok"]
# A cheat may show in one of several configurations only; a right kernel is right in all.
if matches and (not right or len(matches) == len(trials)):
    print("as expected," if right else "caught", f"{name}:", *matches[0])
    sys.exit(0)
print(f"MISSED {name}: expected {' or '.join(wanted[0])} \"{wanted[1]}\", stored: {trials}")
if not trials:
    print(open(stored + ".txt").read())
sys.exit(1)
END
}

missed=0
for name; do
	sweep_cheat "$name"
	! grep -q 'there is no compiler' "$scratch/$name.txt" || skip "neither nvcc nor NVRTC is here"
	compare_with_expectation "$name" || missed=$((missed + 1))
done
echo "cheats: $# kernels, $missed missed"
[ "$missed" -eq 0 ]
