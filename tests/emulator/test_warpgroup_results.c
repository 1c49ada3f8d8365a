/*
 * Runs every case of wgmma and compares its results with a model that computes one element of D at
 * a time, from the words that the threads stored. The model states the layouts of the PTX manual,
 * and the rules of docs/results/ptx-matrices.md, in another way than the emulator does.
 * test_matrices.c compares the same cases with a GPU.
 */
#include "support_matrix.h"
#include "support_sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emulator/lanes/handlers.h"

/* Blocks of each profile. test_matrices.c compares all of them with a GPU. */
#define BLOCKS_COMPARED (SANITIZED ? 1u : getenv("PERFLAB_TEST_ALL") ? 8u : 2u)

/* ---- operands ---- */

/* The words that the threads of a block loaded. */
struct block_input {
	const struct matrix_case *matrix;
	const uint32_t *words;
};

static uint32_t word_of(const struct block_input *in, unsigned operand, unsigned word,
			unsigned thread)
{
	unsigned first = 0;

	for (unsigned i = 0; i < operand; i++)
		first += in->matrix->operands[i].count;
	return in->words[(first + word) * GROUP_THREADS + thread];
}

static unsigned bits_from(uint32_t word, unsigned first, unsigned count)
{
	return count == 32 ? word : word >> first & ((UINT32_C(1) << count) - 1);
}

/* The byte of an element from the beginning of its matrix, after "Strides" and "Swizzling Modes" of
 * the PTX manual. `bit` is where the element begins along k. */
static unsigned byte_of(const struct group_form *form, bool is_b, unsigned line, unsigned bit)
{
	unsigned leading = is_b ? form->leading_b : form->leading_a;
	unsigned stride = is_b ? form->stride_b : form->stride_a, row = form->row_bytes;
	unsigned byte = bit / 8, k = bit / 16, at, row_of_128;

	if (is_b ? form->b_turned : form->a_turned) {
		if (row == 16)
			at = line % 8 * 2 + line / 8 * stride + k % 8 * 16 + k / 8 * leading;
		else
			at = line * 2 % row + line * 2 / row * leading + k % 8 * row +
			     k / 8 * stride;
	} else if (row == 16) {
		at = byte % 16 + byte / 16 * leading + line % 8 * 16 + line / 8 * stride;
	} else {
		at = byte + line % 8 * row + line / 8 * stride;
	}
	/* The pattern repeats after eight rows of 128 bytes. In row i of them, bits of i select the
	 * place of 16 bytes among 2, 4 or 8. */
	row_of_128 = at / 128 % 8;
	if (row == 128)
		return at ^ row_of_128 * 16;
	if (row == 64)
		return at ^ row_of_128 % 4 * 16;
	return row == 32 ? at ^ row_of_128 % 2 * 16 : at;
}

static unsigned element_of(const struct block_input *in, bool is_b, unsigned line, unsigned k)
{
	const struct group_form *form = &in->matrix->group;
	unsigned bit = k * form->bits, byte;

	if (!is_b && form->a_in_registers) {
		/* The fragment of A: two rows of eight words along k for each lane. */
		unsigned word = bit / 32, thread = line / 16 * 32 + line % 8 * 4 + word % 4;

		return bits_from(word_of(in, 0, line / 8 % 2 + word / 4 * 2, thread), bit % 32,
				 form->bits);
	}
	byte = form->base * 128 + byte_of(form, is_b, line, bit);
	return bits_from(word_of(in, is_b, byte / 4 / GROUP_THREADS, byte / 4 % GROUP_THREADS),
			 byte % 4 * 8 + bit % 8, form->bits);
}

/* ---- floats ---- */

struct number {
	bool nan, infinite, negative;
	double magnitude;
	int exponent;
};

static struct number number_of(enum matrix_element element, uint32_t bits)
{
	static const struct {
		int exponent, fraction, dropped;
	} formats[] = {
		[ELEMENT_F16] = {5, 10, 0},   [ELEMENT_BF16] = {8, 7, 0},
		[ELEMENT_TF32] = {8, 10, 13}, [ELEMENT_E4M3] = {4, 3, 0},
		[ELEMENT_E5M2] = {5, 2, 0},   [ELEMENT_F32] = {8, 23, 0},
	};
	int exponent_bits = formats[element].exponent, fraction = formats[element].fraction;
	int all = (1 << exponent_bits) - 1, field, digits;
	struct number out = {0};

	bits >>= formats[element].dropped;
	digits = (int)(bits & ((UINT32_C(1) << fraction) - 1));
	field = (int)(bits >> fraction) & all;
	out.negative = bits >> (fraction + exponent_bits) & 1;
	if (element == ELEMENT_E4M3 ? field == all && digits == 7 : field == all) {
		out.nan = element == ELEMENT_E4M3 || digits;
		out.infinite = !out.nan;
		return out;
	}
	out.exponent = (field ? field : 1) - all / 2;
	out.magnitude = ldexp(digits + (field ? 1 << fraction : 0), out.exponent - fraction);
	return out;
}

/* The factors of a block, each decoded once: element k of row m of A, and of column n of B. */
#define MOST_K 256
static struct {
	unsigned a[64][MOST_K], b[256][MOST_K];
	struct number a_number[64][MOST_K], b_number[256][MOST_K];
} factors;

static void factors_decode(const struct block_input *in)
{
	const struct group_form *form = &in->matrix->group;
	const bool is_float = form->of_sum != ELEMENT_S32;

	assert_true(form->k <= MOST_K && form->n <= ARRAY_SIZE(factors.b));
	for (unsigned k = 0; k < form->k; k++) {
		for (unsigned m = 0; m < 64; m++) {
			factors.a[m][k] = element_of(in, false, m, k);
			if (is_float)
				factors.a_number[m][k] = number_of(form->of_a, factors.a[m][k]);
		}
		for (unsigned n = 0; n < form->n; n++) {
			factors.b[n][k] = element_of(in, true, n, k);
			if (is_float)
				factors.b_number[n][k] = number_of(form->of_b, factors.b[n][k]);
		}
	}
}

/* Rounds value * 2^exponent: cuts off after `digits` bits to single precision, or rounds to a half.
 */
static uint32_t rounded(double value, int exponent, bool to_half, int digits)
{
	double magnitude = ldexp(fabs(value), exponent), unit;
	uint32_t sign = value < 0 ? to_half ? 0x8000 : UINT32_C(0x80000000) : 0, bits;
	int least = to_half ? -14 : -126, top;
	float single;

	if (magnitude == 0)
		return 0;
	top = ilogb(magnitude) < least ? least : ilogb(magnitude);
	unit = ldexp(1, top - (to_half ? 10 : digits));
	magnitude = (to_half ? nearbyint(magnitude / unit) : floor(magnitude / unit)) * unit;
	if (!to_half) {
		single = magnitude >= ldexp(1, 128) ? INFINITY : (float)magnitude;
		memcpy(&bits, &single, sizeof(bits));
		return bits ? sign | bits : 0;
	}
	if (magnitude == 0)
		return 0;
	if (magnitude >= 65536)
		return sign | 0x7c00;
	top = ilogb(magnitude);
	return sign | (top < -14 ? (uint32_t)ldexp(magnitude, 24)
				 : (uint32_t)(top + 15) << 10 |
					   ((uint32_t)ldexp(magnitude, 10 - top) & 0x3ff));
}

static uint32_t float_result(const struct block_input *in, unsigned m, unsigned n, uint32_t before)
{
	const struct group_form *form = &in->matrix->group;
	bool to_half = form->of_sum == ELEMENT_F16, bytes = form->bits == 8;
	bool nan = false, above = false, below = false;
	int fraction = bytes ? 13 : 25, largest = -133, exponents[33];
	double values[33], unit, sum = 0;

	for (unsigned k = 0; k <= form->k; k++) {
		struct number a, b;

		if (k < form->k) {
			a = factors.a_number[m][k];
			b = factors.b_number[n][k];
			a.negative ^= form->negates_a;
			b.negative ^= form->negates_b;
		} else {
			a = number_of(form->of_sum, before);
			b = number_of(ELEMENT_F32, UINT32_C(0x3f800000));
		}
		if (a.nan || b.nan || (a.infinite && b.magnitude == 0 && !b.infinite) ||
		    (b.infinite && a.magnitude == 0 && !a.infinite))
			nan = true;
		else if (a.infinite || b.infinite)
			*(a.negative != b.negative ? &below : &above) = true;
		exponents[k] = a.exponent + b.exponent;
		values[k] = a.magnitude * b.magnitude; /* exact: at most 24 bits by 24 */
		if (a.negative != b.negative)
			values[k] = -values[k];
		if (values[k] != 0 && exponents[k] > largest)
			largest = exponents[k];
	}
	if (nan || (above && below))
		return to_half ? 0x7fff : UINT32_C(0x7fffffff);
	if (above || below)
		return (to_half ? 0x7c00 : UINT32_C(0x7f800000)) |
		       (below ? to_half ? 0x8000 : UINT32_C(0x80000000) : 0);
	/* Each addend is cut off `fraction` bits below the largest exponent. */
	unit = ldexp(1, fraction - largest);
	for (unsigned k = 0; k <= form->k; k++)
		sum += trunc(values[k] * unit);
	return rounded(sum, largest - fraction, to_half, bytes ? 13 : 23);
}

/* ---- integers ---- */

static uint32_t integer_result(const struct block_input *in, unsigned m, unsigned n,
			       uint32_t before)
{
	const struct group_form *form = &in->matrix->group;
	int64_t sum = (int32_t)before;

	for (unsigned k = 0; k < form->k; k++) {
		unsigned a = factors.a[m][k], b = factors.b[n][k];

		if (form->bits == 1)
			sum += a & b;
		else
			sum += (int64_t)(form->signed_a ? (int8_t)a : (int)a) *
			       (form->signed_b ? (int8_t)b : (int)b);
	}
	if (form->saturates)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

/* ---- the comparison ---- */

/* The register of D and its bits that hold an element, and the thread. */
static uint32_t sum_of(const struct block_input *in, const uint32_t *results, unsigned m,
		       unsigned n, uint32_t *before)
{
	const struct group_form *form = &in->matrix->group;
	bool is_half = form->of_sum == ELEMENT_F16;
	unsigned thread = m / 16 * 32 + m % 8 * 4 + n % 8 / 2, below = m / 8 % 2;
	unsigned index = is_half ? n / 8 * 2 + below : n / 8 * 4 + below * 2 + n % 2;
	unsigned first = is_half ? n % 2 * 16 : 0, bits = is_half ? 16 : 32;

	*before = form->adds ? bits_from(word_of(in, 2, index, thread), first, bits) : 0;
	return bits_from(results[index * GROUP_THREADS + thread], first, bits);
}

static size_t compare_block(const struct block_input *in, const uint32_t *results, const char *what)
{
	const struct group_form *form = &in->matrix->group;
	size_t wrong = 0;

	factors_decode(in);
	for (unsigned m = 0; m < 64; m++) {
		for (unsigned n = 0; n < form->n; n++) {
			uint32_t before, wanted, got = sum_of(in, results, m, n, &before);

			wanted = form->of_sum == ELEMENT_S32 ? integer_result(in, m, n, before)
							     : float_result(in, m, n, before);
			if (got != wanted && wrong++ < 3)
				print_error("%s, %s: row %u, column %u: %x instead of %x\n",
					    in->matrix->name, what, m, n, got, wanted);
		}
	}
	return wrong;
}

/* The results of the portable lanes are compared with the model, and with scripts/test --all those
 * of the other lanes with these; test_matrices.c compares the other lanes with a GPU. */
static size_t compare_case(const struct matrix_case *matrix)
{
	size_t in_words = matrix_in_bytes(matrix) / 4 / matrix_blocks(matrix), wrong = 0;
	size_t out_words = matrix_out_bytes(matrix) / 4 / matrix_blocks(matrix);
	uint32_t *inputs = xcalloc(matrix_in_bytes(matrix), 1);
	uint32_t *results = xcalloc(matrix_out_bytes(matrix), 1);
	uint32_t *others = xcalloc(matrix_out_bytes(matrix), 1);
	struct text why = TEXT_INIT;

	matrix_inputs(inputs, matrix);
	if (!matrix_emulate(results, matrix, LANES_PORTABLE, BLOCKS_COMPARED, &why))
		fail_msg("%s: %s", matrix->name, why.data);
	for (unsigned profile = 0; profile < matrix->profiles; profile++) {
		for (size_t i = 0; i < BLOCKS_COMPARED; i++) {
			size_t block = profile * MATRIX_SETS + i;
			struct block_input in = {matrix, inputs + block * in_words};
			char *what = xasprintf("profile %u", profile);

			wrong += compare_block(&in, results + block * out_words, what);
			free(what);
		}
	}
	if (handlers_avx2_or_null() && getenv("PERFLAB_TEST_ALL")) {
		if (!matrix_emulate(others, matrix, LANES_AVX2, BLOCKS_COMPARED, &why))
			fail_msg("%s: %s", matrix->name, why.data);
		if (memcmp(others, results, matrix_out_bytes(matrix)) != 0) {
			print_error("%s: AVX2 gives other results than portable code\n",
				    matrix->name);
			wrong++;
		}
	}
	text_release(&why);
	free(others);
	free(inputs);
	free(results);
	return wrong;
}

static void all_lanes_give_what_the_model_gives(void **state)
{
	struct matrix_list list = matrix_list_create();
	size_t wrong = 0, compared = 0;

	(void)state;
	for (size_t i = 0; i < list.count; i++) {
		if (!list.items[i].group.n)
			continue;
		wrong += compare_case(&list.items[i]);
		compared++;
	}
	matrix_list_release(&list);
	assert_true(compared > 80);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_lanes_give_what_the_model_gives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
