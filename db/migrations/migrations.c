#include "db/migrations/migrations.h"

const char *const db_version_16[] = {
	"ALTER TABLE run ADD COLUMN placements INTEGER;",
	"ALTER TABLE round ADD COLUMN placements INTEGER;",
	NULL,
};

const char *const *const db_migrations[] = {
	db_version_1,  db_version_2,  db_version_3,  db_version_4,  db_version_5,  db_version_6,
	db_version_7,  db_version_8,  db_version_9,  db_version_10, db_version_11, db_version_12,
	db_version_13, db_version_14, db_version_15, db_version_16,
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
