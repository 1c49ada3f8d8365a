/*
 * Finds the run that a reference of the user names: an id, the first digits of a uid, a label, a
 * source revision, "last", "last-good". And the runs that have a fact in common.
 */
#include "db/statement.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX_MIN "4"
#define RUNS_NAMED 8
#define LABEL_SHOWN 24

/* Adds the beginning of a label, because labels may be long. */
static void label_describe(struct text *out, const char *label)
{
	size_t shown = strlen(label);

	if (shown > LABEL_SHOWN) {
		shown = LABEL_SHOWN;
		while (shown > 0 && ((unsigned char)label[shown] & 0xc0) == 0x80)
			shown--; /* never cut within a UTF-8 character */
	}
	text_add(out, ", ");
	text_add_bytes(out, label, shown);
	if (label[shown])
		text_add(out, "…");
}

/* Adds "12 (a1b2c3d4, nightly, c51c0df)" for each row: id, uid, label, revision. Adds the labels to
 * a list, if there is one. Releases the statement. */
static int runs_describe(struct statement *select, struct text *out, struct string_list *labels)
{
	while (statement_next(select)) {
		long long id = take_integer(select, 0);
		const char *uid = take_text(select);
		const char *label = take_text(select);
		const char *revision = take_text(select);

		text_addf(out, "%s%lld (%.8s", out->length ? ", " : "", id, uid ? uid : "");
		if (label && labels)
			string_list_add(labels, label);
		if (label)
			label_describe(out, label);
		if (revision)
			label_describe(out, revision);
		text_add_char(out, ')');
	}
	return statement_release(select);
}

/* Adds "; did you mean nightly?" if a word or a label is near. */
static void suggest_run(struct text *out, const char *reference, struct string_list *labels)
{
	static const char *const newest[] = {"latest", "newest", "recent", "head"};
	struct text near = TEXT_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(newest); i++)
		if (strcasecmp(reference, newest[i]) == 0)
			text_add(&near, "last");
	string_list_add(labels, "last");
	string_list_add(labels, "last-good");
	if (!near.length)
		nearest_names(&near, reference, (const char *const *)labels->items, labels->count);
	if (near.length)
		text_addf(out, "; did you mean %s?", near.data);
	text_release(&near);
}

static int fail_unknown_run(struct db *db, const char *reference, struct error *err)
{
	struct text known = TEXT_INIT, near = TEXT_INIT;
	struct string_list labels = {0};
	struct statement select =
		statement_prepare(db,
				  "SELECT id, uid, label, source_revision FROM run"
				  " ORDER BY started_ns DESC, id DESC LIMIT ?",
				  err);
	int rc;

	bind_integer(&select, RUNS_NAMED);
	rc = runs_describe(&select, &known, &labels);
	suggest_run(&near, reference, &labels);
	if (!rc && !known.length)
		rc = error_set(err, PL_EUSAGE, "%s holds no run yet: `perflab sweep` creates one",
			       db->path);
	else if (!rc)
		rc = error_set(
			err, PL_EUSAGE,
			"no run '%s' in %s%s; the newest are %s: give an id, a uid, a label, a "
			"revision or 'last'",
			reference, db->path, near.data, known.data);
	string_list_release(&labels);
	text_release(&known);
	text_release(&near);
	return rc;
}

/* A label or a revision names its newest run, because nightly runs share them. A full revision wins
 * over longer ones that begin with it. The beginning of a revision prefers the clean commit to the
 * one with changes ("c51c0df-dirty"). With a head in ?3, its device comes before newer runs of
 * others, because runs of several GPUs share a label, too. */
#define NEWEST_FIRST                                                                 \
	"ORDER BY device_id IS NOT NULL AND device_id IS (SELECT device_id FROM run" \
	" WHERE id = ?3) DESC, started_ns DESC, id DESC"
static const char matches_sql[] =
	"WITH revision AS ("
	" SELECT id, source_revision AS name, row_number() OVER"
	"  (PARTITION BY source_revision " NEWEST_FIRST ") AS age"
	" FROM run WHERE length(?1) >= " PREFIX_MIN
	"  AND substr(source_revision, 1, length(?1)) = ?1"
	"), match AS ("
	" SELECT id FROM run WHERE length(?1) >= " PREFIX_MIN
	"  AND substr(uid, 1, length(?1)) = lower(?1)"
	" UNION"
	" SELECT id FROM (SELECT id FROM run WHERE label = ?1"
	"  " NEWEST_FIRST " LIMIT 1)"
	" UNION"
	" SELECT id FROM revision WHERE age = 1"
	"  AND (name = ?1 OR NOT EXISTS (SELECT * FROM revision WHERE name = ?1))"
	"  AND NOT EXISTS (SELECT * FROM revision AS clean"
	"   WHERE revision.name <> ?1 AND clean.name || '-dirty' = revision.name))"
	" SELECT id, uid, label, source_revision FROM run WHERE id IN match ORDER BY id LIMIT ?2";

static int fail_ambiguous(struct db *db, const char *reference, int64_t head, struct error *err)
{
	struct text matches = TEXT_INIT;
	struct statement select = statement_prepare(db, matches_sql, err);
	int rc;

	bind_text(&select, reference);
	bind_integer(&select, RUNS_NAMED);
	bind_known_integer(&select, head, 0);
	rc = runs_describe(&select, &matches, NULL);
	if (!rc)
		rc = error_set(err, PL_EUSAGE, "'%s' means several runs of %s: %s; give an id",
			       reference, db->path, matches.data);
	text_release(&matches);
	return rc;
}

/* Sets *run_id to the first match and *matches to 0, 1 or 2 (several). head 0: there is none. */
static int resolve_by_name(struct db *db, const char *reference, int64_t head, int64_t *run_id,
			   int *matches, struct error *err)
{
	struct statement select = statement_prepare(db, matches_sql, err);

	bind_text(&select, reference);
	bind_integer(&select, 2);
	bind_known_integer(&select, head, 0);
	*matches = 0;
	while (statement_next(&select)) {
		if (!(*matches)++)
			*run_id = take_integer(&select, 0);
	}
	return statement_release(&select);
}

/* Runs a query that gives one id or none. `id` is its parameter; 0 binds NULL. */
static int resolve_by_id(struct db *db, const char *sql, int64_t id, int64_t *run_id, int *matches,
			 struct error *err)
{
	struct statement select = statement_prepare(db, sql, err);

	bind_known_integer(&select, id, 0);
	if (statement_next(&select)) {
		*run_id = take_integer(&select, 0);
		*matches = 1;
	}
	return statement_release(&select);
}

/* The newest run; with a head in ?1, the newest other run of its device, backend and origin. */
#define NEWEST_LIKE(tables, which)                                                                \
	"SELECT run.id FROM " tables " WHERE " which " (?1 IS NULL OR (run.id <> ?1"              \
	" AND (run.device_id, run.backend, coalesce(run.origin, '')) = (SELECT device_id,"        \
	" backend, coalesce(origin, '') FROM run WHERE id = ?1))) ORDER BY run.started_ns DESC, " \
	"run.id DESC LIMIT 1"

/* head 0: there is no head. */
static int resolve(struct db *db, const char *reference, int64_t head, int64_t *run_id,
		   struct error *err)
{
	bool last_good = strcmp(reference, "last-good") == 0;
	bool last = strcmp(reference, "last") == 0;
	int64_t found = 0;
	int64_t id;
	int matches = 0;
	int rc = 0;

	if (last_good)
		rc = resolve_by_id(db,
				   NEWEST_LIKE("mark JOIN run ON run.id = mark.run_id",
					       "mark.kind = 'good' AND"),
				   head, &found, &matches, err);
	else if (last)
		rc = resolve_by_id(db, NEWEST_LIKE("run", ""), head, &found, &matches, err);
	else if (parse_i64(&id, reference, NULL) == 0)
		rc = resolve_by_id(db, "SELECT id FROM run WHERE id = ?", id, &found, &matches,
				   err);
	/* A label may look like a keyword or an id. */
	if (!rc && !matches)
		rc = resolve_by_name(db, reference, head, &found, &matches, err);
	if (rc)
		return rc;
	if (!matches && last_good)
		return error_set(
			err, PL_EUSAGE,
			head ? "no run of that device and backend in %s is marked good, other "
			       "than run %lld: `perflab mark RUN good` marks one"
			     : "no run in %s is marked good: `perflab mark RUN good` marks one",
			db->path, (long long)head);
	if (!matches && last && head)
		return error_set(err, PL_EUSAGE,
				 "%s holds no run of that device and backend other than run %lld "
				 "that measured kernels of the same origin",
				 db->path, (long long)head);
	if (!matches)
		return fail_unknown_run(db, reference, err);
	if (matches > 1)
		return fail_ambiguous(db, reference, head, err);
	*run_id = found;
	return 0;
}

int db_run_resolve(struct db *db, const char *reference, int64_t *run_id, struct error *err)
{
	return resolve(db, reference, 0, run_id, err);
}

int db_base_resolve(struct db *db, const char *reference, int64_t head, int64_t *run_id,
		    struct error *err)
{
	return resolve(db, reference, head, run_id, err);
}

/* ---- runs with the same fact, such as those of a sweep on several GPUs ---- */

/* The facts of the run are read by its key, those of the others only if it has this one. */
static const char alike_sql[] =
	"SELECT other.run_id FROM environment AS own JOIN environment AS other"
	" ON other.key = own.key AND other.value = own.value"
	" WHERE own.run_id = ? AND own.key = ? ORDER BY other.run_id";

int db_runs_alike(struct db *db, int64_t run_id, const char *key, int64_t **out, size_t *count,
		  struct error *err)
{
	size_t capacity = 0;
	struct statement select = statement_prepare(db, alike_sql, err);

	*out = NULL;
	*count = 0;
	bind_integer(&select, run_id);
	bind_text(&select, key);
	while (statement_next(&select)) {
		*out = xgrow(*out, &capacity, *count + 1, sizeof(**out));
		(*out)[(*count)++] = take_integer(&select, 0);
	}
	return statement_release(&select);
}

int db_environment_alike(struct db *db, int64_t run_id, const char *alike, const char *key,
			 char **value, struct error *err)
{
	struct statement select = statement_prepare(
		db,
		"SELECT value FROM environment WHERE key = ? AND (run_id = ? OR run_id IN"
		" (SELECT other.run_id FROM environment AS own JOIN environment AS other"
		" USING (key, value) WHERE own.run_id = ? AND own.key = ?)) LIMIT 1",
		err);

	*value = NULL;
	bind_text(&select, key);
	bind_integer(&select, run_id);
	bind_integer(&select, run_id);
	bind_text(&select, alike);
	if (statement_next(&select))
		*value = take_text_copy(&select);
	return statement_release(&select);
}
