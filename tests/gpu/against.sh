#!/bin/sh
# How often `perflab sweep --against` calls equal code different, how often it finds a planted 0.5 %,
# and how often it stays undecided, with --decide. Needs git and python3, no compiler, and 200 s at most
# on an H200. Writes against.md and the database to FOLDER.
#
# Equal code: the PTX of then with one more variable that nothing uses, so that the rule for equal
# machine code does not apply. Planted: the same PTX with more trips or elements; their share of the
# time is known from a line, which is fitted first, on this device (pairs.sh).
#
# usage: tests/gpu/against.sh BUILD [FOLDER]
set -eu
gpu_tests=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "${2:-against-results}"
results=$(CDPATH= cd -- "${2:-against-results}" && pwd)
. "$gpu_tests/lib.sh"
command -v git >/dev/null || skip "git is not here"
command -v python3 >/dev/null || skip "python3 is not here"
rm -f "$results"/against.db*
export PERFLAB_DB="$results/against.db"

# ---- the repository ----

mkdir repo && cd repo && git init -q . && git config user.name a && git config user.email a@b
cat >spin.ptx.perflab <<'END'
operation spin
axis block = 64..512:+64
axis trips = 10000..38000:+4000
buffer x: f32[block * 264] in uniform(-1, 1)
buffer y: f32[block * 264] out
verify y = x
launch spin<<<264, block>>>(x, y, trips, 1.0, 0.0)
END
cat >copy.ptx.perflab <<'END'
operation copy
axis block = 64..512:+64
axis count = 10000000..30000000:+4000000
buffer x: f32[count + count / 32] in uniform(-1, 1)
buffer y: f32[count + count / 32] out
verify none
launch copy<<<ceil_div(count, block), block>>>(x, y, count)
END
for kernel in spin copy; do cp "$gpu_tests/pairs/pairs.ptx" $kernel.ptx; done
git add . && git commit -q -m then

# sweep LABEL KERNEL WORD…: exits with 0, or 1 if something is slower.
sweep_file() {
	label=$1 kernel=$2
	shift 2
	echo "perflab sweep $kernel.ptx --label $label $*"
	"$perflab" sweep "$kernel.ptx" --backend cuda --metrics none -q --label "$label" "$@" >said 2>&1 ||
		[ $? -eq 1 ] || { cat said; exit 1; }
}

# ---- measuring ----

sweep_file lines spin --rounds 1
sweep_file lines copy --rounds 1
python3 "$gpu_tests/pairs/pairs.py" offsets "$PERFLAB_DB" >offsets

for kernel in spin copy; do
	sed -i 's/^\.address_size.*/&\n.visible .global .align 4 .u32 unused;/' $kernel.ptx
done
sweep_file equal spin --against HEAD --decide --decide-time 10s \
	--set trips=10000..38000:+800 --set block=64..512:+16
sweep_file equal copy --against HEAD --decide --decide-time 5s
git checkout -q .

while read -r kernel axis offset; do
	sed -i "/^launch/s/\\b$axis\\b/($axis + ($axis + $offset + 199) \\/ 200)/g" $kernel.ptx.perflab
done <offsets
sweep_file planted spin --against HEAD --decide --decide-time 10s --set trips=10000..38000:+2000
sweep_file planted copy --against HEAD --decide --decide-time 10s --set count=10000000..30000000:+2000000
expect 1 "$perflab" regress --base against --format junit -o "$results/against.xml"

# ---- the table ----

python3 - "$PERFLAB_DB" >"$results/against.md" <<'END' || failed=1
import sqlite3
import sys

db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
print("| kernel | code | pairs | called different | same | undecided | not measured |")
print("|---|---|--:|--:|--:|--:|--:|")
sums = {}
for label, kernel in db.execute("SELECT DISTINCT label, kernel FROM speedups ORDER BY 1, 2").fetchall():
    verdicts = [v for (v,) in db.execute(
        "SELECT coalesce(verdict, 'none') FROM speedups WHERE label = ? AND kernel = ?"
        " AND (label = 'equal' OR coalesce(base_median_ns, 0) > 20e3)", (label, kernel))]
    wanted = ("slower",) if label == "planted" else ("slower", "faster")
    counts = [len(verdicts), sum(v in wanted for v in verdicts), verdicts.count("same"),
              verdicts.count("inconclusive"), verdicts.count("none")]
    print(f"| {kernel} | {label} | " + " | ".join(str(c) for c in counts) + " |")
    sums[label] = [a + b for a, b in zip(sums.get(label, [0] * 5), counts)]
equal, planted = sums["equal"], sums["planted"]
undecided = equal[3] + planted[3]
print(f"\n{equal[1]} of {equal[0]} pairs of equal code are called different (asked: under 0.5 % of 1,000).")
print(f"0.5 % over 20 us is found in {planted[1]} of {planted[0]} pairs (asked: 95 %).")
print(f"{undecided} of {equal[0] + planted[0]} pairs are undecided (asked: under 5 %).")
missed = (equal[0] < 1000 or equal[1] >= 0.005 * equal[0] or planted[0] < 100
          or planted[1] < 0.95 * planted[0] or undecided >= 0.05 * (equal[0] + planted[0])
          or equal[4] + planted[4])
sys.exit(1 if missed else 0)
END
cat "$results/against.md"
[ -z "${failed:-}" ] || { echo "a figure is missed"; exit 1; }
