#include "emulator/machine/copies/async_copies.h"

#include "emulator/machine/memory/access.h"
#include "emulator/machine/races/block_clocks.h"
#include "emulator/machine/races/races_global.h"
#include "emulator/machine/races/races_shared.h"

#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 128
#define HALF_BYTES (SECTOR_BYTES / 2)

/* ---- through the L1 cache ---- */

static unsigned busiest_bank(const uint8_t count[BANKS])
{
	unsigned most = 0;

	for (int bank = 0; bank < BANKS; bank++)
		most = count[bank] > most ? count[bank] : most;
	return most;
}

static unsigned group_wavefronts(const struct copy_lanes *lanes, uint32_t group)
{
	uint8_t given[BANKS] = {0}, taken[BANKS] = {0};
	unsigned gives, takes;

	EACH_BIT(lane, lanes->mask & group) {
		for (unsigned at = 0; at < lanes->bytes; at += BANK_BYTES) {
			taken[(lanes->to[lane] + at) / BANK_BYTES % BANKS]++;
			if (lanes->reading >> lane & 1)
				given[(lanes->from[lane] + at) / BANK_BYTES % BANKS]++;
		}
	}
	gives = busiest_bank(given);
	takes = busiest_bank(taken);
	return gives > takes ? gives : takes;
}

static struct copy_cost cost_through_l1(const struct copy_lanes *lanes)
{
	const unsigned group = access_group(lanes->bytes);
	struct copy_cost cost = {0};
	uint32_t sector[LANES];

	/* 31 bits identify a sector: all allocations lie within 2^31 sectors of each other. */
	for (int lane = 0; lane < LANES; lane++)
		sector[lane] = (uint32_t)(lanes->from[lane] / SECTOR_BYTES) & INT32_MAX;
	cost.sectors = access_sectors(sector, lanes->reading);
	for (unsigned first = 0; first < LANES; first += group)
		cost.wavefronts += group_wavefronts(lanes, access_group_mask(group) << first);
	return cost;
}

/* ---- bypassing the L1 cache ---- */

/* A sector of global memory that is copied to a sector of shared memory. */
struct transfer {
	uint64_t from, to; /* numbers of the sectors */
	bool crossed;      /* the halves of the sector are swapped */
	unsigned halves;   /* mask of the halves of `to` */
	bool counted;      /* in the wavefronts of another transfer */
};

static struct transfer *find_transfer(struct transfer *transfers, unsigned count,
				      const struct transfer *like)
{
	for (unsigned i = 0; i < count; i++)
		if (transfers[i].from == like->from && transfers[i].to == like->to &&
		    transfers[i].crossed == like->crossed)
			return &transfers[i];
	return NULL;
}

static unsigned find_transfers(struct transfer transfers[LANES], const struct copy_lanes *lanes)
{
	unsigned count = 0;

	EACH_BIT(lane, lanes->reading) {
		uint64_t from = lanes->from[lane], to = lanes->to[lane];
		struct transfer one = {.from = from / SECTOR_BYTES,
				       .to = to / SECTOR_BYTES,
				       .crossed = (from ^ to) / HALF_BYTES % 2};
		struct transfer *transfer = find_transfer(transfers, count, &one);

		if (!transfer) {
			transfer = &transfers[count++];
			*transfer = one;
		}
		transfer->halves |= 1U << to / HALF_BYTES % 2;
	}
	return count;
}

static bool share_wavefronts(const struct transfer *a, const struct transfer *b)
{
	const unsigned sectors = LINE_BYTES / SECTOR_BYTES;

	return a->from / sectors == b->from / sectors && a->to / sectors == b->to / sectors &&
	       a->halves == b->halves && a->crossed == b->crossed &&
	       (a->from ^ a->to) % 2 == (b->from ^ b->to) % 2;
}

/* Wavefronts of a transfer and of all that share them: in each one a sector takes part once. */
static unsigned shared_wavefronts(struct transfer *transfers, unsigned count,
				  const struct transfer *first)
{
	unsigned most = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned given = 0, taken = 0;

		if (!share_wavefronts(first, &transfers[i]))
			continue;
		transfers[i].counted = true;
		for (unsigned k = 0; k < count; k++) {
			bool together = share_wavefronts(first, &transfers[k]);

			given += together && transfers[k].from == transfers[i].from;
			taken += together && transfers[k].to == transfers[i].to;
		}
		most = given > most ? given : most;
		most = taken > most ? taken : most;
	}
	return most;
}

static struct copy_cost cost_past_l1(const struct copy_lanes *lanes)
{
	struct transfer transfers[LANES];
	unsigned count = find_transfers(transfers, lanes);
	struct copy_cost cost = {.sectors = count};

	for (unsigned i = 0; i < count; i++)
		if (!transfers[i].counted)
			cost.wavefronts += shared_wavefronts(transfers, count, &transfers[i]);
	if (lanes->reading != lanes->mask)
		cost.wavefronts += access_store_wavefronts(lanes->to, lanes->mask, lanes->bytes);
	return cost;
}

struct copy_cost copy_cost(const struct copy_lanes *lanes)
{
	return lanes->past_l1 ? cost_past_l1(lanes) : cost_through_l1(lanes);
}

/* Per lane. */
#define COPY_MOST_BYTES 16
#define COPY_WORD_BYTES 4
/* Not a multiple of 8, so no object has this offset. */
#define NO_MBARRIER UINT32_MAX

/* A pending copy. */
struct copy {
	const struct instruction *at;
	uint32_t place; /* the instruction, as shared_races_copy() returned it */
	uint32_t mask;  /* lanes that have not waited for it */
	unsigned bytes;
	uint32_t group[LANES]; /* number of the group, counted per thread from 0 */
	uint32_t offset[LANES];
	uint32_t mbarrier[LANES]; /* offset of the object that tracks it; NO_MBARRIER */
	uint32_t clock[LANES];    /* of the warp when the lane gave it to that object */
	unsigned char values[LANES * COPY_MOST_BYTES]; /* `bytes` per lane */
};

struct warp_copies {
	struct copy *items; /* in the order in which they started */
	size_t count, capacity;
	uint32_t committed[LANES]; /* number of committed groups */
};

static struct warp_copies *copies_of(struct warp *warp)
{
	if (!warp->copies)
		warp->copies = xcalloc(1, sizeof(*warp->copies));
	return warp->copies;
}

void copies_begin(struct warp *warp)
{
	if (!warp->copies)
		return;
	warp->copies->count = 0;
	memset(warp->copies->committed, 0, sizeof(warp->copies->committed));
}

void copies_free(struct warp_copies *copies)
{
	if (!copies)
		return;
	free(copies->items);
	free(copies);
}

/* ---- operands ---- */

/* Sets amount[] to the bytes that each lane reads, and *reading to the lanes that read any. */
static enum step copy_amounts(unsigned amount[LANES], uint32_t *reading, struct warp *warp,
			      const struct instruction *at)
{
	const uint32_t *sizes = at->c ? row_of(warp, at->c) : NULL;
	uint32_t ignored = at->d ? predicate_mask(row_of(warp, at->d)) : 0;

	*reading = 0;
	EACH_BIT(lane, warp->active) {
		amount[lane] = sizes ? sizes[lane] : access_bytes(at);
		if (amount[lane] > access_bytes(at))
			return warp_finding(
				warp, at, lane, FINDING_UNSUPPORTED,
				"a copy of %u bytes has a source size of %u, which is undefined",
				access_bytes(at), amount[lane]);
		if (amount[lane] && !(ignored >> lane & 1))
			*reading |= UINT32_C(1) << lane;
	}
	return STEP_NEXT;
}

/* ---- start of a copy ---- */

static void count_copy(struct warp *warp, const struct copy *copy, uint32_t reading,
		       const uint64_t address[LANES])
{
	const struct copy_cost cost = copy_cost(&(struct copy_lanes){
		.mask = copy->mask,
		.reading = reading,
		.bytes = copy->bytes,
		.past_l1 = copy->at->kind == COPY_PAST_L1,
		.from = address,
		.to = copy->offset,
	});
	struct instruction_count *count = count_at(warp, copy->at);

	count->sectors += cost.sectors;
	count->wavefronts += cost.wavefronts;
}

/* Checks the words that a lane reads; the bytes of a last incomplete word are not checked. */
static void check_source(struct warp *warp, const struct copy *copy, unsigned lane,
			 struct allocation *in, uint64_t offset, unsigned amount)
{
	struct global_request request = {
		.warp = warp,
		.at = copy->at,
		.in = in,
		.mask = UINT32_C(1) << lane,
		.bytes = amount == copy->bytes ? amount : COPY_WORD_BYTES,
		.reads = true,
	};
	uint64_t offsets[LANES] = {0};

	request.offset = offsets;
	for (unsigned at = 0; at + request.bytes <= amount; at += request.bytes) {
		offsets[lane] = offset + at;
		global_races_access(&request);
	}
}

/* Reads the source bytes; the rest of each lane's bytes is zero. */
static void read_values(struct warp *warp, struct copy *copy, uint32_t reading,
			const uint64_t address[LANES], const unsigned amount[LANES])
{
	memset(copy->values, 0, LANES * copy->bytes);
	EACH_BIT(lane, reading) {
		struct allocation *in =
			device_memory_below(warp->block->launch->memory, address[lane]);
		uint64_t offset = address[lane] - in->address;

		if (warp->block->launch->global)
			check_source(warp, copy, lane, in, offset, amount[lane]);
		memcpy(copy->values + lane * copy->bytes, in->data + offset, amount[lane]);
		touch_read(in, offset / SECTOR_BYTES, offset / SECTOR_BYTES);
	}
}

enum step run_copy(struct warp *warp, const struct instruction *at)
{
	struct warp_copies *copies = copies_of(warp);
	uint64_t address[LANES], offset[LANES];
	unsigned amount[LANES] = {0};
	uint32_t reading;
	uint32_t narrow[LANES];
	struct copy *copy;

	if (warp->active == 0)
		return STEP_NEXT;
	count_at(warp, at)->requests++;
	for (unsigned lane = 0; lane < LANES; lane++) {
		offset[lane] = (uint32_t)lane_value(warp, at->a, at->narrow_address ? 4 : 8, lane) +
			       (uint32_t)at->offset;
		address[lane] = lane_value(warp, at->b, 8, lane) + (uint64_t)at->from_offset;
	}
	if (copy_amounts(amount, &reading, warp, at) != STEP_NEXT ||
	    access_check(warp, at, PTX_SPACE_SHARED, warp->active, offset) != STEP_NEXT ||
	    access_check_amounts(warp, at, PTX_SPACE_GLOBAL, reading, address, amount) != STEP_NEXT)
		return STEP_STOPPED;
	for (int lane = 0; lane < LANES; lane++)
		narrow[lane] = (uint32_t)offset[lane];
	if (warp->block->shadow && at->shared_variable &&
	    access_check_variable(warp, at, warp->active, narrow) != STEP_NEXT)
		return STEP_STOPPED;
	if (copies->count == COPIES_MOST)
		return warp_finding(
			warp, at, -1, FINDING_UNSUPPORTED,
			"%d asynchronous copies of a warp are pending; wait for some of "
			"them before starting more",
			COPIES_MOST);
	copies->items =
		xgrow(copies->items, &copies->capacity, copies->count + 1, sizeof(*copies->items));
	copy = &copies->items[copies->count++];
	copy->at = at;
	copy->mask = warp->active;
	copy->bytes = access_bytes(at);
	memcpy(copy->group, copies->committed, sizeof(copy->group));
	memset(copy->mbarrier, 0xff, sizeof(copy->mbarrier)); /* NO_MBARRIER */
	memcpy(copy->offset, narrow, sizeof(narrow));
	read_values(warp, copy, reading, address, amount);
	count_copy(warp, copy, reading, address);
	copy->place = !warp->block->shadow ? 0
					   : shared_races_copy(warp, at, copy->mask, copy->offset,
							       copy->bytes, copy->values);
	return STEP_NEXT;
}

enum step run_copy_commit(struct warp *warp, const struct instruction *at)
{
	struct warp_copies *copies = copies_of(warp);

	(void)at;
	EACH_BIT(lane, warp->active)
		copies->committed[lane]++;
	return STEP_NEXT;
}

/* ---- waiting for copies ---- */

static void write_copied_bytes(struct warp *warp, struct copy *copy, uint32_t lanes, uint32_t clock)
{
	EACH_BIT(lane, lanes) {
		memcpy(warp->block->shared + copy->offset[lane], copy->values + lane * copy->bytes,
		       copy->bytes);
	}
	if (warp->block->shadow)
		shared_races_arrive(warp, lanes, copy->offset, copy->bytes, copy->place, clock);
	copy->mask &= ~lanes;
}

static void forget_arrived(struct warp_copies *copies)
{
	size_t kept = 0;

	for (size_t i = 0; i < copies->count; i++)
		if (copies->items[i].mask && kept++ != i)
			copies->items[kept - 1] = copies->items[i];
	copies->count = kept;
}

/* Waits until at->offset groups are pending; -1: none, and no copy that is in no group yet. */
enum step run_copy_wait(struct warp *warp, const struct instruction *at)
{
	struct warp_copies *copies = copies_of(warp);

	for (size_t i = 0; i < copies->count; i++) {
		struct copy *copy = &copies->items[i];
		uint32_t lanes = 0;

		EACH_BIT(lane, copy->mask & warp->active) {
			const int64_t behind = (int64_t)copies->committed[lane] - copy->group[lane];

			if (at->offset < 0 || behind > at->offset)
				lanes |= UINT32_C(1) << lane;
		}
		if (lanes)
			write_copied_bytes(warp, copy, lanes, block_clock(warp));
	}
	forget_arrived(copies);
	return STEP_NEXT;
}

/* ---- copies that an mbarrier tracks ---- */

void copies_signal(struct warp *warp, int lane, uint32_t mbarrier)
{
	struct warp_copies *copies = copies_of(warp);

	for (size_t i = 0; i < copies->count; i++) {
		struct copy *copy = &copies->items[i];

		if (copy->mask >> lane & 1 && copy->mbarrier[lane] == NO_MBARRIER) {
			copy->mbarrier[lane] = mbarrier;
			copy->clock[lane] = block_clock(warp);
		}
	}
}

void copies_complete(struct block *block, uint32_t mbarrier)
{
	for (unsigned i = 0; i < block->warp_count; i++) {
		struct warp *warp = &block->warps[i];

		for (size_t k = 0; warp->copies && k < warp->copies->count; k++) {
			struct copy *copy = &warp->copies->items[k];

			EACH_BIT(lane, copy->mask)
				if (copy->mbarrier[lane] == mbarrier)
					write_copied_bytes(warp, copy, UINT32_C(1) << lane,
							   copy->clock[lane]);
		}
		if (warp->copies)
			forget_arrived(warp->copies);
	}
}
