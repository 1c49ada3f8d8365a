/*
 * roof_views: the views roofline and above_roof of version 15, which take the operations of tensor
 * cores, too. They compute what metrics/analysis/roofline.c and verdict_above_roof.c do; tests
 * compare them. Private to db/migrations/.
 */
#ifndef DB_MIGRATIONS_ROOF_VIEWS_H
#define DB_MIGRATIONS_ROOF_VIEWS_H

/* clang-format off */
#define COUNTED_FLOP(precision) \
	"(SELECT value FROM counters WHERE trial_id = trial.id\n" \
	"		AND metric = 'flop_" precision "') AS " precision
#define VERIFIED(trial) trial ".status = 'ok' AND " trial ".median_ns > 0"
#define ORIGIN(run) "coalesce(" run ".origin, '')"
/* The newest trial of a row of `newest` for which `which` holds, of all there are. */
#define SEARCH(which) \
	"(SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id\n" \
	"		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant\n" \
	"			AND trial.config = newest.config AND run.device_id = newest.device_id\n" \
	"			AND run.backend = newest.backend AND " ORIGIN("run") " = newest.origin\n" \
	"			AND " which "\n" \
	"		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1)"
/* The trials that may be the best of their problem. If the newest trial of a case is unverified, the
 * newest verified one stands for the case. */
#define CANDIDATES \
	"	SELECT newest.device_id, newest.backend, newest.origin,\n" \
	"		CASE timed.status WHEN 'ok' THEN timed.id ELSE coalesce(\n" \
	"			" SEARCH(VERIFIED("trial")) ", timed.id) END AS trial_id\n" \
	"	FROM newest JOIN trial AS timed ON timed.id = newest.timed_trial_id\n"
#define COUNTED_VALUE(metric) \
	"(SELECT value FROM counters WHERE trial_id = trial.id AND metric = '" metric "')"
/* two pieces: a compiler need not support longer literals */
#define ROOFLINE_VIEW_1 \
	"CREATE VIEW roofline AS WITH roofs AS (\n" \
	"	SELECT device_id,\n" \
	"		max(per_s) FILTER (WHERE \"of\" = 'dram') AS dram_roof,\n" \
	"		max(per_s) FILTER (WHERE \"of\" = 'l2') AS l2_roof,\n" \
	"		max(per_s) FILTER (WHERE \"of\" = 'l1') AS l1_roof,\n" \
	"		max(per_s) FILTER (WHERE \"of\" = 'shared') AS shared_roof\n" \
	"	FROM ceilings GROUP BY device_id\n" \
	"), rates AS (\n" \
	"	SELECT device_id, \"of\", max(per_s) AS per_s FROM ceilings WHERE kind = 'rate'\n" \
	"	GROUP BY device_id, \"of\"\n" \
	"), counted AS MATERIALIZED (\n" \
	"	SELECT trial.*, newest.device_id, newest.backend,\n" \
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n" \
	"		AND metric = 'dram_bytes') AS dram_bytes,\n" \
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n" \
	"		AND metric = 'l2_from_l1_bytes') AS l2_bytes,\n" \
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n" \
	"		AND metric = 'l1_bytes') AS l1_bytes,\n" \
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n" \
	"		AND metric = 'shared_bytes') AS shared_bytes,\n" \
	"	" COUNTED_FLOP("f64") ",\n" \
	"	" COUNTED_FLOP("f32") ",\n" \
	"	" COUNTED_FLOP("tensor_f64") ",\n" \
	"	" COUNTED_FLOP("tensor_tf32") ",\n" \
	"	" COUNTED_FLOP("tensor_f16") ",\n" \
	"	" COUNTED_FLOP("tensor_bf16") ",\n" \
	"	" COUNTED_FLOP("tensor_f8") "\n" \
	"	FROM newest JOIN trial ON trial.id = newest.timed_trial_id\n" \
	"), most AS MATERIALIZED (\n" \
	"	SELECT *, max(coalesce(f64, 0), coalesce(f32, 0), coalesce(tensor_f64, 0),\n" \
	"		coalesce(tensor_tf32, 0), coalesce(tensor_f16, 0), coalesce(tensor_bf16, 0),\n" \
	"		coalesce(tensor_f8, 0)) AS most_flop\n" \
	"	FROM counted\n" \
	"), told AS (\n" \
	"	SELECT *,\n" \
	"		CASE WHEN most_flop <= 0 THEN 'f32' WHEN f64 = most_flop THEN 'f64'\n" \
	"			WHEN f32 = most_flop THEN 'f32' WHEN tensor_f64 = most_flop THEN 'tensor_f64'\n" \
	"			WHEN tensor_tf32 = most_flop THEN 'tensor_tf32'\n" \
	"			WHEN tensor_f16 = most_flop THEN 'tensor_f16'\n" \
	"			WHEN tensor_bf16 = most_flop THEN 'tensor_bf16' ELSE 'tensor_f8' END AS precision,\n" \
	"		CASE WHEN most_flop > 0 THEN most_flop WHEN f64 = 0 AND f32 = 0 THEN 0.0 END AS counted_flop\n" \
	"	FROM most\n" \
	"), placed AS (\n" \
	"	SELECT told.id, told.run_id, told.status, told.device_id, told.backend, told.kernel, told.variant,\n" \
	"		told.config, told.median_ns, told.precision, told.counted_flop AS flop,\n" \
	"		told.bytes_read + told.bytes_written AS needed_bytes,\n" \
	"		told.dram_bytes, told.l2_bytes, told.l1_bytes, told.shared_bytes,\n" \
	"		dram_roof, l2_roof, l1_roof, shared_roof,\n" \
	"		rates.per_s AS flop_roof,\n" \
	"		100e9 * told.dram_bytes / told.median_ns / dram_roof AS dram_pct,\n" \
	"		100e9 * told.l2_bytes / told.median_ns / l2_roof AS l2_pct,\n" \
	"		100e9 * told.l1_bytes / told.median_ns / l1_roof AS l1_pct,\n" \
	"		100e9 * told.shared_bytes / told.median_ns / shared_roof AS shared_pct,\n" \
	"		100e9 * told.counted_flop / told.median_ns / rates.per_s AS flop_pct\n" \
	"	FROM told LEFT JOIN roofs ON roofs.device_id = told.device_id\n" \
	"	LEFT JOIN rates ON rates.device_id = told.device_id AND rates.\"of\" = told.precision\n"
/* the columns */
#define ROOFLINE_VIEW_2 \
	") SELECT\n" \
	"	device.name AS device,\n" \
	"	placed.backend,\n" \
	"	placed.kernel,\n" \
	"	placed.variant,\n" \
	"	placed.config,\n" \
	"	placed.median_ns,\n" \
	"	placed.precision,\n" \
	"	placed.flop,\n" \
	"	placed.flop * 1e9 / placed.median_ns AS flop_per_s,\n" \
	"	placed.flop_roof AS roof_flop_per_s,\n" \
	"	placed.flop_pct,\n" \
	"	placed.dram_bytes,\n" \
	"	placed.flop / nullif(placed.dram_bytes, 0) AS dram_intensity,\n" \
	"	placed.dram_bytes * 1e9 / placed.median_ns AS dram_bytes_per_s,\n" \
	"	placed.dram_roof AS dram_roof_bytes_per_s,\n" \
	"	placed.dram_pct,\n" \
	"	placed.l2_bytes,\n" \
	"	placed.flop / nullif(placed.l2_bytes, 0) AS l2_intensity,\n" \
	"	placed.l2_bytes * 1e9 / placed.median_ns AS l2_bytes_per_s,\n" \
	"	placed.l2_roof AS l2_roof_bytes_per_s,\n" \
	"	placed.l2_pct,\n" \
	"	placed.l1_bytes,\n" \
	"	placed.flop / nullif(placed.l1_bytes, 0) AS l1_intensity,\n" \
	"	placed.l1_bytes * 1e9 / placed.median_ns AS l1_bytes_per_s,\n" \
	"	placed.l1_roof AS l1_roof_bytes_per_s,\n" \
	"	placed.l1_pct,\n" \
	"	placed.shared_bytes,\n" \
	"	placed.flop / nullif(placed.shared_bytes, 0) AS shared_intensity,\n" \
	"	placed.shared_bytes * 1e9 / placed.median_ns AS shared_bytes_per_s,\n" \
	"	placed.shared_roof AS shared_roof_bytes_per_s,\n" \
	"	placed.shared_pct,\n" \
	"	placed.needed_bytes,\n" \
	"	placed.dram_bytes / nullif(placed.needed_bytes, 0) AS waste,\n" \
	"	(SELECT name FROM (SELECT 'dram' AS name, placed.dram_pct AS pct\n" \
	"		UNION ALL SELECT 'l2', placed.l2_pct UNION ALL SELECT 'l1', placed.l1_pct\n" \
	"		UNION ALL SELECT 'shared', placed.shared_pct\n" \
	"		UNION ALL SELECT placed.precision, placed.flop_pct)\n" \
	"		WHERE pct > 0 ORDER BY pct DESC LIMIT 1) AS nearest_roof,\n" \
	"	placed.status,\n" \
	"	placed.run_id,\n" \
	"	placed.id AS trial_id\n" \
	"FROM placed JOIN device ON device.id = placed.device_id;"
/* the counted operations, and the precision of the work model */
#define ABOVE_ROOF_VIEW_1 \
	"CREATE VIEW above_roof AS WITH candidate AS (\n" \
	CANDIDATES \
	"), roofs AS (\n" \
	"	SELECT device_id, \"of\", max(per_s) AS per_s, high_per_s FROM ceilings GROUP BY device_id, \"of\"\n" \
	"	UNION ALL SELECT device_id, 'any rate', max(per_s), high_per_s\n" \
	"	FROM ceilings JOIN device ON device.id = device_id\n" \
	"	WHERE kind = 'rate' AND (device_id, CASE\n" \
	"			WHEN cc_major > 8 OR (cc_major = 8 AND cc_minor >= 9) THEN 'tensor_f8'\n" \
	"			WHEN cc_major >= 7 THEN 'tensor_f16' WHEN cc_major > 0 THEN 'f16' END)\n" \
	"		IN (SELECT device_id, \"of\" FROM ceilings)\n" \
	"	GROUP BY device_id\n" \
	"), judged AS (\n" \
	"	SELECT trial.*, device_id, backend, origin, cache, device.name AS device,\n" \
	"		CASE WHEN device.l2_bytes > 0 THEN device.l2_bytes END AS l2_size,\n" \
	"		" COUNTED_VALUE("dram_bytes") " AS dram_bytes,\n" \
	"		" COUNTED_VALUE("l2_from_l1_bytes") " AS l2_bytes,\n" \
	"		" COUNTED_VALUE("l1_bytes") " AS l1_bytes,\n" \
	"		" COUNTED_VALUE("shared_bytes") " AS shared_bytes\n" \
	"	FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id\n" \
	"	WHERE trial.id IN (SELECT timed_trial_id FROM newest UNION SELECT trial_id FROM candidate)\n" \
	"), counted AS (\n" \
	"	SELECT id, substr(metric, 6) AS precision, value, row_number() OVER (PARTITION BY id\n" \
	"		ORDER BY value DESC, metric NOT GLOB 'flop_f64', metric GLOB 'flop_tensor_*') AS place,\n" \
	"		sum(value) OVER (PARTITION BY id) AS all_flop\n" \
	"	FROM judged JOIN counters ON trial_id = id\n" \
	"	WHERE value > 0 AND metric IN ('flop_f64', 'flop_f32', 'flop_tensor_f64', 'flop_tensor_tf32',\n" \
	"		'flop_tensor_f16', 'flop_tensor_bf16', 'flop_tensor_f8')\n" \
	"), modelled AS (\n" \
	"	SELECT id, substr(metric, 12) AS precision FROM judged\n" \
	"	JOIN counters ON trial_id = id AND metric GLOB 'model_flop_*' AND value > 0\n" \
	"	WHERE coalesce((SELECT max(all_flop) FROM counted WHERE counted.id = judged.id), 0)\n" \
	"		< 0.5 * judged.flop\n"
/* the quantities and the columns */
#define ABOVE_ROOF_VIEW_2 \
	"), quantities AS (\n" \
	"	SELECT id, 'dram' AS quantity, 'dram' AS roof, dram_bytes AS amount FROM judged\n" \
	"	UNION ALL SELECT id, 'l2', 'l2', l2_bytes FROM judged\n" \
	"	UNION ALL SELECT id, 'l1', 'l1', l1_bytes FROM judged\n" \
	"	UNION ALL SELECT id, 'shared', 'shared', shared_bytes FROM judged\n" \
	"	UNION ALL SELECT id, precision, precision, value FROM counted WHERE place = 1\n" \
	"	UNION ALL SELECT id, 'model dram', 'dram', CASE WHEN cache = 'cold'\n" \
	"			THEN bytes_read + max(0, bytes_written - coalesce(l2_size, bytes_written))\n" \
	"			ELSE max(0, bytes_read + bytes_written - 2 * l2_size) END\n" \
	"		FROM judged WHERE kernel <> 'ceilings'\n" \
	"	UNION ALL SELECT id, 'model l2', 'l2', max(bytes_read, bytes_written)\n" \
	"		FROM judged WHERE kernel <> 'ceilings'\n" \
	"	UNION ALL SELECT judged.id, 'model flop', coalesce(modelled.precision, 'any rate'), judged.flop\n" \
	"		FROM judged LEFT JOIN modelled ON modelled.id = judged.id WHERE kernel <> 'ceilings'\n" \
	") SELECT\n" \
	"	judged.device,\n" \
	"	judged.backend,\n" \
	"	judged.kernel,\n" \
	"	judged.variant,\n" \
	"	judged.config,\n" \
	"	quantity,\n" \
	"	amount * 1e9 / judged.median_ns AS per_s,\n" \
	"	amount * 1e9 / judged.high_ns AS low_per_s,\n" \
	"	roofs.per_s AS roof_per_s,\n" \
	"	roofs.high_per_s AS roof_high_per_s,\n" \
	"	judged.median_ns,\n" \
	"	judged.status,\n" \
	"	judged.origin,\n" \
	"	judged.run_id,\n" \
	"	judged.id AS trial_id\n" \
	"FROM quantities JOIN judged USING (id)\n" \
	"JOIN roofs ON roofs.device_id = judged.device_id AND roofs.\"of\" = roof\n" \
	"WHERE amount > 0 AND CASE\n" \
	"	WHEN judged.high_ns > 0 AND roofs.high_per_s > 0\n" \
	"		THEN amount * 1e9 / judged.high_ns > 1.03 * roofs.high_per_s\n" \
	"	ELSE amount * 1e9 / judged.median_ns > 1.10 * roofs.per_s END;"
/* clang-format on */

#endif
