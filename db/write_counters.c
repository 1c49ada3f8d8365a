/* Stores the counters of trials. The name, unit and source of a counter are a row of `metric`,
 * which all trials share. */
#include "db/write_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void metric_ids_release(struct metric_ids *ids)
{
	free(ids->items);
	*ids = (struct metric_ids){0};
}

static const char *known_or_empty(const char *text)
{
	return text ? text : "";
}

static bool metric_is(const struct metric_id *metric, const struct counter_value *counter)
{
	return !strcmp(metric->name, counter->metric) &&
	       !strcmp(metric->unit, known_or_empty(counter->unit)) &&
	       !strcmp(metric->source, known_or_empty(counter->source));
}

static void bind_metric(struct statement *statement, const struct counter_value *counter)
{
	bind_text(statement, counter->metric);
	bind_text(statement, known_or_empty(counter->unit));
	bind_text(statement, known_or_empty(counter->source));
}

/* Finds the row of a metric, or adds it. */
static int metric_store(struct db *db, const struct counter_value *counter, int64_t *id,
			struct error *err)
{
	struct statement statement;
	bool row = false;
	int rc = statement_prepare(&statement, db,
				   "INSERT INTO metric (name, unit, source) VALUES (?, ?, ?)"
				   " ON CONFLICT DO NOTHING",
				   err);

	if (rc)
		return rc;
	bind_metric(&statement, counter);
	rc = statement_run(&statement, err);
	statement_release(&statement);
	if (rc)
		return rc;
	if (sqlite3_changes(db->handle)) {
		*id = sqlite3_last_insert_rowid(db->handle);
		return 0;
	}
	rc = statement_prepare(&statement, db,
			       "SELECT id FROM metric WHERE name = ? AND unit = ? AND source = ?",
			       err);
	if (rc)
		return rc;
	bind_metric(&statement, counter);
	rc = statement_step(&statement, &row, err);
	if (!rc)
		*id = take_integer(&statement, 0);
	statement_release(&statement);
	return rc;
}

/* Trials have mostly the same counters in the same order, so a metric is looked for at the position
 * of its counter only. */
static int metric_find_or_store(struct metric_ids *ids, size_t position, struct db *db,
				const struct counter_value *counter, int64_t *id, struct error *err)
{
	struct metric_id *known;
	int rc;

	if (position < ids->count && metric_is(&ids->items[position], counter)) {
		*id = ids->items[position].id;
		return 0;
	}
	rc = metric_store(db, counter, id, err);
	if (rc || position > ids->count)
		return rc;
	if (position == ids->count)
		ids->items = xgrow(ids->items, &ids->capacity, ++ids->count, sizeof(*ids->items));
	known = &ids->items[position];
	*known = (struct metric_id){counter->metric, known_or_empty(counter->unit),
				    known_or_empty(counter->source), *id};
	return 0;
}

int trial_counters_insert(struct db *db, int64_t trial_id, const struct counter_list *counters,
			  struct metric_ids *ids, struct error *err)
{
	struct statement insert;
	int rc = statement_prepare(&insert, db,
				   "INSERT INTO counter (metric_id, trial_id, value, reason)"
				   " VALUES (?, ?, ?, ?)",
				   err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < counters->count; i++) {
		const struct counter_value *counter = &counters->items[i];
		const bool has_value = counter->has_value && isfinite(counter->value);
		int64_t metric_id = 0;

		rc = metric_find_or_store(ids, i, db, counter, &metric_id, err);
		if (rc)
			break;
		bind_integer(&insert, metric_id);
		bind_integer(&insert, trial_id);
		bind_real(&insert, has_value ? counter->value : NAN);
		bind_text(&insert, has_value         ? NULL
				   : counter->reason ? counter->reason
						     : "the value is not finite");
		rc = statement_run(&insert, err);
	}
	statement_release(&insert);
	return rc;
}

static int trial_mark_counted(struct db *db, int64_t trial_id, struct error *err)
{
	struct statement update;
	int rc =
		statement_prepare(&update, db, "UPDATE trial SET counted_ns = ? WHERE id = ?", err);

	if (rc)
		return rc;
	bind_integer(&update, wall_time_ns());
	bind_integer(&update, trial_id);
	rc = statement_run_on_one(&update, "trial", trial_id, err);
	statement_release(&update);
	return rc;
}

int db_counters_set(struct db *db, int64_t trial_id, const struct counter_list *counters,
		    struct error *err)
{
	struct metric_ids ids = {0};
	int rc = db_begin(db, err);

	if (rc)
		return rc;
	rc = trial_mark_counted(db, trial_id, err);
	if (!rc)
		rc = trial_details_delete(db, trial_id, "DELETE FROM counter WHERE trial_id = ?",
					  err);
	if (!rc)
		rc = trial_counters_insert(db, trial_id, counters, &ids, err);
	metric_ids_release(&ids);
	return db_end(db, rc, err);
}
