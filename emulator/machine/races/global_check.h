/*
 * global_check: checks an access to cells of one row of global memory against what the row
 * remembers, and has the row remember it. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_RACES_GLOBAL_CHECK_H
#define EMULATOR_MACHINE_RACES_GLOBAL_CHECK_H

#include "emulator/machine/races/global_rows.h"
#include "emulator/machine/races/global_stream.h"

struct checked_access {
	struct global_races *shadow;
	const struct global_request *request;
	struct shadow_rows *rows;
	uint32_t segment, place;
	bool strong, of_block;
	bool reported; /* one race of a request is enough */
	bool full;     /* there was no memory for a record */
};

/* Whether a request can only read what is settled in the row, and so needs no record. */
static inline bool reads_settled_row(const struct checked_access *by, uint64_t index)
{
	return !by->request->writes &&
	       row_is_settled(&by->rows->summaries[index], &by->shadow->order);
}

/* Has the summary of a row say that the row has the details, or that it is settled. */
static inline void conclude_row(struct row_summary *summary, const struct shadow_row *row,
				uint32_t segment, uint32_t time)
{
	if (row->settled == UINT32_MAX && row->settled_time == time)
		*summary = (struct row_summary){.segment = time, .kind = SUMMARY_SETTLED};
	else
		*summary = (struct row_summary){.segment = segment, .kind = SUMMARY_DETAILS};
}

/* Checks and records what lanes of the request do to cells of a row. */
void check_global_run(struct checked_access *by, uint64_t index, const struct lane_run *run);

#endif
