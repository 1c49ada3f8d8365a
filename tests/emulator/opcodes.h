/*
 * opcodes: one small PTX module for each thing that an instruction can do. There is one for each
 * row of alu.def, and a sequence for everything else (carry chains, packing, loads and stores,
 * atomics, votes, shuffles). Each module loads its operands from memory, executes, and stores the
 * results. tests/gpu/opcodes_golden runs them on a GPU and writes tests/golden/ptx/opcodes.txt.zst;
 * test_opcodes runs the same modules in the emulator and compares.
 *
 * Memory of thread i: operand k is the 8-byte cell in[i * 4 + k]. The results are the cells out[i *
 * 2] and out[i * 2 + 1], which are zero before the launch. `memory` has 16 bytes per thread for
 * sequences that load and store, also zero before the launch. All blocks are full and have
 * OPCODE_BLOCK threads.
 */
#ifndef TESTS_EMULATOR_OPCODES_H
#define TESTS_EMULATOR_OPCODES_H

#include "base/base.h"
#include "emulator/emulator.h"
#include "emulator/program/operations.h"

#define OPCODE_BLOCK 64
#define OPCODE_OPERANDS 4
#define OPCODE_RESULTS 2
#define OPCODE_ENTRY "opcode"

/* The kind of values that an operand gets. */
enum opcode_input {
	INPUT_INTEGER,
	INPUT_AMOUNT, /* numbers of bits: mostly 0 to 64 */
	INPUT_SMALL,  /* 0 to 3, so that lanes have equal values */
	INPUT_LANE,   /* 0 to 40 */
	INPUT_F16,
	INPUT_BF16,
	INPUT_F32,
	INPUT_F64,
	INPUT_OFFSET,   /* -40 to 40, and the least integer */
	INPUT_NAN_F64,  /* mostly NaNs */
	INPUT_TINY_F16, /* halves with products near the least normal number */
	INPUT_TINY_F32,
	INPUT_TINY_F64, /* doubles near the least normal f32 */
	INPUT_NEAR_FP8, /* f32, or halves, near the values of fp8 and midway between them */
};

struct opcode_operand {
	uint8_t bits; /* 1: predicate, 8 and 16: a 16-bit register, 32, 64 */
	bool is_signed;
	enum opcode_input input;
};

struct opcode_case {
	char *name; /* the mnemonic; for a sequence a space and its special feature follow */
	char *body; /* PTX that computes %r and %s from %a … %d */
	const char *declarations; /* PTX before the entry; NULL: none */
	size_t operand_count;
	struct opcode_operand operands[OPCODE_OPERANDS];
	uint8_t result_bits[OPCODE_RESULTS]; /* of the register; 1: a predicate; 0: no such result
					      */
	/* The largest difference from the hardware's result, in units in the last place of its type
	 * or as an absolute distance, whichever allows more, and the reason. 0 and 0: equal to the
	 * bit. */
	double ulps, distance;
	const char *why;
	uint8_t float_bits; /* of float results: 16 (f16), 17 (bf16), 32, 64; else 0 */
	bool pairs;         /* each result is a pair */
	uint32_t findings;  /* that the emulator has to tell: a bit per enum finding_kind */
};
struct opcode_list {
	struct opcode_case *items;
	size_t count, capacity;
};
/* All cases. */
struct opcode_list opcode_list_create(void);
void opcode_list_release(struct opcode_list *list);

void opcode_module(struct text *out, const struct opcode_case *opcode);
/* The number of threads to run: a multiple of OPCODE_BLOCK. */
size_t opcode_thread_count(const struct opcode_case *opcode);
/* Fills `in`: opcode_thread_count() * OPCODE_OPERANDS cells. */
void opcode_inputs(uint64_t *cells, const struct opcode_case *opcode);
/* A hash of the module and its inputs. A golden line with another digest is out of date. */
uint64_t opcode_digest(const struct opcode_case *opcode);
/* Writes results as a golden line has them: result by result, thread by thread, in hex digits of
 * the result's width. A digit of predicates holds four threads. */
void opcode_results(struct text *out, const struct opcode_case *opcode, const uint64_t *cells);

/* opcode_compare.c: sets ulps, distance and why of a row's case. */
void opcode_tolerance(struct opcode_case *opcode);
/* The comparison of two golden strings of results. */
struct opcode_comparison {
	size_t count, different; /* results, and those that differ in a bit */
	size_t wrong;            /* those beyond the tolerance */
	double ulps;             /* the largest difference within the tolerance in ulps */
	double distance; /* the largest difference that only the absolute tolerance allows */
};
struct opcode_comparison opcode_compare(const struct opcode_case *opcode, const char *wanted,
					const char *got);

/* Input values: opcode_inputs.c. */
uint64_t opcode_value(const struct opcode_operand *operand, size_t index);
size_t opcode_edge_count(const struct opcode_operand *operand);
uint64_t opcode_mix(uint64_t seed); /* pseudo-random bits */
/* Cases that are not rows: opcode_sequences.c, opcode_memory.c, opcode_forms.c, opcode_copies.c,
 * opcode_carries.c, opcode_lanes.c, opcode_video.c, opcode_device.c, opcode_vectors.c. */
void opcode_sequences_add(struct opcode_list *list);
void opcode_memory_add(struct opcode_list *list);
void opcode_forms_add(struct opcode_list *list);
void opcode_copies_add(struct opcode_list *list);
void opcode_carries_add(struct opcode_list *list);
void opcode_lanes_add(struct opcode_list *list);
void opcode_video_add(struct opcode_list *list);
void opcode_device_add(struct opcode_list *list);
void opcode_b128_add(struct opcode_list *list);
void opcode_vectors_add(struct opcode_list *list);
/* Types of results ("u32 pred") and operands. The case takes over name and body. */
struct opcode_case *opcode_sequence_add(struct opcode_list *list, char *name, const char *results,
					const char *operands, char *body);
/* Adds a row under this mnemonic, its own or an alias. */
void opcode_row_add(struct opcode_list *list, const struct alu_row *row, const char *mnemonic);
/* Operand types as a word: "s32", "pred", "f16x2", "amount", "small", "lane" and so on. */
struct opcode_operand opcode_operand_of(const char *type);
struct opcode_case *opcode_add(struct opcode_list *list, char *name, char *body);

#endif
