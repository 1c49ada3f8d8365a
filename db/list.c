/*
 * Lists of runs and devices.
 */
#include "db/rows.h"

void device_take(struct statement *row, struct device_info *device)
{
	take_text_into(row, device->name, sizeof(device->name));
	take_text_into(row, device->uuid, sizeof(device->uuid));
	take_text_into(row, device->chip, sizeof(device->chip));
	device->cc_major = take_int(row);
	device->cc_minor = take_int(row);
	device->sm_count = take_integer(row, 0);
	device->max_threads_per_sm = take_integer(row, 0);
	device->max_threads_per_block = take_integer(row, 0);
	device->max_blocks_per_sm = take_integer(row, 0);
	device->registers_per_sm = take_integer(row, 0);
	device->shared_bytes_per_sm = take_integer(row, 0);
	device->shared_bytes_per_block = take_integer(row, 0);
	device->l2_bytes = take_integer(row, 0);
	device->memory_bytes = take_integer(row, 0);
	device->sm_clock_max_hz = take_integer(row, 0);
	device->memory_clock_max_hz = take_integer(row, 0);
	device->memory_bus_bits = take_integer(row, 0);
	take_text_into(row, device->driver, sizeof(device->driver));
	take_text_into(row, device->cuda_driver, sizeof(device->cuda_driver));
	take_text_into(row, device->toolkit, sizeof(device->toolkit));
	take_text_into(row, device->cupti, sizeof(device->cupti));
}

void run_take(struct statement *row, struct run *run)
{
	run->id = take_integer(row, 0);
	take_text_into(row, run->uid, sizeof(run->uid));
	run->label = take_text_copy(row);
	run->note = take_text_copy(row);
	run->command = take_text_copy(row);
	run->backend = take_text_copy(row);
	run->version = take_text_copy(row);
	run->source_revision = take_text_copy(row);
	run->settings_json = take_text_copy(row);
	run->state = take_text_copy(row);
	run->seed = (uint64_t)take_integer(row, 0);
	run->rounds = take_int(row);
	run->started_ns = take_integer(row, 0);
	run->finished_ns = take_integer(row, 0);
	run->mark = take_text_copy(row);
	run->mark_why = take_text_copy(row);
	device_take(row, &run->device);
}

/* By the index trial_by_status alone. */
#define TALLY(status) "(SELECT count(*) FROM trial WHERE run_id = run.id AND status = '" status "')"

int db_runs_visit(struct db *db, int64_t limit, db_run_visitor visit, void *context,
		  struct error *err)
{
	struct statement select;
	bool row = true;
	int stop = 0;
	int rc = statement_prepare(
		&select, db,
		"SELECT " RUN_COLUMNS ", (SELECT count(*) FROM trial WHERE run_id = run.id),"
		" " TALLY("ok") ", " TALLY("sampled") ", " TALLY("skipped") ", " TALLY(
			"pending") " FROM " RUN_TABLES("(SELECT * FROM run ORDER BY started_ns "
						       "DESC, id DESC LIMIT ?)"
						       " AS run") " ORDER BY run.started_ns DESC, "
								  "run.id DESC",
		err);

	if (rc)
		return rc;
	bind_integer(&select, limit > 0 ? limit : -1);
	for (rc = statement_step(&select, &row, err); !rc && row && !stop;
	     rc = stop ? 0 : statement_step(&select, &row, err)) {
		struct run run = {0};
		struct trial_tally tally;

		run_take(&select, &run);
		tally.trials = take_integer(&select, 0);
		tally.ok = take_integer(&select, 0);
		tally.sampled = take_integer(&select, 0);
		tally.skipped = take_integer(&select, 0);
		tally.failed = tally.trials - tally.ok - tally.sampled - tally.skipped -
			       take_integer(&select, 0);
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
	struct statement select;
	bool row = true;
	int stop = 0;
	int rc = statement_prepare(
		&select, db,
		"SELECT " DEVICE_COLUMNS ", device.id,"
		" (SELECT count(*) FROM run WHERE device_id = device.id)"
		" FROM device JOIN run ON run.id = (SELECT id FROM run WHERE device_id = device.id"
		" ORDER BY started_ns DESC, id DESC LIMIT 1)"
		" ORDER BY device.name, device.id",
		err);

	if (rc)
		return rc;
	for (rc = statement_step(&select, &row, err); !rc && row && !stop;
	     rc = stop ? 0 : statement_step(&select, &row, err)) {
		struct device_info device = {0};
		int64_t id, runs;

		device_take(&select, &device);
		id = take_integer(&select, 0);
		runs = take_integer(&select, 0);
		stop = visit(context, id, &device, runs);
	}
	statement_release(&select);
	return rc;
}
