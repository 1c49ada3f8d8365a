/*
 * Months of runs: whether a run is good, how each trial compares with its baseline, and which
 * trial of each case is the newest, so that no view looks through all of them. A device is one
 * row, whatever its driver knew of it at the time. Roofs are those of runs meant to measure them.
 */
#include "db/migrations/migrations.h"

/* clang-format off */
/* The facts of `device` that a driver may not know, all but name and uuid. */
#define LATEST_KNOWN(fact) \
	fact " = (SELECT known." fact " FROM device AS known WHERE known.uuid = device.uuid" \
	" AND known.name = device.name AND known." fact " IS NOT NULL ORDER BY known.id DESC LIMIT 1)"

#define ENDED(trial) trial ".status NOT IN ('pending', 'skipped')"
#define TIMED(trial) trial ".status = 'ok' AND " trial ".median_ns > 0"
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

const char *const db_version_4[] = {
	"DROP VIEW best;",
	"DROP VIEW roofline;",
	"DROP VIEW ceilings;",

	"UPDATE run SET device_id = (SELECT min(same.id) FROM device AS mine\n"
	"	JOIN device AS same ON same.uuid = mine.uuid AND same.name = mine.name\n"
	"	WHERE mine.id = run.device_id)\n"
	"WHERE device_id IN (SELECT id FROM device WHERE uuid IS NOT NULL);",
	"UPDATE device SET " LATEST_KNOWN("chip") ", " LATEST_KNOWN("cc_major") ", "
		LATEST_KNOWN("cc_minor") ", " LATEST_KNOWN("sm_count") ", "
		LATEST_KNOWN("max_threads_per_sm") ", " LATEST_KNOWN("max_threads_per_block") ", "
		LATEST_KNOWN("max_blocks_per_sm") ", " LATEST_KNOWN("registers_per_sm") ", "
		LATEST_KNOWN("shared_bytes_per_sm") ", " LATEST_KNOWN("shared_bytes_per_block") ", "
		LATEST_KNOWN("l2_bytes") ", " LATEST_KNOWN("memory_bytes") ", "
		LATEST_KNOWN("sm_clock_max_hz") ", " LATEST_KNOWN("memory_clock_max_hz") ", "
		LATEST_KNOWN("memory_bus_bits") "\n"
	"WHERE uuid IS NOT NULL;",
	"DELETE FROM device WHERE EXISTS (SELECT * FROM device AS first\n"
	"	WHERE first.uuid = device.uuid AND first.name = device.name AND first.id < device.id);",
	"CREATE UNIQUE INDEX device_by_identity ON device (uuid, name);",

	"DROP INDEX run_by_device;",
	"CREATE INDEX run_by_device ON run (device_id, backend, started_ns);",
	"CREATE INDEX trial_by_failure ON trial (run_id)\n"
	"	WHERE status NOT IN ('ok', 'sampled', 'skipped', 'pending');",

	"CREATE TABLE mark (\n"
	"	run_id INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,\n"
	"	kind TEXT NOT NULL CHECK (kind IN ('good', 'bad')),\n"
	"	why TEXT,\n"
	"	marked_ns INTEGER NOT NULL\n"
	") STRICT;",

	"CREATE TABLE comparison (\n"
	"	trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,\n"
	"	base_trial_id INTEGER REFERENCES trial ON DELETE CASCADE,\n"
	"	verdict TEXT NOT NULL,\n"
	"	change REAL,\n"
	"	low REAL,\n"
	"	high REAL,\n"
	"	p REAL,\n"
	"	why TEXT\n"
	") STRICT;",
	"CREATE INDEX comparison_by_base ON comparison (base_trial_id);",

	"CREATE TABLE newest (\n"
	"	device_id INTEGER NOT NULL REFERENCES device,\n"
	"	backend TEXT NOT NULL,\n"
	"	kernel TEXT NOT NULL,\n"
	"	variant TEXT NOT NULL,\n"
	"	config TEXT NOT NULL,\n"
	"	trial_id INTEGER REFERENCES trial,\n"
	"	timed_trial_id INTEGER REFERENCES trial,\n"
	"	PRIMARY KEY (device_id, backend, kernel, variant, config)\n"
	") STRICT, WITHOUT ROWID;",
	"CREATE INDEX newest_by_trial ON newest (trial_id);",
	"CREATE INDEX newest_by_timed_trial ON newest (timed_trial_id);",
	"INSERT INTO newest (device_id, backend, kernel, variant, config, trial_id)\n"
	"	SELECT device_id, backend, kernel, variant, config, id FROM (\n"
	"		SELECT run.device_id, run.backend, trial.*, row_number() OVER (\n"
	"			PARTITION BY run.device_id, run.backend, trial.kernel, trial.variant,\n"
	"				trial.config\n"
	"			ORDER BY run.started_ns DESC, run.id DESC) AS age\n"
	"		FROM trial JOIN run ON run.id = trial.run_id WHERE " ENDED("trial") ")\n"
	"	WHERE age = 1;",
	"UPDATE newest SET timed_trial_id = " SEARCH(TIMED("trial")) ";",
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

	/* Timed trials only: one that was emulated is neither fast nor slow. */
	"CREATE VIEW best AS WITH ranked AS (\n"
	"	SELECT trial.*, newest.device_id, newest.backend, axis.value AS n, row_number() OVER (\n"
	"		PARTITION BY newest.device_id, newest.backend, trial.kernel, axis.value,\n"
	"			trial.flop, trial.bytes_read, trial.bytes_written,\n"
	"			CASE WHEN trial.flop IS NULL THEN trial.config END\n"
	"		ORDER BY trial.median_ns, trial.id) AS place\n"
	"	FROM newest JOIN trial ON trial.id = newest.timed_trial_id\n"
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
	"	ranked.run_id,\n"
	"	ranked.id AS trial_id\n"
	"FROM ranked JOIN device ON device.id = ranked.device_id WHERE place = 1;",

	/* A variant's name begins with what it is a roof of. */
	"CREATE VIEW ceilings AS WITH named AS (\n"
	"	SELECT trial.*, run.device_id, run.started_ns,\n"
	"		CASE WHEN trial.variant GLOB 'tensor_*'\n"
	"			THEN substr(trial.variant, 1, 6 + instr(substr(trial.variant, 8) || '_', '_'))\n"
	"			ELSE substr(trial.variant, 1, instr(trial.variant || '_', '_') - 1)\n"
	"		END AS name_of\n"
	"	FROM trial JOIN run ON run.id = trial.run_id\n"
	"	WHERE trial.kernel = 'ceilings' AND run.label = 'ceilings' AND trial.status = 'ok'\n"
	"		AND trial.median_ns > 0\n"
	"), worked AS (\n"
	"	SELECT *, 'bandwidth' AS kind, 'byte/s' AS unit, bytes_read + bytes_written AS work\n"
	"	FROM named WHERE name_of IN ('dram', 'l2', 'l1', 'shared')\n"
	"	UNION ALL SELECT *, 'rate', 'flop/s', flop\n"
	"	FROM named WHERE name_of IN ('f64', 'f32', 'f16', 'bf16', 'tensor_f64', 'tensor_tf32',\n"
	"		'tensor_f16', 'tensor_bf16', 'tensor_f8')\n"
	"), ranked AS (\n"
	"	SELECT *, row_number() OVER (PARTITION BY device_id, variant\n"
	"		ORDER BY started_ns DESC, run_id DESC, work / median_ns DESC, id) AS place\n"
	"	FROM worked WHERE work > 0\n"
	") SELECT\n"
	"	ranked.device_id,\n"
	"	device.name AS device,\n"
	"	ranked.variant AS name,\n"
	"	ranked.kind,\n"
	"	ranked.name_of AS \"of\",\n"
	"	ranked.work * 1e9 / ranked.median_ns AS per_s,\n"
	"	ranked.work * 1e9 / ranked.high_ns AS low_per_s,\n"
	"	ranked.work * 1e9 / ranked.low_ns AS high_per_s,\n"
	"	ranked.unit,\n"
	"	(SELECT avg(sm_clock_hz) FROM round WHERE trial_id = ranked.id) AS sm_clock_hz,\n"
	"	ranked.config,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', ranked.finished_ns / 1000000000, 'unixepoch')\n"
	"		AS measured_at,\n"
	"	ranked.run_id,\n"
	"	ranked.id AS trial_id\n"
	"FROM ranked JOIN device ON device.id = ranked.device_id WHERE place = 1;",

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
	"	SELECT told.id, told.run_id, told.device_id, told.backend, told.kernel, told.variant,\n"
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
	"	placed.run_id,\n"
	"	placed.id AS trial_id\n"
	"FROM placed JOIN device ON device.id = placed.device_id;",

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

	"CREATE VIEW history AS SELECT\n"
	"	device.name AS device,\n"
	"	run.backend,\n"
	"	trial.kernel,\n"
	"	trial.variant,\n"
	"	trial.config,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch')\n"
	"		AS started_at,\n"
	"	run.started_ns,\n"
	"	run.source_revision,\n"
	"	run.label,\n"
	"	mark.kind AS mark,\n"
	"	trial.status,\n"
	"	trial.median_ns,\n"
	"	trial.low_ns,\n"
	"	trial.high_ns,\n"
	"	comparison.verdict,\n"
	"	100 * comparison.change AS change_pct,\n"
	"	comparison.why,\n"
	"	run.driver,\n"
	"	trial.code_hash,\n"
	"	run.device_id,\n"
	"	trial.run_id,\n"
	"	trial.id AS trial_id\n"
	"FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id\n"
	"LEFT JOIN mark ON mark.run_id = run.id\n"
	"LEFT JOIN comparison ON comparison.trial_id = trial.id\n"
	"WHERE trial.status NOT IN ('pending', 'skipped');",

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
	"WHERE trial.status NOT IN ('ok', 'sampled', 'skipped', 'pending');",

	/* Without what differs always, or by what was asked for. */
	"CREATE VIEW environment_changes AS WITH told AS (\n"
	"	SELECT run_id, key, value FROM environment\n"
	"	WHERE key NOT IN ('process', 'gpu.temperature_c', 'counter_passes', 'shards', 'sweep',\n"
	"		'sweep_uid', 'sweep_cases')\n"
	"	UNION ALL SELECT id, 'driver', driver FROM run WHERE driver IS NOT NULL\n"
	"	UNION ALL SELECT id, 'cuda_driver', cuda_driver FROM run WHERE cuda_driver IS NOT NULL\n"
	"	UNION ALL SELECT id, 'toolkit', toolkit FROM run WHERE toolkit IS NOT NULL\n"
	"	UNION ALL SELECT id, 'cupti', cupti FROM run WHERE cupti IS NOT NULL\n"
	"	UNION ALL SELECT id, 'version', version FROM run WHERE version IS NOT NULL\n"
	"), followed AS (\n"
	"	SELECT *, lag(id) OVER (PARTITION BY device_id, backend ORDER BY started_ns, id)\n"
	"		AS previous_id\n"
	"	FROM run\n"
	"), changed AS (\n"
	"	SELECT followed.id, told.key, before.value AS was, told.value AS became\n"
	"	FROM followed JOIN told ON told.run_id = followed.id\n"
	"	LEFT JOIN told AS before ON before.run_id = followed.previous_id AND before.key = told.key\n"
	"	WHERE followed.previous_id IS NOT NULL AND before.value IS NOT told.value\n"
	"	UNION ALL SELECT followed.id, before.key, before.value, NULL\n"
	"	FROM followed JOIN told AS before ON before.run_id = followed.previous_id\n"
	"	LEFT JOIN told ON told.run_id = followed.id AND told.key = before.key\n"
	"	WHERE told.key IS NULL\n"
	") SELECT\n"
	"	device.name AS device,\n"
	"	followed.backend,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', followed.started_ns / 1000000000, 'unixepoch')\n"
	"		AS started_at,\n"
	"	followed.started_ns,\n"
	"	followed.label,\n"
	"	changed.key,\n"
	"	changed.was,\n"
	"	changed.became,\n"
	"	followed.id AS run_id,\n"
	"	followed.previous_id AS previous_run_id\n"
	"FROM changed JOIN followed ON followed.id = changed.id\n"
	"JOIN device ON device.id = followed.device_id;",
	NULL,
};
/* clang-format on */
