/*
 * wgmma: products of the matrices of a warpgroup. Sparse products (mma_async.sp) are not supported.
 * Which forms exist was tried with ptxas 13.0 for sm_90a.
 */
#include "emulator/program/decode_matrix.h"

#include <stdlib.h>
#include <string.h>

/* Whether PTX has the product: as parts those of mma.sync whose lines along k have 32 bytes. n is a
 * multiple of 8 up to 256; of integers, a multiple of 16, or 8 or 24. */
static bool group_product_exists(const struct program_product *part, unsigned n)
{
	const unsigned bits = matrix_type_bits(part->a_type);

	return matrix_product_exists(part) && part->k * bits == 256 && bits != 4 && bits != 64 &&
	       n && n <= 256 && n % 8 == 0 &&
	       (part->d_type != MATRIX_S32 || n % 16 == 0 || n == 8 || n == 24);
}

/* Reads the shape, types and options. Returns false if there is another word or the product does
 * not exist. */
static bool read_group_words(const struct ptx_statement *at, struct program_group_product *product)
{
	struct program_product *part = &product->part;
	struct matrix_words words;

	/* types[]: D, A, B. */
	if (!read_matrix_words(&words, at, 1) || words.of_wmma || words.layout_count ||
	    !words.aligned || words.m != 64 || words.type_count != 3 ||
	    statement_has_modifier(at, "xor"))
		return false;
	*product = (struct program_group_product){.n = (uint16_t)words.n};
	*part = (struct program_product){
		.m = 16,
		.n = 8,
		.k = (uint16_t)words.k,
		.d_type = words.types[0],
		.c_type = words.types[0],
		.a_type = words.types[1],
		.b_type = words.types[2],
		.saturates = words.saturates,
		.ands = words.ands,
		.grouped = true,
	};
	if (words.combines != (part->a_type == MATRIX_B1) || words.counts != words.combines ||
	    (part->saturates && (part->a_type < MATRIX_S8 || part->a_type > MATRIX_U8)))
		return false;
	return group_product_exists(part, words.n);
}

/* ---- operands ---- */

/* Reads an operand that must be one of two numbers. Returns true if it is `second`. */
static bool choice_of(struct function_decoding *decoding, const struct ptx_operand *operand,
		      const char *what, int64_t first, int64_t second)
{
	int64_t value = operand->kind == PTX_OPERAND_INTEGER ? (int64_t)operand->bits : INT64_MAX;

	if (value != first && value != second)
		decode_invalid(decoding, "%s must be %d or %d", what, (int)first, (int)second);
	return value == second;
}

/* Each register of D is read and written. */
static void decode_sums(struct function_decoding *decoding, struct program_group_product *product)
{
	const struct ptx_operand *operand = &decoding->at->operands[0];

	product->sum_count = (uint8_t)(product->n / (product->part.d_type == MATRIX_F16 ? 4U : 2U));
	if (operand->kind != PTX_OPERAND_VECTOR || operand->element_count != product->sum_count) {
		decode_invalid(decoding, "expected %u registers of D", product->sum_count);
		return;
	}
	for (unsigned i = 0; i < product->sum_count; i++) {
		const struct ptx_operand *element = &operand->elements[i];

		if (element->kind != PTX_OPERAND_REGISTER ||
		    value_width(decoding, element->index + 1) != 32) {
			decode_invalid(decoding, "D must be in registers of 32 bits");
			return;
		}
		product->sums[i] = product->results[i] = element->index + 1;
		for (unsigned before = 0; before < i; before++)
			if (product->sums[before] == product->sums[i])
				decode_invalid(decoding, "D names a register twice");
	}
}

/* The scales and the transpositions, from operand `first` on. */
static void decode_options(struct function_decoding *decoding,
			   struct program_group_product *product, size_t first)
{
	const struct ptx_operand *operands = &decoding->at->operands[first];
	bool in_registers = product->a_count != 0;
	bool turns = product->part.a_type == MATRIX_F16 || product->part.a_type == MATRIX_BF16;
	size_t count = product->part.d_type == MATRIX_S32 ? 0 : !turns ? 2 : in_registers ? 3 : 4;

	if (!require_operands(decoding, first + count, first + count) || !count)
		return;
	product->negates_a = choice_of(decoding, &operands[0], "the scale of A", 1, -1);
	product->negates_b = choice_of(decoding, &operands[1], "the scale of B", 1, -1);
	if (count == 4)
		product->a_turned =
			choice_of(decoding, &operands[2], "the transposition of A", 0, 1);
	if (count >= 3)
		product->b_turned =
			choice_of(decoding, &operands[count - 1], "the transposition of B", 0, 1);
}

static bool decode_group_product(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct program_function *out = decoding->out;
	struct program_group_product product;
	struct instruction *instruction;
	uint32_t a = 0, b, adds;

	if (!read_group_words(at, &product))
		return true;
	if (at->operand_count < 4)
		return decode_invalid(decoding, "%zu operands are too few", at->operand_count);
	decode_sums(decoding, &product);
	if (at->operands[1].kind == PTX_OPERAND_VECTOR) {
		product.a_count = ARRAY_SIZE(product.a);
		matrix_values(decoding, &at->operands[1], product.a_count, product.part.a_type,
			      false, product.a);
	} else {
		a = decode_source(decoding, &at->operands[1], TYPE_b64);
	}
	b = decode_source(decoding, &at->operands[2], TYPE_b64);
	if (at->operands[3].kind == PTX_OPERAND_INTEGER)
		choice_of(decoding, &at->operands[3], "the scale of D", 0, 1);
	adds = decode_source(decoding, &at->operands[3], TYPE_pred);
	decode_options(decoding, &product, 4);
	if (decoding->rc || decoding->unsupported)
		return false;
	out->group_products = xgrow(out->group_products, &decoding->group_product_capacity,
				    out->group_product_count + 1, sizeof(*out->group_products));
	out->group_products[out->group_product_count] = product;
	instruction = emit_result(decoding, OP_GROUP_PRODUCT, 0, a, b, adds);
	instruction->target = (uint32_t)out->group_product_count++;
	/* wgmma reads shared memory 16 bytes at a time. */
	instruction->space = PTX_SPACE_SHARED;
	instruction->width = 8;
	instruction->vector = 2;
	return false;
}

const struct statement_form wgmma_forms[] = {
	{"wgmma.mma_async.", decode_group_product, 0},
	{"wgmma.wait_group.sync.aligned", decode_group_wait, OP_GROUP_WAIT},
	{"wgmma.fence.sync.aligned", decode_without_operands, OP_GROUP_FENCE},
	{"wgmma.commit_group.sync.aligned", decode_without_operands, OP_GROUP_COMMIT},
	{0},
};

/* ---- other instructions ---- */

void mark_fragment_writes(struct function_decoding *decoding)
{
	struct program_function *out = decoding->out;
	bool *fragment;

	if (!out->group_product_count)
		return;
	fragment = xcalloc(decoding->value_count, sizeof(*fragment));
	for (size_t i = 0; i < out->group_product_count; i++) {
		const struct program_group_product *product = &out->group_products[i];

		for (unsigned k = 0; k < product->sum_count; k++)
			fragment[product->results[k]] = true;
		for (unsigned k = 0; k < product->a_count; k++)
			if (!(product->a[k] & VALUE_CONSTANT))
				fragment[product->a[k]] = true;
	}
	for (size_t i = 0; i < out->code_count; i++) {
		struct instruction_operands operands;

		if (out->code[i].operation == OP_GROUP_PRODUCT)
			continue;
		instruction_operands(out, &out->code[i], &operands);
		for (size_t k = 0; k < operands.write_count; k++)
			out->code[i].writes_fragment |= fragment[*operands.writes[k]];
	}
	free(fragment);
}
