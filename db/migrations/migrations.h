/*
 * migrations: the steps that build the schema. db_version_N is a list of statements that ends with
 * NULL, and migrates a database from version N - 1 to N. A new database runs all of them, so that
 * there is only one definition of the schema. Never edit, reorder or remove a released step. A step
 * of a few statements goes straight into migrations.c, a longer one into a file of its own.
 * docs/schema-columns.md documents every table, column and view; a test compares it with the
 * schema. Private to db/.
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
extern const char *const db_version_8[];
extern const char *const db_version_9[];
extern const char *const db_version_10[];
extern const char *const db_version_11[];
extern const char *const db_version_12[];
extern const char *const db_version_13[];
extern const char *const db_version_14[];
extern const char *const db_version_15[];
extern const char *const db_version_16[];
extern const char *const db_version_17[];
extern const char *const db_version_18[];
extern const char *const db_version_19[];
extern const char *const db_version_20[];
extern const char *const db_version_21[];
extern const char *const db_version_22[];

/* The statuses that this perflab knows, which may be more than the version that made the file knew.
 */
#define STATUS_ROW(symbol, name, meaning) \
	"INSERT OR IGNORE INTO trial_status (name, meaning) VALUES ('" name "', '" meaning "');\n"
#define DB_STATUS_ROWS TRIAL_STATUS_LIST(STATUS_ROW)

#endif
