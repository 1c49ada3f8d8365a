/* perflab report: a stored run in any format. */
#include <stdlib.h>

#include "cli/command.h"
#include "cli/shared.h"
#include "db/db.h"

struct report_verb_options {
	const char *db;
	int format;
	bool all_metrics, lines;
};

/* The cases that any of the patterns matches; all, when there are none. */
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
				 "no case of run %lld matches \"%s\"; `perflab report %lld` shows "
				 "all",
				 (long long)run->id, call->operands.items[1], (long long)run->id);
	return 0;
}

static int lines_to_stdout(const struct invocation *call, const struct run *run,
			   enum report_format format, struct error *err)
{
	const struct report_options look = {.colour = call->terminal.out_colour,
					    .width = call->terminal.out_width};
	const char *folder = getenv("PERFLAB_SOURCE_DIR");
	const struct trial **chosen =
		xcalloc(run->trial_count ? run->trial_count : 1, sizeof(const struct trial *));
	size_t count;
	int rc = choose_trials(chosen, &count, run, call, err);

	if (!rc)
		rc = report_lines(stdout, run, chosen, count, folder && *folder ? folder : NULL,
				  format, &look, err);
	free(chosen);
	return rc;
}

static int run_report(struct invocation *call, struct error *err)
{
	const struct report_verb_options *options = call->options;
	const char *path = options->db ? options->db : db_default_path();
	const char *reference = call->operands.count ? call->operands.items[0] : "last";
	struct run run = {0};
	struct db *db = NULL;
	int64_t id = 0;
	int rc;

	if (call->operands.count > 1 && !options->lines)
		return error_set(err, PL_EUSAGE,
				 "\"%s\" would choose cases, which is for --lines; a report is of "
				 "a whole run",
				 call->operands.items[1]);
	rc = db_open(&db, path, DB_READ, err);
	if (rc)
		return rc;
	rc = db_run_resolve(db, reference, &id, err);
	if (!rc)
		rc = db_run_load(db, id, true, &run, err);
	host_tell_abandoned(&run);
	if (!rc && options->lines)
		rc = lines_to_stdout(call, &run, (enum report_format)options->format, err);
	else if (!rc)
		rc = report_to_stdout(call, &run, (enum report_format)options->format,
				      options->all_metrics, err);
	run_release(&run);
	db_close(db);
	return rc;
}

static const struct option_row rows[] = {
	{"db", 0, OPTION_TEXT, offsetof(struct report_verb_options, db), "FILE",
	 "the database (default: $PERFLAB_DB, else perflab.db)", NULL, 0},
	{"format", 'f', OPTION_CHOICE, offsetof(struct report_verb_options, format), "FORMAT",
	 "the format", report_format_words, 0},
	{"all-metrics", 'a', OPTION_FLAG, offsetof(struct report_verb_options, all_metrics), NULL,
	 "text and md: a column for every counter, not only the usual ones", NULL, 0},
	{"lines", 'l', OPTION_FLAG, offsetof(struct report_verb_options, lines), NULL,
	 "what each source line executed, of the cases named (of the backend ptx)", NULL, 0},
};

static const struct example examples[] = {
	{"perflab report", "the newest run, as a table"},
	{"perflab report nightly --format csv > nightly.csv", "the newest run of that label"},
	{"perflab report 12 --format md", "run 12, to paste in a pull request"},
	{"perflab report last --lines reduce/divergent", "where its warps part, by source line"},
};

const struct command command_report = {
	.name = "report",
	.summary = "print a stored run",
	.operands = "[RUN [CASE...]]",
	.description =
		"Prints a run: the best configuration of each kernel, the sweep, then failures, "
		"skipped cases and missing counters with their reasons.\n\n"
		"RUN is a run's number, the first digits of its uid (at least 4), a label (its "
		"newest run), or \"last\", which is the default. csv has one row a case and one "
		"column a counter; json has everything but the samples. Both carry the version of "
		"their format, 1.\n\n"
		"A run of the backend ptx has no times and no best configuration: its columns are "
		"counts of the emulated PTX. With --lines they are shown by source line, for the "
		"cases whose name a CASE matches (with * and ?, or anywhere in it), with the text "
		"of the source where it is found in the working directory or below "
		"$PERFLAB_SOURCE_DIR.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct report_verb_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_FREE,
	.operands_most = SIZE_MAX,
	.run = run_report,
};
