/*
 * opcodes: one tiny PTX module for each thing that an instruction can do: the
 * rows of alu.def, and sequences for what is no row (carry chains, packing,
 * loads and stores, atomics, votes, shuffles). Each loads its operands from
 * memory, executes, and stores what came of it. tests/gpu/opcodes_golden runs
 * them on a GPU and writes tests/golden/ptx/opcodes.txt; test_opcodes runs the
 * same in the emulator and compares.
 *
 * Memory, for each thread i: operand k is the 8-byte cell in[i * 4 + k], the
 * results are the cells out[i * 2] and out[i * 2 + 1], zero before the launch.
 * `memory` is 16 bytes a thread, zero before the launch, for sequences that
 * load and store. Blocks are of OPCODE_BLOCK threads and all full.
 */
#ifndef TESTS_EMULATOR_OPCODES_H
#define TESTS_EMULATOR_OPCODES_H

#include "base/base.h"
#include "emulator/program/operations.h"

#define OPCODE_BLOCK 64
#define OPCODE_OPERANDS 4
#define OPCODE_RESULTS 2
#define OPCODE_ENTRY "opcode"

/* What values an operand is given. */
enum opcode_input {
	INPUT_INTEGER,
	INPUT_AMOUNT, /* of bits: mostly 0 to 64 */
	INPUT_SMALL,  /* 0 to 3: so that lanes agree */
	INPUT_LANE,   /* 0 to 40 */
	INPUT_F16,
	INPUT_BF16,
	INPUT_F32,
	INPUT_F64,
	INPUT_OFFSET,   /* -40 to 40, and the least integer */
	INPUT_NAN_F64,  /* mostly NaNs */
	INPUT_TINY_F16, /* halves that have products next to the least normal one */
	INPUT_TINY_F32,
	INPUT_TINY_F64, /* doubles next to the least normal f32 */
};

struct opcode_operand {
	uint8_t bits; /* 1: predicate, 8 and 16: a 16-bit register, 32, 64 */
	bool is_signed;
	enum opcode_input input;
};

struct opcode_case {
	char *name; /* the mnemonic; of a sequence, what is special follows after a blank */
	char *body; /* PTX from %a … %d to %r and %s */
	const char *declarations; /* PTX before the entry; NULL: none */
	size_t operand_count;
	struct opcode_operand operands[OPCODE_OPERANDS];
	uint8_t result_bits[OPCODE_RESULTS]; /* of the register; 1: a predicate; 0: no such result
					      */
	/* How far a result may be from the hardware's: units in the last place of its type, or this
	 * far away if that is more; and why. 0 and 0: to the bit. */
	double ulps, distance;
	const char *why;
	uint8_t float_bits; /* of results that are floats: 16 (f16), 17 (bf16), 32, 64; else 0 */
	bool pairs;         /* results are two of those */
};
struct opcode_list {
	struct opcode_case *items;
	size_t count, capacity;
};
/* Everything that there is. */
struct opcode_list opcode_list_create(void);
void opcode_list_release(struct opcode_list *list);

void opcode_module(struct text *out, const struct opcode_case *opcode);
/* Threads to run: a multiple of OPCODE_BLOCK. */
size_t opcode_thread_count(const struct opcode_case *opcode);
/* Cells of `in`, opcode_thread_count() * OPCODE_OPERANDS of them. */
void opcode_inputs(uint64_t *cells, const struct opcode_case *opcode);
/* Of the module and its inputs: a golden line of another digest is out of date. */
uint64_t opcode_digest(const struct opcode_case *opcode);
/* Results as a golden line holds them: each of them after the other, thread after thread, in hex
 * digits of its width; predicates four threads a digit. */
void opcode_results(struct text *out, const struct opcode_case *opcode, const uint64_t *cells);

/* opcode_compare.c: sets ulps, distance and why of a row's case. */
void opcode_tolerance(struct opcode_case *opcode);
/* Two golden strings of results held against each other. */
struct opcode_comparison {
	size_t count, different; /* results; those that differ in a bit */
	size_t wrong;            /* those that are beyond the tolerance */
	double ulps;             /* the most, of those that the tolerance in ulps lets pass */
	double distance;         /* the most, of those that only the other one does */
};
struct opcode_comparison opcode_compare(const struct opcode_case *opcode, const char *wanted,
					const char *got);

/* Values: opcode_inputs.c. */
uint64_t opcode_value(const struct opcode_operand *operand, size_t index);
size_t opcode_edge_count(const struct opcode_operand *operand);
uint64_t opcode_mix(uint64_t seed); /* pseudo-random bits */
/* Cases that are no rows: opcode_sequences.c, opcode_memory.c, opcode_forms.c, opcode_copies.c. */
void opcode_sequences_add(struct opcode_list *list);
void opcode_memory_add(struct opcode_list *list);
void opcode_forms_add(struct opcode_list *list);
void opcode_copies_add(struct opcode_list *list);
/* Types of results ("u32 pred") and operands; name and body are given to it. */
struct opcode_case *opcode_sequence_add(struct opcode_list *list, char *name, const char *results,
					const char *operands, char *body);
/* A row by this mnemonic, its own or an alias. */
void opcode_row_add(struct opcode_list *list, const struct alu_row *row, const char *mnemonic);
/* Operand types as a word: "s32", "pred", "f16x2", "amount", "small", "lane" … */
struct opcode_operand opcode_operand_of(const char *type);
struct opcode_case *opcode_add(struct opcode_list *list, char *name, char *body);

#endif
