/*
 * perflab study: whether a claim about kernels holds on this GPU. What the
 * claims need is measured as one sweep, which is stored like any other; the
 * answers come from what is stored.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/study.h"
#include "metrics/analysis/study.h"
#include "metrics/settings.h"

struct study_options {
	struct sweep_options sweep; /* first: the parts of a sweep take it for theirs */
	bool list;
};

/* ---- what there is ---- */

static int list_studies(const struct invocation *call, const struct study_set *set,
			struct error *err)
{
	static const struct table_column columns[] = {{.name = "study"},
						      {.name = "cases", .numeric = true, .drop = 2},
						      {.name = "answered_by", .drop = 1},
						      {.name = "made_on", .drop = 3},
						      {.name = "title"}};
	const struct study_options *options = call->options;
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	int rc;

	for (size_t i = 0; i < set->count; i++) {
		const struct study *study = &set->items[i];
		bool measured = study_answerable(study, false);
		bool emulated = study_answerable(study, true);
		char *cases = xasprintf("%zu", study->case_count);

		table_row(table, (const char *const[]){study->name, cases,
						       !emulated   ? "GPU"
						       : !measured ? "emulator"
								   : "GPU, emulator",
						       study->made_on, study->title});
		free(cases);
	}
	rc = table_to_stdout(call, table, (enum report_format)options->sweep.format, err);
	table_free(table);
	return rc;
}

/* ---- answers ---- */

static int print_results(const struct invocation *call, const struct study_set *set,
			 const struct study_result *results, bool emulated, struct error *err)
{
	const struct study_options *options = call->options;
	struct report_options look = {.colour = call->terminal.out_colour,
				      .width = call->terminal.out_width,
				      .ascii = call->terminal.out_ascii};
	struct study_report *reports = xcalloc(set->count, sizeof(*reports));
	int rc;

	for (size_t i = 0; i < set->count; i++) {
		const struct run *run = results[i].run;

		reports[i] = (struct study_report){
			.study = &set->items[i],
			.answer = &results[i].answer,
			.evidence = results[i].evidence,
			.emulated = emulated,
			.run_id = run ? run->id : 0,
			.device = run ? run->device.name : NULL,
			.driver = run ? run->device.driver : NULL,
		};
	}
	rc = report_studies(stdout, reports, set->count, (enum report_format)options->sweep.format,
			    &look, err);
	free(reports);
	return rc;
}

static void release_results(struct study_result *results, size_t count)
{
	for (size_t i = 0; i < count; i++)
		study_result_release(&results[i]);
	free(results);
}

/* ---- measuring ---- */

static int answer_from_run(struct invocation *call, const struct study_set *set, struct db *db,
			   int64_t run_id, bool emulated, struct error *err)
{
	struct study_result *results = xcalloc(set->count, sizeof(*results));
	struct run run = {0};
	size_t missing;
	int rc = db_run_load(db, run_id, true, &run, err);

	for (size_t i = 0; i < set->count && !rc; i++)
		rc = study_result_take(&results[i], &missing, &set->items[i], db, &run, err);
	if (!rc)
		rc = print_results(call, set, results, emulated, err);
	if (!rc)
		rc = sweep_conclude(call, &run, err);
	release_results(results, set->count);
	run_release(&run);
	return rc;
}

static int measure(struct invocation *call, const struct study_set *set, bool emulated,
		   struct error *err)
{
	struct study_options *options = call->options;
	struct sweep_call sweep = {.call = call,
				   .options = &options->sweep,
				   .backend = options->sweep.backend,
				   .db_path = options->sweep.db ? options->sweep.db
								: db_default_path()};
	struct sweep_stored stored = {0};
	struct plan *plan;
	struct db *db = NULL;
	int rc = backend_choose(&sweep.choice, call, err);

	progress_init(&sweep.progress, &call->terminal, options->sweep.quiet);
	if (!rc)
		rc = study_set_needs(&sweep.plan, &options->sweep.metrics, set, emulated, err);
	if (!rc && !options->sweep.metrics.count)
		string_list_add(&options->sweep.metrics, "none");
	if (!rc)
		rc = sweep_request_settings(&sweep.settings, &options->sweep, sweep.backend, err);
	if (!rc)
		rc = sweep_plan_build(&sweep.plan, NULL, &plan, err);
	if (!rc)
		rc = backend_choice_find(&sweep.choice, err);
	if (!rc && !sweep_database_is_new(sweep.db_path))
		rc = db_open(&db, sweep.db_path, DB_CREATE, err);
	if (!rc)
		rc = sweep_measure(&sweep, &db, &stored, err);
	if (!rc)
		rc = answer_from_run(call, set, db, stored.run_id, emulated, err);
	if (!rc && !options->sweep.quiet)
		say("run %lld is kept; perflab study --stored --db %s answers from it again",
		    (long long)stored.run_id, sweep.db_path);
	db_close(db);
	backend_choice_release(&sweep.choice);
	sweep_plan_release(&sweep.plan);
	measure_settings_release(&sweep.settings);
	string_list_release(&options->sweep.metrics); /* no row of an option owns it here */
	return rc;
}

/* ---- what is stored ---- */

/* Runs that studies are answered from, newest first. */
struct run_search {
	const char *backend;
	int64_t *ids;
	size_t count, capacity;
	struct device_info device; /* of the newest: the others are of the same */
};

static bool same_device(const struct device_info *a, const struct device_info *b)
{
	return strcmp(a->uuid, b->uuid) == 0 && strcmp(a->name, b->name) == 0;
}

static int note_run(void *context, const struct run *run, const struct trial_tally *tally)
{
	struct run_search *search = context;

	(void)tally;
	if (!run->label || strcmp(run->label, STUDY_LABEL) ||
	    strcmp(run->backend, search->backend) ||
	    (search->count && !same_device(&run->device, &search->device)))
		return 0;
	search->device = run->device;
	search->ids =
		xgrow(search->ids, &search->capacity, search->count + 1, sizeof(*search->ids));
	search->ids[search->count++] = run->id;
	return 0;
}

/* Answers so far, each from the run that lacks the fewest of its cases. */
struct stored_answers {
	struct study_result *results;
	size_t *missing; /* of each study; at first all that it needs */
	size_t open;     /* studies that miss any */
};

/* Takes from the run what no newer one answers as completely. *kept: there was some. */
static int answer_more(struct stored_answers *answers, bool *kept, const struct study_set *set,
		       struct db *db, const struct run *run, struct error *err)
{
	for (size_t i = 0; i < set->count; i++) {
		struct study_result taken;
		size_t missing;
		int rc;

		if (!answers->missing[i])
			continue;
		rc = study_result_take(&taken, &missing, &set->items[i], db, run, err);
		if (rc)
			return rc;
		if (missing >= answers->missing[i]) {
			study_result_release(&taken);
			continue;
		}
		study_result_release(&answers->results[i]);
		answers->results[i] = taken;
		answers->missing[i] = missing;
		answers->open -= !missing;
		*kept = true;
	}
	return 0;
}

static int answer_from_runs(const struct invocation *call, const struct study_set *set,
			    struct db *db, const struct run_search *search, bool emulated,
			    struct error *err)
{
	struct stored_answers answers = {
		.results = xcalloc(set->count, sizeof(*answers.results)),
		.missing = xcalloc(set->count, sizeof(*answers.missing)),
		.open = set->count,
	};
	struct run *runs = xcalloc(search->count, sizeof(*runs));
	int rc = 0;

	for (size_t i = 0; i < set->count; i++) {
		for (size_t c = 0; c < set->items[i].case_count; c++)
			answers.missing[i] += study_needs_case(&set->items[i], c, emulated);
		/* what needs none, for nothing of it is emulated, any run answers so */
		if (!answers.missing[i])
			answers.missing[i] = 1;
	}
	for (size_t i = 0; i < search->count && answers.open && !rc; i++) {
		bool kept = false;

		rc = db_run_load(db, search->ids[i], true, &runs[i], err);
		if (!rc)
			rc = answer_more(&answers, &kept, set, db, &runs[i], err);
		if (!kept)
			run_release(&runs[i]);
	}
	for (size_t i = 0; i < set->count && !rc; i++)
		if (!answers.results[i].run)
			study_result_absent(&answers.results[i], &set->items[i], emulated,
					    "in no stored run of studies");
	if (!rc)
		rc = print_results(call, set, answers.results, emulated, err);
	release_results(answers.results, set->count);
	for (size_t i = 0; i < search->count; i++)
		run_release(&runs[i]);
	free(runs);
	free(answers.missing);
	return rc;
}

static int answer_stored(const struct invocation *call, const struct study_set *set, bool emulated,
			 struct error *err)
{
	const struct study_options *options = call->options;
	const char *path = options->sweep.db ? options->sweep.db : db_default_path();
	struct run_search search = {.backend = options->sweep.backend};
	struct db *db = NULL;
	int rc = db_open(&db, path, DB_READ, err);

	if (!rc)
		rc = db_runs_visit(db, 0, note_run, &search, err);
	if (!rc && !search.count)
		rc = error_set(err, PL_ENOENT,
			       "%s has no run of studies of backend %s: perflab study measures one",
			       path, search.backend);
	if (!rc)
		rc = answer_from_runs(call, set, db, &search, emulated, err);
	free(search.ids);
	db_close(db);
	return rc;
}

/* ---- the verb ---- */

/* Of all that there are those with something for an emulator to count. Returns how many are not. */
static size_t keep_emulated(struct study_set *set)
{
	size_t kept = 0, all = set->count;

	for (size_t i = 0; i < all; i++) {
		if (study_answerable(&set->items[i], true))
			set->items[kept++] = set->items[i];
		else
			study_release(&set->items[i]);
	}
	set->count = kept;
	return all - kept;
}

/* An emulator that was not asked for can still be offered. */
static int offer_emulator(const struct study_set *set, int rc, struct error *err)
{
	size_t counted = 0;
	struct error cause = *err;

	for (size_t i = 0; i < set->count; i++)
		counted += study_answerable(&set->items[i], true);
	if (rc != PL_EUNSUPPORTED || !counted)
		return rc;
	return error_set(err, rc,
			 "%s; without a GPU --backend ptx answers what counts decide, of %zu of "
			 "the %zu studies",
			 cause.text, counted, set->count);
}

static int run_study(struct invocation *call, struct error *err)
{
	const struct study_options *options = call->options;
	const bool emulated = strcmp(options->sweep.backend, BACKEND_PTX) == 0;
	struct study_set set = {0};
	size_t left_out = 0;
	int rc;

	if (!options->list &&
	    !report_format_applies((enum report_format)options->sweep.format, OF_STUDY))
		return error_set(err, PL_EUSAGE, "--format %s is for --list only",
				 report_format_name((enum report_format)options->sweep.format));
	rc = backend_must_be_named(options->sweep.backend, err);
	if (!rc)
		rc = study_set_load(&set, &call->operands, err);
	if (!rc && emulated && !options->list && !call->operands.count)
		left_out = keep_emulated(&set);
	if (!rc && options->list)
		rc = list_studies(call, &set, err);
	else if (!rc && options->sweep.stored)
		rc = answer_stored(call, &set, emulated, err);
	else if (!rc)
		rc = measure(call, &set, emulated, err);
	if (!rc && left_out && !options->sweep.quiet)
		say("%zu more studies need a GPU", left_out);
	if (rc && !emulated)
		rc = offer_emulator(&set, rc, err);
	study_set_release(&set);
	return rc;
}

static void study_defaults(void *context)
{
	struct study_options *options = context;

	command_sweep.defaults(&options->sweep);
	options->sweep.backend = BACKEND_CUDA;
	options->sweep.label = STUDY_LABEL;
	options->sweep.ceilings = CEILINGS_NEVER;
}

#define FIELD(name) offsetof(struct study_options, sweep.name)

static const struct option_row rows[] = {
	{"list", 0, OPTION_FLAG, offsetof(struct study_options, list), NULL,
	 "print which studies there are; measure nothing", NULL, 0},
	{"stored", 0, OPTION_FLAG, FIELD(stored), NULL,
	 "answer from the runs of studies in the database; measure nothing", NULL, 0},
	{"db", 0, OPTION_TEXT, FIELD(db), "FILE",
	 "the database (default: $PERFLAB_DB, else perflab.db)", NULL, 0},
	{"backend", 0, OPTION_TEXT, FIELD(backend), "cuda|ptx",
	 "what executes: a GPU, or the emulator, which answers what counts of PTX decide", NULL, 0},
	{"device", 'd', OPTION_COUNT, FIELD(device), "NUMBER",
	 "the device, as perflab list devices counts", NULL, 0},
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
	{"jobs", 'j', OPTION_COUNT, FIELD(jobs), "NUMBER",
	 "ptx: cases at a time; 0 is one a processor", NULL, 0},
	{"format", 'f', OPTION_CHOICE, FIELD(format), "FORMAT",
	 "the format of the answers, or of --list, which alone takes csv", table_format_words, 0},
	{"quiet", 'q', OPTION_FLAG, FIELD(quiet), NULL, "no progress, only what went wrong", NULL,
	 0},
};

static const struct example examples[] = {
	{"perflab study --list", "which claims there are"},
	{"perflab study divergence_two_ifs", "one of them, on the first GPU"},
	{"perflab study 'reduce_*' --format md", "some, as a table that pastes into a report"},
	{"perflab study --backend ptx", "without a GPU: what counts decide"},
	{"perflab study ./mine.study", "one of your own"},
	{"perflab study --stored", "what was measured last, answered again"},
};

const struct command command_study = {
	.name = "study",
	.summary = "ask the GPU whether claims about kernels hold on it",
	.operands = "[NAME ... | FILE.study ...]",
	.description =
		"A study is a claim with its source, the cases that decide it, what is computed of "
		"their times and counters, and within which limits the claim holds. perflab "
		"measures the cases as one sweep, stores it, and answers each claim: it holds, it "
		"does not hold, or it is inconclusive, which is said with the reason: the interval "
		"reaches across a limit, or something could not be measured.\n\n"
		"No name means all; names take * and ?. A study is a text file, and adding one "
		"needs no program: see docs/studies.md.\n\n"
		"Intervals are of 95 % for each claim by itself, from the medians of the rounds; "
		"counters are counted once and have none. With --backend ptx only counts of the "
		"emulator are used, and claims about time stay inconclusive.",
	.exit_status = "0 when answered, whatever the answers. 1 when a result was wrong, else 3 "
		       "when a case failed for another reason; 4 where there is no GPU.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct study_options),
	.defaults = study_defaults,
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_STUDIES,
	.operands_most = SIZE_MAX,
	.run = run_study,
};
