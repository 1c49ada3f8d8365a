/* Stores runs that other programs measured. */
#include "harness/runs/runs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/judge/judge.h"
#include "perflab_config.h"

int import_read_file(struct import *out, const char *path, enum import_format format,
		     struct error *err)
{
	const char *slash = strrchr(path, '/');
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
	folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
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
	return db_run_resolve(db, imported->run.uid, id, NULL) == 0 ||
	       db_run_resolve(db, imported->earlier_uid, id, NULL) == 0;
}

int import_store(struct db *db, struct import_run *imported, const struct import_words *words,
		 struct error *err)
{
	struct run *run = &imported->run;
	struct adopted_trial *adopted = xcalloc(run->trial_count + 1, sizeof(*adopted));
	const char *slash = strrchr(words->file, '/');
	int rc;

	/* the words of the user, besides what the file says */
	run->version = xstrdup(PERFLAB_VERSION);
	run->label = words->label ? xstrdup(words->label) : NULL;
	run->note = words->note ? xstrdup(words->note) : NULL;
	run->source_revision = words->revision ? xstrdup(words->revision) : NULL;
	if (words->device)
		snprintf(run->device.name, sizeof(run->device.name), "%.80s%s", words->device,
			 words->several ? imported->device_number : "");
	key_value_set(&run->environment, "imported_from", slash ? slash + 1 : words->file);
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct import_trial *measured = &imported->trials[i];
		const bool well = trial_status_measured(run->trials[i].status);

		adopted[i] = (struct adopted_trial){
			.round = {.state = {.sm_clock_hz = measured->sm_clock_hz,
					    .memory_clock_hz = NAN,
					    .temperature_c = NAN,
					    .power_w = NAN,
					    .throttle_reasons = -1},
				  .time_ns = measured->time_ns,
				  /* other samples are not stored */
				  .count = well ? measured->count : 0},
			.given = measured->given,
		};
	}
	rc = db_run_adopt(db, run, adopted, err);
	free(adopted);
	if (!rc)
		rc = judge_stored_run(db, run->id, err);
	return rc ? rc : judge_unjudged(db, JUDGE_UNJUDGED_NS, err);
}
