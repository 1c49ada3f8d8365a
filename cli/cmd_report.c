/* perflab report: a stored run in any format. */
#include "cli/command.h"
#include "cli/shared.h"
#include "db/db.h"

struct report_verb_options {
	const char *db;
	int format;
	bool all_metrics;
};

static int run_report(struct invocation *call, struct error *err)
{
	const struct report_verb_options *options = call->options;
	const char *path = options->db ? options->db : db_default_path();
	const char *reference = call->operands.count ? call->operands.items[0] : "last";
	struct run run = {0};
	struct db *db = NULL;
	int64_t id = 0;
	int rc;

	rc = db_open(&db, path, DB_READ, err);
	if (rc)
		return rc;
	rc = db_run_resolve(db, reference, &id, err);
	if (!rc)
		rc = db_run_load(db, id, true, &run, err);
	host_tell_abandoned(&run);
	if (!rc)
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
};

static const struct example examples[] = {
	{"perflab report", "the newest run, as a table"},
	{"perflab report nightly --format csv > nightly.csv", "the newest run of that label"},
	{"perflab report 12 --format md", "run 12, to paste in a pull request"},
};

const struct command command_report = {
	.name = "report",
	.summary = "print a stored run",
	.operands = "[RUN]",
	.description =
		"Prints a run: the best configuration of each kernel, the sweep, then failures, "
		"skipped cases and missing counters with their reasons.\n\n"
		"RUN is a run's number, the first digits of its uid (at least 4), a label (its "
		"newest run), or \"last\", which is the default. csv has one row a case and one "
		"column a counter; json has everything but the samples. Both carry the version of "
		"their format, 1.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct report_verb_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_FREE,
	.operands_most = 1,
	.run = run_report,
};
