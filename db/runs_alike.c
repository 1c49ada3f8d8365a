/* Finds the runs that have a fact in common: those of a sweep on several GPUs, or of its shards. */
#include "db/statement.h"

#include <stdlib.h>

/* The facts of the run are read by its key, those of the others only if it has this one. */
static const char alike_sql[] =
	"SELECT other.run_id FROM environment AS own JOIN environment AS other"
	" ON other.key = own.key AND other.value = own.value"
	" WHERE own.run_id = ? AND own.key = ? ORDER BY other.run_id";

int db_runs_alike(struct db *db, int64_t run_id, const char *key, int64_t **out, size_t *count,
		  struct error *err)
{
	struct statement select;
	size_t capacity = 0;
	bool row = true;
	int rc = statement_prepare(&select, db, alike_sql, err);

	*out = NULL;
	*count = 0;
	if (rc)
		return rc;
	bind_integer(&select, run_id);
	bind_text(&select, key);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		*out = xgrow(*out, &capacity, *count + 1, sizeof(**out));
		(*out)[(*count)++] = take_integer(&select, 0);
	}
	statement_release(&select);
	return rc;
}

int db_environment_alike(struct db *db, int64_t run_id, const char *alike, const char *key,
			 char **value, struct error *err)
{
	struct statement select;
	bool row = false;
	int rc = statement_prepare(
		&select, db,
		"SELECT value FROM environment WHERE key = ? AND (run_id = ? OR run_id IN"
		" (SELECT other.run_id FROM environment AS own JOIN environment AS other"
		" USING (key, value) WHERE own.run_id = ? AND own.key = ?)) LIMIT 1",
		err);

	*value = NULL;
	if (rc)
		return rc;
	bind_text(&select, key);
	bind_integer(&select, run_id);
	bind_integer(&select, run_id);
	bind_text(&select, alike);
	rc = statement_step(&select, &row, err);
	if (!rc && row)
		*value = take_text_copy(&select);
	statement_release(&select);
	return rc;
}
