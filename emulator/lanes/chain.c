/* Chains of instructions, each of which has the result of the one before among its operands. The
 * processor would wait for each row that was just stored, so the value stays in vectors. See
 * machine/series.h. */
#include "emulator/lanes/handlers.h"
#include "emulator/machine/fused_instructions.h"

#ifdef __AVX2__
#include <immintrin.h>

#define VECTORS (LANES / 8)

/* The 32 lanes of a row. */
struct vectors {
	__m256 part[VECTORS];
};

static inline struct vectors load_vectors(const float *from)
{
	struct vectors out;

	for (int i = 0; i < VECTORS; i++)
		out.part[i] = _mm256_load_ps(from + 8 * i);
	return out;
}

/* The values of a row in the active lanes, and 0 in the others. */
static inline struct vectors operand(const unsigned char *file, uint32_t row,
				     const struct vectors *active, bool all)
{
	struct vectors out = load_vectors((const float *)(const void *)(file + row));

	for (int i = 0; i < VECTORS && !all; i++)
		out.part[i] = _mm256_and_ps(out.part[i], active->part[i]);
	return out;
}

static inline struct vectors same_in_all_lanes(uint32_t bits)
{
	struct vectors out;

	for (int i = 0; i < VECTORS; i++)
		out.part[i] = _mm256_castsi256_ps(_mm256_set1_epi32((int)bits));
	return out;
}

/* Stores values in the active lanes of a row. NaNs become the one that handlers return. */
static inline void store_result(unsigned char *file, uint32_t row, const struct vectors *value,
				const struct vectors *active, bool all)
{
	const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
	float *to = (float *)(void *)(file + row);

	for (int i = 0; i < VECTORS; i++) {
		const __m256 is_nan = _mm256_cmp_ps(value->part[i], value->part[i], _CMP_UNORD_Q);
		__m256 result = _mm256_blendv_ps(value->part[i], nan, is_nan);

		if (!all)
			result = _mm256_blendv_ps(_mm256_load_ps(to + 8 * i), result,
						  active->part[i]);
		_mm256_store_ps(to + 8 * i, result);
	}
}

static inline void multiply_add(struct vectors *out, const struct vectors *a,
				const struct vectors *b, const struct vectors *c)
{
	for (int i = 0; i < VECTORS; i++)
		out->part[i] = _mm256_fmadd_ps(a->part[i], b->part[i], c->part[i]);
}

/* Within the chain the value may have any NaN. */
static inline __attribute__((always_inline)) enum step
run_fma_chain(struct warp *warp, const struct instruction *at, bool all)
{
	const struct chain_link *link = at->links, *const end = link + at->link_count;
	const struct vectors active = load_vectors((const float *)(const void *)warp->lanes);
	unsigned char *const file = warp->file;
	struct vectors value = operand(file, at->a, &active, all);
	struct vectors factor = operand(file, at->b, &active, all);
	struct vectors other = operand(file, at->c, &active, all);

	multiply_add(&value, &value, &factor, &other);
	for (;;) {
		if (link->dst)
			store_result(file, link->dst, &value, &active, all);
		if (++link == end)
			return STEP_NEXT;
		factor = operand(file, link->factor, &active, all);
		if (link->kind == LINK_FACTOR_BITS)
			other = same_in_all_lanes(link->other);
		else
			other = operand(file, link->other, &active, all);
		if (link->kind == LINK_ADDEND)
			multiply_add(&value, &other, &factor, &value);
		else
			multiply_add(&value, &value, &factor, &other);
	}
}

static enum step run_chain_FMA_RN_F32(struct warp *warp, const struct instruction *at)
{
	return warp->active == ALL_LANES ? run_fma_chain(warp, at, true)
					 : run_fma_chain(warp, at, false);
}
#endif

instruction_handler *LANES_NAME(chain_handler)(const struct instruction *at)
{
#ifdef __AVX2__
	if (at->operation == ALU_FMA_RN_F32)
		return run_chain_FMA_RN_F32;
#endif
	(void)at;
	return NULL;
}
