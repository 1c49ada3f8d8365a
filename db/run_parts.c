/* Stores where the wall time of a run went, and adds it up. */
#include "db/statement.h"

static int parts_insert(struct db *db, int64_t run_id, const struct meter *meter, struct error *err)
{
	struct statement insert;
	int rc =
		statement_prepare(&insert, db,
				  "INSERT INTO run_part (run_id, uid, part, wall_ns)"
				  " SELECT id, uid, ?, ? FROM run WHERE id = ?"
				  " ON CONFLICT DO UPDATE SET wall_ns = wall_ns + excluded.wall_ns",
				  err);

	if (rc)
		return rc;
	for (int part = 0; !rc && part < RUN_PART_COUNT; part++) {
		if (!meter->ns[part])
			continue;
		bind_text(&insert, run_part_name((enum run_part)part));
		bind_integer(&insert, meter->ns[part]);
		bind_integer(&insert, run_id);
		rc = statement_run_on_one(&insert, "run", run_id, err);
	}
	statement_release(&insert);
	return rc;
}

int db_run_parts_add(struct db *db, int64_t run_id, const struct meter *meter, struct error *err)
{
	int rc = db_begin(db, err);

	return rc ? rc : db_end(db, parts_insert(db, run_id, meter, err), err);
}

int db_run_parts_sum(struct db *db, int64_t run_id, int64_t *wall_ns, struct error *err)
{
	struct statement select;
	bool row = false;
	int rc = statement_prepare(&select, db,
				   "SELECT coalesce(sum(wall_ns), 0) FROM run_part"
				   " WHERE run_id = ?",
				   err);

	*wall_ns = 0;
	if (rc)
		return rc;
	bind_integer(&select, run_id);
	rc = statement_step(&select, &row, err);
	if (!rc && row)
		*wall_ns = take_integer(&select, 0);
	statement_release(&select);
	return rc;
}
