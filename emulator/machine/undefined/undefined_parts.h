/* undefined_parts: what the files of undefined.h share. */
#ifndef EMULATOR_MACHINE_UNDEFINED_UNDEFINED_PARTS_H
#define EMULATOR_MACHINE_UNDEFINED_UNDEFINED_PARTS_H

#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/undefined/undefined.h"

/* The undefined bits of a value in one lane. The origin matters only if there are any. */
struct undefined_bits {
	uint64_t bits;
	undefined_origin origin;
};

/* ---- undefined_rows.c: rows, origins and uses ---- */

bool follower_is_whole(const struct follower *follower);

/* What a memory access reads first. */
struct unwritten_byte {
	enum finding_kind kind;
	const char *name;   /* of the allocation; NULL: shared or local memory */
	uint64_t at, bytes; /* its number; bytes of the allocation */
};
undefined_origin origin_of_byte(struct warp *warp, const struct instruction *at, int lane,
				const struct unwritten_byte *byte);
/* A register that nobody has read yet: what reads it becomes the place. */
undefined_origin origin_of_register(struct warp *warp, const struct instruction *at,
				    const char *name);
undefined_origin origin_of_absent(struct warp *warp, const struct instruction *at, int lane,
				  uint32_t source);

/* Reads and writes the bits of a row in a lane. `width`: of the value, in bits; 1: predicates. */
struct undefined_bits row_bits(struct warp *warp, const struct instruction *at, uint32_t row,
			       int lane, unsigned width);
void row_set(struct warp *warp, uint32_t row, int lane, unsigned width,
	     struct undefined_bits value);
/* Whether any lane of a row has undefined bits. `wide`: lanes have 64 bits, else 32. */
bool row_is_undefined(const struct warp *warp, uint32_t row, bool wide);
/* Bits of the lanes of the row of an operand, whose type the instruction does not say. */
void row_use(struct warp *warp, const struct instruction *at, uint32_t row, bool wide,
	     uint32_t lanes);
void row_define(struct warp *warp, uint32_t row, bool wide, uint32_t lanes);
/* Reports the use of an undefined value. */
void value_use(struct warp *warp, const struct instruction *at, struct undefined_bits value);

/* ---- undefined_memory.c ---- */

/* Where a lane accesses memory. */
struct undefined_place {
	struct undefined_memory *memory; /* NULL: no valid address */
	struct allocation *in;           /* NULL: shared or local memory */
	enum ptx_space space;
	uint64_t offset; /* of the first byte in memory */
	uint64_t number; /* the same, in the thread's local memory */
};
struct undefined_place undefined_place_of(struct warp *warp, enum ptx_space space, int lane,
					  uint64_t address, uint64_t bytes);
struct undefined_bits place_read(struct warp *warp, const struct instruction *at, int lane,
				 const struct undefined_place *place, uint64_t skip,
				 unsigned bytes);
void place_write(const struct undefined_place *place, uint64_t skip, unsigned bytes,
		 struct undefined_bits value);
void place_copy(struct warp *warp, const struct instruction *at, int lane,
		const struct undefined_place *to, const struct undefined_place *from,
		uint64_t bytes);

void undefined_load(struct warp *warp, const struct instruction *at, uint32_t lanes);
void undefined_store(struct warp *warp, const struct instruction *at, uint32_t lanes);
void undefined_atomic(struct warp *warp, const struct instruction *at, uint32_t lanes);
void undefined_discard(struct warp *warp, const struct instruction *at, uint32_t lanes);
void undefined_copy(struct warp *warp, const struct instruction *at, uint32_t lanes);
/* The address in row a, with its offset. */
uint64_t access_address(const struct warp *warp, const struct instruction *at, int lane);

/* ---- undefined_matrix.c ---- */

void undefined_matrix_rows(struct warp *warp, const struct instruction *at, uint32_t lanes);
void undefined_transpose(struct warp *warp, const struct instruction *at, uint32_t lanes);
void undefined_product(struct warp *warp, const struct instruction *at, uint32_t lanes);
void undefined_group_product(struct warp *warp, const struct instruction *at, uint32_t lanes);

/*
 * ---- undefined_rules.c ----
 *
 * Which bits of the result of an arithmetic operation are undefined, by the table of
 * docs/undefined-values.md. A rule knows the operands of one lane, and nothing of the machine.
 */
#define UNDEFINED_OPERANDS 4

/* One lane of an instruction. Operands that the operation does not have are all zeroes. */
struct lane_operands {
	struct undefined_bits undefined[UNDEFINED_OPERANDS];
	uint64_t value[UNDEFINED_OPERANDS];
	unsigned width[UNDEFINED_OPERANDS + 1]; /* in bits: of the result, then of the operands */
	const struct alu_row *row;
};

/* The undefined bits of the result. It has the origin of the first operand that it depends on. */
struct undefined_bits undefined_result(struct lane_operands *of);

/* Every operation must have a rule. */
bool undefined_has_rule(const struct alu_row *row);

static inline uint64_t undefined_mask(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

#endif
