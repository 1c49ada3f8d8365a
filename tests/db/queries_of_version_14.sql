-- The examples of docs/schema.md of version 14, which still answer.
SELECT kernel, variant, config, round(change_pct, 2) AS change_pct, round(low_pct, 2) AS low_pct,
	round(high_pct, 2) AS high_pct, base_started_at, source_revision
FROM regressions WHERE verdict = 'regressed' ORDER BY change_pct DESC;

SELECT kernel, n, variant, block, config, round(median_ns / 1000, 2) AS median_us,
	round(bytes_per_s / 1e9, 1) AS gb_per_s
FROM best WHERE kernel <> 'ceilings' ORDER BY kernel, n;

SELECT kernel, variant, config, round(dram_intensity, 3) AS flop_per_byte,
	round(flop_per_s / 1e9, 1) AS gflop_per_s, nearest_roof,
	round(max(coalesce(dram_pct, 0), coalesce(l2_pct, 0), coalesce(l1_pct, 0),
		coalesce(shared_pct, 0), coalesce(flop_pct, 0)), 1) AS pct
FROM roofline WHERE kernel <> 'ceilings' AND nearest_roof IS NOT NULL ORDER BY pct DESC;

SELECT started_at, backend, kernel, variant, config, status, reason FROM failures
WHERE is_newest ORDER BY started_ns DESC;

SELECT conflict_pct > 10 AND dram_pct < 20 AS matches, kernel, variant, config,
	round(conflict_pct, 1) AS conflict_pct, round(dram_pct, 1) AS dram_pct
FROM (SELECT *,
	100 * (SELECT sum(value) FROM counters WHERE counters.trial_id = roofline.trial_id
		AND metric IN ('shared_load_bank_conflicts', 'shared_store_bank_conflicts'))
	/ (SELECT sum(value) FROM counters WHERE counters.trial_id = roofline.trial_id
		AND metric IN ('shared_load_wavefronts', 'shared_store_wavefronts')) AS conflict_pct
	FROM roofline)
ORDER BY matches DESC, conflict_pct DESC LIMIT 20;

SELECT started_at, source_revision, mark, round(median_ns / 1000, 2) AS median_us, verdict
FROM history
WHERE kernel = 'reduce' AND variant = 'shuffle' AND config = 'block=256,n=16777216'
ORDER BY started_ns;

SELECT key, a.value AS run_1, b.value AS run_2
FROM (SELECT * FROM environment WHERE run_id = 1) AS a
JOIN (SELECT * FROM environment WHERE run_id = 2) AS b USING (key)
WHERE a.value <> b.value;

SELECT metric, counters.reason, count(*) AS cases
FROM trial JOIN counters ON counters.trial_id = trial.id WHERE trial.run_id = 1
GROUP BY metric, counters.reason ORDER BY counters.reason IS NULL, cases DESC;

SELECT round, sequence, time_ns FROM sample
WHERE trial_id = (SELECT trial_id FROM history
	WHERE kernel = 'reduce' AND variant = 'shuffle' AND config = 'block=256,n=16777216'
		AND median_ns IS NOT NULL
	ORDER BY started_ns DESC LIMIT 1)
ORDER BY round, sequence;

SELECT kernel, variant, config, file, line,
	round(1.0 * sectors / requests, 2) AS sectors_per_request, conflicts
FROM line JOIN emulated USING (trial_id)
WHERE requests + shared_requests > 0 ORDER BY sectors_per_request DESC, conflicts DESC
LIMIT 20;

SELECT device, backend, verdict, count(*) AS cases FROM regressions
GROUP BY device, backend, verdict;

SELECT started_at, key, was, became FROM environment_changes ORDER BY started_ns DESC;

SELECT run.id, run.label, run.source_revision, mark.why
FROM mark JOIN run ON run.id = mark.run_id WHERE mark.kind = 'good' ORDER BY run.started_ns DESC;

SELECT device, "of", name, per_s, unit, config, measured_at FROM ceilings ORDER BY kind, per_s;

SELECT count(*) AS findings, max(per_s / roof_per_s) AS times_the_roof,
	group_concat(DISTINCT kernel || '/' || variant) AS variants FROM above_roof;

SELECT kernel, variant, block, n, status, coalesce(median_ns, reason) AS result
FROM trials WHERE run_id = (SELECT id FROM run ORDER BY started_ns DESC, id DESC LIMIT 1)
ORDER BY kernel, variant, n, block;

SELECT trial.kernel, trial.variant, trial.config, metric, value, unit, counters.reason
FROM trial JOIN counters ON counters.trial_id = trial.id
WHERE trial.run_id = 1 AND metric IN ('dram_read_bytes', 'branch_efficiency_pct');

SELECT kernel, variant, config, base_variant, verdict, round(speedup, 4) AS speedup,
	round(low, 4) AS low, round(high, 4) AS high, why
FROM speedups WHERE run_id = (SELECT max(run_id) FROM speedups) ORDER BY speedup DESC;

SELECT round, sequence, time_ns, base_ns, base_ns / time_ns AS speedup
FROM sample WHERE base_ns IS NOT NULL
	AND trial_id = (SELECT trial_id FROM speedups WHERE verdict IS NOT NULL LIMIT 1);

SELECT kernel, variant, config, round, round.median_ns
FROM trial JOIN round ON round.trial_id = trial.id WHERE trial.run_id = 1;

SELECT trial.kernel, trial.config, round.round, round.sm_clock_hz, round.throttle_reasons
FROM trial JOIN round ON round.trial_id = trial.id
WHERE trial.run_id = 1 AND round.throttle_reasons <> 0;

SELECT kernel, printf('%.1f %%', 100 * share) AS share, launches, total_ns / 1e6 AS total_ms
FROM program_kernels
WHERE recording_id = (SELECT id FROM recording WHERE mode = 'list' ORDER BY started_ns DESC LIMIT 1)
ORDER BY total_ns DESC LIMIT 10;

