/*
 * migrations: the steps that lead to the schema, a file each. db_version_N, statements up to a
 * NULL, takes a database from version N - 1 to N, and a fresh one replays them all, so there is
 * one truth. Never edit, reorder or remove what was released. docs/schema.md says what every
 * table, column and view means; a test holds the two together. Private to db/.
 */
#ifndef DB_MIGRATIONS_MIGRATIONS_H
#define DB_MIGRATIONS_MIGRATIONS_H

#include "db/statement.h"

extern const char *const db_version_1[];
extern const char *const db_version_2[];
extern const char *const db_version_3[];
extern const char *const db_version_4[];
extern const char *const db_version_5[];
extern const char *const db_version_6[];
extern const char *const db_version_7[];

/* The statuses that this perflab knows; not those of the version that made the file. */
#define STATUS_ROW(symbol, name, meaning) \
	"INSERT OR IGNORE INTO trial_status (name, meaning) VALUES ('" name "', '" meaning "');\n"
#define DB_STATUS_ROWS TRIAL_STATUS_LIST(STATUS_ROW)

#endif
