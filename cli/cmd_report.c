/* perflab report: prints a stored run in any format. */
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "harness/session/report_data.h"

struct report_verb_options {
	const char *db;
	const char *output, *compare;
	int format;
	bool all_metrics, lines, no_roofline;
};

static int write_lines(FILE *out, const struct invocation *call, const struct run *run,
		       const struct report_options *look, struct error *err)
{
	const struct report_verb_options *options = call->options;
	/* the first operand is the run */
	const size_t patterns = call->operands.count > 1 ? call->operands.count - 1 : 0;
	const struct trial **chosen = NULL;
	struct key_value_list measured = {0};
	struct report_sources sources = {.measured = &measured};
	struct text folder = TEXT_INIT;
	size_t count;
	int rc = report_trials_choose(&chosen, &count, run,
				      patterns ? call->operands.items + 1 : NULL, patterns, err);

	if (report_source_folder(&folder))
		sources.folder = folder.data;
	report_measured_sources(&measured, run);
	if (!rc)
		rc = report_lines(out, run, chosen, count, &sources,
				  (enum report_format)options->format, look, err);
	key_value_list_release(&measured);
	text_release(&folder);
	free(chosen);
	return rc;
}

/* Writes the report that the options ask for to the output that they name. */
static int write_run_report(const struct invocation *call, const struct report_data *data,
			    struct error *err)
{
	const struct report_verb_options *options = call->options;
	const enum report_format format = (enum report_format)options->format;
	struct report_options look = {
		.all_metrics = options->all_metrics,
		.no_roofline = options->no_roofline,
		.ceilings = &data->ceilings,
		.compare = data->compares ? &data->compared : NULL,
		.histories = &data->histories,
		.samples = report_data_samples,
		.samples_context = data->db,
	};
	struct output output = {0};
	int rc = output_open(&output, options->output, err);

	if (!output.path) {
		look.colour = call->terminal.out_colour;
		look.width = call->terminal.out_width;
		look.ascii = call->terminal.out_ascii;
	}
	if (!rc && options->lines)
		rc = write_lines(output.stream, call, &data->run, &look, err);
	else if (!rc)
		rc = report_draw(output.stream, &data->run, format, &look, err);
	if (!rc)
		rc = output_commit(&output, err);
	output_discard(&output);
	return rc;
}

/* Refuses wrong requests before a database is opened. */
static int check_report_options(const struct invocation *call, struct error *err)
{
	const struct report_verb_options *options = call->options;
	enum report_format format = (enum report_format)options->format;
	bool to_stdout = !options->output || strcmp(options->output, "-") == 0;

	if (call->operands.count > 1 && !options->lines)
		return error_set(err, PL_EUSAGE,
				 "cannot select the cases \"%s\" without --lines; a report "
				 "covers a whole run",
				 call->operands.items[1]);
	if (options->lines && !report_format_applies(format, OF_TABLE))
		return error_set(err, PL_EUSAGE, "--lines cannot be written as %s",
				 report_format_name(format));
	if (options->compare && !report_format_has(format, AS_PAGE))
		return error_set(err, PL_EUSAGE, "--compare works only with --format html");
	if (report_format_has(format, BINARY) && to_stdout && call->terminal.out_width > 0)
		return error_set(err, PL_EUSAGE,
				 "%s is binary and not for a terminal: give -o FILE",
				 report_format_name(format));
	return 0;
}

static int run_report(struct invocation *call, struct error *err)
{
	const struct report_verb_options *options = call->options;
	const struct report_data_request request = {
		.db_path = options->db ? options->db : db_default_path(),
		.run = call->operands.count ? call->operands.items[0] : "last",
		.compare = options->compare,
		.histories = report_format_has((enum report_format)options->format, AS_PAGE),
	};
	struct report_data data = {0};
	int rc = check_report_options(call, err);

	if (!rc)
		rc = report_data_load(&data, &request, err);
	if (!rc)
		rc = write_run_report(call, &data, err);
	report_data_release(&data);
	return rc;
}

static const struct option_row rows[] = {
	{"db", 0, OPTION_TEXT, offsetof(struct report_verb_options, db), "FILE", HELP_DB, NULL, 0},
	{"format", 'f', OPTION_CHOICE, offsetof(struct report_verb_options, format), "FORMAT",
	 HELP_FORMAT, run_format_words, 0},
	{"output", 'o', OPTION_TEXT, offsetof(struct report_verb_options, output), "FILE",
	 HELP_OUTPUT, NULL, 0},
	{"compare", 'c', OPTION_TEXT, offsetof(struct report_verb_options, compare), "RUN",
	 "html: also show this run of the same database, for comparison", NULL, 0},
	{"all-metrics", 'a', OPTION_FLAG, offsetof(struct report_verb_options, all_metrics), NULL,
	 "text and md: print a column for every counter, not only the most useful ones", NULL, 0},
	{"no-roofline", 0, OPTION_FLAG, offsetof(struct report_verb_options, no_roofline), NULL,
	 "text and md: leave out the roofline and the verdicts", NULL, 0},
	{"lines", 'l', OPTION_FLAG, offsetof(struct report_verb_options, lines), NULL,
	 "for a run of the backend ptx, show the counts of each source line of the selected cases",
	 NULL, 0},
};

static const struct example examples[] = {
	{"perflab report", "print the newest run as text"},
	{"perflab report nightly --format csv > nightly.csv",
	 "export the newest run with that label"},
	{"perflab report 12 --format md", "print run 12 as Markdown, for a pull request"},
	{"perflab report last --format html -o report.html", "write a page for any browser"},
	{"perflab report last --format html --compare before -o report.html",
	 "compare with the newest run labelled \"before\""},
	{"perflab report last --format png -o roofline.png", "draw the roofline"},
	{"perflab report last --lines reduce/divergent",
	 "show on which source lines the warps diverge"},
};

const struct command command_report = {
	.name = "report",
	.summary = "print a stored run",
	.operands = "[RUN [CASE ...]]",
	.description =
		"Prints a stored run: the best configuration of each kernel, the roofline, all "
		"cases, and then failures, skipped cases and missing counters with their reasons. "
		"The roofline compares each best configuration with the ceilings that `perflab "
		"ceilings` measured on the device. It names the limiter, the evidence and what to "
		"try (docs/verdicts.md).\n\n"
		"RUN is a run's number, the first digits of its uid (at least 4), a label (its "
		"newest run), a source revision, \"last-good\", or \"last\", which is the "
		"default.\n\n"
		"csv has one row per case and one column per counter. json has everything except "
		"the samples. Both carry the version of their format, 1. html is one page that "
		"needs no network. It shows the history of every case over the newest 50 runs of "
		"its device, or fewer for thousands of cases. svg, png and pdf contain only the "
		"roofline, drawn by gnuplot.\n\n"
		"A run of the backend ptx has no times and no best configuration. Its columns are "
		"counts of the emulated PTX. --lines shows them per source line, for the cases "
		"that match a CASE: a pattern with * and ?, or any part of the name. It also shows "
		"the source text: of your own files, if they are as they were measured, and of "
		"others, if it finds the file in the working directory or below "
		"$PERFLAB_SOURCE_DIR (default: the installed source of the built-in kernels).",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct report_verb_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_FREE,
	.operands_most = SIZE_MAX,
	.run = run_report,
};
