/*
 * Runs of one database into another. A run is known by its uid; a run that
 * measured a shard of a sweep goes into the run of that sweep, whose uid all
 * its shards know. Each run is one transaction, so that whatever ends a
 * merge leaves whole runs, and a second one goes on.
 */
#include "db/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UID_LENGTH 32
#define REVISION_KEPT 8 /* digits of a uid that a person is shown */

struct merge {
	struct db *from, *into;
	const struct merge_watch *watch;
	struct merge_summary *summary;
	struct trial_copier copier;
};

/* One run on its way. */
struct merge_run {
	struct run run;  /* as it is in `from`, without trials */
	const char *uid; /* of the run it goes into */
	bool shard;      /* it is, or has been joined of, shards */
	int64_t id;      /* of that run in `into` */
	bool made;       /* it was not there before */
	bool is_another; /* of the same uid, with other settings */
	int64_t added, replaced, at_odds;
	char *case_at_odds; /* the first */
};

/* ---- words ---- */

static void notice(const struct merge *merge, const char *format, ...) PRINTF_LIKE(2, 3);
static void notice(const struct merge *merge, const char *format, ...)
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

/* ---- the run itself ---- */

#define RUN_IDENTITY                                                                              \
	"backend, driver, cuda_driver, toolkit, cupti, version, source_revision, settings, seed," \
	" rounds"
#define RUN_IDENTITY_COLUMNS 10
#define RUN_REST "label, note, command, state, started_ns, finished_ns"
#define RUN_COLUMNS_COPIED 16

static int run_find(struct db *db, const char *uid, int64_t *id, bool *found, struct error *err)
{
	struct statement find;
	int rc = statement_prepare(&find, db, "SELECT id FROM run WHERE uid = ?", err);

	if (rc)
		return rc;
	bind_text(&find, uid);
	rc = statement_step(&find, found, err);
	if (!rc && *found)
		*id = take_integer(&find, 0);
	statement_release(&find);
	return rc;
}

static int run_row_copy(const struct merge *merge, struct merge_run *moved, int64_t device_id,
			struct error *err)
{
	struct statement read = {0}, write = {0};
	bool row = false;
	int rc = statement_prepare(&read, merge->from,
				   "SELECT " RUN_IDENTITY ", " RUN_REST " FROM run WHERE id = ?",
				   err);

	if (!rc)
		rc = statement_prepare(&write, merge->into,
				       "INSERT INTO run (" RUN_IDENTITY ", " RUN_REST
				       ", uid, device_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
				       " ?, ?, ?, ?, ?, ?, ?)",
				       err);
	if (!rc) {
		bind_integer(&read, moved->run.id);
		rc = statement_step(&read, &row, err);
	}
	if (!rc && !row)
		rc = error_set(err, PL_ENOENT, "%s has no run %lld any more", merge->from->path,
			       (long long)moved->run.id);
	if (!rc) {
		for (int i = 0; i < RUN_COLUMNS_COPIED; i++)
			bind_column(&write, &read, i);
		bind_text(&write, moved->uid);
		bind_integer(&write, device_id);
		rc = statement_run(&write, err);
	}
	if (!rc)
		moved->id = sqlite3_last_insert_rowid(merge->into->handle);
	statement_release(&write);
	statement_release(&read);
	return rc;
}

static int mark_copy(const struct merge *merge, const struct merge_run *moved, struct error *err)
{
	struct statement read = {0}, write = {0};
	bool row = false;
	int rc = statement_prepare(&read, merge->from,
				   "SELECT kind, why, marked_ns FROM mark WHERE run_id = ?", err);

	/* of two the later one is meant */
	if (!rc)
		rc = statement_prepare(&write, merge->into,
				       "INSERT INTO mark (kind, why, marked_ns, run_id)"
				       " VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
				       " kind = excluded.kind, why = excluded.why,"
				       " marked_ns = excluded.marked_ns"
				       " WHERE excluded.marked_ns > marked_ns",
				       err);
	if (!rc) {
		bind_integer(&read, moved->run.id);
		rc = statement_step(&read, &row, err);
	}
	if (!rc && row) {
		for (int i = 0; i < 3; i++)
			bind_column(&write, &read, i);
		bind_integer(&write, moved->id);
		rc = statement_run(&write, err);
	}
	statement_release(&write);
	statement_release(&read);
	return rc;
}

static int run_make(const struct merge *merge, struct merge_run *moved, struct error *err)
{
	int64_t device_id = 0;
	int rc = db_device_store(merge->into, &moved->run.device, &device_id, err);

	if (!rc)
		rc = run_row_copy(merge, moved, device_id, err);
	for (size_t i = 0; i < moved->run.environment.count && !rc; i++) {
		const struct key_value *pair = &moved->run.environment.items[i];

		/* no process measured a sweep of several */
		if (!moved->shard || strcmp(pair->key, "process"))
			rc = db_environment_set(merge->into, moved->id, pair->key, pair->value,
						err);
	}
	moved->made = true;
	return rc;
}

/* Whether the run that is there was measured the same way. Shards were, or their sweep would have
 * another uid. */
static int run_check(const struct merge *merge, struct merge_run *moved, struct error *err)
{
	static const char sql[] = "SELECT " RUN_IDENTITY " FROM run WHERE id = ?";
	struct statement left = {0}, right = {0};
	bool equal = true;
	int rc;

	if (moved->shard)
		return 0;
	rc = statement_prepare(&left, merge->from, sql, err);
	if (!rc)
		rc = statement_prepare(&right, merge->into, sql, err);
	if (!rc) {
		bind_integer(&left, moved->run.id);
		bind_integer(&right, moved->id);
		rc = rows_equal(&left, &right, RUN_IDENTITY_COLUMNS, &equal, err);
	}
	statement_release(&right);
	statement_release(&left);
	moved->is_another = !equal;
	return rc;
}

/* ---- its trials ---- */

/* Whether `theirs` has come further with a case that `ours` has not finished. */
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

static void note_odds(struct merge_run *moved, struct statement *row)
{
	if (!moved->at_odds++)
		moved->case_at_odds = trial_row_name(row);
}

static int trial_merge(struct merge *merge, struct merge_run *moved, struct statement *row,
		       struct error *err)
{
	struct trial_progress theirs, ours;
	bool found = false, equal = false;
	int rc = 0;

	trial_progress_take(row, &theirs);
	if (!moved->made)
		rc = trial_find(&merge->copier, row, moved->id, &ours, &found, err);
	if (rc)
		return rc;
	if (!found) {
		moved->added++;
		return trial_copy(&merge->copier, row, theirs.id, moved->id, err);
	}
	if (is_further(&theirs, &ours)) {
		moved->replaced++;
		rc = trial_delete(merge->into, ours.id, err);
		return rc ? rc : trial_copy(&merge->copier, row, theirs.id, moved->id, err);
	}
	if (theirs.pending)
		return 0;
	rc = trial_equal(&merge->copier, row, theirs.id, ours.id, &equal, err);
	if (!rc && !equal)
		note_odds(moved, row);
	return rc;
}

static int trials_merge(struct merge *merge, struct merge_run *moved, struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = trials_select(&merge->copier, &select, moved->run.id, err);

	if (rc)
		return rc;
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = rc ? rc : statement_step(&select, &row, err))
		rc = trial_merge(merge, moved, &select, err);
	statement_release(&select);
	return rc;
}

/* ---- the run afterwards ---- */

/* What the other copy knows and this one does not. A finished one is the last word. */
static int run_complete(const struct merge *merge, const struct merge_run *moved, struct error *err)
{
	struct statement update;
	int rc = statement_prepare(
		&update, merge->into,
		"UPDATE run SET label = coalesce(label, ?1), note = coalesce(note, ?2),"
		" finished_ns = CASE WHEN state = 'finished' OR ?3 = 'running'"
		"  THEN finished_ns ELSE ?4 END,"
		" state = CASE WHEN state = 'finished' OR ?3 = 'running' THEN state ELSE ?3 END"
		" WHERE id = ?5",
		err);

	if (rc)
		return rc;
	bind_text(&update, moved->run.label);
	bind_text(&update, moved->run.note);
	bind_text(&update, moved->run.state);
	bind_known_integer(&update, moved->run.finished_ns, 0);
	bind_integer(&update, moved->id);
	rc = statement_run(&update, err);
	statement_release(&update);
	return rc;
}

/* The first of its shards began a sweep, the last one ended it. It is finished when all are there
 * and no case of theirs is left over. */
static int sweep_complete(const struct merge *merge, const struct merge_run *moved, bool all,
			  struct error *err)
{
	const char *cases = key_value_get(&moved->run.environment, SWEEP_CASES_KEY);
	struct statement update;
	int rc = statement_prepare(
		&update, merge->into,
		"UPDATE run SET started_ns = min(started_ns, ?1),"
		" finished_ns = max(coalesce(finished_ns, 0), ?2),"
		" state = CASE WHEN ?3 AND CAST(?4 AS INTEGER) = (SELECT total(status <> 'pending')"
		"  FROM trial WHERE run_id = ?5) THEN 'finished' ELSE 'interrupted' END"
		" WHERE id = ?5",
		err);

	if (rc)
		return rc;
	bind_integer(&update, moved->run.started_ns);
	bind_integer(&update, moved->run.finished_ns);
	bind_integer(&update, all);
	bind_text(&update, cases);
	bind_integer(&update, moved->id);
	rc = statement_run(&update, err);
	statement_release(&update);
	return rc;
}

/* Several devices of one kind: none of them is the run's. */
static int device_join(const struct merge *merge, const struct merge_run *moved,
		       const struct run *own, struct error *err)
{
	struct device_info device = moved->run.device;
	struct statement update;
	int64_t device_id = 0;
	int rc;

	if (strcmp(own->device.uuid, device.uuid) == 0)
		return 0;
	device.uuid[0] = '\0';
	rc = db_device_store(merge->into, &device, &device_id, err);
	if (!rc)
		rc = statement_prepare(&update, merge->into,
				       "UPDATE run SET device_id = ? WHERE id = ?", err);
	if (rc)
		return rc;
	bind_integer(&update, device_id);
	bind_integer(&update, moved->id);
	rc = statement_run(&update, err);
	statement_release(&update);
	return rc;
}

/* The newest trial of each case goes by the device and the start of its run, which have changed. */
static int trials_touch(struct db *db, int64_t run_id, struct error *err)
{
	struct statement update;
	int rc = statement_prepare(&update, db, "UPDATE trial SET status = status WHERE run_id = ?",
				   err);

	if (rc)
		return rc;
	bind_integer(&update, run_id);
	rc = statement_run(&update, err);
	statement_release(&update);
	return rc;
}

/* Both values, each once: "node1; node2". */
static char *values_join(const char *own, const char *other)
{
	struct string_list values = {0}, more = {0};
	struct text joined = TEXT_INIT;

	string_list_split(&values, own, ';');
	string_list_split(&more, other, ';');
	for (size_t i = 0; i < values.count + more.count; i++) {
		const char *value =
			i < values.count ? values.items[i] : more.items[i - values.count];

		value += strspn(value, " ");
		if (i >= values.count && string_list_has(&values, value))
			continue;
		text_addf(&joined, "%s%s", i ? "; " : "", value);
	}
	string_list_release(&values);
	string_list_release(&more);
	return text_detach(&joined);
}

static int environment_join(const struct merge *merge, const struct merge_run *moved,
			    const struct run *own, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < moved->run.environment.count && !rc; i++) {
		const struct key_value *pair = &moved->run.environment.items[i];
		const char *before = key_value_get(&own->environment, pair->key);
		char *value;

		if (strcmp(pair->key, "process") == 0 || strcmp(pair->key, SHARDS_KEY) == 0 ||
		    (before && strcmp(before, pair->value) == 0))
			continue;
		value = before ? values_join(before, pair->value) : xstrdup(pair->value);
		rc = db_environment_set(merge->into, moved->id, pair->key, value, err);
		free(value);
	}
	return rc;
}

/* Which shards are in the run now; *all when none is missing. */
static int shards_join(const struct merge *merge, const struct merge_run *moved,
		       const struct run *own, bool *all, struct error *err)
{
	const char *own_text = key_value_get(&own->environment, SHARDS_KEY);
	const char *more_text = key_value_get(&moved->run.environment, SHARDS_KEY);
	struct shard_set set = {0}, more = {0};
	struct text joined = TEXT_INIT;
	int rc = shard_set_parse(&set, own_text ? own_text : "", err);

	if (!rc)
		rc = shard_set_parse(&more, more_text ? more_text : "", err);
	if (!rc && !shard_set_join(&set, &more))
		rc = error_set(err, PL_EUSAGE, "shards %s and %s are not of one sweep", own_text,
			       more_text);
	if (!rc) {
		shard_set_text(&joined, &set);
		rc = db_environment_set(merge->into, moved->id, SHARDS_KEY, joined.data, err);
		*all = shard_set_count(&set) == set.total;
	}
	text_release(&joined);
	shard_set_release(&set);
	shard_set_release(&more);
	return rc;
}

static int sweep_join(const struct merge *merge, const struct merge_run *moved, struct error *err)
{
	struct run own = {0};
	bool all = false;
	int rc = db_run_load(merge->into, moved->id, false, &own, err);

	if (!rc)
		rc = device_join(merge, moved, &own, err);
	if (!rc)
		rc = environment_join(merge, moved, &own, err);
	if (!rc)
		rc = shards_join(merge, moved, &own, &all, err);
	if (!rc)
		rc = sweep_complete(merge, moved, all, err);
	if (!rc && !moved->made)
		rc = trials_touch(merge->into, moved->id, err);
	run_release(&own);
	return rc;
}

/* ---- one run, whole ---- */

static int fail_overlap(const struct merge_run *moved, struct error *err)
{
	const char *shards = key_value_get(&moved->run.environment, SHARDS_KEY);
	const char *sweep = key_value_get(&moved->run.environment, SWEEP_KEY);

	return error_set(err, PL_EEXIST,
			 "shard %s of sweep %s overlaps with what is there: %lld %s measured twice "
			 "with different results, such as %s: give each sweep a --sweep-id of its "
			 "own, and merge each shard once",
			 shards, sweep ? sweep : moved->uid, (long long)moved->at_odds,
			 moved->at_odds == 1 ? "case was" : "cases were", moved->case_at_odds);
}

static void say_odds(const struct merge *merge, const struct merge_run *moved)
{
	if (moved->is_another)
		notice(merge,
		       "run %.*s of %s has other settings than the run of the same uid in %s, "
		       "which is kept",
		       REVISION_KEPT, moved->uid, merge->from->path, merge->into->path);
	if (moved->at_odds)
		notice(merge,
		       "run %.*s differs between %s and %s in %lld %s, such as %s: what %s has is "
		       "kept",
		       REVISION_KEPT, moved->uid, merge->from->path, merge->into->path,
		       (long long)moved->at_odds, moved->at_odds == 1 ? "case" : "cases",
		       moved->case_at_odds, merge->into->path);
}

static int run_store(struct merge *merge, struct merge_run *moved, struct error *err)
{
	bool found = false;
	int rc = run_find(merge->into, moved->uid, &moved->id, &found, err);

	if (!rc)
		rc = found ? run_check(merge, moved, err) : run_make(merge, moved, err);
	if (!rc && moved->is_another)
		return 0;
	if (!rc)
		rc = trials_merge(merge, moved, err);
	if (!rc && moved->shard && moved->at_odds)
		rc = fail_overlap(moved, err);
	if (!rc)
		rc = mark_copy(merge, moved, err);
	if (!rc && moved->shard)
		rc = sweep_join(merge, moved, err);
	else if (!rc && !moved->made)
		rc = run_complete(merge, moved, err);
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

static int run_remove(const struct merge *merge, const struct merge_run *moved, struct error *err)
{
	struct statement delete;
	int rc = statement_prepare(&delete, merge->into, "DELETE FROM run WHERE id = ?", err);

	if (rc)
		return rc;
	bind_integer(&delete, moved->run.id);
	rc = statement_run(&delete, err);
	statement_release(&delete);
	return rc;
}

/* A shard that stood for itself in the database it is joined in. */
static int run_move(struct merge *merge, struct merge_run *moved, struct error *err)
{
	int rc = db_begin(merge->into, err);

	if (rc)
		return rc;
	rc = run_store(merge, moved, err);
	if (!rc)
		rc = run_remove(merge, moved, err);
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

static int run_merge(struct merge *merge, int64_t id, struct error *err)
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
	if (!rc) {
		say_odds(merge, &moved);
		summarise_run(merge, &moved);
	}
	error_context(err, rc, "run %.*s of %s", REVISION_KEPT, moved.run.uid, merge->from->path);
	run_release(&moved.run);
	free(moved.case_at_odds);
	return rc;
}

/* ---- all of them ---- */

struct id_list {
	int64_t *items;
	size_t count, capacity;
};

static int ids_load(struct db *db, const char *sql, struct id_list *out, struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = statement_prepare(&select, db, sql, err);

	if (rc)
		return rc;
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
		out->items[out->count++] = take_integer(&select, 0);
	}
	statement_release(&select);
	return rc;
}

static int runs_merge(struct db *into, struct db *from, const char *sql,
		      const struct merge_watch *watch, struct merge_summary *summary,
		      struct error *err)
{
	struct merge merge = {.from = from, .into = into, .watch = watch, .summary = summary};
	struct id_list ids = {0};
	int rc = ids_load(from, sql, &ids, err);

	if (!rc && ids.count)
		rc = trial_copier_init(&merge.copier, from, into, err);
	for (size_t i = 0; i < ids.count && !rc; i++) {
		if (watch->progress)
			watch->progress(watch->context, i, ids.count);
		rc = run_merge(&merge, ids.items[i], err);
	}
	trial_copier_release(&merge.copier);
	free(ids.items);
	return rc;
}

int db_merge(struct db *into, struct db *from, const struct merge_watch *watch,
	     struct merge_summary *summary, struct error *err)
{
	/* Each run changes pages all over the indexes: they are kept at hand, and written back
	 * after some runs rather than after each, which is a third less to write. */
	int rc = db_execute(into, "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16384",
			    err);

	if (rc)
		return rc;
	return runs_merge(into, from, "SELECT id FROM run ORDER BY started_ns, id", watch, summary,
			  err);
}

int db_merge_shards(struct db *db, const struct merge_watch *watch, struct merge_summary *summary,
		    struct error *err)
{
	return runs_merge(
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
