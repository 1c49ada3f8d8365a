/*
 * Loads and stores of wmma, as ptxas makes them: ldmatrix for 16-bit factors in shared memory, else
 * ordinary accesses.
 */
#include "emulator/program/decode_matrix.h"

#include <string.h>

/* The tile and the chunk of a unit. */
static void unit_place(const struct wmma_fragment *fragment, unsigned unit, unsigned *tile,
		       unsigned *chunk)
{
	if (fragment->tiles_last || fragment->units == fragment->chunks) {
		*chunk = unit % fragment->chunks;
		*tile = unit / fragment->chunks;
	} else {
		*chunk = unit / 2 % fragment->chunks;
		*tile = unit % 2 + unit / 2 / fragment->chunks * 2;
	}
}

/* ---- addresses ---- */

/* Computes addresses of lanes from the operands of a load or store. */
struct addressing {
	struct function_decoding *decoding;
	struct decoded_address base;
	uint32_t lane;   /* %laneid */
	uint32_t stride; /* elements between lines */
};

static uint32_t step_32(struct addressing *at, const char *mnemonic, uint32_t a, uint32_t b)
{
	uint32_t to = new_temporary(at->decoding, 32);

	emit_step(at->decoding, require_operation(at->decoding, mnemonic), to, a, b, 0);
	return to;
}

static uint32_t number(struct addressing *at, uint64_t value)
{
	return value_bits(at->decoding, value, false);
}

static uint32_t lane_part(struct addressing *at, unsigned down, unsigned mask)
{
	uint32_t shifted = down ? step_32(at, "shr.u32", at->lane, number(at, down)) : at->lane;

	return step_32(at, "and.b32", shifted, number(at, mask));
}

/* base + bytes, where bytes has 32 bits. */
static uint32_t address_add(struct addressing *at, uint32_t base, uint32_t bytes)
{
	uint32_t to, wide;

	if (at->base.narrow)
		return step_32(at, "add.s32", base, bytes);
	wide = new_temporary(at->decoding, 64);
	emit_step(at->decoding, require_operation(at->decoding, "cvt.u64.u32"), wide, bytes, 0, 0);
	to = new_temporary(at->decoding, 64);
	emit_step(at->decoding, require_operation(at->decoding, "add.s64"), to, base, wide, 0);
	return to;
}

/* base + count * stride elements, where count * stride fits 32 bits. */
static uint32_t address_add_lines(struct addressing *at, uint32_t base, uint32_t count,
				  unsigned bits)
{
	uint32_t product = step_32(at, "mul.lo.u32", count, at->stride), bytes = product;

	if (bits < 8)
		bytes = step_32(at, "shr.u32", product, number(at, bits == 4 ? 1 : 3));
	else if (bits > 8)
		bytes = step_32(at, "mul.lo.u32", product, number(at, bits / 8));
	return address_add(at, base, bytes);
}

/* base + count * stride elements, for a constant count. */
static uint32_t address_lines(struct addressing *at, uint32_t base, unsigned count, unsigned bits)
{
	return count ? address_add_lines(at, base, number(at, count), bits) : base;
}

/* ---- loads and stores ---- */

static struct instruction *emit_access(struct addressing *at, enum operation operation,
				       uint32_t address, int64_t offset, bool counted)
{
	struct instruction *instruction = emit_instruction(at->decoding, operation);

	instruction->auxiliary = !counted;
	instruction->space = (uint8_t)at->base.space;
	instruction->narrow_address = at->base.narrow;
	instruction->a = address;
	instruction->offset = at->base.offset + offset;
	instruction->vector = 1;
	instruction->width = 4;
	instruction->type = TYPE_b32;
	return instruction;
}

/* Factors of 16 bits, or contiguous ones of 8, in shared memory: ldmatrix. */
static void load_matrices(struct addressing *at, const struct wmma_fragment *fragment,
			  const uint32_t *values)
{
	bool across = fragment->contiguous == fragment->tiles_last && fragment->bits == 16;
	unsigned units = fragment->units < 4 ? fragment->units : 4;
	uint32_t line, address = at->base.value;

	if (fragment->units == fragment->chunks)
		across = fragment->contiguous;
	if (across)
		line = step_32(at, "or.b32", lane_part(at, 0, 7),
			       step_32(at, "shl.b32", lane_part(at, 4, 1), number(at, 3)));
	else
		line = lane_part(at, 0, fragment->bits == 8 ? 31 : 15);
	address = address_add_lines(at, address, line, fragment->bits);
	if (fragment->bits == 16)
		address = address_add(
			at, address,
			step_32(at, "shl.b32", lane_part(at, across ? 3 : 4, 1), number(at, 4)));
	for (unsigned first = 0; first < fragment->units; first += 4) {
		uint32_t rows[4];
		uint32_t from = address;
		int64_t offset = 0;
		struct instruction *load;

		/* The next four units are two tiles further. */
		if (fragment->contiguous)
			from = address_lines(at, address, first * 4, fragment->bits);
		else
			offset = first * 8;
		for (unsigned i = 0; i < 4; i++)
			rows[i] = new_temporary(at->decoding, 32);
		load = emit_access(at, OP_MATRIX_LOAD, from, offset, first == 0);
		load->vector = 4;
		load->kind = (uint8_t)(units | (fragment->contiguous ? 0 : MATRIX_TRANSPOSED));
		memcpy(load->rows, rows, sizeof(rows));
		memcpy(load->rows + 4, values + first, units * sizeof(*values));
	}
}

/* Words that are contiguous in memory, or lie across 8 x 8 matrices of halves, which are then
 * transposed. */
static void access_words(struct addressing *at, const struct wmma_fragment *fragment, bool store,
			 const uint32_t *values)
{
	unsigned element = fragment->bits == 64 ? 8 : 4;
	unsigned unit_bytes = element * fragment->registers;
	uint32_t address =
		address_add_lines(at, at->base.value, lane_part(at, 2, 7), fragment->bits);

	address =
		address_add(at, address,
			    step_32(at, "mul.lo.u32", lane_part(at, 0, 3), number(at, unit_bytes)));
	for (unsigned unit = 0; unit < fragment->units; unit++) {
		const uint32_t *value = values + unit * fragment->registers;
		struct instruction *access;
		unsigned tile, chunk;
		uint32_t moved = 0, from;

		unit_place(fragment, unit, &tile, &chunk);
		if (fragment->contiguous) {
			from = address_lines(at, address, tile * 8, fragment->bits);
			access = emit_access(at, store ? OP_STORE : OP_LOAD, from,
					     chunk * 4 * unit_bytes, unit == 0);
			access->width = (uint8_t)element;
			access->type = element == 8 ? TYPE_b64 : TYPE_b32;
			access->vector = fragment->registers;
			memcpy(access->rows, value, fragment->registers * sizeof(*value));
			continue;
		}
		from = address_lines(at, address, chunk * 8, fragment->bits);
		moved = new_temporary(at->decoding, 32);
		if (!store) {
			access = emit_access(at, OP_LOAD, from, tile * 16, unit == 0);
			access->rows[0] = moved;
		}
		access = emit_instruction(at->decoding, OP_MATRIX_TRANSPOSE);
		access->auxiliary = true;
		access->a = store ? value[0] : moved;
		access->dst = store ? moved : value[0];
		if (store) {
			access = emit_access(at, OP_STORE, from, tile * 16, unit == 0);
			access->rows[0] = moved;
		}
	}
}

/* Elements that lie in different lines of memory. */
static void access_elements(struct addressing *at, const struct wmma_fragment *fragment, bool store,
			    const uint32_t *values)
{
	unsigned bytes = fragment->bits / 8U,
		 per_register = fragment->per_word / fragment->registers;
	uint32_t position =
		step_32(at, "mul.lo.u32", lane_part(at, 0, 3), number(at, fragment->per_word));
	uint32_t address = address_add_lines(at, at->base.value, position, fragment->bits);

	address = address_add(at, address,
			      step_32(at, "mul.lo.u32", lane_part(at, 2, 7), number(at, bytes)));
	for (unsigned i = 0; i < (unsigned)fragment->units * fragment->per_word; i++) {
		unsigned element = i % fragment->per_word, tile, chunk;
		uint32_t value = values[i / per_register], from, part;
		struct instruction *access;

		unit_place(fragment, i / fragment->per_word, &tile, &chunk);
		from = address_lines(at, address, chunk * 4 * fragment->per_word + element,
				     fragment->bits);
		access =
			emit_access(at, store ? OP_STORE : OP_LOAD, from, tile * 8 * bytes, i == 0);
		access->width = (uint8_t)bytes;
		access->type = bytes == 8 ? TYPE_b64 : bytes == 1 ? TYPE_u8 : TYPE_b32;
		access->rows[0] = value;
		if (per_register == 1)
			continue;
		/* Bytes: the first fills the register, the others are put above it. */
		part = i % per_register ? new_temporary(at->decoding, 32) : value;
		access->rows[0] = part;
		if (i % per_register) {
			uint32_t up = step_32(at, "shl.b32", part,
					      number(at, i % per_register * fragment->bits));

			emit_step(at->decoding, require_operation(at->decoding, "or.b32"), value,
				  value, up, 0);
		}
	}
}

void wmma_emit_transfer(struct function_decoding *decoding, const struct decoded_address *base,
			uint32_t stride, const struct wmma_fragment *fragment,
			const uint32_t *values, bool store)
{
	struct addressing addressing = {.decoding = decoding, .base = *base, .stride = stride};
	struct addressing *at = &addressing;

	at->lane = value_constant(decoding, (struct program_constant){.kind = CONSTANT_SPECIAL,
								      .bytes = 4,
								      .bits = SPECIAL_LANEID});
	if (fragment->is_factor && at->base.space == PTX_SPACE_SHARED &&
	    (fragment->bits == 16 || (fragment->bits == 8 && fragment->contiguous)))
		load_matrices(at, fragment, values);
	else if (fragment->contiguous || fragment->bits == 16)
		access_words(at, fragment, store, values);
	else
		access_elements(at, fragment, store, values);
	/* Units that a fragment of halves has twice or more. */
	for (unsigned i = fragment->units * fragment->registers; !store && i < fragment->total; i++)
		emit_step(at->decoding, ALU_MOV_B32, values[i], values[i % fragment->units], 0, 0);
}
