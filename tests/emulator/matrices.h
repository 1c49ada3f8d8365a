/*
 * matrices: one small PTX module for each instruction on matrices that the emulator executes:
 * mma.sync, ldmatrix, stmatrix, movmatrix, wmma, wgmma. Each module has one warp per block, or four
 * for wgmma. A lane loads its operands, executes the instruction, and stores the results.
 * tests/gpu/matrices_golden runs the modules on a GPU and writes tests/golden/ptx/matrices.txt.zst;
 * test_matrices runs them in the emulator and compares to the bit.
 *
 * Memory: word r of thread l of block s is in[(s * in_count + r) * threads + l], and likewise for
 * out. A word has 4 bytes, or 8 if the registers have 64 bits. Blocks come in groups of MATRIX_SETS
 * with the same kind of values (enum matrix_profile).
 */
#ifndef TESTS_EMULATOR_MATRICES_H
#define TESTS_EMULATOR_MATRICES_H

#include "base/base.h"

#define MATRIX_LANES 32
#define MATRIX_SETS 64
#define MATRIX_ENTRY "matrix"
#define MATRIX_OPERANDS 3

/* The elements of a register. */
enum matrix_element {
	ELEMENT_BITS, /* any bits; also integers and bits of b1 */
	ELEMENT_S32,
	ELEMENT_F16,
	ELEMENT_BF16,
	ELEMENT_TF32,
	ELEMENT_E4M3,
	ELEMENT_E5M2,
	ELEMENT_F32,
	ELEMENT_F64,
};

/* What the values of a block are like. Integers have only the first two: any, and extreme ones. */
enum matrix_profile {
	PROFILE_NEAR,    /* near one */
	PROFILE_WIDE,    /* of many magnitudes */
	PROFILE_RAW,     /* any bits */
	PROFILE_SPECIAL, /* zeroes, infinities, NaNs, largest and least numbers among others */
	PROFILE_SPARSE,  /* mostly zero, the others of several magnitudes */
	PROFILE_BIG_SUM, /* addends much larger than the products */
	PROFILE_TINY,    /* results near the least normal number */
	PROFILE_HUGE,    /* results near the largest number */
	PROFILE_COUNT,
};
#define MATRIX_INTEGER_PROFILES 2

struct matrix_operand {
	unsigned count; /* registers */
	enum matrix_element element;
};

/* What wgmma computes. Its operands in shared memory begin at GROUP_A and GROUP_B; words of A and B
 * fill them one after another. */
#define GROUP_THREADS 128
#define GROUP_A 0
#define GROUP_B 8192
struct group_form {
	unsigned n; /* 0: the case is not wgmma */
	unsigned k;
	enum matrix_element of_a, of_b, of_sum;
	unsigned bits; /* of an element of A and B */
	bool signed_a, signed_b, saturates;
	bool a_in_registers;
	unsigned row_bytes; /* of the swizzle pattern: 32, 64, 128; 16: none */
	unsigned leading_a, leading_b, stride_a, stride_b; /* bytes */
	unsigned
		base; /* both operands, and their patterns, begin so many rows of 128 bytes later */
	bool a_turned, b_turned, negates_a, negates_b, adds;
};

struct matrix_case {
	char *name;        /* the mnemonic, and after a space what is special */
	char *body;        /* PTX that computes %d0, %d1 ... from %a0, %a1 ... */
	unsigned bits;     /* of a register: 32 or 64 */
	unsigned profiles; /* PROFILE_COUNT or MATRIX_INTEGER_PROFILES */
	unsigned in_count, out_count;
	struct matrix_operand operands[MATRIX_OPERANDS];
	struct group_form group;
};
struct matrix_list {
	struct matrix_case *items;
	size_t count, capacity;
};
struct matrix_list matrix_list_create(void);
void matrix_list_release(struct matrix_list *list);

void matrix_module(struct text *out, const struct matrix_case *matrix);
unsigned matrix_threads(const struct matrix_case *matrix); /* of a block */
/* All blocks of a launch, and the bytes of their operands and results. */
size_t matrix_blocks(const struct matrix_case *matrix);
size_t matrix_in_bytes(const struct matrix_case *matrix);
size_t matrix_out_bytes(const struct matrix_case *matrix);
void matrix_inputs(void *in, const struct matrix_case *matrix);
/* A hash of the module and its inputs. A golden line with another digest is out of date. */
uint64_t matrix_digest(const struct matrix_case *matrix);
/* A golden line without its name: the digest, for each profile a hash of the results of its
 * blocks, and the results of the first warp of its first block. */
void matrix_line(struct text *out, const struct matrix_case *matrix, const void *results);
/* What follows the digest: to make that takes as long as some cases. */
void matrix_results_line(struct text *out, const struct matrix_case *matrix, const void *results);

/* matrix_values.c: a register of the operand in this place. */
uint64_t matrix_value(const struct matrix_case *matrix, unsigned operand, unsigned profile,
		      uint64_t place);
/* matrix_wmma.c */
void matrix_wmma_add(struct matrix_list *list);
/* matrix_wgmma.c */
void matrix_wgmma_add(struct matrix_list *list);
struct matrix_case *matrix_add(struct matrix_list *list, char *name, char *body, unsigned out_count,
			       unsigned bits);

void matrix_operands_set(struct matrix_case *matrix, const struct matrix_operand *operands);
/* "{%a2, %a3}" */
void matrix_registers_add(struct text *out, char letter, unsigned first, unsigned count);

#endif
