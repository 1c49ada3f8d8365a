/* perflab ceilings: what a device can do at most, measured and stored, or as it was stored. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/settings.h"

/* ---- the table ---- */

/* Whether it is the highest of its level or precision, and so the roof. */
static bool is_roof(const struct ceiling_list *list, const struct ceiling *ceiling)
{
	return ceiling == (ceiling->kind == CEILING_BANDWIDTH
				   ? ceiling_of_level(list, ceiling->of.level)
				   : ceiling_of_precision(list, ceiling->of.precision));
}

/* A number's cell: NULL where it is not known. */
static const char *cell(struct text *out, const char *format, double value)
{
	text_clear(out);
	if (!isfinite(value))
		return NULL;
	text_addf(out, format, value);
	return out->data;
}

static const char *rate_cell(struct text *out, double per_s, enum ceiling_kind kind)
{
	text_clear(out);
	if (!isfinite(per_s))
		return NULL;
	rate_text(out, per_s, kind);
	return out->data;
}

#define CELLS 7

static void add_for_people(struct table *table, const struct ceiling_list *list,
			   const struct ceiling *ceiling)
{
	struct text cells[CELLS];

	for (size_t i = 0; i < CELLS; i++)
		cells[i] = (struct text)TEXT_INIT;
	table_row(table,
		  (const char *const[]){
			  ceiling->name, ceiling_of_name(ceiling),
			  is_roof(list, ceiling) ? "yes" : "",
			  rate_cell(&cells[0], ceiling->per_s, ceiling->kind),
			  cell(&cells[1], "%.2f %%",
			       50 * (ceiling->high_per_s - ceiling->low_per_s) / ceiling->per_s),
			  cell(&cells[2], "%.0f MHz", ceiling->sm_clock_hz / 1e6),
			  rate_cell(&cells[3], ceiling->peak_per_s, ceiling->kind),
			  cell(&cells[4], "%.1f %%", 100 * ceiling->per_s / ceiling->peak_per_s),
			  ceiling->config});
	for (size_t i = 0; i < CELLS; i++)
		text_release(&cells[i]);
}

static void add_for_programs(struct table *table, const struct ceiling_list *list,
			     const struct ceiling *ceiling)
{
	struct text cells[CELLS];

	for (size_t i = 0; i < CELLS; i++)
		cells[i] = (struct text)TEXT_INIT;
	text_addf(&cells[6], "%lld", (long long)ceiling->run_id);
	table_row(table,
		  (const char *const[]){
			  ceiling->name, ceiling_of_name(ceiling),
			  is_roof(list, ceiling) ? "1" : "0",
			  cell(&cells[0], "%.10g", ceiling->per_s),
			  cell(&cells[1], "%.10g", ceiling->low_per_s),
			  cell(&cells[2], "%.10g", ceiling->high_per_s), ceiling_unit(ceiling),
			  cell(&cells[3], "%.10g", ceiling->sm_clock_hz),
			  cell(&cells[4], "%.10g", ceiling->peak_per_s),
			  cell(&cells[5], "%.4g", 100 * ceiling->per_s / ceiling->peak_per_s),
			  ceiling->config, cells[6].data});
	for (size_t i = 0; i < CELLS; i++)
		text_release(&cells[i]);
}

static int print_ceilings(const struct invocation *call, const struct ceiling_list *list,
			  enum report_format format, struct error *err)
{
	static const struct table_column of_people[] = {
		{.name = "ceiling"},
		{.name = "of"},
		{.name = "roof", .drop = 3},
		{.name = "rate", .numeric = true},
		{.name = "interval", .numeric = true, .head = "+-"},
		{.name = "clock", .numeric = true, .head = "SM CLOCK", .drop = 2},
		{.name = "peak", .numeric = true, .drop = 1},
		{.name = "peak_pct", .numeric = true, .head = "OF PEAK"},
		{.name = "config", .drop = 4}};
	static const struct table_column of_programs[] = {{.name = "name"},
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
	bool human = report_format_has(format, HUMAN_READABLE);
	struct table *table = human ? table_new(of_people, ARRAY_SIZE(of_people))
				    : table_new(of_programs, ARRAY_SIZE(of_programs));
	int rc;

	for (size_t i = 0; i < list->count; i++) {
		if (human)
			add_for_people(table, list, &list->items[i]);
		else
			add_for_programs(table, list, &list->items[i]);
	}
	rc = table_to_stdout(call, table, format, err);
	table_free(table);
	return rc;
}

/* ---- measuring ---- */

/* Drops what another run measured. */
static void keep_of_run(struct ceiling_list *list, int64_t run_id)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].run_id == run_id)
			list->items[kept++] = list->items[i];
	list->count = kept;
}

static int print_measured(struct invocation *call, struct db *db, int64_t run_id, struct error *err)
{
	const struct sweep_options *options = call->options;
	struct ceiling_list list = {0};
	struct run run = {0};
	int rc = db_run_load(db, run_id, true, &run, err);

	if (!rc)
		rc = db_ceilings_load(db, run_id, &list, err);
	keep_of_run(&list, run_id);
	if (!rc)
		rc = print_ceilings(call, &list, (enum report_format)options->format, err);
	if (!rc)
		rc = sweep_conclude(call, &run, err);
	ceiling_list_release(&list);
	run_release(&run);
	return rc;
}

static int plan_ceilings(struct sweep_call *sweep, struct error *err)
{
	const struct string_list *words = &sweep->call->operands;
	struct plan *plan;
	int rc = 0;

	for (size_t i = 0; i < words->count; i++) {
		char *selector = xasprintf(CEILINGS_KERNEL "/%s", words->items[i]);

		string_list_add(&sweep->plan.selectors, selector);
		free(selector);
	}
	if (!words->count)
		string_list_add(&sweep->plan.selectors, CEILINGS_KERNEL);
	for (size_t i = 0; i < sweep->options->sets.count && !rc; i++)
		rc = sweep_plan_set(&sweep->plan, sweep->options->sets.items[i], err);
	return rc ? rc : sweep_plan_build(&sweep->plan, NULL, &plan, err);
}

static int measure(struct invocation *call, struct error *err)
{
	const struct sweep_options *options = call->options;
	struct sweep_call sweep = {.call = call,
				   .options = options,
				   .backend = options->backend,
				   .db_path = options->db ? options->db : db_default_path(),
				   .of_ceilings = true};
	struct sweep_stored stored = {0};
	struct text worker = TEXT_INIT;
	struct db *db = NULL;
	int rc = ceilings_settings(&sweep.settings, options, sweep.backend, err);

	progress_init(&sweep.progress, &call->terminal, options->quiet);
	if (!rc)
		rc = plan_ceilings(&sweep, err);
	if (!rc)
		rc = worker_find(&worker, sweep.backend, err);
	if (!rc && !sweep_database_is_new(sweep.db_path))
		rc = db_open(&db, sweep.db_path, DB_CREATE, err);
	if (!rc)
		rc = sweep_measure(&sweep, &db, &stored, err);
	if (!rc)
		rc = print_measured(call, db, stored.run_id, err);
	if (!rc && !options->quiet)
		say("run %lld is kept; perflab ceilings --stored --db %s prints it again",
		    (long long)stored.run_id, sweep.db_path);
	db_close(db);
	text_release(&worker);
	sweep_plan_release(&sweep.plan);
	measure_settings_release(&sweep.settings);
	return rc;
}

/* ---- what is stored ---- */

static int print_stored(const struct invocation *call, struct error *err)
{
	const struct sweep_options *options = call->options;
	const char *path = options->db ? options->db : db_default_path();
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
		rc = print_ceilings(call, &list, (enum report_format)options->format, err);
	ceiling_list_release(&list);
	db_close(db);
	return rc;
}

static int run_ceilings(struct invocation *call, struct error *err)
{
	const struct sweep_options *options = call->options;
	int rc = backend_must_be_named(options->backend, err);

	if (rc)
		return rc;
	if (!options->stored)
		return measure(call, err);
	if (call->operands.count > 1)
		return error_set(err, PL_EUSAGE,
				 "--stored takes one run, whose device is meant, not \"%s\"",
				 call->operands.items[1]);
	return print_stored(call, err);
}

static void ceilings_defaults(void *context)
{
	struct sweep_options *options = context;

	command_sweep.defaults(options);
	options->backend = BACKEND_CUDA;
	options->label = CEILINGS_LABEL;
	options->rounds = CEILINGS_ROUNDS;
	options->precision = CEILINGS_PRECISION;
}

#define FIELD(name) offsetof(struct sweep_options, name)

static const struct option_row rows[] = {
	{"stored", 0, OPTION_FLAG, FIELD(stored), NULL,
	 "print what the database has of the device of a run; measure nothing", NULL, 0},
	{"db", 0, OPTION_TEXT, FIELD(db), "FILE",
	 "the database (default: $PERFLAB_DB, else perflab.db)", NULL, 0},
	{"device", 'd', OPTION_COUNT, FIELD(device), "NUMBER",
	 "the device, as perflab list devices counts", NULL, 0},
	{"label", 'l', OPTION_TEXT, FIELD(label), "TEXT",
	 "a name for the run; of another name, it gives no roofs to other runs", NULL, 0},
	{"note", 0, OPTION_TEXT, FIELD(note), "TEXT", "a remark that is kept with the run", NULL,
	 0},
	{"set", 's', OPTION_LIST, FIELD(sets), "NAME=VALUES",
	 "values of an axis, such as block=128,256; repeatable", NULL, 0},
	{"min-samples", 0, OPTION_COUNT, FIELD(min_samples), "NUMBER",
	 "samples that each case gets at least", NULL, 1},
	{"max-time", 0, OPTION_DURATION, FIELD(max_time_ns), "TIME",
	 "device time for timing one case, over all rounds: 500ms, 2s", NULL, 0},
	{"precision", 0, OPTION_RATIO, FIELD(precision), "RATIO",
	 "stop when the median is known to this: 0.5%, 0.005", NULL, 0},
	{"rounds", 0, OPTION_COUNT, FIELD(rounds), "NUMBER",
	 "times that all is measured, each in a fresh worker", NULL, 1},
	{"timeout", 0, OPTION_DURATION, FIELD(timeout_ns), "TIME",
	 "end a case when one phase of it takes longer", NULL, 0},
	{"seed", 0, OPTION_SEED, FIELD(seed), "NUMBER",
	 "seed of the inputs and of the order of cases", NULL, 0},
	{"backend", 0, OPTION_TEXT, FIELD(backend), "NAME", "what executes: it must have a clock",
	 NULL, 0},
	{"format", 'f', OPTION_CHOICE, FIELD(format), "FORMAT", "the format", table_format_words,
	 0},
	{"quiet", 'q', OPTION_FLAG, FIELD(quiet), NULL, "no progress, only what went wrong", NULL,
	 0},
};

static const struct example examples[] = {
	{"perflab ceilings", "every ceiling of the first GPU"},
	{"perflab ceilings 'dram_*' l2_read", "some of them"},
	{"perflab ceilings --format csv > ceilings.csv", "for a spreadsheet"},
	{"perflab ceilings f32_fma --set block=64..1024 --set blocks_per_sm=1,2,4,8",
	 "other configurations"},
	{"perflab ceilings --stored", "what was measured, of the device of the newest run"},
};

const struct command command_ceilings = {
	.name = "ceilings",
	.summary = "measure what a device can do at most, the roofs of a roofline",
	.operands = "[CEILING ... | --stored [RUN]]",
	.description =
		"Measures bandwidths of device memory (read, write, copy, triad), L2, L1 and "
		"shared "
		"memory, and rates of floating-point operations by precision, on tensor cores "
		"too, each in several configurations of the kernel family ceilings, whose results "
		"are verified like any kernel's. The best configuration is the ceiling; the "
		"highest ceiling of a memory level or precision is its roof. They are stored as a "
		"run of their own, and reports draw them.\n\n"
		"Beside each stands its interval, the clock of the SMs meanwhile, and the peak as "
		"datasheets compute it: what a multiprocessor does in a clock, by its compute "
		"capability, at the highest clock that the device states. A dash: not stated. "
		"Under load, and most of all on tensor cores, power keeps clocks below that.\n\n"
		"A CEILING is a variant, such as dram_copy, with * and ?. What the device cannot "
		"run is skipped. The first sweep into a database measures them by itself.",
	.exit_status = "1 when a result was wrong, else 3 when a case failed for another reason; 4 "
		       "where there is no GPU: an emulator measures no time.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct sweep_options),
	.defaults = ceilings_defaults,
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_FREE,
	.operands_most = SIZE_MAX,
	.run = run_ceilings,
};
