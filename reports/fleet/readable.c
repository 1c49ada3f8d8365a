/* A comparison of many GPUs as text and Markdown: a table of each model. And its phrases. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/fleet/fleet.h"
#include "reports/table/escape.h"
#include "reports/table/readable.h"
#include "reports/table/table.h"

/* ---- phrases ---- */

static void describe_level(struct text *out, const struct fleet_report *report, size_t quantity,
			   const struct fleet_level *level)
{
	static const char *const readable[FLEET_MEASURES] = {NULL, "SM clock", "memory clock",
							     "power"};

	if (out->length)
		text_add(out, ", ");
	if (quantity == FLEET_TIME)
		text_add(out, level->change > 0 ? "slower" : "faster");
	else if (quantity < FLEET_MEASURES)
		text_addf(out, "%s %s", readable[quantity], level->change > 0 ? "higher" : "lower");
	else
		text_addf(out, "%s %+.2f %%", fleet_quantity_name(report->fleet, quantity),
			  100 * level->change);
}

/* If a case lies so much farther from its peers than the GPU, the slow-down is one of cases. */
#define CASE_STANDS_OUT 1.5

/* "slower in 2 of 9 cases, most in stream/copy/block=256: +4.20 %". Returns whether it says so: if
 * the cases are slower alike, the GPU is, without their names. */
static bool describe_cases(struct text *out, const struct fleet_report *report, size_t gpu)
{
	const struct fleet_level *time = fleet_level_at(report->judgement, gpu, FLEET_TIME);
	size_t count, slower = 0;
	const struct fleet_case *cases = fleet_cases_of(report->judgement, gpu, &count);

	if (!cases ||
	    (time->is_outlier && fabs(cases->level.change) < CASE_STANDS_OUT * fabs(time->change)))
		return false;
	for (size_t i = 0; i < count; i++)
		slower += cases[i].level.change > 0;
	text_addf(out, "%s in %zu of %zu cases, most in %s: %+.2f %%",
		  slower == count ? "slower"
		  : slower        ? "slower or faster"
				  : "faster",
		  count, time->cases, report->fleet->cases[cases->key], 100 * cases->level.change);
	return true;
}

/* In what a GPU is an outlier: "slower, SM clock lower, dram_copy lower". Appends nothing if it is
 * none. */
static void fleet_describe(struct text *out, const struct fleet_report *report, size_t gpu)
{
	const bool by_case = describe_cases(out, report, gpu);

	for (size_t i = 0; i < report->judgement->quantity_count; i++) {
		const struct fleet_level *level = fleet_level_at(report->judgement, gpu, i);

		if (level->is_outlier && !(by_case && i == FLEET_TIME))
			describe_level(out, report, i, level);
	}
}

void fleet_describe_facts(struct text *out, const struct fleet_report *report, size_t gpu)
{
	const struct fleet_judgement *judgement = report->judgement;
	const struct fleet_model *model = &judgement->models[judgement->model[gpu]];

	for (size_t i = 0; i < FLEET_FACTS; i++) {
		const char *value = report->fleet->gpus[gpu].facts[i], *usual = model->usual[i];

		if (value && usual && strcmp(value, usual) != 0)
			text_addf(out, "%s%s %s, most have %s", out->length ? "; " : "",
				  fleet_fact_name((enum fleet_fact)i), value, usual);
	}
}

/* The quantity that lies farthest from the peers; without one the case. NULL: the GPU is no
 * outlier.
 */
static const struct fleet_level *fleet_worst(const struct fleet_report *report, size_t gpu)
{
	const struct fleet_level *worst = NULL;
	size_t cases;

	for (size_t i = 0; i < report->judgement->quantity_count; i++) {
		const struct fleet_level *level = fleet_level_at(report->judgement, gpu, i);

		if (level->is_outlier && (!worst || fabs(level->change) > fabs(worst->change)))
			worst = level;
	}
	if (!worst && fleet_cases_of(report->judgement, gpu, &cases))
		worst = &fleet_cases_of(report->judgement, gpu, &cases)->level;
	return worst;
}

const char *fleet_word(const struct fleet_report *report, size_t gpu)
{
	if (report->judgement->why_not[gpu])
		return "not compared";
	return fleet_gpu_is_outlier(report->judgement, gpu) ? "apart" : "like its fleet";
}

/* "GPU-606b7d42" tells devices of one name apart. */
#define UUID_SHOWN 12
#define DAY_LENGTH 10     /* of "2026-11-21T02:50:45Z" */
#define GPUS_NAMED_MOST 5 /* of those that are not compared for one reason */

/* ---- the table ---- */

static const struct table_column readable_columns[] = {
	{.name = "gpu"},
	{.name = "host", .drop = 1},
	{.name = "device", .numeric = true, .drop = 2},
	{.name = "cases", .numeric = true, .drop = 6},
	{.name = "runs", .numeric = true, .drop = 5},
	{.name = "nights", .numeric = true, .drop = 7},
	{.name = "time", .numeric = true},
	{.name = "interval", .numeric = true, .head = "95 % interval", .drop = 3},
	{.name = "sm_clock", .numeric = true, .head = "SM clock", .drop = 4},
	{.name = "memory_clock", .numeric = true, .head = "memory clock", .drop = 8},
	{.name = "power", .numeric = true, .drop = 4},
	{.name = "since"},
	{.name = "verdict"},
	{.name = "differs"},
};

static void add_percent_cell(struct row *row, double change)
{
	struct text *cell = row_cell(row);

	if (isfinite(change))
		text_addf(cell, "%+.2f %%", 100 * change);
}

static void add_count_cell(struct row *row, size_t count)
{
	struct text *cell = row_cell(row);

	if (count)
		text_addf(cell, "%zu", count);
}

/* "2026-11-21, run 17"; without a change point "its first run, 2026-11-21". */
static void add_since_cell(struct row *row, const struct fleet_level *level)
{
	struct text *cell = row_cell(row);
	char when[21];

	if (!level)
		return;
	format_utc(when, level->since_ns);
	if (level->since_change)
		text_addf(cell, "%.*s, run %lld", DAY_LENGTH, when, (long long)level->since_run);
	else
		text_addf(cell, "its first run, %.*s", DAY_LENGTH, when);
}

static void add_verdict_cell(struct row *row, const struct fleet_report *report, size_t gpu)
{
	const char *why_not = report->judgement->why_not[gpu];
	struct text *cell = row_cell(row);

	if (why_not)
		text_addf(cell, "not compared: %s", why_not);
	else
		fleet_describe(cell, report, gpu);
	if (!cell->length)
		text_add(cell, fleet_word(report, gpu));
}

/* The quantity that most is known of: of a GPU without times, that is another one. */
static const struct fleet_level *counted_level(const struct fleet_report *report, size_t gpu)
{
	for (size_t i = 0; i < report->judgement->quantity_count; i++) {
		const struct fleet_level *level = fleet_level_at(report->judgement, gpu, i);

		if (level->runs)
			return level;
	}
	return fleet_level_at(report->judgement, gpu, FLEET_TIME);
}

static void add_gpu_row(struct table *table, const struct fleet_report *report, size_t gpu)
{
	const struct fleet_judgement *judgement = report->judgement;
	const struct fleet_gpu *item = &report->fleet->gpus[gpu];
	const struct fleet_level *time = fleet_level_at(judgement, gpu, FLEET_TIME);
	const struct fleet_level *counted = counted_level(report, gpu);
	struct row row = {0};
	struct text *cell;

	/* in the order of the columns */
	text_addf(row_cell(&row), "%.*s", UUID_SHOWN, item->uuid);
	row_add(&row, item->host);
	cell = row_cell(&row);
	if (item->ordinal >= 0)
		text_addf(cell, "%lld", (long long)item->ordinal);
	add_count_cell(&row, counted->cases);
	add_count_cell(&row, counted->runs);
	add_count_cell(&row, counted->nights);
	add_percent_cell(&row, time->change);
	cell = row_cell(&row);
	if (isfinite(time->low))
		text_addf(cell, "%+.2f to %+.2f %%", 100 * time->low, 100 * time->high);
	add_percent_cell(&row, fleet_level_at(judgement, gpu, FLEET_SM_CLOCK)->change);
	add_percent_cell(&row, fleet_level_at(judgement, gpu, FLEET_MEMORY_CLOCK)->change);
	add_percent_cell(&row, fleet_level_at(judgement, gpu, FLEET_POWER)->change);
	add_since_cell(&row, fleet_worst(report, gpu));
	add_verdict_cell(&row, report, gpu);
	fleet_describe_facts(row_cell(&row), report, gpu);
	row_end(&row, table,
		fleet_gpu_is_outlier(judgement, gpu) ? ROW_BAD
		: judgement->why_not[gpu]            ? ROW_DIM
						     : ROW_PLAIN);
}

static void write_gpus(FILE *out, const struct fleet_report *report, size_t model,
		       enum report_format format, const struct report_options *options)
{
	const struct fleet_judgement *judgement = report->judgement;
	struct table *table = table_new(readable_columns, ARRAY_SIZE(readable_columns));

	for (size_t i = 0; i < report->fleet->gpu_count; i++) {
		const size_t gpu = judgement->order[i];

		if (judgement->model[gpu] == model &&
		    (report->all || fleet_gpu_is_outlier(judgement, gpu)))
			add_gpu_row(table, report, gpu);
	}
	if (table_row_count(table)) {
		table_drop_empty(table);
		putc('\n', out);
		if (format == REPORT_MARKDOWN)
			table_write_markdown(out, table);
		else
			table_write_text(out, table, options);
		putc('\n', out);
	}
	table_free(table);
}

/* ---- what the table does not show ---- */

/* One line per reason, with the first GPUs that it is true of. */
static void write_not_compared(FILE *out, const struct fleet_report *report, size_t model,
			       enum report_format format, const struct report_options *options)
{
	const struct fleet_judgement *judgement = report->judgement;
	const size_t count = report->fleet->gpu_count;
	bool *told = xcalloc(count + 1, sizeof(*told));

	for (size_t i = 0; i < count; i++) {
		struct text line = TEXT_INIT, names = TEXT_INIT;
		size_t gpus = 0;

		if (judgement->model[i] != model || !judgement->why_not[i] || told[i])
			continue;
		for (size_t k = i; k < count; k++) {
			const char *uuid = report->fleet->gpus[k].uuid;

			/* the reasons are constants */
			if (judgement->model[k] != model ||
			    judgement->why_not[k] != judgement->why_not[i])
				continue;
			told[k] = true;
			if (gpus++ < GPUS_NAMED_MOST)
				text_addf(&names, "%s%.*s", names.length ? ", " : "",
					  *uuid ? UUID_SHOWN : INT_MAX,
					  *uuid ? uuid : "one without a uuid");
		}
		if (gpus > GPUS_NAMED_MOST)
			text_addf(&names, " and %zu more", gpus - GPUS_NAMED_MOST);
		text_addf(&line, "Not compared: %s: %s.", names.data, judgement->why_not[i]);
		write_prose(out, line.data, format, options);
		text_release(&line);
		text_release(&names);
	}
	free(told);
}

/* "14 runs of each GPU: a difference of its time under 0.93 % would not show." And what that does
 * not cover. */
static void write_evidence(FILE *out, const struct fleet_model *model, enum report_format format,
			   const struct report_options *options)
{
	struct text line = TEXT_INIT;

	if (isnan(model->least))
		return;
	text_addf(&line, "Evidence: %zu", model->fewest_runs);
	if (model->most_runs > model->fewest_runs)
		text_addf(&line, " to %zu", model->most_runs);
	text_addf(
		&line,
		" run%s of each of %zu GPUs. A difference of the time under %.2f %% would not show",
		model->most_runs == 1 ? "" : "s", model->compared, 100 * model->least);
	if (model->least_worst > 1.5 * model->least)
		text_addf(&line, ", of some GPUs one under %.2f %%", 100 * model->least_worst);
	text_add(&line, model->most_runs == 1
				? ". With one run of each, the scatter between sessions of one GPU "
				  "is not known: a slow session looks like a slow GPU, so measure "
				  "the same cases again."
				: ", nor one that comes and goes between sessions.");
	if (format == REPORT_MARKDOWN)
		putc('\n', out);
	write_prose(out, line.data, format, options);
	text_release(&line);
}

static void write_model(FILE *out, const struct fleet_report *report, size_t at,
			enum report_format format, const struct report_options *options)
{
	const struct fleet_model *model = &report->judgement->models[at];
	const struct fleet_gpu *first = &report->fleet->gpus[model->first];
	struct text line = TEXT_INIT;

	text_addf(&line, "%s, compute capability %d.%d, %lld SMs: %zu GPU%s, %zu outlier%s",
		  first->name, first->cc_major, first->cc_minor, (long long)first->sm_count,
		  model->gpus, model->gpus == 1 ? "" : "s", model->outliers,
		  model->outliers == 1 ? "" : "s");
	if (format == REPORT_MARKDOWN)
		fputs("### ", out);
	write_prose(out, line.data, format, options);
	write_gpus(out, report, at, format, options);
	text_clear(&line);
	if (model->compared) {
		text_addf(&line, "%zu of %zu compared GPUs are like their fleet.",
			  model->compared - model->outliers, model->compared);
		if (format == REPORT_MARKDOWN && !model->outliers && !report->all)
			putc('\n', out);
		write_prose(out, line.data, format, options);
		write_evidence(out, model, format, options);
	}
	if (format == REPORT_MARKDOWN)
		putc('\n', out);
	write_not_compared(out, report, at, format, options);
	text_release(&line);
}

void fleet_readable(FILE *out, const struct fleet_report *report, enum report_format format,
		    const struct report_options *options)
{
	for (size_t i = 0; i < report->judgement->model_count; i++) {
		if (i > 0)
			putc('\n', out);
		write_model(out, report, i, format, options);
	}
}
