/*
 * lanes: rows as C sees them, and the loop over the 32 lanes. Each type of
 * VALUE_TYPE_LIST has a struct row_NAME of 32 stored values, and NAME_of() and
 * of_NAME() between what is stored and its C type: predicates are 0 or -1,
 * narrow values lie in 32 bits with zeroes above (s8: in 16 bits with its
 * sign).
 *
 * A result may lie where an operand does, lane on lane; rows of different
 * widths may share only a part of their bytes, so a handler that has both
 * computes aside. Rows may alias whatever type was stored there before.
 */
#ifndef EMULATOR_LANES_LANES_H
#define EMULATOR_LANES_LANES_H

#include <string.h>

#include "emulator/lanes/handlers.h"

/* Before a `for` over the lanes: what one lane does never touches what another reads. clang would
 * unroll a short one before it looks whether it can be vectorised. */
#ifdef __clang__
#define VECTORISED _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define VECTORISED _Pragma("GCC ivdep")
#endif
#define EACH_LANE VECTORISED for (int lane = 0; lane < LANES; lane++)

/* name_blend: lanes that run get `values`, the others keep what they have. */
#define LANES_ROW(name, stored_type)                                                         \
	struct row_##name {                                                                  \
		_Alignas(64) stored_type lane[LANES];                                        \
	} __attribute__((may_alias));                                                        \
	static inline void name##_blend(struct row_##name *row, const struct warp *warp,     \
					const struct row_##name *values)                     \
	{                                                                                    \
		EACH_LANE                                                                    \
		{                                                                            \
			const stored_type value = values->lane[lane], old = row->lane[lane]; \
                                                                                             \
			row->lane[lane] = warp->lanes[lane] ? value : old;                   \
		}                                                                            \
	}
LANES_ROW(pred, int32_t)
LANES_ROW(u8, uint32_t)
LANES_ROW(s8, uint32_t)
LANES_ROW(u16, uint32_t)
LANES_ROW(s16, uint32_t)
LANES_ROW(b16, uint32_t)
LANES_ROW(u32, uint32_t)
LANES_ROW(s32, int32_t)
LANES_ROW(b32, uint32_t)
LANES_ROW(f32, float)
LANES_ROW(u64, uint64_t)
LANES_ROW(s64, int64_t)
LANES_ROW(b64, uint64_t)
LANES_ROW(f64, double)
#undef LANES_ROW

/*
 * What is stored, for a lane that runs. One that does not run computes, too;
 * what it has left of floats it must not compute with: numbers that are
 * subnormal take a hundred times as long.
 */
#define pred_where(runs, stored) (stored)
#define u8_where(runs, stored) (stored)
#define s8_where(runs, stored) (stored)
#define u16_where(runs, stored) (stored)
#define s16_where(runs, stored) (stored)
#define b16_where(runs, stored) (stored)
#define u32_where(runs, stored) (stored)
#define s32_where(runs, stored) (stored)
#define b32_where(runs, stored) (stored)
#define u64_where(runs, stored) (stored)
#define s64_where(runs, stored) (stored)
#define b64_where(runs, stored) (stored)
static inline float f32_where(int32_t runs, float stored)
{
	return runs ? stored : 0.0f;
}
static inline double f64_where(int32_t runs, double stored)
{
	return runs ? stored : 0.0;
}

/* From what is stored. */
#define pred_of(stored) (stored)
#define u8_of(stored) ((uint8_t)(stored))
#define s8_of(stored) ((int8_t)(stored))
#define u16_of(stored) ((uint16_t)(stored))
#define s16_of(stored) ((int16_t)(stored))
#define b16_of(stored) ((uint16_t)(stored))
#define u32_of(stored) (stored)
#define s32_of(stored) (stored)
#define b32_of(stored) (stored)
#define f32_of(stored) (stored)
#define u64_of(stored) (stored)
#define s64_of(stored) (stored)
#define b64_of(stored) (stored)
#define f64_of(stored) (stored)

/* To what is stored. */
#define of_pred(value) (-(int32_t)((value) != 0))
#define of_u8(value) ((uint8_t)(value))
#define of_s8(value) ((uint16_t)(int16_t)(int8_t)(value))
#define of_u16(value) ((uint16_t)(value))
#define of_s16(value) ((uint16_t)(value))
#define of_b16(value) ((uint16_t)(value))
#define of_u32(value) ((uint32_t)(value))
#define of_s32(value) ((int32_t)(value))
#define of_b32(value) ((uint32_t)(value))
#define of_f32(value) (value)
#define of_u64(value) ((uint64_t)(value))
#define of_s64(value) ((int64_t)(value))
#define of_b64(value) ((uint64_t)(value))
#define of_f64(value) (value)

#endif
