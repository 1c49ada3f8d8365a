/*
 * wgmma: products of the matrices of a warpgroup. Sparse products (mma_async.sp) are not supported.
 * Which forms exist was tried with ptxas 13.0 for sm_90a.
 */
#include "emulator/program/decode_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a product may be: k with the types of A and B, which are of a class, and of the sums. */
static bool group_product_exists(const struct program_product *part)
{
	static const struct {
		uint16_t k;
		uint8_t first, last; /* types of A and B */
		bool alike;          /* A and B have the same type */
		uint8_t sums[2];     /* types of D */
	} forms[] = {
		{16, MATRIX_F16, MATRIX_F16, true, {MATRIX_F16, MATRIX_F32}},
		{16, MATRIX_BF16, MATRIX_BF16, true, {MATRIX_F32, MATRIX_F32}},
		{8, MATRIX_TF32, MATRIX_TF32, true, {MATRIX_F32, MATRIX_F32}},
		{32, MATRIX_E4M3, MATRIX_E5M2, false, {MATRIX_F16, MATRIX_F32}},
		{32, MATRIX_S8, MATRIX_U8, false, {MATRIX_S32, MATRIX_S32}},
		{256, MATRIX_B1, MATRIX_B1, true, {MATRIX_S32, MATRIX_S32}},
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (forms[i].k == part->k && forms[i].first <= part->a_type &&
		    part->a_type <= forms[i].last && forms[i].first <= part->b_type &&
		    part->b_type <= forms[i].last &&
		    (!forms[i].alike || part->a_type == part->b_type) &&
		    (part->d_type == forms[i].sums[0] || part->d_type == forms[i].sums[1]))
			return true;
	return false;
}

static bool is_integer(const struct program_product *part)
{
	return part->d_type == MATRIX_S32;
}

/* n is a multiple of 8 up to 256; of integers, a multiple of 16, or 8 or 24. */
static bool columns_exist(unsigned n, bool integer)
{
	return n && n <= 256 && n % 8 == 0 && (!integer || n % 16 == 0 || n == 8 || n == 24);
}

/* Reads the shape, types and options. Returns false if there is another word or the product does
 * not exist. */
static bool read_group_words(const struct ptx_statement *at, struct program_group_product *product)
{
	struct program_product *part = &product->part;
	bool sync = false, aligned = false, combines = false, counts = false;
	unsigned m = 0, n = 0, k = 0;
	uint8_t types[3];
	size_t type_count = 0;
	char after;

	*product = (struct program_group_product){0};
	for (size_t i = 1; i < at->modifier_count; i++) {
		const char *word = at->modifiers[i];

		if (strcmp(word, "sync") == 0)
			sync = true;
		else if (strcmp(word, "aligned") == 0)
			aligned = true;
		else if (!m && sscanf(word, "m%3un%3uk%3u%c", &m, &n, &k, &after) == 3)
			continue;
		else if (strcmp(word, "satfinite") == 0)
			part->saturates = true;
		else if (strcmp(word, "and") == 0)
			combines = true;
		else if (strcmp(word, "popc") == 0)
			counts = true;
		else if (type_count == ARRAY_SIZE(types) ||
			 !matrix_type_of(word, &types[type_count++]))
			return false;
	}
	if (!sync || !aligned || m != 64 || type_count != ARRAY_SIZE(types))
		return false;
	product->n = (uint16_t)n;
	part->m = 16;
	part->n = 8;
	part->k = (uint16_t)k;
	part->d_type = part->c_type = types[0];
	part->a_type = types[1];
	part->b_type = types[2];
	part->ands = combines;
	part->grouped = true;
	if (combines != (part->a_type == MATRIX_B1) || counts != combines ||
	    (part->saturates && (part->a_type < MATRIX_S8 || part->a_type > MATRIX_U8)))
		return false;
	return group_product_exists(part) && columns_exist(n, is_integer(part));
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
	size_t count = is_integer(&product->part) ? 0 : !turns ? 2 : in_registers ? 3 : 4;

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
		return false;
	if (at->operand_count < 4) {
		decode_invalid(decoding, "%zu operands are too few", at->operand_count);
		return true;
	}
	decode_sums(decoding, &product);
	if (at->operands[1].kind == PTX_OPERAND_VECTOR) {
		product.a_count = ARRAY_SIZE(product.a);
		matrix_sources(decoding, &at->operands[1], product.a_count, product.part.a_type,
			       product.a);
	} else {
		a = decode_source(decoding, &at->operands[1], TYPE_b64);
	}
	b = decode_source(decoding, &at->operands[2], TYPE_b64);
	if (at->operands[3].kind == PTX_OPERAND_INTEGER)
		choice_of(decoding, &at->operands[3], "the scale of D", 0, 1);
	adds = decode_source(decoding, &at->operands[3], TYPE_pred);
	decode_options(decoding, &product, 4);
	if (decoding->rc || decoding->unsupported)
		return true;
	out->group_products = xgrow(out->group_products, &decoding->group_product_capacity,
				    out->group_product_count + 1, sizeof(*out->group_products));
	out->group_products[out->group_product_count] = product;
	instruction = emit_instruction(decoding, OP_GROUP_PRODUCT);
	instruction->target = (uint32_t)out->group_product_count++;
	instruction->a = a;
	instruction->b = b;
	instruction->c = adds;
	/* wgmma reads shared memory 16 bytes at a time. */
	instruction->space = PTX_SPACE_SHARED;
	instruction->width = 8;
	instruction->vector = 2;
	return true;
}

static void decode_wait(struct function_decoding *decoding)
{
	const struct ptx_operand *pending = decoding->at->operands;

	if (!require_operands(decoding, 1, 1))
		return;
	if (pending->kind != PTX_OPERAND_INTEGER || pending->bits > INT32_MAX) {
		decode_invalid(decoding, "the number of groups that may be pending must be a "
					 "number");
		return;
	}
	emit_instruction(decoding, OP_GROUP_WAIT)->offset = (int64_t)pending->bits;
}

static void decode_without_operands(struct function_decoding *decoding, enum operation operation)
{
	if (require_operands(decoding, 0, 0))
		emit_instruction(decoding, operation);
}

bool decode_wgmma(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;

	if (strcmp(at->base, "wgmma") != 0 || !at->modifier_count)
		return false;
	if (strcmp(at->modifiers[0], "mma_async") == 0)
		return decode_group_product(decoding);
	if (strcmp(at->mnemonic, "wgmma.wait_group.sync.aligned") == 0)
		decode_wait(decoding);
	else if (strcmp(at->mnemonic, "wgmma.fence.sync.aligned") == 0)
		decode_without_operands(decoding, OP_GROUP_FENCE);
	else if (strcmp(at->mnemonic, "wgmma.commit_group.sync.aligned") == 0)
		decode_without_operands(decoding, OP_GROUP_COMMIT);
	else
		return false;
	return true;
}

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
