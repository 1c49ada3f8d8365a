/* perflab report: prints a stored run in any format. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "cli/output.h"
#include "cli/report_sources.h"
#include "db/db.h"
#include "harness/session/judge.h"
#include "metrics/analysis/history.h"

#define HISTORY_RUNS 50 /* in an HTML page */
#define PICTURE_LIMIT ((size_t)64 << 20)

struct report_verb_options {
	const char *db;
	const char *output, *compare;
	int format;
	bool all_metrics, lines, no_roofline;
};

/* Chooses the cases that match any pattern, or all cases if there is no pattern. */
static int choose_trials(const struct trial **chosen, size_t *count, const struct run *run,
			 const struct invocation *call, struct error *err)
{
	size_t patterns = call->operands.count > 1 ? call->operands.count - 1 : 0;

	*count = 0;
	for (size_t i = 0; i < run->trial_count; i++) {
		char *name = trial_case_name(&run->trials[i]);
		bool matches = patterns == 0;

		for (size_t j = 0; j < patterns && !matches; j++)
			matches = pattern_matches(call->operands.items[j + 1], name);
		if (matches)
			chosen[(*count)++] = &run->trials[i];
		free(name);
	}
	if (*count == 0 && patterns)
		return error_set(err, PL_EUSAGE,
				 "no case of run %lld matches \"%s\"; `perflab report %lld` lists "
				 "the cases",
				 (long long)run->id, call->operands.items[1], (long long)run->id);
	return 0;
}

static int write_lines(FILE *out, const struct invocation *call, const struct run *run,
		       const struct report_options *look, struct error *err)
{
	const struct report_verb_options *options = call->options;
	const char *given = getenv("PERFLAB_SOURCE_DIR");
	struct text installed = TEXT_INIT;
	const char *folder = given && *given ? given : NULL;
	const struct trial **chosen =
		xcalloc(run->trial_count ? run->trial_count : 1, sizeof(const struct trial *));
	size_t count;
	int rc = choose_trials(chosen, &count, run, call, err);

	/* An installation has the source of the built-in kernels. */
	if (!folder && install_path(&installed, "share/perflab/source", NULL) == 0)
		folder = installed.data;
	if (!rc)
		rc = report_lines(out, run, chosen, count, folder,
				  (enum report_format)options->format, look, err);
	text_release(&installed);
	free(chosen);
	return rc;
}

/* Pipes the script through gnuplot, which reads no settings file (-d) and no other input. */
static int write_picture(FILE *out, const struct run *run, enum report_format format,
			 const struct report_options *look, struct error *err)
{
	static char *const argv[] = {"gnuplot", "-d", NULL};
	struct text script = TEXT_INIT;
	char *picture = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&script.data, &script.length);
	int rc = stream ? report_run(stream, run, format, look, err)
			: error_set(err, PL_ENOMEM, "out of memory for the gnuplot script");

	if (stream && fclose(stream) && !rc)
		rc = error_set(err, PL_ENOMEM, "out of memory for the gnuplot script");
	if (!rc)
		rc = process_filter(&picture, &length, PICTURE_LIMIT, &script, argv, err);
	if (rc == PL_ENOENT && script.length)
		rc = error_set(err, PL_EUNSUPPORTED,
			       "%s needs gnuplot, which is not installed: install it (Debian, "
			       "Ubuntu: gnuplot-nox; Fedora: gnuplot-minimal; Arch: gnuplot), or "
			       "use --format html",
			       report_format_name(format));
	if (!rc && fwrite(picture, 1, length, out) != length)
		rc = error_set(err, PL_EIO, "cannot write the picture: %s", strerror(errno));
	free(picture);
	free(script.data);
	return rc;
}

/* Writes the report that the options ask for to the output that they name. */
static int write_run_report(struct invocation *call, struct db *db, const struct run *run,
			    const struct run *compare, struct error *err)
{
	const struct report_verb_options *options = call->options;
	const enum report_format format = (enum report_format)options->format;
	struct report_sources sources = {0};
	struct history_grid histories = {0};
	struct output output = {0};
	int rc = report_sources_load(&sources, call, db, run, err);

	if (!rc && report_format_has(format, AS_PAGE))
		rc = db_history_grid_load(db, run, HISTORY_RUNS, &histories, err);
	if (!rc && histories.case_count)
		history_grid_find_changes(&histories);
	sources.options.histories = &histories;
	if (!rc)
		rc = output_open(&output, options->output, err);
	if (output.path) {
		sources.options.colour = false;
		sources.options.width = 0;
		sources.options.ascii = false;
	}
	sources.options.all_metrics = options->all_metrics;
	sources.options.no_roofline = options->no_roofline;
	sources.options.compare = compare;
	if (!rc && options->lines)
		rc = write_lines(output.stream, call, run, &sources.options, err);
	else if (!rc && report_format_has(format, BY_GNUPLOT))
		rc = write_picture(output.stream, run, format, &sources.options, err);
	else if (!rc)
		rc = report_run(output.stream, run, format, &sources.options, err);
	if (!rc)
		rc = output_commit(&output, err);
	output_discard(&output);
	report_sources_release(&sources);
	history_grid_release(&histories);
	return rc;
}

/* Refuses to compare emulated with measured numbers. */
static int load_compared(struct run *out, struct db *db, const struct run *run,
			 const char *reference, struct error *err)
{
	int64_t id;
	int rc = db_run_resolve(db, reference, &id, err);

	if (!rc)
		rc = run_load(db, id, true, out, err);
	if (!rc && strcmp(out->backend, run->backend) != 0)
		rc = error_set(err, PL_EUSAGE,
			       "run %lld used the backend %s and run %lld used %s: their "
			       "numbers do not compare",
			       (long long)run->id, run->backend, (long long)id, out->backend);
	if (!rc)
		rc = db_rounds_load(db, out, err);
	return error_context(err, rc, "--compare");
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
	const char *path = options->db ? options->db : db_default_path();
	const char *reference = call->operands.count ? call->operands.items[0] : "last";
	struct run run = {0}, compared = {0};
	struct db *db = NULL;
	int64_t id = 0;
	int rc = check_report_options(call, err);

	if (!rc)
		rc = db_open(&db, path, DB_READ, err);
	if (!rc)
		rc = db_run_resolve(db, reference, &id, err);
	if (!rc)
		rc = run_load(db, id, true, &run, err);
	if (!rc && options->compare)
		rc = db_rounds_load(db, &run, err);
	if (!rc && options->compare)
		rc = load_compared(&compared, db, &run, options->compare, err);
	if (!rc)
		rc = write_run_report(call, db, &run, options->compare ? &compared : NULL, err);
	run_release(&run);
	run_release(&compared);
	db_close(db);
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
		"the source text, if it finds the file in the working directory or below "
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
