/*
 * Loads the measured ceilings of a device. The view `ceilings` is for queries of users.
 */
#include "metrics/analysis/ceilings.h"
#include "db/statement.h"

#include <math.h>
#include <string.h>

/* `asked` is a SELECT of the uuid and name of a device, the process of a session, and the id of a
 * run that counts whatever its label is: `perflab ceilings --label` prints what it measured. */
#define CEILINGS_OF(asked)                                                                     \
	"SELECT run.id, coalesce(trial.finished_ns, run.started_ns), trial.id, trial.variant," \
	" trial.config, trial.flop, trial.bytes_read, trial.bytes_written, trial.median_ns,"   \
	" trial.session_low_ns, trial.session_high_ns,"                                        \
	" (SELECT avg(sm_clock_hz) FROM round WHERE trial_id = trial.id),"                     \
	" device.cc_major, device.cc_minor, device.sm_count, device.sm_clock_max_hz,"          \
	" device.memory_clock_max_hz, device.memory_bus_bits"                                  \
	" FROM trial JOIN run ON run.id = trial.run_id"                                        \
	" JOIN device ON device.id = run.device_id JOIN (" asked ") AS asked"                  \
	" ON device.uuid IS asked.uuid AND device.name = asked.name"                           \
	" WHERE trial.kernel = '" CEILINGS_KERNEL "' AND trial.status = 'ok'"                  \
	" AND run.origin IS NULL"                                                              \
	" AND (run.label = '" CEILINGS_LABEL "' OR run.id = asked.run_id)"                     \
	" ORDER BY coalesce((SELECT value FROM environment WHERE run_id = run.id"              \
	" AND key = 'process') = asked.process, 0) DESC,"                                      \
	" run.started_ns DESC, run.id DESC, trial.position"

static void ceiling_take(struct statement *row, struct ceiling_list *out)
{
	struct device_info device = {0};
	struct trial trial = {.kernel = CEILINGS_KERNEL, .status = TRIAL_OK};
	struct ceiling found;
	int64_t run_id = take_integer(row, 0), time_ns = take_integer(row, 0);
	double sm_clock_hz;

	trial.id = take_integer(row, 0);
	trial.variant = (char *)take_text(row); /* borrowed until the next row */
	trial.config = (char *)take_text(row);
	trial.flop = take_integer(row, -1);
	trial.bytes_read = take_integer(row, -1);
	trial.bytes_written = take_integer(row, -1);
	trial.has_work = trial.flop >= 0 && trial.bytes_read >= 0 && trial.bytes_written >= 0;
	trial.summary.median_ns = take_real(row);
	trial.summary.session_low_ns = take_real(row);
	trial.summary.session_high_ns = take_real(row);
	sm_clock_hz = take_real(row);
	device.cc_major = take_int(row);
	device.cc_minor = take_int(row);
	device.sm_count = take_integer(row, 0);
	device.sm_clock_max_hz = take_integer(row, 0);
	device.memory_clock_max_hz = take_integer(row, 0);
	device.memory_bus_bits = take_integer(row, 0);
	if (!ceiling_of_trial(&found, &trial, &device))
		return;
	found.run_id = run_id;
	found.time_ns = time_ns;
	found.sm_clock_hz = sm_clock_hz;
	ceiling_list_offer(out, &found);
}

static int take_all(struct statement *select, struct ceiling_list *out)
{
	while (statement_next(select))
		ceiling_take(select, out);
	return statement_release(select);
}

int db_ceilings_load(struct db *db, int64_t run_id, struct ceiling_list *out, struct error *err)
{
	struct statement select = statement_prepare(
		db,
		CEILINGS_OF("SELECT run.id AS run_id, device.uuid, device.name,"
			    " (SELECT value FROM environment"
			    " WHERE run_id = run.id AND key = 'process') AS process"
			    " FROM run JOIN device ON device.id = run.device_id WHERE run.id = ?"),
		err);

	bind_integer(&select, run_id);
	return take_all(&select, out);
}

int db_ceilings_of_device(struct db *db, const struct device_info *device, struct ceiling_list *out,
			  struct error *err)
{
	struct statement select = statement_prepare(
		db, CEILINGS_OF("SELECT NULL AS run_id, ? AS uuid, ? AS name, NULL AS process"),
		err);

	bind_known_text(&select, device->uuid);
	bind_text(&select, device->name);
	return take_all(&select, out);
}
