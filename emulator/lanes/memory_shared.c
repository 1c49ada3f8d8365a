/* Loads and stores of shared memory. */
#include "emulator/lanes/memory.h"
#include "emulator/machine/clusters/cluster.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* The lanes with this word. */
ALWAYS_INLINE uint32_t lanes_of_word(const uint8_t words[LANES], uint8_t word)
{
#ifdef __AVX2__
	const __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)words);

	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(all, _mm256_set1_epi8((char)word)));
#else
	uint32_t lanes = 0;

	for (int lane = 0; lane < LANES; lane++)
		lanes |= (uint32_t)(words[lane] == word) << lane;
	return lanes;
#endif
}

/* Checks loads of words in one row, except words that are settled (races_shared.h). */
static __attribute__((noinline)) void check_row(struct warp *warp, struct block *block,
						const struct instruction *at, uint32_t mask,
						const uint32_t offset[LANES])
{
	uint32_t all = 0, words, lanes = 0;
	uint8_t word[LANES];

	if (warp->dropped) {
		shared_races_load(warp, block, at, mask & ~warp->dropped, offset, BANK_BYTES);
		return;
	}
	for (int lane = 0; lane < LANES; lane++)
		all |= UINT32_C(1) << offset[lane] % SHADOW_ROW_BYTES / BANK_BYTES;
	words = shared_races_unsettled(warp, block, offset[0] / SHADOW_ROW_BYTES, all);
	if (words == 0)
		return;
	for (int lane = 0; lane < LANES; lane++)
		word[lane] = offset[lane] % SHADOW_ROW_BYTES / BANK_BYTES;
	/* Nearly all lanes are needed for two lanes of each word: check all of them. */
	if (2 * __builtin_popcount(words) >= __builtin_popcount(mask)) {
		shared_races_load_words(warp, block, at, mask, offset, word, all);
		return;
	}
	for (uint32_t rest = words; rest; rest &= rest - 1) {
		const uint32_t first = lanes_of_word(word, (uint8_t)__builtin_ctz(rest)) & mask;
		const uint32_t others = first & (first - 1);

		lanes |= first & ~(others & (others - 1));
	}
	shared_races_load_words(warp, block, at, lanes, offset, word, words);
}

/* Checks an access in a checked block, before any data moves. */
static __attribute__((noinline)) void check_access(struct warp *warp, struct block *block,
						   const struct instruction *at, uint32_t mask,
						   const uint32_t offset[LANES])
{
	const unsigned bytes = access_bytes(at);
	uint32_t there[LANES];
	unsigned char values[LANES * 32];
	const struct memory_places places = {.data = values, .narrow = there};

	if (!memory_stores(at)) {
		shared_races_load(warp, block, at, mask & ~warp->dropped, offset, bytes);
		return;
	}
	for (unsigned lane = 0; lane < LANES; lane++)
		there[lane] = lane * bytes;
	memory_store(warp, at, mask, &places, at->width, at->vector);
	shared_races_store(warp, block, at, mask, offset, bytes, values);
}

static __attribute__((noinline)) enum step leave_block(struct warp *warp,
						       const struct instruction *at, uint32_t mask,
						       const uint32_t address[LANES]);

/* Fills a row with words that lie in one aligned row of the banks: to[i] = from[offset[i] / 4 %
 * 32]. Whole vectors are stored, because the next instruction reads whole vectors. */
ALWAYS_INLINE void load_from_bank_row(unsigned char *to, const unsigned char *from,
				      const uint32_t offset[LANES])
{
#ifdef __AVX2__
	const __m256i first = _mm256_loadu_si256((const __m256i *)(const void *)from);
	const __m256i second = _mm256_loadu_si256((const __m256i *)(const void *)(from + 32));
	const __m256i third = _mm256_loadu_si256((const __m256i *)(const void *)(from + 64));
	const __m256i fourth = _mm256_loadu_si256((const __m256i *)(const void *)(from + 96));

	for (int lane = 0; lane < LANES; lane += 8) {
		const __m256i bytes =
			_mm256_loadu_si256((const __m256i *)(const void *)(offset + lane));
		const __m256i word = _mm256_srli_epi32(bytes, 2); /* a permutation uses 3 bits */
		const __m256 bit_3 = _mm256_castsi256_ps(_mm256_slli_epi32(bytes, 26));
		const __m256 bit_4 = _mm256_castsi256_ps(_mm256_slli_epi32(bytes, 25));
		const __m256 low = _mm256_blendv_ps(
			_mm256_castsi256_ps(_mm256_permutevar8x32_epi32(first, word)),
			_mm256_castsi256_ps(_mm256_permutevar8x32_epi32(second, word)), bit_3);
		const __m256 high = _mm256_blendv_ps(
			_mm256_castsi256_ps(_mm256_permutevar8x32_epi32(third, word)),
			_mm256_castsi256_ps(_mm256_permutevar8x32_epi32(fourth, word)), bit_3);

		_mm256_storeu_ps((float *)(void *)(to + BANK_BYTES * lane),
				 _mm256_blendv_ps(low, high, bit_4));
	}
#else
	for (int lane = 0; lane < LANES; lane++)
		memcpy(to + BANK_BYTES * lane, from + offset[lane] % WAVEFRONT_BYTES, BANK_BYTES);
#endif
}

ALWAYS_INLINE void broadcast_word(unsigned char *to, const unsigned char *from)
{
	uint32_t word, words[LANES];

	memcpy(&word, from, sizeof(word));
	for (int lane = 0; lane < LANES; lane++)
		words[lane] = word;
	memcpy(to, words, sizeof(words));
}

/* Whether the accesses of all lanes, which are aligned, end within `size` bytes. */
ALWAYS_INLINE bool lanes_inside(const uint32_t offset[LANES], uint32_t size, unsigned bytes)
{
	const uint32_t limit = size - bytes;
	uint32_t outside = 0;

	/* The limit is below 2^31, so an offset above it sets the top bit of one of the two. */
	for (int lane = 0; lane < LANES; lane++)
		outside |= offset[lane] | (limit - offset[lane]);
	return size >= bytes && !(outside >> 31);
}

/* Accesses shared memory of `block`, which may be another one of the cluster. */
ALWAYS_INLINE enum step shared_lanes(struct warp *warp, struct block *block,
				     const struct instruction *at, uint32_t mask,
				     uint32_t offset[LANES], unsigned width, unsigned vector,
				     bool store)
{
	const unsigned bytes = width * vector;
	const uint32_t size = (uint32_t)block->launch->shared_bytes;
	struct instruction_count *count = count_at(warp, at);
	const struct memory_places places = {.data = block->shared, .narrow = offset};
	uint32_t begin, gaps = 0, spread = 0;
	bool one_row; /* all lanes lie in one row of the banks, which ends within the memory */
	unsigned wavefronts;

	if (mask != ALL_LANES)
		MEMORY_FILL(offset, mask);
	begin = offset[0];
	for (unsigned lane = 0; lane < LANES; lane++) {
		uint32_t here = offset[lane];

		gaps |= here ^ (begin + lane * bytes);
		spread |= here ^ begin;
	}
	one_row = spread < WAVEFRONT_BYTES && (begin | (WAVEFRONT_BYTES - 1)) < size;
	if ((begin | spread) & (bytes - 1) || !(one_row || lanes_inside(offset, size, bytes)))
		return leave_block(warp, at, mask, offset);
	if (block->shadow && at->shared_variable &&
	    access_check_variable(warp, at, mask, offset) != STEP_NEXT)
		return STEP_STOPPED;
	if (block->shadow && !store && bytes == BANK_BYTES && spread < SHADOW_ROW_BYTES)
		check_row(warp, block, at, mask, offset);
	else if (block->shadow &&
		 !(store && block == warp->block && bytes == BANK_BYTES && gaps == 0 &&
		   begin % SHADOW_ROW_BYTES == 0 && mask == ALL_LANES &&
		   shared_races_store_row(warp, at, begin / SHADOW_ROW_BYTES)))
		check_access(warp, block, at, mask, offset);

	/* Consecutive lanes, and lanes within one row of the banks, have no conflicts. */
	if (gaps == 0 || (spread < WAVEFRONT_BYTES && (store || bytes <= BANK_BYTES)))
		wavefronts = access_groups(mask, bytes);
	else if (store)
		wavefronts = access_store_wavefronts(offset, mask, bytes);
	else
		wavefronts = access_load_wavefronts(offset, mask, bytes);
	if (block == warp->block) {
		count->wavefronts += wavefronts;
		count->ideal_wavefronts += access_ideal_wavefronts(mask, bytes, wavefronts);
	}

	if (gaps == 0 && memory_copies(mask, width, vector)) {
		if (store)
			memcpy(block->shared + begin, row_of(warp, at->rows[0]), LANES * width);
		else
			memcpy(row_of(warp, at->rows[0]), block->shared + begin, LANES * width);
	} else if (store) {
		memory_store(warp, at, mask, &places, width, vector);
	} else if (one_row && width == BANK_BYTES && vector == 1 && mask == ALL_LANES &&
		   at->rows[0]) {
		unsigned char *row = row_of(warp, at->rows[0]);

		if (spread == 0)
			broadcast_word(row, block->shared + begin);
		else
			load_from_bank_row(
				row, block->shared + begin / WAVEFRONT_BYTES * WAVEFRONT_BYTES,
				offset);
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
	return shared_lanes(warp, warp->block, at, mask, offset, width, vector, store);
}

static enum step shared_of_any_shape(struct warp *warp, struct block *block,
				     const struct instruction *at, uint32_t mask,
				     uint32_t offset[LANES])
{
	return shared_lanes(warp, block, at, mask, offset, at->width, at->vector,
			    memory_stores(at));
}

/* Addresses that are not all offsets in shared memory of the own block: of other blocks of the
 * cluster, or invalid. */
static enum step leave_block(struct warp *warp, const struct instruction *at, uint32_t mask,
			     const uint32_t address[LANES])
{
	struct cluster_part part;
	uint64_t wide[LANES];
	enum step step;

	for (int lane = 0; lane < LANES; lane++)
		wide[lane] = address[lane];
	step = access_check(warp, at, PTX_SPACE_SHARED, mask, wide);
	if (step == STEP_NEXT)
		cluster_count_request(warp, at, mask, address);
	while (mask && step == STEP_NEXT) {
		cluster_next_part(warp, at, &mask, address, &part);
		step = shared_of_any_shape(warp, part.block, at, part.mask, part.offset);
	}
	return step;
}

static enum step access_shared(struct warp *warp, const struct instruction *at)
{
	uint32_t mask = warp->active;
	uint32_t offset[LANES];

	if (mask == 0)
		return STEP_NEXT;
	memory_offsets(offset, warp, at);
	count_at(warp, at)->requests++;
	return shared_of_any_shape(warp, warp->block, at, mask, offset);
}

enum step LANES_NAME(shared_access)(struct warp *warp, const struct instruction *at, uint32_t mask,
				    const uint64_t address[LANES])
{
	uint32_t offset[LANES];

	for (int lane = 0; lane < LANES; lane++)
		offset[lane] = (uint32_t)address[lane];
	return shared_of_any_shape(warp, warp->block, at, mask, offset);
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
