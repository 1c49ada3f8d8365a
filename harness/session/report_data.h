/*
 * report_data: loads what a report of a stored run needs from a database: the
 * run, a second run to compare it with, the ceilings, the histories, and the
 * samples of a trial when they are asked for. reports/ prints them.
 */
#ifndef HARNESS_SESSION_REPORT_DATA_H
#define HARNESS_SESSION_REPORT_DATA_H

#include "db/db.h"

struct report_data_request {
	const char *db_path;
	const char *run;     /* a reference; see db_run_resolve() */
	const char *compare; /* a reference to the second run; NULL: none */
	bool histories;      /* load the histories of the cases of the run */
};

/* Owned. */
struct report_data {
	struct db *db;                 /* open until the release */
	struct run run;                /* with its trials; if `compares`, with their rounds, too */
	struct run compared;           /* the same for the second run */
	bool compares;                 /* there is a second run */
	struct ceiling_list ceilings;  /* of the device of the run */
	struct history_grid histories; /* with their change points; empty: not asked for, or none */
};
/*
 * PL_EUSAGE: no such run, or the second run used another backend, so that the
 * numbers do not compare. Also the errors of db/db.h. Release *out even after
 * an error.
 */
int report_data_load(struct report_data *out, const struct report_data_request *request,
		     struct error *err);
void report_data_release(struct report_data *data);
/* Calls db_samples_load(). `db` is a struct db; the type makes this a callback of reports/. */
int report_data_samples(void *db, int64_t trial_id, struct sample **out, size_t *count,
			struct error *err);

/*
 * Chooses the trials of a run whose case names match any of the patterns (see
 * pattern_matches()), or all trials if there is no pattern, in the order of the
 * run. *out is malloc'd and borrows the trials. PL_EUSAGE: nothing matches.
 */
int report_trials_choose(const struct trial ***out, size_t *count, const struct run *run,
			 char *const *patterns, size_t pattern_count, struct error *err);
/* Adds the files of a user that a run measured, as struct report_sources has them. */
void report_measured_sources(struct key_value_list *out, const struct run *run);
/* Sets *out to the folder below which report_lines() looks for source files: $PERFLAB_SOURCE_DIR,
 * else the installed source of the built-in kernels. Returns false if there is neither. */
bool report_source_folder(struct text *out);

#endif
