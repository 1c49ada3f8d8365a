/*
 * The origin of a user's kernels: files of one name in different projects are not the same case,
 * and none of them is a built-in kernel. So the newest trial of a case is one per origin.
 */
#include "db/migrations/migrations.h"

/* clang-format off */
#define ENDED(trial) trial ".status NOT IN ('pending', 'skipped')"
#define TIMED(trial) trial ".status IN ('ok', 'unverified') AND " trial ".median_ns > 0"
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
/* True unless `column` of `newest` is a trial of a newer run than NEW's. */
#define NOT_OLDER(column) \
	"(newest." column " IS NULL OR (SELECT (mine.started_ns, mine.id) >= (its.started_ns, its.id)\n" \
	"			FROM run AS mine, trial JOIN run AS its ON its.id = trial.run_id\n" \
	"			WHERE mine.id = NEW.run_id AND trial.id = newest." column "))"
/* Of a trial that has ended: it becomes the newest of its case, unless another is. */
#define OFFER_NEW \
	"	INSERT INTO newest (device_id, backend, origin, kernel, variant, config, trial_id)\n" \
	"		SELECT device_id, backend, " ORIGIN("run") ", NEW.kernel, NEW.variant, NEW.config, NEW.id\n" \
	"		FROM run WHERE id = NEW.run_id AND " ENDED("NEW") "\n" \
	"		ON CONFLICT DO UPDATE SET trial_id = excluded.trial_id\n" \
	"		WHERE " NOT_OLDER("trial_id") ";\n" \
	"	UPDATE newest SET timed_trial_id = NEW.id\n" \
	"		WHERE (device_id, backend, origin) = (SELECT device_id, backend, " ORIGIN("run") "\n" \
	"				FROM run WHERE id = NEW.run_id)\n" \
	"			AND kernel = NEW.kernel AND variant = NEW.variant AND config = NEW.config\n" \
	"			AND " TIMED("NEW") " AND " NOT_OLDER("timed_trial_id") ";\n"
/* Of a trial that is gone, or taken back. */
#define REPLACE_OLD \
	"	UPDATE newest SET trial_id = " SEARCH(ENDED("trial")) ",\n" \
	"		timed_trial_id = " SEARCH(TIMED("trial")) "\n" \
	"		WHERE trial_id = OLD.id OR timed_trial_id = OLD.id;\n" \
	"	DELETE FROM newest WHERE trial_id IS NULL;\n"

const char *const db_version_10[] = {
	"ALTER TABLE run ADD COLUMN origin TEXT;",
	"UPDATE run SET origin = " ORIGIN_OF_SOURCE ";",
	"DROP TRIGGER IF EXISTS newest_of_inserted;",
	"DROP TRIGGER IF EXISTS newest_of_updated;",
	"DROP TRIGGER IF EXISTS newest_of_taken_back;",
	"DROP TRIGGER IF EXISTS newest_of_deleted;",
	"DROP TABLE IF EXISTS newest;",
	"CREATE TABLE newest (\n"
	"	device_id INTEGER NOT NULL REFERENCES device,\n"
	"	backend TEXT NOT NULL,\n"
	"	origin TEXT NOT NULL,\n"
	"	kernel TEXT NOT NULL,\n"
	"	variant TEXT NOT NULL,\n"
	"	config TEXT NOT NULL,\n"
	"	trial_id INTEGER REFERENCES trial,\n"
	"	timed_trial_id INTEGER REFERENCES trial,\n"
	"	PRIMARY KEY (device_id, backend, origin, kernel, variant, config)\n"
	") STRICT, WITHOUT ROWID;",
	"CREATE INDEX newest_by_trial ON newest (trial_id);",
	"CREATE INDEX newest_by_timed_trial ON newest (timed_trial_id);",
	"INSERT INTO newest (device_id, backend, origin, kernel, variant, config, trial_id)\n"
	"	SELECT device_id, backend, run_origin, kernel, variant, config, id FROM (\n"
	"		SELECT run.device_id, run.backend, " ORIGIN("run") " AS run_origin, trial.*,\n"
	"			row_number() OVER (PARTITION BY run.device_id, run.backend,\n"
	"				" ORIGIN("run") ", trial.kernel, trial.variant, trial.config\n"
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

	/* As before, but for each origin. */
	"DROP VIEW IF EXISTS best;",
	"CREATE VIEW best AS WITH candidate AS (\n"
	"	SELECT newest.device_id, newest.backend, newest.origin,\n"
	"		CASE timed.status WHEN 'ok' THEN timed.id ELSE coalesce(\n"
	"			" SEARCH(VERIFIED("trial")) ", timed.id) END AS trial_id\n"
	"	FROM newest JOIN trial AS timed ON timed.id = newest.timed_trial_id\n"
	"), ranked AS (\n"
	"	SELECT trial.*, candidate.device_id, candidate.backend, candidate.origin, axis.value AS n,\n"
	"		row_number() OVER (\n"
	"		PARTITION BY candidate.device_id, candidate.backend, candidate.origin, trial.kernel, axis.value,\n"
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
	"	nullif(ranked.origin, '') AS origin,\n"
	"	ranked.run_id,\n"
	"	ranked.id AS trial_id\n"
	"FROM ranked JOIN device ON device.id = ranked.device_id WHERE place = 1;",

	"DROP VIEW IF EXISTS ceilings;",
	/* A user's kernel of this name is no ceiling. */
	"CREATE VIEW ceilings AS WITH named AS (\n"
	"	SELECT trial.*, run.device_id, run.started_ns,\n"
	"		CASE WHEN trial.variant GLOB 'tensor_*'\n"
	"			THEN substr(trial.variant, 1, 6 + instr(substr(trial.variant, 8) || '_', '_'))\n"
	"			ELSE substr(trial.variant, 1, instr(trial.variant || '_', '_') - 1)\n"
	"		END AS name_of\n"
	"	FROM trial JOIN run ON run.id = trial.run_id\n"
	"	WHERE trial.kernel = 'ceilings' AND run.label = 'ceilings' AND trial.status = 'ok'\n"
	"		AND run.origin IS NULL\n"
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
	NULL,
};
/* clang-format on */
