/*
 * db: stores and loads runs in one SQLite file. The only module that uses SQL. docs/schema.md
 * documents the schema.
 *
 * A planned trial is a row from the start, with status pending. Each message of a worker becomes
 * one transaction: the samples of one round of one trial, its counters, its end. A kill at any
 * moment loses at most the current round, and a reader in another process sees only whole rounds.
 *
 * All functions return 0 or PL_E* with *err set. PL_ECORRUPT: not a database, a damaged one, or
 * that of another application. PL_EVERSION: a newer schema. A file of an older schema is read
 * unchanged, and migrated when it is opened for writing. PL_EBUSY: locked for longer than the busy
 * timeout. PL_EIO: for example a read-only file or a full disk. PL_ENOENT: no such file, run or
 * trial.
 */
#ifndef DB_DB_H
#define DB_DB_H

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/fleet.h"
#include "metrics/analysis/history.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "metrics/meter.h"
#include "metrics/metrics.h"
#include "metrics/profile.h"
#include "metrics/recording.h"

enum db_mode {
	DB_READ,   /* must exist; is not changed. Also opens files in read-only folders */
	DB_WRITE,  /* must exist; is migrated if older */
	DB_CREATE, /* the same, but created if absent */
};

struct db;
/* Waits for locks of other processes for 10 s, or for $PERFLAB_DB_TIMEOUT ("500ms"). */
int db_open(struct db **out, const char *path, enum db_mode mode, struct error *err);
/* Opens a file that is not given with --db. Messages use `option` to say how to name another
 * file: " with -o", or "" for an operand. It must live as long as the database is open. */
int db_open_given(struct db **out, const char *path, enum db_mode mode, const char *option,
		  struct error *err);
void db_close(struct db *db); /* does nothing with NULL */
/*
 * A database that is open for writing can be removed, moved or replaced by another program. The
 * function that notices it, after its transaction, copies all that is stored into PATH.rescued and
 * returns PL_EIO, whose text names the copy. Later calls use the copy. If there is no copy, the
 * text says that the results are lost.
 */
bool db_was_lost(const struct db *db);
/* Does the same for a database that was not used for a while. PL_EIO as above. */
int db_check_there(struct db *db, struct error *err);
/* The file with the results: as it was given, or the copy. NULL: they are lost. */
const char *db_path(const struct db *db);
/* $PERFLAB_DB, or "perflab.db" in the working directory. */
const char *db_default_path(void);
/* Whether an output of perflab may replace the file at `path`, or make one there. PL_EUSAGE: it is
 * a SQLite database of any program, or a file that SQLite keeps beside one; PL_EIO: it exists and
 * cannot be read. */
int db_path_check_output(const char *path, struct error *err);

/* ---- writing a run ---- */

/* Stores the run, its device, traits, settings and environment, and all trials as planned: pending
 * or skipped, with their base cases. Other functions store facts, counters and speed-ups. Fills
 * run->id, run->uid (if empty) and the id of every trial. One transaction. */
int db_run_begin(struct db *db, struct run *run, struct error *err);
int db_trial_facts(struct db *db, int64_t trial_id, const struct launch_facts *facts,
		   struct error *err);
/* Replaces a round that is already stored. */
int db_round_add(struct db *db, int64_t trial_id, const struct round_result *round,
		 struct error *err);
int db_counters_set(struct db *db, int64_t trial_id, const struct counter_list *counters,
		    struct error *err);
/* Stores what the emulator counted at source lines; replaces earlier lines. */
int db_lines_set(struct db *db, int64_t trial_id, const struct line_count_list *lines,
		 struct error *err);
/* Stores the profile of a trial; replaces an earlier one. */
int db_profile_set(struct db *db, int64_t trial_id, const struct profile *profile,
		   struct error *err);
/* Keeps bytes under their hash, compressed. Does nothing if they are kept. */
int db_content_keep(struct db *db, const char *hash, const void *bytes, size_t length,
		    struct error *err);
/* Says which content a source file of a run has (hash), or why it is not kept. */
int db_run_file_set(struct db *db, int64_t run_id, const char *file, const char *hash,
		    const char *why, struct error *err);
/* Sets status, reason and the summary of all samples of the trial. summary NULL: computes it from
 * the stored samples, for a caller that does not have them. */
int db_trial_finish(struct db *db, int64_t trial_id, enum trial_status status, const char *reason,
		    const struct summary *summary, struct error *err);
/* state: RUN_FINISHED or RUN_INTERRUPTED. */
int db_run_finish(struct db *db, int64_t run_id, enum run_state state, struct error *err);
/* Deletes the rounds of all trials of a run from number `first` on, with their samples. */
int db_rounds_drop(struct db *db, int64_t run_id, int first, struct error *err);
/* Deletes the rounds of one trial from number `first` on, with their samples. */
int db_trial_rounds_drop(struct db *db, int64_t trial_id, int first, struct error *err);
/* Adds the time that each part of a sweep took to what is stored of the run. The meter has been
 * read. One transaction. */
int db_run_parts_add(struct db *db, int64_t run_id, const struct meter *meter, struct error *err);
/* The wall time of all parts together; 0: none is stored. */
int db_run_parts_sum(struct db *db, int64_t run_id, int64_t *wall_ns, struct error *err);
/* --resume: sets the state to RUN_RUNNING again. */
int db_run_reopen(struct db *db, int64_t run_id, struct error *err);
/* Deletes trials with all that belongs to them. One transaction. */
int db_trials_drop(struct db *db, const int64_t *ids, size_t count, struct error *err);
/* The value of a fact that the run has, or that another run has which has the same value of the
 * fact `alike`; malloc'd. NULL: none of them has it. */
int db_environment_alike(struct db *db, int64_t run_id, const char *alike, const char *key,
			 char **value, struct error *err);
int db_environment_set(struct db *db, int64_t run_id, const char *key, const char *value,
		       struct error *err);
/* Replaces the value only if it is `old`; otherwise PL_EBUSY. One of several processes succeeds. */
int db_environment_swap(struct db *db, int64_t run_id, const char *key, const char *old,
			const char *value, struct error *err);

/* What the user says about a run. NULL keeps the stored value; "" removes it. */
struct run_words {
	const char *mark; /* "good", "bad", or "none" */
	const char *why;  /* of the mark; stored with it */
	const char *label, *note;
};
/* One transaction. PL_ENOENT: no such run. */
int db_run_mark(struct db *db, int64_t run_id, const struct run_words *words, struct error *err);
/* Stores the verdicts on the trials of a run; replaces earlier ones. */
int db_comparisons_store(struct db *db, int64_t run_id, const struct trial_comparison_list *list,
			 struct error *err);

/* The limiter of a trial, and the numbers that it was judged by. */
struct trial_limiter {
	int64_t trial_id;
	struct roofline_point point;
	struct verdict verdict; /* owned */
};
/* Stores the limiters of the trials of a run; replaces earlier ones. Remembers the version of the
 * rules and the run that measured the roofs; 0: none were known. */
int db_limiters_store(struct db *db, int64_t run_id, const struct trial_limiter *items,
		      size_t count, int64_t roofs_run_id, struct error *err);
/* Visits the runs that were not judged, or by older rules, or without the roofs that their device
 * has by now, the newest first, until `visit` returns false. */
int db_unjudged_visit(struct db *db, bool (*visit)(void *context, int64_t run_id), void *context,
		      struct error *err);
/* Counts the runs whose stored limiters come from older rules. */
int db_judged_before_count(struct db *db, int64_t *out, struct error *err);

/*
 * Notes the later runs of whose cases the run can be the baseline, and those of whose cases it
 * decides that a good run is missing, after its mark changed. `good`: it is marked good, or was.
 * Without good ones that is all later runs; otherwise those up to the next good run with the same
 * cases.
 */
int db_changed_baselines_note(struct db *db, int64_t run_id, bool good, struct error *err);
/* Visits the noted runs, the newest first, until `visit` returns false. */
int db_changed_baselines_visit(struct db *db, bool (*visit)(void *context, int64_t run_id),
			       void *context, struct error *err);
/* Forgets the note of a run, which was judged again. */
int db_changed_baselines_settle(struct db *db, int64_t run_id, struct error *err);

/* Stores why a trial is not measured beside its base case, or no longer is. PL_ENOENT: the trial
 * has no base case. */
int db_speedup_refuse(struct db *db, int64_t trial_id, const char *why, struct error *err);
/* Stores the speed-ups of the trials of a run that was loaded with them; replaces earlier ones. */
int db_speedups_store(struct db *db, const struct run *run, struct error *err);

/* Make one transaction of several calls. db_together_end() commits when rc is 0, otherwise rolls
 * back. It returns rc, or the error of the commit. */
int db_together_begin(struct db *db, struct error *err);
int db_together_end(struct db *db, int rc, struct error *err);
/* What another program measured of a trial. */
struct adopted_trial {
	const struct round_result *rounds;
	size_t round_count;
	/* If a round has no samples: the summary of all of them; count 0: nothing is known. */
	struct summary given;
};
/* Stores a run of another program as a whole: as db_run_begin(), and each trial with its status,
 * counters, rounds and summary. `adopted` has an element per trial. Sets the summaries. */
int db_run_adopt(struct db *db, struct run *run, const struct adopted_trial *adopted,
		 struct error *err);

/* ---- merging ---- */

/* Callbacks during a merge; each may be NULL. */
struct merge_watch {
	void *context;
	void (*notice)(void *context, const char *line);            /* one line for the user */
	void (*progress)(void *context, size_t done, size_t total); /* runs of this source */
};
/* The outcome of merges, summed over several calls. */
struct merge_summary {
	int64_t added;     /* runs that `into` did not have */
	int64_t completed; /* runs that `into` had, and that now have more results */
	int64_t shards;    /* shards that were joined into the run of their sweep */
	int64_t known;     /* runs with nothing new */
	int64_t at_odds; /* runs with different results in both files; those of `into` were kept */
	int64_t trials;  /* trials that were stored */
	int64_t recordings; /* recordings of programs that `into` did not have */
	/* The runs of `into` that took part, each once. */
	struct merge_touched {
		int64_t run_id;
		bool changed; /* it has new results */
		bool sweep;   /* it was joined from shards */
	} * touched;
	size_t touched_count, touched_capacity;
};
void merge_summary_release(struct merge_summary *summary);
/*
 * Merges every run of `from` into `into`. `from` may have an older schema and is only read. Two
 * runs with the same uid become one, which keeps the more complete trial of each case. Runs of
 * shards become the run of their sweep. Verdicts are not copied, because `into` may have other
 * baselines. PL_EEXIST: shards overlap with different results. Each run is one transaction.
 */
int db_merge(struct db *into, struct db *from, const struct merge_watch *watch,
	     struct merge_summary *summary, struct error *err);
/* Joins shards that were swept into one file, as db_merge() does. */
int db_merge_shards(struct db *db, const struct merge_watch *watch, struct merge_summary *summary,
		    struct error *err);

/* ---- reading ---- */

/* Finds the run that a reference names: an id ("12"), at least 4 digits of the beginning of a uid,
 * a label, at least 4 characters of the beginning of a source revision, "last" (the newest run), or
 * "last-good" (the newest run that is marked good). A label or a revision means its newest run.
 * PL_EUSAGE: no run or several match; the message lists runs. */
int db_run_resolve(struct db *db, const char *reference, int64_t *run_id, struct error *err);
/* As db_run_resolve(), but "last" and "last-good" mean the newest other run of the device, backend
 * and origin of the run `head`, and a label or a revision means the newest run on that device if
 * one has it.
 */
int db_base_resolve(struct db *db, const char *reference, int64_t head, int64_t *run_id,
		    struct error *err);
/* The runs with the same fact of this key as a run, itself included, in order of their ids;
 * malloc'd. *count 0: it has no such fact. GPUS_GROUP_KEY: those of a sweep on several GPUs. */
int db_runs_alike(struct db *db, int64_t run_id, const char *key, int64_t **out, size_t *count,
		  struct error *err);
/* Loads a run with its device, environment and mark. with_trials: with its trials, too, and their
 * summaries, counters, lines, speed-ups and progress. */
int db_run_load(struct db *db, int64_t run_id, bool with_trials, struct run *out,
		struct error *err);
/*
 * Loads the baseline of each trial of a run, if there is one. The baseline is a trial of the same
 * case that has counters (trial_status_counted()). It comes from the newest older run of the same
 * device, backend and origin that is marked good and has such a trial; if there is none, from the
 * newest older run that has such a trial and is not marked bad. *any_good: an older run is marked
 * good. *out has only trials, as db_run_load() loads them, of one or several runs (run_id);
 * run_release() frees it.
 */
int db_baselines_load(struct db *db, int64_t run_id, struct run *out, bool *any_good,
		      struct error *err);
/* Fills `rounds` of the trials of a run that was loaded with trials, or of baselines. */
int db_rounds_load(struct db *db, struct run *run, struct error *err);
/*
 * Loads the sessions of cases before a run: those of its newest older runs with the same device,
 * backend, origin and cache that are not marked bad, at most 20. A session has equal code if it has
 * that of the trial here. `out` has `count` entries; free them with case_sessions_release() even
 * after an error.
 */
int db_sessions_load(struct db *db, int64_t run_id, const struct trial *const *trials, size_t count,
		     struct case_sessions *out, struct error *err);
void case_sessions_release(struct case_sessions *cases, size_t count);
/* What a run counted of a case, with values and without. */
struct earlier_counters {
	char uid[33]; /* as in struct run */
	struct counter_list counters;
};
#define EARLIER_MOST 2
/*
 * Loads what earlier runs counted of a case, the newest first: those of the newest 50 trials of the
 * case in this file that have the machine code, launch, device, backend, origin, seed, driver,
 * toolkit, CUPTI and version of perflab of this one, are of no run that is marked bad, were asked
 * for all of `metrics` (a JSON array of names) and have a value of the first, and have no counter
 * that was copied. Sets *count. The caller releases the lists, even after an error.
 */
int db_earlier_counters_load(struct db *db, int64_t trial_id, const char *metrics,
			     struct earlier_counters out[EARLIER_MOST], size_t *count,
			     struct error *err);
/* What was judged to limit a trial by what was counted. */
int db_limiter_load(struct db *db, int64_t trial_id, enum bound *out, struct error *err);
/* Stores the intervals within the session of the trials of a run. */
int db_session_intervals_store(struct db *db, const struct run *run, struct error *err);
/* Adds the verdicts on the trials of a run to *out, in the order of the plan. */
int db_comparisons_load(struct db *db, int64_t run_id, struct trial_comparison_list *out,
			struct error *err);
/* The trials of a run, counted by status. The rest of `trials` is pending. */
struct trial_tally {
	int64_t trials, ok, sampled, unverified, failed, skipped;
};
/* Visits runs without trials and environment, the newest first, until `visit` returns non-zero.
 * limit 0: all runs. */
typedef int (*db_run_visitor)(void *context, const struct run *run,
			      const struct trial_tally *tally);
int db_runs_visit(struct db *db, int64_t limit, db_run_visitor visit, void *context,
		  struct error *err);
int db_runs_count(struct db *db, int64_t *out, struct error *err);
/*
 * Adds the measured ceilings of the device of a run to *out, with their clocks. They come from runs
 * labelled CEILINGS_LABEL and from the run itself. Of each variant, a run of the same session (one
 * process) wins, then the newest run. A device without ceilings is not an error.
 */
int db_ceilings_load(struct db *db, int64_t run_id, struct ceiling_list *out, struct error *err);
/* Adds the ceilings of a device, which the database need not have; the newest runs win. */
int db_ceilings_of_device(struct db *db, const struct device_info *device, struct ceiling_list *out,
			  struct error *err);
/* Visits devices. Driver, toolkit and CUPTI are those of the newest run of the device. */
int db_devices_visit(struct db *db,
		     int (*visit)(void *context, int64_t id, const struct device_info *device,
				  int64_t runs),
		     void *context, struct error *err);
/* The stored median of a trial that is timed; otherwise NAN. */
int db_trial_median(struct db *db, int64_t trial_id, double *out, struct error *err);
/* Loads the profile of a trial. *out NULL: it has none. PL_ECORRUPT: it breaks its invariants. The
 * caller frees it. */
int db_profile_load(struct db *db, int64_t trial_id, struct profile **out, struct error *err);
/* What an emulator counted at the lines of the case of a trial, by the newest run that has the case
 * with the same origin: *run_id; 0: there is none, and *out is empty. The caller releases *out. */
int db_emulated_lines_load(struct db *db, int64_t trial_id, struct line_count_list *out,
			   int64_t *run_id, struct error *err);
/* The trials of a run that have a profile, ascending; the caller frees *ids. */
int db_profiled_trials(struct db *db, int64_t run_id, int64_t **ids, size_t *count,
		       struct error *err);
/* The kept bytes, with a NUL after them; *bytes is malloc'd. PL_ENOENT: nothing has this hash.
 * PL_ECORRUPT: the bytes have another hash. */
int db_content_load(struct db *db, const char *hash, char **bytes, size_t *length,
		    struct error *err);
/* What is known of a source file of a run: the hash of its content, or why it is not kept, both
 * malloc'd. Both NULL: nothing. */
int db_run_file_load(struct db *db, int64_t run_id, const char *file, char **hash, char **why,
		     struct error *err);
/* Summarises the samples of all rounds that are stored so far. */
int db_trial_summary(struct db *db, int64_t trial_id, struct summary *out, struct error *err);
/* Loads the samples of a trial in the order in which they were taken; *out is malloc'd. */
int db_samples_load(struct db *db, int64_t trial_id, struct sample **out, size_t *count,
		    struct error *err);

/* ---- recordings of programs ---- */

/* Stores a recording; replaces one with the same uid. Makes the uid if it is empty, and sets the
 * id. One transaction. */
int db_recording_store(struct db *db, struct recording *recording, struct error *err);
/* Finds the recording that a reference names: an id, at least 4 digits of the beginning of a uid, a
 * label (its newest recording), or "last". PL_EUSAGE: none or several match. */
int db_recording_resolve(struct db *db, const char *reference, int64_t *id, struct error *err);
/* Loads a recording with its processes, kernels and captures. *out needs no preparation. */
int db_recording_load(struct db *db, int64_t id, struct recording *out, struct error *err);
/* Visits recordings with their processes and captures, but not their kernels, the newest first,
 * until `visit` returns non-zero. */
int db_recordings_visit(struct db *db,
			int (*visit)(void *context, const struct recording *recording,
				     int64_t kernels),
			void *context, struct error *err);

/* ---- the history of a case ---- */

/* A case with a good result on one device and backend. */
struct known_case {
	int64_t device_id;
	const char *device, *uuid, *backend; /* "" unknown */
	const char *kernel, *variant, *config;
	const char *origin; /* as in struct run; "": built-in kernels */
	bool timed;         /* it has a time */
	bool emulated;      /* its runs have counters and no times */
	int64_t newest_ns;  /* start of the newest run with such a result */
};
/* Visits cases by kernel, variant, config and origin. The texts live during the call only. */
int db_cases_visit(struct db *db, int (*visit)(void *context, const struct known_case *item),
		   void *context, struct error *err);
/*
 * Loads all runs of a case of one origin on a device and backend, the oldest first, with the rounds
 * of its trial, or with its counters if the runs are emulated. Leaves out runs with another --cache
 * than the newest run, and counts them. The caller finds the changes.
 */
int db_history_load(struct db *db, const struct known_case *item, struct history *out,
		    struct error *err);
/*
 * Loads the history of all cases of `run`, which was loaded with its trials. It has the runs of the
 * same device, backend, origin and --cache that contain one of its kernels. The newest `runs` of
 * them are shown, fewer if `run` has many cases; `run` itself always is. Of emulated runs it
 * loads only the runs; the caller compares their counters. The caller finds the change points.
 */
int db_history_grid_load(struct db *db, const struct run *run, size_t runs,
			 struct history_grid *out, struct error *err);
/* Sets same_code of the changes that the caller found. */
int db_history_grid_codes(struct db *db, struct history_grid *grid, struct error *err);

/* Sets a key for the origin of each run that has a finished trial of a kernel of this name, those
 * of the newest runs first. The value is the fact `fact` of the newest run of the origin, or "". */
int db_origins_load(struct db *db, const char *kernel, const char *fact, struct key_value_list *out,
		    struct error *err);

/* ---- many GPUs ---- */

/*
 * Loads the times, clocks, power and ceilings of all GPUs from the finished runs that started at
 * `since_ns` or later. Counts what it leaves out: emulated runs, trials without a time or a code
 * hash, and runs of GPUs without a uuid, such as merged shards of several GPUs.
 */
int db_fleet_load(struct db *db, int64_t since_ns, struct fleet *out, struct error *err);

/* ---- SQL of users ---- */

/* Each callback may be NULL. One that returns non-zero ends the query without an error. */
struct db_query_visitor {
	/* Called once, before any row. */
	int (*columns)(void *context, const char *const *names, size_t count);
	int (*row)(void *context, const struct any_value *values, size_t count);
	/* Called repeatedly during the query; true ends it with PL_EINTERRUPTED. */
	bool (*stopped)(void *context);
	void *context;
};
/*
 * Runs one statement that only reads, whatever the mode of the database is. It may not attach a
 * file or begin a transaction, and may only use pragmas that read the schema or check the file.
 * PL_EUSAGE: the SQL is wrong, would write, or has more than one statement.
 */
int db_query(struct db *db, const char *sql, const struct db_query_visitor *visitor,
	     struct error *err);
/* Gives all rows of a view or a table. PL_EUSAGE: there is none of that name; the message suggests
 * similar names. */
int db_query_named(struct db *db, const char *name, const struct db_query_visitor *visitor,
		   struct error *err);
/* Visits the views and tables of the file, views first. `meaning` is one line; NULL: not an object
 * of perflab. */
int db_names_visit(struct db *db,
		   int (*visit)(void *context, const char *name, bool is_view, const char *meaning),
		   void *context, struct error *err);
/* Visits the columns of a view or a table of the file. `type` is "" if the column is computed.
 * `meaning` NULL: it is a metric, or the object is not perflab's. PL_EUSAGE: no such object. */
int db_columns_visit(struct db *db, const char *object,
		     int (*visit)(void *context, const char *column, const char *type,
				  const char *meaning),
		     void *context, struct error *err);
/* What a view or table of perflab shows, in lines of at most 92 characters; the caller frees it.
 * NULL: it is not perflab's. */
char *db_description(const char *object);

#endif
