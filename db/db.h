/*
 * db: the memory of perflab, one SQLite file. The only room that knows SQL.
 * The schema is documented in docs/schema.md.
 *
 * A planned trial is a row from the start, status pending. What a worker
 * sends is one transaction each: the samples of one round of one trial, its
 * counters, its end. So a kill at any moment loses at most the round in
 * flight, and a reader in another process sees only whole ones.
 *
 * All functions return 0 or PL_E* with *err set: PL_ECORRUPT not a database
 * or a damaged one, or another application's; PL_EVERSION a newer schema (an
 * older one is read as it is, and migrated when it is to be written);
 * PL_EBUSY locked for longer than the busy timeout; PL_EIO read-only file,
 * full disk and the like; PL_ENOENT no such file, run or trial.
 */
#ifndef DB_DB_H
#define DB_DB_H

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/history.h"
#include "metrics/metrics.h"

enum db_mode {
	DB_READ,   /* must exist; nothing is changed. Works where nothing can be written */
	DB_WRITE,  /* must exist; migrated if older */
	DB_CREATE, /* the same, but made if absent */
};

struct db;
/* Waits 10 s for a lock that another process holds, or $PERFLAB_DB_TIMEOUT ("500ms"). */
int db_open(struct db **out, const char *path, enum db_mode mode, struct error *err);
/* The same of a file that is not given with --db: `option` is how another is, " with -o", or "" of
 * an operand, for messages. It has to live as long as the database is open. */
int db_open_given(struct db **out, const char *path, enum db_mode mode, const char *option,
		  struct error *err);
void db_close(struct db *db); /* NULL is fine */
/* $PERFLAB_DB, or "perflab.db" in the working directory. */
const char *db_default_path(void);

/* ---- writing a run ---- */

/* Stores run, device, environment and all trials (pending or skipped; facts and counters come by
 * their own functions); fills run->id, run->uid (if empty) and every trial's id. One transaction.
 * run->state NULL is "running". */
int db_run_begin(struct db *db, struct run *run, struct error *err);
int db_trial_facts(struct db *db, int64_t trial_id, const struct launch_facts *facts,
		   struct error *err);
/* A round that is stored already is replaced, never doubled. */
int db_round_add(struct db *db, int64_t trial_id, const struct round_result *round,
		 struct error *err);
int db_counters_set(struct db *db, int64_t trial_id, const struct counter_list *counters,
		    struct error *err);
/* What an emulator counted at source lines; replaces what was there. */
int db_lines_set(struct db *db, int64_t trial_id, const struct line_count_list *lines,
		 struct error *err);
/* Sets status, reason and the summary of all samples of the trial. summary NULL: computes it from
 * the samples stored, for a caller that does not have them. */
int db_trial_finish(struct db *db, int64_t trial_id, enum trial_status status, const char *reason,
		    const struct summary *summary, struct error *err);
/* state: "finished" or "interrupted". */
int db_run_finish(struct db *db, int64_t run_id, const char *state, struct error *err);
/* --resume: sets the state to "running" again. */
int db_run_reopen(struct db *db, int64_t run_id, struct error *err);
int db_environment_set(struct db *db, int64_t run_id, const char *key, const char *value,
		       struct error *err);
/* Only while the value is still `old`: of several processes that try, one succeeds. Else PL_EBUSY.
 */
int db_environment_swap(struct db *db, int64_t run_id, const char *key, const char *old,
			const char *value, struct error *err);

/* What a person says of a run. NULL leaves as it is; "" takes away. */
struct run_words {
	const char *mark; /* "good", "bad", or "none" */
	const char *why;  /* of the mark; stored with it */
	const char *label, *note;
};
/* All of it or nothing. PL_ENOENT: no such run. */
int db_run_mark(struct db *db, int64_t run_id, const struct run_words *words, struct error *err);
/* How the trials of a run compare with their baselines; replaces what was there. */
int db_comparisons_store(struct db *db, int64_t run_id, const struct trial_comparison_list *list,
			 struct error *err);

/* Several of these calls as one transaction: all or nothing. db_together_end() commits when rc is
 * 0, and returns rc or why that failed. */
int db_together_begin(struct db *db, struct error *err);
int db_together_end(struct db *db, int rc, struct error *err);
/* The end of a trial that another program measured. Where no samples are stored, `given` says what
 * is known of them; count 0 is nothing. */
int db_trial_adopt(struct db *db, int64_t trial_id, enum trial_status status, const char *reason,
		   const struct summary *given, struct error *err);

/* ---- merging ---- */

/* What is told meanwhile; each may be NULL. */
struct merge_watch {
	void *context;
	void (*notice)(void *context, const char *line);            /* one line for the user */
	void (*progress)(void *context, size_t done, size_t total); /* runs of this source */
};
/* What became of the runs, added up over several calls. */
struct merge_summary {
	int64_t added;     /* runs that were not there */
	int64_t completed; /* were there, and have come further now */
	int64_t shards;    /* went into the run of their sweep */
	int64_t known;     /* nothing new */
	int64_t at_odds;   /* of all these: with other results than were there, which were kept */
	int64_t trials;    /* stored */
	/* The runs of `into` that something was merged with, each once. */
	struct merge_touched {
		int64_t run_id;
		bool changed; /* it holds something new */
		bool sweep;   /* it is of shards */
	} * touched;
	size_t touched_count, touched_capacity;
};
void merge_summary_release(struct merge_summary *summary);
/*
 * Every run of `from`, which may be of an older schema and is only read, into
 * `into`: runs of the same uid become one, of each case what has come
 * further; runs of shards become the run of their sweep. Comparisons stay
 * behind, for baselines may be others here. PL_EEXIST: shards that overlap
 * with different results. Each run is one transaction.
 */
int db_merge(struct db *into, struct db *from, const struct merge_watch *watch,
	     struct merge_summary *summary, struct error *err);
/* The same of shards that were swept into one file. */
int db_merge_shards(struct db *db, const struct merge_watch *watch, struct merge_summary *summary,
		    struct error *err);

/* ---- reading ---- */

/* REF: a run's id ("12"), the first digits of its uid (at least 4), a label (its newest run), a
 * source revision or the first 4 characters of it or more (its newest run), "last", or "last-good":
 * the newest that is marked so. PL_EUSAGE when none or several match, naming what there is. */
int db_run_resolve(struct db *db, const char *reference, int64_t *run_id, struct error *err);
/* The same, but that "last" and "last-good" are the newest other run of the device and backend of
 * the run `head`. */
int db_base_resolve(struct db *db, const char *reference, int64_t head, int64_t *run_id,
		    struct error *err);
/* The run with its device and environment; with trials (summary, counters, lines, progress) if
 * asked. */
int db_run_load(struct db *db, int64_t run_id, bool with_trials, struct run *out,
		struct error *err);
/*
 * Of each trial of a run its baseline, as far as there is one: the trial of the same case, ok (or
 * counted on some blocks), of the newest older run of the same device and backend that is marked
 * good and has one; where no such run has it, of the newest that has one and is not marked bad.
 * *any_good: whether an older run is marked good. *out has trials as of db_run_load(), of several
 * runs maybe (run_id), and nothing else; run_release() frees it.
 */
int db_baselines_load(struct db *db, int64_t run_id, struct run *out, bool *any_good,
		      struct error *err);
/* Fills `rounds` of the trials of a run that was loaded with them, or of baselines. */
int db_rounds_load(struct db *db, struct run *run, struct error *err);
/* In the order of the plan. *out is added to. */
int db_comparisons_load(struct db *db, int64_t run_id, struct trial_comparison_list *out,
			struct error *err);
/* Trials of a run by their end; what is left of `trials` is pending. */
struct trial_tally {
	int64_t trials, ok, sampled, failed, skipped;
};
/* Newest first, without trials and environment; `visit` returning non-zero stops. limit 0: all. */
typedef int (*db_run_visitor)(void *context, const struct run *run,
			      const struct trial_tally *tally);
int db_runs_visit(struct db *db, int64_t limit, db_run_visitor visit, void *context,
		  struct error *err);
/*
 * Measured roofs of the device of a run, with their clocks: of each variant the
 * newest run that has it, those of the run's own session (one process) before
 * all others. Of runs labelled CEILINGS_LABEL, and of the run itself. *out is
 * added to; none is no error.
 */
int db_ceilings_load(struct db *db, int64_t run_id, struct ceiling_list *out, struct error *err);
/* The same of a device, which need not be in the database; of its newest runs. */
int db_ceilings_of_device(struct db *db, const struct device_info *device, struct ceiling_list *out,
			  struct error *err);
/* Driver, toolkit and CUPTI are those of the device's newest run. */
int db_devices_visit(struct db *db,
		     int (*visit)(void *context, int64_t id, const struct device_info *device,
				  int64_t runs),
		     void *context, struct error *err);
/* Summary of the samples stored so far, of all rounds. */
int db_trial_summary(struct db *db, int64_t trial_id, struct summary *out, struct error *err);
/* Samples of a trial in the order taken; *out is malloc'd. */
int db_samples_load(struct db *db, int64_t trial_id, struct sample **out, size_t *count,
		    struct error *err);

/* ---- a case over its runs ---- */

/* A case that ended well at least once, on one device and backend. */
struct known_case {
	int64_t device_id;
	const char *device, *uuid, *backend; /* "" unknown */
	const char *kernel, *variant, *config;
	bool timed;        /* false: only ever emulated */
	int64_t newest_ns; /* start of the newest run that has it */
};
/* Ordered by kernel, variant and config; texts live as long as the call. */
int db_cases_visit(struct db *db, int (*visit)(void *context, const struct known_case *item),
		   void *context, struct error *err);
/*
 * All runs that took up a case on a device and backend, oldest first, with the
 * rounds of its trial. Runs that timed it with another --cache than the newest
 * are left out, and counted. Its change points are for the caller to find.
 */
int db_history_load(struct db *db, const struct known_case *item, struct history *out,
		    struct error *err);
/*
 * The cases of a run, which was loaded with its trials, over the runs of its
 * device, backend and --cache that have some of its kernels. Shown are the
 * newest `runs` of them, and fewer where `run` has many cases, but `run` itself
 * always. Nothing of an emulated run. Change points are for the caller to find.
 */
int db_history_grid_load(struct db *db, const struct run *run, size_t runs,
			 struct history_grid *out, struct error *err);

/* ---- SQL of the user's ---- */

/* Either may be NULL; one that returns non-zero ends the query, which then has succeeded. */
struct db_query_visitor {
	/* Once, before any row. */
	int (*columns)(void *context, const char *const *names, size_t count);
	int (*row)(void *context, const struct any_value *values, size_t count);
	/* Asked while it works; true ends the query with PL_EINTERRUPTED. */
	bool (*stopped)(void *context);
	void *context;
};
/*
 * One statement that only reads, whatever mode the database was opened in: it
 * attaches nothing, begins no transaction, and of pragmas only those that look
 * at the schema or check the file. PL_EUSAGE: SQL that is wrong, that would
 * write, or that is more than one statement.
 */
int db_query(struct db *db, const char *sql, const struct db_query_visitor *visitor,
	     struct error *err);
/* All of a view or a table; PL_EUSAGE, with the nearest, when there is none of that name. */
int db_query_named(struct db *db, const char *name, const struct db_query_visitor *visitor,
		   struct error *err);
/* Views and tables of the file: views first. `meaning` in one line; NULL: not one of perflab's. */
int db_names_visit(struct db *db,
		   int (*visit)(void *context, const char *name, bool is_view, const char *meaning),
		   void *context, struct error *err);

#endif
