/* Joins the results of several processes, one file each, to a run with a round per file. */
#include "imports/import_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "metrics/analysis/statistics.h"

struct joined_file {
	struct import *import;
	const char *name;
	char results[HASH_TEXT_BYTES];
};

/* ---- whether the files belong together ---- */

static bool gives_round(const struct import_trial *measured)
{
	return measured->count > 0 || measured->given.count > 0;
}

static size_t count_times(const struct import *import)
{
	size_t count = 0;

	for (size_t i = 0; i < import->count; i++)
		for (size_t k = 0; k < import->runs[i].run.trial_count; k++)
			count += trial_status_measured(import->runs[i].run.trials[k].status) &&
				 gives_round(&import->runs[i].trials[k]);
	return count;
}

static void hash_number(struct hash *hash, double number)
{
	hash_add(hash, &number, sizeof(number));
}

/* A copy of a file may have other spaces, but has all of its numbers. */
static void hash_results(char out[HASH_TEXT_BYTES], const struct import *import)
{
	struct hash hash;

	hash_begin(&hash);
	for (size_t i = 0; i < import->count; i++)
		for (size_t k = 0; k < import->runs[i].run.trial_count; k++) {
			const struct import_trial *measured = &import->runs[i].trials[k];
			const struct trial *trial = &import->runs[i].run.trials[k];

			hash_add_piece(&hash, measured->time_ns,
				       measured->count * sizeof(*measured->time_ns));
			hash_number(&hash, measured->given.median_ns);
			hash_number(&hash, trial->mean_ns);
			for (size_t c = 0; c < trial->counters.count; c++)
				hash_number(&hash, trial->counters.items[c].value);
		}
	hash_end(out, &hash);
}

static int differ(const struct joined_file *a, const struct joined_file *b, const char *what,
		  const char *of_a, const char *of_b, struct error *err)
{
	return error_set(err, PL_EUSAGE,
			 "%s and %s are not rounds of one run, because their %s differs: %.80s and "
			 "%.80s; import them without --rounds",
			 a->name, b->name, what, of_a, of_b);
}

static int differ_in_number(const struct joined_file *a, const struct joined_file *b,
			    const char *what, int64_t of_a, int64_t of_b, struct error *err)
{
	char texts[2][24];

	snprintf(texts[0], sizeof(texts[0]), "%lld", (long long)of_a);
	snprintf(texts[1], sizeof(texts[1]), "%lld", (long long)of_b);
	return differ(a, b, what, texts[0], texts[1], err);
}

/* " (device 1)" without the space. */
static const char *number_of_device(const struct import_run *run)
{
	return *run->device_number ? run->device_number + 1 : "without a number";
}

/* The name may be that of a container, which is another in each process; the user can say it. */
static int check_same_device(const struct joined_file *a, const struct joined_file *b, size_t index,
			     bool named, struct error *err)
{
	const struct import_run *run = &a->import->runs[index], *other = &b->import->runs[index];
	const struct device_info *x = &run->run.device, *y = &other->run.device;

	if (!named && strcmp(x->name, y->name) != 0)
		return differ(a, b, "device", x->name, y->name, err);
	if (strcmp(run->device_number, other->device_number) != 0)
		return differ(a, b, "device", number_of_device(run), number_of_device(other), err);
	if (x->sm_count != y->sm_count)
		return differ_in_number(a, b, "number of multiprocessors", x->sm_count, y->sm_count,
					err);
	if (x->memory_bytes != y->memory_bytes)
		return differ_in_number(a, b, "memory", x->memory_bytes, y->memory_bytes, err);
	return 0;
}

/* What the processes of one program on one machine may have differently. */
static bool may_differ(const char *key)
{
	return strcmp(key, "mhz_per_cpu") == 0 || strcmp(key, "started") == 0;
}

static int check_environment(const struct joined_file *a, const struct joined_file *b, size_t index,
			     bool named, struct error *err)
{
	const struct run *run = &a->import->runs[index].run, *other = &b->import->runs[index].run;
	const size_t length = run->command ? strcspn(run->command, " ") : 0;

	/* the arguments name the file */
	if (run->command && other->command &&
	    (length != strcspn(other->command, " ") ||
	     strncmp(run->command, other->command, length) != 0))
		return differ(a, b, "program", run->command, other->command, err);
	for (size_t i = 0; i < run->environment.count; i++) {
		const struct key_value *fact = &run->environment.items[i];
		const char *its = key_value_get(&other->environment, fact->key);

		if (its && strcmp(its, fact->value) != 0 && !may_differ(fact->key) &&
		    !(named && strcmp(fact->key, "host_name") == 0))
			return differ(a, b, fact->key, fact->value, its, err);
	}
	return 0;
}

static bool have_case_in_common(const struct import_run *run, const struct import_run *other)
{
	for (size_t i = 0; i < other->run.trial_count; i++)
		if (import_find_case(run, &other->run.trials[i]) != NO_TRIAL)
			return true;
	return false;
}

static int check_pair(const struct joined_file *a, const struct joined_file *b, bool named,
		      struct error *err)
{
	int rc = 0;

	if (strcmp(a->import->runs[0].run.backend, b->import->runs[0].run.backend) != 0)
		return differ(a, b, "format", a->import->runs[0].run.backend,
			      b->import->runs[0].run.backend, err);
	if (a->import->count != b->import->count)
		return differ_in_number(a, b, "number of devices", (int64_t)a->import->count,
					(int64_t)b->import->count, err);
	for (size_t i = 0; i < a->import->count && !rc; i++) {
		rc = check_same_device(a, b, i, named, err);
		if (!rc)
			rc = check_environment(a, b, i, named, err);
		if (!rc && !have_case_in_common(&a->import->runs[i], &b->import->runs[i]))
			rc = error_set(err, PL_EUSAGE,
				       "%s and %s have no case in common, so they are not rounds "
				       "of one run; import them without --rounds",
				       a->name, b->name);
	}
	return rc;
}

static int by_results(const void *left, const void *right)
{
	const struct joined_file *a = left, *b = right;

	return strcmp(a->results, b->results);
}

/* Leaves the files in the order of their results. */
static int check_each_once(struct joined_file *files, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!count_times(files[i].import))
			return error_set(err, PL_EUSAGE,
					 "%s has neither samples nor medians, so it is no round",
					 files[i].name);
		hash_results(files[i].results, files[i].import);
	}
	qsort(files, count, sizeof(*files), by_results);
	for (size_t i = 1; i < count; i++)
		if (by_results(&files[i - 1], &files[i]) == 0)
			return error_set(err, PL_EUSAGE,
					 "%s and %s have the same results: a round is a "
					 "measurement of its own, by another process",
					 files[i - 1].name, files[i].name);
	return 0;
}

static int check_files(struct joined_file *files, size_t count, bool named, struct error *err)
{
	int rc = 0;

	if (count < 2)
		return error_set(err, PL_EUSAGE,
				 "--rounds makes a run of several files, each from a process of "
				 "its own, and there is only %s",
				 count ? files[0].name : "none");
	for (size_t i = 1; i < count && !rc; i++)
		rc = check_pair(&files[0], &files[i], named, err);
	return rc ? rc : check_each_once(files, count, err);
}

/* ---- one case ---- */

/* Stores the median over the files, as the readers do over repetitions. */
static void join_counters(struct trial *trial, const struct trial *const *parts, size_t count)
{
	double *values = xcalloc(count, sizeof(*values));

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < parts[i]->counters.count; k++) {
			const struct counter_value *counter = &parts[i]->counters.items[k];
			size_t known = 0;

			if (counter_list_find(&trial->counters, counter->metric))
				continue;
			for (size_t p = i; p < count; p++) {
				const struct counter_value *its =
					counter_list_find(&parts[p]->counters, counter->metric);

				if (its && its->has_value)
					values[known++] = its->value;
			}
			if (known)
				counter_list_set(&trial->counters, counter->metric, counter->unit,
						 counter->source,
						 summarise(values, known).median_ns);
			else
				counter_list_set_missing(&trial->counters, counter->metric,
							 counter->unit, counter->source,
							 counter->reason);
		}
	free(values);
}

/* Moves what the process of a file measured to the end of the rounds. */
static void join_round(struct import_trial *to, struct import_trial *from, size_t file)
{
	struct import_trial *round = to;

	if (gives_round(to)) {
		to->later = xrealloc(to->later, (to->later_count + 1) * sizeof(*to->later));
		round = &to->later[to->later_count++];
	}
	*round = *from;
	round->round = (int)file;
	from->time_ns = NULL;
	from->count = from->capacity = 0;
}

/* A case that failed in one process has failed; one that another process skipped has its rounds. */
static void join_status(struct trial *trial, const struct trial *part, const char *file)
{
	const bool fails =
		trial_status_is_failure(part->status) && !trial_status_is_failure(trial->status);
	const bool measures = trial_status_measured(part->status) && trial->status == TRIAL_SKIPPED;

	if (!fails && !measures)
		return;
	free(trial->reason);
	trial->status = part->status;
	trial->reason = part->reason ? xasprintf("%s: %s", file, part->reason) : NULL;
}

/* Fills a case of the joined run from the files that have it. */
static void join_case(struct import_run *run, size_t index, const struct joined_file *files,
		      size_t count, size_t device)
{
	struct trial *trial = &run->run.trials[index];
	const struct trial **parts = xcalloc(count, sizeof(const struct trial *));
	size_t found = 0, rounds = 0, means = 0;
	double sum_ns = 0;

	for (size_t i = 0; i < count; i++) {
		struct import_run *from = &files[i].import->runs[device];
		const size_t at = import_find_case(from, trial);
		const struct trial *part;

		if (at == NO_TRIAL)
			continue;
		part = &from->run.trials[at];
		if (!found)
			trial->status = TRIAL_SKIPPED;
		join_status(trial, part, files[i].name);
		parts[found++] = part;
		sum_ns += part->mean_ns;
		means += part->mean_ns > 0;
		if (trial_status_measured(part->status) && gives_round(&from->trials[at])) {
			join_round(&run->trials[index], &from->trials[at], i);
			rounds++;
		}
	}
	if (trial->status == TRIAL_SKIPPED)
		trial->reason = xstrdup(parts[0]->reason);
	trial->mean_ns = means ? sum_ns / (double)means : 0;
	if (!trial_status_is_failure(trial->status))
		join_counters(trial, parts, found);
	run->fewer_rounds += trial_status_measured(trial->status) && rounds && rounds < count;
	run->without_median += trial_status_measured(trial->status) && !rounds;
	run->with_mean += trial_status_measured(trial->status) && !rounds && means;
	free(parts);
}

/* ---- the runs ---- */

/* The name of a case, with nothing that was measured of it. */
static struct trial planned_trial(const struct trial *from, size_t position)
{
	struct trial trial = {.position = (int64_t)position,
			      .kernel = xstrdup(from->kernel),
			      .variant = xstrdup(from->variant),
			      .config = xstrdup(from->config),
			      .axis_count = from->axis_count,
			      .facts = launch_facts_unknown,
			      .summary = summarise(NULL, 0)};

	trial.axes = xcalloc(from->axis_count + 1, sizeof(*trial.axes));
	memcpy(trial.axes, from->axes, from->axis_count * sizeof(*trial.axes));
	return trial;
}

static int by_start(const void *left, const void *right)
{
	const struct joined_file *a = left, *b = right;
	const int64_t of_a = a->import->runs[0].run.started_ns,
		      of_b = b->import->runs[0].run.started_ns;

	if (of_a != of_b)
		return of_a < of_b ? -1 : 1;
	return a->import < b->import ? -1 : 1; /* as the user named them */
}

/* Files give a uid that does not depend on their order: `files` is in that of their results. */
static void joined_uid_make(struct run *run, const struct joined_file *files, size_t count,
			    size_t device)
{
	char digits[HASH_TEXT_BYTES];
	struct hash hash;

	hash_begin(&hash);
	for (size_t i = 0; i < count; i++)
		hash_add_piece(&hash, files[i].import->runs[device].run.uid, sizeof(run->uid) - 1);
	hash_end(digits, &hash);
	memcpy(run->uid, digits, sizeof(run->uid) - 1);
}

/* Keeps the facts that hold for all files. */
static void keep_common_facts(struct run *run, const struct joined_file *files, size_t count,
			      size_t device)
{
	const struct key_value_list *facts = &files[0].import->runs[device].run.environment;

	for (size_t i = 0; i < facts->count; i++) {
		const struct key_value *fact = &facts->items[i];
		bool all = true;

		for (size_t k = 1; k < count && all; k++) {
			const char *its = key_value_get(
				&files[k].import->runs[device].run.environment, fact->key);

			all = its && strcmp(its, fact->value) == 0;
		}
		if (all)
			key_value_set(&run->environment, fact->key, fact->value);
	}
}

static void join_run(struct import *out, const struct joined_file *files, size_t count,
		     size_t device)
{
	const struct import_run *first = &files[0].import->runs[device];
	struct import_run *run = &out->runs[device];

	run->run.backend = xstrdup(first->run.backend);
	run->run.command = first->run.command ? xstrdup(first->run.command) : NULL;
	run->run.started_ns = first->run.started_ns;
	run->run.device = first->run.device;
	run->run.rounds = (int)count;
	memcpy(run->device_number, first->device_number, sizeof(run->device_number));
	keep_common_facts(&run->run, files, count, device);
	for (size_t i = 0; i < count; i++) {
		const struct import_run *from = &files[i].import->runs[device];

		run->repeated = from->repeated > run->repeated ? from->repeated : run->repeated;
		run->without_samples += from->without_samples;
		for (size_t k = 0; k < from->run.trial_count; k++)
			if (import_find_case(run, &from->run.trials[k]) == NO_TRIAL) {
				const struct trial trial =
					planned_trial(&from->run.trials[k], run->run.trial_count);
				import_append_case(run, &trial);
			}
	}
	for (size_t i = 0; i < run->run.trial_count; i++)
		join_case(run, i, files, count, device);
}

int import_join(struct import *out, struct import *files, const struct string_list *names,
		const char *device, struct error *err)
{
	const size_t count = names->count;
	struct joined_file *joined = xcalloc(count + 1, sizeof(*joined));
	int rc;

	for (size_t i = 0; i < count; i++)
		joined[i] = (struct joined_file){.import = &files[i], .name = names->items[i]};
	rc = check_files(joined, count, device != NULL, err);
	*out = (struct import){0};
	for (size_t i = 0; i < files[0].count && !rc; i++)
		joined_uid_make(&import_add_run(out)->run, joined, count, i);
	if (!rc)
		qsort(joined, count, sizeof(*joined), by_start);
	for (size_t i = 0; i < out->count; i++)
		join_run(out, joined, count, i);
	free(joined);
	return rc;
}
