/*
 * Instructions on matrices that the lanes of a warp hold together: mma.sync, ldmatrix, stmatrix,
 * movmatrix. Sparse products (mma.sp) are not supported.
 */
#include "emulator/program/decode_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	uint8_t bits;
} matrix_types[] = {
	[MATRIX_F16] = {"f16", 16},  [MATRIX_BF16] = {"bf16", 16}, [MATRIX_TF32] = {"tf32", 32},
	[MATRIX_E4M3] = {"e4m3", 8}, [MATRIX_E5M2] = {"e5m2", 8},  [MATRIX_F32] = {"f32", 32},
	[MATRIX_F64] = {"f64", 64},  [MATRIX_B1] = {"b1", 1},      [MATRIX_S4] = {"s4", 4},
	[MATRIX_U4] = {"u4", 4},     [MATRIX_S8] = {"s8", 8},      [MATRIX_U8] = {"u8", 8},
	[MATRIX_S32] = {"s32", 32},
};

bool matrix_type_of(const char *word, uint8_t *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(matrix_types); i++) {
		if (strcmp(matrix_types[i].name, word) == 0) {
			*type = (uint8_t)i;
			return true;
		}
	}
	return false;
}

unsigned matrix_type_bits(uint8_t type)
{
	return matrix_types[type].bits;
}

/* ---- mma ---- */

/* What a product may be: a shape with the types of A, which is one of a class, and of the sums. */
static bool product_exists(const struct program_product *product)
{
	static const struct {
		uint16_t m, n, k;
		uint8_t first, last; /* types of A and B */
		bool alike;          /* A and B have the same type */
		uint8_t sums[2];     /* types of C and D */
	} forms[] = {
		{8, 8, 4, MATRIX_F16, MATRIX_F16, true, {MATRIX_F16, MATRIX_F32}},
		{16, 8, 8, MATRIX_F16, MATRIX_F16, true, {MATRIX_F16, MATRIX_F32}},
		{16, 8, 16, MATRIX_F16, MATRIX_F16, true, {MATRIX_F16, MATRIX_F32}},
		{16, 8, 8, MATRIX_BF16, MATRIX_BF16, true, {MATRIX_F32, MATRIX_F32}},
		{16, 8, 16, MATRIX_BF16, MATRIX_BF16, true, {MATRIX_F32, MATRIX_F32}},
		{16, 8, 4, MATRIX_TF32, MATRIX_TF32, true, {MATRIX_F32, MATRIX_F32}},
		{16, 8, 8, MATRIX_TF32, MATRIX_TF32, true, {MATRIX_F32, MATRIX_F32}},
		{16, 8, 16, MATRIX_E4M3, MATRIX_E5M2, false, {MATRIX_F16, MATRIX_F32}},
		{16, 8, 32, MATRIX_E4M3, MATRIX_E5M2, false, {MATRIX_F16, MATRIX_F32}},
		{8, 8, 4, MATRIX_F64, MATRIX_F64, true, {MATRIX_F64, MATRIX_F64}},
		{16, 8, 4, MATRIX_F64, MATRIX_F64, true, {MATRIX_F64, MATRIX_F64}},
		{16, 8, 8, MATRIX_F64, MATRIX_F64, true, {MATRIX_F64, MATRIX_F64}},
		{16, 8, 16, MATRIX_F64, MATRIX_F64, true, {MATRIX_F64, MATRIX_F64}},
		{8, 8, 16, MATRIX_S8, MATRIX_U8, false, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 16, MATRIX_S8, MATRIX_U8, false, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 32, MATRIX_S8, MATRIX_U8, false, {MATRIX_S32, MATRIX_S32}},
		{8, 8, 32, MATRIX_S4, MATRIX_U4, false, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 32, MATRIX_S4, MATRIX_U4, false, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 64, MATRIX_S4, MATRIX_U4, false, {MATRIX_S32, MATRIX_S32}},
		{8, 8, 128, MATRIX_B1, MATRIX_B1, true, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 128, MATRIX_B1, MATRIX_B1, true, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 256, MATRIX_B1, MATRIX_B1, true, {MATRIX_S32, MATRIX_S32}},
	};
	const uint8_t c = product->c_type, d = product->d_type;

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (forms[i].m == product->m && forms[i].n == product->n &&
		    forms[i].k == product->k && forms[i].first <= product->a_type &&
		    product->a_type <= forms[i].last && forms[i].first <= product->b_type &&
		    product->b_type <= forms[i].last &&
		    (!forms[i].alike || product->a_type == product->b_type) &&
		    (c == forms[i].sums[0] || c == forms[i].sums[1]) &&
		    (d == forms[i].sums[0] || d == forms[i].sums[1]))
			/* Only Volta's shape has sums of two types, and then C is the shorter. */
			return c == d || (product->quads && d == MATRIX_F32);
	}
	return false;
}

/* Reads the shape, layouts, types and options of a product. Returns false if there is another word
 * or the product does not exist. */
static bool read_mma(const struct ptx_statement *at, struct program_product *product)
{
	uint8_t types[4];
	size_t type_count = 0, layout_count = 0;
	bool columns[2] = {false, false}, sync = false, counts = false, combines = false;
	unsigned m = 0, n = 0, k = 0;
	char after;

	*product = (struct program_product){0};
	for (size_t i = 0; i < at->modifier_count; i++) {
		const char *word = at->modifiers[i];

		if (strcmp(word, "sync") == 0) {
			sync = true;
		} else if (!m && sscanf(word, "m%3un%3uk%3u%c", &m, &n, &k, &after) == 3) {
			continue;
		} else if (layout_count < 2 &&
			   (strcmp(word, "row") == 0 || strcmp(word, "col") == 0)) {
			columns[layout_count++] = *word == 'c';
		} else if (strcmp(word, "satfinite") == 0) {
			product->saturates = true;
		} else if (strcmp(word, "xor") == 0 || strcmp(word, "and") == 0) {
			combines = true;
			product->ands = *word == 'a';
		} else if (strcmp(word, "popc") == 0) {
			counts = true;
		} else if (type_count == ARRAY_SIZE(types) ||
			   !matrix_type_of(word, &types[type_count++])) {
			if (strcmp(word, "aligned") != 0)
				return false;
			type_count--;
		}
	}
	if (!sync || layout_count != 2 || type_count != ARRAY_SIZE(types))
		return false;
	product->m = (uint16_t)m;
	product->n = (uint16_t)n;
	product->k = (uint16_t)k;
	product->d_type = types[0];
	product->a_type = types[1];
	product->b_type = types[2];
	product->c_type = types[3];
	product->quads = m == 8 && product->a_type == MATRIX_F16;
	product->a_columns = columns[0];
	product->b_columns = columns[1];
	/* PTX fixes the layouts of all others. */
	if (!product->quads && (columns[0] || !columns[1]))
		return false;
	if (combines != (product->a_type == MATRIX_B1) || counts != combines ||
	    (product->saturates && product->c_type != MATRIX_S32))
		return false;
	return product_exists(product);
}

/* The registers that hold a matrix. */
static uint8_t fragment_count(const struct program_product *product, unsigned rows,
			      unsigned columns, uint8_t type)
{
	unsigned bits = matrix_types[type].bits, width = bits == 64 ? 64 : 32;

	return (uint8_t)(rows * columns * bits * (product->quads ? 4 : 1) / (32 * width));
}

/* Returns the registers of an operand, or NULL if their number is wrong. */
static const struct ptx_operand *fragment_registers(struct function_decoding *decoding,
						    const struct ptx_operand *operand,
						    unsigned count)
{
	if (count == 1 && operand->kind != PTX_OPERAND_VECTOR)
		return operand;
	if (operand->kind == PTX_OPERAND_VECTOR && operand->element_count == count)
		return operand->elements;
	decode_invalid(decoding, "expected %u registers", count);
	return NULL;
}

void matrix_sources(struct function_decoding *decoding, const struct ptx_operand *operand,
		    unsigned count, uint8_t type, uint32_t *values)
{
	const struct ptx_operand *registers = fragment_registers(decoding, operand, count);

	for (unsigned i = 0; registers && i < count; i++)
		values[i] = decode_source(decoding, &registers[i],
					  type == MATRIX_F64 ? TYPE_b64 : TYPE_b32);
}

void matrix_destinations(struct function_decoding *decoding, const struct ptx_operand *operand,
			 unsigned count, uint8_t type, uint32_t *values)
{
	const struct ptx_operand *registers = fragment_registers(decoding, operand, count);

	for (unsigned i = 0; registers && i < count; i++)
		values[i] = decode_destination(decoding, &registers[i],
					       type == MATRIX_F64 ? TYPE_b64 : TYPE_b32);
}

void emit_product(struct function_decoding *decoding, const struct program_product *product,
		  bool counted)
{
	struct program_function *out = decoding->out;
	struct instruction *instruction;

	out->products = xgrow(out->products, &decoding->product_capacity, out->product_count + 1,
			      sizeof(*out->products));
	out->products[out->product_count] = *product;
	instruction = emit_instruction(decoding, OP_MATRIX_PRODUCT);
	instruction->target = (uint32_t)out->product_count++;
	instruction->auxiliary = !counted;
}

static bool decode_product(struct function_decoding *decoding)
{
	const struct ptx_operand *operands = decoding->at->operands;
	struct program_product product;

	if (!read_mma(decoding->at, &product))
		return false;
	if (!require_operands(decoding, 4, 4))
		return true;
	product.a_count = fragment_count(&product, product.m, product.k, product.a_type);
	product.b_count = fragment_count(&product, product.k, product.n, product.b_type);
	product.c_count = fragment_count(&product, product.m, product.n, product.c_type);
	product.d_count = fragment_count(&product, product.m, product.n, product.d_type);
	matrix_sources(decoding, &operands[1], product.a_count, product.a_type, product.a);
	matrix_sources(decoding, &operands[2], product.b_count, product.b_type, product.b);
	matrix_sources(decoding, &operands[3], product.c_count, product.c_type, product.c);
	matrix_destinations(decoding, &operands[0], product.d_count, product.d_type, product.d);
	if (!decoding->rc && !decoding->unsupported)
		emit_product(decoding, &product, true);
	emit_extensions(decoding);
	return true;
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

/* Reads the modifiers of ldmatrix and stmatrix. Returns the number of matrices, or 0. */
static unsigned read_row_copy(const struct ptx_statement *at, enum ptx_space *space,
			      bool *transposed)
{
	bool sync = false, shape = false, type = false;
	unsigned count = 0;

	*space = PTX_SPACE_GENERIC;
	*transposed = false;
	for (size_t i = 0; i < at->modifier_count; i++) {
		const char *word = at->modifiers[i];

		if (strcmp(word, "sync") == 0)
			sync = true;
		else if (strcmp(word, "m8n8") == 0)
			shape = true;
		else if (strcmp(word, "b16") == 0)
			type = true;
		else if (strcmp(word, "trans") == 0)
			*transposed = true;
		else if (strcmp(word, "shared") == 0 || strcmp(word, "shared::cta") == 0)
			*space = PTX_SPACE_SHARED;
		else if (strcmp(word, "x1") == 0 || strcmp(word, "x2") == 0 ||
			 strcmp(word, "x4") == 0)
			count = (unsigned)(word[1] - '0');
		else if (strcmp(word, "aligned") != 0)
			return 0;
	}
	return sync && shape && type ? count : 0;
}

static bool decode_row_copy(struct function_decoding *decoding, bool stores)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *fragment = &at->operands[stores ? 1 : 0];
	struct instruction *instruction;
	struct decoded_address where;
	uint32_t rows[4] = {0};
	enum ptx_space space;
	bool transposed;
	unsigned count = read_row_copy(at, &space, &transposed);

	if (!count)
		return false;
	if (!require_operands(decoding, 2, 2))
		return true;
	where = decode_address(decoding, &at->operands[stores ? 0 : 1], space);
	if (stores)
		matrix_sources(decoding, fragment, count, MATRIX_F16, rows);
	else
		matrix_destinations(decoding, fragment, count, MATRIX_F16, rows);
	if (decoding->rc || decoding->unsupported ||
	    !check_variable_space(decoding, &where, PTX_SPACE_SHARED))
		return true;
	instruction = emit_instruction(decoding, stores ? OP_MATRIX_STORE : OP_MATRIX_LOAD);
	instruction->space = (uint8_t)where.space;
	instruction->a = where.value;
	instruction->narrow_address = where.narrow;
	instruction->offset = where.offset;
	instruction->width = 4;
	instruction->vector = 4;
	instruction->kind = (uint8_t)(count | (transposed ? MATRIX_TRANSPOSED : 0));
	memcpy(instruction->rows + 4, rows, sizeof(rows));
	/* Each lane's 16 bytes of memory. */
	for (int i = 0; i < 4; i++) {
		uint32_t row = new_temporary(decoding, 32);

		decoding->out->code[decoding->out->code_count - 1].rows[i] = row;
	}
	emit_extensions(decoding);
	return true;
}

static bool decode_transpose(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct instruction *instruction;
	uint32_t dst, a;

	if (!require_operands(decoding, 2, 2))
		return true;
	a = decode_source(decoding, &at->operands[1], TYPE_b32);
	dst = decode_destination(decoding, &at->operands[0], TYPE_b32);
	instruction = emit_instruction(decoding, OP_MATRIX_TRANSPOSE);
	instruction->dst = dst;
	instruction->a = a;
	emit_extensions(decoding);
	return true;
}

bool decode_matrix(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;

	if (strcmp(at->base, "mma") == 0)
		return decode_product(decoding);
	if (strcmp(at->base, "ldmatrix") == 0)
		return decode_row_copy(decoding, false);
	if (strcmp(at->base, "stmatrix") == 0)
		return decode_row_copy(decoding, true);
	if (strcmp(at->mnemonic, "movmatrix.sync.aligned.m8n8.trans.b16") == 0)
		return decode_transpose(decoding);
	return false;
}
