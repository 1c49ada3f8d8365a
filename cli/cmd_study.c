/* perflab study: measures whether claims about kernels hold on this GPU, and prints the answers. */
#include <stdlib.h>
#include <string.h>

#include "cli/measure_options.h"
#include "cli/output.h"
#include "harness/client/client.h"
#include "harness/study/study.h"

struct study_options {
	struct measure_options common;
	bool list, stored;
};

/* ---- tables ---- */

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
		const char *emulator = !study_answerable(study, true) ? ""
				       : study_decidable(study, true) ? "emulator"
								      : "emulator in part";
		struct cells cells = {0};

		cell_text(&cells, study->name);
		cell_format(&cells, "%zu", study->case_count);
		cell_format(&cells, "%s%s%s", measured ? "GPU" : "",
			    measured && *emulator ? ", " : "", emulator);
		cell_text(&cells, study->made_on);
		cell_text(&cells, study->title);
		cells_end(&cells, table);
	}
	rc = table_to_stdout(call, table, (enum report_format)options->common.format, err);
	table_free(table);
	return rc;
}

/* Whether the backend can answer the study, if only a part of it. */
static bool is_answerable(const struct study *study, const struct study_answers *answers)
{
	return !answers->emulated || study_answerable(study, true);
}

static void say_what_was_not_measured(const struct invocation *call, const struct study_set *set,
				      const struct study_answers *answers)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		count += !call->operands.count && is_answerable(&set->items[i], answers) &&
			 !answers->results[i].run;
	if (count)
		say("%zu more stud%s in no stored run, so %s not shown: perflab study measures "
		    "all, perflab study NAME one",
		    count, count == 1 ? "y is" : "ies are", count == 1 ? "it is" : "they are");
}

/* Names the studies that were left out, those that need times apart from those that need
 * counters. */
static void say_what_needs_a_gpu(const struct invocation *call, const struct study_set *set,
				 const struct study_answers *answers)
{
	static const struct {
		enum study_verdict verdict;
		const char *what;
	} needs[] = {{STUDY_NEEDS_TIMES, "times of a GPU"},
		     {STUDY_NEEDS_COUNTERS, "counters of a GPU"},
		     {STUDY_NEEDS_GPU, "a GPU"}};

	for (size_t k = 0; k < ARRAY_SIZE(needs); k++) {
		struct text names = TEXT_INIT;
		size_t count = 0;

		for (size_t i = 0; i < set->count; i++)
			if (!call->operands.count && !is_answerable(&set->items[i], answers) &&
			    answers->results[i].answer.verdict == needs[k].verdict)
				text_addf(&names, "%s%s", count++ ? ", " : "", set->items[i].name);
		if (count)
			say("%zu more stud%s %s, so %s: %s", count,
			    count == 1 ? "y needs" : "ies need", needs[k].what,
			    count == 1 ? "it is not shown" : "they are not shown", names.data);
		text_release(&names);
	}
}

static int print_answers(const struct invocation *call, const struct study_set *set,
			 const struct study_answers *answers, struct error *err)
{
	const struct study_options *options = call->options;
	const struct report_options look = output_look(call, &(struct output){0});
	struct study_report *reports = xcalloc(set->count + 1, sizeof(*reports));
	size_t count = 0;
	int rc;

	for (size_t i = 0; i < set->count; i++) {
		const struct study_result *result = &answers->results[i];

		/* without names, all studies are meant that can be answered, of stored runs those
		 * that were measured */
		if (!call->operands.count &&
		    (!is_answerable(&set->items[i], answers) || !result->run))
			continue;
		reports[count++] = (struct study_report){
			.study = &set->items[i],
			.answer = &result->answer,
			.evidence = result->evidence,
			.emulated = answers->emulated,
			.run_id = result->run ? result->run->id : 0,
			.device = result->run ? result->run->device.name : NULL,
			.driver = result->run ? result->run->device.driver : NULL,
		};
	}
	rc = report_studies(stdout, reports, count, (enum report_format)options->common.format,
			    &look, err);
	free(reports);
	if (!rc && !options->common.quiet) {
		say_what_was_not_measured(call, set, answers);
		say_what_needs_a_gpu(call, set, answers);
	}
	return rc;
}

/* ---- answers ---- */

static int measure_and_answer(struct invocation *call, const struct study_set *set,
			      struct error *err)
{
	const struct study_options *options = call->options;
	struct study_answers answers = {0};
	struct sweep_request request;
	struct sweep_observer observer;
	struct progress progress;
	const struct run *run;
	int rc;

	measure_request(&request, call, &options->common);
	request.label = STUDY_LABEL;
	request.ceilings = CEILINGS_NEVER;
	progress_init(&progress, &call->terminal, options->common.quiet);
	observer = progress_observer(&progress);
	rc = study_run(&request, set, &observer, interruption_catch(), &answers, err);
	progress_end(&progress);
	run = &answers.measured.run;
	if (!rc)
		rc = print_answers(call, set, &answers, err);
	if (!rc)
		rc = run_conclude(call, run, err);
	if (!rc && !options->common.quiet)
		say("run %lld is stored; perflab study --stored --db %s answers from it again",
		    (long long)run->id, request.db_path);
	study_answers_release(&answers);
	sweep_request_release(&request);
	return rc;
}

static int answer_from_database(const struct invocation *call, const struct study_set *set,
				struct error *err)
{
	const struct study_options *options = call->options;
	struct study_answers answers = {0};
	int rc = study_answer_stored(options->common.db ? options->common.db : db_default_path(),
				     options->common.backend, set, &answers, err);

	if (!rc)
		rc = print_answers(call, set, &answers, err);
	study_answers_release(&answers);
	return rc;
}

/* ---- the verb ---- */

static int run_study(struct invocation *call, struct error *err)
{
	static const char *const of_list[] = {"format", "quiet", NULL};
	static const char *const of_stored[] = {"db", "backend", "format", "quiet", NULL};
	const struct study_options *options = call->options;
	struct study_set set = {0};
	int rc = 0;

	if (options->list)
		rc = measuring_option_refuse(call, "list", of_list, err);
	else if (options->stored)
		rc = measuring_option_refuse(call, "stored", of_stored, err);
	if (rc)
		return rc;
	if (!options->list &&
	    !report_format_applies((enum report_format)options->common.format, OF_STUDY))
		return error_set(err, PL_EUSAGE, "--format %s works only with --list",
				 report_format_name((enum report_format)options->common.format));
	rc = study_set_load(&set, &call->operands, err);
	if (!rc && options->list)
		rc = list_studies(call, &set, err);
	else if (!rc && options->stored)
		rc = answer_from_database(call, &set, err);
	else if (!rc)
		rc = measure_and_answer(call, &set, err);
	study_set_release(&set);
	return rc;
}

static void study_defaults(void *context)
{
	struct study_options *options = context;

	measure_options_init(&options->common);
	options->common.backend = BACKEND_AUTO;
}

static const struct option_row study_rows[] = {
	FLAG_ROW("list", 0, study_options, list, "list the studies; measure nothing"),
	FLAG_ROW("stored", 0, study_options, stored,
		 "answer from the stored runs of studies; measure nothing"),
	ROW_DB(study_options),
	ROW_BACKEND(study_options, "auto|cuda|ptx",
		    "what executes the cases: a GPU, or the emulator, which answers claims about "
		    "counts of PTX; auto (default) takes the emulator if there is no GPU"),
	ROW_DEVICE(study_options),
	ROWS_SAMPLES(study_options),
	ROWS_ROUNDS(study_options),
	ROW_SEED(study_options),
	ROW_JOBS(study_options),
	ROW_FORMAT(study_options,
		   "the format of the answers, or of --list, which alone accepts csv"),
	ROW_QUIET(study_options),
};

static const struct example study_examples[] = {
	{"perflab study --list", "the claims that can be checked"},
	{"perflab study divergence_two_ifs", "one of them, on the first GPU"},
	{"perflab study 'reduce_*' --format md", "some, as a table that pastes into a report"},
	{"perflab study --backend ptx", "without a GPU: the claims about counts"},
	{"perflab study ./mine.study", "one of your own"},
	{"perflab study --stored", "answers from the newest stored measurements"},
};

const struct command command_study = {
	.name = "study",
	.summary = "measure whether claims about kernels hold on this GPU",
	.operands = "[NAME ... | FILE.study ...]",
	.description =
		"A study is a claim with its source, the cases that decide it, an expression over "
		"their times and counters, and the limits within which the claim holds. perflab "
		"measures the cases as one sweep, stores it, and answers each claim: it holds, it "
		"does not hold, or it is inconclusive. An inconclusive answer has a reason: the "
		"interval crosses a limit, or a case could not be measured.\n\n"
		"No name means all; names take * and ?. A study is a text file, and adding one "
		"needs no rebuild: see docs/studies.md.\n\n"
		"Intervals are 95 % for each claim by itself, from the medians of the rounds; "
		"counters are counted once and have none. Without a GPU, or with --backend ptx, "
		"perflab answers from counts of the emulator. Claims about time are then answered "
		"\"needs times\", claims about caches or machine code \"needs GPU counters\", "
		"with the command that answers them on a machine with a GPU.",
	.exit_status = "0 when answered, whatever the answers. 1 when a result was wrong, else 3 "
		       "when a case failed for another reason; 4 where nothing can answer: no GPU, "
		       "and no emulator.",
	OPTIONS_AND_EXAMPLES(study_options, study_rows, study_examples),
	.defaults = study_defaults,
	.operand_kind = OPERANDS_STUDIES,
	.operands_most = SIZE_MAX,
	.run = run_study,
};
