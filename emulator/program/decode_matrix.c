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

/* Finds a type of elements by name. Returns false if there is none. */
static bool matrix_type_of(const char *word, uint8_t *type)
{
	const size_t i = WORD_INDEX(matrix_types, word);

	*type = i < ARRAY_SIZE(matrix_types) ? (uint8_t)i : *type;
	return i < ARRAY_SIZE(matrix_types);
}

unsigned matrix_type_bits(uint8_t type)
{
	return matrix_types[type].bits;
}

/* Returns false if the word is unknown or comes too often. */
static bool read_matrix_word(struct matrix_words *words, const char *word)
{
	static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
	char after;

	if (!words->m &&
	    sscanf(word, "m%3un%3uk%3u%c", &words->m, &words->n, &words->k, &after) == 3)
		return true;
	for (uint8_t i = 0; i < ARRAY_SIZE(roundings); i++) {
		if (strcmp(word, roundings[i]) == 0 && !words->rounds) {
			words->rounding = i;
			return words->rounds = words->of_wmma = true;
		}
	}
	if (strchr("abcd", word[0]) && !word[1] && !words->which) {
		words->which = word[0];
		words->of_wmma = true;
	} else if (strcmp(word, "row") == 0 || strcmp(word, "col") == 0) {
		if (words->layout_count == ARRAY_SIZE(words->columns))
			return false;
		words->columns[words->layout_count++] = *word == 'c';
	} else if (strcmp(word, "sync") == 0) {
		words->sync = true;
	} else if (strcmp(word, "satfinite") == 0) {
		words->saturates = true;
	} else if (strcmp(word, "popc") == 0) {
		words->counts = true;
	} else if (strcmp(word, "xor") == 0 || strcmp(word, "and") == 0) {
		words->combines = true;
		words->ands = *word == 'a';
	} else if (strcmp(word, "aligned") == 0) {
		words->aligned = true;
	} else if (strcmp(word, "global") == 0 || strcmp(word, "shared") == 0 ||
		   strcmp(word, "shared::cta") == 0) {
		words->space = *word == 'g' ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED;
		words->of_wmma = true;
	} else if (words->type_count < ARRAY_SIZE(words->types) &&
		   matrix_type_of(word, &words->types[words->type_count])) {
		words->type_count++;
	} else {
		return false;
	}
	return true;
}

bool read_matrix_words(struct matrix_words *words, const struct ptx_statement *at, size_t first)
{
	*words = (struct matrix_words){.space = PTX_SPACE_GENERIC};
	for (size_t i = first; i < at->modifier_count; i++)
		if (!read_matrix_word(words, at->modifiers[i]))
			return false;
	return words->sync && words->m;
}

/* ---- mma ---- */

bool matrix_product_exists(const struct program_product *product)
{
	static const struct {
		uint16_t m, n, k;
		uint8_t first, last; /* types of A and B, which are of a class */
		uint8_t sums[2];     /* types of C and D */
	} forms[] = {
		{8, 8, 4, MATRIX_F16, MATRIX_F16, {MATRIX_F16, MATRIX_F32}},
		{16, 8, 8, MATRIX_F16, MATRIX_F16, {MATRIX_F16, MATRIX_F32}},
		{16, 8, 16, MATRIX_F16, MATRIX_F16, {MATRIX_F16, MATRIX_F32}},
		{16, 8, 8, MATRIX_BF16, MATRIX_BF16, {MATRIX_F32, MATRIX_F32}},
		{16, 8, 16, MATRIX_BF16, MATRIX_BF16, {MATRIX_F32, MATRIX_F32}},
		{16, 8, 4, MATRIX_TF32, MATRIX_TF32, {MATRIX_F32, MATRIX_F32}},
		{16, 8, 8, MATRIX_TF32, MATRIX_TF32, {MATRIX_F32, MATRIX_F32}},
		{16, 8, 16, MATRIX_E4M3, MATRIX_E5M2, {MATRIX_F16, MATRIX_F32}},
		{16, 8, 32, MATRIX_E4M3, MATRIX_E5M2, {MATRIX_F16, MATRIX_F32}},
		{8, 8, 4, MATRIX_F64, MATRIX_F64, {MATRIX_F64, MATRIX_F64}},
		{16, 8, 4, MATRIX_F64, MATRIX_F64, {MATRIX_F64, MATRIX_F64}},
		{16, 8, 8, MATRIX_F64, MATRIX_F64, {MATRIX_F64, MATRIX_F64}},
		{16, 8, 16, MATRIX_F64, MATRIX_F64, {MATRIX_F64, MATRIX_F64}},
		{8, 8, 16, MATRIX_S8, MATRIX_U8, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 16, MATRIX_S8, MATRIX_U8, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 32, MATRIX_S8, MATRIX_U8, {MATRIX_S32, MATRIX_S32}},
		{8, 8, 32, MATRIX_S4, MATRIX_U4, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 32, MATRIX_S4, MATRIX_U4, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 64, MATRIX_S4, MATRIX_U4, {MATRIX_S32, MATRIX_S32}},
		{8, 8, 128, MATRIX_B1, MATRIX_B1, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 128, MATRIX_B1, MATRIX_B1, {MATRIX_S32, MATRIX_S32}},
		{16, 8, 256, MATRIX_B1, MATRIX_B1, {MATRIX_S32, MATRIX_S32}},
	};
	const uint8_t c = product->c_type, d = product->d_type;

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (forms[i].m == product->m && forms[i].n == product->n &&
		    forms[i].k == product->k && forms[i].first <= product->a_type &&
		    product->a_type <= forms[i].last && forms[i].first <= product->b_type &&
		    product->b_type <= forms[i].last &&
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
	struct matrix_words words;

	/* types[]: D, A, B, C. */
	if (!read_matrix_words(&words, at, 0) || words.of_wmma || words.layout_count != 2 ||
	    words.type_count != ARRAY_SIZE(words.types))
		return false;
	*product = (struct program_product){
		.m = (uint16_t)words.m,
		.n = (uint16_t)words.n,
		.k = (uint16_t)words.k,
		.d_type = words.types[0],
		.a_type = words.types[1],
		.b_type = words.types[2],
		.c_type = words.types[3],
		.quads = words.m == 8 && words.types[1] == MATRIX_F16,
		.a_columns = words.columns[0],
		.b_columns = words.columns[1],
		.saturates = words.saturates,
		.ands = words.ands,
	};
	/* PTX fixes the layouts of all others. */
	if (!product->quads && (product->a_columns || !product->b_columns))
		return false;
	if (words.combines != (product->a_type == MATRIX_B1) || words.counts != words.combines ||
	    (words.saturates && product->c_type != MATRIX_S32))
		return false;
	return matrix_product_exists(product);
}

/* The registers that hold a matrix. */
static uint8_t fragment_count(const struct program_product *product, unsigned rows,
			      unsigned columns, uint8_t type)
{
	unsigned bits = matrix_types[type].bits, width = bits == 64 ? 64 : 32;

	return (uint8_t)(rows * columns * bits * (product->quads ? 4 : 1) / (32 * width));
}

void matrix_values(struct function_decoding *decoding, const struct ptx_operand *operand,
		   unsigned count, uint8_t type, bool writes, uint32_t *values)
{
	const struct ptx_operand *registers = operand_registers(decoding, operand, count);
	const enum value_type of_register = type == MATRIX_F64 ? TYPE_b64 : TYPE_b32;

	for (unsigned i = 0; registers && i < count; i++)
		values[i] = writes ? decode_destination(decoding, &registers[i], of_register)
				   : decode_source(decoding, &registers[i], of_register);
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
		return true;
	if (!require_operands(decoding, 4, 4))
		return false;
	product.a_count = fragment_count(&product, product.m, product.k, product.a_type);
	product.b_count = fragment_count(&product, product.k, product.n, product.b_type);
	product.c_count = fragment_count(&product, product.m, product.n, product.c_type);
	product.d_count = fragment_count(&product, product.m, product.n, product.d_type);
	matrix_values(decoding, &operands[1], product.a_count, product.a_type, false, product.a);
	matrix_values(decoding, &operands[2], product.b_count, product.b_type, false, product.b);
	matrix_values(decoding, &operands[3], product.c_count, product.c_type, false, product.c);
	matrix_values(decoding, &operands[0], product.d_count, product.d_type, true, product.d);
	if (!decoding->rc && !decoding->unsupported)
		emit_product(decoding, &product, true);
	emit_extensions(decoding);
	return false;
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

static bool decode_row_copy(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const bool stores = strcmp(at->base, "stmatrix") == 0;
	const struct ptx_operand *fragment = &at->operands[stores ? 1 : 0];
	struct instruction *instruction;
	struct decoded_address where;
	uint32_t rows[4] = {0};
	enum ptx_space space;
	bool transposed;
	unsigned count = read_row_copy(at, &space, &transposed);

	if (!count)
		return true;
	if (!require_operands(decoding, 2, 2))
		return false;
	where = decode_address(decoding, &at->operands[stores ? 0 : 1], space);
	matrix_values(decoding, fragment, count, MATRIX_F16, !stores, rows);
	if (decoding->rc || decoding->unsupported ||
	    !check_variable_space(decoding, &where, PTX_SPACE_SHARED))
		return false;
	instruction = emit_instruction(decoding, stores ? OP_MATRIX_STORE : OP_MATRIX_LOAD);
	set_access_address(instruction, &where);
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
	return false;
}

static bool decode_transpose(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	uint32_t dst, a;

	if (!require_operands(decoding, 2, 2))
		return false;
	a = decode_source(decoding, &at->operands[1], TYPE_b32);
	dst = decode_destination(decoding, &at->operands[0], TYPE_b32);
	emit_result(decoding, OP_MATRIX_TRANSPOSE, dst, a, 0, 0);
	emit_extensions(decoding);
	return false;
}

const struct statement_form matrix_forms[] = {
	{"mma", decode_product, 0},
	{"ldmatrix", decode_row_copy, 0},
	{"stmatrix", decode_row_copy, 0},
	{"movmatrix.sync.aligned.m8n8.trans.b16", decode_transpose, 0},
	{0},
};
