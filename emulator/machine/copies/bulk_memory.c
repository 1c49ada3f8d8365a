/* The sides of a bulk copy: global memory, and shared memory of the cluster. */
#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/copies/bulk.h"
#include "emulator/machine/memory/access.h"
#include "emulator/machine/races/block_clocks.h"
#include "emulator/machine/races/races_global.h"
#include "emulator/machine/races/races_shared.h"
#include "emulator/machine/undefined/undefined.h"

#include <string.h>

/* ---- global memory ---- */

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

/* Stores the elements of `from` at `to`, or combines them with those that are there. */
static void bulk_store(const struct bulk_issue *issue, unsigned char *to, const unsigned char *from,
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

/* Checks the bytes that a copy reads or writes on one side. */
static enum step check_bulk_range(const struct bulk_issue *issue, enum ptx_space space,
				  uint64_t address, uint32_t bytes, unsigned align, bool writes)
{
	const struct access_range range = {
		.space = space,
		.lane = (int)issue->lane,
		.address = address,
		.bytes = bytes,
		.align = align,
		.what = !writes          ? "bulk copy from"
			: issue->combine ? "bulk reduction of"
					 : "bulk copy to",
	};

	return access_check_range(issue->warp, issue->at, &range);
}

enum step bulk_global_read(const struct bulk_issue *issue, uint64_t address, unsigned char *to,
			   uint32_t bytes, unsigned align)
{
	struct allocation *in;
	uint64_t offset;

	if (check_bulk_range(issue, PTX_SPACE_GLOBAL, address, bytes, align, false) != STEP_NEXT)
		return STEP_STOPPED;
	in = device_memory_below(issue->warp->block->launch->memory, address);
	offset = address - in->address;
	if (!bytes)
		return STEP_NEXT;
	if (issue->origin) {
		undefined_bulk_read(issue, in, offset, to, bytes);
		return STEP_NEXT;
	}
	global_races_range(issue->warp, issue->at, issue->lane, in, offset, bytes, true, false);
	touch_read(in, offset / SECTOR_BYTES, (offset + bytes - 1) / SECTOR_BYTES);
	memcpy(to, in->data + offset, bytes);
	return STEP_NEXT;
}

enum step bulk_global_write(const struct bulk_issue *issue, uint64_t address,
			    const unsigned char *from, uint32_t bytes, unsigned align)
{
	struct allocation *in;
	uint64_t offset;

	if (check_bulk_range(issue, PTX_SPACE_GLOBAL, address, bytes, align, true) != STEP_NEXT)
		return STEP_STOPPED;
	in = device_memory_below(issue->warp->block->launch->memory, address);
	offset = address - in->address;
	if (!bytes)
		return STEP_NEXT;
	if (issue->origin) {
		undefined_bulk_write(issue, in, NULL, offset, from, bytes);
		return STEP_NEXT;
	}
	global_races_range(issue->warp, issue->at, issue->lane, in, offset, bytes,
			   issue->combine != NULL, true);
	if (issue->combine)
		touch_read(in, offset / SECTOR_BYTES, (offset + bytes - 1) / SECTOR_BYTES);
	touch_written(in, offset / SECTOR_BYTES, (offset + bytes - 1) / SECTOR_BYTES);
	bulk_store(issue, in->data + offset, from, bytes, true);
	return STEP_NEXT;
}

/* ---- shared memory ---- */

#define CHUNK_BYTES 16

static struct bulk_pending pending_of(const struct bulk_issue *issue, struct bulk_range range)
{
	return (struct bulk_pending){
		.range = range,
		.clock = block_clock(issue->warp),
		.thread = (uint16_t)(cluster_warp(issue->warp) * LANES + issue->lane),
	};
}

/* The end of the chunks from byte `at` on that are accessed alike. */
static uint32_t end_of_run(const bool *chunks, uint32_t at, uint32_t bytes)
{
	uint32_t end = at + CHUNK_BYTES;

	if (!chunks)
		return bytes;
	while (end < bytes && chunks[end / CHUNK_BYTES] == chunks[at / CHUNK_BYTES])
		end += CHUNK_BYTES;
	return end;
}

/* ---- destinations ---- */

static enum step find_target(struct bulk_target *out, const struct bulk_issue *issue,
			     uint32_t address, uint32_t signal, uint32_t bytes, unsigned align)
{
	struct warp *warp = issue->warp;
	const int lane = (int)issue->lane;
	uint32_t offset;

	*out = (struct bulk_target){.block = cluster_find_block(warp->block, address, &offset),
				    .signal = signal};
	/* The address of a block that is not there is outside, too. */
	if (check_bulk_range(issue, PTX_SPACE_SHARED, out->block ? offset : address, bytes, align,
			     true) != STEP_NEXT ||
	    mbarrier_find_phase(warp, issue->at, lane, signal, &out->mbarrier, &out->phase) !=
		    STEP_NEXT)
		return STEP_STOPPED;
	out->range = (struct bulk_range){offset, bytes};
	if (out->block != warp->block && !issue->copy->of_cluster)
		return warp_finding(warp, issue->at, lane, FINDING_OUT_OF_BOUNDS,
				    "a bulk copy to shared::cta with an address of another block "
				    "of the cluster; use shared::cluster");
	if (cluster_count(warp->block) == 1 && issue->copy->from.space == PTX_SPACE_SHARED)
		return warp_finding(
			warp, issue->at, lane, FINDING_OUT_OF_BOUNDS,
			"a bulk copy from shared memory to shared memory in a cluster of "
			"one block, which a GPU refuses as an illegal instruction; copy "
			"with loads and stores");
	if (out->block != out->mbarrier.block)
		return warp_finding(warp, issue->at, lane, FINDING_MBARRIER,
				    "a bulk copy to the block with rank %u of the cluster signals "
				    "an mbarrier of rank %u; both must be in one block",
				    out->block->rank, out->mbarrier.block->rank);
	if (out->block != warp->block)
		cluster_check_presence(warp, issue->at, lane, out->block);
	return STEP_NEXT;
}

/* Finds the targets of a mask of ranks. */
static enum step find_multicast(struct bulk_targets *out, const struct bulk_issue *issue,
				uint32_t bytes, unsigned align)
{
	const uint32_t to = (uint32_t)bulk_address_in(issue, &issue->copy->to);
	const uint32_t signal = (uint32_t)bulk_address_in(issue, &issue->copy->mbarrier);
	uint64_t mask = bulk_value(issue, issue->copy->multicast, true) & UINT16_MAX;

	if (!mask || mask >> cluster_count(issue->warp->block))
		return warp_finding(issue->warp, issue->at, (int)issue->lane, FINDING_OUT_OF_BOUNDS,
				    "a multicast to the ranks of the mask 0x%x in a cluster of %u "
				    "blocks",
				    (unsigned)mask, cluster_count(issue->warp->block));
	for (; mask; mask &= mask - 1) {
		const uint32_t rank = (uint32_t)__builtin_ctzll(mask);

		if (find_target(&out->items[out->count++], issue, cluster_address(rank, to),
				cluster_address(rank, signal), bytes, align) != STEP_NEXT)
			return STEP_STOPPED;
	}
	return STEP_NEXT;
}

enum step bulk_find_targets(struct bulk_targets *out, const struct bulk_issue *issue,
			    uint32_t bytes, unsigned align)
{
	out->count = 0;
	if (issue->copy->multicast)
		return find_multicast(out, issue, bytes, align);
	out->count = 1;
	return find_target(&out->items[0], issue,
			   (uint32_t)bulk_address_in(issue, &issue->copy->to),
			   (uint32_t)bulk_address_in(issue, &issue->copy->mbarrier), bytes, align);
}

static void write_chunks(const struct bulk_issue *issue, const struct bulk_target *target,
			 struct bulk_range run, const unsigned char *values)
{
	struct bulk_pending pending = pending_of(issue, run);

	pending.writes = true;
	pending.signalled = target->mbarrier.block;
	pending.mbarrier = target->mbarrier.offset;
	pending.number = target->phase;
	if (target->block->shadow)
		pending.place =
			shadow_bulk_write(&(struct shadow_bulk){issue->warp, target->block,
								issue->at, issue->lane, run},
					  issue->combine ? NULL : values);
	bulk_store(issue, target->block->shared + run.offset, values, run.bytes, false);
	bulk_pending_add(target->block, &pending);
}

static enum step write_target(const struct bulk_issue *issue, const struct bulk_target *target,
			      const unsigned char *values, const bool *chunks)
{
	uint32_t at = 0, written = 0;

	do {
		const uint32_t end = end_of_run(chunks, at, target->range.bytes);

		const struct bulk_range run = {target->range.offset + at, end - at};

		if (chunks && !chunks[at / CHUNK_BYTES]) {
			at = end;
			continue;
		}
		if (issue->origin)
			undefined_bulk_write(issue, NULL, target->block, run.offset, values + at,
					     run.bytes);
		else
			write_chunks(issue, target, run, values + at);
		written += run.bytes;
		at = end;
	} while (at < target->range.bytes);
	if (issue->origin)
		return STEP_NEXT;
	return mbarrier_bytes_arrive(issue->warp, issue->at, (int)issue->lane, target->signal,
				     written, false);
}

enum step bulk_write_targets(const struct bulk_issue *issue, const struct bulk_targets *targets,
			     const unsigned char *values, const bool *chunks)
{
	for (unsigned i = 0; i < targets->count; i++)
		if (write_target(issue, &targets->items[i], values, chunks) != STEP_NEXT)
			return STEP_STOPPED;
	return STEP_NEXT;
}

/* ---- sources ---- */

enum step bulk_find_source(struct bulk_pending *out, const struct bulk_issue *issue, uint32_t bytes,
			   unsigned align)
{
	const uint32_t offset = (uint32_t)bulk_address_in(issue, &issue->copy->from);

	*out = pending_of(issue, (struct bulk_range){offset, bytes});
	return check_bulk_range(issue, PTX_SPACE_SHARED, offset, bytes, align, false);
}

unsigned char *bulk_source_bytes(const struct bulk_issue *issue, const struct bulk_pending *source)
{
	struct block *block = issue->warp->block;

	return issue->origin
		       ? undefined_bulk_source(issue, source->range.offset, source->range.bytes)
		       : block->shared + source->range.offset;
}

void bulk_source_pending(const struct bulk_issue *issue, const struct bulk_pending *source,
			 const struct bulk_target *target, const bool *chunks)
{
	struct block *block = issue->warp->block;
	struct bulk_pending run = *source;
	uint32_t at = 0;

	if (issue->origin)
		return;
	if (target) {
		run.signalled = target->mbarrier.block;
		run.mbarrier = target->mbarrier.offset;
		run.number = target->phase;
	}
	do {
		const uint32_t end = end_of_run(chunks, at, source->range.bytes);

		run.range = (struct bulk_range){source->range.offset + at, end - at};
		if (!chunks || chunks[at / CHUNK_BYTES]) {
			if (block->shadow)
				run.place = shadow_bulk_read(&(struct shadow_bulk){
					issue->warp, block, issue->at, issue->lane, run.range});
			bulk_pending_add(block, &run);
		}
		at = end;
	} while (at < source->range.bytes);
}
