/* perflab report: prints a stored run in any format. */
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "cli/damaged_profiles.h"
#include "cli/gpus.h"
#include "cli/output.h"
#include "harness/judge/judge.h"
#include "harness/runs/runs.h"
#include "harness/sources/sources.h"
#include "metrics/analysis/user_rules.h"

struct report_verb_options {
	const char *db;
	const char *output, *compare;
	const char *sort, *columns, *rules;
	int64_t top;
	int format;
	bool all, all_metrics, group, lines, sass, no_roofline, no_pager;
};

/* What a report is made from. */
struct report_parts {
	struct report_selection selection;
	struct report_data data;
	struct user_rules rules;
	struct report_selected selected, compared;
};

/* The callbacks of struct report_texts for a run. */
static struct report_texts texts_of(struct profile_data *data)
{
	return (struct report_texts){.context = data,
				     .line = profile_data_line,
				     .why = profile_data_why,
				     .sass = profile_data_sass,
				     .why_no_sass = profile_data_why_no_sass};
}

/* The measured lines of a run; without chosen cases, text and Markdown have the worst of them.
 * Cases whose profile is damaged are left out, named and counted. */
static int write_profiles(FILE *out, const struct run *run, struct profile_data *data, bool chosen,
			  bool sass, size_t *damaged, enum report_format format,
			  const struct report_options *look, struct error *err)
{
	const struct report_texts texts = texts_of(data);
	struct report_profile *items = xcalloc(run->trial_count + 1, sizeof(*items));
	struct report_profiles report = {
		.items = items, .texts = &texts, .sass = sass, .worst = !chosen};
	int rc;

	for (size_t i = 0; i < run->trial_count; i++) {
		const char *damage = profile_data_damage(data, &run->trials[i]);

		if (damage) {
			say_profile_left_out(run, run->trials[i].id, damage);
			++*damaged;
		}
		items[report.count].trial = &run->trials[i];
		items[report.count].profile = profile_data_of(data, &run->trials[i]);
		items[report.count].emulated = profile_data_emulated(
			data, &run->trials[i], &items[report.count].emulated_run);
		report.count += items[report.count].profile != NULL;
	}
	/* one profiled case needs no choice */
	report.worst = report.worst && report.count > 1;
	if (report.count)
		rc = report_profiles(out, run, &report, format, look, err);
	else if (*damaged)
		rc = error_set(err, PL_ECORRUPT, "every profile of %s of run %lld is damaged",
			       chosen ? "the chosen cases" : "the cases", (long long)run->id);
	else
		rc = error_set(
			err, PL_ENOENT,
			"%s of run %lld %s profiled: perflab sweep --lines best or all samples "
			"and counts instructions on a GPU whose counters can be read",
			chosen ? "none of the chosen cases" : "no case", (long long)run->id,
			chosen ? "were" : "was");
	free(items);
	return rc;
}

static int write_lines(FILE *out, const struct run *run, enum report_format format,
		       const struct report_options *look, struct error *err)
{
	const struct trial **chosen = xcalloc(run->trial_count + 1, sizeof(const struct trial *));
	struct key_value_list measured = {0};
	struct report_sources sources = {.measured = &measured};
	struct text folder = TEXT_INIT;
	int rc;

	for (size_t i = 0; i < run->trial_count; i++)
		chosen[i] = &run->trials[i];
	if (source_folder(&folder))
		sources.folder = folder.data;
	report_measured_sources(&measured, run);
	rc = report_lines(out, run, chosen, run->trial_count, &sources, format, look, err);
	key_value_list_release(&measured);
	text_release(&folder);
	free(chosen);
	return rc;
}

/* A case in two runs, with what its line pair borrows. */
struct compared_case {
	struct profiled_side sides[2];
	struct line_match_list matches;
};

static const struct trial *same_case(const struct run *run, const struct trial *trial)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *other = &run->trials[i];

		if (strcmp(other->kernel, trial->kernel) == 0 &&
		    strcmp(other->variant, trial->variant) == 0 &&
		    strcmp(other->config, trial->config) == 0)
			return other;
	}
	return NULL;
}

/* profiled_side_load(), but a damaged profile is named, counted, and then as if there were none. */
static int load_side_of_case(struct profiled_side *side, struct db *db, const struct run *run,
			     const struct trial *trial, size_t *damaged, struct error *err)
{
	int rc = profiled_side_load(side, db, run, trial, err);

	if (rc != PL_ECORRUPT)
		return rc;
	say_profile_left_out(run, trial->id, err->text);
	++*damaged;
	profiled_side_release(side);
	*side = (struct profiled_side){0};
	return 0;
}

/* *pair stays without trials if the case has no profile in one of the runs. */
static int pair_lines_of_case(struct report_line_pair *pair, struct compared_case *compared,
			      const struct report_data *data, const struct trial *trial,
			      size_t *damaged, struct error *err)
{
	const struct trial *other = same_case(&data->compared, trial);
	struct profiled_side *sides = compared->sides;
	int rc =
		other ? load_side_of_case(&sides[0], data->db, &data->compared, other, damaged, err)
		      : 0;

	if (!rc && sides[0].profile)
		rc = load_side_of_case(&sides[1], data->db, &data->run, trial, damaged, err);
	if (rc || !sides[0].profile || !sides[1].profile)
		return rc;
	for (int i = 0; i < 2; i++)
		pair->sides[i] =
			(struct line_side){sides[i].profile, &sides[i].lines, &sides[i].sources};
	line_match_profiles(&compared->matches, &pair->sides[0], &pair->sides[1]);
	pair->matches = &compared->matches;
	pair->trials[0] = other;
	pair->trials[1] = trial;
	return 0;
}

/* The lines of the chosen cases that have a profile in both runs. */
static int write_line_pairs(FILE *out, const struct report_parts *parts, size_t *damaged,
			    enum report_format format, const struct report_options *look,
			    struct error *err)
{
	const struct report_data *data = &parts->data;
	const struct run *shown = &parts->selected.shown;
	const struct run *const runs[2] = {&data->compared, &data->run};
	struct compared_case *cases = xcalloc(shown->trial_count + 1, sizeof(*cases));
	struct report_line_pair *pairs = xcalloc(shown->trial_count + 1, sizeof(*pairs));
	struct profile_data *kept[2] = {NULL, NULL};
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; i < shown->trial_count && !rc; i++) {
		rc = pair_lines_of_case(&pairs[count], &cases[i], data, &shown->trials[i], damaged,
					err);
		count += pairs[count].matches != NULL;
	}
	for (int i = 0; i < 2 && !rc; i++)
		rc = profile_data_load(&kept[i], data->db, runs[i], err);
	if (!rc && !count && *damaged) {
		rc = error_set(err, PL_ECORRUPT,
			       "no chosen case has a profile that can be read in both runs");
	} else if (!rc && !count) {
		rc = error_set(err, PL_ENOENT,
			       "no chosen case has a profile in run %lld and in run %lld: perflab "
			       "sweep --lines all takes one of every case",
			       (long long)runs[0]->id, (long long)runs[1]->id);
	} else if (!rc) {
		const struct report_texts texts[2] = {texts_of(kept[0]), texts_of(kept[1])};

		rc = report_line_pairs(out, runs, pairs, count,
				       (const struct report_texts *const[]){&texts[0], &texts[1]},
				       format, look, err);
	}
	for (int i = 0; i < 2; i++)
		profile_data_free(kept[i]);
	for (size_t i = 0; i < shown->trial_count; i++) {
		line_match_list_release(&cases[i].matches);
		profiled_side_release(&cases[i].sides[0]);
		profiled_side_release(&cases[i].sides[1]);
	}
	free(cases);
	free(pairs);
	return rc;
}

static int write_measured_lines(FILE *out, const struct report_parts *parts, bool sass,
				size_t *damaged, enum report_format format,
				const struct report_options *look, struct error *err)
{
	const struct run *shown = &parts->selected.shown;
	struct profile_data *data = NULL;
	int rc = profile_data_load(&data, parts->data.db, shown, err);

	if (!rc)
		rc = write_profiles(out, shown, data, parts->selection.pattern_count > 0, sass,
				    damaged, format, look, err);
	profile_data_free(data);
	return rc;
}

/* Two cards: each case under the roofs of each. */
static int write_cards_report(FILE *out, const struct report_parts *parts,
			      enum report_format format, const struct report_options *look,
			      struct error *err)
{
	const struct report_data *data = &parts->data;
	struct card_pairs pairs;
	const struct cards_report report = {
		.runs = {report_selected_run(&parts->selected, format), &parts->compared.cases},
		.ceilings = {&data->ceilings, &data->compared_ceilings},
		.pairs = &pairs,
	};
	int rc;

	card_pairs_of(&pairs, report.runs[0], report.runs[1]);
	rc = report_cards(out, &report, format, look, err);
	card_pairs_release(&pairs);
	return rc;
}

/* Writes the report that the options ask for to the output that they name. */
static int write_run_report(struct invocation *call, const struct report_parts *parts,
			    struct error *err)
{
	const struct report_verb_options *options = call->options;
	const struct report_data *data = &parts->data;
	const enum report_format format = (enum report_format)options->format;
	struct page_profiles page = {data->db, &data->run, 0};
	const struct report_profile_reader profiles = {
		.profile = page_profiles_read,
		.source = page_profiles_source,
		.context = &page,
	};
	struct report_options look = {
		.selection = &parts->selection,
		.whole = &data->run,
		.db = options->db,
		.all_metrics = options->all_metrics,
		.no_roofline = options->no_roofline,
		.no_page = report_format_why_not(REPORT_HTML) != NULL,
		.ceilings = &data->ceilings,
		.compare = data->compares ? &parts->compared.cases : NULL,
		.histories = &data->histories,
		.samples = report_data_samples,
		.samples_context = data->db,
		.profiles = &profiles,
	};
	struct output output = {0};
	int rc = output_open(&output, options->output, err);

	if (!output.path) {
		look.colour = call->terminal.out_colour;
		look.width = call->terminal.out_width;
		look.ascii = call->terminal.out_ascii;
	}
	if (!rc && options->lines && data->compares)
		rc = write_line_pairs(output.stream, parts, &page.damaged, format, &look, err);
	else if (!rc && data->compares && cards_differ(&data->run, &data->compared))
		rc = write_cards_report(output.stream, parts, format, &look, err);
	else if (!rc && options->lines && data->run.traits.emulated)
		rc = write_lines(output.stream, &parts->selected.shown, format, &look, err);
	else if (!rc && options->lines)
		rc = write_measured_lines(output.stream, parts, options->sass, &page.damaged,
					  format, &look, err);
	else if (!rc)
		rc = report_draw(output.stream, report_selected_run(&parts->selected, format),
				 format, &look, err);
	if (page.damaged)
		call->exit_code = EXIT_FAILED;
	return output_end(&output, rc, err);
}

/* A page also compares two runs of one card; the other formats leave that to regress. `columns`:
 * some were chosen. */
static int check_compared_card(const struct report_data *data, enum report_format format,
			       bool columns, struct error *err)
{
	if (!data->compares)
		return 0;
	if (cards_differ(&data->run, &data->compared))
		return columns ? error_set(
					 err, PL_EUSAGE,
					 "--columns does not work with --compare of two cards: the "
					 "columns are those of the comparison; leave one of them "
					 "out")
			       : 0;
	if (report_format_has(format, AS_PAGE))
		return 0;
	return error_set(err, PL_EUSAGE,
			 "--compare: both runs are of one kind of card (%s): perflab regress "
			 "compares them, or show both on a page with -o FILE.html",
			 data->run.device.name);
}

/* Refuses wrong requests before a database is opened. */
static int check_report_options(const struct invocation *call, struct error *err)
{
	const struct report_verb_options *options = call->options;
	enum report_format format = (enum report_format)options->format;

	if (options->lines && !report_format_applies(format, OF_TABLE))
		return error_set(err, PL_EUSAGE, "--lines cannot be written as %s",
				 report_format_name(format));
	if (options->compare && report_format_has(format, BY_GNUPLOT))
		return error_set(err, PL_EUSAGE,
				 "--compare does not work with %s; html has a picture of both runs",
				 report_format_name(format));
	if (options->group && (options->compare || options->lines))
		return error_set(err, PL_EUSAGE,
				 "--group does not work with --%s, which is about one run: leave "
				 "one of them out",
				 options->lines ? "lines" : "compare");
	if (options->compare && options->sass)
		return error_set(err, PL_EUSAGE,
				 "--sass does not work with --compare: leave one of "
				 "them out");
	if (options->sass && !options->lines)
		return error_set(err, PL_EUSAGE, "--sass shows instructions with --lines: add it");
	if (options->columns && (options->lines || !report_format_applies(format, OF_TABLE)))
		return error_set(err, PL_EUSAGE, "--columns does not work with %s",
				 options->lines ? "--lines" : report_format_name(format));
	return 0;
}

/* Who forgets the run names a pattern in its place. */
static int explain_missing_run(const char *word, int rc, struct error *err)
{
	struct text quoted = TEXT_INIT;
	struct error cause = {0};

	if (rc != PL_EUSAGE || !strpbrk(word, "*?/") || !err)
		return rc;
	shell_word(&quoted, word);
	cause = *err;
	rc = error_set(err, rc, "%s; the run comes before the cases: perflab report last %s",
		       cause.text, quoted.data);
	text_release(&quoted);
	return rc;
}

/* A page shows the cases of the second run that match the same patterns, if there are any. */
static int select_cases(struct report_parts *parts, struct error *err)
{
	const struct report_data *data = &parts->data;
	int rc = report_select(&parts->selected, &data->run, &parts->selection, &data->ceilings,
			       err);

	if (!rc && data->compares)
		rc = error_context(
			err,
			report_select(&parts->compared, &data->compared,
				      &(struct report_selection){
					      .patterns = parts->selection.patterns,
					      .pattern_count = parts->selection.pattern_count},
				      &data->ceilings, err),
			"--compare");
	return rc;
}

/* Reports all GPUs of the sweep of the run, if they are meant. *done: it did, or failed to. */
static int report_whole_sweep(bool *done, struct invocation *call, const struct report_parts *parts,
			      const char *reference, struct error *err)
{
	const struct report_verb_options *options = call->options;
	const struct group_look look = {
		.format = (enum report_format)options->format,
		.selection = &parts->selection,
		.output = options->output,
		.db = options->db,
		.all_metrics = options->all_metrics,
		.no_roofline = options->no_roofline,
	};
	const int64_t id = parts->data.run_id;
	struct group_data group;
	int rc = 0;

	*done = options->group;
	if (options->group && options->rules)
		return error_set(err, PL_EUSAGE,
				 "--rules is about one run: leave --group out, and name the run");
	/* these are about one run */
	if (!*done && !options->compare && !options->lines && !options->rules)
		rc = group_is_meant(done, parts->data.db, reference, id, err);
	if (rc || !*done)
		return rc;
	rc = group_data_load(&group, parts->data.db, id, err);
	if (!rc && !group.group.count)
		rc = error_set(err, PL_EUSAGE,
			       "--group: run %lld is of no sweep on several GPUs (perflab sweep "
			       "--gpus); perflab report %lld prints it",
			       (long long)id, (long long)id);
	if (!rc)
		rc = group_report(call, &group, parts->data.db, &look, err);
	group_data_release(&group);
	return rc;
}

/* Reports one run. */
static int report_run_alone(struct invocation *call, struct report_parts *parts,
			    const struct report_data_request *request, struct error *err)
{
	const struct report_verb_options *options = call->options;
	const enum report_format format = (enum report_format)options->format;
	int rc = report_data_load(&parts->data, request, err);

	if (!rc && !options->lines)
		rc = check_compared_card(&parts->data, format, options->columns != NULL, err);
	if (!rc)
		rc = say_one_of_group(parts->data.db, request->run, parts->data.run.id, err);
	if (!rc && options->compare)
		rc = say_one_of_group(parts->data.db, options->compare, parts->data.compared.id,
				      err);
	if (!rc)
		rc = select_cases(parts, err);
	if (!rc && report_format_has(format, AS_PAGE))
		rc = report_data_histories(&parts->data, &parts->selected.shown, err);
	return rc ? rc : write_run_report(call, parts, err);
}

static int run_report(struct invocation *call, struct error *err)
{
	const struct report_verb_options *options = call->options;
	const struct string_list *operands = &call->operands;
	struct report_data_request request = {
		.db_path = options->db ? options->db : db_default_path(),
		.run = operands->count ? operands->items[0] : "last",
		.compare = options->compare,
	};
	struct report_parts parts = {
		.selection = {
			.patterns = operands->count ? operands->items + 1 : NULL,
			.pattern_count = operands->count ? operands->count - 1 : 0,
			.top = options->top,
			.sort = options->sort,
			.columns = options->columns,
			.all = options->all,
		}};
	bool done = false;
	int rc = check_report_options(call, err);

	if (!rc && options->rules) {
		rc = error_context(err, user_rules_load(&parts.rules, options->rules, err),
				   "--rules");
		request.rules = &parts.rules;
	}
	if (!rc)
		rc = explain_missing_run(request.run, report_data_find(&parts.data, &request, err),
					 err);
	if (!rc)
		rc = report_whole_sweep(&done, call, &parts, request.run, err);
	if (!rc && !done)
		rc = report_run_alone(call, &parts, &request, err);
	report_selected_release(&parts.selected);
	report_selected_release(&parts.compared);
	report_data_release(&parts.data);
	user_rules_release(&parts.rules);
	return rc;
}

static const struct option_row report_rows[] = {
	TEXT_ROW("db", 0, report_verb_options, db, "FILE", HELP_DB),
	CHOICE_ROW("format", 'f', report_verb_options, format, "FORMAT", run_format_words,
		   HELP_FORMAT_OF_OUTPUT),
	TEXT_ROW("output", 'o', report_verb_options, output, "FILE", HELP_OUTPUT),
	TEXT_ROW("compare", 'c', report_verb_options, compare, "RUN",
		 "also show this run of the same database: of another card in text, md, csv, json "
		 "and html, each case under the roofs of each card; of the same card in html; "
		 "with --lines the source lines of both"),
	FLAG_ROW("group", 'g', report_verb_options, group,
		 "all GPUs of the sweep on several GPUs that RUN belongs to; implied if RUN is "
		 "last, a label or a revision, which all of its runs have"),
	COUNT_ROW("top", 'n', report_verb_options, top, "NUMBER", 1,
		  "only the best cases: so many of each kernel and problem, or with --sort of each "
		  "kernel"),
	TEXT_ROW("sort", 's', report_verb_options, sort, "COLUMN",
		 "order the cases of each kernel by this column: times from the smallest, other "
		 "numbers from the largest; -COLUMN reverses"),
	TEXT_ROW("columns", 0, report_verb_options, columns, "NAMES",
		 "text, md, csv and json: only these columns, separated by commas; axes and "
		 "counters are columns too"),
	FLAG_ROW("all", 0, report_verb_options, all,
		 "text and md: every case, verdict and reason, not only the first"),
	FLAG_ROW("all-metrics", 'a', report_verb_options, all_metrics,
		 "text and md: print a column for every counter, not only the most useful ones"),
	FLAG_ROW("no-roofline", 0, report_verb_options, no_roofline,
		 "text and md: leave out the roofline and the verdicts"),
	TEXT_ROW("rules", 0, report_verb_options, rules, "FILE", HELP_RULES),
	FLAG_ROW("lines", 'l', report_verb_options, lines,
		 "show what each source line of the chosen cases costs; without CASE, the lines "
		 "that cost most"),
	FLAG_ROW("sass", 0, report_verb_options, sass,
		 "with --lines: also the instructions of machine code"),
	ROW_NO_PAGER(report_verb_options),
};

static const struct example report_examples[] = {
	{"perflab report", "print the newest run as text"},
	{"perflab report --rules my.rules", "add the metrics and the rules of a file of yours"},
	{"perflab report last 'reduce/*'", "the cases of one kernel, with verdict and roofline"},
	{"perflab report last --sort dram_bandwidth --top 3",
	 "the three cases of each kernel with the highest bandwidth"},
	{"perflab report last reduce --columns median,roof,block --format csv",
	 "some columns of some cases"},
	{"perflab report nightly --format csv > nightly.csv",
	 "export the newest run with that label"},
	{"perflab report 12 --format md", "print run 12 as Markdown, for a pull request"},
	{"perflab report last -o report.html", "write a page for any browser"},
	{"perflab report last --compare before -o report.html",
	 "compare with the newest run labelled \"before\""},
	{"perflab report h200 --compare a100",
	 "how each case differs on two cards, by the newest runs with these labels"},
	{"perflab report 3 --group -o sweep.html",
	 "all GPUs of a sweep on several, with their interference or differences"},
	{"perflab report last -o roofline.png", "draw the roofline"},
	{"perflab report last --lines", "the ten lines that cost most, over all kernels"},
	{"perflab report last --lines --compare before reduce/shuffle",
	 "the lines of a case beside those of an earlier run"},
	{"perflab report last --lines reduce/divergent",
	 "what each source line of a case costs, and why"},
};

const struct command command_report = {
	.name = "report",
	.summary = "print a stored run",
	.operands = "[RUN [CASE ...]]",
	.description =
		"Prints a stored run: what was fastest, what limits it and how near the roof it "
		"is, then what went wrong and why numbers are missing, then commands that show "
		"more (docs/reports.md). Up to three kernels get a table and a verdict each, more "
		"get one line each.\n\n"
		"CASE selects cases: a kernel, KERNEL/VARIANT, a case, a pattern with * and ?, or "
		"any part of a name. --top, --sort and --columns select among them, in every "
		"format. A column is one of docs/reports.md, an axis or a counter.\n\n"
		"RUN is a run's number, the first digits of its uid (at least 4), a label (its "
		"newest run), a source revision, \"last-good\", or \"last\", which is the "
		"default.\n\n"
		"A sweep on several GPUs has a run for each GPU and one report: the GPUs, all "
		"cases with the GPU that measured each, and the interference. Of --spread it shows "
		"how the GPUs differ (docs/many-gpus.md). The number of a run prints that run "
		"alone.\n\n"
		"csv has one row per case and one column per counter. json has everything except "
		"the samples. Both carry the version of their format, 1. html is one page that "
		"needs no network. It shows the history of every case over the newest 50 runs of "
		"its device, or fewer for thousands of cases. svg, png and pdf contain only the "
		"roofline, drawn by gnuplot.\n\n"
		"--lines shows, for each source line of a GPU run, where warps waited and why, "
		"and what was executed and wasted. It needs cases that perflab sweep --lines "
		"profiled. Without CASE it shows the ten most expensive lines. --sass adds the "
		"instructions, as text if the toolkit's nvdisasm is there.\n\n"
		"A run of the backend ptx has no times. Its report begins with what the counts of "
		"the emulated PTX show to be wasted, the worst first. --lines shows the counts per "
		"source line. It also shows the source text: of your own files, if they are as "
		"they were measured, and of others, if it finds the file in the working directory "
		"or below $PERFLAB_SOURCE_DIR (default: the installed source of the built-in "
		"kernels).",
	OPTIONS_AND_EXAMPLES(report_verb_options, report_rows, report_examples),
	.operand_kind = OPERANDS_RUNS,
	.operands_most = SIZE_MAX,
	.run = run_report,
};
