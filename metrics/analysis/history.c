/* Histories of cases, and their change points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/change_points.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/history.h"
#include "metrics/metrics.h"

bool history_is_timed(const struct history *history, size_t run)
{
	const struct trial *trial = &history->trials[run];

	return trial_status_measured(trial->status) && trial->summary.count > 0 &&
	       trial->summary.median_ns > 0 && isfinite(trial->summary.median_ns);
}

bool history_is_counted(const struct history *history, size_t run)
{
	const struct trial *trial = &history->trials[run];

	return trial_status_counted(trial->status) && trial->counters.count > 0;
}

/* Writes the medians of the rounds of a run, or the run's median if it has no rounds. Returns their
 * number. */
static size_t write_medians(double *out, const struct trial *trial)
{
	size_t count = 0;

	for (size_t i = 0; i < trial->round_count; i++) {
		if (trial->rounds[i].median_ns > 0 && isfinite(trial->rounds[i].median_ns))
			out[count++] = trial->rounds[i].median_ns;
	}
	if (count == 0)
		out[count++] = trial->summary.median_ns;
	return count;
}

/* Finds the change points of `timed` runs, which are at `places` in the history, and the modes of
 * those since the newest one. *out is malloc'd. */
static size_t locate_changes(struct history_change **out, struct history_mode *mode,
			     const struct process_medians *runs, const size_t *places, size_t timed)
{
	struct change_point *points;
	size_t count = change_points_find(&points, runs, timed, &change_point_limits), first = 0;

	*mode = (struct history_mode){0};
	*out = xcalloc(count + 1, sizeof(**out));
	for (size_t i = 0; i < count; i++) {
		(*out)[i] = (struct history_change){
			.change = points[i],
			.last = places[points[i].at - 1],
			.first = places[points[i].at],
		};
		if (!points[i].provisional)
			first = points[i].at;
	}
	free(points);
	if (change_mode_find(&mode->mode, runs + first, timed - first, &change_point_limits)) {
		mode->first = places[first];
		mode->newest = places[first + mode->mode.newest];
	}
	return count;
}

/* ---- counters ---- */

static void steps_release(struct history *history)
{
	for (size_t i = 0; i < history->step_count; i++)
		free(history->steps[i].counters);
	free(history->steps);
	history->steps = NULL;
	history->step_count = 0;
}

/* The newest counted run before `run` with the same inputs, on which counts may depend. Returns
 * false if there is none. */
static bool find_counted_before(size_t *out, const struct history *history, size_t run)
{
	for (size_t i = run; i-- > 0;) {
		if (history_is_counted(history, i) &&
		    history->runs[i].seed == history->runs[run].seed) {
			*out = i;
			return true;
		}
	}
	return false;
}

/* Borrows the counters of the judged case. */
static struct counter_step step_of(const struct regress_case *item, size_t last, size_t first)
{
	return (struct counter_step){
		.last = last,
		.first = first,
		.verdict = item->verdict,
		.same_code = item->same_code && item->same_launch,
		.counters = item->counters,
		.counter_count = item->counter_count,
	};
}

static void find_steps(struct history *history)
{
	const struct regress_options options = {.limits = change_limits_default};
	struct regress_pair *pairs = xcalloc(history->count + 1, sizeof(*pairs));
	size_t *last = xcalloc(history->count + 1, sizeof(*last));
	size_t *first = xcalloc(history->count + 1, sizeof(*first));
	struct regress regress = {0};
	size_t count = 0;

	steps_release(history);
	for (size_t i = 0; i < history->count; i++) {
		if (!history_is_counted(history, i) ||
		    !find_counted_before(&last[count], history, i))
			continue;
		first[count] = i;
		pairs[count] = (struct regress_pair){
			.base = &history->trials[last[count]],
			.head = &history->trials[i],
			.base_seed = history->runs[i].seed,
			.head_seed = history->runs[i].seed,
		};
		count++;
	}
	/* both trials of every pair have counters, so each pair becomes one case */
	if (!regress_judge(&regress, pairs, count, &options, NULL)) {
		history->steps = xcalloc(regress.count + 1, sizeof(*history->steps));
		for (size_t i = 0; i < regress.count; i++) {
			if (!regress.cases[i].counter_count)
				continue;
			history->steps[history->step_count++] =
				step_of(&regress.cases[i], last[i], first[i]);
			regress.cases[i].counters = NULL;
		}
		regress_release(&regress);
	}
	free(first);
	free(last);
	free(pairs);
}

const struct counter_step *history_step_at(const struct history *history, size_t run)
{
	for (size_t i = 0; i < history->step_count; i++) {
		if (history->steps[i].first == run)
			return &history->steps[i];
	}
	return NULL;
}

const char *counter_step_word(const struct counter_step *step)
{
	bool worse = false, better = false;

	for (size_t i = 0; i < step->counter_count; i++) {
		worse |= step->counters[i].verdict > 0;
		better |= step->counters[i].verdict < 0;
	}
	return worse ? "worse" : better ? "better" : "different";
}

bool counter_step_has(const struct counter_step *step, const struct counter_change *change)
{
	const char *word = counter_step_word(step);

	return *word == 'd' || (*word == 'w' ? change->verdict > 0 : change->verdict < 0);
}

static void grid_add_step(struct history_grid *grid, size_t at, const struct counter_step *step)
{
	struct grid_step *out;

	grid->steps = xrealloc(grid->steps, (grid->step_count + 1) * sizeof(*grid->steps));
	out = &grid->steps[grid->step_count++];
	*out = (struct grid_step){
		.at = at,
		.last = step->last,
		.first = step->first,
		.word = counter_step_word(step),
		.same_code = step->same_code,
		.counters = xcalloc(step->counter_count, sizeof(*out->counters)),
	};
	for (size_t i = 0; i < step->counter_count; i++) {
		const struct counter_change *change = &step->counters[i];

		if (!counter_step_has(step, change)) {
			out->more++;
			continue;
		}
		out->counters[out->counter_count++] =
			(struct grid_counter){xstrdup(change->metric), change->base, change->head};
	}
}

void history_grid_compare(struct history_grid *grid, size_t at, size_t last, size_t first,
			  const struct trial *before, const struct trial *after)
{
	const struct regress_options options = {.limits = change_limits_default};
	const struct regress_pair pair = {.base = before, .head = after};
	struct regress regress = {0};

	if (regress_judge(&regress, &pair, 1, &options, NULL))
		return;
	if (regress.count && regress.cases[0].counter_count) {
		const struct counter_step step = step_of(&regress.cases[0], last, first);

		grid_add_step(grid, at, &step);
	}
	regress_release(&regress);
}

/* ---- times ---- */

static void find_change_points(struct history *history)
{
	struct process_medians *runs = xcalloc(history->count + 1, sizeof(*runs));
	size_t *places = xcalloc(history->count + 1, sizeof(*places));
	double *medians;
	size_t rounds = 0, timed = 0, used = 0;

	for (size_t i = 0; i < history->count; i++)
		rounds += history->trials[i].round_count + 1;
	medians = xcalloc(rounds + 1, sizeof(*medians));
	for (size_t i = 0; i < history->count; i++) {
		if (!history_is_timed(history, i))
			continue;
		runs[timed].time_ns = medians + used;
		runs[timed].count = write_medians(medians + used, &history->trials[i]);
		used += runs[timed].count;
		places[timed++] = i;
	}
	free(history->changes);
	history->change_count =
		locate_changes(&history->changes, &history->mode, runs, places, timed);
	for (size_t i = 0; i < history->change_count; i++) {
		struct history_change *change = &history->changes[i];
		const struct trial *a = &history->trials[change->last];
		const struct trial *b = &history->trials[change->first];

		change->same_code = a->facts.code_hash[0] &&
				    strcmp(a->facts.code_hash, b->facts.code_hash) == 0 &&
				    a->launch_hash[0] &&
				    strcmp(a->launch_hash, b->launch_hash) == 0;
	}
	free(medians);
	free(places);
	free(runs);
}

void history_find_changes(struct history *history)
{
	if (history->emulated)
		find_steps(history);
	else
		find_change_points(history);
}

/* Like write_medians(), for one case of a grid. */
static size_t grid_series(struct process_medians *runs, size_t *places,
			  const struct history_grid *grid, size_t at)
{
	size_t timed = 0;

	for (size_t i = 0; i < grid->run_count; i++) {
		size_t cell = at * grid->run_count + i;
		struct history_rounds rounds = grid->rounds[cell];

		if (!(grid->median_ns[cell] > 0))
			continue;
		runs[timed] = rounds.count ? (struct process_medians){grid->round_ns + rounds.begin,
								      rounds.count}
					   : (struct process_medians){&grid->median_ns[cell], 1};
		places[timed++] = i;
	}
	return timed;
}

void history_grid_find_changes(struct history_grid *grid)
{
	struct process_medians *runs = xcalloc(grid->run_count + 1, sizeof(*runs));
	size_t *places = xcalloc(grid->run_count + 1, sizeof(*places));
	size_t count = 0, capacity = 0;

	free(grid->changes);
	free(grid->change_begin);
	free(grid->modes);
	grid->modes = xcalloc(grid->case_count + 1, sizeof(*grid->modes));
	grid->changes = NULL;
	grid->change_begin = xcalloc(grid->case_count + 1, sizeof(*grid->change_begin));
	for (size_t i = 0; i < grid->case_count; i++) {
		struct history_change *found;
		size_t of_case = locate_changes(&found, &grid->modes[i], runs, places,
						grid_series(runs, places, grid, i));

		if (of_case) {
			grid->changes = xgrow(grid->changes, &capacity, count + of_case,
					      sizeof(*grid->changes));
			memcpy(grid->changes + count, found, of_case * sizeof(*found));
			count += of_case;
		}
		grid->change_begin[i + 1] = count;
		free(found);
	}
	free(places);
	free(runs);
}

double history_step(const struct history *history, size_t run)
{
	if (!history_is_timed(history, run))
		return NAN;
	for (size_t i = run; i-- > 0;) {
		if (history_is_timed(history, i))
			return history->trials[run].summary.median_ns /
				       history->trials[i].summary.median_ns -
			       1;
	}
	return NAN;
}

const struct history_change *history_change_at(const struct history *history, size_t run)
{
	for (size_t i = 0; i < history->change_count; i++) {
		if (history->changes[i].first == run)
			return &history->changes[i];
	}
	return NULL;
}

size_t history_newest_from(const struct history *history, size_t count)
{
	return count > 0 && history->count > count ? history->count - count : 0;
}

void history_release(struct history *history)
{
	steps_release(history);
	for (size_t i = 0; i < history->count; i++)
		run_release(&history->runs[i]);
	for (size_t i = 0; i < history->count; i++)
		trial_release(&history->trials[i]);
	free(history->runs);
	free(history->trials);
	free(history->changes);
	free(history->kernel);
	free(history->variant);
	free(history->config);
	free(history->origin);
	*history = (struct history){0};
}

void history_grid_release(struct history_grid *grid)
{
	for (size_t i = 0; i < grid->step_count; i++) {
		for (size_t k = 0; k < grid->steps[i].counter_count; k++)
			free(grid->steps[i].counters[k].metric);
		free(grid->steps[i].counters);
	}
	free(grid->steps);
	for (size_t i = 0; i < grid->run_count; i++)
		run_release(&grid->runs[i]);
	free(grid->runs);
	free(grid->shown);
	free(grid->median_ns);
	free(grid->session_low_ns);
	free(grid->session_high_ns);
	free(grid->unverified);
	free(grid->rounds);
	free(grid->round_ns);
	free(grid->trial_id);
	free(grid->changes);
	free(grid->change_begin);
	free(grid->modes);
	*grid = (struct history_grid){0};
}
