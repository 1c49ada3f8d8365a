/* perflab fleet: shows which GPUs of a database are outliers. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/output.h"
#include "db/db.h"
#include "metrics/analysis/fleet.h"
#include "reports/reports.h"

#define SECOND_NS INT64_C(1000000000)
#define DAY_NS (86400 * SECOND_NS)
#define DAYS_MOST 36500

struct fleet_options {
	const char *db, *since, *output;
	int format;
	int64_t last;
	double smallest;
	bool all, no_pager;
};

/* ---- the time window ---- */

static bool parse_days(int64_t *out, const char *text)
{
	struct error ignored = {0};
	char digits[8];
	const size_t length = strlen(text);
	int64_t days;

	if (length < 2 || length > sizeof(digits) || text[length - 1] != 'd')
		return false;
	memcpy(digits, text, length - 1);
	digits[length - 1] = '\0';
	if (parse_i64(&days, digits, &ignored) || days < 1 || days > DAYS_MOST)
		return false;
	*out = wall_time_ns() - days * DAY_NS;
	return true;
}

/* "2026-11-01", or that with "T18:00:00Z", which are UTC. */
static bool parse_date(int64_t *out, const char *text)
{
	struct tm date = {0};
	char shown[21];
	int64_t when;
	int length = 0;

	if (sscanf(text, "%4d-%2d-%2d%n", &date.tm_year, &date.tm_mon, &date.tm_mday, &length) != 3)
		return false;
	if (text[length] &&
	    sscanf(text + length, "T%2d:%2d:%2d", &date.tm_hour, &date.tm_min, &date.tm_sec) != 3)
		return false;
	if (date.tm_year < 1970 || date.tm_year > 2200)
		return false;
	date.tm_year -= 1900;
	date.tm_mon -= 1;
	when = (int64_t)timegm(&date) * SECOND_NS;
	/* rejects 2026-02-31, which timegm() takes for 2026-03-03, and every other spelling */
	format_utc(shown, when);
	if (strncmp(shown, text, (size_t)length) != 0 || (text[length] && strcmp(shown, text) != 0))
		return false;
	*out = when;
	return true;
}

static int parse_since(int64_t *out, const char *text, struct error *err)
{
	*out = INT64_MIN;
	if (!text || parse_days(out, text) || parse_date(out, text))
		return 0;
	return error_set(err, PL_EUSAGE,
			 "--since takes a date such as 2026-11-01 or 2026-11-01T18:00:00Z, or a "
			 "number of days such as 30d, not \"%s\"",
			 text);
}

/* ---- messages ---- */

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static void say_fleet_left_out(const struct fleet *fleet)
{
	if (fleet->emulated_runs)
		say("left out: %zu emulated run%s, which have no times", fleet->emulated_runs,
		    plural(fleet->emulated_runs));
	if (fleet->unfinished_runs)
		say("left out: %zu run%s that did not finish", fleet->unfinished_runs,
		    plural(fleet->unfinished_runs));
	if (fleet->runs_without_uuid)
		say("left out: %zu run%s of GPUs without a uuid, such as merged shards of several "
		    "GPUs",
		    fleet->runs_without_uuid, plural(fleet->runs_without_uuid));
	if (fleet->trials_without)
		say("left out: %zu trial%s whose median is missing, 0 or no number",
		    fleet->trials_without, plural(fleet->trials_without));
	if (fleet->trials_codeless)
		say("left out: %zu trial%s without a code hash: nobody knows whether the GPUs ran "
		    "the same code",
		    fleet->trials_codeless, plural(fleet->trials_codeless));
}

/* A check that compares nothing would look like one that passed. */
static void say_nothing_compared(const struct fleet *fleet, const struct fleet_judgement *judgement)
{
	size_t compared = 0;

	for (size_t i = 0; i < judgement->model_count; i++)
		compared += judgement->models[i].compared;
	if (compared)
		return;
	if (fleet->gpu_count == 1)
		say("there is one GPU and nothing to compare it with; perflab merge joins the "
		    "databases of several machines");
	else
		say("no GPU could be compared: that takes 3 GPUs of one model that have timed the "
		    "same case with the same code");
}

static int nothing_timed(const struct fleet *fleet, const char *path, const char *since,
			 struct error *err)
{
	if (since)
		return error_set(err, PL_ENOENT,
				 "%s has no finished run with times since %s: name an earlier "
				 "--since",
				 path, since);
	return error_set(err, PL_ENOENT,
			 "%s has no finished run with times%s: perflab sweep on a GPU stores one",
			 path, fleet->emulated_runs ? ", only emulated ones" : "");
}

/* ---- the verb ---- */

static int print_fleet(struct invocation *call, const struct fleet *fleet,
		       const struct fleet_limits *limits, struct error *err)
{
	const struct fleet_options *options = call->options;
	struct fleet_judgement judgement;
	const struct fleet_report report = {
		.fleet = fleet, .judgement = &judgement, .limits = limits, .all = options->all};
	struct output output = {0};
	int rc;

	fleet_judge(&judgement, fleet, limits);
	say_fleet_left_out(fleet);
	say_nothing_compared(fleet, &judgement);
	rc = output_open(&output, options->output, err);
	if (!rc) {
		const struct report_options look = output_look(call, &output);

		rc = report_fleet(output.stream, &report, (enum report_format)options->format,
				  &look, err);
	}
	rc = output_end(&output, rc, err);
	call->exit_code = judgement.outliers ? EXIT_FINDING : EXIT_FINE;
	fleet_judgement_release(&judgement);
	return rc;
}

static int run_fleet(struct invocation *call, struct error *err)
{
	const struct fleet_options *options = call->options;
	const char *path = options->db ? options->db : db_default_path();
	struct fleet_limits limits = fleet_limits_default;
	struct fleet fleet = {0};
	struct db *db = NULL;
	int64_t since_ns;
	int rc = parse_since(&since_ns, options->since, err);

	limits.last = (size_t)options->last;
	limits.smallest = options->smallest;
	if (!rc)
		rc = db_open(&db, path, DB_READ, err);
	if (!rc)
		rc = db_fleet_load(db, since_ns, &fleet, err);
	if (!rc && !fleet.gpu_count)
		rc = nothing_timed(&fleet, path, options->since, err);
	if (!rc)
		rc = print_fleet(call, &fleet, &limits, err);
	fleet_release(&fleet);
	db_close(db);
	return rc;
}

static void fleet_defaults(void *context)
{
	struct fleet_options *options = context;

	options->last = (int64_t)fleet_limits_default.last;
	options->smallest = fleet_limits_default.smallest;
}

static const struct option_row fleet_rows[] = {
	TEXT_ROW("db", 0, fleet_options, db, "FILE", HELP_DB),
	TEXT_ROW("since", 's', fleet_options, since, "DATE",
		 "read only runs that started at this date (UTC) or later: 2026-11-01, "
		 "2026-11-01T18:00:00Z, or 30d for 30 days ago (default: all runs)"),
	COUNT_ROW("last", 'n', fleet_options, last, "RUNS", 0,
		  "judge each GPU by so many of its newest runs; 0: by all; older runs still "
		  "tell since when a GPU is an outlier"),
	VALUE_ROW("smallest", 0, OPTION_RATIO, fleet_options, smallest, "RATIO",
		  "a smaller relative difference is never reported"),
	CHOICE_ROW("format", 'f', fleet_options, format, "FORMAT", table_format_words,
		   HELP_FORMAT_OF_OUTPUT),
	TEXT_ROW("output", 'o', fleet_options, output, "FILE", HELP_OUTPUT),
	FLAG_ROW("all", 'a', fleet_options, all, "text and md: show every GPU, not only outliers"),
	ROW_NO_PAGER(fleet_options),
};

static const struct example fleet_examples[] = {
	{"perflab fleet", "name the GPUs that are outliers"},
	{"perflab fleet --since 30d --last 7", "judge the newest 7 runs of the last 30 days"},
	{"perflab fleet --smallest 2% --format json -o fleet.json",
	 "report differences of 2 % and more, for a script"},
	{"perflab merge node1.db node2.db node3.db --db fleet.db && perflab fleet --db fleet.db",
	 "compare the GPUs of several machines"},
};

const struct command command_fleet = {
	.name = "fleet",
	.summary = "show which of many GPUs are outliers",
	.operands = "",
	.description =
		"Compares all GPUs of one model (name, compute capability, multiprocessors) that "
		"have timed the same cases with the same code, and names those whose times, "
		"clocks, power or ceilings are outliers: by how much, with which interval, and "
		"since when.\n\n"
		"Each value is compared with the median of the GPUs that measured the same case in "
		"the same night, which lasts from noon to noon, UTC. A GPU is judged by its newest "
		"runs (--last). It is an outlier if it lies farther from the median GPU than the "
		"scatter between GPUs explains, with one correction for all GPUs, and by at least "
		"the smallest difference (docs/fleet.md). The time of each single case is judged "
		"in the same way. \"since\" names the run in which the newest change point of the "
		"GPU begins.\n\n"
		"A model needs 3 GPUs. Emulated and unfinished runs, trials without a code hash, "
		"and GPUs without a uuid are left out, and a message says so. What was not "
		"measured is a dash, not 0. csv and json always have every GPU; json carries the "
		"version of its format, 1. Differences are relative to 1 there: 0.011 is 1.1 %.",
	.exit_status = "1 if a GPU is an outlier.",
	OPTIONS_AND_EXAMPLES(fleet_options, fleet_rows, fleet_examples),
	.defaults = fleet_defaults,
	.operands_instead = "name the file with --db FILE",
	.run = run_fleet,
};
