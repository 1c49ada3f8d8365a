/*
 * merge: trials from one database to another. Rows are read by one
 * connection and written by the other, so that a failure names its file and
 * a file of an older schema is read as it is. Private to db/.
 */
#ifndef DB_MERGE_H
#define DB_MERGE_H

#include "db/statement.h"

#define TRIAL_TABLES 5

/* Statements that stay prepared for all trials of a source. */
struct trial_copier {
	struct db *from, *into;
	int64_t version;        /* of the schema of `from` */
	struct statement trial; /* inserts the row */
	struct statement metric;
	struct {
		struct statement read, write; /* `read` of `from` */
		struct statement own;         /* the same of `into` */
	} tables[TRIAL_TABLES];
	struct statement own_trial, find;
};
int trial_copier_init(struct trial_copier *copier, struct db *from, struct db *into,
		      struct error *err);
void trial_copier_release(struct trial_copier *copier);

/* How far a trial has come. */
struct trial_progress {
	int64_t id;
	bool pending, counted;
	int64_t rounds;
};
/* The trials of a run of `from`: their progress, then their row; to be stepped and released. */
int trials_select(struct trial_copier *copier, struct statement *select, int64_t run_id,
		  struct error *err);
/* The first columns of such a row. */
void trial_progress_take(struct statement *row, struct trial_progress *out);
/* "reduce/shuffle/block=256" of such a row; malloc'd. */
char *trial_row_name(struct statement *row);

/* The trial of the same case in a run of `into`; *found says whether there is one. */
int trial_find(struct trial_copier *copier, struct statement *row, int64_t run_id,
	       struct trial_progress *out, bool *found, struct error *err);
/* Whether a trial of `into` has the same content, times of day aside. */
int trial_equal(struct trial_copier *copier, struct statement *row, int64_t id, int64_t own_id,
		bool *equal, struct error *err);
/* The trial of such a row with all that belongs to it. */
int trial_copy(struct trial_copier *copier, struct statement *row, int64_t id, int64_t run_id,
	       struct error *err);
int trial_delete(struct db *db, int64_t id, struct error *err);
/* Steps both, which are bound, to their end: whether they give the same rows, by the first columns.
 */
int rows_equal(struct statement *left, struct statement *right, int columns, bool *equal,
	       struct error *err);

#endif
