#!/bin/sh
# Compares the page of `perflab report --format html` in Chromium with its database.
# usage: run.sh SOURCE BUILD [TEST…]   Exits 77 (skipped) with the reason if something is missing.
set -eu
source_root=$1
build=$2
shift 2

skip() {
	echo "skipped: $1"
	exit 77
}

command -v sqlite3 >/dev/null 2>&1 || skip "no sqlite3 here"
found=$(sh "$source_root/tests/browser/chromium.sh" "$source_root" "$build") || exit $?
CHROMIUM=$(echo "$found" | sed -n 1p)
MODULES=$(echo "$found" | sed -n 2p)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PERFLAB_EPOCH_NS=1763700045000000000
for what in lab history hostile one bare lines; do
	"$build/tests/make_lab" "$scratch/$what.db" $what
done

# take_times DATABASE CHANGE CONDITION: the cases had other times.
take_times() {
	sqlite3 "$scratch/$1.db" "
UPDATE round SET median_ns = median_ns $2 WHERE trial_id IN (SELECT id FROM trial WHERE $3);
UPDATE trial SET median_ns = median_ns $2, session_low_ns = session_low_ns $2, session_high_ns = session_high_ns $2
	WHERE $3;"
}

# numbers that a double can hold but no device can produce
cp "$scratch/lab.db" "$scratch/absurd.db"
sqlite3 "$scratch/absurd.db" "
UPDATE counter SET value = 1e308 WHERE value IS NOT NULL;
UPDATE trial SET median_ns = 1e-300, session_low_ns = 1e-308, session_high_ns = 1e308
	WHERE median_ns IS NOT NULL AND position % 3 = 0;"

# For every variant: one block size with a sixteenth of the size and of the time, and one with twice the
# work and the time of the others at the same size, like a tree per block
cp "$scratch/lab.db" "$scratch/sizes.db"
sqlite3 "$scratch/sizes.db" "
UPDATE axis SET value = value / 16 WHERE name = 'n'
	AND trial_id IN (SELECT id FROM trial WHERE config LIKE 'block=256,%');
UPDATE trial SET flop = flop / 16, bytes_read = bytes_read / 16, bytes_written = bytes_written / 16
	WHERE median_ns IS NOT NULL AND config LIKE 'block=256,%';
UPDATE trial SET flop = flop * 2, bytes_read = bytes_read * 2, bytes_written = bytes_written * 2
	WHERE median_ns IS NOT NULL AND config LIKE 'block=512,%';"
take_times sizes '/ 16' "config LIKE 'block=256,%'"
take_times sizes '* 2' "config LIKE 'block=512,%'"

# Some configurations of each variant, and all of one variant, were compared with nothing.
cp "$scratch/lab.db" "$scratch/unverified.db"
sqlite3 "$scratch/unverified.db" "
UPDATE trial SET status = 'unverified', reason = 'its file says: verify none' WHERE status = 'ok'
	AND run_id = (SELECT id FROM run WHERE label = 'now')
	AND (config LIKE 'block=256,%' OR config LIKE 'block=512,%' OR variant = 'register_tiled');"
cp "$scratch/history.db" "$scratch/unverified_history.db"
sqlite3 "$scratch/unverified_history.db" "
UPDATE trial SET status = 'unverified', reason = 'its file says: verify none' WHERE status = 'ok'
	AND run_id = (SELECT max(id) FROM run);"

# The fastest case of a variant, and all of another one, are faster than the device can be.
cp "$scratch/lab.db" "$scratch/above.db"
take_times above '* 0.02' "status = 'ok' AND run_id = (SELECT id FROM run WHERE label = 'now')
	AND (variant = 'triad_float4' AND config LIKE 'block=512,%' OR variant = 'copy_scalar')"

# No counter counted the operations of one variant; its work model is of single precision,
# and its roof is the nearest.
cp "$scratch/lab.db" "$scratch/modelled.db"
sqlite3 "$scratch/modelled.db" "
INSERT INTO metric (name, unit, source) VALUES ('model_flop_f32', 'flop', 'work model');
INSERT INTO counter (trial_id, metric_id, value) SELECT trial.id,
	(SELECT id FROM metric WHERE name = 'model_flop_f32'), flop
	FROM trial WHERE variant = 'register_tiled';
UPDATE counter SET value = 0 WHERE metric_id IN (SELECT id FROM metric WHERE name IN ('flop_f32', 'flop_f64', 'flop_f32_f64', 'shared_bytes'))
	AND trial_id IN (SELECT id FROM trial WHERE variant = 'register_tiled');"

# A run like the one before it, except that the cases of one variant are 30 % slower.
cp "$scratch/lab.db" "$scratch/slower.db"
sqlite3 "$scratch/slower.db" "
CREATE TEMP TABLE pair AS SELECT now.id AS id, before.id AS base,
	CASE now.variant WHEN 'triad_float4' THEN 1.3 ELSE 1 END AS ratio
	FROM trial AS now JOIN trial AS before ON now.kernel = before.kernel AND now.variant = before.variant AND now.config = before.config
	WHERE now.run_id = (SELECT id FROM run WHERE label = 'now') AND before.run_id = (SELECT id FROM run WHERE label = 'before')
	AND now.status = 'ok' AND before.status = 'ok';
UPDATE trial SET (median_ns, session_low_ns, session_high_ns) = (SELECT ratio * base.median_ns, ratio * base.session_low_ns, ratio * base.session_high_ns
	FROM pair JOIN trial AS base ON base.id = pair.base WHERE pair.id = trial.id) WHERE id IN (SELECT id FROM pair);
UPDATE round SET median_ns = (SELECT ratio * base.median_ns FROM pair JOIN round AS base ON base.trial_id = pair.base AND base.round = round.round
	WHERE pair.id = round.trial_id) WHERE trial_id IN (SELECT id FROM pair);"

# The database of slower cases after one round: the comparison is undecided.
cp "$scratch/slower.db" "$scratch/undecided.db"
sqlite3 "$scratch/undecided.db" "DELETE FROM round WHERE round > 0; DELETE FROM sample WHERE round > 0;"

# The variants of one kernel beside one of them, with a speed-up of each verdict. One case is unverified,
# one was on other buffers, and one block size has no base case.
cp "$scratch/lab.db" "$scratch/speedup.db"
sqlite3 "$scratch/speedup.db" "
UPDATE run SET base_variant = 'stream/copy_scalar' WHERE label = 'now';
INSERT INTO speedup (trial_id, base_variant, base_config, verdict, speedup, low, high, p, base_median_ns, rounds, same_buffers, why)
SELECT head.id, 'copy_scalar',
	CASE WHEN head.config NOT LIKE 'block=96,%' THEN base.config END,
	CASE WHEN head.config LIKE 'block=96,%' THEN NULL
		WHEN head.variant = 'copy_grid_stride' THEN 'inconclusive'
		WHEN head.variant = 'copy_float4' AND head.config LIKE 'block=64,%' THEN 'same'
		WHEN base.median_ns > head.median_ns THEN 'faster' ELSE 'slower' END,
	CASE WHEN head.config NOT LIKE 'block=96,%' THEN base.median_ns / head.median_ns END,
	CASE WHEN head.config NOT LIKE 'block=96,%' THEN 0.98 * base.median_ns / head.median_ns END,
	CASE WHEN head.config NOT LIKE 'block=96,%' THEN 1.02 * base.median_ns / head.median_ns END,
	CASE WHEN head.config NOT LIKE 'block=96,%' THEN 0.001 END,
	CASE WHEN head.config NOT LIKE 'block=96,%' THEN base.median_ns END,
	CASE WHEN head.config LIKE 'block=96,%' THEN 0 ELSE 3 END,
	CASE WHEN head.config NOT LIKE 'block=96,%' THEN head.variant <> 'scale_float4' END,
	CASE WHEN head.config LIKE 'block=96,%' THEN 'copy_scalar has no case with block=96' END
FROM trial AS head JOIN run ON run.id = head.run_id JOIN trial AS base ON base.run_id = head.run_id
	AND base.kernel = 'stream' AND base.variant = 'copy_scalar' AND base.config = head.config
WHERE run.label = 'now' AND head.kernel = 'stream' AND head.variant <> 'copy_scalar';
UPDATE trial SET status = 'unverified', reason = 'its file says: verify none'
	WHERE variant = 'copy_float4' AND config LIKE 'block=128,%'
	AND run_id = (SELECT id FROM run WHERE label = 'now');"

# A second emulated run, a minute later: one variant has conflicts, another one fewer instructions.
cp "$scratch/lab.db" "$scratch/later.db"
sqlite3 "$scratch/later.db" "
PRAGMA foreign_keys = ON;
DELETE FROM run WHERE label <> 'emulated' OR label IS NULL;
UPDATE run SET uid = lower(hex(randomblob(16))), started_ns = started_ns + 60000000000;
UPDATE counter SET value = value + 640 WHERE trial_id = (SELECT min(trial_id) FROM counter)
	AND metric_id IN (SELECT id FROM metric WHERE name = 'ptx_global_load_sectors');
UPDATE counter SET value = value / 2 WHERE trial_id = (SELECT max(trial_id) FROM counter)
	AND metric_id IN (SELECT id FROM metric WHERE name = 'ptx_global_load_sectors');"
"$build/bin/perflab" merge "$scratch/lab.db" "$scratch/later.db" -o "$scratch/counted.db" -q 2>/dev/null

# Sweeps on three GPUs, which are fake: split, then spread with one GPU that is slower in one case. The
# name of a device and why a GPU failed are no markup.
sweep() {
	FAKE_WORKER_GPUS=3 PERFLAB_WORKER_CUDA=$build/tests/fake_worker PERFLAB_CEILINGS=never PERFLAB_SHARED_MEMORY=0 \
		"$build/bin/perflab" sweep --size 1024 --gpus all --quiet "$@" >"$scratch/said" 2>&1 ||
		{ cat "$scratch/said" && exit 1; }
}
sweep reduce --block-sizes 64..1024 --interference always --db "$scratch/split.db"
FAKE_WORKER_SCRIPT=slow_on_2:reduce/shuffle/block=128 sweep reduce/shuffle --block-sizes 64..512 --spread \
	--db "$scratch/spread.db"
# Both GPUs of this one are lost in their first case.
FAKE_WORKER_SCRIPT='gpu_dies_measure-0:0;gpu_dies_measure-0:1' FAKE_WORKER_STATE=$scratch/state FAKE_WORKER_GPUS=2 \
	PERFLAB_WORKER_CUDA=$build/tests/fake_worker PERFLAB_CEILINGS=never PERFLAB_SHARED_MEMORY=0 \
	"$build/bin/perflab" sweep reduce --size 1024 --block-sizes 64 --gpus all --quiet --db "$scratch/failed.db" \
	>"$scratch/said" 2>&1 || true
sqlite3 "$scratch/split.db" "
UPDATE device SET name = 'Fake <b id=\"markup\">GPU</b>';
INSERT INTO environment VALUES (2, 'gpus.failed', '<img src=x onerror=alert(1)>');
INSERT INTO environment SELECT id, 'gpus.absent.7', 'GPU-7: <img src=x onerror=alert(2)>' FROM run;
UPDATE run SET state = 'interrupted' WHERE id = 2;"

# report DATABASE RUN PAGE OPTION…
report() {
	database=$1 run=$2 page=$3
	shift 3
	status=0
	"$build/bin/perflab" report "$run" --db "$scratch/$database.db" --format html "$@" \
		-o "$scratch/$page.html" 2>"$scratch/said" || status=$?
	[ $status -ne 4 ] || skip "$(cat "$scratch/said")"
	[ $status -eq 0 ] || { cat "$scratch/said" && exit 1; }
}
report lab now lab --compare before
report lab now selected 'reduce/*' --sort=-median --compare before
report lab emulated emulated
report counted emulated counted
report history last history
report hostile last hostile
report absurd now absurd
report sizes now sizes
report unverified now unverified --compare before
report above now above
report speedup now speedup
report modelled now modelled
report slower now slower --compare before
report undecided now undecided --compare before
report slower now same 'reduce/*' --compare before
report lab now stream 'stream/*'
report unverified_history last unverified_history
report one last one
report bare last bare
report split last split
report spread last spread
report failed last failed
report lines last lines

# Two files at a time: a browser waits for much of its time.
[ $# -gt 0 ] || set -- "$source_root"/tests/browser/*.test.mjs
status=0
CHROMIUM=$CHROMIUM MODULES=$MODULES PAGES=$scratch \
	node --test --test-concurrency=2 "$@" || status=$?
exit $status
