/*
 * Reading runs, devices and samples back.
 */
#include "db/statement.h"

#include <stdlib.h>
#include <string.h>

/* Both in the order in which device_take() and run_take() take them. */
#define DEVICE_COLUMNS                                                                    \
	"device.name, device.uuid, device.chip, device.cc_major, device.cc_minor,"        \
	" device.sm_count, device.max_threads_per_sm, device.max_threads_per_block,"      \
	" device.max_blocks_per_sm, device.registers_per_sm, device.shared_bytes_per_sm," \
	" device.shared_bytes_per_block, device.l2_bytes, device.memory_bytes,"           \
	" device.sm_clock_max_hz, device.memory_clock_max_hz, device.memory_bus_bits,"    \
	" run.driver, run.cuda_driver, run.toolkit, run.cupti"
#define RUN_COLUMNS                                                                    \
	"run.id, run.uid, run.label, run.note, run.command, run.backend, run.version," \
	" run.source_revision, run.settings, run.state, run.seed, run.rounds,"         \
	" run.started_ns, run.finished_ns, mark.kind, mark.why, " DEVICE_COLUMNS
#define RUN_TABLES(run)                                 \
	run " JOIN device ON device.id = run.device_id" \
	    " LEFT JOIN mark ON mark.run_id = run.id"

static void device_take(struct statement *row, struct device_info *device)
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

static void run_take(struct statement *row, struct run *run)
{
	run->id = take_integer(row, 0);
	take_text_into(row, run->uid, sizeof(run->uid));
	run->label = take_text_copy(row);
	run->note = take_text_copy(row);
	run->command = take_text_copy(row);
	run->backend = take_text_copy(row);
	run->version = take_text_copy(row);
	run->source_revision = take_text_copy(row);
	run->settings = take_text_copy(row);
	run->state = take_text_copy(row);
	run->seed = (uint64_t)take_integer(row, 0);
	run->rounds = take_int(row);
	run->started_ns = take_integer(row, 0);
	run->finished_ns = take_integer(row, 0);
	run->mark = take_text_copy(row);
	run->mark_why = take_text_copy(row);
	device_take(row, &run->device);
}

static int run_row_load(struct db *db, int64_t run_id, struct run *run, struct error *err)
{
	struct statement select;
	bool row = false;
	int rc = statement_prepare(
		&select, db, "SELECT " RUN_COLUMNS " FROM " RUN_TABLES("run") " WHERE run.id = ?",
		err);

	if (rc)
		return rc;
	bind_integer(&select, run_id);
	rc = statement_step(&select, &row, err);
	if (!rc && row)
		run_take(&select, run);
	else if (!rc)
		rc = error_set(err, PL_ENOENT, "%s has no run %lld", db->path, (long long)run_id);
	statement_release(&select);
	return rc;
}

static int environment_load(struct db *db, int64_t run_id, struct key_value_list *out,
			    struct error *err)
{
	struct statement select;
	bool row = true;
	int rc = statement_prepare(
		&select, db, "SELECT key, value FROM environment WHERE run_id = ? ORDER BY key",
		err);

	if (rc)
		return rc;
	bind_integer(&select, run_id);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		const char *key = take_text(&select);
		const char *value = take_text(&select);

		/* NOT NULL by the schema; a damaged file may know better. */
		if (key && value)
			key_value_set(out, key, value);
	}
	statement_release(&select);
	return rc;
}

/* ---- trials ---- */

static void trial_take(struct statement *row, struct trial *trial)
{
	struct launch_facts *facts = &trial->facts;
	struct summary *summary = &trial->summary;
	const char *status;

	trial->id = take_integer(row, 0);
	trial->run_id = take_integer(row, 0);
	trial->position = take_integer(row, 0);
	trial->kernel = take_text_copy(row);
	trial->variant = take_text_copy(row);
	trial->config = take_text_copy(row);
	status = take_text(row);
	if (!status || !trial_status_parse(&trial->status, status))
		trial->status = TRIAL_FAILED;
	trial->reason = take_text_copy(row);
	trial->flop = take_integer(row, -1);
	trial->bytes_read = take_integer(row, -1);
	trial->bytes_written = take_integer(row, -1);
	trial->has_work = trial->flop >= 0 && trial->bytes_read >= 0 && trial->bytes_written >= 0;
	if (!trial->has_work)
		trial->flop = trial->bytes_read = trial->bytes_written = 0;
	facts->registers_per_thread = take_integer(row, -1);
	facts->shared_static_bytes = take_integer(row, -1);
	facts->shared_dynamic_bytes = take_integer(row, -1);
	facts->local_bytes_per_thread = take_integer(row, -1);
	facts->theoretical_occupancy_pct = take_real(row);
	take_text_into(row, facts->occupancy_limiter, sizeof(facts->occupancy_limiter));
	take_text_into(row, facts->code_hash, sizeof(facts->code_hash));
	take_text_into(row, facts->code_kind, sizeof(facts->code_kind));
	summary->count = take_integer(row, 0);
	summary->median_ns = take_real(row);
	summary->mad_ns = take_real(row);
	summary->low_ns = take_real(row);
	summary->high_ns = take_real(row);
	summary->min_ns = take_real(row);
	summary->max_ns = take_real(row);
	trial->counted = take_integer(row, 0) != 0;
	trial->rounds_done = take_int(row);
}

/* Which trials are to be loaded: all of a run, or baselines of a run's. */
#define OF_A_RUN "SELECT id FROM trial WHERE run_id = ?"

/* By id, so that the rows of axis and counter meet them in the same order. */
#define TRIALS_SQL(which)                                                                         \
	"SELECT id, run_id, position, kernel, variant, config, status, reason, flop, bytes_read," \
	" bytes_written, registers_per_thread, shared_static_bytes, shared_dynamic_bytes,"        \
	" local_bytes_per_thread, theoretical_occupancy_pct, occupancy_limiter, code_hash,"       \
	" code_kind, sample_count, median_ns, mad_ns, low_ns, high_ns, min_ns, max_ns,"           \
	" counted_ns IS NOT NULL, (SELECT count(*) FROM round WHERE trial_id = trial.id)"         \
	" FROM trial WHERE id IN (" which ") ORDER BY id"
#define AXES_SQL(which)                                                    \
	"SELECT trial_id, name, value FROM axis WHERE trial_id IN (" which \
	") ORDER BY trial_id, name"
#define COUNTERS_SQL(which)                                                           \
	"SELECT trial_id, name, unit, source, value, counter.reason FROM counter"     \
	" JOIN metric ON metric.id = counter.metric_id WHERE trial_id IN (" which ")" \
	" ORDER BY trial_id, name"
#define COUNTERS_1_SQL(which)                                               \
	"SELECT trial_id, metric, unit, source, value, reason FROM counter" \
	" WHERE trial_id IN (" which ") ORDER BY trial_id, metric"
#define LINES_SQL(which)                                                                   \
	"SELECT trial_id, file, line, instructions, lanes, branches, divergent, requests," \
	" sectors, shared_requests, wavefronts, conflicts FROM line"                       \
	" WHERE trial_id IN (" which ") ORDER BY trial_id, file, line"

struct trials_sql {
	const char *trials, *axes, *counters, *counters_1, *lines;
};
#define TRIALS_SQL_OF(which)                                                                    \
	{                                                                                       \
		TRIALS_SQL(which), AXES_SQL(which), COUNTERS_SQL(which), COUNTERS_1_SQL(which), \
			LINES_SQL(which)                                                        \
	}

static int trial_rows_load(struct db *db, struct run *run, const char *sql, int64_t run_id,
			   struct error *err)
{
	struct statement select;
	size_t capacity = 0;
	bool row = true;
	int rc = statement_prepare(&select, db, sql, err);

	if (rc)
		return rc;
	bind_integer(&select, run_id);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		run->trials =
			xgrow(run->trials, &capacity, run->trial_count + 1, sizeof(*run->trials));
		run->trials[run->trial_count] = (struct trial){0};
		trial_take(&select, &run->trials[run->trial_count]);
		run->trial_count++;
	}
	statement_release(&select);
	return rc;
}

static void trial_add_axis(struct trial *trial, struct statement *row)
{
	struct named_value *axis;
	const char *name = take_text(row);

	trial->axes = xrealloc(trial->axes, (trial->axis_count + 1) * sizeof(*trial->axes));
	axis = &trial->axes[trial->axis_count++];
	*axis = (struct named_value){0};
	if (name)
		strncpy(axis->name, name, sizeof(axis->name) - 1);
	axis->value = take_integer(row, 0);
}

static void trial_add_counter(struct trial *trial, struct statement *row)
{
	const char *metric = take_text(row);
	const char *unit = take_text(row);
	const char *source = take_text(row);
	double value = take_real(row);
	const char *reason = take_text(row);

	if (!metric || !unit || !source)
		return; /* NOT NULL by the schema; a damaged file may know better */
	if (reason)
		counter_list_set_missing(&trial->counters, metric, unit, source, reason);
	else
		counter_list_set(&trial->counters, metric, unit, source, value);
}

static void trial_add_line(struct trial *trial, struct statement *row)
{
	const char *file = take_text(row);
	int64_t number = take_integer(row, 0);
	struct line_count *line =
		line_count_list_add(&trial->lines, file && *file ? file : NULL, number);

	line->instructions = take_integer(row, 0);
	line->lanes = take_integer(row, 0);
	line->branches = take_integer(row, 0);
	line->divergent = take_integer(row, 0);
	line->requests = take_integer(row, 0);
	line->sectors = take_integer(row, 0);
	line->shared_requests = take_integer(row, 0);
	line->wavefronts = take_integer(row, 0);
	line->conflicts = take_integer(row, 0);
}

/* Gives each row of `sql` (trial id first, ordered by it) to `add` with its trial. */
static int trial_details_load(struct db *db, struct run *run, const char *sql, int64_t run_id,
			      void (*add)(struct trial *trial, struct statement *row),
			      struct error *err)
{
	struct statement select;
	size_t at = 0;
	bool row = true;
	int rc = statement_prepare(&select, db, sql, err);

	if (rc)
		return rc;
	bind_integer(&select, run_id);
	for (rc = statement_step(&select, &row, err); !rc && row;
	     rc = statement_step(&select, &row, err)) {
		int64_t trial_id = take_integer(&select, 0);

		while (at < run->trial_count && run->trials[at].id < trial_id)
			at++;
		if (at < run->trial_count && run->trials[at].id == trial_id)
			add(&run->trials[at], &select);
	}
	statement_release(&select);
	return rc;
}

static int trial_compare_position(const void *a, const void *b)
{
	const struct trial *left = a;
	const struct trial *right = b;

	if (left->position != right->position)
		return left->position < right->position ? -1 : 1;
	return (left->id > right->id) - (left->id < right->id);
}

/* An older file is read as it is; version 1 has its metrics in the counters, and no lines. */
static int trials_load(struct db *db, struct run *run, const struct trials_sql *sql, int64_t run_id,
		       struct error *err)
{
	int64_t version = 0;
	int rc = db_select_integer(&version, db, "PRAGMA user_version", err);

	if (!rc)
		rc = trial_rows_load(db, run, sql->trials, run_id, err);
	if (!rc)
		rc = trial_details_load(db, run, sql->axes, run_id, trial_add_axis, err);
	if (!rc)
		rc = trial_details_load(db, run, version == 1 ? sql->counters_1 : sql->counters,
					run_id, trial_add_counter, err);
	if (!rc && version > 1)
		rc = trial_details_load(db, run, sql->lines, run_id, trial_add_line, err);
	if (!rc && run->trial_count)
		qsort(run->trials, run->trial_count, sizeof(*run->trials), trial_compare_position);
	return rc;
}

int db_run_load(struct db *db, int64_t run_id, bool with_trials, struct run *out, struct error *err)
{
	static const struct trials_sql sql = TRIALS_SQL_OF(OF_A_RUN);
	struct run run = {0};
	int rc = db_begin_read(db, err);

	if (rc)
		return rc;
	rc = run_row_load(db, run_id, &run, err);
	if (!rc)
		rc = environment_load(db, run_id, &run.environment, err);
	if (!rc && with_trials)
		rc = trials_load(db, &run, &sql, run_id, err);
	rc = db_end(db, rc, err);
	if (rc)
		run_release(&run);
	else
		*out = run;
	return rc;
}

/* In this order of loops, which the index run_by_device serves, the first trial found is it. */
#define BASELINES                                                                    \
	"WITH head AS (SELECT * FROM run WHERE id = ?)"                              \
	" SELECT (SELECT trial.id FROM run LEFT JOIN mark ON mark.run_id = run.id"   \
	"  CROSS JOIN trial ON trial.run_id = run.id AND trial.kernel = mine.kernel" \
	"   AND trial.variant = mine.variant AND trial.config = mine.config"         \
	"   AND trial.status IN ('ok', 'sampled')"                                   \
	"  WHERE run.device_id = head.device_id AND run.backend = head.backend"      \
	"   AND run.started_ns <= head.started_ns"                                   \
	"   AND (run.started_ns < head.started_ns OR run.id < head.id)"              \
	"   AND CASE WHEN (SELECT count(*) FROM head JOIN run AS good"               \
	"     ON good.device_id = head.device_id AND good.backend = head.backend"    \
	"     AND (good.started_ns, good.id) < (head.started_ns, head.id)"           \
	"     JOIN mark ON mark.run_id = good.id AND mark.kind = 'good') > 0"        \
	"    THEN mark.kind = 'good' ELSE mark.kind IS NOT 'bad' END"                \
	"  ORDER BY run.started_ns DESC, run.id DESC LIMIT 1)"                       \
	" FROM head JOIN trial AS mine ON mine.run_id = head.id"

int db_baselines_load(struct db *db, int64_t run_id, struct run *out, struct error *err)
{
	static const struct trials_sql sql = TRIALS_SQL_OF(BASELINES);
	struct run run = {0};
	int rc = db_begin_read(db, err);

	if (rc)
		return rc;
	rc = trials_load(db, &run, &sql, run_id, err);
	rc = db_end(db, rc, err);
	if (rc)
		run_release(&run);
	else
		*out = run;
	return rc;
}

/* ---- lists ---- */

int db_runs_visit(struct db *db, int64_t limit, db_run_visitor visit, void *context,
		  struct error *err)
{
	struct statement select;
	bool row = true;
	int stop = 0;
	int rc = statement_prepare(
		&select, db,
		"SELECT " RUN_COLUMNS ", count(trial.id), total(status = 'ok'),"
		" total(status = 'sampled'), total(status = 'skipped'),"
		" total(status NOT IN ('ok', 'sampled', 'skipped', 'pending'))"
		" FROM " RUN_TABLES(
			"(SELECT * FROM run ORDER BY started_ns DESC, id DESC LIMIT ?)"
			" AS run") " LEFT JOIN trial ON trial.run_id = run.id"
				   " GROUP BY run.id ORDER BY run.started_ns DESC, run.id DESC",
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
		tally.failed = take_integer(&select, 0);
		stop = visit(context, &run, &tally);
		run_release(&run);
	}
	statement_release(&select);
	return rc;
}

int db_devices_visit(struct db *db,
		     int (*visit)(void *context, const struct device_info *device, int64_t runs),
		     void *context, struct error *err)
{
	struct statement select;
	bool row = true;
	int stop = 0;
	int rc = statement_prepare(
		&select, db,
		"SELECT " DEVICE_COLUMNS ", (SELECT count(*) FROM run WHERE device_id = device.id)"
		" FROM device JOIN run ON run.id = (SELECT id FROM run WHERE device_id = device.id"
		" ORDER BY started_ns DESC, id DESC LIMIT 1)"
		" ORDER BY device.name, device.id",
		err);

	if (rc)
		return rc;
	for (rc = statement_step(&select, &row, err); !rc && row && !stop;
	     rc = stop ? 0 : statement_step(&select, &row, err)) {
		struct device_info device = {0};
		int64_t runs;

		device_take(&select, &device);
		runs = take_integer(&select, 0);
		stop = visit(context, &device, runs);
	}
	statement_release(&select);
	return rc;
}
