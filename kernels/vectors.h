/*
 * vectors: functions that are compiled for several widths of vectors. The
 * processor chooses when the program starts. For fills and oracles. Internal to
 * kernels/.
 *
 * Every width computes the same bits, because the build forbids the compiler to
 * fuse or to reorder floating-point operations. With the options of the build
 * compilers vectorise a loop only if its length is a multiple of the width, so
 * the loops over a group of elements have a fixed length.
 */
#ifndef KERNELS_VECTORS_H
#define KERNELS_VECTORS_H

/* Only for static functions: clang 14 gives such a function another name, which other files do not
 * find. */
#if defined(__x86_64__)
#define WIDE_VECTORS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define WIDE_VECTORS
#endif

/* For the parts of such a function: an inlined part has the vectors of its caller. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A loop of few iterations, at most 8, that is written out, so that an array that it indexes can
 * stay in registers. */
#if defined(__clang__)
#define UNROLLED_FOR(i, count) _Pragma("clang loop unroll(full)") for (int i = 0; i < (count); i++)
#else
#define UNROLLED_FOR(i, count) _Pragma("GCC unroll 8") for (int i = 0; i < (count); i++)
#endif

#endif
