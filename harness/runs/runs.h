/*
 * runs: what verbs do with stored runs without a device: find cases and their histories, load what
 * a report shows, merge databases, import runs of other programs, and count how trials ended.
 */
#ifndef HARNESS_RUNS_RUNS_H
#define HARNESS_RUNS_RUNS_H

#include "db/db.h"
#include "imports/imports.h"
#include "metrics/analysis/gpu_group.h"
#include "metrics/metrics.h"

/* ---- cases and their histories, each of one device and one backend: find_cases.c ---- */

struct case_query {
	/* "KERNEL/VARIANT/CONFIG", its first parts, or a pattern for the whole name with * and ?.
	 */
	const char *word;
	/* The id of the device, its name or a part of it, or at least the first 4 characters of its
	 * uuid. NULL: any. */
	const char *device;
	const char *backend; /* NULL: any */
	const char *db_path; /* for messages */
};

/* A case that owns its strings. */
struct found_case {
	struct known_case item;
	char *name; /* "reduce/shuffle/block=256,n=16777216" */
};
struct found_cases {
	struct found_case *items; /* sorted by name; on any device that the query allows */
	size_t count, capacity;
};
/* PL_EUSAGE: no case matches; the message has the nearest name or the reason. PL_ENOENT: the
 * database holds no case with a good result. Also the errors of db/db.h. */
int cases_find(struct found_cases *out, struct db *db, const struct case_query *query,
	       struct error *err);
void found_cases_release(struct found_cases *found);

/* The case of the newest run with a time, or of the newest run if none has one. The caller shows
 * the history on its device and backend. Borrowed. */
const struct known_case *cases_newest(const struct found_cases *found);
bool cases_same_series(const struct known_case *a, const struct known_case *b);

/*
 * Loads the histories of the found cases on the device and backend of `series`,
 * with their change points over all runs. *out is malloc'd; the caller calls
 * history_release() for each history, even after an error.
 */
int cases_load_histories(struct history **out, size_t *count, struct db *db,
			 const struct found_cases *found, const struct known_case *series,
			 struct error *err);

/* ---- a report of a sweep on several GPUs: report_data.c ---- */

/* Owned. */
struct group_data {
	struct gpu_group group;
	/* Roofs that hold for all GPUs: those of `roofs_of`, one of the runs. Empty if the models
	 * differ or none has roofs; roofs_of is NULL then. */
	struct ceiling_list ceilings;
	const struct run *roofs_of;
};
/* Loads the sweep that the run belongs to. *out is empty if it belongs to none. Also the errors of
 * db/db.h and regress_judge(). Release *out even after an error. */
int group_data_load(struct group_data *out, struct db *db, int64_t run_id, struct error *err);
void group_data_release(struct group_data *data);
/*
 * Whether a reference to a run means the whole sweep of it: "last", a label and a source revision
 * do, because all runs of the sweep have them. A number, a uid and "last-good" name one run. The
 * run is what db_run_resolve() finds; false if it is of no sweep on several GPUs.
 */
int group_is_meant(bool *out, struct db *db, const char *reference, int64_t run_id,
		   struct error *err);

/* ---- a report of a stored run, which reports/ prints: report_data.c ---- */

struct report_data_request {
	const char *db_path;
	const char *run;     /* a reference; see db_run_resolve() */
	const char *compare; /* a reference to the second run; NULL: none */
	/* Metrics and rules of the user for both; NULL: none. PL_EUSAGE: the run is emulated. */
	const struct user_rules *rules;
};

/* Owned. */
struct report_data {
	struct db *db;                         /* open until the release */
	int64_t run_id;                        /* that was found; 0: not yet */
	struct run run;                        /* with its trials and their rounds */
	struct run compared;                   /* the same for the second run */
	bool compares;                         /* there is a second run */
	struct ceiling_list ceilings;          /* of the device of the run */
	struct ceiling_list compared_ceilings; /* of the device of the second run */
	struct history_grid histories;         /* of report_data_histories() */
};
/* Opens the database and finds the run, which report_data_load() else does. */
int report_data_find(struct report_data *out, const struct report_data_request *request,
		     struct error *err);
/*
 * PL_EUSAGE: no such run, or the second run used another backend, so that the
 * numbers do not compare. Also the errors of db/db.h. Release *out even after
 * an error.
 */
int report_data_load(struct report_data *out, const struct report_data_request *request,
		     struct error *err);
/* Loads which trials of a run are slower or faster than before. */
int run_changes_load(struct db *db, struct run *run, struct error *err);
/* Loads the histories of the cases that are shown, in their order, with their change points.
 * `shown` is the run or a selection of it. */
int report_data_histories(struct report_data *data, const struct run *shown, struct error *err);
void report_data_release(struct report_data *data);
/* Calls db_samples_load(). `db` is a struct db; the type makes this a callback of reports/. */
int report_data_samples(void *db, int64_t trial_id, struct sample **out, size_t *count,
			struct error *err);
/* Calls db_profile_load(). */
int report_data_profile(void *db, int64_t trial_id, struct profile **out, struct error *err);

/* Adds the files of a user that a run measured, as struct report_sources has them. */
void report_measured_sources(struct key_value_list *out, const struct run *run);

/* ---- profiles of a stored run, with the texts that it keeps: profile_data.c ---- */

struct profile_data;
/* Loads the profiles of the trials of a run, or of a selection of it. A damaged one does not keep
 * the others from being loaded. Also the errors of db/db.h. The database is borrowed. */
int profile_data_load(struct profile_data **out, struct db *db, const struct run *run,
		      struct error *err);
void profile_data_free(struct profile_data *data);
/* The profile of a trial; NULL: it has none, or a damaged one. */
const struct profile *profile_data_of(const struct profile_data *data, const struct trial *trial);
/* What is wrong with the profile of a trial; NULL: nothing, or it has none. */
const char *profile_data_damage(const struct profile_data *data, const struct trial *trial);
/* What an emulator counted in the case of a profiled trial, and the run that has it; NULL: no run
 * of the database does. */
const struct line_count_list *profile_data_emulated(const struct profile_data *data,
						    const struct trial *trial, int64_t *run_id);
/* These are the callbacks of struct report_texts; `data` is a struct profile_data. A file that
 * cannot be read has no text. Machine code is disassembled at the first call. */
const char *profile_data_line(void *data, const char *file, int64_t line);
const char *profile_data_why(void *data, const char *file);
const char *profile_data_sass(void *data, const struct profile *profile, size_t instruction);
const char *profile_data_why_no_sass(void *data);

/* ---- merges of databases, of which db/ merges two: merge_databases.c ---- */

/* Called in the thread of the caller. Each function may be NULL; strings live until it returns. */
struct merge_observer {
	void *context;
	void (*notice)(void *context, const char *line);
	/* Runs of one source; the output itself is the first source. */
	void (*progress)(void *context, size_t done, size_t total, const char *source);
	/* Afterwards: runs that were judged. The first call has done == 0. */
	void (*judging)(void *context, size_t done, size_t total);
};

/* Numbers of shards: "2, 5-7". */
struct shard_numbers {
	size_t count;
	char *text; /* owned */
};

struct shards_elsewhere {
	int64_t run_id;
	struct shard_numbers numbers;
};

/* The shards that a run of a sweep lacks. Owns its strings. */
struct missing_shards {
	int64_t run_id;
	size_t total;
	struct shard_numbers all; /* count is not 0 */
	char *sweep;              /* the name of the sweep; NULL: it has none */
	/* The missing shards that other runs of a sweep of this name have, which were not measured
	 * in the same way, and those that no run here has. */
	struct shards_elsewhere *elsewhere;
	size_t elsewhere_count;
	struct shard_numbers nowhere;
};

/* Owned. */
struct merge_result {
	struct merge_summary summary;
	struct missing_shards *missing; /* one per run that lacks shards, in the order of touched */
	size_t missing_count;
};
/*
 * Merges the shards that `output` has already and then each source into it;
 * creates `output` if it does not exist. Opens all sources before it writes, so
 * that a wrong file name changes nothing. Judges the runs that changed, and
 * those that have no verdicts because an earlier merge was interrupted. Each
 * run is stored as a whole or not at all. PL_EUSAGE: a source is the output.
 * Also the errors of db/db.h. Release *out even after an error.
 */
int merge_databases(struct merge_result *out, const char *output, const struct string_list *sources,
		    const struct merge_observer *observer, struct error *err);
void merge_result_release(struct merge_result *result);

/* ---- runs that other programs measured: import_store.c ---- */

/* Facts that the user gives about an imported run. NULL: not given. */
struct import_words {
	const char *label, *note, *revision;
	const char *device; /* replaces the name that the file gives */
	bool several;       /* the file has several devices, so that name alone is not enough */
	const char *file;   /* names of the files, without folders */
};

/* Reads a file of at most IMPORT_MAX_BYTES. PL_ENOENT, PL_EIO; errors of import_read(). */
int import_read_file(struct import *out, const char *path, enum import_format format,
		     struct error *err);
/* What import_ncu_store() did. */
struct ncu_added {
	int64_t run_id;
	size_t cases;   /* of the run, with a time of ncu now */
	size_t unknown; /* executions of cases that the run does not have */
};
/* Adds Nsight Compute's times of the files to the cases of a stored run, as the counter
 * clock_ncu_ns: the median of the executions. PL_EUSAGE: the run is emulated or not finished, or
 * has none of the cases. Also the errors of import_ncu_read() and db/db.h. */
int import_ncu_store(struct ncu_added *out, struct db *db, const char *run,
		     const struct string_list *paths, struct error *err);
/* Whether the database already has the run. If so, *id is its number. */
bool import_is_stored(struct db *db, const struct import_run *imported, int64_t *id);
/* Stores a run with its cases and samples in one transaction, then judges it. Sets the ids of the
 * run. */
int import_store(struct db *db, struct import_run *imported, const struct import_words *words,
		 struct error *err);

/* ---- how the trials of a run ended: run_ends.c ---- */

/* Numbers of trials. */
struct run_ends {
	size_t mismatches; /* a wrong result */
	size_t faults;     /* an error in the kernel */
	size_t others;     /* failed for another reason */
	size_t unverified; /* measured, but no check shows that the result is right */
	size_t sampled;    /* counted on some blocks, so no result was there to compare */
	/* Every case was skipped, so there was nothing to run. Never set for a shard: another shard
	 * may have the cases that can run here. */
	bool nothing_ran;
};
struct run_ends run_ends_count(const struct run *run);

#endif
