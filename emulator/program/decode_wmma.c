/*
 * wmma: products of larger matrices than those of mma.sync. PTX leaves open which lane and register
 * holds which element. Here they lie as ptxas lays them for sm_90, so that a product is two of
 * mma.sync. Loads and stores are in decode_wmma_access.c.
 */
#include "emulator/program/decode_matrix.h"

#include <string.h>

struct wmma_shape {
	uint16_t m, n, k;
	uint8_t first, last; /* types of A and B, which are alike */
	uint8_t sums[2];     /* types of C and D */
	uint16_t step;       /* the k of the products that it is made of */
};
static const struct wmma_shape shapes[] = {
	{16, 16, 16, MATRIX_F16, MATRIX_F16, {MATRIX_F16, MATRIX_F32}, 16},
	{32, 8, 16, MATRIX_F16, MATRIX_F16, {MATRIX_F16, MATRIX_F32}, 16},
	{8, 32, 16, MATRIX_F16, MATRIX_F16, {MATRIX_F16, MATRIX_F32}, 16},
	{16, 16, 16, MATRIX_BF16, MATRIX_BF16, {MATRIX_F32, MATRIX_F32}, 16},
	{32, 8, 16, MATRIX_BF16, MATRIX_BF16, {MATRIX_F32, MATRIX_F32}, 16},
	{8, 32, 16, MATRIX_BF16, MATRIX_BF16, {MATRIX_F32, MATRIX_F32}, 16},
	{16, 16, 8, MATRIX_TF32, MATRIX_TF32, {MATRIX_F32, MATRIX_F32}, 4},
	{16, 16, 16, MATRIX_S8, MATRIX_U8, {MATRIX_S32, MATRIX_S32}, 16},
	{32, 8, 16, MATRIX_S8, MATRIX_U8, {MATRIX_S32, MATRIX_S32}, 16},
	{8, 32, 16, MATRIX_S8, MATRIX_U8, {MATRIX_S32, MATRIX_S32}, 16},
	{8, 8, 32, MATRIX_S4, MATRIX_U4, {MATRIX_S32, MATRIX_S32}, 32},
	{8, 8, 128, MATRIX_B1, MATRIX_B1, {MATRIX_S32, MATRIX_S32}, 128},
	{8, 8, 4, MATRIX_F64, MATRIX_F64, {MATRIX_F64, MATRIX_F64}, 4},
};

/* Finds the shape with factors, or else with sums, of a type. NULL: there is none. */
static const struct wmma_shape *find_shape(const struct matrix_words *words, uint8_t type,
					   bool sums)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		const struct wmma_shape *shape = &shapes[i];

		if (shape->m == words->m && shape->n == words->n && shape->k == words->k &&
		    (sums ? type == shape->sums[0] || type == shape->sums[1]
			  : shape->first <= type && type <= shape->last))
			return shape;
	}
	return NULL;
}

/* ---- fragments ---- */

static struct wmma_fragment factor_fragment(const struct wmma_shape *shape, char which,
					    uint8_t type, bool columns)
{
	unsigned bits = matrix_type_bits(type), lines = which == 'a' ? shape->m : shape->n;
	struct wmma_fragment fragment = {
		.bits = (uint8_t)bits,
		.per_word = (uint8_t)(bits == 64 ? 1 : 32 / bits),
		.registers = 1,
		.is_factor = true,
		.contiguous = columns == (which == 'b'),
		/* B of m8n32k16 has the place of A. */
		.tiles_last = which == 'b' && shape->m != 8,
	};

	fragment.chunks = (uint8_t)(shape->k / 4U / fragment.per_word);
	fragment.units = (uint8_t)(lines / 8 * fragment.chunks);
	/* Fragments of halves have eight registers in every shape. */
	fragment.total = type == MATRIX_F16 ? 8 : fragment.units;
	return fragment;
}

static struct wmma_fragment sum_fragment(const struct wmma_shape *shape, uint8_t type, bool columns)
{
	unsigned bits = matrix_type_bits(type);
	bool turned = shape->n == 32;
	struct wmma_fragment fragment = {
		.bits = (uint8_t)bits,
		.per_word = 2,
		.registers = bits == 16 ? 1 : 2,
		.chunks = (uint8_t)((turned ? shape->m : shape->n) / 8),
		.units = (uint8_t)(shape->m * shape->n / 64),
		.contiguous = columns == turned,
	};

	fragment.total = (uint8_t)(fragment.units * fragment.registers);
	return fragment;
}

/* ---- loads and stores ---- */

static bool decode_transfer(struct function_decoding *decoding)
{
	const struct ptx_statement *statement = decoding->at;
	const bool store = strcmp(statement->modifiers[0], "store") == 0;
	const struct ptx_operand *operands = statement->operands;
	const struct wmma_shape *shape;
	struct decoded_address base;
	struct wmma_fragment fragment;
	struct matrix_words words;
	uint32_t values[8] = {0};
	uint32_t stride;
	bool is_factor;

	if (!read_matrix_words(&words, statement, 1) || words.type_count != 1 ||
	    words.layout_count != 1 || !words.which || store != (words.which == 'd') ||
	    words.saturates || words.combines || words.counts || words.rounds)
		return true;
	is_factor = words.which == 'a' || words.which == 'b';
	shape = find_shape(&words, words.types[0], !is_factor);
	if (!shape)
		return true;
	fragment = is_factor ? factor_fragment(shape, words.which, words.types[0], words.columns[0])
			     : sum_fragment(shape, words.types[0], words.columns[0]);
	/* PTX has only contiguous lines of elements below 8 bits. */
	if (fragment.bits < 8 && !fragment.contiguous)
		return true;
	if (!require_operands(decoding, 2, 3))
		return false;
	base = decode_address(decoding, &operands[store ? 0 : 1], words.space);
	matrix_values(decoding, &operands[store ? 1 : 0], fragment.total, words.types[0], !store,
		      values);
	if (decoding->rc || decoding->unsupported ||
	    !check_variable_space(decoding, &base, words.space))
		return false;
	if (base.parameter || (base.space != PTX_SPACE_GLOBAL && base.space != PTX_SPACE_SHARED &&
			       base.space != PTX_SPACE_GENERIC))
		return decode_invalid(decoding, "a matrix cannot be in %s memory",
				      ptx_space_name(base.space));
	if (statement->operand_count == 3)
		stride = decode_source(decoding, &operands[2], TYPE_u32);
	else
		stride = value_bits(decoding,
				    words.columns[0] ? (words.which == 'b' ? shape->k : shape->m)
				    : words.which == 'a' ? shape->k
							 : shape->n,
				    false);
	wmma_emit_transfer(decoding, &base, stride, &fragment, values, store);
	emit_extensions(decoding);
	return false;
}

/* ---- products ---- */

/* Whether a register of D is one of A or B, or one of C that another product reads. */
static bool results_are_read(const struct program_product *whole)
{
	for (unsigned i = 0; i < whole->d_count; i++) {
		for (unsigned k = 0; k < 8; k++) {
			if (whole->d[i] == whole->a[k] || whole->d[i] == whole->b[k] ||
			    (whole->d[i] == whole->c[k] &&
			     (k != i || whole->c_type != whole->d_type)))
				return true;
		}
	}
	return false;
}

/* Sets the registers of tile `tile` of the sum. */
static void sums_of_tile(struct program_product *part, const struct program_product *whole,
			 unsigned tiles, unsigned tile)
{
	part->c_count = (uint8_t)(whole->c_count / tiles);
	part->d_count = (uint8_t)(whole->d_count / tiles);
	memset(part->c, 0, sizeof(part->c));
	memset(part->d, 0, sizeof(part->d));
	memcpy(part->c, whole->c + tile * part->c_count, part->c_count * sizeof(*part->c));
	memcpy(part->d, whole->d + tile * part->d_count, part->d_count * sizeof(*part->d));
}

/* Emits the products of mma.sync that make up a product. `whole` is m16n16, or m32n8. */
static void emit_products(struct function_decoding *decoding, const struct program_product *whole,
			  const struct wmma_shape *shape)
{
	bool halves_a = whole->m == 32;
	unsigned steps = shape->k / shape->step, tiles = whole->m * whole->n > 64 ? 2 : 1;
	unsigned words = shape->step * matrix_type_bits(whole->a_type) / 128U; /* of a step */
	unsigned of_a = whole->m == 8 ? 1 : 2 * words, of_b = whole->m == 8 ? 1 : words;

	for (unsigned step = 0; step < steps; step++) {
		for (unsigned tile = 0; tile < tiles; tile++) {
			struct program_product part = *whole;
			unsigned a = (halves_a ? tile * steps + step : step) * of_a;
			unsigned b = (halves_a ? step : tile * steps + step) * of_b;

			part.m = whole->m == 8 ? 8 : 16;
			part.n = 8;
			part.k = shape->step;
			part.a_count = (uint8_t)of_a;
			part.b_count = (uint8_t)of_b;
			memset(part.a, 0, sizeof(part.a));
			memset(part.b, 0, sizeof(part.b));
			memcpy(part.a, whole->a + a, of_a * sizeof(*part.a));
			memcpy(part.b, whole->b + b, of_b * sizeof(*part.b));
			sums_of_tile(&part, whole, tiles, tile);
			if (step) {
				memcpy(part.c, part.d, sizeof(part.c));
				part.c_type = part.d_type;
			}
			emit_product(decoding, &part, step + tile == 0);
		}
	}
}

/* Reads the types of a product. Returns its shape, or NULL if there is none. */
static const struct wmma_shape *read_product_types(const struct matrix_words *words,
						   struct program_product *whole)
{
	const struct wmma_shape *shape;

	whole->d_type = words->types[0];
	whole->c_type = words->types[words->type_count - 1];
	whole->a_type = whole->b_type = MATRIX_F16;
	if (words->type_count == 4) {
		whole->a_type = words->types[1];
		whole->b_type = words->types[2];
	} else if (words->type_count != 2) {
		return NULL;
	}
	shape = find_shape(words, whole->a_type, false);
	if (!shape || whole->a_type != whole->b_type ||
	    (words->type_count == 4) == (whole->a_type == MATRIX_F16) ||
	    (whole->c_type != shape->sums[0] && whole->c_type != shape->sums[1]) ||
	    (whole->d_type != shape->sums[0] && whole->d_type != shape->sums[1]))
		return NULL;
	if (words->combines != (whole->a_type == MATRIX_B1) || words->counts != words->combines ||
	    (words->saturates && whole->c_type != MATRIX_S32) ||
	    (words->rounds && whole->a_type != MATRIX_F64))
		return NULL;
	/* PTX has only contiguous lines of elements below 8 bits. */
	if (matrix_type_bits(whole->a_type) < 8 && (words->columns[0] || !words->columns[1]))
		return NULL;
	return shape;
}

static bool decode_wmma_product(struct function_decoding *decoding)
{
	const struct ptx_operand *operands = decoding->at->operands;
	struct program_product whole = {0};
	const struct wmma_shape *shape;
	struct matrix_words words;
	uint32_t results[8];
	bool separate;

	if (!read_matrix_words(&words, decoding->at, 1) || words.which || words.layout_count != 2 ||
	    words.space != PTX_SPACE_GENERIC)
		return true;
	shape = read_product_types(&words, &whole);
	if (!shape)
		return true;
	if (!require_operands(decoding, 4, 4))
		return false;
	whole.saturates = words.saturates;
	whole.ands = words.ands;
	whole.rounding = words.rounding;
	whole.b_columns = true;
	whole.a_count = factor_fragment(shape, 'a', whole.a_type, false).total;
	whole.b_count = factor_fragment(shape, 'b', whole.b_type, false).total;
	whole.c_count = sum_fragment(shape, whole.c_type, false).total;
	whole.d_count = sum_fragment(shape, whole.d_type, false).total;
	matrix_values(decoding, &operands[1], whole.a_count, whole.a_type, false, whole.a);
	matrix_values(decoding, &operands[2], whole.b_count, whole.b_type, false, whole.b);
	matrix_values(decoding, &operands[3], whole.c_count, whole.c_type, false, whole.c);
	matrix_values(decoding, &operands[0], whole.d_count, whole.d_type, true, whole.d);
	if (decoding->rc || decoding->unsupported)
		return false;
	whole.m = shape->m;
	whole.n = shape->n;
	if (shape->n == 32) {
		uint32_t a[8];

		memcpy(a, whole.a, sizeof(a));
		memcpy(whole.a, whole.b, sizeof(a));
		memcpy(whole.b, a, sizeof(a));
		whole.m = 32;
		whole.n = 8;
	}
	memcpy(results, whole.d, sizeof(results));
	separate = results_are_read(&whole);
	for (unsigned i = 0; separate && i < whole.d_count; i++)
		whole.d[i] = new_temporary(decoding, whole.d_type == MATRIX_F64 ? 64 : 32);
	emit_products(decoding, &whole, shape);
	for (unsigned i = 0; separate && i < whole.d_count; i++)
		emit_step(decoding, whole.d_type == MATRIX_F64 ? ALU_MOV_B64 : ALU_MOV_B32,
			  results[i], whole.d[i], 0, 0);
	emit_extensions(decoding);
	return false;
}

const struct statement_form wmma_forms[] = {
	{"wmma.load.", decode_transfer, 0},
	{"wmma.store.", decode_transfer, 0},
	{"wmma.mma.", decode_wmma_product, 0},
	{0},
};
