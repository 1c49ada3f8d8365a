/* Stores runs that other programs measured. */
#include "harness/runs/runs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/judge/judge.h"
#include "metrics/analysis/statistics.h"
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
	       (*imported->earlier_uid && db_run_resolve(db, imported->earlier_uid, id, NULL) == 0);
}

/* What a median over rounds says, of which some have no samples. */
static struct summary summary_of_rounds(const struct import_trial *measured)
{
	const size_t count = 1 + measured->later_count;
	double *medians = xcalloc(count, sizeof(*medians));
	struct summary all = summarise(NULL, 0);

	if (count == 1) {
		free(medians);
		return measured->given;
	}
	for (size_t i = 0; i < count; i++) {
		const struct import_trial *round = i ? &measured->later[i - 1] : measured;
		const struct summary its =
			round->count ? summarise(round->time_ns, round->count) : round->given;

		medians[i] = its.median_ns;
		all.count += its.count;
		all.min_ns = fmin(all.min_ns, its.min_ns); /* ignores NAN */
		all.max_ns = fmax(all.max_ns, its.max_ns);
	}
	all.median_ns = summarise(medians, count).median_ns;
	free(medians);
	return all;
}

static struct round_result adopted_round(const struct import_trial *measured)
{
	struct device_state state = device_state_unknown;

	state.sm_clock_hz = measured->sm_clock_hz;
	return (struct round_result){
		.round = measured->round,
		.state = state,
		.time_ns = measured->time_ns,
		.count = measured->count,
		.given_median_ns = measured->given.count ? measured->given.median_ns : 0,
	};
}

/* Takes the rounds of a trial that ended well; other samples are not stored. */
static struct adopted_trial adopted_trial_of(const struct trial *trial,
					     const struct import_trial *measured)
{
	const size_t count = 1 + measured->later_count;
	struct round_result *rounds;

	if (!trial_status_measured(trial->status) || !(measured->count || measured->given.count))
		return (struct adopted_trial){.given = measured->given};
	rounds = xcalloc(count, sizeof(*rounds));
	for (size_t i = 0; i < count; i++)
		rounds[i] = adopted_round(i ? &measured->later[i - 1] : measured);
	return (struct adopted_trial){rounds, count, summary_of_rounds(measured)};
}

int import_store(struct db *db, struct import_run *imported, const struct import_words *words,
		 struct error *err)
{
	struct run *run = &imported->run;
	struct adopted_trial *adopted = xcalloc(run->trial_count + 1, sizeof(*adopted));
	int rc;

	/* the words of the user, besides what the file says */
	run->version = xstrdup(PERFLAB_VERSION);
	run->label = words->label ? xstrdup(words->label) : NULL;
	run->note = words->note ? xstrdup(words->note) : NULL;
	run->source_revision = words->revision ? xstrdup(words->revision) : NULL;
	if (words->device)
		snprintf(run->device.name, sizeof(run->device.name), "%.80s%s", words->device,
			 words->several ? imported->device_number : "");
	key_value_set(&run->environment, "imported_from", words->file);
	for (size_t i = 0; i < run->trial_count; i++)
		adopted[i] = adopted_trial_of(&run->trials[i], &imported->trials[i]);
	rc = db_run_adopt(db, run, adopted, err);
	for (size_t i = 0; i < run->trial_count; i++)
		free((void *)adopted[i].rounds);
	free(adopted);
	if (!rc)
		rc = judge_stored_run(db, run->id, err);
	return rc ? rc : judge_unjudged(db, JUDGE_UNJUDGED_NS, err);
}

/* ---- times of Nsight Compute ---- */

static int compare_ncu_times(const void *left, const void *right)
{
	const struct ncu_time *a = left, *b = right;

	return strcmp(a->name, b->name);
}

/* Sets *out to the executions of all files, by the names of their cases. */
static int ncu_read_files(struct ncu_times *out, const struct string_list *paths, struct error *err)
{
	int rc = 0;

	*out = (struct ncu_times){0};
	for (size_t i = 0; i < paths->count && !rc; i++) {
		struct ncu_times file = {0};
		char *bytes = NULL;
		size_t length = 0;

		rc = read_file(&bytes, &length, paths->items[i], IMPORT_MAX_BYTES, err);
		if (rc)
			break;
		rc = import_ncu_read(&file, bytes, length, err);
		free(bytes);
		error_context(err, rc, "%s", paths->items[i]);
		out->items = xgrow(out->items, &out->capacity, out->count + file.count + 1,
				   sizeof(*out->items));
		if (file.count)
			memcpy(out->items + out->count, file.items,
			       file.count * sizeof(*file.items));
		out->count += file.count;
		free(file.items); /* the names are in *out now */
	}
	if (!rc)
		qsort(out->items, out->count, sizeof(*out->items), compare_ncu_times);
	return rc;
}

/* Adds the median of the executions of a case to its counters. */
static int ncu_add_case(struct ncu_added *out, struct db *db, struct trial *trial,
			const struct ncu_times *times, struct error *err)
{
	struct ncu_time wanted = {.name = trial_case_name(trial)};
	const struct ncu_time *end = times->items + times->count;
	const struct ncu_time *first = bsearch(&wanted, times->items, times->count,
					       sizeof(*times->items), compare_ncu_times);
	double *found = NULL;
	size_t count = 0, capacity = 0;
	int rc = 0;

	while (first && first > times->items && !compare_ncu_times(first - 1, &wanted))
		first--;
	for (; first && first < end && !compare_ncu_times(first, &wanted); first++) {
		found = xgrow(found, &capacity, count + 1, sizeof(*found));
		found[count++] = first->time_ns;
	}
	if (count) {
		counter_list_set(&trial->counters, "clock_ncu_ns", "ns", "Nsight Compute",
				 summarise(found, count).median_ns);
		rc = db_counters_set(db, trial->id, &trial->counters, err);
		out->cases++;
		out->unknown -= count;
	}
	free(found);
	free(wanted.name);
	return rc;
}

static int ncu_add_cases(struct ncu_added *out, struct db *db, struct run *run,
			 const struct ncu_times *times, struct error *err)
{
	int rc = 0;

	if (run->traits.emulated)
		return error_set(err, PL_EUSAGE, "run %lld is emulated and has no times",
				 (long long)run->id);
	/* a case with counters is not counted again */
	if (run->state != RUN_FINISHED)
		return error_set(err, PL_EUSAGE,
				 "run %lld is not finished: perflab sweep --resume %lld first",
				 (long long)run->id, (long long)run->id);
	out->unknown = times->count;
	for (size_t i = 0; i < run->trial_count && !rc; i++)
		if (trial_status_measured(run->trials[i].status))
			rc = ncu_add_case(out, db, &run->trials[i], times, err);
	if (!rc && !out->cases)
		rc = error_set(err, PL_EUSAGE,
			       "run %lld has none of the cases that ncu saw, such as %s",
			       (long long)run->id, times->items[0].name);
	return rc;
}

int import_ncu_store(struct ncu_added *out, struct db *db, const char *run,
		     const struct string_list *paths, struct error *err)
{
	struct ncu_times times;
	struct run loaded = {0};
	int rc = ncu_read_files(&times, paths, err);

	*out = (struct ncu_added){0};
	if (!rc)
		rc = db_run_resolve(db, run, &out->run_id, err);
	if (!rc)
		rc = run_load(db, out->run_id, true, &loaded, err);
	if (!rc)
		rc = ncu_add_cases(out, db, &loaded, &times, err);
	run_release(&loaded);
	ncu_times_release(&times);
	return rc;
}
