/*
 * The status `unverified`: timed, but compared with nothing. Such a trial is shown with its status
 * wherever an ok one is, and is the best of its problem only if no trial of it was verified.
 */
#include "db/migrations/migrations.h"

/* clang-format off */
#define ENDED(trial) trial ".status NOT IN ('pending', 'skipped')"
#define TIMED(trial) trial ".status IN ('ok', 'unverified') AND " trial ".median_ns > 0"
#define VERIFIED(trial) trial ".status = 'ok' AND " trial ".median_ns > 0"
#define NOT_FAILED "('ok', 'sampled', 'unverified', 'skipped', 'pending')"
/* The newest trial of a row of `newest` for which `which` holds, of all there are. */
#define SEARCH(which) \
	"(SELECT trial.id FROM trial JOIN run ON run.id = trial.run_id\n" \
	"		WHERE trial.kernel = newest.kernel AND trial.variant = newest.variant\n" \
	"			AND trial.config = newest.config AND run.device_id = newest.device_id\n" \
	"			AND run.backend = newest.backend AND " which "\n" \
	"		ORDER BY run.started_ns DESC, run.id DESC LIMIT 1)"
/* True unless `column` of `newest` is a trial of a newer run than NEW's. */
#define NOT_OLDER(column) \
	"(newest." column " IS NULL OR (SELECT (mine.started_ns, mine.id) >= (its.started_ns, its.id)\n" \
	"			FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id\n" \
	"			WHERE mine.id = NEW.run_id AND trial.id = newest." column "))"
/* Of a trial that has ended: it becomes the newest of its case, unless another is. */
#define OFFER_NEW \
	"	INSERT INTO newest (device_id, backend, kernel, variant, config, trial_id)\n" \
	"		SELECT device_id, backend, NEW.kernel, NEW.variant, NEW.config, NEW.id\n" \
	"		FROM run WHERE id = NEW.run_id AND " ENDED("NEW") "\n" \
	"		ON CONFLICT DO UPDATE SET trial_id = excluded.trial_id\n" \
	"		WHERE " NOT_OLDER("trial_id") ";\n" \
	"	UPDATE newest SET timed_trial_id = NEW.id\n" \
	"		WHERE (device_id, backend) = (SELECT device_id, backend FROM run WHERE id = NEW.run_id)\n" \
	"			AND kernel = NEW.kernel AND variant = NEW.variant AND config = NEW.config\n" \
	"			AND " TIMED("NEW") " AND " NOT_OLDER("timed_trial_id") ";\n"
/* Of a trial that is gone, or taken back. */
#define REPLACE_OLD \
	"	UPDATE newest SET trial_id = " SEARCH(ENDED("trial")) ",\n" \
	"		timed_trial_id = " SEARCH(TIMED("trial")) "\n" \
	"		WHERE trial_id = OLD.id OR timed_trial_id = OLD.id;\n" \
	"	DELETE FROM newest WHERE trial_id IS NULL;\n"

const char *const db_version_8[] = {
	DB_STATUS_ROWS,
	"DROP INDEX IF EXISTS trial_by_failure;",
	"CREATE INDEX trial_by_failure ON trial (run_id) WHERE status NOT IN " NOT_FAILED ";",
	"DROP TRIGGER IF EXISTS newest_of_inserted;",
	"DROP TRIGGER IF EXISTS newest_of_updated;",
	"DROP TRIGGER IF EXISTS newest_of_taken_back;",
	"DROP TRIGGER IF EXISTS newest_of_deleted;",
	"CREATE TRIGGER newest_of_inserted AFTER INSERT ON trial WHEN " ENDED("NEW") " BEGIN\n"
	OFFER_NEW
	"END;",
	"CREATE TRIGGER newest_of_updated AFTER UPDATE OF status, median_ns ON trial BEGIN\n"
	OFFER_NEW
	"END;",
	"CREATE TRIGGER newest_of_taken_back AFTER UPDATE OF status, median_ns ON trial\n"
	"WHEN " ENDED("OLD") " BEGIN\n"
	REPLACE_OLD
	"END;",
	"CREATE TRIGGER newest_of_deleted AFTER DELETE ON trial BEGIN\n"
	REPLACE_OLD
	"END;",

	"DROP VIEW IF EXISTS best;",
	/* If the newest trial of a case is unverified, the newest verified one stands for the case. */
	"CREATE VIEW best AS WITH candidate AS (\n"
	"	SELECT newest.device_id, newest.backend,\n"
	"		CASE timed.status WHEN 'ok' THEN timed.id ELSE coalesce(\n"
	"			" SEARCH(VERIFIED("trial")) ", timed.id) END AS trial_id\n"
	"	FROM newest JOIN trial AS timed ON timed.id = newest.timed_trial_id\n"
	"), ranked AS (\n"
	"	SELECT trial.*, candidate.device_id, candidate.backend, axis.value AS n, row_number() OVER (\n"
	"		PARTITION BY candidate.device_id, candidate.backend, trial.kernel, axis.value,\n"
	"			trial.flop, trial.bytes_read, trial.bytes_written,\n"
	"			CASE WHEN trial.flop IS NULL THEN trial.config END\n"
	"		ORDER BY trial.status <> 'ok', trial.median_ns, trial.id) AS place\n"
	"	FROM candidate JOIN trial ON trial.id = candidate.trial_id\n"
	"	LEFT JOIN axis ON axis.trial_id = trial.id AND axis.name = 'n'\n"
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
	"	ranked.run_id,\n"
	"	ranked.id AS trial_id\n"
	"FROM ranked JOIN device ON device.id = ranked.device_id WHERE place = 1;",

	"DROP VIEW IF EXISTS roofline;",
	"CREATE VIEW roofline AS WITH roofs AS (\n"
	"	SELECT device_id,\n"
	"		max(per_s) FILTER (WHERE \"of\" = 'dram') AS dram_roof,\n"
	"		max(per_s) FILTER (WHERE \"of\" = 'l2') AS l2_roof,\n"
	"		max(per_s) FILTER (WHERE \"of\" = 'l1') AS l1_roof,\n"
	"		max(per_s) FILTER (WHERE \"of\" = 'shared') AS shared_roof,\n"
	"		max(per_s) FILTER (WHERE \"of\" = 'f64') AS f64_roof,\n"
	"		max(per_s) FILTER (WHERE \"of\" = 'f32') AS f32_roof\n"
	"	FROM ceilings GROUP BY device_id\n"
	"), counted AS (\n"
	"	SELECT trial.*, newest.device_id, newest.backend,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'dram_bytes') AS dram_bytes,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'l2_from_l1_bytes') AS l2_bytes,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'l1_bytes') AS l1_bytes,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'shared_bytes') AS shared_bytes,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'flop_f64') AS f64,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'flop_f32') AS f32\n"
	"	FROM newest JOIN trial ON trial.id = newest.timed_trial_id\n"
	"), told AS (\n"
	"	SELECT *,\n"
	"		CASE WHEN f64 > 0 AND f64 >= coalesce(f32, 0) THEN 'f64' ELSE 'f32' END AS precision,\n"
	"		CASE WHEN f64 > 0 AND f64 >= coalesce(f32, 0) THEN f64 WHEN f32 > 0 THEN f32\n"
	"			WHEN f64 = 0 AND f32 = 0 THEN 0.0 END AS counted_flop\n"
	"	FROM counted\n"
	"), placed AS (\n"
	"	SELECT told.id, told.run_id, told.status, told.device_id, told.backend, told.kernel, told.variant,\n"
	"		told.config, told.median_ns, told.precision, told.counted_flop AS flop,\n"
	"		told.bytes_read + told.bytes_written AS needed_bytes,\n"
	"		told.dram_bytes, told.l2_bytes, told.l1_bytes, told.shared_bytes,\n"
	"		dram_roof, l2_roof, l1_roof, shared_roof,\n"
	"		CASE told.precision WHEN 'f64' THEN f64_roof ELSE f32_roof END AS flop_roof,\n"
	"		100e9 * told.dram_bytes / told.median_ns / dram_roof AS dram_pct,\n"
	"		100e9 * told.l2_bytes / told.median_ns / l2_roof AS l2_pct,\n"
	"		100e9 * told.l1_bytes / told.median_ns / l1_roof AS l1_pct,\n"
	"		100e9 * told.shared_bytes / told.median_ns / shared_roof AS shared_pct,\n"
	"		100e9 * told.counted_flop / told.median_ns\n"
	"			/ CASE told.precision WHEN 'f64' THEN f64_roof ELSE f32_roof END AS flop_pct\n"
	"	FROM told LEFT JOIN roofs ON roofs.device_id = told.device_id\n"
	") SELECT\n"
	"	device.name AS device,\n"
	"	placed.backend,\n"
	"	placed.kernel,\n"
	"	placed.variant,\n"
	"	placed.config,\n"
	"	placed.median_ns,\n"
	"	placed.precision,\n"
	"	placed.flop,\n"
	"	placed.flop * 1e9 / placed.median_ns AS flop_per_s,\n"
	"	placed.flop_roof AS roof_flop_per_s,\n"
	"	placed.flop_pct,\n"
	"	placed.dram_bytes,\n"
	"	placed.flop / nullif(placed.dram_bytes, 0) AS dram_intensity,\n"
	"	placed.dram_bytes * 1e9 / placed.median_ns AS dram_bytes_per_s,\n"
	"	placed.dram_roof AS dram_roof_bytes_per_s,\n"
	"	placed.dram_pct,\n"
	"	placed.l2_bytes,\n"
	"	placed.flop / nullif(placed.l2_bytes, 0) AS l2_intensity,\n"
	"	placed.l2_bytes * 1e9 / placed.median_ns AS l2_bytes_per_s,\n"
	"	placed.l2_roof AS l2_roof_bytes_per_s,\n"
	"	placed.l2_pct,\n"
	"	placed.l1_bytes,\n"
	"	placed.flop / nullif(placed.l1_bytes, 0) AS l1_intensity,\n"
	"	placed.l1_bytes * 1e9 / placed.median_ns AS l1_bytes_per_s,\n"
	"	placed.l1_roof AS l1_roof_bytes_per_s,\n"
	"	placed.l1_pct,\n"
	"	placed.shared_bytes,\n"
	"	placed.flop / nullif(placed.shared_bytes, 0) AS shared_intensity,\n"
	"	placed.shared_bytes * 1e9 / placed.median_ns AS shared_bytes_per_s,\n"
	"	placed.shared_roof AS shared_roof_bytes_per_s,\n"
	"	placed.shared_pct,\n"
	"	placed.needed_bytes,\n"
	"	placed.dram_bytes / nullif(placed.needed_bytes, 0) AS waste,\n"
	"	(SELECT name FROM (SELECT 'dram' AS name, placed.dram_pct AS pct\n"
	"		UNION ALL SELECT 'l2', placed.l2_pct UNION ALL SELECT 'l1', placed.l1_pct\n"
	"		UNION ALL SELECT 'shared', placed.shared_pct\n"
	"		UNION ALL SELECT placed.precision, placed.flop_pct)\n"
	"		WHERE pct > 0 ORDER BY pct DESC LIMIT 1) AS nearest_roof,\n"
	"	placed.status,\n"
	"	placed.run_id,\n"
	"	placed.id AS trial_id\n"
	"FROM placed JOIN device ON device.id = placed.device_id;",

	"DROP VIEW IF EXISTS regressions;",
	"CREATE VIEW regressions AS SELECT\n"
	"	device.name AS device,\n"
	"	newest.backend,\n"
	"	newest.kernel,\n"
	"	newest.variant,\n"
	"	newest.config,\n"
	"	comparison.verdict,\n"
	"	100 * comparison.change AS change_pct,\n"
	"	100 * comparison.low AS low_pct,\n"
	"	100 * comparison.high AS high_pct,\n"
	"	comparison.p,\n"
	"	comparison.why,\n"
	"	head.status,\n"
	"	base.status AS base_status,\n"
	"	head.median_ns,\n"
	"	base.median_ns AS base_median_ns,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', head_run.started_ns / 1000000000, 'unixepoch')\n"
	"		AS started_at,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', base_run.started_ns / 1000000000, 'unixepoch')\n"
	"		AS base_started_at,\n"
	"	head_run.source_revision,\n"
	"	base_run.source_revision AS base_source_revision,\n"
	"	head_run.label,\n"
	"	base_run.label AS base_label,\n"
	"	head.run_id,\n"
	"	base.run_id AS base_run_id,\n"
	"	comparison.trial_id,\n"
	"	comparison.base_trial_id\n"
	"FROM newest JOIN comparison ON comparison.trial_id = newest.trial_id\n"
	"JOIN trial AS head ON head.id = newest.trial_id\n"
	"JOIN run AS head_run ON head_run.id = head.run_id\n"
	"JOIN device ON device.id = newest.device_id\n"
	"LEFT JOIN trial AS base ON base.id = comparison.base_trial_id\n"
	"LEFT JOIN run AS base_run ON base_run.id = base.run_id;",

	"DROP VIEW IF EXISTS failures;",
	"CREATE VIEW failures AS SELECT\n"
	"	device.name AS device,\n"
	"	run.backend,\n"
	"	trial.kernel,\n"
	"	trial.variant,\n"
	"	trial.config,\n"
	"	trial.status,\n"
	"	trial.reason,\n"
	"	EXISTS (SELECT * FROM newest WHERE newest.trial_id = trial.id) AS is_newest,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch')\n"
	"		AS started_at,\n"
	"	run.started_ns,\n"
	"	run.source_revision,\n"
	"	run.label,\n"
	"	trial.run_id,\n"
	"	trial.id AS trial_id\n"
	"FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id\n"
	"WHERE trial.status NOT IN " NOT_FAILED ";",
	NULL,
};
/* clang-format on */
