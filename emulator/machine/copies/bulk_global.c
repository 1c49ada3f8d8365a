#include "emulator/machine/copies/bulk_global.h"

#include "emulator/machine/memory/access.h"
#include "emulator/machine/races/races_global.h"
#include "emulator/machine/undefined/undefined.h"

#include <string.h>

/* The most bytes that are checked together. */
#define PIECE_BYTES 16

/* Finds the allocation; NULL, with a finding: there is none. */
static struct allocation *find_bulk_range(const struct bulk_issue *issue, uint64_t address,
					  uint32_t bytes, unsigned align, bool writes)
{
	const struct access_range range = {
		.space = PTX_SPACE_GLOBAL,
		.lane = (int)issue->lane,
		.address = address,
		.bytes = bytes,
		.align = align,
		.what = !writes          ? "bulk copy from"
			: issue->combine ? "bulk reduction of"
					 : "bulk copy to",
	};

	if (access_check_range(issue->warp, issue->at, &range) != STEP_NEXT)
		return NULL;
	return device_memory_below(issue->warp->block->launch->memory, address);
}

/* The largest power of two that divides the offset, and fits the bytes that are left. */
static unsigned piece_bytes(uint64_t offset, uint32_t left)
{
	unsigned bytes = PIECE_BYTES;

	while (offset % bytes || bytes > left)
		bytes /= 2;
	return bytes;
}

static void check_pieces(const struct bulk_issue *issue, struct allocation *in, uint64_t offset,
			 uint32_t bytes, bool writes)
{
	uint64_t offsets[LANES] = {0};
	struct global_request request = {
		.warp = issue->warp,
		.at = issue->at,
		.in = in,
		.mask = UINT32_C(1) << issue->lane,
		.offset = offsets,
		.reads = !writes || issue->combine,
		.writes = writes,
	};

	if (!issue->warp->block->launch->global)
		return;
	for (uint32_t at = 0; at < bytes; at += request.bytes) {
		offsets[issue->lane] = offset + at;
		request.bytes = piece_bytes(offset + at, bytes - at);
		global_races_access(&request);
	}
}

enum step bulk_global_read(const struct bulk_issue *issue, uint64_t address, unsigned char *to,
			   uint32_t bytes, unsigned align)
{
	struct allocation *in = find_bulk_range(issue, address, bytes, align, false);
	uint64_t offset;

	if (!in)
		return STEP_STOPPED;
	offset = address - in->address;
	if (!bytes)
		return STEP_NEXT;
	if (issue->origin) {
		undefined_bulk_read(issue, in, offset, to, bytes);
		return STEP_NEXT;
	}
	check_pieces(issue, in, offset, bytes, false);
	touch_read(in, offset / SECTOR_BYTES, (offset + bytes - 1) / SECTOR_BYTES);
	memcpy(to, in->data + offset, bytes);
	return STEP_NEXT;
}

enum step bulk_global_write(const struct bulk_issue *issue, uint64_t address,
			    const unsigned char *from, uint32_t bytes, unsigned align)
{
	struct allocation *in = find_bulk_range(issue, address, bytes, align, true);
	uint64_t offset;

	if (!in)
		return STEP_STOPPED;
	offset = address - in->address;
	if (!bytes)
		return STEP_NEXT;
	if (issue->origin) {
		undefined_bulk_write(issue, in, offset, from, bytes);
		return STEP_NEXT;
	}
	check_pieces(issue, in, offset, bytes, true);
	if (issue->combine)
		touch_read(in, offset / SECTOR_BYTES, (offset + bytes - 1) / SECTOR_BYTES);
	touch_written(in, offset / SECTOR_BYTES, (offset + bytes - 1) / SECTOR_BYTES);
	bulk_store(issue, in->data + offset, from, bytes, true);
	return STEP_NEXT;
}

static unsigned element_bytes(enum value_type type)
{
	switch (type) {
	case TYPE_b16:
		return 2;
	case TYPE_b64:
	case TYPE_u64:
	case TYPE_s64:
	case TYPE_f64:
		return 8;
	default:
		return 4;
	}
}

void bulk_store(const struct bulk_issue *issue, unsigned char *to, const unsigned char *from,
		uint32_t bytes, bool global)
{
	const enum value_type type = (enum value_type)issue->copy->type;
	const unsigned width = element_bytes(type);

	if (!issue->combine) {
		memcpy(to, from, bytes);
		return;
	}
	for (uint32_t at = 0; at < bytes; at += width) {
		uint64_t old = 0, with = 0, result;

		memcpy(&old, to + at, width);
		memcpy(&with, from + at, width);
		result = issue->combine(old, with, (enum atomic_kind)issue->copy->kind, type,
					global);
		memcpy(to + at, &result, width);
	}
}
