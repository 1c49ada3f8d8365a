/*
 * The cases of a run over the runs of its device, for a page: their medians,
 * and the change points that these show by themselves.
 */
#include <math.h>
#include <stdlib.h>

#include "reports/page.h"

static void member_text(struct page_json *json, const char *name, const char *text)
{
	page_key(json, name);
	page_text(json, text && *text ? text : NULL);
}

static void runs(struct page_json *json, const struct history_grid *grid)
{
	page_key(json, "runs");
	page_open(json, '[');
	for (size_t i = 0; i < grid->run_count; i++) {
		const struct run *run = &grid->runs[i];
		char when[21];

		format_utc(when, run->started_ns);
		page_open(json, '{');
		page_key(json, "id");
		page_integer(json, run->id);
		member_text(json, "started", when);
		member_text(json, "label", run->label);
		member_text(json, "revision", run->source_revision);
		member_text(json, "mark", run->mark);
		page_close(json, '}');
	}
	page_close(json, ']');
}

/* Whole nanoseconds are as good as a clock that ticks in more than one. */
static void median(struct page_json *json, double time_ns)
{
	page_short(json, time_ns >= 1000 ? round(time_ns) : time_ns);
}

/* null, or the medians of a case. */
static void medians(struct page_json *json, const double *median_ns, size_t count, size_t timed)
{
	if (timed < 2) {
		page_null(json);
		return;
	}
	page_open(json, '[');
	for (size_t i = 0; i < count; i++)
		median(json, median_ns[i]);
	page_close(json, ']');
}

/* Of a case null, or of each change point the last run before it, the first after it, the ratio of
 * the levels with its interval, and those levels. */
static void changes(struct page_json *json, const double *median_ns, const size_t *places,
		    size_t timed)
{
	struct process_medians *series = xcalloc(timed + 1, sizeof(*series));
	struct change_point *found;
	size_t count;

	for (size_t i = 0; i < timed; i++)
		series[i] = (struct process_medians){&median_ns[places[i]], 1};
	count = change_points_find(&found, series, timed, &change_point_limits);
	if (count == 0)
		page_null(json);
	else
		page_open(json, '[');
	for (size_t i = 0; i < count; i++) {
		page_open(json, '[');
		page_integer(json, (int64_t)places[found[i].at - 1]);
		page_integer(json, (int64_t)places[found[i].at]);
		page_short(json, 1 + found[i].effect.change);
		page_short(json, 1 + found[i].effect.low);
		page_short(json, 1 + found[i].effect.high);
		median(json, found[i].before_ns);
		median(json, found[i].after_ns);
		page_close(json, ']');
	}
	if (count)
		page_close(json, ']');
	free(found);
	free(series);
}

static size_t timed_runs(size_t *places, const double *median_ns, size_t count)
{
	size_t timed = 0;

	for (size_t i = 0; i < count; i++) {
		if (median_ns[i] > 0)
			places[timed++] = i;
	}
	return timed;
}

static bool has_history(const struct history_grid *grid, size_t *places)
{
	for (size_t i = 0; grid && i < grid->case_count; i++) {
		if (timed_runs(places, grid->median_ns + i * grid->run_count, grid->run_count) > 1)
			return true;
	}
	return false;
}

void page_histories(struct page_json *json, const struct report_options *options)
{
	const struct history_grid *grid = options->histories;
	size_t *places = xcalloc(grid ? grid->run_count + 1 : 1, sizeof(*places));

	page_key(json, "history");
	if (!has_history(grid, places)) {
		page_null(json);
		free(places);
		return;
	}
	page_open(json, '{');
	runs(json, grid);
	page_key(json, "medians");
	page_open(json, '[');
	for (size_t i = 0; i < grid->case_count; i++) {
		const double *median_ns = grid->median_ns + i * grid->run_count;

		medians(json, median_ns, grid->run_count,
			timed_runs(places, median_ns, grid->run_count));
	}
	page_close(json, ']');
	page_key(json, "changes");
	page_open(json, '[');
	for (size_t i = 0; i < grid->case_count; i++) {
		const double *median_ns = grid->median_ns + i * grid->run_count;

		changes(json, median_ns, places, timed_runs(places, median_ns, grid->run_count));
	}
	page_close(json, ']');
	page_close(json, '}');
	free(places);
}
