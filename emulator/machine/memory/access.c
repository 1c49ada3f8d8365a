#include "emulator/machine/memory/access.h"

#include "base/mangled.h"
#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/memory/device_memory.h"

#include <inttypes.h>
#include <string.h>

/* ---- counting different values among lanes ---- */

/*
 * A set of up to 32 numbers: a hash table with open addressing. The caller fills
 * it with SLOT_EMPTY before use. Sector and word numbers are always smaller than
 * SLOT_EMPTY.
 */
#define SLOTS 64
#define SLOT_EMPTY UINT32_MAX

/* Returns true if `number` is new to the set. */
static inline bool set_add(uint32_t slots[SLOTS], uint32_t number)
{
	uint32_t slot = number * UINT32_C(0x9e3779b1) >> 26;

	while (slots[slot] != SLOT_EMPTY) {
		if (slots[slot] == number)
			return false;
		slot = (slot + 1) % SLOTS;
	}
	slots[slot] = number;
	return true;
}

unsigned access_sectors(const uint32_t sector[LANES], uint32_t mask)
{
	uint32_t slots[SLOTS];
	unsigned count = 0;

	memset(slots, 0xff, sizeof(slots));
	EACH_BIT(lane, mask)
		count += set_add(slots, sector[lane]);
	return count;
}

/* Wavefronts of one group. */
static unsigned group_wavefront_count(const uint32_t offset[LANES], uint32_t mask,
				      unsigned lane_bytes)
{
	unsigned words = lane_bytes > BANK_BYTES ? lane_bytes / BANK_BYTES : 1, most = 0;
	uint32_t slots[SLOTS];
	uint8_t wanted[BANKS] = {0};

	memset(slots, 0xff, sizeof(slots));
	EACH_BIT(lane, mask) {
		uint32_t word = offset[lane] / BANK_BYTES;

		/* Accesses are aligned: two lanes share all of their words or none. */
		if (!set_add(slots, word))
			continue;
		for (unsigned i = 0; i < words; i++) {
			unsigned now = ++wanted[(word + i) % BANKS];

			most = now > most ? now : most;
		}
	}
	return most;
}

unsigned access_store_wavefronts(const uint32_t offset[LANES], uint32_t mask, unsigned lane_bytes)
{
	unsigned group = access_group(lane_bytes), count = 0;

	for (unsigned first = 0; first < LANES; first += group)
		count += group_wavefront_count(offset, mask & access_group_mask(group) << first,
					       lane_bytes);
	return count;
}

/* The lanes of the mask with an active partner at a different address. */
static uint32_t unlike_partner(const uint32_t offset[LANES], uint32_t mask, unsigned distance)
{
	uint32_t unlike = 0;

	EACH_BIT(lane, mask) {
		const unsigned partner = lane ^ distance;

		if (mask >> partner & 1 && offset[lane] != offset[partner])
			unlike |= UINT32_C(1) << lane;
	}
	return unlike;
}

unsigned access_load_wavefronts(const uint32_t offset[LANES], uint32_t mask, unsigned lane_bytes)
{
	unsigned group = access_group(lane_bytes), count = 0;
	uint32_t unlike_1, unlike_2;

	if (group == LANES)
		return group_wavefront_count(offset, mask, lane_bytes);
	unlike_1 = unlike_partner(offset, mask, 1);
	unlike_2 = unlike_partner(offset, mask, 2);
	for (unsigned first = 0; first < LANES; first += 2 * group) {
		uint32_t two = access_group_mask(2 * group) << first;

		if (!(unlike_1 & two) || !(unlike_2 & two))
			count += group_wavefront_count(offset, mask & two, lane_bytes);
		else
			count += access_store_wavefronts(offset, mask & two, lane_bytes);
	}
	return count;
}

/* Groups the lanes by address. Returns the number of groups; *longest: size of the largest. */
static unsigned queue_lanes(const uint64_t address[LANES], uint32_t mask, unsigned *longest)
{
	/* By slot: one lane of the group, and the size of the group. */
	uint8_t queues[SLOTS] = {0}, lanes[SLOTS];
	unsigned count = 0;

	*longest = 0;
	EACH_BIT(lane, mask) {
		uint32_t slot = (uint32_t)address[lane] * UINT32_C(0x9e3779b1) >> 26;

		while (queues[slot] && address[lanes[slot]] != address[lane])
			slot = (slot + 1) % SLOTS;
		lanes[slot] = lane;
		count += queues[slot] == 0;
		if (++queues[slot] > *longest)
			*longest = queues[slot];
	}
	return count;
}

unsigned access_places(const uint64_t offset[LANES], uint32_t mask)
{
	unsigned longest;

	return queue_lanes(offset, mask, &longest);
}

unsigned access_longest_queue(const uint64_t address[LANES], uint32_t mask)
{
	unsigned longest;

	queue_lanes(address, mask, &longest);
	return longest;
}

/* ---- invalid addresses ---- */

/* The size of shared memory or of a thread's local memory. */
static uint64_t space_bytes(const struct warp *warp, enum ptx_space space)
{
	return space == PTX_SPACE_SHARED ? (uint64_t)warp->block->launch->shared_bytes
					 : warp->local_bytes;
}

/* Sets *offset to where in shared memory of a block an address lies. Returns false if it belongs to
 * no block of the cluster, or to one that the instruction cannot access. */
static bool find_in_cluster(const struct warp *warp, const struct instruction *at, uint64_t address,
			    uint64_t *offset)
{
	const struct block *block;
	uint32_t place;

	*offset = address;
	if (address <= CLUSTER_OFFSET_MASK)
		return true;
	block = address <= UINT32_MAX ? cluster_find_block(warp->block, (uint32_t)address, &place)
				      : NULL;
	if (!block || !cluster_may_leave(at))
		return false;
	*offset = place;
	return true;
}

static bool is_inside(struct warp *warp, const struct instruction *at, enum ptx_space space,
		      uint64_t address, unsigned bytes)
{
	uint64_t limit = 0;

	if (space == PTX_SPACE_SHARED && !find_in_cluster(warp, at, address, &address))
		return false;

	if (space == PTX_SPACE_GLOBAL) {
		const struct allocation *in =
			device_memory_below(warp->block->launch->memory, address);

		if (!in)
			return false;
		address -= in->address;
		limit = in->bytes;
	} else {
		limit = space_bytes(warp, space);
	}
	return limit >= bytes && address <= limit - bytes;
}

/* "a 4-byte store to" */
static void describe_access(struct text *out, const struct instruction *at,
			    const struct access_range *range)
{
	static const struct {
		enum operation operation;
		const char *words;
	} accesses[] = {{OP_LOAD, "load from"},
			{OP_STORE, "store to"},
			{OP_ATOMIC, "atomic on"},
			{OP_MATRIX_LOAD, "matrix row load from"},
			{OP_MATRIX_STORE, "matrix row store to"},
			{OP_GROUP_PRODUCT, "read of a wgmma operand from"}};

	text_addf(out, "%s %u-byte ", range->bytes == 8 || range->bytes == 11 ? "an" : "a",
		  range->bytes);
	if (range->what)
		text_add(out, range->what);
	for (size_t i = 0; i < ARRAY_SIZE(accesses); i++)
		if (accesses[i].operation == (enum operation)at->operation)
			text_add(out, accesses[i].words);
	if (at->operation == OP_COPY)
		text_addf(out, "asynchronous copy %s",
			  range->space == PTX_SPACE_GLOBAL ? "from" : "to");
}

/* "shared memory of a block that is not in the cluster" */
static void describe_foreign(struct text *out, const struct warp *warp,
			     const struct instruction *at, uint32_t address, unsigned accessed)
{
	const unsigned rank = cluster_rank(warp->block, address),
		       count = cluster_count(warp->block);
	const uint32_t offset = address & CLUSTER_OFFSET_MASK;
	const uint32_t reserved = warp->block->launch->reserved_bytes;
	const uint64_t bytes = space_bytes(warp, PTX_SPACE_SHARED) - reserved;

	if (rank >= count)
		text_addf(out, " shared memory of a block that is not in the cluster, which has %u",
			  count);
	else if (!cluster_may_leave(at))
		text_addf(out,
			  " an address of the block with rank %u in the cluster; use an "
			  "instruction for shared::cluster",
			  rank);
	else
		text_addf(out,
			  " shared memory of the block with rank %u at byte %u, which ends "
			  "%" PRIu64 " bytes past its end (%" PRIu64 " bytes)",
			  rank, offset - reserved, offset - reserved + accessed - bytes, bytes);
}

/* "shared memory at byte 4096, which ends 4 bytes past its end (4096 bytes)" */
static void describe_shared_or_local(struct text *out, struct warp *warp, enum ptx_space space,
				     uint64_t address, unsigned accessed)
{
	uint64_t bytes = space_bytes(warp, space);

	/* Report the program's own bytes, without those that the system reserves before them. */
	if (space == PTX_SPACE_SHARED) {
		bytes -= warp->block->launch->reserved_bytes;
		address = (address - warp->block->launch->reserved_bytes) & UINT32_MAX;
	}
	text_addf(out, " %s memory at byte ", space == PTX_SPACE_SHARED ? "shared" : "local");
	/* Offsets have 32 bits: a negative one has wrapped around. */
	if (address > INT32_MAX && address <= UINT32_MAX)
		text_addf(out, "-%" PRIu64 ", before it begins (%" PRIu64 " bytes)",
			  (UINT64_C(1) << 32) - address, bytes);
	else
		text_addf(out,
			  "%" PRIu64 ", which ends %" PRIu64 " bytes past its end (%" PRIu64
			  " bytes)",
			  address, address + accessed - bytes, bytes);
}

static void report_access(struct warp *warp, const struct instruction *at,
			  const struct access_range *range, bool misaligned)
{
	const enum ptx_space space = range->space;
	const uint64_t address = range->address;
	struct text text = TEXT_INIT;

	describe_access(&text, at, range);
	if (misaligned && space == PTX_SPACE_GLOBAL) {
		text_addf(&text, " 0x%" PRIx64 ", which is not a multiple of %u", address,
			  range->align);
	} else if (misaligned) {
		text_addf(&text, " %s memory at byte %" PRIu64 ", which is not a multiple of %u",
			  space == PTX_SPACE_SHARED ? "shared" : "local",
			  space == PTX_SPACE_SHARED ? address & CLUSTER_OFFSET_MASK : address,
			  range->align);
	} else if (space == PTX_SPACE_GLOBAL) {
		text_addf(&text, " 0x%" PRIx64 ", ", address);
		if (!device_heap_describe(&text, warp->block->launch->heap, address))
			device_memory_describe(&text, warp->block->launch->memory, address,
					       range->bytes);
	} else if (space == PTX_SPACE_SHARED && address <= UINT32_MAX &&
		   address >> CLUSTER_RANK_SHIFT >= CLUSTER_TAG &&
		   address >> CLUSTER_RANK_SHIFT <= CLUSTER_TAG + CLUSTER_NO_RANK) {
		describe_foreign(&text, warp, at, (uint32_t)address, range->bytes);
	} else {
		describe_shared_or_local(&text, warp, space, address, range->bytes);
	}
	warp_finding(warp, at, range->lane, misaligned ? FINDING_MISALIGNED : FINDING_OUT_OF_BOUNDS,
		     "%s", text.data);
	text_release(&text);
}

enum step access_check_range(struct warp *warp, const struct instruction *at,
			     const struct access_range *range)
{
	bool misaligned = range->address % range->align != 0;

	if (!misaligned && is_inside(warp, at, range->space, range->address, range->bytes))
		return STEP_NEXT;
	report_access(warp, at, range, misaligned);
	return STEP_STOPPED;
}

/* ---- the bounds of a shared variable ---- */

static void report_variable(struct warp *warp, const struct instruction *at, int lane,
			    const struct program_shared_variable *variable, uint32_t place)
{
	const unsigned accessed = access_bytes(at);
	struct text text = TEXT_INIT, name = TEXT_INIT;
	const char *last; /* behind the function that declares it */

	describe_access(&text, at,
			&(struct access_range){.space = PTX_SPACE_SHARED, .bytes = accessed});
	mangled_readable(&name, variable->name);
	last = strrchr(name.data, ':');
	text_addf(&text, " byte %" PRId32 " of shared variable '%s', ", (int32_t)place,
		  last && !strchr(last, '>') ? last + 1 : name.data);
	if (place > INT32_MAX)
		text_addf(&text, "before it begins (%" PRIu32 " bytes)", variable->bytes);
	else
		text_addf(&text, "which ends %" PRIu32 " bytes past its end (%" PRIu32 " bytes)",
			  place + accessed - variable->bytes, variable->bytes);
	warp_finding(warp, at, lane, FINDING_OUT_OF_BOUNDS, "%s", text.data);
	text_release(&text);
	text_release(&name);
}

enum step access_check_variable(struct warp *warp, const struct instruction *at, uint32_t mask,
				const uint32_t offset[LANES])
{
	const struct program_shared_variable *variable =
		&warp->frame->function->shared_variables[at->shared_variable - 1];
	const uint32_t begin = warp->block->launch->reserved_bytes + variable->offset;
	const uint32_t limit = variable->bytes - access_bytes(at);
	uint32_t outside = 0;

	/* The limit is below 2^31 or negative, so an offset above it sets the top bit. */
	for (int lane = 0; lane < LANES; lane++)
		outside |= (offset[lane] - begin) | (limit - (offset[lane] - begin));
	EACH_BIT(lane, outside >> 31 ? mask : 0) {
		const uint32_t place = offset[lane] - begin;

		if ((place | (limit - place)) >> 31) {
			report_variable(warp, at, lane, variable, place);
			return STEP_STOPPED;
		}
	}
	return STEP_NEXT;
}

/* ---- checks of lanes ---- */

enum step access_check(struct warp *warp, const struct instruction *at, enum ptx_space space,
		       uint32_t mask, const uint64_t address[LANES])
{
	return access_check_amounts(warp, at, space, mask, address, NULL);
}

enum step access_check_amounts(struct warp *warp, const struct instruction *at,
			       enum ptx_space space, uint32_t mask, const uint64_t address[LANES],
			       const unsigned bytes[LANES])
{
	EACH_BIT(lane, mask) {
		const struct access_range range = {
			.space = space,
			.lane = (int)lane,
			.address = address[lane],
			.bytes = bytes ? bytes[lane] : access_bytes(at),
			.align = access_bytes(at),
		};

		if (access_check_range(warp, at, &range) != STEP_NEXT)
			return STEP_STOPPED;
	}
	return STEP_NEXT;
}

enum step run_discard(struct warp *warp, const struct instruction *at)
{
	const struct launch *launch = warp->block->launch;
	uint64_t last = 0;

	EACH_BIT(lane, warp->active) {
		struct access_range range = {.space = PTX_SPACE_GLOBAL,
					     .lane = lane,
					     .bytes = DISCARD_BYTES,
					     .align = DISCARD_BYTES,
					     .what = "discard of"};
		struct allocation *in;

		range.address = lane_value(warp, at->a, 8, lane) + (uint64_t)at->offset;
		if (range.address == last)
			continue;
		if (access_check_range(warp, at, &range) != STEP_NEXT)
			return STEP_STOPPED;
		last = range.address;
		in = device_memory_below(launch->memory, last);
		/* Another value in each launch, and the same if a line is discarded twice. */
		memset(in->data + (last - in->address), (int)(0xd5 ^ (launch->number * 29 & 0xff)),
		       DISCARD_BYTES);
		/* Without the check nobody would see that the line is written again. */
		if (launch->global)
			written_remove(in, last - in->address, DISCARD_BYTES);
		*launch->may_be_undefined = true;
	}
	return STEP_NEXT;
}
