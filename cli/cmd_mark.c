/* perflab mark: marks a stored run as good or bad, or changes its label or note. */
#include <string.h>

#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/one_of_group.h"
#include "db/db.h"
#include "harness/judge/judge.h"

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

static const struct option_row rows[] = {
	{"db", 0, OPTION_TEXT, offsetof(struct mark_options, db), "FILE", HELP_DB, NULL, 0},
	{"label", 'l', OPTION_TEXT, offsetof(struct mark_options, label), "LABEL",
	 "replace the label of the run; \"\" removes it", NULL, 0},
	{"note", 0, OPTION_TEXT, offsetof(struct mark_options, note), "TEXT",
	 "replace the note of the run, which is also the reason for the mark; \"\" removes it",
	 NULL, 0},
};

static const struct example examples[] = {
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
		"`perflab "
		"regress --base last-good` uses the same rule.\n\n"
		"After a change of the mark, perflab judges the later runs again whose baseline "
		"may have changed, the newest first, so that the view `regressions` is up to date. "
		"If they are many, it judges the oldest of them when it next stores or marks a "
		"run.\n\n"
		"RUN is a run's number, the first digits of its uid (at least 4), a label, a "
		"source "
		"revision, \"last\" or \"last-good\".",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct mark_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_RUNS,
	.operand_words = mark_words,
	.operands_least = 1,
	.operands_most = 2,
	.run = run_mark,
};
