/*
 * Version 22: `best` has the problems of the reports (reports/derived/problems.c). If the work of a
 * variant depends on the block size, its block sizes still solve one problem. Without a work model,
 * only the block size may differ.
 */
#include "db/migrations/migrations.h"
#include "db/migrations/roof_views.h"

/* clang-format off */
const char *const db_version_22[] = {
	"DROP VIEW IF EXISTS best;",
	"CREATE VIEW best AS WITH candidate AS (\n"
	CANDIDATES
	"), sized AS (\n"
	"	SELECT trial.*, candidate.device_id, candidate.backend, candidate.origin, size.value AS n,\n"
	"		block.value AS block, coalesce(replace(',' || trial.config || ',',\n"
	"			',block=' || block.value || ',', ','), ',' || trial.config || ',') AS problem\n"
	"	FROM candidate JOIN trial ON trial.id = candidate.trial_id\n"
	"	LEFT JOIN axis AS size ON size.trial_id = trial.id AND size.name = 'n'\n"
	"	LEFT JOIN axis AS block ON block.trial_id = trial.id AND block.name = 'block'\n"
	"	WHERE candidate.trial_id NOT IN (SELECT trial_id FROM above_roof)\n"
	"), worked AS (\n"
	"	SELECT *, first_value(flop) OVER most AS most_flop,\n"
	"		first_value(bytes_read) OVER most AS most_read,\n"
	"		first_value(bytes_written) OVER most AS most_written\n"
	"	FROM sized WINDOW most AS (\n"
	"		PARTITION BY device_id, backend, origin, kernel, variant, problem\n"
	"		ORDER BY bytes_read + bytes_written DESC, flop DESC)\n"
	"), ranked AS (\n"
	"	SELECT *, row_number() OVER (\n"
	"		PARTITION BY device_id, backend, origin, kernel, n, most_flop, most_read, most_written,\n"
	"			CASE WHEN most_flop IS NULL THEN problem END\n"
	"		ORDER BY status <> 'ok', median_ns, id) AS place\n"
	"	FROM worked\n"
	") SELECT\n"
	"	device.name AS device,\n"
	"	ranked.backend,\n"
	"	ranked.kernel,\n"
	"	ranked.n,\n"
	"	ranked.variant,\n"
	"	ranked.config,\n"
	"	ranked.block,\n"
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
