/*
 * The page's data about the trials of a run: one list per field, all in the order of the plan. This
 * keeps ten thousand cases small and quick to read.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/catalogue/catalogue.h"
#include "metrics/metrics.h"
#include "reports/derived/derived.h"
#include "reports/page/page.h"

/* Writes the member `key`: a list with one value per trial. The statement `value` writes it from
 * `trial` and `i`. */
#define LIST(json, run, key, value)                                    \
	do {                                                           \
		page_key(json, key);                                   \
		page_open(json, '[');                                  \
		for (size_t i = 0; i < (run)->trial_count; i++) {      \
			const struct trial *trial = &(run)->trials[i]; \
                                                                       \
			value;                                         \
		}                                                      \
		page_close(json, ']');                                 \
	} while (0)

static void known_integer(struct page_json *json, int64_t value, bool known)
{
	if (known)
		page_integer(json, value);
	else
		page_null(json);
}

static void statuses(struct page_json *json)
{
	page_open_member(json, "statuses", '[');
#define X(symbol, name, meaning)                          \
	page_open(json, '[');                             \
	page_text(json, name);                            \
	page_text(json, meaning);                         \
	page_bool(json, trial_status_is_failure(symbol)); \
	page_close(json, ']');
	TRIAL_STATUS_LIST(X)
#undef X
	page_close(json, ']');
}

static void axes(struct page_json *json, const struct run *run)
{
	struct string_list names = {0};

	run_axis_names(&names, run);
	page_open_member(json, "axes", '[');
	for (size_t i = 0; i < names.count; i++) {
		page_open(json, '{');
		page_key(json, "name");
		page_text(json, names.items[i]);
		page_open_member(json, "values", '[');
		for (size_t j = 0; j < run->trial_count; j++) {
			const struct named_value *axis =
				trial_axis(&run->trials[j], names.items[i]);

			known_integer(json, axis ? axis->value : 0, axis != NULL);
		}
		page_close(json, ']');
		page_close(json, '}');
	}
	page_close(json, ']');
	string_list_release(&names);
}

static void timed(struct page_json *json, const struct trial *trial, double value)
{
	page_number(json, trial->summary.count > 0 ? value : NAN);
}

static void launch_field(struct page_json *json, const struct run *run, const struct field *field)
{
	page_open_member(json, field->name, '[');
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct launch_facts facts = trial_launch_facts(&run->trials[i]);
		const struct field_value value = field_read(field, &facts);

		if (field->kind == FIELD_TEXT)
			page_word(json, value.known ? value.text : NULL);
		else if (field->kind == FIELD_REAL)
			page_short(json, value.real);
		else
			known_integer(json, value.integer, value.known);
	}
	page_close(json, ']');
}

void page_trials(struct page_json *json, const struct run *run)
{
	page_open(json, '{');
	page_member_integer(json, "count", (int64_t)run->trial_count);
	statuses(json);
	axes(json, run);
	LIST(json, run, "kernel", page_word(json, trial->kernel));
	LIST(json, run, "variant", page_word(json, trial->variant));
	LIST(json, run, "config", page_word(json, trial->config));
	if (run->gpus)
		LIST(json, run, "gpu", page_integer(json, trial_gpu(run, trial)->number));
	LIST(json, run, "status", page_integer(json, trial->status));
	LIST(json, run, "reason", page_word(json, trial->reason));
	LIST(json, run, "samples", page_integer(json, trial->summary.count));
	for (size_t f = 0; f < summary_fields.count; f++)
		LIST(json, run, summary_fields.items[f].name,
		     timed(json, trial,
			   field_read(&summary_fields.items[f], &trial->summary).real));
#define X(field) LIST(json, run, #field, known_integer(json, trial->field, trial->has_work));
	X(flop)
	X(bytes_read)
	X(bytes_written)
#undef X
	for (size_t f = 0; f < launch_fields.count; f++)
		launch_field(json, run, &launch_fields.items[f]);
	page_close(json, '}');
}

/* ---- rooflines and verdicts ---- */

static void point_levels(struct page_json *json, const struct run *run,
			 const struct roofline_point *points)
{
	page_open_member(json, "level", '[');
	for (size_t level = 0; level < MEMORY_LEVEL_COUNT; level++) {
		page_open(json, '{');
#define X(field) \
	LIST(json, run, #field, (void)trial; page_short(json, points[i].level[level].field));
		X(bytes)
		X(bytes_per_s)
		X(intensity)
		X(roof_pct)
#undef X
		page_close(json, '}');
	}
	page_close(json, ']');
}

/* What stands in for operations that no counter counted. `modelled` is 0 for a point whose
 * operations were counted; the other numbers of such a point are null. null instead of the list:
 * the operations of all points were counted, and there is no `model`. */
static void point_models(struct page_json *json, const struct run *run,
			 const struct roofline_point *points)
{
	bool any = false;

	/* why the roofline has no point of the case */
	LIST(json, run, "not_in_plot", page_word(json, roofline_no_place(&points[i], trial)));
	for (size_t i = 0; i < run->trial_count; i++)
		any |= points[i].model.used;
	/* most runs need none of this, and ten thousand cases are half a megabyte of it */
	if (!any) {
		page_key(json, "modelled");
		page_null(json);
		return;
	}
	LIST(json, run, "modelled", (void)trial; page_integer(json, points[i].model.used));
	page_open_member(json, "model", '{');
	page_open_member(json, "precision", '[');
	for (size_t i = 0; i < run->trial_count; i++) {
		if (points[i].model.used && points[i].model.has_precision)
			page_integer(json, points[i].model.precision);
		else
			page_null(json);
	}
	page_close(json, ']');
#define X(field) LIST(json, run, #field, (void)trial; page_short(json, points[i].model.field));
	X(flop)
	X(flop_per_s)
	X(compute_roof_pct)
	X(attainable_flop_per_s)
#undef X
	page_open_member(json, "intensity", '[');
	for (size_t level = 0; level < MEMORY_LEVEL_COUNT; level++) {
		page_open(json, '[');
		for (size_t i = 0; i < run->trial_count; i++)
			page_short(json, points[i].model.intensity[level]);
		page_close(json, ']');
	}
	page_close(json, ']');
	page_close(json, '}');
}

/* The page shows what a finding wastes for emulated runs only. */
static void notes(struct page_json *json, const struct verdict_note *notes, size_t count,
		  bool with_lost)
{
	page_open(json, '[');
	for (size_t i = 0; i < count; i++) {
		page_open(json, '[');
		page_word(json, notes[i].rule);
		page_word(json, notes[i].text);
		if (with_lost)
			page_short(json, notes[i].lost);
		page_close(json, ']');
	}
	page_close(json, ']');
}

static void verdict(struct page_json *json, const struct trial *trial,
		    const struct roofline_point *point, const struct run *run,
		    const struct ceiling_list *ceilings)
{
	const struct verdict_context context = verdict_context_of(run, ceilings);
	struct verdict verdict = {0};

	verdict_of(&verdict, trial, point, &context);
	page_open(json, '[');
	page_integer(json, verdict.bound);
	page_short(json, verdict.roof_pct);
	page_word(json, verdict.summary);
	page_word(json, verdict.above_roof);
	notes(json, verdict.notes, verdict.note_count, run->traits.emulated);
	notes(json, verdict.advice, verdict.advice_count, false);
	page_integer(json, verdict.from_model);
	page_close(json, ']');
	verdict_release(&verdict);
}

static void bounds(struct page_json *json)
{
	page_open_member(json, "bounds", '[');
	for (int bound = 0; bound < BOUND_COUNT; bound++) {
		page_open(json, '[');
		page_text(json, bound_name((enum bound)bound));
		page_text(json, bound_meaning((enum bound)bound));
		page_close(json, ']');
	}
	page_close(json, ']');
}

/* The place of each case in the order of run_ranks(), and 1 for the best of each variant. */
static void page_ranks(struct page_json *json, const struct run *run,
		       const struct ceiling_list *ceilings)
{
	size_t *rank = xcalloc(run->trial_count + 1, sizeof(*rank));
	struct ranks ranks;

	run_ranks(&ranks, run, ceilings);
	for (size_t i = 0; i < run->trial_count; i++)
		rank[ranks.order[i]] = i;
	LIST(json, run, "rank", (void)trial; page_integer(json, (int64_t)rank[i]));
	LIST(json, run, "best_of_variant", (void)trial; page_integer(json, ranks.of_variant[i]));
	free(rank);
	ranks_release(&ranks);
}

void page_points(struct page_json *json, const struct run *run,
		 const struct report_options *options)
{
	static const struct ceiling_list none = {0};
	const struct ceiling_list *ceilings = options->ceilings ? options->ceilings : &none;
	struct roofline_point *points =
		xcalloc(run->trial_count ? run->trial_count : 1, sizeof(*points));

	for (size_t i = 0; i < run->trial_count; i++)
		roofline_point_of(&points[i], &run->trials[i], run->traits.emulated, ceilings);
	page_open_member(json, "points", '{');
	LIST(json, run, "precision", (void)trial; page_integer(json, points[i].precision));
#define X(field) LIST(json, run, #field, (void)trial; page_short(json, points[i].field));
	X(flop)
	X(flop_per_s)
	X(needed_bytes)
	X(needed_intensity)
	X(waste)
	X(compute_roof_pct)
	X(attainable_flop_per_s)
#undef X
	point_levels(json, run, points);
	point_models(json, run, points);
	page_close(json, '}');
	page_ranks(json, run, ceilings);
	bounds(json);
	LIST(json, run, "verdicts", verdict(json, trial, &points[i], run, ceilings));
	free(points);
}

/* ---- counters ---- */

/* The trials of a run mostly have their counters in the same order, so the search starts at the
 * place where the previous trial had this one. */
static const struct counter_value *find_from(const struct counter_list *counters,
					     const char *metric, size_t *at)
{
	for (size_t i = 0; i < counters->count; i++) {
		size_t place = (*at + i) % counters->count;

		if (strcmp(counters->items[place].metric, metric) == 0) {
			*at = place;
			return &counters->items[place];
		}
	}
	return NULL;
}

/* A number, [word] with the reason why there is none, or null if it was not requested. */
static void counter_cell(struct page_json *json, const struct counter_value *counter)
{
	if (!counter) {
		page_null(json);
	} else if (counter->has_value) {
		page_short(json, counter->value);
	} else {
		page_open(json, '[');
		page_word(json, counter->reason);
		page_close(json, ']');
	}
}

static void counter(struct page_json *json, const struct run *run, const char *name)
{
	const struct metric *metric = metric_find(name);
	const struct counter_value **cells =
		xcalloc(run->trial_count, sizeof(const struct counter_value *));
	const struct counter_value *first = NULL;
	bool one_source = true;
	size_t at = 0;

	for (size_t i = 0; i < run->trial_count; i++) {
		cells[i] = find_from(&run->trials[i].counters, name, &at);
		if (cells[i] && !first)
			first = cells[i];
		one_source &= !cells[i] || strcmp(cells[i]->source, first->source) == 0;
	}
	page_open(json, '{');
	page_key(json, "metric");
	page_text(json, name);
	page_key(json, "unit");
	page_text(json, first ? first->unit : NULL);
	page_key(json, "meaning");
	page_text(json, metric ? metric->meaning : NULL);
	page_open_member(json, "values", '[');
	for (size_t i = 0; i < run->trial_count; i++)
		counter_cell(json, cells[i]);
	page_close(json, ']');
	/* one for all trials, or one per trial: an emulator's source says how many blocks ran */
	page_key(json, "source");
	if (one_source) {
		page_word(json, first ? first->source : NULL);
	} else {
		page_open(json, '[');
		for (size_t i = 0; i < run->trial_count; i++)
			page_word(json, cells[i] ? cells[i]->source : NULL);
		page_close(json, ']');
	}
	page_close(json, '}');
	free(cells);
}

void page_counters(struct page_json *json, const struct run *run)
{
	struct string_list names = {0};

	run_counter_names(&names, run);
	page_open_member(json, "counters", '[');
	for (size_t i = 0; i < names.count; i++)
		counter(json, run, names.items[i]);
	page_close(json, ']');
	string_list_release(&names);
}

/* ---- speed-ups over the base variant ---- */

static void speedup_item(struct page_json *json, const struct trial_speedup *speedup)
{
	if (!speedup->base_variant) {
		page_null(json);
		return;
	}
	page_open(json, '[');
	page_word(json, speedup->base_variant);
	page_word(json, speedup->base_config);
	page_integer(json, speedup->verdict);
	page_short(json, speedup->speedup);
	page_short(json, speedup->low);
	page_short(json, speedup->high);
	page_short(json, speedup->base_median_ns);
	page_integer(json, speedup->rounds);
	if (speedup->same_buffers < 0)
		page_null(json);
	else
		page_integer(json, speedup->same_buffers);
	page_word(json, speedup->why);
	page_close(json, ']');
}

static bool has_base_variant(const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		if (run->trials[i].speedup.base_variant)
			return true;
	}
	return false;
}

void page_speedups(struct page_json *json, const struct run *run)
{
	page_open_member(json, "speedup_verdicts", '[');
	for (int verdict = 0; verdict < SPEEDUP_VERDICT_COUNT; verdict++) {
		page_open(json, '[');
		page_text(json, speedup_verdict_name((enum speedup_verdict)verdict));
		page_text(json, speedup_verdict_meaning((enum speedup_verdict)verdict));
		page_close(json, ']');
	}
	page_close(json, ']');
	page_key(json, "speedups");
	if (!has_base_variant(run)) {
		page_null(json);
		return;
	}
	page_open(json, '[');
	for (size_t i = 0; i < run->trial_count; i++)
		speedup_item(json, &run->trials[i].speedup);
	page_close(json, ']');
}
