/*
 * Typed columns for the settings of a run and the traits of its backend. `settings` stays a column,
 * for queries that read its JSON, but is computed from the typed columns.
 */
#include "db/migrations/migrations.h"
#include "db/migrations/settings_json.h"

/* clang-format off */
/* A string of JSON: its quotes, backslashes and the usual control characters are escaped. */
#define STRING(value) \
	"('\"' || replace(replace(replace(replace(replace(" value ", '\\', '\\\\'), '\"', '\\\"')," \
	" char(9), '\\t'), char(10), '\\n'), char(13), '\\r') || '\"')"
/* A member of the object, left out when it is NULL. */
#define MEMBER(name, value) "coalesce('\"" name "\":' || " value " || ',', '')"
/* A value that only complete settings have. They name an optional member even if it has no value. */
#define IF_COMPLETE(value) \
	"iif(min_samples + max_time_ns + precision + timeout_ns IS NULL, '', " value ")"
#define OPTIONAL(name, value) \
	"coalesce('\"" name "\":' || " value " || ',', " IF_COMPLETE("'\"" name "\":null,'") ")"

/* Fills a column of new_run from the JSON of the run in the old table. */
#define FILL(column, value) \
	"UPDATE new_run SET " column " = (SELECT " value " FROM run WHERE run.id = new_run.id);"

const char *const db_version_7[] = {
	"CREATE TABLE new_run (\n"
	"	id INTEGER PRIMARY KEY,\n"
	"	uid TEXT NOT NULL UNIQUE CHECK (length(uid) = 32),\n"
	"	label TEXT,\n"
	"	note TEXT,\n"
	"	state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted')),\n"
	"	started_ns INTEGER NOT NULL,\n"
	"	finished_ns INTEGER,\n"
	"	backend TEXT NOT NULL,\n"
	"	device_id INTEGER NOT NULL REFERENCES device,\n"
	"	driver TEXT,\n"
	"	cuda_driver TEXT,\n"
	"	toolkit TEXT,\n"
	"	cupti TEXT,\n"
	"	version TEXT,\n"
	"	source_revision TEXT,\n"
	"	command TEXT,\n"
	"	seed INTEGER NOT NULL,\n"
	"	rounds INTEGER NOT NULL,\n"
	"	timed INTEGER NOT NULL CHECK (timed IN (0, 1)),\n"
	"	emulated INTEGER NOT NULL CHECK (emulated IN (0, 1)),\n"
	"	vendor TEXT,\n"
	"	warp_size INTEGER,\n"
	"	device_ordinal INTEGER,\n"
	"	cache TEXT CHECK (cache IN ('cold', 'hot')),\n"
	"	min_samples INTEGER,\n"
	"	max_time_ns INTEGER,\n"
	"	precision REAL,\n"
	"	timeout_ns INTEGER,\n"
	"	metrics TEXT,\n"
	"	emulated_chip TEXT,\n"
	"	all_blocks INTEGER CHECK (all_blocks IN (0, 1)),\n"
	"	jobs INTEGER,\n"
	"	counter_dump TEXT,\n"
	/* The same text as before, for queries of users, made without JSON functions: SQLite before 3.43
	 * does not take those in the schema of a file that may be untrusted. */
	"	settings TEXT GENERATED ALWAYS AS (\n"
	"		CASE WHEN coalesce(device_ordinal, cache, min_samples, max_time_ns, precision,\n"
	"			timeout_ns, metrics, emulated_chip, all_blocks, jobs, counter_dump) IS NOT NULL\n"
	"		THEN '{' || rtrim(" MEMBER("device", "device_ordinal") " ||\n"
	/* a string, because many JSON readers keep only 53 bits of a number */
	"			" IF_COMPLETE("printf('\"seed\":\"%llu\",', seed)") " ||\n"
	"			" MEMBER("cache", "'\"' || cache || '\"'") " ||\n"
	"			" MEMBER("min_samples", "min_samples") " ||\n"
	"			" MEMBER("max_time_ns", "max_time_ns") " ||\n"
	"			CASE WHEN precision IS NULL THEN '' ELSE printf('\"precision\":%!.17g,', precision) END ||\n"
	/* an emulated run has none, but its settings always said 3 */
	"			" IF_COMPLETE("'\"rounds\":' || iif(emulated, 3, rounds) || ','") " ||\n"
	"			" MEMBER("timeout_ns", "timeout_ns") " ||\n"
	"			" MEMBER("metrics", "'[' || iif(metrics = '', '', replace(" STRING("metrics")
			", ',', '\",\"')) || ']'") " ||\n"
	"			" OPTIONAL("chip", STRING("emulated_chip")) " ||\n"
	"			" MEMBER("all_blocks", "CASE all_blocks WHEN 0 THEN 'false' WHEN 1 THEN 'true' END") " ||\n"
	"			" MEMBER("jobs", "jobs") " ||\n"
	"			" OPTIONAL("counter_dump", STRING("counter_dump")) ", ',') || '}'\n"
	"	END) VIRTUAL\n"
	") STRICT;",
	"INSERT INTO new_run (\n"
	"	id, uid, label, note, state, started_ns, finished_ns, backend, device_id, driver,\n"
	"	cuda_driver, toolkit, cupti, version, source_revision, command, seed, rounds,\n"
	"	timed, emulated, vendor, warp_size\n"
	") SELECT\n"
	"	id, uid, label, note, state, started_ns, finished_ns, backend, device_id, driver,\n"
	"	cuda_driver, toolkit, cupti, version, source_revision, command, seed, rounds,\n"
	"	" BACKEND_IS_TIMED ", " BACKEND_IS_EMULATED ", " BACKEND_VENDOR ", " BACKEND_WARP_SIZE "\n"
	"FROM run;",
	FILL("device_ordinal", JSON_SETTING_INTEGER("device")),
	FILL("cache", JSON_SETTING_CACHE),
	FILL("min_samples", JSON_SETTING_INTEGER("min_samples")),
	FILL("max_time_ns", JSON_SETTING_INTEGER("max_time_ns")),
	FILL("precision", JSON_SETTING_REAL("precision")),
	FILL("timeout_ns", JSON_SETTING_INTEGER("timeout_ns")),
	FILL("metrics", JSON_SETTING_METRICS),
	FILL("emulated_chip", JSON_SETTING_TEXT("chip")),
	FILL("all_blocks", JSON_SETTING_BOOL("all_blocks")),
	FILL("jobs", JSON_SETTING_INTEGER("jobs")),
	FILL("counter_dump", JSON_SETTING_TEXT("counter_dump")),
	/* Not ALTER TABLE DROP COLUMN, which fails if any view of a user does not resolve. */
	"DROP TABLE run;",
	"ALTER TABLE new_run RENAME TO run;",
	"CREATE INDEX run_by_label ON run (label, started_ns);",
	"CREATE INDEX run_by_device ON run (device_id, backend, started_ns);",

	"DROP VIEW IF EXISTS emulated;",
	"DROP VIEW IF EXISTS trials;",
	"CREATE VIEW trials AS SELECT\n"
	"	trial.id AS trial_id,\n"
	"	trial.run_id,\n"
	"	run.uid AS run_uid,\n"
	"	run.label,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,\n"
	"	run.started_ns,\n"
	"	run.backend,\n"
	"	device.name AS device,\n"
	"	trial.kernel,\n"
	"	trial.variant,\n"
	"	trial.config,\n"
	"	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'block') AS block,\n"
	"	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'n') AS n,\n"
	"	trial.status,\n"
	"	trial.reason,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', trial.finished_ns / 1000000000, 'unixepoch')\n"
	"		AS finished_at,\n"
	"	trial.sample_count,\n"
	"	trial.median_ns,\n"
	"	trial.mad_ns,\n"
	"	trial.low_ns,\n"
	"	trial.high_ns,\n"
	"	trial.flop,\n"
	"	trial.bytes_read + trial.bytes_written AS bytes,\n"
	"	trial.flop * 1e9 / trial.median_ns AS flop_per_s,\n"
	"	(trial.bytes_read + trial.bytes_written) * 1e9 / trial.median_ns AS bytes_per_s,\n"
	"	trial.registers_per_thread,\n"
	"	trial.theoretical_occupancy_pct,\n"
	"	trial.occupancy_limiter,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'achieved_occupancy_pct') AS achieved_occupancy_pct,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'branch_efficiency_pct') AS branch_efficiency_pct,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'threads_per_instruction') AS threads_per_instruction,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'dram_read_bytes') AS dram_read_bytes,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'dram_write_bytes') AS dram_write_bytes,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'dram_bytes_per_s') AS dram_bytes_per_s,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'dram_throughput_pct') AS dram_throughput_pct,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'flop_f32_f64') AS flop_f32_f64,\n"
	"	run.timed,\n"
	"	run.emulated,\n"
	"	run.vendor,\n"
	"	run.warp_size,\n"
	"	run.cache\n"
	"FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id;",

	/* A view of its own, because numbers of a device and of an emulator are never compared. */
	"CREATE VIEW emulated AS SELECT\n"
	"	trial.id AS trial_id,\n"
	"	trial.run_id,\n"
	"	run.label,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,\n"
	"	run.started_ns,\n"
	"	device.name AS device,\n"
	"	trial.kernel,\n"
	"	trial.variant,\n"
	"	trial.config,\n"
	"	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'block') AS block,\n"
	"	(SELECT value FROM axis WHERE trial_id = trial.id AND name = 'n') AS n,\n"
	"	trial.status,\n"
	"	trial.reason,\n"
	"	trial.theoretical_occupancy_pct,\n"
	"	trial.occupancy_limiter,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'ptx_warp_execution_efficiency_pct') AS ptx_warp_execution_efficiency_pct,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'ptx_branch_efficiency_pct') AS ptx_branch_efficiency_pct,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'ptx_load_sectors_per_request') AS ptx_load_sectors_per_request,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'ptx_store_sectors_per_request') AS ptx_store_sectors_per_request,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'ptx_shared_conflicts_per_request') AS ptx_shared_conflicts_per_request,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'ptx_atomic_contention') AS ptx_atomic_contention,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'ptx_f32_f64_flop') AS ptx_f32_f64_flop,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'ptx_compulsory_bytes') AS ptx_compulsory_bytes,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'ptx_blocks_executed') AS ptx_blocks_executed,\n"
	"	(SELECT value FROM counters WHERE trial_id = trial.id\n"
	"		AND metric = 'ptx_blocks_total') AS ptx_blocks_total\n"
	"FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id\n"
	"WHERE run.emulated;",
	NULL,
};
/* clang-format on */
