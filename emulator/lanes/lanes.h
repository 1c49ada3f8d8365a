/*
 * lanes: the C types of rows, and the loop over the 32 lanes. Each type of
 * VALUE_TYPE_LIST has a struct row_NAME of 32 stored values. NAME_of() and
 * of_NAME() convert between the stored value and its C type: predicates are 0
 * or -1, narrow values are stored in 32 bits with zeroes above (s8: in 16 bits
 * with its sign).
 *
 * A result row may be an operand row. Rows of different widths may overlap in a
 * part of their bytes, so handlers with both compute into a temporary row. Rows
 * may alias any type that was stored there before.
 */
#ifndef EMULATOR_LANES_LANES_H
#define EMULATOR_LANES_LANES_H

#include <string.h>

#include "emulator/lanes/handlers.h"

/* Precedes a `for` over the lanes: no iteration writes what another one reads. Without `unroll`
 * clang unrolls a short loop before it checks whether it can vectorise it. */
#ifdef __clang__
#define VECTORISED _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define VECTORISED _Pragma("GCC ivdep")
#endif
#define EACH_LANE VECTORISED for (int lane = 0; lane < LANES; lane++)

/*
 * name_select: `value` if runs is -1, `old` if it is 0. With vectors it selects
 * bits: for a condition the compiler would emit masked loads, which have to wait
 * until an earlier store to the row has left the processor's store buffer.
 * Without, a condition skips the arithmetic of inactive lanes.
 * name_blend: active lanes get `values`, the others keep their value.
 */
#ifdef __AVX2__
#define SELECT(bits_type)                                 \
	bits_type bits, old_bits, ones = (bits_type)runs; \
                                                          \
	memcpy(&bits, &value, sizeof(bits));              \
	memcpy(&old_bits, &old, sizeof(bits));            \
	bits = (bits & ones) | (old_bits & ~ones);        \
	memcpy(&value, &bits, sizeof(bits));              \
	return value
#else
#define SELECT(bits_type) return runs ? value : old
#endif
#define LANES_ROW(name, stored_type, bits_type)                                                   \
	struct row_##name {                                                                       \
		_Alignas(64) stored_type lane[LANES];                                             \
	} __attribute__((may_alias));                                                             \
	static inline stored_type name##_select(int32_t runs, stored_type value, stored_type old) \
	{                                                                                         \
		SELECT(bits_type);                                                                \
	}                                                                                         \
	static inline void name##_blend(struct row_##name *row, const struct warp *warp,          \
					const struct row_##name *values)                          \
	{                                                                                         \
		EACH_LANE                                                                         \
		{                                                                                 \
			row->lane[lane] = name##_select(warp->lanes[lane], values->lane[lane],    \
							row->lane[lane]);                         \
		}                                                                                 \
	}
LANES_ROW(pred, int32_t, uint32_t)
LANES_ROW(u8, uint32_t, uint32_t)
LANES_ROW(s8, uint32_t, uint32_t)
LANES_ROW(u16, uint32_t, uint32_t)
LANES_ROW(s16, uint32_t, uint32_t)
LANES_ROW(b16, uint32_t, uint32_t)
LANES_ROW(u32, uint32_t, uint32_t)
LANES_ROW(s32, int32_t, uint32_t)
LANES_ROW(b32, uint32_t, uint32_t)
LANES_ROW(f32, float, uint32_t)
LANES_ROW(u64, uint64_t, uint64_t)
LANES_ROW(s64, int64_t, uint64_t)
LANES_ROW(b64, uint64_t, uint64_t)
LANES_ROW(f64, double, uint64_t)
#undef LANES_ROW
#undef SELECT

/*
 * The stored value, or 0 for a float of an inactive lane. Inactive lanes compute
 * too, and a stale subnormal number would take a hundred times as long.
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
#define f32_where(runs, stored) f32_select(runs, stored, 0.0f)
#define f64_where(runs, stored) f64_select(runs, stored, 0.0)

/* From the stored value. */
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

/* To the stored value. */
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
