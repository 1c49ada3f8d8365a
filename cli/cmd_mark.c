/* perflab mark: marks a stored run as good or bad, or changes its label or note. */
#include <stdlib.h>
#include <string.h>

#include "cli/shared.h"
#include "db/db.h"
#include "harness/session/judge.h"

struct mark_options {
	const char *db, *label, *note;
};

/* Runs whose baseline may be another one now: those of the device and backend that came later. */
struct later_runs {
	const struct run *marked;
	int64_t *ids;
	size_t count, capacity;
};

static int note_later(void *context, const struct run *run, const struct trial_tally *tally)
{
	struct later_runs *later = context;
	const struct run *marked = later->marked;

	(void)tally;
	/* newest first: what follows is older still */
	if (run->started_ns < marked->started_ns || run->id == marked->id)
		return 1;
	if (strcmp(run->backend, marked->backend) != 0 ||
	    strcmp(run->device.name, marked->device.name) != 0 ||
	    strcmp(run->device.uuid, marked->device.uuid) != 0)
		return 0;
	later->ids = xgrow(later->ids, &later->capacity, later->count + 1, sizeof(*later->ids));
	later->ids[later->count++] = run->id;
	return 0;
}

/* The newest first, so that a person who interrupts has those that matter most. */
static int judge_later(struct db *db, int64_t run_id, struct error *err)
{
	const volatile int *stop = interruption_catch();
	struct later_runs later = {0};
	struct run marked = {0};
	int rc = db_run_load(db, run_id, false, &marked, err);

	later.marked = &marked;
	if (!rc)
		rc = db_runs_visit(db, 0, note_later, &later, err);
	for (size_t i = 0; !rc && i < later.count; i++) {
		if (*stop)
			rc = error_set(err, PL_EINTERRUPTED,
				       "interrupted: the mark is set, and %zu of %zu later runs "
				       "are not judged anew; mark it again to go on",
				       later.count - i, later.count);
		else
			rc = judge_stored_run(db, later.ids[i], err);
	}
	if (!rc && later.count)
		say("%zu later run%s judged anew, for the baseline may be another", later.count,
		    later.count == 1 ? " was" : "s were");
	free(later.ids);
	run_release(&marked);
	return rc;
}

static int check_request(const struct invocation *call, struct error *err)
{
	const struct mark_options *options = call->options;
	const char *kind = call->operands.count > 1 ? call->operands.items[1] : NULL;

	if (!kind && !options->label && !options->note)
		return error_set(
			err, PL_EUSAGE,
			"nothing to change for run %.40s: give good, bad or none, --label or "
			"--note",
			call->operands.items[0]);
	if (kind && strcmp(kind, "good") != 0 && strcmp(kind, "bad") != 0 &&
	    strcmp(kind, "none") != 0)
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
	int rc = check_request(call, err);

	if (!rc)
		rc = db_open(&db, options->db ? options->db : db_default_path(), DB_WRITE, err);
	if (!rc)
		rc = db_run_resolve(db, call->operands.items[0], &id, err);
	if (!rc)
		rc = db_run_mark(db, id, &words, err);
	if (!rc && words.mark && strcmp(words.mark, "none") == 0)
		say("run %lld has no mark", (long long)id);
	else if (!rc && words.mark)
		say("run %lld is marked %s", (long long)id, words.mark);
	if (!rc && words.mark)
		rc = judge_later(db, id, err);
	db_close(db);
	return rc;
}

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
		"After a change of the mark, perflab judges the later runs of the same device and "
		"backend again, so that the view `regressions` is up to date.\n\n"
		"RUN is a run's number, the first digits of its uid (at least 4), a label, a "
		"source "
		"revision, \"last\" or \"last-good\".",
	.options = rows,
	.option_count = ARRAY_SIZE(rows),
	.options_size = sizeof(struct mark_options),
	.examples = examples,
	.example_count = ARRAY_SIZE(examples),
	.operand_kind = OPERANDS_FREE,
	.operands_least = 1,
	.operands_most = 2,
	.run = run_mark,
};
