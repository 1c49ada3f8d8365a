/* Stores what `perflab mark` says about a run: good or bad, its label, its note. */
#include "db/statement.h"

#include <string.h>

static int mark_set(struct db *db, int64_t run_id, const char *kind, const char *why,
		    struct error *err)
{
	struct statement store;
	int rc = statement_prepare(&store, db,
				   "INSERT INTO mark (run_id, kind, why, marked_ns)"
				   " VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
				   " kind = excluded.kind, why = excluded.why,"
				   " marked_ns = excluded.marked_ns",
				   err);

	if (rc)
		return rc;
	bind_integer(&store, run_id);
	bind_text(&store, kind);
	bind_known_text(&store, why);
	bind_integer(&store, wall_time_ns());
	rc = statement_run(&store, err);
	statement_release(&store);
	return rc;
}

static int mark_remove(struct db *db, int64_t run_id, struct error *err)
{
	struct statement remove;
	int rc = statement_prepare(&remove, db, "DELETE FROM mark WHERE run_id = ?", err);

	if (rc)
		return rc;
	bind_integer(&remove, run_id);
	rc = statement_run(&remove, err);
	statement_release(&remove);
	return rc;
}

/* PL_ENOENT: there is no such run. */
static int words_set(struct db *db, int64_t run_id, const char *label, const char *note,
		     struct error *err)
{
	struct statement update;
	int rc = statement_prepare(&update, db,
				   "UPDATE run SET label = CASE WHEN ? THEN ? ELSE label END,"
				   " note = CASE WHEN ? THEN ? ELSE note END WHERE id = ?",
				   err);

	if (rc)
		return rc;
	bind_integer(&update, label != NULL);
	bind_known_text(&update, label);
	bind_integer(&update, note != NULL);
	bind_known_text(&update, note);
	bind_integer(&update, run_id);
	rc = statement_run_on_one(&update, "run", run_id, err);
	statement_release(&update);
	return rc;
}

int db_run_mark(struct db *db, int64_t run_id, const struct run_words *words, struct error *err)
{
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = words_set(db, run_id, words->label, words->note, err);
	if (!rc && words->mark && strcmp(words->mark, "none") == 0)
		rc = mark_remove(db, run_id, err);
	else if (!rc && words->mark)
		rc = mark_set(db, run_id, words->mark, words->why, err);
	return db_end(db, rc, err);
}
