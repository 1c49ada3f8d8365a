/* Lists runs and devices. */
#include "db/columns.h"
#include "db/run_row.h"

/* Reads only the index trial_by_status. */
static const char tally_sql[] =
	"SELECT status, count(*) FROM trial WHERE run_id = ? GROUP BY status";

static int tally_load(struct statement *select, int64_t run_id, struct trial_tally *tally,
		      struct error *err)
{
	bool row = true;
	int rc;

	*tally = (struct trial_tally){0};
	bind_integer(select, run_id);
	for (rc = statement_step(select, &row, err); !rc && row;
	     rc = statement_step(select, &row, err)) {
		enum trial_status status = TRIAL_FAILED;
		const char *name = take_text(select);
		const int64_t count = take_integer(select, 0);

		/* a newer perflab may have other statuses: they count as failures */
		if (!name || !trial_status_parse(&status, name))
			status = TRIAL_FAILED;
		tally->trials += count;
		tally->ok += status == TRIAL_OK ? count : 0;
		tally->sampled += status == TRIAL_SAMPLED ? count : 0;
		tally->unverified += status == TRIAL_UNVERIFIED ? count : 0;
		tally->skipped += status == TRIAL_SKIPPED ? count : 0;
		tally->failed += trial_status_is_failure(status) ? count : 0;
	}
	statement_restart(select);
	return rc;
}

/* Sorts ids only: a run has some 60 columns. */
#define NEWEST_RUNS                                                                    \
	"(SELECT id FROM run ORDER BY started_ns DESC, id DESC LIMIT ?) AS newest_run" \
	" JOIN run ON run.id = newest_run.id"

int db_runs_visit(struct db *db, int64_t limit, db_run_visitor visit, void *context,
		  struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select = {0}, tallies = {0};
	bool row = true;
	int stop = 0;
	int rc = db_begin_read(db, err);

	if (rc)
		return rc;
	text_add(&sql, "SELECT ");
	run_row_add_columns(&sql);
	text_add(&sql, " FROM " RUN_ROW_TABLES(NEWEST_RUNS) " ORDER BY run.started_ns DESC,"
							    " run.id DESC");
	rc = columns_prepare(&select, db, &sql, err);
	if (!rc)
		rc = statement_prepare(&tallies, db, tally_sql, err);
	if (!rc) {
		bind_integer(&select, limit > 0 ? limit : -1);
		rc = statement_step(&select, &row, err);
	}
	while (!rc && row && !stop) {
		struct run run = {0};
		struct trial_tally tally;

		run_row_take(&select, &run);
		rc = tally_load(&tallies, run.id, &tally, err);
		if (!rc)
			stop = visit(context, &run, &tally);
		run_release(&run);
		if (!rc && !stop)
			rc = statement_step(&select, &row, err);
	}
	statement_release(&select);
	statement_release(&tallies);
	return db_end(db, rc, err);
}

int db_runs_count(struct db *db, int64_t *out, struct error *err)
{
	return db_select_integer(out, db, "SELECT count(*) FROM run", err);
}

int db_devices_visit(struct db *db,
		     int (*visit)(void *context, int64_t id, const struct device_info *device,
				  int64_t runs),
		     void *context, struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;
	bool row = true;
	int stop = 0;
	int rc;

	text_add(&sql,
		 "SELECT device.id, (SELECT count(*) FROM run WHERE device_id = device.id), ");
	columns_add_names(&sql, &device_columns, PART_ALL, "device.");
	text_add(&sql, ", ");
	columns_add_names(&sql, &run_columns, PART_VERSIONS, "run.");
	text_add(&sql, " FROM device JOIN run ON run.id = (SELECT id FROM run"
		       " WHERE device_id = device.id ORDER BY started_ns DESC, id DESC LIMIT 1)"
		       " ORDER BY device.name, device.id");
	rc = columns_prepare(&select, db, &sql, err);
	if (rc)
		return rc;
	for (rc = statement_step(&select, &row, err); !rc && row && !stop;
	     rc = stop ? 0 : statement_step(&select, &row, err)) {
		struct run newest = {0};
		int64_t id = take_integer(&select, 0), runs = take_integer(&select, 0);

		columns_take(&select, &device_columns, PART_ALL, &newest.device);
		columns_take(&select, &run_columns, PART_VERSIONS, &newest);
		stop = visit(context, id, &newest.device, runs);
	}
	statement_release(&select);
	return rc;
}
