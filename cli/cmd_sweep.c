/* perflab sweep: from its options to a request, and from the run to a report. */
#include <stdlib.h>

#include "cli/gpus.h"
#include "cli/measure_options.h"
#include "cli/output.h"
#include "cli/sweep_end.h"
#include "harness/client/client.h"
#include "harness/judge/judge.h"
#include "harness/runs/runs.h"
#include "metrics/analysis/user_rules.h"
#include "metrics/catalogue/catalogue.h"
#include "reports/reports.h"

struct sweep_options {
	struct measure_options common;
	struct case_options cases;
	const char *label, *note, *resume, *counter_dump;
	const char *shard, *sweep_id;
	const char *baseline, *against, *changed_since, *compare, *decide_time;
	const char *gpus, *rules;
	int64_t wait_counters_ns;
	bool take_counters;
	int lines;  /* enum lines_when */
	int clocks; /* position in clocks_words */
	bool no_source;
	bool dry_run, verbose, all_metrics, decide, spread;
	int interference;
};

static void sweep_defaults(void *context)
{
	struct sweep_options *options = context;

	measure_options_init(&options->common);
	case_options_init(&options->cases);
	options->common.backend = BACKEND_AUTO;
}

/* Those of the first interim analysis: most cases need no more. */
#define DECIDE_FIRST_ROUNDS 3

/* The clocks beside the metrics of the user, or beside the usual ones. */
static void add_clocks(struct sweep_request *request, const struct string_list *metrics)
{
	if (!metrics->count)
		string_list_add(&request->metrics, metric_set_name(METRIC_SET_CORE));
	string_list_add(&request->metrics, metric_set_name(METRIC_SET_CLOCKS));
}

static int make_sweep_request(struct sweep_request *request, const struct invocation *call,
			      struct error *err)
{
	const struct sweep_options *options = call->options;

	measure_request(request, call, &options->common);
	request->settings.counter_dump =
		options->counter_dump ? xstrdup(options->counter_dump) : NULL;
	request->label = options->label;
	request->note = options->note;
	request->shard = options->shard;
	request->sweep_id = options->sweep_id;
	request->resume = options->resume;
	request->base_variant = options->baseline;
	request->against = options->against;
	request->changed_since = options->changed_since;
	request->decide = options->decide;
	if (options->decide && !option_given(call, "rounds"))
		request->settings.rounds = DECIDE_FIRST_ROUNDS;
	request->compare = options->compare;
	request->wait_counters_ns = options->wait_counters_ns;
	request->take_counters = options->take_counters;
	request->lines = (enum lines_when)options->lines;
	request->no_source = options->no_source;
	if (options->rules && options->gpus)
		return error_set(
			err, PL_EUSAGE,
			"--rules is about one run: leave --gpus out, or report each run with "
			"perflab report --rules");
	if (options->spread && !options->gpus)
		return error_set(err, PL_EUSAGE,
				 "--spread measures every case on each of several GPUs: name them "
				 "with --gpus, as in --gpus all");
	if (option_given(call, "interference") && (!options->gpus || options->spread))
		return error_set(
			err, PL_EUSAGE, "--interference is for cases that are split over GPUs: %s",
			options->spread ? "leave it or --spread out" : "name the GPUs with --gpus");
	if (option_given(call, "lines") && request->lines != LINES_NONE &&
	    string_list_has(&options->cases.metrics, "none"))
		return error_set(err, PL_EUSAGE,
				 "--lines counts instructions with the counters that --metrics "
				 "none does without: leave one of them out");
	if (options->against && options->gpus)
		return error_set(
			err, PL_EUSAGE,
			"--against measures both versions on one GPU: leave --gpus out, or "
			"choose a GPU with --device");
	if (options->changed_since && options->gpus)
		return error_set(
			err, PL_EUSAGE,
			"--changed-since measures on the GPU of its run: leave --gpus out, or "
			"choose a GPU with --device");
	if (!report_format_applies((enum report_format)options->common.format,
				   options->against ? OF_REGRESS : OF_TABLE))
		return error_set(err, PL_EUSAGE, "--format %s: %s",
				 report_format_name((enum report_format)options->common.format),
				 options->against ? "a comparison cannot be written so: choose "
						    "text, md, json or junit"
						  : "this is for comparisons, as with --against");
	if (options->decide_time) {
		int rc = parse_duration_ns(&request->decide_ns, options->decide_time, err);

		if (!rc && !request->decide_ns)
			rc = error_set(err, PL_EUSAGE, "the time %s is too short: give more than 0",
				       options->decide_time);
		if (rc)
			return error_context(err, rc, "--decide-time");
	}
	if (options->clocks && string_list_has(&options->cases.metrics, "none"))
		return error_set(err, PL_EUSAGE,
				 "--clocks all adds metrics, and --metrics none takes none: give "
				 "--metrics clocks for the clocks alone");
	if (options->clocks)
		add_clocks(request, &options->cases.metrics);
	return case_options_apply(request, call, &options->cases, err);
}

/* ---- the plan ---- */

/* NULL of NULL. */
static char *case_name(const struct plan_case *planned)
{
	return planned ? xasprintf("%s/%s/%s", planned->kernel, planned->variant, planned->config)
		       : NULL;
}

static const char *plan_state(const struct plan_case *planned)
{
	if (planned->failed && !planned->finished)
		return "fail";
	return planned->skip_reason ? "skip" : planned->finished ? "done" : "run";
}

static int print_plan(const struct invocation *call, const struct plan *plan, struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "case"}, {.name = "plan"}, {.name = "reason"}, {.name = "beside"}};
	const struct sweep_options *options = call->options;
	const enum report_format format = (enum report_format)options->common.format;
	const char *const none = format == REPORT_TEXT ? "" : NULL;
	struct table *table =
		table_new(columns, ARRAY_SIZE(columns) - (plan->base_variant ? 0 : 1));
	int rc;

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_case *planned = &plan->cases[i];
		char *base = case_name(plan_base(plan, planned));
		struct cells cells = {0};

		cell_take(&cells, case_name(planned));
		cell_text(&cells, plan_state(planned));
		cell_text(&cells, planned->skip_reason ? planned->skip_reason : none);
		cell_text(&cells, base ? base : none);
		cells_end(&cells, table);
		free(base);
	}
	rc = table_to_stdout(call, table, format, err);
	table_free(table);
	return rc;
}

static struct gpus_request gpus_wanted(const struct sweep_options *options)
{
	return (struct gpus_request){options->gpus, options->spread,
				     (enum interference_when)options->interference};
}

static int show_plan(struct invocation *call, const struct sweep_request *request,
		     struct progress *progress, struct error *err)
{
	const struct sweep_observer observer = progress_observer(progress);
	const struct sweep_options *options = call->options;
	const struct gpus_request gpus = gpus_wanted(options);
	struct sweep_preview preview;
	struct text said = TEXT_INIT;
	int rc = options->gpus ? gpus_check(request, &gpus, &said, err) : 0;

	if (!rc && said.length)
		say("%s", said.data);
	text_release(&said);
	if (rc)
		return rc;
	rc = sweep_plan_only(request, &observer, interruption_catch(), &preview, err);
	progress_end(progress);
	if (rc)
		return rc;
	if (preview.device)
		say("planned for %s", preview.device);
	else
		say("no device: planned for the least that every CUDA device has; %s",
		    preview.absent);
	rc = print_plan(call, preview.plan, err);
	if (!rc)
		say("%zu %s: %zu to run, %zu skipped", preview.plan->count,
		    preview.plan->count == 1 ? "case" : "cases", preview.plan->runnable,
		    preview.plan->count - preview.plan->runnable - preview.failed);
	if (!rc && preview.failed) {
		call->exit_code = EXIT_FAILED;
		say("%zu %s failed; the reasons are in the plan", preview.failed,
		    preview.failed == 1 ? "case" : "cases");
	}
	sweep_preview_release(&preview);
	return rc;
}

/* ---- the run ---- */

/* Prints what changed since the revision, and fails if something became worse. */
static int report_against(struct invocation *call, const struct sweep_result *result,
			  const struct report_options *look, struct error *err)
{
	const struct sweep_options *options = call->options;
	char *head = xasprintf("%lld", (long long)result->run.id);
	struct run_comparison_request request = {
		.base = BASE_AGAINST, .head = head, .options = {.limits = change_limits_default}};
	struct run_comparison comparison = {0};
	struct comparison_rules rules = {0};
	int rc = comparison_rules_load(&rules, &request.options, NULL, NULL, err);

	if (!rc)
		rc = compare_runs(&comparison, result->db, &request, err);
	if (!rc)
		rc = comparison_add_lines(&comparison, result->db, false, err);
	if (!rc) {
		const struct regress_report report = {.base = &comparison.base,
						      .head = &comparison.head,
						      .regress = &comparison.regress,
						      .differences = &comparison.differences,
						      .thresholds = rules.thresholds_path,
						      .lines = &comparison.lines};

		rc = report_regress(stdout, &report, (enum report_format)options->common.format,
				    look, err);
	}
	if (!rc)
		rc = run_conclude(call, &result->run, err);
	if (!rc && comparison.regress.gating)
		call->exit_code = EXIT_FINDING;
	if (!rc)
		say_same_code(&result->run);
	run_comparison_release(&comparison);
	comparison_rules_release(&rules);
	free(head);
	return rc;
}

static int report_result(struct invocation *call, struct sweep_result *result, const char *db_path,
			 struct error *err)
{
	const struct sweep_options *options = call->options;
	const struct run *run = &result->run;
	struct ceiling_list ceilings = {0};
	const struct report_options look = {.colour = call->terminal.out_colour,
					    .width = call->terminal.out_width,
					    .ascii = call->terminal.out_ascii,
					    .all_metrics = options->all_metrics,
					    .no_page = report_format_why_not(REPORT_HTML) != NULL,
					    .db = options->common.db,
					    .ceilings = &ceilings};
	int rc = db_ceilings_load(result->db, run->id, &ceilings, err);

	if (!rc)
		rc = run_changes_load(result->db, &result->run, err);
	if (!rc && options->against)
		rc = report_against(call, result, &look, err);
	else if (!rc)
		rc = report_run(stdout, run, (enum report_format)options->common.format, &look,
				err);
	ceiling_list_release(&ceilings);
	if (!rc && !options->against)
		rc = run_conclude(call, run, err);
	if (!rc && result->impossible && call->exit_code == EXIT_FINE)
		call->exit_code = EXIT_FAILED;
	if (!rc && options->changed_since)
		rc = say_unchanged(result->db, run, err);
	if (!rc && options->resume)
		rc = say_one_of_group(result->db, options->resume, run->id, err);
	if (!rc && !options->common.quiet && options->against)
		say("run %lld is stored; perflab regress --base " BASE_AGAINST
		    " --head %lld --db %s prints this again, and with --all every case",
		    (long long)run->id, (long long)run->id, db_path);
	else if (!rc && !options->common.quiet)
		say("run %lld is stored; perflab report %lld --db %s prints it again",
		    (long long)run->id, (long long)run->id, db_path);
	return rc;
}

/* `rules` has none if the user gave none. */
static int measure_and_report(struct invocation *call, const struct sweep_request *request,
			      const struct user_rules *rules, struct progress *progress,
			      struct error *err)
{
	const struct sweep_observer observer = progress_observer(progress);
	struct sweep_result result;
	int rc = sweep_run(request, &observer, interruption_catch(), &result, err);

	progress_end(progress);
	if (!rc && result.run.traits.emulated && (rules->metric_count || rules->rule_count))
		say("--rules has no effect: it is about the counters of a device, and this run is "
		    "emulated");
	if (!rc)
		user_rules_derive(rules, &result.run);
	result.run.rules = rules;
	if (!rc)
		rc = report_result(call, &result, request->db_path, err);
	if (result.begun && ((const struct sweep_options *)call->options)->verbose)
		say_run_parts(call, &result.times.meter);
	sweep_result_release(&result);
	return rc;
}

static int measure_on_gpus(struct invocation *call, const struct sweep_request *request,
			   struct progress *progress, struct error *err)
{
	const struct sweep_options *options = call->options;
	const struct sweep_gpus_options several = {
		.gpus = gpus_wanted(options),
		.look = {.format = (enum report_format)options->common.format,
			 .db = options->common.db,
			 .all_metrics = options->all_metrics},
		.quiet = options->common.quiet,
		.verbose = options->verbose,
	};

	return sweep_gpus(call, request, &several, progress, err);
}

static int run_sweep(struct invocation *call, struct error *err)
{
	const struct sweep_options *options = call->options;
	struct sweep_request request;
	struct user_rules rules = {0};
	struct progress progress;
	int rc = make_sweep_request(&request, call, err);

	if (!rc && options->rules)
		rc = error_context(err, user_rules_load(&rules, options->rules, err), "--rules");
	user_rules_needs(&request.needed, &rules);
	progress_init(&progress, &call->terminal, options->common.quiet);
	if (!rc && options->dry_run)
		rc = show_plan(call, &request, &progress, err);
	else if (!rc && options->gpus)
		rc = measure_on_gpus(call, &request, &progress, err);
	else if (!rc)
		rc = measure_and_report(call, &request, &rules, &progress, err);
	sweep_request_release(&request);
	user_rules_release(&rules);
	return rc;
}

/* ---- the command ---- */

/* In the order of enum interference_when. */
static const char *const interference_words[] = {"auto", "always", "never", NULL};
static const char *const lines_words[] = {"best", "all", "none", NULL};
static const char *const clocks_words[] = {"samples", "all", NULL};

static const struct option_row sweep_rows[] = {
	ROWS_CASES(sweep_options),
	TEXT_ROW("baseline", 0, sweep_options, baseline, "VARIANT",
		 "measure the other variants beside this one, in turn and on the same buffers, and "
		 "show their speed-up; KERNEL/VARIANT for one kernel, none for no kernel (default: "
		 "with several files the first variant of the first, otherwise none)"),
	TEXT_ROW("against", 0, sweep_options, against, "REVISION",
		 "compare the files with themselves of a revision of their git repository, in the "
		 "same run and on the same buffers: a commit, branch or tag, or A...B for the "
		 "merge base"),
	TEXT_ROW("changed-since", 0, sweep_options, changed_since, "RUN",
		 "measure only cases whose machine code, launch, data or check changed since this "
		 "run, those that it did not measure, and three that did not change"),
	ROW_METRICS(sweep_options),
	TEXT_ROW("label", 'l', sweep_options, label, "TEXT", "a name for the run"),
	TEXT_ROW("note", 0, sweep_options, note, "TEXT", "a remark to store with the run"),
	ROW_DB(sweep_options),
	ROW_SEED(sweep_options),
	ROWS_SAMPLES(sweep_options),
	ROWS_CACHE_AND_CEILINGS(sweep_options),
	ROWS_ROUNDS(sweep_options),
	ROW_DEVICE(sweep_options),
	TEXT_ROW("gpus", 0, sweep_options, gpus, "GPUS",
		 "split the cases over several equal GPUs, so that the sweep is shorter: all, or "
		 "numbers or UUIDs separated by commas"),
	FLAG_ROW("spread", 0, sweep_options, spread,
		 "with --gpus: measure every case on every GPU, to compare the GPUs"),
	CHOICE_ROW("interference", 0, sweep_options, interference, "WHEN", interference_words,
		   "with --gpus: measure a few cases alone first, to see how much the other GPUs "
		   "change their times: auto does so if there are enough cases"),
	VALUE_ROW("wait-counters", 0, OPTION_DURATION, sweep_options, wait_counters_ns, "TIME",
		  "wait at most so long, in all, for counters that another process holds, such as "
		  "DCGM; without it the sweep goes on without them: 30s, 5min",
		  .resumes = true),
	FLAG_ROW("take-counters", 0, sweep_options, take_counters,
		 "copy counters that repeat exactly from earlier runs, if two of them counted the "
		 "same with the same machine code, launch, inputs, software and device; do not "
		 "count them again",
		 .resumes = true),
	TEXT_ROW("rules", 0, sweep_options, rules, "FILE",
		 HELP_RULES "; what they need is counted, too"),
	CHOICE_ROW("lines", 0, sweep_options, lines, "CASES", lines_words,
		   "sample and count single instructions, for `perflab report --lines`: of the "
		   "best case of each variant and size, of all cases, or of none",
		   .resumes = true),
	CHOICE_ROW("clocks", 0, sweep_options, clocks, "CLOCKS", clocks_words,
		   "all: time each case by other clocks, too, to compare with other tools: "
		   "--metrics clocks"),
	FLAG_ROW("no-source", 0, sweep_options, no_source,
		 "keep no source text and no machine code with the run", .resumes = true),
	TEXT_ROW("shard", 0, sweep_options, shard, "I/N",
		 "measure part I of N of the plan; perflab merge makes one run of all parts"),
	TEXT_ROW("sweep-id", 0, sweep_options, sweep_id, "TEXT",
		 "name of the sweep that the shards belong to (default: $SLURM_ARRAY_JOB_ID, if it "
		 "is set)"),
	FLAG_ROW("dry-run", 0, sweep_options, dry_run,
		 "print the plan, why cases are skipped and the GPUs of --gpus; measure nothing",
		 .resumes = true),
	TEXT_ROW("resume", 'r', sweep_options, resume, "RUN",
		 "continue an interrupted run; finished cases are not repeated", .resumes = true),
	FLAG_ROW("decide", 0, sweep_options, decide,
		 "add rounds to the cases for which a comparison is undecided, until they are "
		 "decided or the time for it ends; with --resume also to a finished run. The "
		 "first look is after 3 rounds, unless --rounds says otherwise",
		 .resumes = true),
	TEXT_ROW("compare", 0, sweep_options, compare, "RUN",
		 "the run that --decide compares with (default: last-good)", .resumes = true),
	TEXT_ROW("decide-time", 0, sweep_options, decide_time, "TIME",
		 "the most time for the rounds that --decide adds: 20s, 5min (default: 90 % of "
		 "what the sweep took before them, at least 10s; 48s for a resumed run whose time "
		 "is not stored)",
		 .resumes = true),
	ROW_BACKEND(sweep_options, "auto|cuda|ptx", BACKEND_OF_CASES),
	ROWS_EMULATOR(sweep_options),
	ROW_JOBS(sweep_options),
	CHOICE_ROW("format", 'f', sweep_options, common.format, "FORMAT", sweep_format_words,
		   "format of the report at the end"),
	FLAG_ROW("all-metrics", 'a', sweep_options, all_metrics,
		 "give every counter a column in that report", .resumes = true),
	TEXT_ROW("counter-dump", 0, sweep_options, counter_dump, "FOLDER",
		 "keep the raw counter-data images in FOLDER"),
	ROW_QUIET(sweep_options),
	FLAG_ROW("verbose", 'v', sweep_options, verbose,
		 "say at the end, on standard error, where the wall time went; --quiet does not "
		 "suppress it"),
};

static const struct example sweep_examples[] = {
	{"perflab sweep --block-sizes 64..1024", "every kernel at five block sizes"},
	{"perflab sweep reduce/shuffle stream --size 2^20,2^24", "some kernels at two sizes"},
	{"perflab sweep reduce --metrics memory,dram_bytes_per_s --label nightly",
	 "chosen counters, and a name to find the run by"},
	{"perflab sweep saxpy.cu --block-sizes 64..1024",
	 "kernels of your own file: see docs/your-kernel.md"},
	{"perflab sweep old.cu new.cu", "how much faster new.cu is than old.cu, side by side"},
	{"perflab sweep my.cu --against main... --decide",
	 "what the branch and your changes made faster or slower, without a stored run"},
	{"perflab sweep my.cu --changed-since last",
	 "only the cases whose machine code changed since the newest run"},
	{"perflab sweep softmax.capture --replace my.cu",
	 "how much faster my.cu is than a recorded kernel, on its data"},
	{"perflab sweep reduce --baseline sequential",
	 "each variant beside reduce/sequential, with its speed-up"},
	{"perflab sweep --block-sizes 32..1024:+32 --dry-run", "only the plan"},
	{"perflab sweep reduce --backend ptx --size 2^20", "results and counts, without a GPU"},
	{"perflab sweep --shard 2/8 --sweep-id nightly-7 --db 2.db",
	 "one of eight jobs that share a sweep; perflab merge joins their runs"},
	{"perflab sweep --gpus all", "the cases split over all GPUs of the machine"},
	{"perflab sweep --resume last", "continue after an interruption"},
	{"perflab sweep --decide", "measure until a change against the last good run is shown or "
				   "ruled out"},
};

const struct command command_sweep = {
	.name = "sweep",
	.summary = "run kernels over launch configurations and store the measurements",
	.operands = "[FILE ...] [KERNEL[/VARIANT[/CONFIG]] ...]",
	.description =
		"Verifies every case against a CPU oracle, or as the lines of its file say, times "
		"it until the median is precise enough, reads hardware counters in a separate "
		"execution, and stores everything. Without a kernel name it runs all kernels "
		"except those that run only when named: fault, ceilings, patterns and planted. "
		"Names take * and ?.\n\n"
		"A FILE ends in .cu, .cuh, .ptx, .cubin or .capture. Its lines `// perflab: ...`, "
		"or those of FILE.perflab beside it, describe its kernels. They are compiled for "
		"the device and swept instead of the built-in ones. Several files are variants of "
		"one operation, and the later ones are measured beside the first (--baseline).\n\n"
		"A .capture is a launch that perflab record took out of a program. It is launched "
		"again on the recorded memory and must give the recorded results. --replace "
		"measures a kernel of your own beside it.\n\n"
		"A case that cannot run here (a block that must be a power of two, too much shared "
		"memory) is skipped with its reason. A case that crashes or hangs is stored as "
		"such, and the sweep continues. The report goes to standard output at the end, "
		"progress to standard error.\n\n"
		"Without a usable GPU the backend ptx takes over. It executes the kernels' PTX on "
		"the processor, several cases side by side, checks results and memory accesses, "
		"and counts instructions, divergence and accesses under names of their own "
		"(ptx_...). It measures no time.\n\n"
		"Before the first sweep on a GPU, perflab measures the ceilings of the device and "
		"stores them as a run of their own: see perflab ceilings. --ceilings or "
		"$PERFLAB_CEILINGS changes this.\n\n"
		"With --decide, cases whose change against an earlier run is still undecided get "
		"more rounds: up to 20 with --rounds 3. Each added round also measures control "
		"cases. If these moved, the added rounds are discarded. The verdicts account for "
		"the repeated tests (docs/sequential-tests.md).\n\n"
		"With --against, the files and all that they include are also read as they were in "
		"a revision, which changes nothing in the working tree. Uncommitted changes belong "
		"to the new side. Each case is measured in turn with itself of then, unless both "
		"have the same machine code, launch and data. The report says what became faster "
		"or slower; perflab regress --base against writes it again, in another format "
		"(docs/ci.md).\n\n"
		"With --changed-since, everything is compiled, and what is as it was in that run "
		"is not measured. It is stored as skipped, and perflab regress shows it as same "
		"code. Three unchanged cases show the state of the session (docs/regress.md).\n\n"
		"With --gpus, a process for each GPU measures a part of the cases and stores its "
		"own run; --spread measures all cases on each GPU. One report shows all of them. A "
		"GPU that fails leaves its cases to the others. A few cases are measured alone "
		"first, to see how much the GPUs change each other's times (docs/many-gpus.md).\n\n"
		"The view run_times of the database has, for each run, what --verbose shows of one "
		"sweep: perflab query run_times. The times of a resumed run are added up.\n\n"
		"The first interrupt (Ctrl-C) ends the sweep cleanly, and --resume continues it.",
	.exit_status = "1 when a result was wrong, a kernel had an error, or with --against a case "
		       "became slower, else 3 when a case "
		       "failed for another reason, or no case of a variant can be launched; 4 also "
		       "when every case was skipped.",
	OPTIONS_AND_EXAMPLES(sweep_options, sweep_rows, sweep_examples),
	.defaults = sweep_defaults,
	.operand_kind = OPERANDS_CASES,
	.operands_most = SIZE_MAX,
	.run = run_sweep,
};
