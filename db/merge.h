/*
 * merge: copies runs from one database to another. One connection reads the rows and another writes
 * them, so that an error names its file. merge.c decides
 * what to do with each run and trial; merge_run.c, merge_sweep.c and merge_trial.c do it. Private
 * to db/.
 */
#ifndef DB_MERGE_H
#define DB_MERGE_H

#include "db/statement.h"

#define TRIAL_TABLES 11

/* ---- trials ---- */

/* The statements that copy trials, prepared once per source. */
struct trial_copier {
	struct db *from, *into;
	struct statement trial; /* inserts the row */
	struct statement metric;
	struct table_copier {
		struct statement read, write; /* `read` reads `from`, `write` writes `into` */
		struct statement own;         /* reads `into` */
	} tables[TRIAL_TABLES];
	struct statement own_trial, find;
};
int trial_copier_init(struct trial_copier *copier, struct db *from, struct db *into,
		      struct error *err);
void trial_copier_release(struct trial_copier *copier);

/* How much of a trial is stored. */
struct trial_progress {
	int64_t id;
	bool pending, counted;
	int64_t rounds;
};
/* Prepares a SELECT of the trials of a run of `from`: their progress, then their columns. The
 * caller steps and releases it. */
struct statement trials_select(struct trial_copier *copier, int64_t run_id, struct error *err);
/* Takes the progress, the first columns of such a row. */
void trial_progress_take(struct statement *row, struct trial_progress *out);
/* The case of such a row, "reduce/shuffle/block=256"; malloc'd. */
char *trial_row_name(struct statement *row);

/* Finds the trial of the same case in a run of `into`. false: there is none, or copier->find
 * failed.
 */
bool trial_find(struct trial_copier *copier, struct statement *row, int64_t run_id,
		struct trial_progress *out);
/* Whether a trial of `into` has the same content. When it was written does not matter. */
int trial_equal(struct trial_copier *copier, struct statement *row, int64_t id, int64_t own_id,
		bool *equal);
/* Copies the trial of such a row with its samples, counters and lines. */
int trial_copy(struct trial_copier *copier, struct statement *row, int64_t id, int64_t run_id);
/* Steps two bound statements to their end. Returns whether the first `columns` columns of all their
 * rows are equal, and false if one of them fails. */
bool rows_equal(struct statement *left, struct statement *right, size_t columns);

/* ---- runs ---- */

struct merge {
	struct db *from, *into;
	const struct merge_watch *watch;
	struct merge_summary *summary;
	struct trial_copier copier;
};

/* A run that is being merged. */
struct merge_run {
	struct run run;  /* as it is in `from`, without trials */
	const char *uid; /* of the run that it goes into */
	bool shard;      /* it is a shard, or was joined from shards */
	int64_t id;      /* of that run in `into` */
	bool made;       /* `into` did not have it */
	bool is_another; /* `into` has a run of the same uid with other settings */
	int64_t added, replaced, at_odds;
	char *case_at_odds; /* the first of them, malloc'd */
};

int merge_run_find(struct db *db, const char *uid, int64_t *id, bool *found, struct error *err);
/* Copies the run without its trials: its row, device and environment. */
int merge_run_make(const struct merge *merge, struct merge_run *moved, struct error *err);
/* Compares the settings of both copies of the run; sets is_another. */
int merge_run_check(const struct merge *merge, struct merge_run *moved, struct error *err);
/* Adds what only the other copy knows. A finished run keeps its state and its end. */
int merge_run_complete(const struct merge *merge, const struct merge_run *moved, struct error *err);
/* Copies the mark of the run and the wall time of its parts. */
int merge_tables_copy(const struct merge *merge, const struct merge_run *moved, struct error *err);

/* Updates the run of a sweep after the trials of a shard were copied into it. */
int merge_sweep_join(const struct merge *merge, const struct merge_run *moved, struct error *err);
/* Sets *line, malloc'd, to why a shard began a run of its own although `into` has a
 * run of a sweep of the same name. NULL: it did not. */
int merge_sweep_find_apart(char **line, const struct merge *merge, const struct merge_run *moved,
			   struct error *err);
/* Reports PL_EEXIST: its results differ from those of another shard. */
int merge_fail_overlap(const struct merge_run *moved, struct error *err);

/* profile.c: copies the content that a run names, as far as it is kept. */
int db_contents_copy(struct db *from, int64_t from_run, struct db *into, struct error *err);

#endif
