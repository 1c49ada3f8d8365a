/*
 * query_hint: suggests a name for one that a statement of the user has wrong. Private to db/.
 */
#ifndef DB_QUERY_HINT_H
#define DB_QUERY_HINT_H

#include "db/statement.h"

/* Adds what the user may have meant, such as "median_ns", to *out. `message` is SQLite's. Returns
 * false if it names no unknown table or column, or if nothing is similar. */
bool query_hint(struct text *out, struct db *db, const char *sql, const char *message);

#endif
