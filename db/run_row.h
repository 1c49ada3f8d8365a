/* run_row: the columns that every query for whole runs reads. Private to db/. */
#ifndef DB_RUN_ROW_H
#define DB_RUN_ROW_H

#include "db/statement.h"

/* Tables that run_row_add_columns() reads from. `run`: the table, or a subquery called run. */
#define RUN_ROW_TABLES(run)                             \
	run " JOIN device ON device.id = run.device_id" \
	    " LEFT JOIN mark ON mark.run_id = run.id"

/* Adds the names of the columns to a SELECT, in the order in which run_row_take() takes them. */
void run_row_add_columns(struct text *sql);
void run_row_take(struct statement *row, struct run *run);

#endif
