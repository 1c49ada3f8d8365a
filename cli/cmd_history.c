/* perflab history: shows the times of a case over all its runs, and its change points. perflab
 * mark: chooses the runs that later ones are compared with. */
#include <stdlib.h>
#include <string.h>

#include "cli/gpus.h"
#include "cli/output.h"
#include "db/db.h"
#include "harness/judge/judge.h"
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

static const struct option_row history_rows[] = {
	TEXT_ROW("db", 0, history_options, db, "FILE", HELP_DB),
	TEXT_ROW("device", 'd', history_options, device, "DEVICE",
		 "the device: its id from `perflab list devices`, the first characters of its "
		 "uuid, or its "
		 "name or a part of it (default: the device of the newest run that has the case)"),
	TEXT_ROW("backend", 0, history_options, backend, "cuda|ptx",
		 "the backend (default: the backend of the newest run that has the case)"),
	CHOICE_ROW("format", 'f', history_options, format, "FORMAT", history_format_words,
		   HELP_FORMAT_OF_OUTPUT),
	TEXT_ROW("output", 'o', history_options, output, "FILE", HELP_OUTPUT),
	COUNT_ROW("limit", 'n', history_options, limit, "RUNS", 0,
		  "show at most this many runs, the newest; 0 shows all; csv and json show all "
		  "unless this is given; change points always come from all runs"),
	FLAG_ROW("all", 'a', history_options, all,
		 "text and md: show each of many cases in full; otherwise more than three have one "
		 "line each, those that changed first"),
	ROW_NO_PAGER(history_options),
};

static const struct example history_examples[] = {
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
		"Shows how long a case took in each run, oldest first, and its change points: when "
		"it became slower or faster, by how much, and between which runs and source "
		"revisions. docs/change-points.md explains how perflab finds them, and how rare "
		"false change points are.\n\n"
		"CASE is KERNEL/VARIANT/CONFIG, as `perflab report` prints it. KERNEL/VARIANT, "
		"KERNEL, or a pattern with * and ? selects every case that it matches; up to three "
		"get a history each, more get one line each. A run in which the case failed shows "
		"the reason instead of a time. Emulated runs have no times: their history shows "
		"between which runs counters changed, and names them.\n\n"
		"A history covers one device, one backend, one --cache and one file: kernels of "
		"one name from several files have a history each. perflab names the other devices "
		"and never mixes them. json carries the version of its format, 1. csv has one row "
		"per run. Times are in nanoseconds. The field \"step\" is the ratio to the run "
		"before, minus 1.",
	OPTIONS_AND_EXAMPLES(history_options, history_rows, history_examples),
	.defaults = history_defaults,
	.operand_kind = OPERANDS_CASES,
	.operands_least = 1,
	.operands_most = 1,
	.run = run_history,
};

struct mark_options {
	const char *db, *label, *note;
};

static bool is_mark(const char *word)
{
	return strcmp(word, "good") == 0 || strcmp(word, "bad") == 0 || strcmp(word, "none") == 0;
}

static int check_mark_options(const struct invocation *call, struct error *err)
{
	const struct mark_options *options = call->options;
	const char *kind = call->operands.count > 1 ? call->operands.items[1] : NULL;

	if (!kind && !options->label && !options->note && is_mark(call->operands.items[0]))
		return error_set(err, PL_EUSAGE, "name the run, too: perflab mark last %s",
				 call->operands.items[0]);
	if (!kind && !options->label && !options->note)
		return error_set(
			err, PL_EUSAGE,
			"nothing to change for run %.40s: give good, bad or none, --label or "
			"--note",
			call->operands.items[0]);
	if (kind && !is_mark(kind) && is_mark(call->operands.items[0]))
		return error_set(err, PL_EUSAGE, "the run comes first: perflab mark %.40s %s", kind,
				 call->operands.items[0]);
	if (kind && !is_mark(kind))
		return error_set(err, PL_EUSAGE, "a run is marked good, bad or none, not '%.40s'",
				 kind);
	return 0;
}

static int run_mark(struct invocation *call, struct error *err)
{
	const struct mark_options *options = call->options;
	const struct run_words words = {
		.mark = call->operands.count > 1 ? call->operands.items[1] : NULL,
		.why = options->note,
		.label = options->label,
		.note = options->note,
	};
	struct db *db = NULL;
	int64_t id = 0;
	struct judged_again again = {0};
	int rc = check_mark_options(call, err);

	if (!rc)
		rc = db_open(&db, options->db ? options->db : db_default_path(), DB_WRITE, err);
	if (!rc)
		rc = db_run_resolve(db, call->operands.items[0], &id, err);
	if (!rc)
		rc = say_one_of_group(db, call->operands.items[0], id, err);
	if (!rc)
		rc = judge_mark(db, id, &words, err);
	if (!rc && words.mark && strcmp(words.mark, "none") == 0)
		say("run %lld has no mark", (long long)id);
	else if (!rc && words.mark)
		say("run %lld is marked %s", (long long)id, words.mark);
	if (!rc && words.mark)
		rc = judge_changed_baselines(db, JUDGE_CHANGED_NS, interruption_catch(), &again,
					     err);
	if (again.judged)
		say("%zu later run%s judged again, because the baseline may have changed",
		    again.judged, again.judged == 1 ? " was" : "s were");
	if (again.left)
		say("%zu more run%s will be judged when perflab next stores or marks a run",
		    again.left, again.left == 1 ? "" : "s");
	db_close(db);
	return rc;
}

static const char *const mark_words[] = {"good", "bad", "none", NULL};

static const struct option_row mark_rows[] = {
	TEXT_ROW("db", 0, mark_options, db, "FILE", HELP_DB),
	TEXT_ROW("label", 'l', mark_options, label, "LABEL",
		 "replace the label of the run; \"\" removes it"),
	TEXT_ROW("note", 0, mark_options, note, "TEXT",
		 "replace the note of the run, which is also the reason for the mark; \"\" removes "
		 "it"),
};

static const struct example mark_examples[] = {
	{"perflab mark last good", "make the newest run the baseline of later runs"},
	{"perflab mark 12 bad --note \"the host was busy\"",
	 "never use run 12 as a baseline, and store the reason"},
	{"perflab mark 12 none", "remove the mark"},
	{"perflab mark last --label v1.2", "change the label and keep the mark"},
};

const struct command command_mark = {
	.name = "mark",
	.summary = "mark a run as good or bad, or change its label or note",
	.operands = "RUN [good|bad|none]",
	.description =
		"Marks a run as good or bad, or removes its mark. The baseline of a case is the "
		"newest older run that has the case and is marked good. If no such run is marked "
		"good, it is the newest older run that has the case and is not marked bad. "
		"`perflab regress --base last-good` uses the same rule.\n\n"
		"After a change of the mark, perflab judges the later runs again whose baseline "
		"may have changed, the newest first, so that the view `regressions` is up to date. "
		"If they are many, it judges the oldest of them when it next stores or marks a "
		"run.\n\n"
		"RUN is a run's number, the first digits of its uid (at least 4), a label, a "
		"source revision, \"last\" or \"last-good\".",
	OPTIONS_AND_EXAMPLES(mark_options, mark_rows, mark_examples),
	.operand_kind = OPERANDS_RUNS,
	.operand_words = mark_words,
	.operands_least = 1,
	.operands_most = 2,
	.run = run_mark,
};
