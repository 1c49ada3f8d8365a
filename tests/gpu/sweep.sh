#!/bin/sh
# A sweep of every kernel: all verified and timed, counters there and plausible.
set -eu
. "$(dirname -- "$0")/lib.sh"

expect 0 "$perflab" sweep stream reduce divergence --block-sizes 64..1024 --metrics core \
	--rounds 2 --label gpu-test --db sweep.db
expect 0 "$perflab" sweep matmul --metrics core --rounds 2 --db sweep.db
holds sweep.db "the database is whole" \
	"SELECT (SELECT integrity_check FROM pragma_integrity_check) = 'ok'"
holds sweep.db "every case is ok or skipped with a reason" \
	"SELECT count(*) = 0 FROM trial WHERE status NOT IN ('ok', 'skipped')
		OR (status = 'skipped' AND reason IS NULL)"
holds sweep.db "there are cases" "SELECT count(*) > 100 FROM trial WHERE status = 'ok'"
holds sweep.db "both rounds of every case are stored" \
	"SELECT count(*) = 0 FROM trial WHERE status = 'ok'
		AND (SELECT count(*) FROM round WHERE trial_id = trial.id) <> 2"
holds sweep.db "every case has an interval around its median" \
	"SELECT count(*) = 0 FROM trial WHERE status = 'ok'
		AND NOT coalesce(session_low_ns <= median_ns AND median_ns <= session_high_ns, 0)"
for metric in branch_efficiency_pct achieved_occupancy_pct dram_read_bytes; do
	holds sweep.db "$metric was read" \
		"SELECT count(*) > 50 FROM counters WHERE metric = '$metric' AND value IS NOT NULL"
done
# A cold copy reads each byte once: what the chip counted must be what the kernel needs.
holds sweep.db "DRAM bytes read by a copy are those of its work model" \
	"SELECT count(*) > 0 AND min(abs(counters.value / trial.bytes_read - 1) < 0.05)
		FROM trial JOIN counters ON counters.trial_id = trial.id
		WHERE kernel = 'stream' AND variant LIKE 'copy%' AND metric = 'dram_read_bytes'
			AND trial.status = 'ok'"
# 32 MiB fit into the L2: what stays there comes faster than what was flushed.
for cache in cold hot; do
	expect 0 "$perflab" sweep stream/copy_float4 --block-sizes 256 --size 2^22 --cache $cache \
		--metrics none --label $cache --db cache.db
done
holds cache.db "a hot copy that fits the L2 is faster than a cold one" \
	"SELECT (SELECT median_ns FROM trial JOIN run ON run.id = run_id WHERE label = 'hot')
		< 0.9 * (SELECT median_ns FROM trial JOIN run ON run.id = run_id WHERE label = 'cold')"
expect 0 "$perflab" sweep reduce/shuffle --block-sizes 256 --metrics lts__t_sectors.sum --db bare.db
holds bare.db "a metric of CUPTI's by its bare name was read" \
	"SELECT count(*) = 1 FROM counters WHERE metric = 'lts__t_sectors.sum' AND value > 0"
# More cases than go through their passes together: a case has the counts that it has among few.
many=$(seq 1000001 7919 3200000 | paste -sd , -) # 278 sizes
few=1000001,$((1000001 + 140 * 7919)),$((1000001 + 270 * 7919))
for sizes in "$many" $few; do
	expect 0 "$perflab" sweep stream/copy_scalar --block-sizes 256 --set "n=$sizes" --metrics core \
		--rounds 1 --min-samples 1 --max-time 1us --db counts.db
done
holds counts.db "a case among many has its own counts" \
	"SELECT count(*) = 6 AND min(many.value = few.value)
		FROM results AS m JOIN results AS f USING (config)
		JOIN counters AS many ON many.trial_id = m.trial_id
		JOIN counters AS few ON few.trial_id = f.trial_id AND few.metric = many.metric
		WHERE m.run_id = 1 AND f.run_id = 2
			AND many.metric IN ('instructions', 'global_load_requests')"
expect 0 "$perflab" report last --db sweep.db
expect 0 "$perflab" report last --db sweep.db --format json
python3 -c 'import json; json.load(open("out.txt"))' || fail "report --format json is no JSON"
echo "sweep: ok"
