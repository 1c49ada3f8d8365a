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
	bool rounds;         /* load the rounds of the trials */
};

/* Owned. */
struct report_data {
	struct db *db;       /* open until the release */
	int64_t run_id;      /* that was found; 0: not yet */
	struct run run;      /* with its trials; their rounds, if asked for or `compares` */
	struct run compared; /* the same for the second run */
	bool compares;       /* there is a second run */
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
/* Loads the histories of the cases that are shown, in their order, with their change points.
 * `shown` is the run or a selection of it. */
int report_data_histories(struct report_data *data, const struct run *shown, struct error *err);
void report_data_release(struct report_data *data);
/* Calls db_samples_load(). `db` is a struct db; the type makes this a callback of reports/. */
int report_data_samples(void *db, int64_t trial_id, struct sample **out, size_t *count,
			struct error *err);

/* Adds the files of a user that a run measured, as struct report_sources has them. */
void report_measured_sources(struct key_value_list *out, const struct run *run);
/* Sets *out to the folder below which report_lines() looks for source files: $PERFLAB_SOURCE_DIR,
 * else the installed source of the built-in kernels. Returns false if there is neither. */
bool report_source_folder(struct text *out);

#endif
