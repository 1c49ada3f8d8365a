/*
 * Speed-ups over a base variant. A sample keeps the time of the base case that was taken beside it,
 * so that anyone can compute the rest again. The base case is named by its variant and
 * configuration, not by an id: shards of one sweep may hold the two trials in different files.
 */
#include "db/migrations/migrations.h"

/* clang-format off */
const char *const db_version_9[] = {
	"ALTER TABLE run ADD COLUMN base_variant TEXT;",
	"ALTER TABLE round ADD COLUMN speedup REAL;",
	"ALTER TABLE round ADD COLUMN same_buffers INTEGER CHECK (same_buffers IN (0, 1));",
	"ALTER TABLE sample ADD COLUMN base_ns REAL CHECK (base_ns >= 0);",
	"CREATE TABLE speedup (\n"
	"	trial_id INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,\n"
	"	base_variant TEXT NOT NULL,\n"
	"	base_config TEXT,\n"
	"	verdict TEXT,\n"
	"	speedup REAL,\n"
	"	low REAL,\n"
	"	high REAL,\n"
	"	p REAL,\n"
	"	base_median_ns REAL,\n"
	"	rounds INTEGER NOT NULL,\n"
	"	same_buffers INTEGER CHECK (same_buffers IN (0, 1)),\n"
	"	why TEXT,\n"
	"	CHECK ((verdict IS NULL) = (speedup IS NULL))\n"
	") STRICT;",

	"DROP VIEW IF EXISTS speedups;",
	"CREATE VIEW speedups AS SELECT\n"
	"	device.name AS device,\n"
	"	run.backend,\n"
	"	head.kernel,\n"
	"	head.variant,\n"
	"	head.config,\n"
	"	speedup.base_variant,\n"
	"	speedup.base_config,\n"
	"	speedup.verdict,\n"
	"	speedup.speedup,\n"
	"	speedup.low,\n"
	"	speedup.high,\n"
	"	speedup.p,\n"
	"	head.median_ns,\n"
	"	speedup.base_median_ns,\n"
	"	speedup.rounds,\n"
	"	speedup.same_buffers,\n"
	"	head.code_hash = base.code_hash AS same_code,\n"
	"	speedup.why,\n"
	"	head.status,\n"
	"	base.status AS base_status,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS started_at,\n"
	"	run.started_ns,\n"
	"	run.label,\n"
	"	head.run_id,\n"
	"	speedup.trial_id,\n"
	"	base.id AS base_trial_id\n"
	"FROM speedup JOIN trial AS head ON head.id = speedup.trial_id\n"
	"JOIN run ON run.id = head.run_id JOIN device ON device.id = run.device_id\n"
	"LEFT JOIN trial AS base ON base.run_id = head.run_id AND base.kernel = head.kernel\n"
	"	AND base.variant = speedup.base_variant AND base.config = speedup.base_config;",
	NULL,
};
/* clang-format on */
