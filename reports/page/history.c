/*
 * The page's histories: the medians of each case in as many runs of the device as
 * fit, and the change points found over all runs.
 */
#include <math.h>
#include <stdlib.h>

#include "metrics/analysis/change_points.h"
#include "metrics/analysis/history.h"
#include "reports/page/page.h"

static void history_runs(struct page_json *json, const struct history_grid *grid)
{
	page_open_member(json, "runs", '[');
	for (size_t i = 0; i < grid->run_count; i++) {
		const struct run *run = &grid->runs[i];
		char when[21];

		if (!grid->shown[i])
			continue;
		format_utc(when, run->started_ns);
		page_open(json, '{');
		page_member_integer(json, "id", run->id);
		page_member_text(json, "started", when);
		page_member_text(json, "label", run->label);
		page_member_text(json, "revision", run->source_revision);
		page_member_text(json, "mark", run->mark);
		page_close(json, '}');
	}
	page_close(json, ']');
}

/* Whole nanoseconds are enough: the clock ticks in coarser steps. */
static void history_median(struct page_json *json, double time_ns)
{
	page_short(json, time_ns >= 1000 ? round(time_ns) : time_ns);
}

static size_t times_shown(const struct history_grid *grid, size_t at)
{
	size_t count = 0;

	for (size_t i = 0; i < grid->run_count; i++)
		count += grid->shown[i] && grid->median_ns[at * grid->run_count + i] > 0;
	return count;
}

/* The medians of a case, or null if fewer than two are shown. */
static void history_medians(struct page_json *json, const struct history_grid *grid, size_t at)
{
	if (times_shown(grid, at) < 2) {
		page_null(json);
		return;
	}
	page_open(json, '[');
	for (size_t i = 0; i < grid->run_count; i++) {
		if (grid->shown[i])
			history_median(json, grid->median_ns[at * grid->run_count + i]);
	}
	page_close(json, ']');
}

/* Beside the medians: per shown run how far the 95 % interval reaches below and above the median.
 */
static void history_intervals(struct page_json *json, const struct history_grid *grid, size_t at)
{
	if (times_shown(grid, at) < 2) {
		page_null(json);
		return;
	}
	page_open(json, '[');
	for (size_t i = 0; i < grid->run_count; i++) {
		const size_t cell = at * grid->run_count + i;

		if (!grid->shown[i])
			continue;
		history_median(json, grid->median_ns[cell] - grid->session_low_ns[cell]);
		history_median(json, grid->session_high_ns[cell] - grid->median_ns[cell]);
	}
	page_close(json, ']');
}

/* The places of the unverified trials of a case among the shown runs, or null. */
static void history_unverified(struct page_json *json, const struct history_grid *grid, size_t at)
{
	int64_t place = 0;
	bool any = false;

	for (size_t i = 0; i < grid->run_count; i++) {
		if (!grid->shown[i])
			continue;
		if (grid->unverified[at * grid->run_count + i]) {
			if (!any)
				page_open(json, '[');
			any = true;
			page_integer(json, place);
		}
		place++;
	}
	if (any)
		page_close(json, ']');
	else
		page_null(json);
}

/* The index of run `place` among the shown runs, or that of the next shown one. */
static int64_t place_shown(const struct history_grid *grid, size_t place)
{
	int64_t shown = 0;

	for (size_t i = 0; i < place; i++)
		shown += grid->shown[i];
	return shown;
}

static bool change_is_shown(const struct history_grid *grid, const struct history_change *change)
{
	return grid->shown[change->last] && grid->shown[change->first];
}

/* The first run of the level before a change. */
static size_t level_begin(const struct history_grid *grid, size_t at,
			  const struct history_change *change)
{
	size_t begin = change->first;

	for (size_t left = change->change.before; left > 0; left--)
		do
			begin--;
		while (!(grid->median_ns[at * grid->run_count + begin] > 0));
	return begin;
}

/* null, or one list for each change point of the case between two shown runs: the two
 * runs, the ratio of the levels with its interval, the two levels, the first shown run of
 * the level before, 1 if only one run is at the new level so far, and 1 if machine code and launch
 * are the same. */
static void history_changes(struct page_json *json, const struct history_grid *grid, size_t at)
{
	bool any = false;

	for (size_t i = grid->change_begin[at]; i < grid->change_begin[at + 1]; i++) {
		const struct history_change *change = &grid->changes[i];
		const struct change_point *point = &change->change;

		if (!change_is_shown(grid, change))
			continue;
		if (!any)
			page_open(json, '[');
		any = true;
		page_open(json, '[');
		page_integer(json, place_shown(grid, change->last));
		page_integer(json, place_shown(grid, change->first));
		page_short(json, 1 + point->effect.change);
		page_short(json, 1 + point->effect.low);
		page_short(json, 1 + point->effect.high);
		history_median(json, point->before_ns);
		history_median(json, point->after_ns);
		page_integer(json, place_shown(grid, level_begin(grid, at, change)));
		page_integer(json, point->provisional);
		page_integer(json, change->same_code);
		page_close(json, ']');
	}
	if (any)
		page_close(json, ']');
	else
		page_null(json);
}

/* null, or the two modes of the runs since the newest change point: both levels, and in how many of
 * all of these runs the second one was. */
static void history_mode(struct page_json *json, const struct history_grid *grid, size_t at)
{
	const struct change_mode *mode = &grid->modes[at].mode;

	if (!mode->of) {
		page_null(json);
		return;
	}
	page_open(json, '[');
	history_median(json, mode->usual_ns);
	history_median(json, mode->other_ns);
	page_integer(json, (int64_t)mode->runs);
	page_integer(json, (int64_t)mode->of);
	page_close(json, ']');
}

static int64_t changes_unseen(const struct history_grid *grid)
{
	int64_t count = 0;

	for (size_t i = 0; i < grid->change_begin[grid->case_count]; i++)
		count += !change_is_shown(grid, &grid->changes[i]);
	return count;
}

static bool has_history(const struct history_grid *grid)
{
	for (size_t i = 0; grid && !grid->emulated && i < grid->case_count; i++) {
		if (times_shown(grid, i) > 1)
			return true;
	}
	return false;
}

/* One list for each step of the counters: case, the two runs, the word, 1 if machine code and
 * launch are the same, how many other counters changed, and then metric, value before and value
 * after of those that give the step its word. */
static void counter_steps(struct page_json *json, const struct history_grid *grid)
{
	page_open_member(json, "changes", '[');
	for (size_t i = 0; i < grid->step_count; i++) {
		const struct grid_step *step = &grid->steps[i];

		page_open(json, '[');
		page_integer(json, (int64_t)step->at);
		page_integer(json, place_shown(grid, step->last));
		page_integer(json, place_shown(grid, step->first));
		page_text(json, step->word);
		page_integer(json, step->same_code);
		page_integer(json, (int64_t)step->more);
		for (size_t k = 0; k < step->counter_count; k++) {
			page_text(json, step->counters[k].metric);
			page_number(json, step->counters[k].before);
			page_number(json, step->counters[k].after);
		}
		page_close(json, ']');
	}
	page_close(json, ']');
}

/* The history of emulated runs, which have counters and no times. */
static void counter_history(struct page_json *json, const struct history_grid *grid)
{
	if (!grid || !grid->emulated || grid->run_count < 2)
		return;
	page_open_member(json, "counter_history", '{');
	history_runs(json, grid);
	page_member_integer(json, "all_runs", (int64_t)grid->run_count);
	counter_steps(json, grid);
	page_close(json, '}');
}

void page_histories(struct page_json *json, const struct report_options *options)
{
	static const struct {
		const char *name;
		void (*write)(struct page_json *json, const struct history_grid *grid, size_t at);
	} lists[] = {{"medians", history_medians},
		     {"intervals", history_intervals},
		     {"unverified", history_unverified},
		     {"changes", history_changes},
		     {"modes", history_mode}};
	const struct history_grid *grid = options->histories;

	counter_history(json, grid);
	page_key(json, "history");
	if (!has_history(grid)) {
		page_null(json);
		return;
	}
	page_open(json, '{');
	history_runs(json, grid);
	page_member_integer(json, "all_runs", (int64_t)grid->run_count);
	for (size_t k = 0; k < ARRAY_SIZE(lists); k++) {
		page_open_member(json, lists[k].name, '[');
		for (size_t i = 0; i < grid->case_count; i++)
			lists[k].write(json, grid, i);
		page_close(json, ']');
	}
	page_member_integer(json, "changes_unseen", changes_unseen(grid));
	page_close(json, '}');
}
