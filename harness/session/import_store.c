/* Stores runs that other programs measured. */
#include "harness/session/import_store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/session/judge.h"
#include "perflab_config.h"

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
}

int import_read_file(struct import *out, const char *path, enum import_format format,
		     struct error *err)
{
	struct import_source source = {0};
	struct stat status;
	char *bytes = NULL, *folder;
	int rc;

	if (stat(path, &status))
		return error_set(err, errno == ENOENT ? PL_ENOENT : PL_EIO, "%s: %s", path,
				 strerror(errno));
	rc = read_file(&bytes, &source.length, path, IMPORT_MAX_BYTES, err);
	if (rc)
		return rc;
	folder = folder_of(path);
	source.bytes = bytes;
	source.folder = folder;
	source.modified_ns =
		(int64_t)status.st_mtim.tv_sec * INT64_C(1000000000) + status.st_mtim.tv_nsec;
	rc = import_read(out, &source, format, err);
	free(folder);
	free(bytes);
	return error_context(err, rc, "%s", path);
}

bool import_is_stored(struct db *db, const struct import_run *imported, int64_t *id)
{
	return db_run_resolve(db, imported->run.uid, id, NULL) == 0;
}

/* Adds the words of the user to what the file says. */
static void describe_import(struct run *run, const struct import_words *words)
{
	const char *slash = strrchr(words->file, '/');

	run->version = xstrdup(PERFLAB_VERSION);
	run->label = words->label ? xstrdup(words->label) : NULL;
	run->note = words->note ? xstrdup(words->note) : NULL;
	run->source_revision = words->revision ? xstrdup(words->revision) : NULL;
	if (words->device)
		snprintf(run->device.name, sizeof(run->device.name), "%s", words->device);
	key_value_set(&run->environment, "imported_from", slash ? slash + 1 : words->file);
}

static int store_imported_trial(struct db *db, const struct trial *trial,
				const struct import_trial *measured, struct error *err)
{
	const struct round_result round = {
		.state = {.sm_clock_hz = measured->sm_clock_hz,
			  .memory_clock_hz = NAN,
			  .temperature_c = NAN,
			  .power_w = NAN,
			  .throttle_reasons = -1},
		.time_ns = measured->time_ns,
		.count = measured->count,
	};
	int rc = 0;

	if (round.count && trial_status_measured(trial->status))
		rc = db_round_add(db, trial->id, &round, err);
	if (!rc && trial->counters.count)
		rc = db_counters_set(db, trial->id, &trial->counters, err);
	return rc ? rc
		  : db_trial_adopt(db, trial->id, trial->status, trial->reason, &measured->given,
				   err);
}

int import_store(struct db *db, struct import_run *imported, const struct import_words *words,
		 struct error *err)
{
	struct run *run = &imported->run;
	enum trial_status *ends = xcalloc(run->trial_count + 1, sizeof(*ends));
	int rc = db_together_begin(db, err);

	if (rc)
		goto out;
	describe_import(run, words);
	/* trials begin as pending; db_trial_adopt() sets the status */
	for (size_t i = 0; i < run->trial_count; i++) {
		ends[i] = run->trials[i].status;
		run->trials[i].status = TRIAL_PENDING;
	}
	rc = db_run_begin(db, run, err);
	for (size_t i = 0; i < run->trial_count; i++)
		run->trials[i].status = ends[i];
	for (size_t i = 0; i < run->trial_count && !rc; i++)
		rc = store_imported_trial(db, &run->trials[i], &imported->trials[i], err);
	rc = db_together_end(db, rc, err);
out:
	free(ends);
	if (!rc)
		rc = judge_stored_run(db, run->id, err);
	return rc ? rc : judge_unjudged(db, JUDGE_UNJUDGED_NS, err);
}
