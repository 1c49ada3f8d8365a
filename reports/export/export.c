/* Chooses the cases and checks the counters of an export, and calls the writer of its format. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/catalogue/catalogue.h"
#include "reports/derived/derived.h"
#include "reports/export/writers.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"

/* ---- the table of formats ---- */

static const struct {
	const char *meaning;
	size_t name_limit, metric_limit;
	enum export_metrics metrics;
	export_writer *write;
} formats[EXPORT_FORMAT_COUNT] = {
#define X(symbol, name, writer, name_limit, metric_limit, metrics, meaning) \
	{meaning, name_limit, metric_limit, metrics, export_write_##writer},
	EXPORT_FORMAT_LIST(X)
#undef X
};

const char *const export_format_words[] = {
#define X(symbol, name, writer, name_limit, metric_limit, metrics, meaning) name,
	EXPORT_FORMAT_LIST(X)
#undef X
		"",
	NULL};

const char *export_format_meaning(enum export_format format)
{
	return formats[format].meaning;
}

static int fail_empty(const struct export_request *request, const struct export_choice *choice,
		      struct error *err)
{
	const struct run *run = request->run;
	const long long id = (long long)run->id;

	if (!choice->left_out)
		return error_set(err, PL_ENOENT,
				 "run %lld has nothing to export: it has no case; `perflab list "
				 "runs` lists the others",
				 id);
	if (!run->traits.emulated || request->metrics->count)
		return error_set(
			err, PL_ENOENT,
			"run %lld has nothing to export: no case was verified and measured (%s)",
			id, choice->why.data);
	if (formats[request->format].metrics == NO_METRICS ||
	    formats[request->format].metrics == ALL_METRICS)
		return error_set(err, PL_ENOENT,
				 "run %lld has nothing to export as %s: the emulator measures no "
				 "times",
				 id, export_format_words[request->format]);
	return error_set(err, PL_ENOENT,
			 "run %lld has nothing to export: the emulator measures no times; name a "
			 "count, such as --metric ptx_warp_instructions",
			 id);
}

int export_run(FILE *out, const struct export_request *request, const struct export_choice *choice,
	       export_samples *samples, void *samples_context, struct error *err)
{
	const struct export_source source = {request->run, request->metrics, choice, samples,
					     samples_context};
	int rc;

	if (!choice->count)
		return fail_empty(request, choice, err);
	errno = 0;
	rc = formats[request->format].write(out, &source, err);
	return rc ? rc : stream_check(out, err);
}

/* ---- the counters ---- */

static int check_format(enum export_format format, const char *metric, struct error *err)
{
	const char *name = export_format_words[format];
	const size_t limit = formats[format].metric_limit;
	const struct metric *row;

	if (limit && strlen(metric) > limit)
		return error_set(
			err, PL_EUSAGE,
			"--metric: %s allows %zu bytes in the name of a metric, and %s has "
			"%zu",
			name, limit, metric, strlen(metric));

	switch (formats[format].metrics) {
	case NAMED_METRICS:
		return 0;
	case NO_METRICS:
		return error_set(err, PL_EUSAGE, "--metric: %s has times only", name);
	case ALL_METRICS:
		return error_set(err, PL_EUSAGE, "--metric: %s always has every counter", name);
	case SMALLER_IS_BETTER:
		row = metric_find(metric);
		if (row && row->worse == WORSE_MORE)
			return 0;
		return error_set(err, PL_EUSAGE,
				 "--metric: %s compares values of which less is better, and %s is "
				 "none; bmf and openmetrics take it",
				 name, metric);
	}
	return 0;
}

static int check_run(const struct run *run, const char *metric, struct error *err)
{
	struct string_list known = {0};
	struct text near = TEXT_INIT;
	int rc = 0;

	run_counter_names(&known, run);
	if (!string_list_has(&known, metric)) {
		nearest_names(&near, metric, (const char *const *)known.items, known.count);
		rc = error_set(err, PL_EUSAGE, "--metric: run %lld has no metric \"%s\"%s%s%s",
			       (long long)run->id, metric, near.length ? "; did you mean " : "",
			       near.length ? near.data : "",
			       near.length ? "?" : "; `perflab list metrics` explains all");
	}
	text_release(&near);
	string_list_release(&known);
	return rc;
}

int export_metrics_check(const struct export_request *request, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < request->metrics->count && !rc; i++) {
		const char *metric = request->metrics->items[i];

		for (size_t j = 0; j < i && !rc; j++) {
			if (strcmp(metric, request->metrics->items[j]) == 0)
				rc = error_set(err, PL_EUSAGE, "--metric: %s is named twice",
					       metric);
		}
		if (!rc)
			rc = check_format(request->format, metric, err);
		if (!rc)
			rc = check_run(request->run, metric, err);
	}
	return rc;
}

/* ---- the cases ---- */

/* A reason and how many cases have it. */
struct reason_count {
	const char *reason;
	size_t count;
};
/* One for each status, and those of why_not(). */
#define REASONS_MOST (TRIAL_STATUS_COUNT + 4)

static void count_reason(struct reason_count *reasons, const char *reason)
{
	while (reasons->reason && strcmp(reasons->reason, reason) != 0)
		reasons++;
	reasons->reason = reason;
	reasons->count++;
}

static int order_reasons(const void *a, const void *b)
{
	const struct reason_count *left = a, *right = b;

	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return left->reason && right->reason ? strcmp(left->reason, right->reason) : 0;
}

static void describe_reasons(struct text *out, struct reason_count *reasons)
{
	qsort(reasons, REASONS_MOST, sizeof(*reasons), order_reasons);
	for (size_t i = 0; i < REASONS_MOST && reasons[i].count; i++)
		text_addf(out, "%s%zu %s", i ? ", " : "", reasons[i].count, reasons[i].reason);
}

static bool has_metric(const struct export_request *request, const struct trial *trial)
{
	for (size_t i = 0; i < request->metrics->count; i++) {
		if (export_counter(request->run, trial, request->metrics->items[i]))
			return true;
	}
	return false;
}

/* NULL, or why the case is not exported. */
static const char *why_not(const struct export_request *request, const struct trial *trial,
			   const char *name)
{
	const size_t name_limit = formats[request->format].name_limit;

	if (trial->status != TRIAL_OK)
		return trial_status_name(trial->status);
	if (!export_has_time(request->run, trial) && !has_metric(request, trial))
		return request->metrics->count ? "without a time and without these metrics"
					       : "without a time";
	if (trial_is_above_roof(request->run, trial, request->ceilings))
		return "above a measured roof";
	if (name_limit && strlen(name) > name_limit)
		return "with too long a name";
	return NULL;
}

/* Removes the cases whose name an earlier case has. A run has each case once, but untrusted names
 * may become equal when they are made printable. Returns how many it removed. */
static size_t remove_equal_names(struct export_choice *choice)
{
	const size_t count = choice->count;
	struct name_index seen = {0};

	choice->count = 0;
	for (size_t i = 0; i < count; i++) {
		char *name = choice->names[i];

		if (name_index_find(&seen, name) != NO_NAME) {
			free(name);
			continue;
		}
		name_index_add(&seen, name, i);
		choice->names[choice->count] = name;
		choice->trials[choice->count++] = choice->trials[i];
	}
	name_index_release(&seen);
	return count - choice->count;
}

static char *printable_name(const struct trial *trial)
{
	char *name = trial_case_name(trial);
	struct text shown = TEXT_INIT;

	text_add_escaped(&shown, name);
	free(name);
	return text_detach(&shown);
}

/* A format has no place for a value that is missing, so the caller has to say it. */
static void describe_missing(struct export_choice *choice, const struct export_request *request)
{
	for (size_t i = 0; i < request->metrics->count; i++) {
		const char *metric = request->metrics->items[i], *reason = NULL;
		size_t missing = 0;

		for (size_t j = 0; j < choice->count; j++) {
			const struct trial *trial = choice->trials[j];
			const struct counter_value *counter;

			if (export_counter(request->run, trial, metric))
				continue;
			counter = counter_list_find(&trial->counters, metric);
			if (!missing++)
				reason = counter ? counter->reason : NULL;
		}
		if (missing)
			text_addf(&choice->missing, "%s%s in %zu of %zu cases (%s)",
				  choice->missing.length ? ", " : "", metric, missing,
				  choice->count, reason && *reason ? reason : "not counted");
	}
}

void export_choose(struct export_choice *out, const struct export_request *request,
		   const struct trial *const *trials, size_t count)
{
	struct reason_count reasons[REASONS_MOST + 1] = {0};
	size_t equal;

	*out = (struct export_choice){
		.trials = xcalloc(count ? count : 1, sizeof(const struct trial *)),
		.names = xcalloc(count ? count : 1, sizeof(char *)),
	};
	for (size_t i = 0; i < count; i++) {
		char *name = printable_name(trials[i]);
		const char *reason = why_not(request, trials[i], name);

		if (reason) {
			count_reason(reasons, reason);
			free(name);
			continue;
		}
		out->trials[out->count] = trials[i];
		out->names[out->count++] = name;
	}
	equal = remove_equal_names(out);
	for (size_t i = 0; i < equal; i++)
		count_reason(reasons, "with the name of another case");
	out->left_out = count - out->count;
	describe_reasons(&out->why, reasons);
	describe_missing(out, request);
}

void export_choice_release(struct export_choice *choice)
{
	for (size_t i = 0; i < choice->count; i++)
		free(choice->names[i]);
	free(choice->names);
	free(choice->trials);
	text_release(&choice->why);
	text_release(&choice->missing);
	*choice = (struct export_choice){0};
}
