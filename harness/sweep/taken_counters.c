/* --take-counters: the exact counters of cases that earlier runs counted, which are not counted
 * again. Exact counters repeat for the same code, launch and inputs, and patched code counts most
 * of them, at half the time of counting. */
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "harness/sweep/sweep_parts.h"
#include "metrics/catalogue/catalogue.h"

/* Whether a device counts the metric, and the same each time. */
static bool is_takeable(const struct sweep *sweep, const char *name)
{
	const struct metric *metric = metric_find(name);

	return metric && metric->exact && metric_counter_on(metric, sweep->info.device.chip);
}

/* What no hash covers may have changed: the contents of files, and the code of a library. */
static bool is_covered(const struct launch_case *work)
{
	for (size_t i = 0; i < work->buffer_count; i++)
		if (work->buffers[i].fill_file || work->buffers[i].fill == FILL_CAPTURE)
			return false;
	return !launch_case_library(work);
}

/* Sets *out to the exact counters of the newest earlier run. Leaves it empty if one of them is
 * missing, or differs in the run before. */
static void take_agreed(struct counter_list *out, const struct sweep *sweep,
			const struct earlier_counters *earlier, size_t count)
{
	const struct string_list *wanted = &sweep->settings->metrics;
	bool agreed = count > 0;

	for (size_t i = 0; i < wanted->count && agreed; i++) {
		const struct counter_value *newest, *other;
		char *source;

		if (!is_takeable(sweep, wanted->items[i]))
			continue;
		newest = counter_list_find(&earlier[0].counters, wanted->items[i]);
		other = count > 1 ? counter_list_find(&earlier[1].counters, wanted->items[i])
				  : NULL;
		agreed = newest && newest->has_value &&
			 !(other && other->has_value && other->value != newest->value);
		if (!agreed)
			break;
		source = strstr(newest->source, COUNTER_TAKEN)
				 ? xstrdup(newest->source)
				 : xasprintf("%s" COUNTER_TAKEN "%.8s", newest->source,
					     earlier[0].uid);
		counter_list_set(out, newest->metric, newest->unit, source, newest->value);
		free(source);
	}
	if (!agreed)
		counter_list_release(out);
}

static int take_case(struct sweep *sweep, size_t index, struct error *err)
{
	const struct result_writer *writer = sweep->writer;
	struct earlier_counters earlier[EARLIER_MOST] = {0};
	size_t count = 0;
	int rc;

	if (!is_covered(sweep->plan->cases[index].launch))
		return 0;
	rc = writer->earlier_counters(writer->context, index, earlier, &count, err);
	if (!rc)
		take_agreed(&sweep->cases[index].taken, sweep, earlier, count);
	for (size_t i = 0; i < count; i++)
		counter_list_release(&earlier[i].counters);
	return rc;
}

int sweep_take_counters(struct sweep *sweep, size_t *pending, size_t count, struct error *err)
{
	size_t *taken = xcalloc(count + 1, sizeof(*taken));
	size_t counted = 0, found = 0;
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		rc = take_case(sweep, pending[i], err);
		if (sweep->cases[pending[i]].taken.count)
			taken[found++] = pending[i];
		else
			pending[counted++] = pending[i];
	}
	if (!rc) {
		memcpy(pending + counted, taken, found * sizeof(*taken));
		tell_observer(sweep->observer, NOTICE_REMARK,
			      "exact counters of %zu of %zu cases are taken over from earlier runs",
			      found, count);
	}
	free(taken);
	return rc;
}

void counters_left_to_count(struct string_list *out, const struct sweep *sweep)
{
	const struct string_list *wanted = &sweep->settings->metrics;

	for (size_t i = 0; i < wanted->count; i++) {
		const struct metric *metric = metric_find(wanted->items[i]);

		/* perflab derives metrics itself, because it has the inputs that were taken */
		if (!is_takeable(sweep, wanted->items[i]) && !(metric && metric->derive))
			string_list_add(out, wanted->items[i]);
	}
}
