/*
 * The types of the elements of buffers, and access to an element: as a double; 64-bit integers also
 * exactly; rounding towards zero or to nearest; differences.
 */
#ifndef KERNELS_ELEMENT_H
#define KERNELS_ELEMENT_H

#include "base/base.h"

/* F16: IEEE half precision. BF16: the upper 16 bits of an F32. TF32: an F32 with the last 13 bits
 * 0, the part that tensor cores use. */
/* Symbol, name, bytes of an element, whether it is an integer. */
#define ELEMENT_TYPE_LIST(X)              \
	X(ELEMENT_F32, "f32", 4, false)   \
	X(ELEMENT_F64, "f64", 8, false)   \
	X(ELEMENT_I32, "i32", 4, true)    \
	X(ELEMENT_U32, "u32", 4, true)    \
	X(ELEMENT_F16, "f16", 2, false)   \
	X(ELEMENT_BF16, "bf16", 2, false) \
	X(ELEMENT_TF32, "tf32", 4, false) \
	X(ELEMENT_I8, "i8", 1, true)      \
	X(ELEMENT_U8, "u8", 1, true)      \
	X(ELEMENT_I16, "i16", 2, true)    \
	X(ELEMENT_U16, "u16", 2, true)    \
	X(ELEMENT_I64, "i64", 8, true)    \
	X(ELEMENT_U64, "u64", 8, true)

enum element_type {
#define X(symbol, name, bytes, integer) symbol,
	ELEMENT_TYPE_LIST(X)
#undef X
		ELEMENT_TYPES, /* the number of types */
};
size_t element_size_bytes(enum element_type type);
bool element_is_integer(enum element_type type);
/* The most bits between the first and the last that is set in an element's magnitude: 24 in f32,
 * 11 in f16, 31 in i32, 32 in u32. The lowest of signed integers has one bit only. */
int element_significant_bits(enum element_type type);
const char *element_type_name(enum element_type type); /* "f32" … */
bool element_type_parse(enum element_type *out, const char *name);
/* Element `index` of an array. The result is exact, except for 64-bit integers beyond 2^53. */
double element_value(enum element_type type, const void *data, int64_t index);
/* Rounds towards zero. A value beyond the type's range becomes its largest value of that sign. */
void element_store(enum element_type type, void *data, int64_t index, double value);

bool element_is_signed(enum element_type type); /* a signed integer */
/* The values of an integer type: from *low to below *end, both exact. */
void element_integer_range(enum element_type type, double *low, double *end);
/* Whether a value is between the least and the largest finite value of the type. */
bool element_in_range(enum element_type type, double value);
/* Appends that range: "the integers 0 to 255". */
void element_describe_range(struct text *out, enum element_type type);
/* Element `index` of an array of an integer type. The value of a U64 is modulo 2^64: cast the
 * result to uint64_t. A type that is not an integer gives 0. */
int64_t element_integer(enum element_type type, const void *data, int64_t index);
/* Stores the low bits of `value`, as a cast does in C. The type must be an integer. */
void element_store_integer(enum element_type type, void *data, int64_t index, uint64_t value);
/*
 * Store ELEMENT_TILE elements from index `first` on, as element_store() and
 * element_store_integer() store each of them, but several times faster.
 */
#define ELEMENT_TILE 64
void element_store_tile(enum element_type type, void *data, int64_t first, const double *values);
void element_store_integer_tile(enum element_type type, void *data, int64_t first,
				const uint64_t *values);
/* Rounds to nearest, ties to even, as the conversions of CUDA do by default. A value beyond the
 * range of a floating-point type becomes infinite. Integers are as in element_store(). */
void element_store_nearest(enum element_type type, void *data, int64_t index, double value);
/*
 * Store a value that the type holds; otherwise return false and leave the
 * content of the element undefined. An integer must be held exactly. A double
 * must be whole for an integer type; for a floating-point type it is rounded to
 * nearest, and must not become infinite by that.
 */
bool element_hold_integer(enum element_type type, void *data, int64_t index, int64_t value);
bool element_hold_real(enum element_type type, void *data, int64_t index, double value);
/*
 * The absolute difference of two arrays at `index`. It is 0 only if the elements
 * are equal, 64-bit integers beyond 2^53 included. It is NaN if an element is
 * NaN, or if both are the same infinity.
 */
double element_difference(enum element_type type, const void *a, const void *b, int64_t index);

/* The length of the tile that begins at `first`: that of the last one is shorter. */
static inline int64_t element_tile_length(int64_t first, int64_t end)
{
	return end - first < ELEMENT_TILE ? end - first : ELEMENT_TILE;
}

#endif
