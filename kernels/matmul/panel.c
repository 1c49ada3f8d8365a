#include "kernels/matmul/panel.h"

#include <stddef.h>
#include <string.h>

#include "kernels/vectors.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Columns at a time. */
#define STRIP 8

static void panel_multiply(double *const sums[PANEL_ROWS], const float *const factors[PANEL_ROWS],
			   double panel[PANEL_DEPTH][PANEL_COLUMNS], int64_t depth)
{
	for (int strip = 0; strip < PANEL_COLUMNS; strip += STRIP)
		for (int r = 0; r < PANEL_ROWS; r++) {
			double of_row[STRIP];

			memcpy(of_row, &sums[r][strip], sizeof(of_row));
			for (int64_t k = 0; k < depth; k++)
				for (int j = 0; j < STRIP; j++)
					of_row[j] += (double)factors[r][k] * panel[k][strip + j];
			memcpy(&sums[r][strip], of_row, sizeof(of_row));
		}
}

#if defined(__x86_64__)
/*
 * panel_multiply() with fused multiply-adds, in strips of `parts` vectors whose sums are all in
 * registers if the loops are unrolled. The product of two floats is exact in a double, so a fused
 * multiply-add rounds as the addition alone does.
 */
#define FUSED(name, instructions, vector, parts, load, store, broadcast, multiply_add)      \
	__attribute__((target(instructions))) static void name(                             \
		double *const sums[PANEL_ROWS], const float *const factors[PANEL_ROWS],     \
		double panel[PANEL_DEPTH][PANEL_COLUMNS], int64_t depth)                    \
	{                                                                                   \
		enum { WIDTH = sizeof(vector) / sizeof(double) };                           \
                                                                                            \
		for (int strip = 0; strip < PANEL_COLUMNS; strip += (parts)*WIDTH) {        \
			vector sum[PANEL_ROWS][parts];                                      \
                                                                                            \
			UNROLLED_FOR(r, PANEL_ROWS)                                         \
			{                                                                   \
				UNROLLED_FOR(p, parts)                                      \
				{                                                           \
					sum[r][p] = load(&sums[r][strip + p * WIDTH]);      \
				}                                                           \
			}                                                                   \
			for (int64_t k = 0; k < depth; k++) {                               \
				UNROLLED_FOR(r, PANEL_ROWS)                                 \
				{                                                           \
					const vector a = broadcast((double)factors[r][k]);  \
                                                                                            \
					UNROLLED_FOR(p, parts)                              \
					{                                                   \
						const vector b =                            \
							load(&panel[k][strip + p * WIDTH]); \
                                                                                            \
						sum[r][p] = multiply_add(a, b, sum[r][p]);  \
					}                                                   \
				}                                                           \
			}                                                                   \
			UNROLLED_FOR(r, PANEL_ROWS)                                         \
			{                                                                   \
				UNROLLED_FOR(p, parts)                                      \
				{                                                           \
					store(&sums[r][strip + p * WIDTH], sum[r][p]);      \
				}                                                           \
			}                                                                   \
		}                                                                           \
	}

FUSED(panel_multiply_avx2, "avx2,fma", __m256d, 2, _mm256_loadu_pd, _mm256_storeu_pd,
      _mm256_set1_pd, _mm256_fmadd_pd)
FUSED(panel_multiply_avx512, "avx512f", __m512d, 4, _mm512_loadu_pd, _mm512_storeu_pd,
      _mm512_set1_pd, _mm512_fmadd_pd)
#endif

panel_multiplication *panel_multiplication_at(int index)
{
	panel_multiplication *found[3];
	int count = 0;

#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		found[count++] = panel_multiply_avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		found[count++] = panel_multiply_avx2;
#endif
	found[count++] = panel_multiply;
	return index < count ? found[index] : NULL;
}
