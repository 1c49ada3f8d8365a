/*
 * merge: runs from one database to another. Rows are read by one connection
 * and written by the other, so that a failure names its file and a file of an
 * older schema is read as it is. merge.c decides what becomes of each run and
 * trial; merge_run.c, merge_sweep.c and merge_trial.c carry it out. Private to
 * db/.
 */
#ifndef DB_MERGE_H
#define DB_MERGE_H

#include "db/statement.h"

#define TRIAL_TABLES 5

/* ---- trials ---- */

/* Statements that stay prepared for all trials of a source. */
struct trial_copier {
	struct db *from, *into;
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
int rows_equal(struct statement *left, struct statement *right, size_t columns, bool *equal,
	       struct error *err);

/* ---- runs ---- */

struct merge {
	struct db *from, *into;
	const struct merge_watch *watch;
	struct merge_summary *summary;
	struct trial_copier copier;
};

/* One run on its way. */
struct merge_run {
	struct run run;  /* as it is in `from`, without trials */
	const char *uid; /* of the run it goes into */
	bool shard;      /* it is, or has been joined of, shards */
	int64_t id;      /* of that run in `into` */
	bool made;       /* it was not there before */
	bool is_another; /* of the same uid, with other settings */
	int64_t added, replaced, at_odds;
	char *case_at_odds; /* the first */
};

int merge_run_find(struct db *db, const char *uid, int64_t *id, bool *found, struct error *err);
/* The run in `into`, without trials: its row, device and environment. */
int merge_run_make(const struct merge *merge, struct merge_run *moved, struct error *err);
/* Whether the run that is there was measured the same way: sets is_another. */
int merge_run_check(const struct merge *merge, struct merge_run *moved, struct error *err);
/* What the other copy knows and this one does not. A finished one is the last word. */
int merge_run_complete(const struct merge *merge, const struct merge_run *moved, struct error *err);
int merge_mark_copy(const struct merge *merge, const struct merge_run *moved, struct error *err);

/* A shard, whose trials are there, becomes part of the run of its sweep. */
int merge_sweep_join(const struct merge *merge, const struct merge_run *moved, struct error *err);
/* PL_EEXIST: its trials are at odds with those of another shard. */
int merge_fail_overlap(const struct merge_run *moved, struct error *err);

#endif
