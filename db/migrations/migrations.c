#include "db/migrations/migrations.h"

const char *const db_version_16[] = {
	"ALTER TABLE run ADD COLUMN placements INTEGER;",
	"ALTER TABLE round ADD COLUMN placements INTEGER;",
	NULL,
};

/* uid: of the run that was measured, which is another than that of the row if it is a shard. So
 * each part of each shard is merged once, however often its file is. */
const char *const db_version_17[] = {
	"CREATE TABLE run_part (\n"
	"	run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,\n"
	"	uid TEXT NOT NULL,\n"
	"	part TEXT NOT NULL,\n"
	"	wall_ns INTEGER NOT NULL CHECK (wall_ns >= 0),\n"
	"	PRIMARY KEY (run_id, uid, part)\n"
	") STRICT, WITHOUT ROWID;",
	"CREATE VIEW run_times AS SELECT\n"
	"	run.id AS run_id,\n"
	"	run.label,\n"
	"	strftime('%Y-%m-%dT%H:%M:%SZ', run.started_ns / 1000000000, 'unixepoch') AS "
	"started_at,\n"
	"	device.name AS device,\n"
	"	run.backend,\n"
	"	run_part.part,\n"
	"	sum(run_part.wall_ns) / 1e9 AS seconds,\n"
	"	100.0 * sum(run_part.wall_ns) / nullif((SELECT sum(every.wall_ns)\n"
	"		FROM run_part AS every WHERE every.run_id = run.id), 0) AS wall_pct,\n"
	"	run.started_ns\n"
	"FROM run_part JOIN run ON run.id = run_part.run_id JOIN device ON device.id = "
	"run.device_id\n"
	"GROUP BY run.id, run_part.part;",
	NULL,
};

const char *const *const db_migrations[] = {
	db_version_1,  db_version_2,  db_version_3,  db_version_4,  db_version_5,  db_version_6,
	db_version_7,  db_version_8,  db_version_9,  db_version_10, db_version_11, db_version_12,
	db_version_13, db_version_14, db_version_15, db_version_16, db_version_17, db_version_18,
	db_version_19, db_version_20, db_version_21, db_version_22,
};

char *db_next_statement(const char *const **list)
{
	struct text sql = TEXT_INIT;

	while (**list && !(sql.length && sqlite3_complete(sql.data)))
		text_add(&sql, *(*list)++);
	return sql.length ? text_detach(&sql) : NULL;
}

const int db_schema_version = ARRAY_SIZE(db_migrations);

const char *const db_status_rows = DB_STATUS_ROWS;
#define STATUS_NAME(symbol, name, meaning) ", '" name "'"
const char *const db_statuses_known =
	"SELECT count(*) FROM trial_status WHERE name IN (''" TRIAL_STATUS_LIST(STATUS_NAME) ")";
