/*
 * The SQL aggregate round_median(time_ns): the median as summarise() computes it. Plain SQL would
 * need one window per round, which would take most of the time of a migration.
 */
#include "db/statement.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdlib.h>

struct times {
	double *time_ns;
	size_t count, capacity;
};

/* An untrusted file may hold values that are not times; they are ignored. */
static void times_add(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct times *times = sqlite3_aggregate_context(context, sizeof(*times));

	(void)count;
	if (!times) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (sqlite3_value_type(values[0]) == SQLITE_NULL ||
	    !isfinite(sqlite3_value_double(*values)))
		return;
	times->time_ns =
		xgrow(times->time_ns, &times->capacity, times->count + 1, sizeof(*times->time_ns));
	times->time_ns[times->count++] = sqlite3_value_double(values[0]);
}

/* SQLite also calls this when a statement is interrupted. It stores NAN as NULL. */
static void times_end(sqlite3_context *context)
{
	struct times *times = sqlite3_aggregate_context(context, 0);

	if (!times)
		return;
	sqlite3_result_double(context, summarise(times->time_ns, times->count).median_ns);
	free(times->time_ns);
}

int db_round_median_add(struct db *db, struct error *err)
{
	int code =
		sqlite3_create_function_v2(db->handle, "round_median", 1,
					   SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
					   NULL, NULL, times_add, times_end, NULL);

	return code == SQLITE_OK ? 0 : db_fail(db, code, err);
}
