/*
 * rows: what several queries take of a row. Private to db/.
 */
#ifndef DB_ROWS_H
#define DB_ROWS_H

#include "db/statement.h"

/* In the order in which device_take() and run_take() take them, of these tables. */
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
/* `run`: the table, or a choice of its rows. */
#define RUN_TABLES(run)                                 \
	run " JOIN device ON device.id = run.device_id" \
	    " LEFT JOIN mark ON mark.run_id = run.id"

void device_take(struct statement *row, struct device_info *device);
void run_take(struct statement *row, struct run *run);

#endif
