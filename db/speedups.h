/* speedups: the rows of the table `speedup`, for the files that store and load runs. Private to
 * db/.
 */
#ifndef DB_SPEEDUPS_H
#define DB_SPEEDUPS_H

#include "db/statement.h"

/* Stores which base case each trial of a new run has. `ids` are the trials' ids. */
int db_speedups_plan(struct db *db, const struct run *run, const int64_t *ids, struct error *err);
/* Adds a SELECT of the speed-ups of the trials that the subquery `which` gives, by trial id. */
void db_speedups_select(struct text *sql, const char *which);
/* Takes such a row from its second column on. */
void db_speedup_take(struct trial *trial, struct statement *row);

#endif
