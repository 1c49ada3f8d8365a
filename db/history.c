/* Loads the history of one case: its trials in all runs of a device. */
#include "metrics/analysis/history.h"
#include "db/columns.h"

#include <stdlib.h>
#include <string.h>

/* ---- the cases of the database ---- */

static const char cases_sql[] =
	"SELECT newest.device_id, device.name, device.uuid, newest.backend, newest.kernel,"
	" newest.variant, newest.config, run.origin, timed_trial_id IS NOT NULL,"
	" run.emulated, run.started_ns"
	" FROM newest"
	" JOIN device ON device.id = newest.device_id"
	" JOIN trial ON trial.id = coalesce(timed_trial_id, trial_id)"
	" JOIN run ON run.id = trial.run_id"
	" ORDER BY newest.kernel, newest.variant, newest.config, run.origin, run.started_ns DESC";

int db_cases_visit(struct db *db, int (*visit)(void *context, const struct known_case *item),
		   void *context, struct error *err)
{
	int stop = 0;
	struct statement select = statement_prepare(db, cases_sql, err);

	while (!stop && statement_next(&select)) {
		struct known_case item;

		item.device_id = take_integer(&select, 0);
		item.device = take_known_text(&select);
		item.uuid = take_known_text(&select);
		item.backend = take_known_text(&select);
		item.kernel = take_known_text(&select);
		item.variant = take_known_text(&select);
		item.config = take_known_text(&select);
		item.origin = take_known_text(&select);
		item.timed = take_integer(&select, 0) != 0;
		item.emulated = take_integer(&select, 0) != 0;
		item.newest_ns = take_integer(&select, 0);
		stop = visit(context, &item);
	}
	return statement_release(&select);
}

static const char origins_sql[] =
	"WITH mine AS (SELECT run.origin, run.id, run.started_ns, row_number() OVER ("
	"  PARTITION BY run.origin ORDER BY run.started_ns DESC, run.id DESC) AS age"
	" FROM newest JOIN trial ON trial.id = newest.trial_id JOIN run ON run.id = trial.run_id"
	" WHERE newest.kernel = ? AND run.origin IS NOT NULL)"
	" SELECT origin, (SELECT value FROM environment WHERE run_id = mine.id AND key = ?)"
	" FROM mine WHERE age = 1 ORDER BY started_ns DESC, id DESC";

int db_origins_load(struct db *db, const char *kernel, const char *fact, struct key_value_list *out,
		    struct error *err)
{
	struct statement select = statement_prepare(db, origins_sql, err);

	bind_text(&select, kernel);
	bind_text(&select, fact);
	while (statement_next(&select)) {
		const char *origin = take_known_text(&select);
		const char *value = take_known_text(&select);

		key_value_set(out, origin, value);
	}
	return statement_release(&select);
}

/* ---- the history of one case ---- */

/* Newest first, because the newest decides which --cache counts. */
static const char history_sql[] =
	"SELECT run.id, run.uid, run.label, run.source_revision, run.started_ns, run.driver,"
	" run.toolkit, run.seed, run.emulated, device.name, device.uuid,"
	" (SELECT kind FROM mark WHERE run_id = run.id), coalesce(run.cache = 'hot', 0),"
	" iif(trial.sample_count > 0 AND trial.status IN ('ok', 'unverified'),"
	"  EXISTS (SELECT * FROM round WHERE trial_id = trial.id AND event_ns IS NOT NULL), NULL),"
	" trial.id,"
	" trial.status, trial.reason, trial.code_hash, trial.launch_hash, trial.sample_count,"
	" trial.median_ns, trial.mad_ns, trial.session_low_ns, trial.session_high_ns, "
	"trial.min_ns, trial.max_ns"
	" FROM trial JOIN run ON run.id = trial.run_id JOIN device ON device.id = run.device_id"
	" WHERE trial.kernel = ? AND trial.variant = ? AND trial.config = ?"
	" AND run.device_id = ? AND run.backend = ? AND coalesce(run.origin, '') = ?"
	" AND trial.status NOT IN ('pending', 'skipped')"
	" ORDER BY run.started_ns DESC, run.id DESC";

static void run_take_part(struct statement *row, struct run *run, const char *backend)
{
	run->id = take_integer(row, 0);
	take_text_into(row, run->uid, sizeof(run->uid));
	run->label = take_text_copy(row);
	run->source_revision = take_text_copy(row);
	run->started_ns = take_integer(row, 0);
	run->backend = xstrdup(backend);
	take_text_into(row, run->device.driver, sizeof(run->device.driver));
	take_text_into(row, run->device.toolkit, sizeof(run->device.toolkit));
	run->seed = (uint64_t)take_integer(row, 0);
	run->traits.emulated = take_integer(row, 0) != 0;
	take_text_into(row, run->device.name, sizeof(run->device.name));
	take_text_into(row, run->device.uuid, sizeof(run->device.uuid));
	run->mark = take_text_copy(row);
}

static void trial_take_part(struct statement *row, struct trial *trial)
{
	struct summary *summary = &trial->summary;

	trial->id = take_integer(row, 0);
	trial->status = take_status(row);
	trial->reason = take_text_copy(row);
	take_text_into(row, trial->facts.code_hash, sizeof(trial->facts.code_hash));
	take_text_into(row, trial->launch_hash, sizeof(trial->launch_hash));
	summary->count = take_integer(row, 0);
	summary->median_ns = take_real(row);
	summary->mad_ns = take_real(row);
	summary->session_low_ns = take_real(row);
	summary->session_high_ns = take_real(row);
	summary->min_ns = take_real(row);
	summary->max_ns = take_real(row);
}

static void history_leave_out(struct history *history, size_t at)
{
	run_release(&history->runs[at]);
	trial_release(&history->trials[at]);
	history->left_out++;
}

/* Times with and without the cost of the events say nothing of each other: leaves those with it out
 * if there are others. `corrected` has for each run whether the cost was taken off; -1: it has no
 * times. */
static void history_choose_clock(struct history *history, const int8_t *corrected)
{
	const size_t count = history->count;
	bool any = false;

	for (size_t i = 0; i < count; i++)
		any |= corrected[i] > 0;
	history->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (any && corrected[i] == 0) {
			history_leave_out(history, i);
			continue;
		}
		history->runs[history->count] = history->runs[i];
		history->trials[history->count++] = history->trials[i];
	}
}

/* Adds a run and its trial for each row. Drops and counts the rows of another --cache or clock. */
static void history_take(struct statement *select, struct history *history, const char *backend)
{
	size_t runs = 0, trials = 0, flags = 0;
	int8_t *corrected = NULL;
	int64_t hot_wanted = -1;

	while (statement_next(select)) {
		size_t at = history->count;
		int64_t hot;

		history->runs = xgrow(history->runs, &runs, at + 1, sizeof(*history->runs));
		history->trials = xgrow(history->trials, &trials, at + 1, sizeof(*history->trials));
		corrected = xgrow(corrected, &flags, at + 1, sizeof(*corrected));
		history->runs[at] = (struct run){0};
		history->trials[at] = (struct trial){0};
		run_take_part(select, &history->runs[at], backend);
		hot = take_integer(select, 0);
		corrected[at] = (int8_t)take_integer(select, -1);
		trial_take_part(select, &history->trials[at]);
		if (hot_wanted < 0)
			hot_wanted = hot;
		if (hot == hot_wanted) {
			history->trials[at].run_id = history->runs[at].id;
			history->count++;
		} else {
			history_leave_out(history, at);
		}
	}
	history_choose_clock(history, corrected);
	free(corrected);
}

static void history_turn(struct history *history)
{
	for (size_t i = 0; i < history->count / 2; i++) {
		size_t other = history->count - 1 - i;
		struct run run = history->runs[i];
		struct trial trial = history->trials[i];

		history->runs[i] = history->runs[other];
		history->runs[other] = run;
		history->trials[i] = history->trials[other];
		history->trials[other] = trial;
	}
}

int db_history_load(struct db *db, const struct known_case *item, struct history *out,
		    struct error *err)
{
	struct history history = {0};
	struct statement select = statement_prepare(db, history_sql, err);
	struct run trials = {0};
	int rc;

	bind_text(&select, item->kernel);
	bind_text(&select, item->variant);
	bind_text(&select, item->config);
	bind_integer(&select, item->device_id);
	bind_text(&select, item->backend);
	bind_text(&select, item->origin);
	history_take(&select, &history, item->backend);
	rc = statement_release(&select);
	history_turn(&history);
	trials.trials = history.trials;
	trials.trial_count = history.count;
	history.emulated = history.count && history.runs[history.count - 1].traits.emulated;
	if (!rc)
		rc = history.emulated ? db_counters_load(db, history.trials, history.count, err)
				      : db_rounds_load(db, &trials, err);
	history.kernel = xstrdup(item->kernel);
	history.variant = xstrdup(item->variant);
	history.config = xstrdup(item->config);
	history.origin = *item->origin ? xstrdup(item->origin) : NULL;
	if (rc)
		history_release(&history);
	else
		*out = history;
	return rc;
}
