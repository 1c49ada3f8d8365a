/* perflab history: shows the times of a case over all its runs, and its change points. */
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/pager.h"
#include "db/db.h"
#include "harness/runs/runs.h"
#include "reports/reports.h"

#define ROWS_DEFAULT 30 /* of a human-readable format */
/* "GPU-606b7d42" tells devices of one name apart, and --device accepts it. */
#define UUID_SHOWN 12

struct history_options {
	const char *db, *device, *backend, *output;
	int format;
	int64_t limit;
	bool all, no_pager;
};

/* Tells the user which device is shown, if the cases were also measured on others. */
static void say_other_devices(const struct found_cases *found, const struct known_case *shown)
{
	struct string_list others = {0};
	struct text line = TEXT_INIT;

	for (size_t i = 0; i < found->count; i++) {
		const struct known_case *item = &found->items[i].item;
		char *other;

		if (cases_same_series(item, shown))
			continue;
		other = xasprintf("%lld (%s%s%.*s, %s)", (long long)item->device_id, item->device,
				  *item->uuid ? " " : "", UUID_SHOWN, item->uuid, item->backend);
		if (!string_list_has(&others, other)) {
			string_list_add(&others, other);
			text_addf(&line, "%s%s", line.length ? ", " : "", other);
		}
		free(other);
	}
	if (others.count)
		say("this is %s%s%.*s; --device selects another: %s", shown->device,
		    *shown->uuid ? " " : "", UUID_SHOWN, shown->uuid, line.data);
	string_list_release(&others);
	text_release(&line);
}

static int print_histories(const struct invocation *call, struct db *db,
			   const struct found_cases *found, struct error *err)
{
	const struct history_options *options = call->options;
	const enum report_format format = (enum report_format)options->format;
	const struct known_case *shown = cases_newest(found);
	struct output output = {0};
	bool limited = report_format_has(format, HUMAN_READABLE) || option_given(call, "limit");
	struct history *histories;
	size_t count;
	int rc;

	say_other_devices(found, shown);
	rc = cases_load_histories(&histories, &count, db, found, shown, err);
	if (!rc)
		rc = output_open(&output, options->output, err);
	if (!rc) {
		const struct report_selection selection = {.all = options->all};
		struct report_options look = output_look(call, &output);

		look.selection = &selection;
		rc = report_history(output.stream, histories, count, format,
				    limited ? (size_t)options->limit : 0, &look, err);
	}
	rc = output_end(&output, rc, err);
	for (size_t i = 0; i < count; i++)
		history_release(&histories[i]);
	free(histories);
	return rc;
}

static int run_history(struct invocation *call, struct error *err)
{
	const struct history_options *options = call->options;
	const char *path = options->db ? options->db : db_default_path();
	const struct case_query query = {.word = call->operands.items[0],
					 .device = options->device,
					 .backend = options->backend,
					 .db_path = path};
	struct found_cases found = {0};
	struct db *db = NULL;
	int rc = db_open(&db, path, DB_READ, err);

	if (!rc)
		rc = cases_find(&found, db, &query, err);
	if (!rc)
		rc = print_histories(call, db, &found, err);
	found_cases_release(&found);
	db_close(db);
	return rc;
}

static void history_defaults(void *context)
{
	struct history_options *options = context;

	options->limit = ROWS_DEFAULT;
}

static const struct option_row rows[] = {
	{"db", 0, OPTION_TEXT, offsetof(struct history_options, db), "FILE", HELP_DB, NULL, 0},
	{"device", 'd', OPTION_TEXT, offsetof(struct history_options, device), "DEVICE",
	 "the device: its id from `perflab list devices`, the first characters of its uuid, or its "
	 "name or a part of it (default: the device of the newest run that has the case)",
	 NULL, 0},
	{"backend", 0, OPTION_TEXT, offsetof(struct history_options, backend), "cuda|ptx",
	 "the backend (default: the backend of the newest run that has the case)", NULL, 0},
	{"format", 'f', OPTION_CHOICE, offsetof(struct history_options, format), "FORMAT",
	 HELP_FORMAT_OF_OUTPUT, history_format_words, 0},
	{"output", 'o', OPTION_TEXT, offsetof(struct history_options, output), "FILE", HELP_OUTPUT,
	 NULL, 0},
	{"limit", 'n', OPTION_COUNT, offsetof(struct history_options, limit), "RUNS",
	 "show at most this many runs, the newest; 0 shows all; csv and json show all unless this "
	 "is given; change points always come from all runs",
	 NULL, 0},
	{"all", 'a', OPTION_FLAG, offsetof(struct history_options, all), NULL,
	 "text and md: show each of many cases in full; otherwise more than three have one line "
	 "each, those that changed first",
	 NULL, 0},
	ROW_NO_PAGER(history_options),
};

static const struct example examples[] = {
	{"perflab history reduce/shuffle/block=256,n=16777216", "show one case over all its runs"},
	{"perflab history \"reduce/shuffle/block=256*\"",
	 "show every case whose name matches the pattern"},
	{"perflab history reduce/shuffle --format json",
	 "print every configuration of a variant as JSON"},
	{"perflab history stream/copy_scalar --device H100 --format md",
	 "show the history on another device, as Markdown"},
};

const struct command command_history = {
	.name = "history",
	.summary = "show a case over all its runs, and when it changed",
	.operands = "CASE",
	.description =
		"Shows how long a case took in each run, oldest first, and its change points: "
		"when it became slower or faster, by how much, and between which runs and source "
		"revisions. docs/change-points.md explains how perflab finds them, and how "
		"rare false change points are.\n\n"
		"CASE is KERNEL/VARIANT/CONFIG, as `perflab report` prints it. KERNEL/VARIANT, "
		"KERNEL, or a pattern with * and ? selects every case that it matches; up to "
		"three get a history each, more get one line each. A run in which the case failed "
		"shows the reason instead of a "
		"time. Emulated runs have no times: their history shows between which runs "
		"counters changed, and names them.\n\n"
		"A history covers one device, one backend, one --cache and one file: kernels of "
		"one "
		"name from several files have a history each. perflab names the other "
		"devices and never mixes them. json carries the version of its format, 1. csv has "
		"one row per run. Times are in nanoseconds. The field \"step\" is the ratio to the "
		"run before, minus 1.",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct history_options),
	.defaults = history_defaults,
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_CASES,
	.operands_least = 1,
	.operands_most = 1,
	.run = run_history,
};
