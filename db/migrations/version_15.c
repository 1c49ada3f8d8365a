/*
 * Views that answer without a join: `results` has one row per case of a run with everything that is
 * asked of it, and the views result_* have what a result holds many of. The limiter of a case comes
 * from the rules of metrics/analysis/verdict.h. perflab computes it when a run ends and stores it
 * in `limiter`; `judgement` says with which rules and roofs.
 */
#include "db/migrations/migrations.h"
#include "db/migrations/roof_views.h"

/* clang-format off */
#define UTC(ns) "strftime('%Y-%m-%dT%H:%M:%SZ', " ns " / 1000000000, 'unixepoch')"
#define AXIS(name) "(SELECT value FROM axis WHERE trial_id = trial.id AND axis.name = '" name "')"
#define FACT(key) \
	"(SELECT value FROM environment WHERE run_id = run.id AND environment.key = '" key "')"
#define OF_ROUNDS(what) "(SELECT " what " FROM round WHERE trial_id = trial.id)"
/* Members of JSON objects. Views of an untrusted file may not use SQLite's JSON functions. A member
 * whose text has a control character that is not escaped here is NULL, and left out. */
#define IS_PLAIN(text) text " NOT GLOB '*[^] -!#-[^-~]*'" /* without " and \, and in ASCII */
#define ESCAPED(text) \
	"replace(replace(replace(replace(replace(" text ", '\\', '\\\\'),\n" \
	"		'\"', '\\\"'), char(10), '\\n'), char(13), '\\r'), char(9), '\\t')"
#define TEXT_MEMBER(key, value) \
	"CASE WHEN " IS_PLAIN("(" key " || " value ")") " THEN printf('\"%s\":\"%s\"', " key ", " value ")\n" \
	"	WHEN " key " || " value " NOT GLOB '*[' || char(1) || '-' || char(8) || char(11)\n" \
	"		|| char(12) || char(14) || '-' || char(31) || ']*'\n" \
	"	THEN '\"' || " ESCAPED(key) " || '\":\"'\n" \
	"		|| " ESCAPED(value) " || '\"' END"
#define OBJECT(members, from) \
	"'{' || coalesce((SELECT group_concat(" members ") FROM " from "), '') || '}'"
/* A name of a counter of a device has few sources, so a search for each is fast. */
#define COUNTED(name) \
	"CASE WHEN NOT run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id\n" \
	"		AND metric_id IN (SELECT id FROM metric WHERE metric.name = '" name "')) END"
/* The number of sampled blocks is part of a source of the emulator, so a name has many sources. The
 * plus makes SQLite read the counters of the trial instead of searching for each source. */
#define EMULATED(name) \
	"CASE WHEN run.emulated THEN (SELECT value FROM counter WHERE trial_id = trial.id\n" \
	"		AND +metric_id IN (SELECT id FROM metric WHERE metric.name = '" name "')) END"
#define COUNTED_COLUMN(name) "	" COUNTED(name) " AS " name ",\n"
#define EMULATED_COLUMN(name) "	" EMULATED(name) " AS " name ",\n"
/* A case that failed may have samples of earlier rounds. Its time must not win a comparison. */
#define TIME(column) \
	"CASE WHEN trial.status IN ('ok', 'unverified') THEN trial." column " END"
#define TRIAL_RUN_DEVICE \
	"trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id\n"

/* The columns of `results`, in pieces, because a compiler need not support longer literals. */
/* which case, and its time */
#define RESULTS_FIRST \
	"WITH metric_head AS MATERIALIZED (\n" \
	"	SELECT id, '\"' || metric.name || '\":' AS head FROM metric\n" \
	"	WHERE " IS_PLAIN("metric.name") "\n" \
	")\n" \
	"SELECT\n" \
	"	run.id AS run_id,\n" \
	"	run.label,\n" \
	"	" UTC("run.started_ns") " AS started_at,\n" \
	"	device.name AS device,\n" \
	"	run.backend,\n" \
	"	trial.kernel,\n" \
	"	trial.variant,\n" \
	"	trial.config,\n" \
	"	" AXIS("block") " AS block,\n" \
	"	" AXIS("n") " AS n,\n" \
	"	" OBJECT("printf('\"%s\":%d', axis.name, axis.value)", \
		"axis WHERE trial_id = trial.id AND " IS_PLAIN("axis.name")) " AS axes,\n" \
	"	trial.status,\n" \
	"	trial.reason,\n" \
	/* perflab did not see what an imported program computed. */ \
	"	CASE WHEN NOT EXISTS (SELECT 1 FROM environment\n" \
	"			WHERE run_id = run.id AND environment.key = 'imported_from')\n" \
	"		THEN CASE trial.status WHEN 'ok' THEN 1 WHEN 'unverified' THEN 0\n" \
	"			WHEN 'sampled' THEN 0 WHEN 'mismatch' THEN 0 END END AS verified,\n" \
	"	trial.status NOT IN ('ok', 'sampled', 'unverified', 'skipped', 'pending') AS failed,\n" \
	"	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,\n" \
	"	trial.id IN (SELECT best.trial_id FROM best) AS is_best,\n" \
	/* time */ \
	"	" TIME("median_ns") " AS median_ns,\n" \
	"	" TIME("low_ns") " AS low_ns,\n" \
	"	" TIME("high_ns") " AS high_ns,\n" \
	"	" TIME("mad_ns") " AS mad_ns,\n" \
	"	" TIME("min_ns") " AS min_ns,\n" \
	"	" TIME("max_ns") " AS max_ns,\n" \
	"	trial.mean_ns,\n" \
	"	trial.sample_count,\n"
/* the limiter, the shares of the roofs, the launch */
#define RESULTS_LIMITER \
	"	CASE WHEN NOT limiter.from_model THEN limiter.limiter END AS limiter,\n" \
	"	CASE WHEN NOT limiter.from_model THEN limiter.roof_pct END AS limiter_pct,\n" \
	"	CASE WHEN limiter.trial_id IS NOT NULL THEN limiter.summary\n" \
	"		WHEN trial.status NOT IN ('ok', 'unverified', 'sampled')\n" \
	"			THEN 'not judged: the case is ' || trial.status\n" \
	"		ELSE 'not judged yet: perflab judges it when it next stores a run' END AS summary,\n" \
	"	limiter.advice,\n" \
	"	limiter.notes,\n" \
	"	limiter.above_roof,\n" \
	"	limiter.dram_pct,\n" \
	"	limiter.l2_pct,\n" \
	"	limiter.l1_pct,\n" \
	"	limiter.shared_pct,\n" \
	"	limiter.compute_pct,\n" \
	"	limiter.precision,\n" \
	"	limiter.flop AS counted_flop,\n" \
	"	limiter.flop * 1e9 / trial.median_ns AS counted_flop_per_s,\n" \
	"	limiter.flop / nullif(" COUNTED("dram_bytes") ", 0) AS dram_intensity,\n" \
	"	(SELECT roof FROM (SELECT 'dram' AS roof, limiter.dram_pct AS pct\n" \
	"		UNION ALL SELECT 'l2', limiter.l2_pct UNION ALL SELECT 'l1', limiter.l1_pct\n" \
	"		UNION ALL SELECT 'shared', limiter.shared_pct\n" \
	"		UNION ALL SELECT limiter.precision, limiter.compute_pct)\n" \
	"		WHERE pct > 0 ORDER BY pct DESC LIMIT 1) AS nearest_roof,\n" \
	"	judgement.roofs_run_id,\n" \
	"	judgement.rules,\n" \
	/* the launch */ \
	"	trial.theoretical_occupancy_pct,\n" \
	"	trial.occupancy_limiter,\n" \
	"	trial.registers_per_thread,\n" \
	"	trial.local_bytes_per_thread,\n" \
	"	trial.shared_static_bytes + trial.shared_dynamic_bytes AS shared_bytes_per_block,\n" \
	"	trial.code_hash,\n"
/* counters of the device */
#define RESULTS_COUNTERS \
	COUNTED_COLUMN("achieved_occupancy_pct") \
	COUNTED_COLUMN("branch_efficiency_pct") \
	COUNTED_COLUMN("threads_per_instruction") \
	COUNTED_COLUMN("instructions") \
	COUNTED_COLUMN("dram_bytes_per_s") \
	COUNTED_COLUMN("dram_throughput_pct") \
	COUNTED_COLUMN("dram_bytes") \
	COUNTED_COLUMN("dram_read_bytes") \
	COUNTED_COLUMN("dram_write_bytes") \
	COUNTED_COLUMN("l2_from_l1_bytes") \
	COUNTED_COLUMN("l1_bytes") \
	COUNTED_COLUMN("shared_bytes") \
	"	(" COUNTED("shared_load_bank_conflicts") ")\n" \
	"		+ (" COUNTED("shared_store_bank_conflicts") ") AS bank_conflicts,\n" \
	"	100.0 * ((" COUNTED("shared_load_bank_conflicts") ")\n" \
	"		+ (" COUNTED("shared_store_bank_conflicts") "))\n" \
	"		/ nullif((" COUNTED("shared_load_wavefronts") ")\n" \
	"		+ (" COUNTED("shared_store_wavefronts") "), 0) AS bank_conflict_pct,\n" \
	COUNTED_COLUMN("global_load_sectors_per_request") \
	COUNTED_COLUMN("global_store_sectors_per_request")
/* counts of the emulator, and the work model: no measurements */
#define RESULTS_MODELS \
	EMULATED_COLUMN("ptx_branch_efficiency_pct") \
	EMULATED_COLUMN("ptx_warp_execution_efficiency_pct") \
	EMULATED_COLUMN("ptx_load_sectors_per_request") \
	EMULATED_COLUMN("ptx_store_sectors_per_request") \
	EMULATED_COLUMN("ptx_shared_bank_conflicts") \
	"	100.0 * (" EMULATED("ptx_shared_bank_conflicts") ")\n" \
	"		/ nullif((" EMULATED("ptx_shared_load_wavefronts") ")\n" \
	"		+ (" EMULATED("ptx_shared_store_wavefronts") "), 0) AS ptx_bank_conflict_pct,\n" \
	EMULATED_COLUMN("ptx_warp_instructions") \
	EMULATED_COLUMN("ptx_compulsory_bytes") \
	"	" OBJECT("head || counter.value", \
		"counter JOIN metric_head ON metric_head.id = counter.metric_id\n" \
		"		WHERE counter.trial_id = trial.id AND abs(counter.value) < 9e999") " AS counters,\n" \
	/* the work model */ \
	"	CASE WHEN limiter.from_model THEN limiter.limiter END AS model_limiter,\n" \
	"	CASE WHEN limiter.from_model THEN limiter.roof_pct END AS model_limiter_pct,\n" \
	"	limiter.model_precision,\n" \
	"	limiter.model_compute_pct,\n" \
	"	trial.flop AS model_flop,\n" \
	"	trial.bytes_read + trial.bytes_written AS model_bytes,\n" \
	"	trial.flop * 1e9 / " TIME("median_ns") " AS model_flop_per_s,\n" \
	"	(trial.bytes_read + trial.bytes_written) * 1e9 / " TIME("median_ns") "\n" \
	"		AS model_bytes_per_s,\n"
/* comparisons, environment, run */
#define RESULTS_REST \
	"	comparison.verdict AS change,\n" \
	"	100 * comparison.change AS change_pct,\n" \
	"	100 * comparison.low AS change_low_pct,\n" \
	"	100 * comparison.high AS change_high_pct,\n" \
	"	comparison.why AS change_why,\n" \
	"	base.run_id AS base_run_id,\n" \
	"	base.median_ns AS base_median_ns,\n" \
	"	speedup.base_variant,\n" \
	"	speedup.speedup,\n" \
	"	speedup.low AS speedup_low,\n" \
	"	speedup.high AS speedup_high,\n" \
	"	speedup.verdict AS speedup_verdict,\n" \
	/* environment */ \
	"	run.driver,\n" \
	"	run.cuda_driver,\n" \
	"	run.toolkit,\n" \
	"	" FACT("host") " AS host,\n" \
	"	" FACT("gpu.persistence_mode") " AS persistence_mode,\n" \
	"	" FACT("gpu.ecc") " AS ecc,\n" \
	"	CAST(" FACT("gpu.power_limit_w") " AS REAL) AS power_limit_w,\n" \
	"	" OF_ROUNDS("avg(sm_clock_hz)") " AS sm_clock_hz,\n" \
	"	" OF_ROUNDS("avg(memory_clock_hz)") " AS memory_clock_hz,\n" \
	"	" OF_ROUNDS("max(temperature_c)") " AS temperature_c,\n" \
	"	" OF_ROUNDS("avg(power_w)") " AS power_w,\n" \
	"	" OF_ROUNDS("sum(throttle_reasons <> 0)") " AS throttled_rounds,\n" \
	"	" OBJECT(TEXT_MEMBER("environment.key", "environment.value"), \
		"environment WHERE run_id = run.id") " AS environment,\n" \
	/* the run */ \
	"	run.cache,\n" \
	"	run.timed,\n" \
	"	run.emulated,\n" \
	"	(SELECT kind FROM mark WHERE mark.run_id = run.id) AS mark,\n" \
	"	run.source_revision,\n" \
	"	run.origin,\n" \
	"	run.version,\n" \
	"	run.started_ns,\n" \
	"	trial.id AS trial_id\n" \
	"FROM " TRIAL_RUN_DEVICE \
	"LEFT JOIN limiter ON limiter.trial_id = trial.id\n" \
	"LEFT JOIN judgement ON judgement.run_id = run.id\n" \
	"LEFT JOIN comparison ON comparison.trial_id = trial.id\n" \
	"LEFT JOIN trial AS base ON base.id = comparison.base_trial_id\n" \
	"LEFT JOIN speedup ON speedup.trial_id = trial.id;"
#define RESULTS_SELECT RESULTS_FIRST, RESULTS_LIMITER, RESULTS_COUNTERS, RESULTS_MODELS, RESULTS_REST

/* What says which result a row belongs to. */
#define RESULT_COLUMNS \
	"	run.id AS run_id,\n" \
	"	run.label,\n" \
	"	" UTC("run.started_ns") " AS started_at,\n" \
	"	device.name AS device,\n" \
	"	run.backend,\n" \
	"	trial.kernel,\n" \
	"	trial.variant,\n" \
	"	trial.config,\n" \
	"	" AXIS("block") " AS block,\n" \
	"	" AXIS("n") " AS n,\n" \
	"	trial.status,\n" \
	"	trial.id IN (SELECT newest.trial_id FROM newest) AS is_newest,\n"
#define RESULT_IDS \
	"	run.origin,\n" \
	"	run.started_ns,\n" \
	"	trial.id AS trial_id\n"

#define RESULT_COUNTERS_SELECT \
	"SELECT\n" \
	RESULT_COLUMNS \
	"	metric.name,\n" \
	"	counter.value,\n" \
	"	metric.unit,\n" \
	"	counter.reason,\n" \
	"	metric.source,\n" \
	RESULT_IDS \
	"FROM counter JOIN metric ON metric.id = counter.metric_id\n" \
	"JOIN trial ON trial.id = counter.trial_id JOIN run ON run.id = trial.run_id\n" \
	"JOIN device ON device.id = run.device_id;"
#define RESULT_ROUNDS_SELECT \
	"SELECT\n" \
	RESULT_COLUMNS \
	"	round.round,\n" \
	"	round.median_ns,\n" \
	"	round.sm_clock_hz,\n" \
	"	round.memory_clock_hz,\n" \
	"	round.temperature_c,\n" \
	"	round.power_w,\n" \
	"	round.throttle_reasons,\n" \
	"	round.speedup,\n" \
	RESULT_IDS \
	"FROM round JOIN trial ON trial.id = round.trial_id JOIN run ON run.id = trial.run_id\n" \
	"JOIN device ON device.id = run.device_id;"
#define RESULT_SAMPLES_SELECT \
	"SELECT\n" \
	RESULT_COLUMNS \
	"	sample.round,\n" \
	"	sample.sequence,\n" \
	"	sample.time_ns,\n" \
	"	sample.base_ns,\n" \
	RESULT_IDS \
	"FROM sample JOIN trial ON trial.id = sample.trial_id JOIN run ON run.id = trial.run_id\n" \
	"JOIN device ON device.id = run.device_id;"
#define RESULT_LINES_SELECT \
	"SELECT\n" \
	RESULT_COLUMNS \
	"	line.file,\n" \
	"	line.line,\n" \
	"	line.instructions,\n" \
	"	line.branches,\n" \
	"	line.divergent,\n" \
	"	line.requests,\n" \
	"	line.sectors,\n" \
	"	1.0 * line.sectors / nullif(line.requests, 0) AS sectors_per_request,\n" \
	"	line.shared_requests,\n" \
	"	line.wavefronts,\n" \
	"	line.conflicts,\n" \
	RESULT_IDS \
	"FROM line JOIN trial ON trial.id = line.trial_id JOIN run ON run.id = trial.run_id\n" \
	"JOIN device ON device.id = run.device_id;"

const char *const db_result_views[] = {
	"CREATE TEMP VIEW results AS ", RESULTS_SELECT,
	"CREATE TEMP VIEW result_counters AS " RESULT_COUNTERS_SELECT,
	"CREATE TEMP VIEW result_rounds AS " RESULT_ROUNDS_SELECT,
	"CREATE TEMP VIEW result_samples AS " RESULT_SAMPLES_SELECT,
	"CREATE TEMP VIEW result_lines AS " RESULT_LINES_SELECT,
	NULL,
};

const char *const db_version_15[] = {
	/* The mean that an imported file gives instead of samples. */
	"ALTER TABLE trial ADD COLUMN mean_ns REAL CHECK (mean_ns >= 0);",
	"ALTER TABLE environment ADD COLUMN name TEXT AS (key) VIRTUAL;",

	"CREATE TABLE judgement (\n"
	"	run_id INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,\n"
	"	rules INTEGER NOT NULL,\n"
	"	roofs_run_id INTEGER REFERENCES run ON DELETE SET NULL\n"
	") STRICT;",
	"CREATE INDEX judgement_by_roofs ON judgement (roofs_run_id);",
	"CREATE TABLE limiter (\n"
	"	trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,\n"
	"	limiter TEXT,\n"
	"	roof_pct REAL,\n"
	"	from_model INTEGER NOT NULL CHECK (from_model IN (0, 1)),\n"
	"	precision TEXT,\n"
	"	flop REAL,\n"
	"	dram_pct REAL,\n"
	"	l2_pct REAL,\n"
	"	l1_pct REAL,\n"
	"	shared_pct REAL,\n"
	"	compute_pct REAL,\n"
	"	model_precision TEXT,\n"
	"	model_compute_pct REAL,\n"
	"	summary TEXT NOT NULL,\n"
	"	advice TEXT,\n"
	"	notes TEXT,\n"
	"	above_roof TEXT\n"
	") STRICT;",

	"DROP VIEW IF EXISTS roofline;",
	ROOFLINE_VIEW_1,
	ROOFLINE_VIEW_2,
	"DROP VIEW IF EXISTS above_roof;",
	ABOVE_ROOF_VIEW_1,
	ABOVE_ROOF_VIEW_2,

	"DROP VIEW IF EXISTS counters;",
	"CREATE VIEW counters AS SELECT\n"
	"	counter.trial_id,\n"
	"	metric.name AS metric,\n"
	"	metric.unit,\n"
	"	metric.source,\n"
	"	counter.value,\n"
	"	counter.reason,\n"
	"	metric.name\n"
	"FROM counter JOIN metric ON metric.id = counter.metric_id;",

	"CREATE VIEW results AS ", RESULTS_SELECT,
	"CREATE VIEW result_counters AS " RESULT_COUNTERS_SELECT,
	"CREATE VIEW result_rounds AS " RESULT_ROUNDS_SELECT,
	"CREATE VIEW result_samples AS " RESULT_SAMPLES_SELECT,
	"CREATE VIEW result_lines AS " RESULT_LINES_SELECT,
	NULL,
};
/* clang-format on */
