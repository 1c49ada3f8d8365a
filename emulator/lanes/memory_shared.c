/* Loads and stores of shared memory. */
#include "emulator/lanes/memory.h"

/* Checks loads of words in one row, except words that are settled (shadow.h). */
static __attribute__((noinline)) void check_row(struct warp *warp, const struct instruction *at,
						uint32_t mask, const uint32_t offset[LANES])
{
	uint32_t word[LANES], words = 0, lanes = 0;

	for (int lane = 0; lane < LANES; lane++) {
		word[lane] = offset[lane] % SHADOW_ROW_BYTES / BANK_BYTES;
		words |= UINT32_C(1) << word[lane];
	}
	words = shared_shadow_unsettled(warp, offset[0] / SHADOW_ROW_BYTES, words);
	/* Nearly all lanes are needed for two lanes of each word: check all of them. */
	if (2 * __builtin_popcount(words) >= __builtin_popcount(mask)) {
		lanes = mask;
		words = 0;
	}
	for (; words; words &= words - 1) {
		const uint32_t wanted = (uint32_t)__builtin_ctz(words);
		_Alignas(64) int32_t same[LANES];
		uint32_t first, others;

		for (int lane = 0; lane < LANES; lane++)
			same[lane] = -(word[lane] == wanted);
		first = predicate_mask(same) & mask;
		others = first & (first - 1);
		lanes |= first & ~(others & (others - 1));
	}
	if (lanes)
		shared_shadow_load(warp, at, lanes, offset, BANK_BYTES);
}

/* Checks an access in a checked block, before any data moves. */
static __attribute__((noinline)) void check_access(struct warp *warp, const struct instruction *at,
						   uint32_t mask, const uint32_t offset[LANES])
{
	const unsigned bytes = access_bytes(at);
	uint32_t there[LANES];
	unsigned char values[LANES * 32];
	const struct memory_places places = {.data = values, .narrow = there};

	if (!memory_stores(at)) {
		shared_shadow_load(warp, at, mask, offset, bytes);
		return;
	}
	for (unsigned lane = 0; lane < LANES; lane++)
		there[lane] = lane * bytes;
	memory_store(warp, at, mask, &places, at->width, at->vector);
	shared_shadow_store(warp, at, mask, offset, bytes, values);
}

static __attribute__((noinline)) enum step report_invalid(struct warp *warp,
							  const struct instruction *at,
							  uint32_t mask,
							  const uint32_t offset[LANES])
{
	uint64_t address[LANES];

	for (int lane = 0; lane < LANES; lane++)
		address[lane] = offset[lane];
	return access_check(warp, at, PTX_SPACE_SHARED, mask, address);
}

ALWAYS_INLINE enum step shared_lanes(struct warp *warp, const struct instruction *at, uint32_t mask,
				     uint32_t offset[LANES], unsigned width, unsigned vector,
				     bool store)
{
	const unsigned bytes = width * vector;
	struct block *block = warp->block;
	const uint32_t size = (uint32_t)block->launch->shared_bytes;
	struct instruction_count *count = count_at(warp, at);
	const struct memory_places places = {.data = block->shared, .narrow = offset};
	uint32_t begin, limit, outside = 0, low = 0, gaps = 0, spread = 0;
	unsigned wavefronts;

	if (mask != ALL_LANES)
		MEMORY_FILL(offset, mask);
	if (size < bytes)
		return report_invalid(warp, at, mask, offset);
	limit = size - bytes;
	begin = offset[0];
	for (unsigned lane = 0; lane < LANES; lane++) {
		uint32_t here = offset[lane];

		outside |= here | (limit - here);
		low |= here;
		gaps |= here ^ (begin + lane * bytes);
		spread |= here ^ begin;
	}
	if (outside >> 31 || low & (bytes - 1))
		return report_invalid(warp, at, mask, offset);
	if (block->shadow && !store && bytes == BANK_BYTES && spread < SHADOW_ROW_BYTES)
		check_row(warp, at, mask, offset);
	else if (block->shadow)
		check_access(warp, at, mask, offset);

	/* Consecutive lanes, and lanes within one row of the banks, have no conflicts. */
	if (gaps == 0 || (spread < WAVEFRONT_BYTES && (store || bytes <= BANK_BYTES)))
		wavefronts = access_groups(mask, bytes);
	else if (store)
		wavefronts = access_store_wavefronts(offset, mask, bytes);
	else
		wavefronts = access_load_wavefronts(offset, mask, bytes);
	count->wavefronts += wavefronts;
	count->ideal_wavefronts += access_ideal_wavefronts(mask, bytes, wavefronts);

	if (gaps == 0 && memory_copies(mask, width, vector)) {
		if (store)
			memcpy(block->shared + begin, row_of(warp, at->rows[0]), LANES * width);
		else
			memcpy(row_of(warp, at->rows[0]), block->shared + begin, LANES * width);
	} else if (store) {
		memory_store(warp, at, mask, &places, width, vector);
	} else {
		memory_load(warp, at, mask, &places, width, vector);
	}
	return STEP_NEXT;
}

ALWAYS_INLINE enum step run_shared(struct warp *warp, const struct instruction *at, unsigned width,
				   unsigned vector, bool store)
{
	uint32_t mask = warp->active;
	uint32_t offset[LANES];

	if (mask == 0)
		return STEP_NEXT;
	memory_offsets(offset, warp, at);
	count_at(warp, at)->requests++;
	return shared_lanes(warp, at, mask, offset, width, vector, store);
}

static enum step shared_of_any_shape(struct warp *warp, const struct instruction *at, uint32_t mask,
				     uint32_t offset[LANES])
{
	return shared_lanes(warp, at, mask, offset, at->width, at->vector, memory_stores(at));
}

static enum step access_shared(struct warp *warp, const struct instruction *at)
{
	uint32_t mask = warp->active;
	uint32_t offset[LANES];

	if (mask == 0)
		return STEP_NEXT;
	memory_offsets(offset, warp, at);
	count_at(warp, at)->requests++;
	return shared_of_any_shape(warp, at, mask, offset);
}

enum step LANES_NAME(shared_access)(struct warp *warp, const struct instruction *at, uint32_t mask,
				    const uint64_t address[LANES])
{
	uint32_t offset[LANES];

	for (int lane = 0; lane < LANES; lane++)
		offset[lane] = (uint32_t)address[lane];
	return shared_of_any_shape(warp, at, mask, offset);
}

#define SHARED_SHAPE(width, vector)                                                    \
	static enum step load_shared_##width##_##vector(struct warp *warp,             \
							const struct instruction *at)  \
	{                                                                              \
		return run_shared(warp, at, width, vector, false);                     \
	}                                                                              \
	static enum step store_shared_##width##_##vector(struct warp *warp,            \
							 const struct instruction *at) \
	{                                                                              \
		return run_shared(warp, at, width, vector, true);                      \
	}
MEMORY_SHAPE_LIST(SHARED_SHAPE)

static const struct memory_shape shared_shapes[] = {
#define X(width, vector) \
	{width, vector, load_shared_##width##_##vector, store_shared_##width##_##vector},
	MEMORY_SHAPE_LIST(X)
#undef X
};

instruction_handler *LANES_NAME(shared_handler)(const struct instruction *at)
{
	instruction_handler *found =
		memory_shape_handler(shared_shapes, ARRAY_SIZE(shared_shapes), at);

	return found ? found : access_shared;
}
