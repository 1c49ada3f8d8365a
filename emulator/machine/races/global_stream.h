/*
 * global_stream: the check of global memory (races_global.h) for most requests of most kernels:
 * all 32 lanes access consecutive words, or one place. Inline, because such a request takes little
 * longer than a call. Has the same outcome as global_races_access(). Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_RACES_GLOBAL_STREAM_H
#define EMULATOR_MACHINE_RACES_GLOBAL_STREAM_H

#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/races/global_rows.h"

#define ROW_BYTES (ROW_CELLS << WORD_SHIFT)

/* Records an access `now` to all cells of a row, if a summary can hold the outcome, and it is no
 * race. Has the same outcome as the details of the row. */
ALWAYS_INLINE bool row_summarise(struct row_summary *summary, struct row_summary now,
				 const struct order *order, const struct warp *warp)
{
	const bool mine = summary->segment == now.segment;

	if (summary->kind == SUMMARY_SETTLED) {
		if (summary->segment >= order->first_time)
			return false;
	} else if (summary->segment >= order->first) {
		if (summary->kind == SUMMARY_DETAILS ||
		    (mine && (summary->shift != now.shift || summary->part != now.part)))
			return false;
		if (mine && summary->kind == SUMMARY_READ && now.kind == SUMMARY_READ)
			return true;
		if (now.kind != SUMMARY_WRITE ||
		    (!mine && !order_is_before(order, summary->segment, warp)))
			return false;
	}
	*summary = now;
	return true;
}

/* A load or store of all lanes of a warp. */
struct regular_request {
	struct warp *warp;
	const struct instruction *at;
	size_t number; /* of the instruction in its function */
	struct allocation *in;
	uint64_t begin; /* offset of the first lane */
	unsigned bytes; /* per lane */
	bool writes;
};

/* Records a request of lanes one behind the other in the logs of the rows. Returns false if
 * global_races_access() must do it: it may be a race, or needs more. For what regular_summaries()
 * is not NULL. */
bool global_rows_pass(const struct regular_request *by);

/* The summaries of the allocation; NULL: the request needs more than these. */
ALWAYS_INLINE struct row_summary *regular_summaries(const struct regular_request *by)
{
	const struct instruction *at = by->at;
	const struct shadow_rows *rows = by->in->shadow;

	if (!rows || rows->cell_shift != WORD_SHIFT || by->bytes < 1U << WORD_SHIFT ||
	    by->warp->dropped || at->strong || at->is_volatile || at->guess)
		return NULL;
	return rows->summaries;
}

/* Whether lanes one behind the other, from the begin of a row on, need no look at each lane. */
ALWAYS_INLINE bool whole_rows_pass(const struct regular_request *by, struct row_summary *summaries)
{
	struct global_races *shadow = by->warp->block->launch->global;
	const uint64_t first = by->begin / ROW_BYTES;
	const unsigned each = by->bytes >> WORD_SHIFT; /* rows, and cells of a lane */
	struct row_summary now = {
		.segment = order_segment(&shadow->order, by->warp),
		.place = warp_place(shadow, by->warp, (uint32_t)by->number),
		.kind = by->writes ? SUMMARY_WRITE : SUMMARY_READ,
		.shift = (unsigned)__builtin_ctz(each) & 3,
	};

	if (!now.segment)
		return false;
	for (unsigned part = 0; part < each; part++) {
		struct row_summary *summary = &summaries[first + part];

		now.part = part & 7;
		if ((by->writes || !row_is_settled(summary, &shadow->order)) &&
		    !row_summarise(summary, now, &shadow->order, by->warp))
			return false;
	}
	return true;
}

/* Whether all rows that lanes access one behind the other are settled. */
ALWAYS_INLINE bool rows_are_settled(const struct regular_request *by,
				    const struct row_summary *summaries)
{
	const struct global_races *shadow = by->warp->block->launch->global;
	const uint64_t first = by->begin / ROW_BYTES;
	const uint64_t last = (by->begin + LANES * by->bytes - 1) / ROW_BYTES;

	for (uint64_t index = first; index <= last; index++)
		if (!row_is_settled(&summaries[index], &shadow->order))
			return false;
	return true;
}

/* A copy, so that the request itself can stay in registers. */
ALWAYS_INLINE bool rows_pass(const struct regular_request *by)
{
	const struct regular_request copy = *by;

	return global_rows_pass(&copy);
}

/* Whether a load reads only bytes that were written. A store writes them. */
ALWAYS_INLINE bool range_is_written(const struct regular_request *by, uint64_t size)
{
	if (by->writes)
		written_add(by->in, by->begin, size);
	return by->writes || written_all(by->in, by->begin, size);
}

/* Checks and records a request of lanes one behind the other. Returns false if
 * global_races_access() must do it. That may find rows of the request recorded already. */
ALWAYS_INLINE bool global_stream_passes(const struct regular_request *by)
{
	struct row_summary *summaries = regular_summaries(by);

	if (by->at->space == PTX_SPACE_CONST)
		return true;
	if (!summaries ||
	    (by->in->bytes_written && !range_is_written(by, (uint64_t)LANES * by->bytes)))
		return false;
	if (by->begin % ROW_BYTES == 0)
		return whole_rows_pass(by, summaries) || rows_pass(by);
	return (!by->writes && rows_are_settled(by, summaries)) || rows_pass(by);
}

/* Whether a load of all lanes at one place needs no further check. */
ALWAYS_INLINE bool global_place_passes(const struct regular_request *by)
{
	const struct row_summary *summaries = regular_summaries(by);

	if (by->at->space == PTX_SPACE_CONST)
		return true;
	return summaries && (!by->in->bytes_written || range_is_written(by, by->bytes)) &&
	       row_is_settled(&summaries[by->begin / ROW_BYTES],
			      &by->warp->block->launch->global->order);
}

#endif
