/* Masks of lanes, and rows that say the same of each lane. */
#include "emulator/machine/warp_splits.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

uint32_t predicate_mask(const int32_t *row)
{
	uint32_t mask = 0;

#ifdef __SSE2__
	for (int half = 0; half < 2; half++) {
		const __m128i *from = (const __m128i *)(const void *)(row + 16 * half);
		__m128i low = _mm_packs_epi32(_mm_load_si128(from), _mm_load_si128(from + 1));
		__m128i high = _mm_packs_epi32(_mm_load_si128(from + 2), _mm_load_si128(from + 3));

		mask |= (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high)) << 16 * half;
	}
#else
	for (int lane = 0; lane < LANES; lane++)
		mask |= (uint32_t)(row[lane] != 0) << lane;
#endif
	return mask;
}

/* clang-format off */
#define FOUR_LANES(bits) {-((bits) & 1), -((bits) >> 1 & 1), -((bits) >> 2 & 1), -((bits) >> 3 & 1)}
static const _Alignas(64) int32_t four_lanes[16][4] = {
	FOUR_LANES(0), FOUR_LANES(1), FOUR_LANES(2), FOUR_LANES(3),
	FOUR_LANES(4), FOUR_LANES(5), FOUR_LANES(6), FOUR_LANES(7),
	FOUR_LANES(8), FOUR_LANES(9), FOUR_LANES(10), FOUR_LANES(11),
	FOUR_LANES(12), FOUR_LANES(13), FOUR_LANES(14), FOUR_LANES(15),
};
/* clang-format on */

void warp_set_active(struct warp *warp, uint32_t mask)
{
	warp->active = mask;
	warp->active_count = lanes_in(mask);
	for (int four = 0; four < LANES / 4; four++)
		memcpy(warp->lanes + 4 * four, four_lanes[mask >> 4 * four & 15],
		       sizeof(four_lanes[0]));
}
