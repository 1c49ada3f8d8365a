/* Lists runs and devices. */
#include "db/columns.h"
#include "db/run_row.h"

/* Reads only the index trial_by_status. */
#define TALLY(status) "(SELECT count(*) FROM trial WHERE run_id = run.id AND status = '" status "')"

static const char tallies[] =
	", (SELECT count(*) FROM trial WHERE run_id = run.id), " TALLY("ok") ", " TALLY(
		"sampled") ", " TALLY("unverified") ", " TALLY("skipped") ", " TALLY("pending");

#define NEWEST_RUNS "(SELECT * FROM run ORDER BY started_ns DESC, id DESC LIMIT ?) AS run"

int db_runs_visit(struct db *db, int64_t limit, db_run_visitor visit, void *context,
		  struct error *err)
{
	struct text sql = TEXT_INIT;
	struct statement select;
	bool row = true;
	int stop = 0;
	int rc;

	text_add(&sql, "SELECT ");
	run_row_add_columns(&sql);
	text_add(&sql, tallies);
	text_add(&sql, " FROM " RUN_ROW_TABLES(NEWEST_RUNS) " ORDER BY run.started_ns DESC,"
							    " run.id DESC");
	rc = columns_prepare(&select, db, &sql, err);
	if (rc)
		return rc;
	bind_integer(&select, limit > 0 ? limit : -1);
	for (rc = statement_step(&select, &row, err); !rc && row && !stop;
	     rc = stop ? 0 : statement_step(&select, &row, err)) {
		struct run run = {0};
		struct trial_tally tally;

		run_row_take(&select, &run);
		tally.trials = take_integer(&select, 0);
		tally.ok = take_integer(&select, 0);
		tally.sampled = take_integer(&select, 0);
		tally.unverified = take_integer(&select, 0);
		tally.skipped = take_integer(&select, 0);
		tally.failed = tally.trials - tally.ok - tally.sampled - tally.unverified -
			       tally.skipped - take_integer(&select, 0);
		stop = visit(context, &run, &tally);
		run_release(&run);
	}
	statement_release(&select);
	return rc;
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
