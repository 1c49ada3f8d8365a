-- The views of a database of perflab. A database that is opened for writing gets them as they are
-- here. Each begins with what it shows; its first line is what `perflab query` lists. A column
-- without a comment means what it means in the table that it is taken from, as a metric in
-- `perflab list metrics`, or in the view results; `perflab query NAME --columns` looks that up.

CREATE VIEW counters AS
	-- An older form of result_counters, with the ids of trials only.
	-- One row per metric of a trial: a value or the reason why there is none, never both.
	-- `perflab list metrics` explains the names.
SELECT
	counter.trial_id,
	metric.name AS metric,
	metric.unit,
	metric.source,
	counter.value,
	counter.reason,
	metric.name -- the same as metric
FROM counter JOIN metric ON metric.id = counter.metric_id;

CREATE VIEW ceilings AS
	-- The measured ceilings of each device.
	-- One row per variant of the kernel ceilings, for each device: the best verified
	-- configuration in the newest run that has one. Only runs with the label ceilings count.
	-- `perflab ceilings` and `perflab sweep --ceilings` set that label, so an ordinary sweep of
	-- the kernel creates no ceilings, and neither does a user's kernel of this name. Several
	-- variants may measure the same thing; the highest of them is the roof. The name of a
	-- variant begins with what it is a ceiling of.
WITH named AS (
	SELECT trial.*, run.device_id, run.started_ns,
		CASE WHEN trial.variant GLOB 'tensor_*'
			THEN substr(trial.variant, 1, 6 + instr(substr(trial.variant, 8)
				|| '_', '_'))
			ELSE substr(trial.variant, 1, instr(trial.variant || '_', '_') - 1)
		END AS name_of
	FROM trial JOIN run ON run.id = trial.run_id
	WHERE trial.kernel = 'ceilings' AND run.label = 'ceilings' AND trial.status = 'ok'
		AND run.origin IS NULL
		AND trial.median_ns > 0
), worked AS (
	SELECT *, 'bandwidth' AS kind, 'byte/s' AS unit, bytes_read + bytes_written AS work
	FROM named WHERE name_of IN ('dram', 'l2', 'l1', 'shared')
	UNION ALL SELECT *, 'rate', 'flop/s', flop
	FROM named WHERE name_of IN ('f64', 'f32', 'f16', 'bf16', 'tensor_f64', 'tensor_tf32',
		'tensor_f16', 'tensor_bf16', 'tensor_f8')
), ranked AS (
	SELECT *, row_number() OVER (PARTITION BY device_id, variant
		ORDER BY started_ns DESC, run_id DESC, work / median_ns DESC, id) AS place
	FROM worked WHERE work > 0
) SELECT
	ranked.device_id, -- device.id
	device.name AS device,
	ranked.variant AS name, -- the variant: dram_copy
	ranked.kind, -- bandwidth or rate
	ranked.name_of AS "of",
		-- memory level (dram, l2, l1, shared) or precision (f64, f32, f16, bf16, tensor_f16
		-- …); a keyword of SQL, so quote it: "of"
	ranked.work * 1e9 / ranked.median_ns AS per_s,
		-- bytes or operations of the work model, divided by the median
	ranked.work * 1e9 / ranked.session_high_ns AS low_per_s, -- 95 % interval, lower end
	ranked.work * 1e9 / ranked.session_low_ns AS high_per_s, -- 95 % interval, upper end
	ranked.unit, -- byte/s or flop/s
	(SELECT avg(sm_clock_hz) FROM round WHERE trial_id = ranked.id) AS sm_clock_hz,
		-- SM clock during the measurement, mean over the rounds
	ranked.config, -- best configuration
	strftime('%Y-%m-%dT%H:%M:%SZ', ranked.finished_ns / 1000000000, 'unixepoch')
		AS measured_at, -- end of the trial
	ranked.run_id,
	ranked.id AS trial_id
FROM ranked JOIN device ON device.id = ranked.device_id WHERE place = 1;

-- metrics/analysis/verdict_evidence.c has the same rule; a test compares the two. high_per_s of
-- roofs is that of the highest ceiling. modelled has the precision of the work model, if it has
-- more operations than were counted.
CREATE VIEW above_roof AS
	-- Cases that are faster than their device can be, by its ceilings.
	-- One row per case and quantity above its roof: its time, its work model, a counter or the
	-- ceiling is wrong. The view considers the newest timed trial of each case, and the
	-- verified one that stands for it in best. A report prefers the ceilings of its own
	-- session; this view takes the newest.
WITH candidate AS (
	SELECT newest.device_id, newest.backend, newest.origin,
		CASE timed.status WHEN 'ok' THEN timed.id ELSE coalesce(
			(SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend
				AND coalesce(run.origin, '') = newest.origin
			AND trial.status = 'ok' AND trial.median_ns > 0
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1), timed.id) END AS trial_id
	FROM newest JOIN trial AS timed ON timed.id = newest.timed_trial_id
), roofs AS (
	SELECT device_id, "of", max(per_s) AS per_s, high_per_s
		FROM ceilings GROUP BY device_id, "of"
	UNION ALL SELECT device_id, 'any rate', max(per_s), high_per_s
	FROM ceilings JOIN device ON device.id = device_id
	WHERE kind = 'rate' AND (device_id, CASE
			WHEN cc_major > 8 OR (cc_major = 8 AND cc_minor >= 9) THEN 'tensor_f8'
			WHEN cc_major >= 7 THEN 'tensor_f16' WHEN cc_major > 0 THEN 'f16' END)
		IN (SELECT device_id, "of" FROM ceilings)
	GROUP BY device_id
), judged AS (
	SELECT trial.*, device_id, backend, origin, cache, device.name AS device,
		CASE WHEN device.l2_bytes > 0 THEN device.l2_bytes END AS l2_size,
		(SELECT value FROM counters WHERE trial_id = trial.id AND metric = 'dram_bytes')
			AS dram_bytes,
		(SELECT value FROM counters WHERE trial_id = trial.id
			AND metric = 'l2_from_l1_bytes') AS l2_bytes,
		(SELECT value FROM counters WHERE trial_id = trial.id AND metric = 'l1_bytes')
			AS l1_bytes,
		(SELECT value FROM counters WHERE trial_id = trial.id AND metric = 'shared_bytes')
			AS shared_bytes
	FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id
	WHERE trial.id IN (SELECT timed_trial_id FROM newest UNION SELECT trial_id FROM candidate)
), counted AS (
	SELECT id, substr(metric, 6) AS precision, value, row_number() OVER (PARTITION BY id
		ORDER BY value DESC, metric NOT GLOB 'flop_f64', metric GLOB 'flop_tensor_*')
			AS place,
		sum(value) OVER (PARTITION BY id) AS all_flop
	FROM judged JOIN counters ON trial_id = id
	WHERE value > 0
		AND metric IN ('flop_f64', 'flop_f32', 'flop_tensor_f64', 'flop_tensor_tf32',
		'flop_tensor_f16', 'flop_tensor_bf16', 'flop_tensor_f8')
), modelled AS (
	SELECT id, substr(metric, 12) AS precision FROM judged
	JOIN counters ON trial_id = id AND metric GLOB 'model_flop_*' AND value > 0
	WHERE coalesce((SELECT max(all_flop) FROM counted WHERE counted.id = judged.id), 0)
		< 0.5 * judged.flop
), quantities AS (
	SELECT id, 'dram' AS quantity, 'dram' AS roof, dram_bytes AS amount FROM judged
	UNION ALL SELECT id, 'l2', 'l2', l2_bytes FROM judged
	UNION ALL SELECT id, 'l1', 'l1', l1_bytes FROM judged
	UNION ALL SELECT id, 'shared', 'shared', shared_bytes FROM judged
	UNION ALL SELECT id, precision, precision, value FROM counted WHERE place = 1
	UNION ALL SELECT id, 'model dram', 'dram', CASE WHEN cache = 'cold'
			THEN bytes_read + max(0, bytes_written - coalesce(l2_size, bytes_written))
			ELSE max(0, bytes_read + bytes_written - 2 * l2_size) END
		FROM judged WHERE kernel <> 'ceilings'
	UNION ALL SELECT id, 'model l2', 'l2', max(bytes_read, bytes_written)
		FROM judged WHERE kernel <> 'ceilings'
	UNION ALL SELECT judged.id, 'model flop', coalesce(modelled.precision, 'any rate'),
		judged.flop
		FROM judged LEFT JOIN modelled ON modelled.id = judged.id WHERE kernel <> 'ceilings'
) SELECT
	judged.device,
	judged.backend,
	judged.kernel,
	judged.variant,
	judged.config,
	quantity,
		-- counted: dram, l2, l1, shared or a precision such as f32; of the work model:
		-- `model dram`, `model l2` or `model flop`
	amount * 1e9 / judged.median_ns AS per_s, -- the quantity divided by the median
	amount * 1e9 / judged.session_high_ns AS low_per_s,
		-- the quantity divided by the upper end of the median's interval
	roofs.per_s AS roof_per_s, -- the ceiling
	roofs.high_per_s AS roof_high_per_s, -- 95 % interval of the ceiling, upper end
	judged.median_ns,
	judged.status, -- ok, or unverified
	judged.origin,
	judged.run_id,
	judged.id AS trial_id
FROM quantities JOIN judged USING (id)
JOIN roofs ON roofs.device_id = judged.device_id AND roofs."of" = roof
WHERE amount > 0 AND CASE
	WHEN judged.session_high_ns > 0 AND roofs.high_per_s > 0
		THEN amount * 1e9 / judged.session_high_ns > 1.03 * roofs.high_per_s
	ELSE amount * 1e9 / judged.median_ns > 1.10 * roofs.per_s END;

-- The problems are those of reports/derived/problems.c.
CREATE VIEW best AS
	-- The best configuration of each kernel, device and size.
	-- One row per kernel and problem, for each device, backend and origin. Cases of one kernel
	-- with the same n and the same work model are the same problem, as in reports. If the work
	-- of a variant depends on the block size, its block sizes still solve one problem. Without
	-- a work model, only the block size may differ.
	-- Only the newest timed and verified trial of each case takes part, so old code does not
	-- win, and emulated trials do not take part. If no trial of a case was verified, its newest
	-- unverified one takes part; it ranks after every verified trial, so it is the best only of
	-- a problem without one. A trial in above_roof is never the best.
WITH candidate AS (
	SELECT newest.device_id, newest.backend, newest.origin,
		CASE timed.status WHEN 'ok' THEN timed.id ELSE coalesce(
			(SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id
		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant
			AND trial.config = newest.config AND run.device_id = newest.device_id
			AND run.backend = newest.backend
				AND coalesce(run.origin, '') = newest.origin
			AND trial.status = 'ok' AND trial.median_ns > 0
		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1), timed.id) END AS trial_id
	FROM newest JOIN trial AS timed ON timed.id = newest.timed_trial_id
), sized AS (
	SELECT trial.*, candidate.device_id, candidate.backend, candidate.origin, size.value AS n,
		block.value AS block, coalesce(replace(',' || trial.config || ',',
			',block=' || block.value || ',', ','), ',' || trial.config || ',')
				AS problem
	FROM candidate JOIN trial ON trial.id = candidate.trial_id
	LEFT JOIN axis AS size ON size.trial_id = trial.id AND size.name = 'n'
	LEFT JOIN axis AS block ON block.trial_id = trial.id AND block.name = 'block'
	WHERE candidate.trial_id NOT IN (SELECT trial_id FROM above_roof)
), worked AS (
	SELECT *, first_value(flop) OVER most AS most_flop,
		first_value(bytes_read) OVER most AS most_read,
		first_value(bytes_written) OVER most AS most_written
	FROM sized WINDOW most AS (
		PARTITION BY device_id, backend, origin, kernel, variant, problem
		ORDER BY bytes_read + bytes_written DESC, flop DESC)
), ranked AS (
	SELECT *, row_number() OVER (
		PARTITION BY device_id, backend, origin, kernel, n, most_flop, most_read,
			most_written,
			CASE WHEN most_flop IS NULL THEN problem END
		ORDER BY status <> 'ok', median_ns, id) AS place
	FROM worked
) SELECT
	device.name AS device,
	ranked.backend,
	ranked.kernel,
	ranked.n,
	ranked.variant, -- fastest variant
	ranked.config, -- fastest configuration of that variant
	ranked.block,
	ranked.median_ns,
	ranked.session_low_ns,
	ranked.session_high_ns,
	ranked.flop * 1e9 / ranked.median_ns AS flop_per_s,
		-- operations of the work model divided by the median
	(ranked.bytes_read + ranked.bytes_written) * 1e9 / ranked.median_ns AS bytes_per_s,
		-- bytes of the work model divided by the median
	ranked.status, -- ok, or unverified
	nullif(ranked.origin, '') AS origin,
	ranked.run_id,
	ranked.id AS trial_id
FROM ranked JOIN device ON device.id = ranked.device_id WHERE place = 1;

-- metrics/analysis/roofline.c computes the same; a test compares the two.
CREATE VIEW roofline AS
	-- The place of each case under the roofs of its device.
	-- One row per case: the counters of its newest timed trial, verified or not, under the
	-- highest ceilings of the device. The memory levels are dram, l2, l1 and shared; their
	-- bytes are the metrics dram_bytes, l2_from_l1_bytes, l1_bytes and shared_bytes. A column
	-- is NULL if a counter or a ceiling is missing, or if its divisor is 0. A report prefers
	-- the ceilings of its own session; this view takes the newest.
WITH roofs AS (
	SELECT device_id,
		max(per_s) FILTER (WHERE "of" = 'dram') AS dram_roof,
		max(per_s) FILTER (WHERE "of" = 'l2') AS l2_roof,
		max(per_s) FILTER (WHERE "of" = 'l1') AS l1_roof,
		max(per_s) FILTER (WHERE "of" = 'shared') AS shared_roof
	FROM ceilings GROUP BY device_id
), rates AS (
	SELECT device_id, "of", max(per_s) AS per_s FROM ceilings WHERE kind = 'rate'
	GROUP BY device_id, "of"
), counted AS MATERIALIZED (
	SELECT trial.*, newest.device_id, newest.backend,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'dram_bytes') AS dram_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'l2_from_l1_bytes') AS l2_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'l1_bytes') AS l1_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'shared_bytes') AS shared_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_f64') AS f64,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_f32') AS f32,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_tensor_f64') AS tensor_f64,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_tensor_tf32') AS tensor_tf32,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_tensor_f16') AS tensor_f16,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_tensor_bf16') AS tensor_bf16,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_tensor_f8') AS tensor_f8
	FROM newest JOIN trial ON trial.id = newest.timed_trial_id
), most AS MATERIALIZED (
	SELECT *, max(coalesce(f64, 0), coalesce(f32, 0), coalesce(tensor_f64, 0),
		coalesce(tensor_tf32, 0), coalesce(tensor_f16, 0), coalesce(tensor_bf16, 0),
		coalesce(tensor_f8, 0)) AS most_flop
	FROM counted
), told AS (
	SELECT *,
		CASE WHEN most_flop <= 0 THEN 'f32' WHEN f64 = most_flop THEN 'f64'
			WHEN f32 = most_flop THEN 'f32'
			WHEN tensor_f64 = most_flop THEN 'tensor_f64'
			WHEN tensor_tf32 = most_flop THEN 'tensor_tf32'
			WHEN tensor_f16 = most_flop THEN 'tensor_f16'
			WHEN tensor_bf16 = most_flop THEN 'tensor_bf16' ELSE 'tensor_f8'
				END AS precision,
		CASE WHEN most_flop > 0 THEN most_flop WHEN f64 = 0 AND f32 = 0 THEN 0.0
			END AS counted_flop
	FROM most
), placed AS (
	SELECT told.id, told.run_id, told.status, told.device_id, told.backend, told.kernel,
		told.variant,
		told.config, told.median_ns, told.precision, told.counted_flop AS flop,
		told.bytes_read + told.bytes_written AS needed_bytes,
		told.dram_bytes, told.l2_bytes, told.l1_bytes, told.shared_bytes,
		dram_roof, l2_roof, l1_roof, shared_roof,
		rates.per_s AS flop_roof,
		100e9 * told.dram_bytes / told.median_ns / dram_roof AS dram_pct,
		100e9 * told.l2_bytes / told.median_ns / l2_roof AS l2_pct,
		100e9 * told.l1_bytes / told.median_ns / l1_roof AS l1_pct,
		100e9 * told.shared_bytes / told.median_ns / shared_roof AS shared_pct,
		100e9 * told.counted_flop / told.median_ns / rates.per_s AS flop_pct
	FROM told LEFT JOIN roofs ON roofs.device_id = told.device_id
	LEFT JOIN rates ON rates.device_id = told.device_id AND rates."of" = told.precision
) SELECT
	device.name AS device,
	placed.backend,
	placed.kernel,
	placed.variant,
	placed.config,
	placed.median_ns,
	placed.precision,
		-- precision with the most counted operations: f64, f32 or one of tensor cores
		-- (tensor_f16 …)
	placed.flop, -- counted operations of that precision
	placed.flop * 1e9 / placed.median_ns AS flop_per_s, -- flop divided by the median
	placed.flop_roof AS roof_flop_per_s, -- ceiling of that precision
	placed.flop_pct, -- flop_per_s as a share of that ceiling
	placed.dram_bytes,
	placed.flop / nullif(placed.dram_bytes, 0) AS dram_intensity, -- flop / dram_bytes
	placed.dram_bytes * 1e9 / placed.median_ns AS dram_bytes_per_s,
		-- dram_bytes divided by the median
	placed.dram_roof AS dram_roof_bytes_per_s, -- ceiling of DRAM
	placed.dram_pct, -- dram_bytes_per_s as a share of that ceiling
	placed.l2_bytes, -- the metric l2_from_l1_bytes
	placed.flop / nullif(placed.l2_bytes, 0) AS l2_intensity, -- flop / l2_bytes
	placed.l2_bytes * 1e9 / placed.median_ns AS l2_bytes_per_s,
		-- l2_bytes divided by the median
	placed.l2_roof AS l2_roof_bytes_per_s, -- ceiling of the L2 cache
	placed.l2_pct, -- l2_bytes_per_s as a share of that ceiling
	placed.l1_bytes,
	placed.flop / nullif(placed.l1_bytes, 0) AS l1_intensity, -- flop / l1_bytes
	placed.l1_bytes * 1e9 / placed.median_ns AS l1_bytes_per_s,
		-- l1_bytes divided by the median
	placed.l1_roof AS l1_roof_bytes_per_s, -- ceiling of the L1 cache
	placed.l1_pct, -- l1_bytes_per_s as a share of that ceiling
	placed.shared_bytes,
	placed.flop / nullif(placed.shared_bytes, 0) AS shared_intensity, -- flop / shared_bytes
	placed.shared_bytes * 1e9 / placed.median_ns AS shared_bytes_per_s,
		-- shared_bytes divided by the median
	placed.shared_roof AS shared_roof_bytes_per_s, -- ceiling of shared memory
	placed.shared_pct, -- shared_bytes_per_s as a share of that ceiling
	placed.needed_bytes, -- bytes read and written of the work model
	placed.dram_bytes / nullif(placed.needed_bytes, 0) AS waste, -- dram_bytes / needed_bytes
	(SELECT name FROM (SELECT 'dram' AS name, placed.dram_pct AS pct
		UNION ALL SELECT 'l2', placed.l2_pct UNION ALL SELECT 'l1', placed.l1_pct
		UNION ALL SELECT 'shared', placed.shared_pct
		UNION ALL SELECT placed.precision, placed.flop_pct)
		WHERE pct > 0 ORDER BY pct DESC LIMIT 1) AS nearest_roof,
		-- memory level or precision with the highest percentage
	placed.status, -- ok, or unverified
	placed.run_id,
	placed.id AS trial_id
FROM placed JOIN device ON device.id = placed.device_id;

-- The views of an untrusted file may not use SQLite's JSON functions, so members of JSON objects
-- are put together here; one whose text has a control character that is not escaped is left out. A
-- name of a counter of a device has few sources, so a search for each is fast. The source of a counter
-- that --take-counters copied names a run, and that of the emulator has the number of sampled blocks,
-- so these names have many: the plus makes SQLite read the counters of the trial instead.
CREATE VIEW results AS
	-- Everything about each case of a run, one row per case: begin here.
	-- The shares of roofs and the limiter are those of the time when the run was judged.
WITH metric_head AS MATERIALIZED (
	SELECT id, '"' || metric.name || '":' AS head FROM metric
	WHERE metric.name NOT GLOB '*[^] -!#-[^-~]*'
)
SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
		-- start of the run, UTC: 2026-11-21T02:50:45Z
	device.name AS device, -- name of the device
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
		-- axis block; NULL if the case has none
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
		-- axis n; NULL if the case has none
	'{' || coalesce((SELECT group_concat(printf('"%s":%d', axis.name, axis.value)) FROM axis
		WHERE trial_id = trial.id AND axis.name NOT GLOB '*[^] -!#-[^-~]*'), '') || '}'
			AS axes, -- all axes as JSON: {"block":256,"n":16777216}
	trial.status,
	trial.reason,
	-- perflab did not see what an imported program computed
	CASE WHEN NOT EXISTS (SELECT 1 FROM environment
			WHERE run_id = run.id AND environment.key = 'imported_from')
		THEN CASE trial.status WHEN 'ok' THEN 1 WHEN 'unverified' THEN 0
			WHEN 'sampled' THEN 0 WHEN 'mismatch' THEN 0 END END AS verified,
		-- 1: the result was compared and is right; 0: no check shows that it is right, or
		-- it is wrong; NULL: the case did not get so far, or the run was imported, so
		-- perflab did not check its results
	trial.status NOT IN ('ok', 'sampled', 'unverified', 'skipped', 'pending') AS failed,
		-- 1: the status is none of ok, sampled, unverified, skipped and pending
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
		-- 1: no newer run has a result of the case
	trial.id IN (SELECT best.trial_id FROM best) AS is_best,
		-- 1: the case is in best: the fastest of its kernel and problem, among the newest
		-- results of its device
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.median_ns END AS median_ns,
		-- median of the samples; NULL, as the other times, unless the status is ok or
		-- unverified
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.session_low_ns END AS session_low_ns,
		-- 95 % interval of the median, lower end
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.session_high_ns END AS session_high_ns,
		-- 95 % interval of the median, upper end
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.mad_ns END AS mad_ns,
		-- median absolute deviation
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.min_ns END AS min_ns,
		-- fastest sample
	CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.max_ns END AS max_ns,
		-- slowest sample
	trial.mean_ns,
	trial.sample_count,
	CASE WHEN NOT limiter.from_model THEN limiter.limiter END AS limiter,
		-- as in the table limiter; NULL: too little was measured, no rule explains the time,
		-- only the work model tells (model_limiter), or not judged; summary says which
	CASE WHEN NOT limiter.from_model THEN limiter.roof_pct END AS limiter_pct,
		-- share of the limiter's roof; without one, of the nearest roof; NULL: no roof was
		-- measured
	CASE WHEN limiter.trial_id IS NOT NULL THEN limiter.summary
		WHEN trial.status NOT IN ('ok', 'unverified', 'sampled')
			THEN 'not judged: the case is ' || trial.status
		ELSE 'not judged yet: perflab judges it when it next stores a run' END AS summary,
		-- the verdict in one sentence, or why there is none
	limiter.advice,
	limiter.notes,
	limiter.above_roof,
	limiter.dram_pct,
	limiter.l2_pct,
	limiter.l1_pct,
	limiter.shared_pct,
	limiter.compute_pct,
	limiter.precision,
	limiter.flop AS counted_flop,
	limiter.flop * 1e9 / trial.median_ns AS counted_flop_per_s,
		-- counted_flop divided by the median
	limiter.flop / nullif(
		CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
			AND metric_id IN (SELECT id FROM metric WHERE name = 'dram_bytes')) END,
		0) AS dram_intensity, -- counted_flop / dram_bytes
	(SELECT roof FROM (SELECT 'dram' AS roof, limiter.dram_pct AS pct
		UNION ALL SELECT 'l2', limiter.l2_pct UNION ALL SELECT 'l1', limiter.l1_pct
		UNION ALL SELECT 'shared', limiter.shared_pct
		UNION ALL SELECT limiter.precision, limiter.compute_pct)
		WHERE pct > 0 ORDER BY pct DESC LIMIT 1) AS nearest_roof,
		-- memory level or precision with the highest share
	judgement.roofs_run_id,
	judgement.rules,
	trial.theoretical_occupancy_pct,
	trial.occupancy_limiter,
	trial.registers_per_thread,
	trial.local_bytes_per_thread,
	trial.shared_static_bytes + trial.shared_dynamic_bytes AS shared_bytes_per_block,
		-- static and dynamic shared memory, in the largest launch
	trial.code_hash,
	-- Counters of the device: `perflab list metrics`.
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE name = 'achieved_occupancy_pct'))
			END AS achieved_occupancy_pct,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE name = 'branch_efficiency_pct'))
			END AS branch_efficiency_pct,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE name = 'threads_per_instruction'))
			END AS threads_per_instruction,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE name = 'instructions'))
			END AS instructions,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE name = 'dram_bytes_per_s'))
			END AS dram_bytes_per_s,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE name = 'dram_throughput_pct'))
			END AS dram_throughput_pct,
		-- share of the peak that the device reports; dram_pct is that of the measured roof
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE name = 'dram_bytes'))
			END AS dram_bytes,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE name = 'dram_read_bytes'))
			END AS dram_read_bytes,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE name = 'dram_write_bytes'))
			END AS dram_write_bytes,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE name = 'l2_from_l1_bytes'))
			END AS l2_from_l1_bytes,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE name = 'l1_bytes')) END AS l1_bytes,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN (SELECT id FROM metric WHERE name = 'shared_bytes'))
			END AS shared_bytes,
	(CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
			AND metric_id IN
				(SELECT id FROM metric WHERE name = 'shared_load_bank_conflicts')) END)
		+ (CASE WHEN NOT run.emulated THEN
			(SELECT value FROM counter WHERE trial_id = trial.id
			AND metric_id IN
				(SELECT id FROM metric WHERE name = 'shared_store_bank_conflicts'))
					END) AS bank_conflicts,
		-- shared_load_bank_conflicts + shared_store_bank_conflicts
	100.0 * (
		(CASE WHEN NOT run.emulated THEN
			(SELECT value FROM counter WHERE trial_id = trial.id
			AND metric_id IN
				(SELECT id FROM metric WHERE name = 'shared_load_bank_conflicts')) END)
		+ (CASE WHEN NOT run.emulated THEN
			(SELECT value FROM counter WHERE trial_id = trial.id
			AND metric_id IN
				(SELECT id FROM metric WHERE name = 'shared_store_bank_conflicts')) END))
		/ nullif(
		(CASE WHEN NOT run.emulated THEN
			(SELECT value FROM counter WHERE trial_id = trial.id
			AND metric_id IN
				(SELECT id FROM metric WHERE name = 'shared_load_wavefronts')) END)
		+ (CASE WHEN NOT run.emulated THEN
			(SELECT value FROM counter WHERE trial_id = trial.id
			AND metric_id IN
				(SELECT id FROM metric WHERE name = 'shared_store_wavefronts')) END), 0)
					AS bank_conflict_pct,
		-- share of the wavefronts of shared memory that are bank conflicts; NULL: not
		-- counted, or no wavefronts
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN
			(SELECT id FROM metric WHERE name = 'global_load_sectors_per_request'))
				END AS global_load_sectors_per_request,
	CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND metric_id IN
			(SELECT id FROM metric WHERE name = 'global_store_sectors_per_request'))
				END AS global_store_sectors_per_request,
	-- Counts of the emulator.
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE name = 'ptx_branch_efficiency_pct'))
			END AS ptx_branch_efficiency_pct,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN
			(SELECT id FROM metric WHERE name = 'ptx_warp_execution_efficiency_pct'))
				END AS ptx_warp_execution_efficiency_pct,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN
			(SELECT id FROM metric WHERE name = 'ptx_load_sectors_per_request'))
				END AS ptx_load_sectors_per_request,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN
			(SELECT id FROM metric WHERE name = 'ptx_store_sectors_per_request'))
				END AS ptx_store_sectors_per_request,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE name = 'ptx_shared_bank_conflicts'))
			END AS ptx_shared_bank_conflicts,
	100.0 *
		(CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
			AND +metric_id IN
				(SELECT id FROM metric WHERE name = 'ptx_shared_bank_conflicts')) END)
		/ nullif(
		(CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
			AND +metric_id IN
				(SELECT id FROM metric WHERE name = 'ptx_shared_load_wavefronts')) END)
		+ (CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
			AND +metric_id IN
				(SELECT id FROM metric WHERE name = 'ptx_shared_store_wavefronts')) END), 0)
					AS ptx_bank_conflict_pct,
		-- share of the emulated wavefronts of shared memory that are bank conflicts
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE name = 'ptx_warp_instructions'))
			END AS ptx_warp_instructions,
	CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id
		AND +metric_id IN (SELECT id FROM metric WHERE name = 'ptx_compulsory_bytes'))
			END AS ptx_compulsory_bytes,
	'{' || coalesce((SELECT group_concat(head || counter.value)
		FROM counter JOIN metric_head ON metric_head.id = counter.metric_id
		WHERE counter.trial_id = trial.id AND abs(counter.value) < 9e999), '') || '}'
			AS counters,
		-- all metrics with a value as JSON, with 15 digits: {"dram_bytes":67108864.0}
	CASE WHEN limiter.from_model THEN limiter.limiter END AS model_limiter,
		-- the limiter, where it follows from the work model in place of missing counters
	CASE WHEN limiter.from_model THEN limiter.roof_pct END AS model_limiter_pct,
		-- share of its roof, likewise
	limiter.model_precision,
	limiter.model_compute_pct,
	trial.flop AS model_flop,
	trial.bytes_read + trial.bytes_written AS model_bytes,
		-- bytes read and written of the work model
	trial.flop * 1e9 / CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.median_ns
		END AS model_flop_per_s, -- model_flop divided by the median
	(trial.bytes_read + trial.bytes_written) * 1e9
		/ CASE WHEN trial.status IN ('ok', 'unverified') THEN trial.median_ns END
		AS model_bytes_per_s, -- model_bytes divided by the median
	comparison.verdict AS change, -- verdict on the change, as in comparison; NULL: not compared
	100 * comparison.change AS change_pct, -- change of the time; above 0 the case is slower
	100 * comparison.low AS change_low_pct, -- 95 % interval of the change, lower end
	100 * comparison.high AS change_high_pct, -- 95 % interval of the change, upper end
	comparison.why AS change_why,
	base.run_id AS base_run_id, -- run.id of the baseline
	base.median_ns AS base_median_ns, -- median of the baseline
	speedup.base_variant,
	speedup.speedup,
	speedup.low AS speedup_low,
	speedup.high AS speedup_high,
	speedup.verdict AS speedup_verdict,
	run.driver,
	run.cuda_driver,
	run.toolkit,
	(SELECT value FROM environment WHERE run_id = run.id AND environment.key = 'host') AS host,
		-- host name
	(SELECT value FROM environment WHERE run_id = run.id
		AND environment.key = 'gpu.persistence_mode') AS persistence_mode, -- on or off
	(SELECT value FROM environment WHERE run_id = run.id AND environment.key = 'gpu.ecc')
		AS ecc, -- on or off
	CAST((SELECT value FROM environment WHERE run_id = run.id
		AND environment.key = 'gpu.power_limit_w') AS REAL) AS power_limit_w, -- power limit
	(SELECT avg(sm_clock_hz) FROM round WHERE trial_id = trial.id) AS sm_clock_hz,
		-- SM clock during the samples, mean over the rounds
	(SELECT avg(memory_clock_hz) FROM round WHERE trial_id = trial.id) AS memory_clock_hz,
		-- memory clock, mean over the rounds
	(SELECT max(temperature_c) FROM round WHERE trial_id = trial.id) AS temperature_c,
		-- highest of the rounds
	(SELECT avg(power_w) FROM round WHERE trial_id = trial.id) AS power_w,
		-- mean over the rounds
	(SELECT sum(throttle_reasons <> 0) FROM round WHERE trial_id = trial.id)
		AS throttled_rounds,
		-- rounds during which the device was throttled; NULL: not known
	'{' || coalesce((SELECT group_concat(
		CASE WHEN (environment.key || environment.value) NOT GLOB '*[^] -!#-[^-~]*'
			THEN printf('"%s":"%s"', environment.key, environment.value)
		WHEN environment.key || environment.value NOT GLOB '*[' || char(1) || '-' || char(8)
			|| char(11) || char(12) || char(14) || '-' || char(31) || ']*'
			THEN '"' || replace(replace(replace(replace(replace(environment.key, '\', '\\'),
				'"', '\"'), char(10), '\n'), char(13), '\r'), char(9), '\t') || '":"'
				|| replace(replace(replace(replace(replace(environment.value, '\', '\\'),
				'"', '\"'), char(10), '\n'), char(13), '\r'), char(9), '\t') || '"' END)
		FROM environment WHERE run_id = run.id), '') || '}' AS environment,
		-- all facts of the table environment as JSON
	run.cache,
	run.timed,
	run.emulated,
	(SELECT kind FROM mark WHERE mark.run_id = run.id) AS mark, -- good or bad; NULL: not marked
	run.source_revision,
	run.origin,
	run.version,
	run.started_ns,
	trial.id AS trial_id
FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id
LEFT JOIN limiter ON limiter.trial_id = trial.id
LEFT JOIN judgement ON judgement.run_id = run.id
LEFT JOIN comparison ON comparison.trial_id = trial.id
LEFT JOIN trial AS base ON base.id = comparison.base_trial_id
LEFT JOIN speedup ON speedup.trial_id = trial.id;

CREATE VIEW result_counters AS
	-- The metrics of each case of a run: values, or why there is none.
	-- One row per metric of a case of a run.
SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	trial.status,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
	metric.name,
	counter.value,
	metric.unit,
	counter.reason,
	metric.source,
	run.origin,
	run.started_ns,
	trial.id AS trial_id
FROM counter JOIN metric ON metric.id = counter.metric_id
JOIN trial ON trial.id = counter.trial_id JOIN run ON run.id = trial.run_id
JOIN device ON device.id = run.device_id;

CREATE VIEW result_rounds AS
	-- The median and the device state of each round of each case of a run.
SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	trial.status,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
	round.round,
	round.median_ns,
	round.sm_clock_hz,
	round.memory_clock_hz,
	round.temperature_c,
	round.power_w,
	round.throttle_reasons,
	round.speedup,
	run.origin,
	run.started_ns,
	trial.id AS trial_id
FROM round JOIN trial ON trial.id = round.trial_id JOIN run ON run.id = trial.run_id
JOIN device ON device.id = run.device_id;

CREATE VIEW result_samples AS
	-- Every timed execution of each case of a run.
SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	trial.status,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
	sample.round,
	sample.sequence,
	sample.time_ns,
	sample.base_ns,
	run.origin,
	run.started_ns,
	trial.id AS trial_id
FROM sample JOIN trial ON trial.id = sample.trial_id JOIN run ON run.id = trial.run_id
JOIN device ON device.id = run.device_id;

CREATE VIEW result_lines AS
	-- What the emulator counted at the source lines of each case of a run.
SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	trial.status,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
	line.file,
	line.line,
	line.instructions,
	line.branches,
	line.divergent,
	line.requests,
	line.sectors,
	1.0 * line.sectors / nullif(line.requests, 0) AS sectors_per_request, -- NULL: no request
	line.shared_requests,
	line.wavefronts,
	line.conflicts,
	run.origin,
	run.started_ns,
	trial.id AS trial_id
FROM line JOIN trial ON trial.id = line.trial_id JOIN run ON run.id = trial.run_id
JOIN device ON device.id = run.device_id;

CREATE VIEW result_line_costs AS
	-- What the hardware counted and sampled at the source lines of each case of a run.
	-- One row per line, and per call by which it was inlined. Only of cases whose instructions
	-- were asked for (`perflab sweep --lines`). Emulated counts are in result_lines.
SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	trial.status,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
		-- 1: no newer run has a result of the case
	frame.file, -- NULL: instructions of which no line is known
	frame.line, -- number of the line in the file
	frame.inlined, -- mangled name of the inlined function that the line is in; NULL: none
	(WITH RECURSIVE up (caller, depth, calls) AS (
			SELECT frame.caller, 0, '' UNION ALL
			SELECT above.caller, depth + 1, calls || iif(depth, ' < ', '')
				|| above.file || ':' || above.line
			FROM up JOIN profile_frame AS above
				ON above.trial_id = frame.trial_id AND above.frame = up.caller
			WHERE depth < 64)
		SELECT nullif(calls, '') FROM up ORDER BY depth DESC LIMIT 1) AS called_from,
		-- where the line was inlined: the positions of the calls, the innermost first;
		-- NULL: it was not
	function.name AS function, -- the kernel or function of machine code
	sum(instruction.samples) AS samples, -- of its instructions; NULL: not sampled
	1.0 * sum(instruction.samples) / nullif(profile.samples, 0) AS share,
		-- of the samples of the case: 0.25 is a quarter
	frame.low, -- 95 % interval of the share, lower end
	frame.high, -- 95 % interval of the share, upper end
	sum((SELECT sum(stall.not_issued) FROM stall WHERE stall.trial_id = instruction.trial_id
		AND stall.instruction = instruction.instruction)) AS not_issued,
		-- samples in cycles in which the scheduler issued nothing
	sum(executed) AS executed, -- times that warps executed its instructions
	100.0 * sum(lanes) / (32 * sum(executed) FILTER (WHERE lanes > 0)) AS lanes_pct,
		-- lanes with a true predicate, of 32, at instructions that a lane executed
	sum(requests) AS requests, -- accesses of warps to global memory
	sum(sectors) AS sectors, -- 32-byte sectors of those accesses
	sum(ideal_sectors) AS ideal_sectors, -- sectors if the lanes of a warp accessed adjacent elements
	1.0 * sum(sectors) / nullif(sum(requests), 0) AS sectors_per_request, -- NULL: no request
	sum(local_sectors) AS local_sectors, -- sectors of local memory: spills and stack
	sum(shared_requests) AS shared_requests, -- accesses of warps to shared memory
	sum(wavefronts) AS wavefronts, -- wavefronts of those accesses
	sum(ideal_wavefronts) AS ideal_wavefronts, -- wavefronts without bank conflicts
	sum(branches) AS branches, -- branches that warps executed
	sum(divergent) AS divergent, -- branches whose lanes went different ways
	max(varies) AS varies, -- 1: a second execution had other counts
	run.origin,
	run.started_ns,
	trial.id AS trial_id
FROM instruction JOIN profile USING (trial_id)
LEFT JOIN profile_frame AS frame USING (trial_id, frame)
JOIN profile_function AS function USING (trial_id, function)
JOIN trial ON trial.id = instruction.trial_id JOIN run ON run.id = trial.run_id
JOIN device ON device.id = run.device_id
GROUP BY run.id, trial.id, instruction.frame;

CREATE VIEW result_instructions AS
	-- What the hardware counted and sampled at each instruction of the cases of a run.
SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	trial.status,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
		-- 1: no newer run has a result of the case
	function.name AS function, -- mangled
	instruction.pc, -- bytes from the beginning of the function
	frame.file, -- NULL: not known
	frame.line, -- number of the line in the file
	frame.inlined, -- mangled name of the inlined function that it is in; NULL: none
	instruction.samples,
	1.0 * instruction.samples / nullif(profile.samples, 0) AS share,
		-- of the samples of the case: 0.25 is a quarter
	instruction.executed,
	100.0 * instruction.lanes / nullif(32 * instruction.executed, 0) AS lanes_pct,
		-- lanes with a true predicate, of 32
	instruction.requests,
	instruction.sectors,
	instruction.ideal_sectors,
	instruction.local_sectors,
	instruction.shared_requests,
	instruction.wavefronts,
	instruction.ideal_wavefronts,
	instruction.branches,
	instruction.divergent,
	instruction.varies, -- 1: a second execution had other counts
	function.code, -- content.hash of the cubin
	run.origin,
	run.started_ns,
	trial.id AS trial_id
FROM instruction JOIN profile USING (trial_id)
JOIN profile_function AS function USING (trial_id, function)
LEFT JOIN profile_frame AS frame USING (trial_id, frame)
JOIN trial ON trial.id = instruction.trial_id JOIN run ON run.id = trial.run_id
JOIN device ON device.id = run.device_id;

CREATE VIEW result_stalls AS
	-- Why warps waited at each instruction of the cases of a run.
	-- One row per case, instruction and reason with samples.
SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = 'n') AS n,
	trial.status,
	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,
		-- 1: no newer run has a result of the case
	function.name AS function, -- mangled
	instruction.pc, -- bytes from the beginning of the function
	frame.file, -- NULL: not known
	frame.line, -- number of the line in the file
	stall.reason, -- as CUPTI names it: long_scoreboard waits for global or local memory
	stall.samples,
	stall.not_issued, -- those in cycles in which the scheduler issued nothing
	1.0 * stall.samples / nullif(profile.samples, 0) AS share,
		-- of the samples of the case: 0.25 is a quarter
	run.origin,
	run.started_ns,
	trial.id AS trial_id
FROM stall JOIN instruction USING (trial_id, instruction) JOIN profile USING (trial_id)
JOIN profile_function AS function USING (trial_id, function)
LEFT JOIN profile_frame AS frame USING (trial_id, frame)
JOIN trial ON trial.id = stall.trial_id JOIN run ON run.id = trial.run_id
JOIN device ON device.id = run.device_id;

CREATE VIEW trials AS
	-- An older form of results, with fewer columns.
	-- One row per trial, with its run, its device and the counters that are asked for most.
SELECT
	trial.id AS trial_id,
	trial.run_id,
	run.uid AS run_uid,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	run.started_ns,
	run.backend,
	device.name AS device,
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'n') AS n,
	trial.status,
	trial.reason,
	strftime('%Y-%m-%dT%H:%M:%SZ', trial.finished_ns / 1000000000, 'unixepoch')
		AS finished_at, -- end of the trial
	trial.sample_count,
	trial.median_ns,
	trial.mad_ns,
	trial.session_low_ns,
	trial.session_high_ns,
	trial.flop,
	trial.bytes_read + trial.bytes_written AS bytes, -- bytes read and written of the work model
	trial.flop * 1e9 / trial.median_ns AS flop_per_s, -- flop divided by the median
	(trial.bytes_read + trial.bytes_written) * 1e9 / trial.median_ns AS bytes_per_s,
		-- bytes divided by the median: useful bandwidth, not the bytes that the device
		-- moved
	trial.registers_per_thread,
	trial.theoretical_occupancy_pct,
	trial.occupancy_limiter,
	-- Counters of the device.
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'achieved_occupancy_pct') AS achieved_occupancy_pct,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'branch_efficiency_pct') AS branch_efficiency_pct,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'threads_per_instruction') AS threads_per_instruction,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'dram_read_bytes') AS dram_read_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'dram_write_bytes') AS dram_write_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'dram_bytes_per_s') AS dram_bytes_per_s,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'dram_throughput_pct') AS dram_throughput_pct,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'flop_f32_f64') AS flop_f32_f64,
	run.timed,
	run.emulated,
	run.vendor,
	run.warp_size,
	run.cache,
	run.origin
FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id;

CREATE VIEW emulated AS
	-- What the emulator counted, one row per trial.
	-- A view of its own, because PTX is not the code that a device runs, and there is no time:
	-- numbers of a device and of an emulator are never compared.
	-- `perflab list metrics --set ptx` explains the metrics.
SELECT
	trial.id AS trial_id,
	trial.run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	run.started_ns,
	device.name AS device, -- emulated device
	trial.kernel,
	trial.variant,
	trial.config,
	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'block') AS block,
	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'n') AS n,
	trial.status,
	trial.reason,
	trial.theoretical_occupancy_pct, -- on the chosen chip
	trial.occupancy_limiter,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_warp_execution_efficiency_pct')
			AS ptx_warp_execution_efficiency_pct,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_branch_efficiency_pct') AS ptx_branch_efficiency_pct,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_load_sectors_per_request') AS ptx_load_sectors_per_request,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_store_sectors_per_request') AS ptx_store_sectors_per_request,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_shared_conflicts_per_request')
			AS ptx_shared_conflicts_per_request,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_atomic_contention') AS ptx_atomic_contention,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_f32_f64_flop') AS ptx_f32_f64_flop,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_compulsory_bytes') AS ptx_compulsory_bytes,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_blocks_executed') AS ptx_blocks_executed,
	(SELECT value FROM counters WHERE trial_id = trial.id
		AND metric = 'ptx_blocks_total') AS ptx_blocks_total
FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id
WHERE run.emulated;

CREATE VIEW history AS
	-- The results of each case in all runs.
	-- One row per trial that ended. Ask for one case by kernel, variant and config, which uses
	-- an index, and order by started_ns.
SELECT
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch')
		AS started_at,
	run.started_ns,
	run.source_revision,
	run.label,
	mark.kind AS mark,
	trial.status,
	trial.median_ns,
	trial.session_low_ns,
	trial.session_high_ns,
	comparison.verdict, -- of that time; NULL: not judged
	100 * comparison.change AS change_pct, -- change from the baseline of that time
	comparison.why,
	run.driver,
	trial.code_hash,
		-- code hash; if it is unchanged and the time is not, the environment changed
	run.device_id,
	trial.run_id,
	trial.id AS trial_id,
	run.origin
FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id
LEFT JOIN mark ON mark.run_id = run.id
LEFT JOIN comparison ON comparison.trial_id = trial.id
WHERE trial.status NOT IN ('pending', 'skipped');

CREATE VIEW regressions AS
	-- The newest result of each case, compared with its baseline.
	-- One row per case of each device and backend: its newest result and the verdict on it.
	-- Only trials with a row in comparison appear. A case that the newest run does not contain
	-- keeps its older result.
SELECT
	device.name AS device,
	newest.backend,
	newest.kernel,
	newest.variant,
	newest.config,
	comparison.verdict,
	100 * comparison.change AS change_pct,
	100 * comparison.low AS low_pct, -- 95 % interval of the change, lower end
	100 * comparison.high AS high_pct, -- 95 % interval of the change, upper end
	comparison.p,
	comparison.why,
	comparison.time_verdict, -- verdict by the times alone, also of equal code
	comparison.covers, -- what the interval covers: rounds, or sessions, too
	head.status,
	base.status AS base_status, -- status of the baseline; unverified may be compared, too
	head.median_ns,
	base.median_ns AS base_median_ns,
	strftime('%Y-%m-%dT%H:%M:%SZ', head_run.started_ns / 1000000000, 'unixepoch')
		AS started_at,
	strftime('%Y-%m-%dT%H:%M:%SZ', base_run.started_ns / 1000000000, 'unixepoch')
		AS base_started_at, -- start of the baseline's run
	head_run.source_revision,
	base_run.source_revision AS base_source_revision, -- revision of the baseline's source
	head_run.label,
	base_run.label AS base_label, -- label of the baseline's run
	head.run_id,
	base.run_id AS base_run_id,
	comparison.trial_id,
	comparison.base_trial_id, -- trial.id of the baseline
	head_run.origin
FROM newest JOIN comparison ON comparison.trial_id = newest.trial_id
JOIN trial AS head ON head.id = newest.trial_id
JOIN run AS head_run ON head_run.id = head.run_id
JOIN device ON device.id = newest.device_id
LEFT JOIN trial AS base ON base.id = comparison.base_trial_id
LEFT JOIN run AS base_run ON base_run.id = base.run_id;

CREATE VIEW false_alarms AS
	-- How often equal code was called different: a test of the method with your own runs.
	-- One row per device, backend and what the intervals cover. It counts the comparisons whose
	-- verdict is `same code`, by what the times alone would have said. A rate has the 95 %
	-- interval of Wilson, which takes comparisons to be independent; those of one run are less.
WITH counted AS (
	SELECT
		run.device_id,
		run.backend,
		comparison.covers,
		count(*) AS comparisons,
		count(DISTINCT run.id) AS runs,
		count(DISTINCT CASE WHEN comparison.time_verdict IN ('regressed', 'improved')
			THEN run.id END) AS runs_with_alarm,
		total(comparison.time_verdict IN ('regressed', 'improved')) AS alarms,
		total(comparison.time_verdict = 'inconclusive') AS undecided,
		count(base.session_low_ns) AS intervals,
		total(head.median_ns BETWEEN base.session_low_ns AND base.session_high_ns) AS inside
	FROM comparison
	JOIN trial AS head ON head.id = comparison.trial_id
	JOIN trial AS base ON base.id = comparison.base_trial_id
	JOIN run ON run.id = head.run_id
	WHERE comparison.verdict = 'same code' AND comparison.time_verdict IS NOT NULL
	GROUP BY run.device_id, run.backend, comparison.covers
), rated AS (
	SELECT *,
		alarms / comparisons AS alarm_rate,
		inside / nullif(intervals, 0) AS coverage,
		1.96 * 1.96 / comparisons AS z,
		1.96 * 1.96 / nullif(intervals, 0) AS y
	FROM counted
)
SELECT
	device.name AS device,
	backend,
	covers, -- as in comparison: rounds, or sessions
	runs, -- runs with such comparisons
	comparisons, -- of equal code
	CAST(alarms AS INTEGER) AS false_alarms, -- of them: called regressed or improved
	100 * alarm_rate AS false_alarm_pct, -- their share
	100 * (alarm_rate + z / 2 - sqrt(z * (alarm_rate * (1 - alarm_rate) + z / 4))) / (1 + z)
		AS false_alarm_low_pct, -- 95 % interval of the rate, lower end
	100 * (alarm_rate + z / 2 + sqrt(z * (alarm_rate * (1 - alarm_rate) + z / 4))) / (1 + z)
		AS false_alarm_high_pct, -- 95 % interval of the rate, upper end
	runs_with_alarm, -- runs with at least one false alarm
	100 * undecided / comparisons AS undecided_pct, -- share that the times do not decide
	100 * coverage AS coverage_pct,
		-- share of the bases with an interval in whose interval the head's median lies; near
		-- 95 if sessions differ as little as rounds
	100 * (coverage + y / 2 - sqrt(y * (coverage * (1 - coverage) + y / 4))) / (1 + y)
		AS coverage_low_pct, -- 95 % interval of the coverage, lower end
	100 * (coverage + y / 2 + sqrt(y * (coverage * (1 - coverage) + y / 4))) / (1 + y)
		AS coverage_high_pct, -- 95 % interval of the coverage, upper end
	device_id -- device.id
FROM rated JOIN device ON device.id = device_id;

CREATE VIEW speedups AS
	-- Each case beside its base case: the speed-up and its verdict.
	-- One row per trial of a run with a base variant, except the trials of that variant. Both
	-- cases were timed in turn, in the same rounds.
SELECT
	device.name AS device,
	run.backend,
	head.kernel,
	head.variant,
	head.config,
	speedup.base_variant,
	speedup.base_config,
	speedup.verdict,
	speedup.speedup,
	speedup.low,
	speedup.high,
	speedup.p,
	head.median_ns,
	speedup.base_median_ns,
	speedup.rounds,
	speedup.same_buffers,
	head.code_hash = base.code_hash AS same_code,
		-- 1: both have the same machine code, by trial.code_hash; NULL: not known
	speedup.why,
	head.status,
	base.status AS base_status,
		-- status of the base case's own trial; NULL: the run does not have it
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	run.started_ns,
	run.label,
	head.run_id,
	speedup.trial_id,
	base.id AS base_trial_id,
		-- trial.id of the base case's own trial; NULL: the run does not have it
	run.origin
FROM speedup JOIN trial AS head ON head.id = speedup.trial_id
JOIN run ON run.id = head.run_id JOIN device ON device.id = run.device_id
LEFT JOIN trial AS base ON base.run_id = head.run_id AND base.kernel = head.kernel
	AND base.variant = speedup.base_variant AND base.config = speedup.base_config;

CREATE VIEW failures AS
	-- Trials that did not end well, and why.
	-- Their status is none of ok, sampled, unverified, skipped and pending.
SELECT
	device.name AS device,
	run.backend,
	trial.kernel,
	trial.variant,
	trial.config,
	trial.status,
	trial.reason,
	EXISTS (SELECT * FROM newest WHERE newest.trial_id = trial.id) AS is_newest,
		-- 1: no newer run has a result of the case, so it still fails
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch')
		AS started_at,
	run.started_ns,
	run.source_revision,
	run.label,
	trial.run_id,
	trial.id AS trial_id,
	run.origin
FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id
WHERE trial.status NOT IN ('ok', 'sampled', 'unverified', 'skipped', 'pending');

CREATE VIEW environment_changes AS
	-- What changed between a run of a device and the next one.
	-- One row per value that differs from the previous run on the same device and backend: of
	-- the table environment, and of the versions in run. The view leaves out values that differ
	-- anyway, values that follow from the request, what came of the run, and what a run says
	-- about the files of a user.
WITH told AS (
	SELECT run_id, key, value FROM environment
	WHERE key NOT IN ('process', 'gpu.temperature_c', 'counter_passes', 'shards', 'sweep',
		'sweep_uid', 'sweep_cases', 'source_path', 'perflab_revision', 'worker.waited')
		AND key NOT GLOB 'source.*' AND key NOT GLOB 'files.*' AND key NOT GLOB 'decide.*'
		AND key NOT IN ('gpus.group', 'gpus.failed') AND key NOT GLOB 'gpus.interference*'
		AND key NOT GLOB 'gpus.absent.*' AND key NOT GLOB 'gpus.lost.*'
	UNION ALL SELECT id, 'driver', driver FROM run WHERE driver IS NOT NULL
	UNION ALL SELECT id, 'cuda_driver', cuda_driver FROM run WHERE cuda_driver IS NOT NULL
	UNION ALL SELECT id, 'toolkit', toolkit FROM run WHERE toolkit IS NOT NULL
	UNION ALL SELECT id, 'cupti', cupti FROM run WHERE cupti IS NOT NULL
	UNION ALL SELECT id, 'version', version FROM run WHERE version IS NOT NULL
), followed AS (
	SELECT *, lag(id) OVER (PARTITION BY device_id, backend ORDER BY started_ns, id)
		AS previous_id
	FROM run
), changed AS (
	SELECT followed.id, told.key, before.value AS was, told.value AS became
	FROM followed JOIN told ON told.run_id = followed.id
	LEFT JOIN told AS before ON before.run_id = followed.previous_id AND before.key = told.key
	WHERE followed.previous_id IS NOT NULL AND before.value IS NOT told.value
	UNION ALL SELECT followed.id, before.key, before.value, NULL
	FROM followed JOIN told AS before ON before.run_id = followed.previous_id
	LEFT JOIN told ON told.run_id = followed.id AND told.key = before.key
	WHERE told.key IS NULL
) SELECT
	device.name AS device,
	followed.backend,
	strftime('%Y-%m-%dT%H:%M:%SZ', followed.started_ns / 1000000000, 'unixepoch')
		AS started_at,
	followed.started_ns,
	followed.label,
	changed.key, -- key in environment, or driver, cuda_driver, toolkit, cupti, version
	changed.was, -- value in the previous run; NULL: not recorded
	changed.became, -- value in this run; NULL: not recorded
	followed.id AS run_id,
	followed.previous_id AS previous_run_id -- run.id of the previous run
FROM changed JOIN followed ON followed.id = changed.id
JOIN device ON device.id = followed.device_id;

CREATE VIEW run_times AS
	-- Where the wall time of each run went, one row per part.
	-- Only parts that took time. Imported runs have none, and so do runs of early perflabs.
SELECT
	run.id AS run_id,
	run.label,
	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,
	device.name AS device,
	run.backend,
	run_part.part,
	sum(run_part.wall_ns) / 1e9 AS seconds,
		-- wall time; summed over resumptions, and over the shards of a merged sweep
	100.0 * sum(run_part.wall_ns) / nullif((SELECT sum(every.wall_ns)
		FROM run_part AS every WHERE every.run_id = run.id), 0) AS wall_pct,
		-- share of the run's wall time
	run.started_ns
FROM run_part JOIN run ON run.id = run_part.run_id JOIN device ON device.id = run.device_id
GROUP BY run.id, run_part.part;

CREATE VIEW gpu_nights AS
	-- The figures of each GPU in each night, which `perflab fleet` judges.
	-- A night lasts from noon to noon, UTC. The view has the finished runs of GPUs that have a
	-- uuid and times, without those that measured the ceilings.
	-- A case is compared with the same case on the GPUs of the same model in the same night, if
	-- at least three of them timed it with the same code: kernel, variant, configuration, code
	-- hash, launch hash, origin, backend and cache mode are equal. With 1,000 GPUs and 100
	-- nights the view takes about 3 s.
WITH night_run AS MATERIALIZED (
	SELECT run.id, device.name, device.uuid, run.device_ordinal,
		date(run.started_ns / 1000000000 - 43200, 'unixepoch') AS night,
		device.name || char(10) || coalesce(device.cc_major, '')
			|| char(10) || coalesce(device.cc_minor, '')
			|| char(10) || coalesce(device.sm_count, '') || char(10) || run.backend
			|| char(10) || coalesce(run.origin, '')
			|| char(10) || coalesce(run.cache, '') AS context
	FROM run JOIN device ON device.id = run.device_id
	WHERE run.state = 'finished' AND coalesce(run.timed, 1) AND NOT coalesce(run.emulated, 0)
		AND device.uuid IS NOT NULL AND NOT (run.label IS 'ceilings' AND run.origin IS NULL)
), timed AS MATERIALIZED (
	SELECT own.id AS run_id, own.uuid, own.night, trial.median_ns,
		own.context || char(10) || trial.kernel || char(10) || trial.variant
			|| char(10) || trial.config || char(10) || trial.code_hash
			|| char(10) || coalesce(trial.launch_hash, '') AS work
	FROM night_run AS own JOIN trial ON trial.run_id = own.id
	WHERE trial.status IN ('ok', 'unverified') AND trial.median_ns > 0
		AND trial.median_ns < 9e999
		AND trial.code_hash IS NOT NULL
), counted AS MATERIALIZED (
	SELECT night, work, count(*) AS count, count(DISTINCT uuid) AS gpus
	FROM timed GROUP BY night, work
), placed AS (
	SELECT night, work, median_ns,
		row_number() OVER (PARTITION BY night, work ORDER BY median_ns) AS place
	FROM timed
), middle AS MATERIALIZED (
	SELECT placed.night, placed.work, avg(placed.median_ns) AS median_ns
	FROM placed JOIN counted ON counted.night = placed.night AND counted.work = placed.work
	WHERE placed.place IN ((counted.count + 1) / 2, (counted.count + 2) / 2)
		AND counted.gpus >= 3
	GROUP BY placed.night, placed.work
), run_time AS MATERIALIZED (
	SELECT timed.run_id, count(*) AS cases, count(middle.median_ns) AS compared,
		sum(timed.median_ns / middle.median_ns) AS ratios
	FROM timed LEFT JOIN middle ON middle.night = timed.night AND middle.work = timed.work
	GROUP BY timed.run_id
), run_state AS MATERIALIZED (
	SELECT trial.run_id,
		avg(iif(round.sm_clock_hz > 0 AND round.sm_clock_hz < 9e999,
			round.sm_clock_hz, NULL)) AS sm_clock_hz,
		avg(iif(round.memory_clock_hz > 0 AND round.memory_clock_hz < 9e999,
			round.memory_clock_hz, NULL)) AS memory_clock_hz,
		avg(iif(round.power_w > 0 AND round.power_w < 9e999, round.power_w, NULL))
			AS power_w,
		avg(iif(abs(round.temperature_c) < 9e999, round.temperature_c, NULL))
			AS temperature_c
	FROM trial JOIN round ON round.trial_id = trial.id GROUP BY trial.run_id
), night_of_gpu AS (
	SELECT own.name, own.uuid, own.device_ordinal, own.night, max(own.id) AS run_id,
		count(*) AS runs, sum(run_time.cases) AS cases, sum(run_time.compared) AS compared,
		sum(run_time.ratios) AS ratios, avg(run_state.sm_clock_hz) AS sm_clock_hz,
		avg(run_state.memory_clock_hz) AS memory_clock_hz, avg(run_state.power_w)
			AS power_w,
		avg(run_state.temperature_c) AS temperature_c
	FROM night_run AS own LEFT JOIN run_time ON run_time.run_id = own.id
	LEFT JOIN run_state ON run_state.run_id = own.id
	GROUP BY own.uuid, own.night
) SELECT
	name AS device,
	uuid, -- uuid of the GPU
	(SELECT value FROM environment WHERE environment.run_id = night_of_gpu.run_id
		AND key = 'host') AS host, -- host of the newest run of the night
	device_ordinal, -- number of the GPU there
	night, -- the date of the evening
	runs, -- runs in the night
	coalesce(cases, 0) AS cases, -- trials with a time
	coalesce(compared, 0) AS compared_cases,
		-- those that at least three GPUs of the model timed
	ratios / compared AS time_ratio,
		-- mean of the times of these, each divided by the median of all GPUs: 1.01 is 1 %
		-- slower; NULL: there is none
	sm_clock_hz, -- mean over the rounds; NULL: not measured
	memory_clock_hz, -- mean over the rounds
	power_w, -- mean over the rounds
	temperature_c, -- mean over the rounds
	run_id -- run.id of the newest run of the night
FROM night_of_gpu;

CREATE VIEW program_kernels AS
	-- The kernels of recorded programs, with their shares of the time.
	-- One row per kernel and device of each program that `perflab record --list` ran. Launches
	-- of all processes and shapes are added up.
SELECT
	recording.id AS recording_id,
	strftime('%Y-%m-%dT%H:%M:%SZ', recording.started_ns / 1000000000, 'unixepoch')
		AS started_at, -- start of the program, UTC
	recording.started_ns,
	recording.label,
	recording.command,
	kernel.device,
	kernel.readable AS kernel, -- readable name
	kernel.name, -- mangled name
	1.0 * sum(kernel.total_ns) / nullif(sum(sum(kernel.total_ns))
		OVER (PARTITION BY recording.id), 0) AS share,
		-- of the time of all kernels of the recording, 0 to 1
	sum(kernel.total_ns) AS total_ns, -- device time of all launches
	sum(kernel.launches) AS launches, -- of all processes
	sum(kernel.graph_launches) AS graph_launches, -- those by CUDA graphs
	CASE WHEN count(*) = 1 THEN max(kernel.median_ns) END AS median_ns,
		-- NULL if the kernel has several shapes or processes
	min(kernel.min_ns) AS min_ns, -- of the shortest launch
	max(kernel.max_ns) AS max_ns, -- of the longest launch
	count(*) AS shapes -- rows of recorded_kernel
FROM recording JOIN recorded_kernel AS kernel ON kernel.recording_id = recording.id
WHERE recording.mode = 'list'
GROUP BY recording.id, kernel.name, kernel.uuid, kernel.device;
