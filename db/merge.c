/*
 * Merges the runs of one database into another. A run keeps its uid in every database. The run of a
 * shard goes into the run of its sweep; every shard stores the uid of that run. Each run is one
 * transaction, so an interrupted merge leaves only whole runs, and merging again continues.
 */
#include "db/merge.h"
#include "metrics/recording.h"
#include "metrics/shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UID_LENGTH 32
#define DIGITS_SHOWN 8 /* of a uid, in messages */

/* ---- messages ---- */

static void say_to_watch(const struct merge *merge, const char *format, ...) PRINTF_LIKE(2, 3);
static void say_to_watch(const struct merge *merge, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (merge->watch->notice)
		merge->watch->notice(merge->watch->context, line);
}

static bool is_uid(const char *text)
{
	return text && strlen(text) == UID_LENGTH && strspn(text, "0123456789abcdef") == UID_LENGTH;
}

/* ---- the trials of a run ---- */

/* Whether `ours` is unfinished and `theirs` has more of the case. */
static bool is_further(const struct trial_progress *theirs, const struct trial_progress *ours)
{
	if (!ours->pending)
		return false;
	if (!theirs->pending)
		return true;
	if (theirs->rounds != ours->rounds)
		return theirs->rounds > ours->rounds;
	return theirs->counted && !ours->counted;
}

static int trial_merge(struct merge *merge, struct merge_run *moved, struct statement *row,
		       struct error *err)
{
	struct trial_progress theirs, ours;
	bool found = false, equal = false;
	int rc = 0;

	trial_progress_take(row, &theirs);
	if (!moved->made)
		found = trial_find(&merge->copier, row, moved->id, &ours);
	if (merge->copier.find.rc)
		return merge->copier.find.rc;
	if (!found) {
		moved->added++;
		return trial_copy(&merge->copier, row, theirs.id, moved->id);
	}
	if (is_further(&theirs, &ours)) {
		moved->replaced++;
		/* with its samples, counters and lines */
		rc = db_execute_on(merge->into, "DELETE FROM trial WHERE id = ?", ours.id, err);
		return rc ? rc : trial_copy(&merge->copier, row, theirs.id, moved->id);
	}
	if (theirs.pending)
		return 0;
	rc = trial_equal(&merge->copier, row, theirs.id, ours.id, &equal);
	if (!rc && !equal && !moved->at_odds++)
		moved->case_at_odds = trial_row_name(row);
	return rc;
}

static int trials_merge(struct merge *merge, struct merge_run *moved, struct error *err)
{
	struct statement select = trials_select(&merge->copier, moved->run.id, err);
	int rc = 0;

	while (!rc && statement_next(&select))
		rc = trial_merge(merge, moved, &select, err);
	rc = rc ? rc : select.rc;
	statement_release(&select);
	return rc;
}

/* ---- one run ---- */

static void say_odds(const struct merge *merge, const struct merge_run *moved)
{
	if (moved->is_another)
		say_to_watch(
			merge,
			"run %.*s of %s has other settings than the run of the same uid in %s, "
			"which is kept",
			DIGITS_SHOWN, moved->uid, merge->from->path, merge->into->path);
	if (moved->at_odds)
		say_to_watch(
			merge,
			"run %.*s differs between %s and %s in %lld %s, such as %s: the results in "
			"%s are kept",
			DIGITS_SHOWN, moved->uid, merge->from->path, merge->into->path,
			(long long)moved->at_odds, moved->at_odds == 1 ? "case" : "cases",
			moved->case_at_odds, merge->into->path);
}

/* A shard with a run of its own, beside another run of its sweep. */
static int say_apart(const struct merge *merge, const struct merge_run *moved, struct error *err)
{
	char *line;
	int rc = moved->shard ? merge_sweep_find_apart(&line, merge, moved, err) : 0;

	if (rc || !moved->shard || !line)
		return rc;
	say_to_watch(merge, "%s", line);
	free(line);
	return 0;
}

static int run_store(struct merge *merge, struct merge_run *moved, struct error *err)
{
	bool found = false;
	int rc = merge_run_find(merge->into, moved->uid, &moved->id, &found, err);

	if (!rc)
		rc = found ? merge_run_check(merge, moved, err) : merge_run_make(merge, moved, err);
	if (!rc && moved->is_another)
		return 0;
	if (!rc)
		rc = trials_merge(merge, moved, err);
	if (!rc && moved->shard && moved->at_odds)
		rc = merge_fail_overlap(moved, err);
	if (!rc)
		rc = merge_tables_copy(merge, moved, err);
	if (!rc && moved->shard)
		rc = merge_sweep_join(merge, moved, err);
	else if (!rc && !moved->made)
		rc = merge_run_complete(merge, moved, err);
	return rc;
}

static int run_bring(struct merge *merge, struct merge_run *moved, struct error *err)
{
	int rc = db_begin_read(merge->from, err);

	if (rc)
		return rc;
	rc = db_begin(merge->into, err);
	if (!rc)
		rc = db_end(merge->into, run_store(merge, moved, err), err);
	return db_end(merge->from, rc, err);
}

/* Joins a shard that has a run of its own in the database of the sweep. */
static int run_move(struct merge *merge, struct merge_run *moved, struct error *err)
{
	int rc = db_begin(merge->into, err);

	if (rc)
		return rc;
	rc = run_store(merge, moved, err);
	if (!rc)
		rc = db_execute_on(merge->into, "DELETE FROM run WHERE id = ?", moved->run.id, err);
	return db_end(merge->into, rc, err);
}

static void summary_touch(struct merge_summary *summary, int64_t run_id, bool changed, bool sweep)
{
	for (size_t i = 0; i < summary->touched_count; i++)
		if (summary->touched[i].run_id == run_id) {
			summary->touched[i].changed |= changed;
			return;
		}
	summary->touched = xgrow(summary->touched, &summary->touched_capacity,
				 summary->touched_count + 1, sizeof(*summary->touched));
	summary->touched[summary->touched_count++] = (struct merge_touched){run_id, changed, sweep};
}

static void summarise_run(const struct merge *merge, const struct merge_run *moved)
{
	struct merge_summary *summary = merge->summary;
	const bool changed = moved->made || moved->added || moved->replaced;

	summary->trials += moved->added + moved->replaced;
	if (moved->shard && changed)
		summary->shards++;
	else if (moved->made)
		summary->added++;
	else if (changed)
		summary->completed++;
	else
		summary->known++;
	if (moved->at_odds || moved->is_another)
		summary->at_odds++;
	summary_touch(summary, moved->id, changed, moved->shard);
}

static int merge_one_run(struct merge *merge, int64_t id, struct error *err)
{
	struct merge_run moved = {0};
	const char *sweep_uid;
	int rc = db_run_load(merge->from, id, false, &moved.run, err);

	if (rc)
		return rc;
	sweep_uid = key_value_get(&moved.run.environment, SWEEP_UID_KEY);
	moved.shard = is_uid(sweep_uid) && key_value_get(&moved.run.environment, SHARDS_KEY);
	moved.uid = moved.shard ? sweep_uid : moved.run.uid;
	rc = merge->from == merge->into ? run_move(merge, &moved, err)
					: run_bring(merge, &moved, err);
	if (!rc)
		rc = say_apart(merge, &moved, err);
	if (!rc) {
		say_odds(merge, &moved);
		summarise_run(merge, &moved);
	}
	error_context(err, rc, "run %.*s of %s", DIGITS_SHOWN, moved.run.uid, merge->from->path);
	run_release(&moved.run);
	free(moved.case_at_odds);
	return rc;
}

/* ---- all runs ---- */

static int merge_all_runs(struct db *into, struct db *from, const char *sql,
			  const struct merge_watch *watch, struct merge_summary *summary,
			  struct error *err)
{
	struct merge merge = {.from = from, .into = into, .watch = watch, .summary = summary};
	struct id_list ids = {0};
	int rc = db_select_ids(&ids, from, sql, err);

	if (!rc && ids.count)
		rc = trial_copier_init(&merge.copier, from, into, err);
	for (size_t i = 0; i < ids.count && !rc; i++) {
		if (watch->progress)
			watch->progress(watch->context, i, ids.count);
		rc = merge_one_run(&merge, ids.items[i], err);
	}
	trial_copier_release(&merge.copier);
	free(ids.items);
	return rc;
}

/* ---- recordings of programs ---- */

static int has_recording(struct db *db, const char *uid, bool *found, struct error *err)
{
	struct statement select =
		statement_prepare(db, "SELECT 1 FROM recording WHERE uid = ?", err);

	bind_text(&select, uid);
	*found = statement_next(&select);
	return statement_release(&select);
}

static int merge_recording(struct db *into, struct db *from, int64_t id,
			   struct merge_summary *summary, struct error *err)
{
	struct recording recording;
	bool found = true;
	int rc = db_recording_load(from, id, &recording, err);

	if (rc)
		return rc;
	rc = has_recording(into, recording.uid, &found, err);
	if (!rc && !found) {
		rc = db_recording_store(into, &recording, err);
		summary->recordings += !rc;
	}
	recording_release(&recording);
	return rc;
}

static int merge_recordings(struct db *into, struct db *from, struct merge_summary *summary,
			    struct error *err)
{
	struct id_list ids = {0};
	/* the oldest first: they keep their order */
	int rc = db_select_ids(&ids, from, "SELECT id FROM recording ORDER BY started_ns, id", err);

	for (size_t i = 0; i < ids.count && !rc; i++)
		rc = error_context(err, merge_recording(into, from, ids.items[i], summary, err),
				   "recording %lld of %s", (long long)ids.items[i], from->path);
	free(ids.items);
	return rc;
}

int db_merge(struct db *into, struct db *from, const struct merge_watch *watch,
	     struct merge_summary *summary, struct error *err)
{
	/* Each run changes pages all over the indexes. A larger cache, and a checkpoint after
	 * several runs instead of after each, write a third less. */
	int rc = db_execute(into, "PRAGMA cache_size = -65536", err);

	if (rc)
		return rc;
	into->pages_of_log = 16384;
	rc = merge_all_runs(into, from, "SELECT id FROM run ORDER BY started_ns, id", watch,
			    summary, err);
	return rc ? rc : merge_recordings(into, from, summary, err);
}

int db_merge_shards(struct db *db, const struct merge_watch *watch, struct merge_summary *summary,
		    struct error *err)
{
	return merge_all_runs(
		db, db,
		"SELECT run.id FROM run JOIN environment AS sweep ON sweep.run_id = run.id"
		" AND sweep.key = '" SWEEP_UID_KEY "' JOIN environment AS shards"
		" ON shards.run_id = run.id AND shards.key = '" SHARDS_KEY "'"
		" WHERE sweep.value <> run.uid AND length(sweep.value) = 32"
		" AND sweep.value NOT GLOB '*[^0-9a-f]*' ORDER BY started_ns, run.id",
		watch, summary, err);
}

void merge_summary_release(struct merge_summary *summary)
{
	free(summary->touched);
	*summary = (struct merge_summary){0};
}
