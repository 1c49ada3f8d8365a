/* Loads and stores: global memory (and constants, which lie in it), local memory, and generic
 * addresses. */
#include "emulator/lanes/memory_regular.h"
#include "emulator/machine/barriers/mbarrier.h"

/* The number of unique sectors of ascending addresses; 0: they do not ascend. MEMORY_FILL keeps
 * the order. */
ALWAYS_INLINE unsigned rising_sectors(const uint32_t sector[LANES])
{
	uint32_t falls = 0;
	unsigned changes = 1;

	for (int lane = 1; lane < LANES; lane++) {
		falls |= sector[lane] - sector[lane - 1];
		changes += sector[lane] != sector[lane - 1];
	}
	return falls >> 31 ? 0 : changes;
}

/* The number of different units, if all lanes lie in one aligned row of 64 units. */
ALWAYS_INLINE unsigned units_of_row(const uint64_t offset[LANES], unsigned unit_shift)
{
	uint64_t bits = 0;

	for (int lane = 0; lane < LANES; lane++)
		bits |= UINT64_C(1) << (offset[lane] >> unit_shift) % 64;
	return (unsigned)__builtin_popcountll(bits);
}

ALWAYS_INLINE void touch_sectors(const uint32_t sector[LANES], struct allocation *in, bool store)
{
	uint64_t word = sector[0] / 64, bits = 0;

	for (int lane = 0; lane < LANES; lane++) {
		if (sector[lane] / 64 != word) {
			touch_word(in, word, bits, store);
			word = sector[lane] / 64;
			bits = 0;
		}
		bits |= UINT64_C(1) << sector[lane] % 64;
	}
	touch_word(in, word, bits, store);
}

/* The number of different offsets of lanes that access `sectors` sectors. */
ALWAYS_INLINE unsigned scattered_places(const uint64_t offset[LANES], uint32_t mask,
					uint64_t spread, unsigned bytes, unsigned sectors)
{
	unsigned lanes = (unsigned)__builtin_popcount(mask), changes = 1;
	uint64_t falls = 0;

	if (sectors == lanes)
		return lanes;
	if (spread < 64 * bytes)
		return units_of_row(offset, (unsigned)__builtin_ctz(bytes));
	for (int lane = 1; lane < LANES; lane++) {
		falls |= offset[lane] - offset[lane - 1];
		changes += offset[lane] != offset[lane - 1];
	}
	return falls >> 63 ? access_places(offset, mask) : changes;
}

/* Counts lanes that are neither consecutive nor at one place. Not inlined, to keep the fast paths
 * short. */
static __attribute__((noinline)) void count_scattered(struct instruction_count *count,
						      const uint64_t offset[LANES], uint32_t mask,
						      uint64_t spread, unsigned bytes,
						      struct allocation *in, bool store)
{
	uint32_t sector[LANES];
	unsigned sectors;

	for (int lane = 0; lane < LANES; lane++)
		sector[lane] = (uint32_t)(offset[lane] / SECTOR_BYTES);
	if (spread < 64 * SECTOR_BYTES)
		sectors = units_of_row(offset, (unsigned)__builtin_ctz(SECTOR_BYTES));
	else
		sectors = rising_sectors(sector);
	if (sectors == 0)
		sectors = access_sectors(sector, mask);
	touch_sectors(sector, in, store);
	count->sectors += sectors;
	count->bytes += scattered_places(offset, mask, spread, bytes, sectors) * bytes;
}

static __attribute__((noinline)) enum step several_allocations(struct warp *warp,
							       const struct instruction *at,
							       uint32_t mask,
							       const uint64_t address[LANES]);

ALWAYS_INLINE enum step global_lanes(struct warp *warp, const struct instruction *at, uint32_t mask,
				     uint64_t address[LANES], unsigned width, unsigned vector,
				     bool store)
{
	const unsigned bytes = width * vector;
	struct launch *launch = warp->block->launch;
	size_t number = (size_t)(at - warp->frame->function->code);
	struct instruction_count *count = &launch->counts[warp->frame->function_index][number];
	struct allocation *in;
	uint64_t offset[LANES], base, limit, begin, outside = 0, low = 0, gaps = 0, spread = 0;
	struct memory_places places = {.wide = offset};

	if (mask != ALL_LANES)
		MEMORY_FILL(address, mask);
	in = device_memory_find(launch->memory, number, address[0]);
	if (!in || in->bytes < bytes)
		return several_allocations(warp, at, mask, address);
	limit = in->bytes - bytes;
	base = in->address; /* a copy, because for the compiler offset[] may alias it */
	begin = address[0] - base;
	/* The limit is below 2^63, so an offset above it sets the top bit of one of the two. */
	for (int lane = 0; lane < LANES; lane++) {
		uint64_t here = address[lane] - base;

		offset[lane] = here;
		outside |= here | (limit - here);
		low |= here;
		gaps |= here ^ (begin + (unsigned)lane * bytes);
		spread |= here ^ begin;
	}
	if (outside >> 63 || low & (bytes - 1))
		return several_allocations(warp, at, mask, address);
	places.data = in->data;
	if (launch->global)
		memory_check_global(warp, at, mask, in, offset, bytes, gaps == 0, spread);
	if (gaps == 0) {
		uint64_t first = begin / SECTOR_BYTES;
		uint64_t last = (begin + LANES * bytes - 1) / SECTOR_BYTES;

		count->bytes += LANES * bytes;
		count->sectors += last - first + 1;
		touch_range(in, first, last, store);
		if (memory_copies(mask, width, vector)) {
			if (store)
				memcpy(in->data + begin, row_of(warp, at->rows[0]), LANES * width);
			else
				memcpy(row_of(warp, at->rows[0]), in->data + begin, LANES * width);
			return STEP_NEXT;
		}
	} else if (spread == 0) {
		uint64_t sector = begin / SECTOR_BYTES;

		count->bytes += bytes;
		count->sectors++;
		touch_range(in, sector, sector, store);
	} else {
		count_scattered(count, offset, mask, spread, bytes, in, store);
	}
	if (store)
		memory_store(warp, at, mask, &places, width, vector);
	else
		memory_load(warp, at, mask, &places, width, vector);
	return STEP_NEXT;
}

static enum step global_access(struct warp *warp, const struct instruction *at, uint32_t mask,
			       uint64_t address[LANES])
{
	return global_lanes(warp, at, mask, address, at->width, at->vector,
			    at->operation == OP_STORE);
}

/* Lanes that access several allocations, one after another; or an address is invalid. */
static enum step several_allocations(struct warp *warp, const struct instruction *at, uint32_t mask,
				     const uint64_t address[LANES])
{
	struct device_memory *memory = warp->block->launch->memory;
	enum step step = access_check(warp, at, PTX_SPACE_GLOBAL, mask, address);

	while (mask && step == STEP_NEXT) {
		const struct allocation *in =
			device_memory_below(memory, address[__builtin_ctz(mask)]);
		uint64_t of_part[LANES];
		uint32_t part = 0;

		for (int lane = 0; lane < LANES; lane++) {
			of_part[lane] = address[lane];
			part |= (uint32_t)(address[lane] - in->address < in->bytes) << lane;
		}
		step = global_access(warp, at, mask & part, of_part);
		mask &= ~part;
	}
	return step;
}

ALWAYS_INLINE enum step run_global(struct warp *warp, const struct instruction *at, unsigned width,
				   unsigned vector, bool store)
{
	uint32_t mask = warp->active;
	uint64_t address[LANES];

	if (mask == 0)
		return STEP_NEXT;
	memory_addresses(address, warp, at);
	count_at(warp, at)->requests++;
	return global_lanes(warp, at, mask, address, width, vector, store);
}

static enum step access_global(struct warp *warp, const struct instruction *at)
{
	uint32_t mask = warp->active;
	uint64_t address[LANES];

	if (mask == 0)
		return STEP_NEXT;
	memory_addresses(address, warp, at);
	count_at(warp, at)->requests++;
	return global_access(warp, at, mask, address);
}

/* What is not regular has a function of its own, so that regular requests prepare no stack. */
#define GLOBAL_HANDLER(name, width, vector, store)                                               \
	static __attribute__((noinline)) enum step any_##name(struct warp *warp,                 \
							      const struct instruction *at)      \
	{                                                                                        \
		return run_global(warp, at, width, vector, store);                               \
	}                                                                                        \
	static enum step name(struct warp *warp, const struct instruction *at)                   \
	{                                                                                        \
		if (warp->active == ALL_LANES && regular_access(warp, at, width, vector, store)) \
			return STEP_NEXT;                                                        \
		return any_##name(warp, at);                                                     \
	}
#define GLOBAL_SHAPE(width, vector)                                          \
	GLOBAL_HANDLER(load_global_##width##_##vector, width, vector, false) \
	GLOBAL_HANDLER(store_global_##width##_##vector, width, vector, true)
MEMORY_SHAPE_LIST(GLOBAL_SHAPE)

static const struct memory_shape global_shapes[] = {
#define X(width, vector) \
	{width, vector, load_global_##width##_##vector, store_global_##width##_##vector},
	MEMORY_SHAPE_LIST(X)
#undef X
};

static instruction_handler *global_handler(const struct instruction *at)
{
	instruction_handler *found =
		memory_shape_handler(global_shapes, ARRAY_SIZE(global_shapes), at);

	return found ? found : access_global;
}

/* ---- local memory: .local, and the parameters of calls ---- */

/* Notes what is written, and whether a load reads a byte that is not. */
ALWAYS_INLINE void note_unwritten(struct warp *warp, const struct instruction *at, uint32_t mask,
				  const uint64_t offset[LANES], unsigned bytes)
{
	unsigned char any = 0;

	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned char *unwritten = warp->local_unwritten + offset[__builtin_ctz(rest)];

		if (at->operation == OP_STORE)
			memset(unwritten, 0, bytes);
		for (unsigned i = 0; i < bytes; i++)
			any |= unwritten[i];
	}
	if (any)
		*warp->block->launch->may_be_undefined = true;
}

ALWAYS_INLINE enum step local_lanes(struct warp *warp, const struct instruction *at, uint32_t mask,
				    uint64_t address[LANES], unsigned width, unsigned vector)
{
	const unsigned bytes = width * vector;
	const uint64_t limit = (uint64_t)warp->local_bytes - bytes;
	uint64_t offset[LANES], outside = 0, low = 0;
	const struct memory_places places = {.data = warp->local, .wide = offset};

	if (mask != ALL_LANES)
		MEMORY_FILL(address, mask);
	for (unsigned lane = 0; lane < LANES; lane++) {
		outside |= address[lane] | (limit - address[lane]);
		low |= address[lane];
		offset[lane] = (uint64_t)lane * warp->local_bytes + address[lane];
	}
	if (warp->local_bytes < bytes || outside >> 63 || low & (bytes - 1))
		return access_check(warp, at, PTX_SPACE_LOCAL, mask, address);
	if (warp->local_unwritten)
		note_unwritten(warp, at, mask, offset, bytes);
	if (at->operation == OP_STORE)
		memory_store(warp, at, mask, &places, width, vector);
	else
		memory_load(warp, at, mask, &places, width, vector);
	return STEP_NEXT;
}

static enum step local_access(struct warp *warp, const struct instruction *at, uint32_t mask,
			      uint64_t address[LANES])
{
	return local_lanes(warp, at, mask, address, at->width, at->vector);
}

/* Parameters are registers on the hardware and so are not counted. */
static enum step access_local(struct warp *warp, const struct instruction *at)
{
	uint32_t mask = warp->active, narrow[LANES];
	uint64_t address[LANES];

	if (mask == 0)
		return STEP_NEXT;
	memory_offsets(narrow, warp, at);
	for (int lane = 0; lane < LANES; lane++)
		address[lane] = narrow[lane];
	if (at->space != PTX_SPACE_PARAM)
		count_at(warp, at)->requests++;
	if (at->width == 4 && at->vector == 1)
		return local_lanes(warp, at, mask, address, 4, 1);
	return local_access(warp, at, mask, address);
}

/* ---- generic addresses: each lane may access a different space ---- */

static enum step access_generic(struct warp *warp, const struct instruction *at)
{
	uint32_t mask = warp->active, shared = 0, local = 0;
	uint64_t address[LANES], offset[LANES];
	struct instruction_count *count = count_at(warp, at);
	enum step step = STEP_NEXT;

	if (mask == 0)
		return STEP_NEXT;
	memory_addresses(address, warp, at);
	for (int lane = 0; lane < LANES; lane++) {
		bool in_shared = address[lane] - SHARED_WINDOW < WINDOW_BYTES;
		bool in_local = address[lane] - LOCAL_WINDOW < WINDOW_BYTES;

		shared |= (uint32_t)in_shared << lane;
		local |= (uint32_t)in_local << lane;
		/* Both windows start at a multiple of their size. */
		offset[lane] = address[lane] % WINDOW_BYTES;
	}
	count->requests += (mask & ~(shared | local)) != 0;
	count->shared_requests += (mask & shared) != 0;
	count->local_requests += (mask & local) != 0;
	if (mask & ~(shared | local))
		step = global_access(warp, at, mask & ~(shared | local), address);
	if (step == STEP_NEXT && mask & shared)
		step = LANES_NAME(shared_access)(warp, at, mask & shared, offset);
	if (step == STEP_NEXT && mask & local)
		step = local_access(warp, at, mask & local, offset);
	return step;
}

static enum step store_async(struct warp *warp, const struct instruction *at)
{
	const enum step step = at->space == PTX_SPACE_GENERIC
				       ? access_generic(warp, at)
				       : LANES_NAME(shared_handler)(at)(warp, at);

	return step == STEP_NEXT ? async_store_signal(warp, at) : step;
}

instruction_handler *LANES_NAME(memory_handler)(const struct instruction *at)
{
	if (at->operation != OP_LOAD && at->operation != OP_STORE)
		return NULL;
	if (async_store_signals(at))
		return store_async;
	switch ((enum ptx_space)at->space) {
	case PTX_SPACE_GLOBAL:
	case PTX_SPACE_CONST:
		return global_handler(at);
	case PTX_SPACE_SHARED:
		return LANES_NAME(shared_handler)(at);
	case PTX_SPACE_LOCAL:
	case PTX_SPACE_PARAM:
		return access_local;
	case PTX_SPACE_GENERIC:
		return access_generic;
	}
	return NULL;
}
