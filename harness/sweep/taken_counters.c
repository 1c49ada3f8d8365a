/* --take-counters: exact counters that earlier runs agree on are not counted again. They repeat for
 * the same code, launch and inputs. Without them the plan of the metrics `core` needs no patched
 * code. */
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "harness/sweep/sweep_parts.h"
#include "metrics/catalogue/catalogue.h"

/* The counter of a metric that a device counts the same each time; NULL: the metric is no such. */
static const char *exact_counter(const struct sweep *sweep, const char *name)
{
	const struct metric *metric = metric_find(name);

	return metric && metric->exact ? metric_counter_on(metric, sweep->info.device.chip) : NULL;
}

/* What no hash covers may have changed: the contents of files, and the code of a library. */
static bool is_covered(const struct launch_case *work)
{
	for (size_t i = 0; i < work->buffer_count; i++)
		if (work->buffers[i].fill_file || work->buffers[i].fill == FILL_CAPTURE)
			return false;
	return !launch_case_library(work);
}

/* Whether two runs counted the same. `source` is that of today; a zero that follows from another
 * metric has none. */
static bool is_agreed(const struct counter_value *newest, const struct counter_value *other,
		      const char *source)
{
	static const char derived[] = "derived: ";

	if (!newest || !other || newest->has_value != other->has_value ||
	    strcmp(newest->source, other->source) != 0)
		return false;
	if (strcmp(newest->source, source) != 0 &&
	    strncmp(newest->source, derived, strlen(derived)) != 0)
		return false;
	return newest->has_value ? newest->value == other->value
				 : strcmp(newest->reason, other->reason) == 0;
}

static void take_counter(struct counter_list *out, const struct counter_value *counter,
			 const char *uid)
{
	char *source = xasprintf("%s" COUNTER_TAKEN "%.8s", counter->source, uid);

	if (counter->has_value)
		counter_list_set(out, counter->metric, counter->unit, source, counter->value);
	else
		counter_list_set_missing(out, counter->metric, counter->unit, source,
					 counter->reason);
	free(source);
}

/* Sets *out to the exact counters of the newest of two earlier runs; leaves it empty if they do not
 * agree on each. */
static void take_agreed(struct counter_list *out, const struct sweep *sweep,
			const struct earlier_counters earlier[EARLIER_MOST])
{
	const struct string_list *wanted = &sweep->settings->metrics;
	bool agreed = true;

	for (size_t i = 0; i < wanted->count && agreed; i++) {
		const char *name = wanted->items[i], *source = exact_counter(sweep, name);
		const struct counter_value *newest;

		if (!source)
			continue;
		newest = counter_list_find(&earlier[0].counters, name);
		agreed = is_agreed(newest, counter_list_find(&earlier[1].counters, name), source);
		if (agreed)
			take_counter(out, newest, earlier[0].uid);
	}
	if (!agreed)
		counter_list_release(out);
}

/* `metrics`: those that are exact, as a JSON array. */
static int take_case(struct sweep *sweep, size_t index, const char *metrics, struct error *err)
{
	const struct result_writer *writer = sweep->writer;
	struct earlier_counters earlier[EARLIER_MOST] = {0};
	size_t count = 0;
	int rc;

	if (!is_covered(sweep->plan->cases[index].launch))
		return 0;
	rc = writer->earlier_counters(writer->context, index, metrics, earlier, &count, err);
	if (!rc && count == EARLIER_MOST)
		take_agreed(&sweep->cases[index].taken, sweep, earlier);
	for (size_t i = 0; i < count; i++)
		counter_list_release(&earlier[i].counters);
	return rc;
}

/* malloc'd; NULL: there is none. */
static char *exact_metrics(const struct sweep *sweep)
{
	const struct string_list *wanted = &sweep->settings->metrics;
	json_t *array = json_array();
	char *text;

	for (size_t i = 0; i < wanted->count; i++)
		if (exact_counter(sweep, wanted->items[i]))
			json_array_append_new(array, json_text(wanted->items[i]));
	text = json_array_size(array) ? json_dumps(array, JSON_COMPACT) : NULL;
	json_decref(array);
	return text;
}

int sweep_take_counters(struct sweep *sweep, size_t *pending, size_t count, struct error *err)
{
	char *metrics = exact_metrics(sweep);
	size_t *taken = xcalloc(count + 1, sizeof(*taken));
	size_t counted = 0, found = 0;
	int rc = 0;

	for (size_t i = 0; i < count && metrics && !rc; i++) {
		rc = take_case(sweep, pending[i], metrics, err);
		if (sweep->cases[pending[i]].taken.count)
			taken[found++] = pending[i];
		else
			pending[counted++] = pending[i];
	}
	if (!rc)
		memcpy(pending + count - found, taken, found * sizeof(*taken));
	free(taken);
	free(metrics);
	return rc;
}

void counters_left_to_count(struct string_list *out, const struct sweep *sweep)
{
	const struct string_list *wanted = &sweep->settings->metrics;

	for (size_t i = 0; i < wanted->count; i++) {
		const struct metric *metric = metric_find(wanted->items[i]);

		/* perflab derives metrics itself, because it has the inputs that were taken */
		if (!exact_counter(sweep, wanted->items[i]) && !(metric && metric->derive))
			string_list_add(out, wanted->items[i]);
	}
}
