/*
 * Trials above a measured roof: the view above_roof has them, and `best` leaves them out. The rule
 * is that of metrics/analysis/verdict_above_roof.c; a test compares the two.
 */
#include "db/migrations/migrations.h"

/* clang-format off */
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
#define COUNTED(metric) \
	"(SELECT value FROM counters WHERE trial_id = trial.id AND metric = '" metric "')"
const char *const db_version_12[] = {
	"CREATE VIEW above_roof AS WITH candidate AS (\n"
	CANDIDATES
	"), roofs AS (\n"
	/* high_per_s is that of the highest ceiling */
	"	SELECT device_id, \"of\", max(per_s) AS per_s, high_per_s FROM ceilings GROUP BY device_id, \"of\"\n"
	"	UNION ALL SELECT device_id, 'any rate', max(per_s), high_per_s\n"
	"	FROM ceilings JOIN device ON device.id = device_id\n"
	"	WHERE kind = 'rate' AND (device_id, CASE\n"
	"			WHEN cc_major > 8 OR (cc_major = 8 AND cc_minor >= 9) THEN 'tensor_f8'\n"
	"			WHEN cc_major >= 7 THEN 'tensor_f16' WHEN cc_major > 0 THEN 'f16' END)\n"
	"		IN (SELECT device_id, \"of\" FROM ceilings)\n"
	"	GROUP BY device_id\n"
	"), judged AS (\n"
	"	SELECT trial.*, device_id, backend, origin, cache, device.name AS device,\n"
	"		CASE WHEN device.l2_bytes > 0 THEN device.l2_bytes END AS l2_size,\n"
	"		" COUNTED("dram_bytes") " AS dram_bytes,\n"
	"		" COUNTED("l2_from_l1_bytes") " AS l2_bytes,\n"
	"		" COUNTED("l1_bytes") " AS l1_bytes,\n"
	"		" COUNTED("shared_bytes") " AS shared_bytes,\n"
	"		coalesce(" COUNTED("flop_f64") ", 0) AS f64,\n"
	"		coalesce(" COUNTED("flop_f32") ", 0) AS f32\n"
	"	FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id\n"
	"	WHERE trial.id IN (SELECT timed_trial_id FROM newest UNION SELECT trial_id FROM candidate)\n"
	"), quantities AS (\n"
	"	SELECT id, 'dram' AS quantity, 'dram' AS roof, dram_bytes AS amount FROM judged\n"
	"	UNION ALL SELECT id, 'l2', 'l2', l2_bytes FROM judged\n"
	"	UNION ALL SELECT id, 'l1', 'l1', l1_bytes FROM judged\n"
	"	UNION ALL SELECT id, 'shared', 'shared', shared_bytes FROM judged\n"
	"	UNION ALL SELECT id, 'f64', 'f64', f64 FROM judged WHERE f64 >= f32\n"
	"	UNION ALL SELECT id, 'f32', 'f32', f32 FROM judged WHERE f32 > f64\n"
	"	UNION ALL SELECT id, 'model dram', 'dram', CASE WHEN cache = 'cold'\n"
	"			THEN bytes_read + max(0, bytes_written - coalesce(l2_size, bytes_written))\n"
	"			ELSE max(0, bytes_read + bytes_written - 2 * l2_size) END\n"
	"		FROM judged WHERE kernel <> 'ceilings'\n"
	"	UNION ALL SELECT id, 'model l2', 'l2', max(bytes_read, bytes_written)\n"
	"		FROM judged WHERE kernel <> 'ceilings'\n"
	"	UNION ALL SELECT id, 'model flop', 'any rate', flop FROM judged WHERE kernel <> 'ceilings'\n"
	") SELECT\n"
	"	judged.device,\n"
	"	judged.backend,\n"
	"	judged.kernel,\n"
	"	judged.variant,\n"
	"	judged.config,\n"
	"	quantity,\n"
	"	amount * 1e9 / judged.median_ns AS per_s,\n"
	"	amount * 1e9 / judged.high_ns AS low_per_s,\n"
	"	roofs.per_s AS roof_per_s,\n"
	"	roofs.high_per_s AS roof_high_per_s,\n"
	"	judged.median_ns,\n"
	"	judged.status,\n"
	"	judged.origin,\n"
	"	judged.run_id,\n"
	"	judged.id AS trial_id\n"
	"FROM quantities JOIN judged USING (id)\n"
	"JOIN roofs ON roofs.device_id = judged.device_id AND roofs.\"of\" = roof\n"
	"WHERE amount > 0 AND CASE\n"
	"	WHEN judged.high_ns > 0 AND roofs.high_per_s > 0\n"
	"		THEN amount * 1e9 / judged.high_ns > 1.03 * roofs.high_per_s\n"
	"	ELSE amount * 1e9 / judged.median_ns > 1.10 * roofs.per_s END;",

	/* As before, without those. */
	"DROP VIEW IF EXISTS best;",
	"CREATE VIEW best AS WITH candidate AS (\n"
	CANDIDATES
	"), ranked AS (\n"
	"	SELECT trial.*, candidate.device_id, candidate.backend, candidate.origin, axis.value AS n,\n"
	"		row_number() OVER (\n"
	"		PARTITION BY candidate.device_id, candidate.backend, candidate.origin, trial.kernel, axis.value,\n"
	"			trial.flop, trial.bytes_read, trial.bytes_written,\n"
	"			CASE WHEN trial.flop IS NULL THEN trial.config END\n"
	"		ORDER BY trial.status <> 'ok', trial.median_ns, trial.id) AS place\n"
	"	FROM candidate JOIN trial ON trial.id = candidate.trial_id\n"
	"	LEFT JOIN axis ON axis.trial_id = trial.id AND axis.name = 'n'\n"
	"	WHERE candidate.trial_id NOT IN (SELECT trial_id FROM above_roof)\n"
	") SELECT\n"
	"	device.name AS device,\n"
	"	ranked.backend,\n"
	"	ranked.kernel,\n"
	"	ranked.n,\n"
	"	ranked.variant,\n"
	"	ranked.config,\n"
	"	(SELECT value FROM axis WHERE trial_id = ranked.id AND name = 'block') AS block,\n"
	"	ranked.median_ns,\n"
	"	ranked.low_ns,\n"
	"	ranked.high_ns,\n"
	"	ranked.flop * 1e9 / ranked.median_ns AS flop_per_s,\n"
	"	(ranked.bytes_read + ranked.bytes_written) * 1e9 / ranked.median_ns AS bytes_per_s,\n"
	"	ranked.status,\n"
	"	nullif(ranked.origin, '') AS origin,\n"
	"	ranked.run_id,\n"
	"	ranked.id AS trial_id\n"
	"FROM ranked JOIN device ON device.id = ranked.device_id WHERE place = 1;",
	NULL,
};
/* clang-format on */
