#!/bin/sh
# Measures the ceilings of this GPU and sweeps every kernel: no result may be wrong, no ceiling
# above its peak, no kernel above a roof. Leaves in FOLDER the files from which docs/results is
# made:
#   ceilings.db   the runs                              ceilings.txt, .md, .csv, .json  the table
#   counted.db    the run with counters                 counted.csv  counters of the ceilings
#   cases.csv     every configuration of every ceiling, for tuning
#   roofline.csv  the position of each kernel in the roofline (the view)
#
# usage: tests/gpu/ceilings.sh BUILD-FOLDER FOLDER
set -eu
mkdir -p "$2"
results=$(CDPATH= cd -- "$2" && pwd)
. "$(dirname -- "$0")/lib.sh"
db=$results/ceilings.db
rm -f "$db" "$db-wal" "$db-shm"

began=$(date +%s)
expect 0 "$perflab" ceilings --db "$db"
cp out.txt "$results/ceilings.said"
echo "ceilings: $(($(date +%s) - began)) s"
for format in text md csv json; do
	"$perflab" ceilings --stored --db "$db" --format $format \
		>"$results/ceilings.$(echo $format | sed s/text/txt/)"
done
cat "$results/ceilings.txt"
"$perflab" report last --db "$db" --format csv >"$results/cases.csv"

holds "$db" "every case is ok or skipped with a reason" \
	"SELECT count(*) = 0 FROM trial WHERE status NOT IN ('ok', 'skipped')
		OR (status = 'skipped' AND reason IS NULL)"
holds "$db" "every level and the chains of every device are there" \
	"SELECT count(DISTINCT \"of\") >= 7 FROM ceilings"
holds "$db" "each is known to 2 %" \
	"SELECT max((high_per_s - low_per_s) / 2 / per_s) < 0.02 FROM ceilings"
# A rate above the peak of the device shows a wrong work model.
awk -F, 'NR > 1 && $10 > 102 { print "above its peak: " $0; bad = 1 } END { exit bad }' \
	"$results/ceilings.csv" || fail "a ceiling is above its peak"

# Compares the bytes and operations of the work models with counters, for one configuration each.
# Uses fewer turns than the timed runs, because instruction counters slow a chain down.
counted=$results/counted.db
rm -f "$counted" "$counted-wal" "$counted-shm"
expect 0 "$perflab" sweep ceilings --set block=256 --set blocks_per_sm=4 --set turns=256 \
	--set passes=32 --rounds 1 --metrics core --label counted --db "$counted"
"$perflab" report counted --db "$counted" --format csv >"$results/counted.csv"
# check VARIANTS METRIC MODEL TOLERANCE
check() {
	holds "$counted" "$2 of $1 is that of the work model, to $4" \
		"SELECT count(*) > 0 AND max(abs(counters.value / ($3) - 1)) < $4
		FROM trial JOIN counters ON counters.trial_id = trial.id
		JOIN run ON run.id = trial.run_id
		WHERE run.label = 'counted' AND trial.status = 'ok' AND trial.variant GLOB '$1'
		AND counters.metric = '$2'"
}
check 'f32_fma' flop_f32 trial.flop 0.001
check 'f64_fma' flop_f64 trial.flop 0.001
check 'dram_read' dram_read_bytes trial.bytes_read 0.02
check 'dram_copy' dram_bytes 'trial.bytes_read + trial.bytes_written' 0.06
check 'dram_triad' dram_bytes 'trial.bytes_read + trial.bytes_written' 0.06
# An H200 counts up to 4.3 % fewer sectors at the L2 than its multiprocessors asked for.
check 'l2_read' l2_from_l1_bytes trial.bytes_read 0.06
check 'l1_read' l1_bytes trial.bytes_read 0.02
check 'shared_read' shared_bytes trial.bytes_read 0.02

# Sweeps all kernels in a session that also measures ceilings.
expect 0 "$perflab" sweep stream reduce divergence matmul --block-sizes 128,256,512,1024 --rounds 2 \
	--metrics core --label below --ceilings always --db "$db"
"$perflab" report below --db "$db" >"$results/below.txt"
"$perflab" report below --db "$db" --format json >"$results/below.json"
python3 - "$db" >"$results/roofline.csv" <<'END'
import csv
import sqlite3
import sys

db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
rows = db.execute("SELECT * FROM roofline ORDER BY kernel, variant, config")
out = csv.writer(sys.stdout)
out.writerow([column[0] for column in rows.description])
out.writerows(rows)
END
holds "$db" "kernels stand below roofs of their device" \
	"SELECT count(dram_pct) > 0 AND count(flop_pct) > 0 FROM roofline WHERE kernel <> 'ceilings'"
holds "$db" "no kernel is above a roof by more than 2 %" \
	"SELECT max(max(coalesce(dram_pct, 0), coalesce(l2_pct, 0), coalesce(l1_pct, 0),
		coalesce(shared_pct, 0), coalesce(flop_pct, 0))) < 102
		FROM roofline WHERE kernel <> 'ceilings'"
echo "ceilings: ok"
