/* perflab ceilings: measures and prints the ceilings of a device, or prints stored ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure_options.h"
#include "cli/output.h"
#include "harness/client/client.h"
#include "metrics/analysis/ceilings.h"
#include "reports/reports.h"

/* Whether it is the highest ceiling of its level or precision, which makes it the roof. */
static bool is_roof(const struct ceiling_list *list, const struct ceiling *ceiling)
{
	return ceiling == (ceiling->kind == CEILING_BANDWIDTH
				   ? ceiling_of_level(list, ceiling->of.level)
				   : ceiling_of_precision(list, ceiling->of.precision));
}

/* A cell with a number; NULL if it is not known. */
static void cell_measured(struct cells *cells, const char *format, double value)
{
	if (isfinite(value))
		cell_format(cells, format, value);
	else
		cell_text(cells, NULL);
}

static void add_rate(struct cells *cells, double per_s, enum ceiling_kind kind)
{
	struct text text = TEXT_INIT;

	if (isfinite(per_s))
		rate_text(&text, per_s, kind);
	cell_text(cells, isfinite(per_s) ? text.data : NULL);
	text_release(&text);
}

static void add_readable_ceiling(struct cells *cells, const struct ceiling_list *list,
				 const struct ceiling *ceiling)
{
	cell_text(cells, is_roof(list, ceiling) ? "yes" : "");
	add_rate(cells, ceiling->per_s, ceiling->kind);
	cell_measured(cells, "%.2f %%",
		      50 * (ceiling->high_per_s - ceiling->low_per_s) / ceiling->per_s);
	cell_measured(cells, "%.0f MHz", ceiling->sm_clock_hz / 1e6);
	add_rate(cells, ceiling->peak_per_s, ceiling->kind);
	cell_measured(cells, "%.1f %%", 100 * ceiling->per_s / ceiling->peak_per_s);
	cell_text(cells, ceiling->config);
}

static void add_machine_ceiling(struct cells *cells, const struct ceiling_list *list,
				const struct ceiling *ceiling)
{
	cell_text(cells, is_roof(list, ceiling) ? "1" : "0");
	cell_measured(cells, "%.10g", ceiling->per_s);
	cell_measured(cells, "%.10g", ceiling->low_per_s);
	cell_measured(cells, "%.10g", ceiling->high_per_s);
	cell_text(cells, ceiling_unit(ceiling));
	cell_measured(cells, "%.10g", ceiling->sm_clock_hz);
	cell_measured(cells, "%.10g", ceiling->peak_per_s);
	cell_measured(cells, "%.4g", 100 * ceiling->per_s / ceiling->peak_per_s);
	cell_text(cells, ceiling->config);
	cell_format(cells, "%lld", (long long)ceiling->run_id);
}

static int print_ceilings(const struct invocation *call, const struct ceiling_list *list,
			  enum report_format format, struct error *err)
{
	static const struct table_column readable_columns[] = {
		{.name = "ceiling"},
		{.name = "of"},
		{.name = "roof", .drop = 3},
		{.name = "rate", .numeric = true},
		{.name = "interval", .numeric = true, .head = "+-"},
		{.name = "clock", .numeric = true, .head = "SM CLOCK", .drop = 2},
		{.name = "peak", .numeric = true, .drop = 1},
		{.name = "peak_pct", .numeric = true, .head = "OF PEAK"},
		{.name = "config", .drop = 4}};
	static const struct table_column machine_columns[] = {
		{.name = "name"},
		{.name = "of"},
		{.name = "roof", .numeric = true},
		{.name = "per_s", .numeric = true},
		{.name = "low_per_s", .numeric = true},
		{.name = "high_per_s", .numeric = true},
		{.name = "unit"},
		{.name = "sm_clock_hz", .numeric = true},
		{.name = "peak_per_s", .numeric = true},
		{.name = "peak_pct", .numeric = true},
		{.name = "config"},
		{.name = "run_id", .numeric = true}};
	bool readable = report_format_has(format, HUMAN_READABLE);
	struct table *table = readable ? table_new(readable_columns, ARRAY_SIZE(readable_columns))
				       : table_new(machine_columns, ARRAY_SIZE(machine_columns));
	int rc;

	for (size_t i = 0; i < list->count; i++) {
		const struct ceiling *ceiling = &list->items[i];
		struct cells cells = {0};

		cell_text(&cells, ceiling->name);
		cell_text(&cells, ceiling_of_name(ceiling));
		if (readable)
			add_readable_ceiling(&cells, list, ceiling);
		else
			add_machine_ceiling(&cells, list, ceiling);
		cells_end(&cells, table);
	}
	rc = table_to_stdout(call, table, format, err);
	table_free(table);
	return rc;
}

struct ceilings_options {
	struct measure_options common;
	const char *label, *note;
	struct string_list sets;
	bool stored;
};

/* ---- measuring ---- */

static int make_ceilings_request(struct sweep_request *request, const struct invocation *call,
				 struct error *err)
{
	const struct ceilings_options *options = call->options;
	const struct string_list *words = &call->operands;
	int rc = 0;

	measure_request(request, call, &options->common);
	request->label = options->label;
	request->note = options->note;
	for (size_t i = 0; i < words->count; i++) {
		char *selector = xasprintf(CEILINGS_KERNEL "/%s", words->items[i]);

		string_list_add(&request->selectors, selector);
		free(selector);
	}
	if (!words->count)
		string_list_add(&request->selectors, CEILINGS_KERNEL);
	for (size_t i = 0; i < options->sets.count && !rc; i++)
		rc = sweep_request_set(request, options->sets.items[i], err);
	return rc;
}

/* Drops the ceilings that another run measured. */
static void keep_ceilings_of_run(struct ceiling_list *list, int64_t run_id)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].run_id == run_id)
			list->items[kept++] = list->items[i];
	list->count = kept;
}

static int print_measured_ceilings(struct invocation *call, const struct sweep_result *result,
				   const char *db_path, struct error *err)
{
	const struct ceilings_options *options = call->options;
	const struct run *run = &result->run;
	struct ceiling_list list = {0};
	int rc = db_ceilings_load(result->db, run->id, &list, err);

	keep_ceilings_of_run(&list, run->id);
	if (!rc)
		rc = print_ceilings(call, &list, (enum report_format)options->common.format, err);
	if (!rc)
		rc = run_conclude(call, run, err);
	if (!rc && !options->common.quiet)
		say("run %lld is stored; perflab ceilings --stored --db %s prints it again",
		    (long long)run->id, db_path);
	ceiling_list_release(&list);
	return rc;
}

static int measure_and_print_ceilings(struct invocation *call, struct error *err)
{
	const struct ceilings_options *options = call->options;
	struct sweep_result result = {0};
	struct sweep_request request;
	struct sweep_observer observer;
	struct progress progress;
	int rc = make_ceilings_request(&request, call, err);

	progress_init(&progress, &call->terminal, options->common.quiet);
	observer = progress_observer(&progress);
	if (!rc)
		rc = ceilings_run(&request, &observer, interruption_catch(), &result, err);
	progress_end(&progress);
	if (!rc)
		rc = print_measured_ceilings(call, &result, request.db_path, err);
	sweep_result_release(&result);
	sweep_request_release(&request);
	return rc;
}

/* ---- stored ceilings ---- */

static int print_stored_ceilings(const struct invocation *call, struct error *err)
{
	const struct ceilings_options *options = call->options;
	const char *path = options->common.db ? options->common.db : db_default_path();
	struct ceiling_list list = {0};
	struct db *db = NULL;
	int64_t id = 0;
	int rc = db_open(&db, path, DB_READ, err);

	if (!rc)
		rc = db_run_resolve(db, call->operands.count ? call->operands.items[0] : "last",
				    &id, err);
	if (!rc)
		rc = db_ceilings_load(db, id, &list, err);
	if (!rc && !list.count)
		rc = error_set(err, PL_ENOENT,
			       "%s has no ceilings of the device of run %lld: perflab ceilings "
			       "measures them",
			       path, (long long)id);
	if (!rc)
		rc = print_ceilings(call, &list, (enum report_format)options->common.format, err);
	ceiling_list_release(&list);
	db_close(db);
	return rc;
}

static int run_ceilings(struct invocation *call, struct error *err)
{
	static const char *const of_stored[] = {"db", "format", "quiet", NULL};
	const struct ceilings_options *options = call->options;
	int rc = backend_must_be_named(options->common.backend, err);

	if (!rc && options->stored)
		rc = measuring_option_refuse(call, "stored", of_stored, err);
	if (rc)
		return rc;
	if (!options->stored)
		return measure_and_print_ceilings(call, err);
	if (call->operands.count > 1)
		return error_set(err, PL_EUSAGE,
				 "--stored takes one run and prints the ceilings of its device; "
				 "\"%s\" is too much",
				 call->operands.items[1]);
	return print_stored_ceilings(call, err);
}

static void ceilings_defaults(void *context)
{
	struct ceilings_options *options = context;

	measure_options_init(&options->common);
	options->common.backend = BACKEND_CUDA;
	options->common.rounds = CEILINGS_ROUNDS;
	options->common.precision = CEILINGS_PRECISION;
	options->label = CEILINGS_LABEL;
}

static const struct option_row ceilings_rows[] = {
	FLAG_ROW("stored", 0, ceilings_options, stored,
		 "print the stored ceilings of the device of a run; measure nothing"),
	ROW_DB(ceilings_options),
	ROW_DEVICE(ceilings_options),
	TEXT_ROW("label", 'l', ceilings_options, label, "TEXT",
		 "a name for the run; with another name than the default, its ceilings serve no "
		 "other run"),
	TEXT_ROW("note", 0, ceilings_options, note, "TEXT", "a remark to store with the run"),
	LIST_ROW("set", 's', ceilings_options, sets, "NAME=VALUES",
		 "values of an axis, such as block=128,256; repeatable"),
	ROWS_SAMPLES(ceilings_options),
	ROWS_ROUNDS(ceilings_options),
	ROW_SEED(ceilings_options),
	ROW_BACKEND(ceilings_options, "cuda", "what executes the cases; it must measure time"),
	ROW_FORMAT(ceilings_options, "the format"),
	ROW_QUIET(ceilings_options),
};

static const struct example ceilings_examples[] = {
	{"perflab ceilings", "every ceiling of the first GPU"},
	{"perflab ceilings 'dram_*' l2_read", "some of them"},
	{"perflab ceilings --format csv > ceilings.csv", "for a spreadsheet"},
	{"perflab ceilings f32_fma --set block=64..1024 --set blocks_per_sm=1,2,4,8",
	 "other configurations"},
	{"perflab ceilings --stored", "the stored ceilings of the device of the newest run"},
};

const struct command command_ceilings = {
	.name = "ceilings",
	.summary = "measure the ceilings of a device, which are the roofs of a roofline",
	.operands = "[CEILING ... | --stored [RUN]]",
	.description =
		"Measures the bandwidths of device memory (read, write, copy, triad), L2, L1 and "
		"shared memory, and the rates of floating-point operations by precision, also on "
		"tensor cores. Each is measured in several configurations of the kernel family "
		"ceilings, and their results are verified like those of any kernel. The best "
		"configuration is the ceiling; the highest ceiling of a memory level or precision "
		"is its roof. The ceilings are stored as a run of their own, and reports draw "
		"them.\n\n"
		"The table also shows the confidence interval, the SM clock during the "
		"measurement, and the peak as datasheets compute it: the operations of a "
		"multiprocessor per clock, by its compute capability, at the highest clock that "
		"the device states. A dash means not stated. Under load, and most of all on tensor "
		"cores, power keeps clocks below that.\n\n"
		"A CEILING is a variant, such as dram_copy, with * and ?. Variants that the device "
		"cannot run are skipped. The first sweep into a database measures the ceilings by "
		"itself.",
	.exit_status = "1 when a result was wrong, else 3 when a case failed for another reason; 4 "
		       "where there is no GPU: an emulator measures no time.",
	OPTIONS_AND_EXAMPLES(ceilings_options, ceilings_rows, ceilings_examples),
	.defaults = ceilings_defaults,
	.operand_kind = OPERANDS_FREE,
	.operands_most = SIZE_MAX,
	.run = run_ceilings,
};
