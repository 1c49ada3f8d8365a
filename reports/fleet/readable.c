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

static void write_fleet_line(FILE *out, const char *line, enum report_format format,
			     const struct report_options *options)
{
	struct text shown = TEXT_INIT, wrapped = TEXT_INIT;

	if (format == REPORT_MARKDOWN) {
		escape_markdown(&shown, line);
		fprintf(out, "%s\n", shown.data);
	} else {
		escape_show(&shown, line);
		wrap_text(&wrapped, 0, "", shown.data, (size_t)options->width);
		fwrite(wrapped.data, 1, wrapped.length, out);
	}
	text_release(&shown);
	text_release(&wrapped);
}

/* ---- the table ---- */

enum fleet_column {
	COLUMN_GPU,
	COLUMN_HOST,
	COLUMN_DEVICE,
	COLUMN_CASES,
	COLUMN_RUNS,
	COLUMN_NIGHTS,
	COLUMN_TIME,
	COLUMN_INTERVAL,
	COLUMN_SM_CLOCK,
	COLUMN_MEMORY_CLOCK,
	COLUMN_POWER,
	COLUMN_SINCE,
	COLUMN_VERDICT,
	COLUMN_DIFFERS,
	FLEET_COLUMNS,
};

static const struct table_column readable_columns[FLEET_COLUMNS] = {
	[COLUMN_GPU] = {.name = "gpu"},
	[COLUMN_HOST] = {.name = "host", .drop = 1},
	[COLUMN_DEVICE] = {.name = "device", .numeric = true, .drop = 2},
	[COLUMN_CASES] = {.name = "cases", .numeric = true, .drop = 6},
	[COLUMN_RUNS] = {.name = "runs", .numeric = true, .drop = 5},
	[COLUMN_NIGHTS] = {.name = "nights", .numeric = true, .drop = 7},
	[COLUMN_TIME] = {.name = "time", .numeric = true},
	[COLUMN_INTERVAL] = {.name = "interval",
			     .numeric = true,
			     .head = "95 % interval",
			     .drop = 3},
	[COLUMN_SM_CLOCK] = {.name = "sm_clock", .numeric = true, .head = "SM clock", .drop = 4},
	[COLUMN_MEMORY_CLOCK] = {.name = "memory_clock",
				 .numeric = true,
				 .head = "memory clock",
				 .drop = 8},
	[COLUMN_POWER] = {.name = "power", .numeric = true, .drop = 4},
	[COLUMN_SINCE] = {.name = "since"},
	[COLUMN_VERDICT] = {.name = "verdict"},
	[COLUMN_DIFFERS] = {.name = "differs"},
};

/* malloc'd; NULL: not known. */
static char *percent_text(double change)
{
	return isfinite(change) ? xasprintf("%+.2f %%", 100 * change) : NULL;
}

static char *fleet_interval_text(const struct fleet_level *level)
{
	if (!isfinite(level->low))
		return NULL;
	return xasprintf("%+.2f to %+.2f %%", 100 * level->low, 100 * level->high);
}

static char *count_text(size_t count)
{
	return count ? xasprintf("%zu", count) : NULL;
}

/* "2026-11-21, run 17"; without a change point "its first run, 2026-11-21". */
static char *since_text(const struct fleet_level *level)
{
	char when[21];

	if (!level)
		return NULL;
	format_utc(when, level->since_ns);
	return level->since_change
		       ? xasprintf("%.*s, run %lld", DAY_LENGTH, when, (long long)level->since_run)
		       : xasprintf("its first run, %.*s", DAY_LENGTH, when);
}

static char *verdict_text(const struct fleet_report *report, size_t gpu)
{
	const char *why_not = report->judgement->why_not[gpu];
	struct text text = TEXT_INIT;

	if (why_not)
		text_addf(&text, "not compared: %s", why_not);
	else
		fleet_describe(&text, report, gpu);
	return text.length ? text_detach(&text) : xstrdup(fleet_word(report, gpu));
}

static char *differing_facts_text(const struct fleet_report *report, size_t gpu)
{
	struct text text = TEXT_INIT;

	fleet_describe_facts(&text, report, gpu);
	return text.length ? text_detach(&text) : NULL;
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
	char *cells[FLEET_COLUMNS] = {
		[COLUMN_GPU] = *item->uuid ? xasprintf("%.*s", UUID_SHOWN, item->uuid) : NULL,
		[COLUMN_HOST] = item->host ? xstrdup(item->host) : NULL,
		[COLUMN_DEVICE] =
			item->ordinal < 0 ? NULL : xasprintf("%lld", (long long)item->ordinal),
		[COLUMN_CASES] = count_text(counted->cases),
		[COLUMN_RUNS] = count_text(counted->runs),
		[COLUMN_NIGHTS] = count_text(counted->nights),
		[COLUMN_TIME] = percent_text(time->change),
		[COLUMN_INTERVAL] = fleet_interval_text(time),
		[COLUMN_SM_CLOCK] =
			percent_text(fleet_level_at(judgement, gpu, FLEET_SM_CLOCK)->change),
		[COLUMN_MEMORY_CLOCK] =
			percent_text(fleet_level_at(judgement, gpu, FLEET_MEMORY_CLOCK)->change),
		[COLUMN_POWER] = percent_text(fleet_level_at(judgement, gpu, FLEET_POWER)->change),
		[COLUMN_SINCE] = since_text(fleet_worst(report, gpu)),
		[COLUMN_VERDICT] = verdict_text(report, gpu),
		[COLUMN_DIFFERS] = differing_facts_text(report, gpu),
	};

	table_row_styled(table, (const char *const *)cells,
			 fleet_gpu_is_outlier(judgement, gpu) ? ROW_BAD
			 : judgement->why_not[gpu]            ? ROW_DIM
							      : ROW_PLAIN);
	for (size_t i = 0; i < FLEET_COLUMNS; i++)
		free(cells[i]);
}

static void write_gpus(FILE *out, const struct fleet_report *report, size_t model,
		       enum report_format format, const struct report_options *options)
{
	const struct fleet_judgement *judgement = report->judgement;
	struct table *table = table_new(readable_columns, FLEET_COLUMNS);

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
		write_fleet_line(out, line.data, format, options);
		text_release(&line);
		text_release(&names);
	}
	free(told);
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
	write_fleet_line(out, line.data, format, options);
	write_gpus(out, report, at, format, options);
	text_clear(&line);
	if (model->compared) {
		text_addf(&line, "%zu of %zu compared GPUs are like their fleet.",
			  model->compared - model->outliers, model->compared);
		if (format == REPORT_MARKDOWN && !model->outliers && !report->all)
			putc('\n', out);
		write_fleet_line(out, line.data, format, options);
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
