/* The parts of a history without times. */
#include "reports/history/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/derived/derived.h"

#define METRICS_SHOWN 3
#define CHANGES_NAMED 3

/* The counters that are shown of a case none of whose counters changed. */
static const char *const metrics_unchanged[METRICS_SHOWN] = {
	"ptx_warp_instructions", "ptx_shared_bank_conflicts", "ptx_global_load_sectors"};

static void add_counter_changes(struct text *out, const struct counter_step *step)
{
	size_t named = 0;

	for (size_t i = 0; i < step->counter_count; i++) {
		const struct counter_change *change = &step->counters[i];

		if (named == CHANGES_NAMED || !counter_step_has(step, change))
			continue;
		text_addf(out, "%s%s from %.15g to %.15g", named++ ? ", " : "", change->metric,
			  change->base, change->head);
	}
	if (step->counter_count > named)
		text_addf(out, ", and %zu other%s", step->counter_count - named,
			  step->counter_count - named == 1 ? "" : "s");
}

void describe_counter_step(struct text *out, const struct history *history,
			   const struct counter_step *step,
			   void (*name)(struct text *out, const struct run *run))
{
	text_addf(out, "%s: ", counter_step_word(step));
	add_counter_changes(out, step);
	text_add(out, ", between ");
	name(out, &history->runs[step->last]);
	text_add(out, " and ");
	name(out, &history->runs[step->first]);
	if (step->same_code)
		text_add(out, "; code and launch are the same, so perflab or its settings changed");
}

/* ---- the runs ---- */

/* The metrics to show: those with the largest relative change in any step, each once. */
static size_t choose_metrics(const char *out[METRICS_SHOWN], const struct history *history)
{
	size_t count = 0;

	/* the counters of a step are sorted, so the first of each step come before the second */
	for (size_t place = 0; place < METRICS_SHOWN; place++) {
		for (size_t i = history->step_count; i-- > 0 && count < METRICS_SHOWN;) {
			const struct counter_step *step = &history->steps[i];
			bool known = false;

			if (place >= step->counter_count)
				continue;
			for (size_t k = 0; k < count; k++)
				known |= strcmp(out[k], step->counters[place].metric) == 0;
			if (!known)
				out[count++] = step->counters[place].metric;
		}
	}
	if (count)
		return count;
	memcpy(out, metrics_unchanged, sizeof(metrics_unchanged));
	return METRICS_SHOWN;
}

static enum row_style counted_row_style(const struct history *history, size_t run)
{
	const struct counter_step *step = history_step_at(history, run);

	if (!history_is_counted(history, run))
		return ROW_DIM;
	if (!step || *counter_step_word(step) == 'd')
		return ROW_PLAIN;
	return *counter_step_word(step) == 'w' ? ROW_BAD : ROW_BEST;
}

static void add_counted_run_note(struct text *note, const struct history *history, size_t at)
{
	const struct counter_step *step = history_step_at(history, at);
	const struct trial *trial = &history->trials[at];

	if (step)
		text_addf(note, "%s: %zu counter%s", counter_step_word(step), step->counter_count,
			  step->counter_count == 1 ? "" : "s");
	if (trial->status != TRIAL_OK)
		text_addf(note, "%s%s%s%s", step ? "; " : "", trial_status_name(trial->status),
			  trial->reason ? ": " : "", trial->reason ? trial->reason : "");
}

void add_run_cells(struct row *row, const struct run *run)
{
	char when[21],
		*revision = run->source_revision ? report_revision(run->source_revision) : NULL;

	format_utc(when, run->started_ns);
	row_addf(row, "%lld", (long long)run->id);
	row_add(row, when);
	row_add(row, run->label);
	row_add(row, revision);
	free(revision);
}

struct table *table_of_counted_runs(const struct history *history, size_t begin)
{
	enum {
		FIXED_BEFORE = 4,
		FIXED_AFTER = 2,
		MOST = FIXED_BEFORE + METRICS_SHOWN + FIXED_AFTER
	};
	struct table_column columns[MOST] = {{.name = "run", .numeric = true},
					     {.name = "started"},
					     {.name = "label", .drop = 1},
					     {.name = "revision", .drop = 6}};
	const char *metrics[METRICS_SHOWN];
	const size_t shown = choose_metrics(metrics, history), count = FIXED_BEFORE + shown;
	struct table *table;

	for (size_t i = 0; i < shown; i++)
		columns[FIXED_BEFORE + i] = (struct table_column){
			.name = metrics[i], .numeric = true, .drop = i ? 4 + (int)i : 0};
	columns[count] = (struct table_column){.name = "mark", .drop = 2};
	columns[count + 1] = (struct table_column){.name = "note"};
	table = table_new(columns, count + FIXED_AFTER);
	for (size_t i = begin; i < history->count; i++) {
		const struct run *run = &history->runs[i];
		const struct trial *trial = &history->trials[i];
		struct row row = {0};

		add_run_cells(&row, run);
		for (size_t k = 0; k < shown; k++) {
			const struct counter_value *counter =
				counter_list_find(&trial->counters, metrics[k]);
			struct text *cell = row_cell(&row);

			if (counter && counter->has_value)
				text_addf(cell, "%.15g", counter->value);
		}
		row_add(&row, run->mark);
		add_counted_run_note(row_cell(&row), history, i);
		row_end(&row, table, counted_row_style(history, i));
	}
	return table;
}
