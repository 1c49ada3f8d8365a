-- Months of nightly runs, generated: no number here was measured, and every label and note says
-- so. For an empty database of perflab; :runs nights from the night :first on, of :cases cases each,
-- 5 rounds of 6 samples, 8 counters, comparisons with the night before; and a run of ceilings in a
-- hundred. More than 30,000 runs follow each other by an hour, because so many nights do not fit
-- into nanoseconds.
--
-- The 30 samples of a trial lie evenly about its median, dealt to the rounds by a rule, so that
-- the summary of each trial is known without computing it. The median moves by up to 0.2 % from
-- run to run; every 50th case is 4 % slower from two thirds of the runs on, another 3 % in the last
-- run alone, and every 70th fails in the newest tenth of them.

CREATE TEMP TABLE night AS
WITH RECURSIVE count(k) AS (
	VALUES (:first) UNION ALL SELECT k + 1 FROM count WHERE k < :first + :runs - 1)
SELECT k, 1700000000000000000
	+ iif(:first + :runs > 30000, 3600000000000, 86400000000000) * k AS started_ns FROM count;

CREATE TEMP TABLE planned AS
WITH RECURSIVE count(k) AS (VALUES (0) UNION ALL SELECT k + 1 FROM count WHERE k < :cases - 1),
kernels(i, kernel) AS (VALUES (0, 'reduce'), (1, 'stream'), (2, 'matmul'), (3, 'transpose'),
	(4, 'histogram'), (5, 'stencil'), (6, 'select'), (7, 'divergence'), (8, 'patterns'),
	(9, 'atomics')),
variants(i, variant) AS (VALUES (0, 'shuffle'), (1, 'naive'), (2, 'tiled'), (3, 'vector'),
	(4, 'grid_stride'), (5, 'two_pass'), (6, 'block'), (7, 'warp'), (8, 'shared'), (9, 'unrolled')),
blocks(i, block) AS (VALUES (0, 256), (1, 64), (2, 128), (3, 192), (4, 320), (5, 384), (6, 448),
	(7, 512), (8, 768), (9, 1024))
SELECT k, kernel, variant, block, 16777216 + k / 1000 AS n,
	'block=' || block || ',n=' || (16777216 + k / 1000) AS config,
	20000.0 + 977.0 * (k % 101) AS base_ns
FROM count JOIN kernels ON kernels.i = k % 10 JOIN variants ON variants.i = k / 10 % 10
JOIN blocks ON blocks.i = k / 100 % 10;

CREATE TEMP TABLE place AS
WITH RECURSIVE count(place) AS (VALUES (0) UNION ALL SELECT place + 1 FROM count WHERE place < 29)
SELECT place FROM count;

CREATE TEMP TABLE roof (variant, work);
INSERT INTO roof VALUES ('dram_copy', 4.2e6), ('dram_read', 4.4e6),
	('l2_read', 8.0e6), ('l1_read', 3.0e7), ('shared_read', 3.1e7), ('f32_fma', 5.8e7),
	('f64_fma', 2.9e7);

INSERT INTO device (id, name, uuid, chip, cc_major, cc_minor, sm_count, l2_bytes, memory_bytes,
	sm_clock_max_hz, memory_clock_max_hz, memory_bus_bits)
SELECT id + 1, 'generated device', 'GPU-generated', 'GH100', 9, 0, 132, 62914560, 150109880320,
	1980000000, 3201000000, 6016
FROM (SELECT coalesce(max(id), 0) AS id FROM device);

INSERT INTO run (id, uid, label, note, state, started_ns, finished_ns, backend, device_id, driver,
	cuda_driver, toolkit, version, source_revision, command, timed, emulated,
	vendor, warp_size, cache, seed, rounds)
SELECT k, printf('%08x', k * 2654435761 % 4294967296) || printf('%024x', k), 'generated nightly',
	'generated', 'finished', started_ns, started_ns + 1800000000000, 'cuda',
	(SELECT id FROM device WHERE uuid = 'GPU-generated'), '580.' || ((k + 50) / 100), '13.0', '13.0',
	'0.1.0', printf('%07x', k / 2 * 40503 % 268435456), 'generated', 1, 0,
	'NVIDIA', 32, 'cold', 7, 5
FROM night;

INSERT INTO environment (run_id, key, value)
SELECT k, key, value FROM night JOIN (SELECT 'host' AS key, 'generated' AS value UNION ALL
	VALUES ('build_type', 'RelWithDebInfo'), ('gpu.ecc', 'on'), ('gpu.mig', 'off'),
		('gpu.persistence_mode', 'on'), ('gpu.power_limit_w', '700'),
		('gpu.sm_clock_hz', '1980000000'), ('gpu.memory_clock_hz', '3201000000'),
		('processor', 'generated'), ('worker.toolkit', '13.0'))
UNION ALL SELECT k, 'kernel', 'Linux 6.' || ((k + 30) / 60) FROM night
UNION ALL SELECT k, 'process', 'generated ' || k FROM night;

INSERT INTO mark (run_id, kind, why, marked_ns)
SELECT k, 'good', 'generated', started_ns + 3600000000000 FROM night WHERE k % 10 = 0;

-- `apart`: how far neighbours among its sorted samples lie apart.
INSERT INTO trial (id, run_id, position, kernel, variant, config, status, reason, finished_ns,
	counted_ns, flop, bytes_read, bytes_written, registers_per_thread, shared_static_bytes,
	shared_dynamic_bytes, local_bytes_per_thread, theoretical_occupancy_pct, occupancy_limiter,
	code_hash, code_kind, sample_count, median_ns, mad_ns, session_low_ns, session_high_ns, min_ns, max_ns)
SELECT id, run_id, position, kernel, variant, config, iif(failed, 'mismatch', 'ok'),
	iif(failed, 'generated: differs at 17', NULL), finished_ns, finished_ns, 16777215, 67108864, 4,
	32, 1024, 0, 0, 100.0, 'none', printf('%016x', code), 'cubin sm_90', iif(failed, 0, 30),
	iif(failed, NULL, median_ns), iif(failed, NULL, 7.5 * apart),
	iif(failed, NULL, median_ns - 5.5 * apart), iif(failed, NULL, median_ns + 5.5 * apart),
	iif(failed, NULL, median_ns - 14.5 * apart), iif(failed, NULL, median_ns + 14.5 * apart)
FROM (SELECT *, median_ns * 0.0002 AS apart FROM (
	SELECT (night.k - :first) * :cases + planned.k + 1 AS id, night.k AS run_id, planned.k AS position,
		kernel, variant, config, started_ns + 1000000000 * planned.k AS finished_ns,
		planned.k * 65536 + night.k / 100 AS code,
		planned.k % 70 = 69 AND night.k >= :first + :runs * 9 / 10 AS failed,
		base_ns * (1 + 0.002 * ((night.k * 7919 + planned.k * 104729) % 2003 / 2002.0 - 0.5)
			+ iif(planned.k % 50 = 49 AND night.k >= :first + :runs * 2 / 3, 0.04, 0)
			+ iif(planned.k % 50 = 24 AND night.k = :first + :runs - 1, 0.03, 0)) AS median_ns
	FROM night CROSS JOIN planned));

INSERT INTO axis (trial_id, name, value)
SELECT trial.id, 'block', block FROM trial JOIN planned ON planned.k = trial.position
UNION ALL SELECT trial.id, 'n', n FROM trial JOIN planned ON planned.k = trial.position
ORDER BY 1, 2;

INSERT INTO round (trial_id, round, stored_ns, sm_clock_hz, memory_clock_hz, temperature_c, power_w,
	throttle_reasons)
SELECT id, column1, finished_ns, 1.98e9, 3.201e9, 45, 300, iif((id + column1) % 97 = 0, 4, 0)
FROM trial CROSS JOIN (VALUES (0), (1), (2), (3), (4)) WHERE status = 'ok' ORDER BY 1, 2;

INSERT INTO sample (trial_id, round, sequence, time_ns)
SELECT id, place / 6, place % 6, median_ns * (1 + 0.0002 * ((place * 7 + id) % 30 - 14.5))
FROM trial CROSS JOIN place WHERE status = 'ok' ORDER BY 1, 2, 3;
UPDATE round SET median_ns = (SELECT avg(time_ns) FROM (SELECT time_ns FROM sample
	WHERE trial_id = round.trial_id AND sample.round = round.round ORDER BY time_ns LIMIT 2 OFFSET 2));

INSERT INTO metric (name, unit, source) VALUES ('dram_bytes', 'byte', 'generated'),
	('l2_from_l1_bytes', 'byte', 'generated'), ('l1_bytes', 'byte', 'generated'),
	('shared_bytes', 'byte', 'generated'), ('flop_f32', 'flop', 'generated'),
	('flop_f64', 'flop', 'generated'), ('instructions', 'instruction', 'generated'),
	('dram_read_bytes', 'byte', 'generated');
INSERT INTO counter (trial_id, metric_id, value)
SELECT trial.id, metric.id, iif(metric.name = 'flop_f64', 0, 1000.0 * metric.id + trial.position)
FROM trial CROSS JOIN metric WHERE status = 'ok' AND source = 'generated' ORDER BY 1, 2;

INSERT INTO comparison (trial_id, base_trial_id, verdict, change, low, high, p, why)
SELECT head.id, base.id, CASE WHEN head.status <> 'ok' THEN 'failed' WHEN base.id IS NULL THEN 'new'
		WHEN head.median_ns / base.median_ns > 1.02 THEN 'regressed'
		WHEN head.median_ns / base.median_ns < 0.98 THEN 'improved' ELSE 'unchanged' END,
	head.median_ns / base.median_ns - 1, head.median_ns / base.median_ns - 1.003,
	head.median_ns / base.median_ns - 0.997, 0.5, iif(head.status <> 'ok', head.reason, NULL)
FROM trial AS head LEFT JOIN trial AS base
	ON base.id = head.id - :cases AND base.status = 'ok' ORDER BY head.id;

-- Ceilings: one run in a hundred.
INSERT INTO run (uid, label, note, state, started_ns, finished_ns, backend, device_id, driver,
	source_revision, command, timed, emulated, vendor, warp_size, cache, seed, rounds)
SELECT 'c' || printf('%031x', id), 'ceilings', 'generated', state, started_ns + 1, finished_ns,
	backend, device_id, driver, source_revision, command, timed, emulated, vendor, warp_size, cache,
	seed, 1
FROM run WHERE id % 100 = 1;
INSERT INTO trial (run_id, position, kernel, variant, config, status, finished_ns, flop, bytes_read,
	bytes_written, sample_count, median_ns, mad_ns, session_low_ns, session_high_ns, min_ns, max_ns)
SELECT run.id, roof.rowid, 'ceilings', variant, 'block=' || block, 'ok', run.finished_ns,
	iif(variant GLOB 'f*', work, 0), iif(variant GLOB 'f*', 0, work), 0, 30, 1000.0 + block / 100.0,
	1, 999.0 + block / 100.0, 1001.0 + block / 100.0, 998, 1100
FROM run CROSS JOIN roof CROSS JOIN (SELECT 256 AS block UNION ALL VALUES (512), (1024))
WHERE run.label = 'ceilings' AND run.note = 'generated';
