/*
 * Products of matrices of floats, added as the tensor cores of an H200 add.
 *
 * A block of products and the sum so far are added at once. Products are exact.
 * Each addend is shifted to the largest exponent, cut off after a number of
 * bits, and added as an integer. The result is cut off to single precision, and
 * is the sum so far of the next block. The exponent of a product is the sum of
 * those of its factors, even if the product of their significands is 2 or more.
 */
#include "emulator/lanes/alu_convert.h"
#include "emulator/lanes/matrix.h"

#include <string.h>

#define MOST_K 32

/* The exponent of a zero: below all others, so that it never counts as the largest. */
#define NOWHERE (-100000)
/* The largest exponent of a sum is at least this, so that addends are cut off at 2^-158 or above.
 */
#define LEAST_EXPONENT (-133)

struct format {
	unsigned exponent_bits, fraction_bits;
};

ALWAYS_INLINE struct format float_format_of(uint8_t type)
{
	switch (type) {
	case MATRIX_F16:
		return (struct format){5, 10};
	case MATRIX_BF16:
		return (struct format){8, 7};
	case MATRIX_TF32:
		return (struct format){8, 10};
	case MATRIX_E4M3:
		return (struct format){4, 3};
	case MATRIX_E5M2:
		return (struct format){5, 2};
	default:
		return (struct format){8, 23};
	}
}

/* ---- factors ---- */

/* The elements of A or B along one k, for all rows or columns. */
struct line {
	_Alignas(64) int32_t significand[MATRIX_MOST_M];
	_Alignas(64) int32_t exponent[MATRIX_MOST_M];
};

/*
 * Element k of a line is in `words` of that line. tf32 ignores the low bits of
 * its word.
 */
ALWAYS_INLINE uint32_t element_bits(uint32_t word, unsigned k, uint8_t type)
{
	unsigned bits = matrix_bits(type);

	if (type == MATRIX_TF32)
		return word >> 13;
	return bits == 32 ? word : word >> k % (32 / bits) * bits & ((UINT32_C(1) << bits) - 1);
}

/* Whether an element is infinite or not a number; those of E4M3 have no infinity. */
ALWAYS_INLINE bool is_special(uint32_t bits, uint8_t type, const struct format *format)
{
	uint32_t magnitude =
		bits & ((UINT32_C(1) << (format->exponent_bits + format->fraction_bits)) - 1);
	uint32_t all = (UINT32_C(1) << format->exponent_bits) - 1;

	return type == MATRIX_E4M3 ? magnitude == 0x7f : magnitude >> format->fraction_bits == all;
}

/* Reads element k of `width` lines. Returns true if one is infinite or not a number. */
ALWAYS_INLINE bool line_read(struct line *line, const uint32_t *words, unsigned width, unsigned k,
			     uint8_t type)
{
	const struct format format = float_format_of(type);
	const int32_t bias = (1 << (format.exponent_bits - 1)) - 1;
	const uint32_t all = (UINT32_C(1) << format.exponent_bits) - 1;
	uint32_t special = 0;

	for (unsigned i = 0; i < width; i++) {
		uint32_t bits = element_bits(words[i], k, type);
		int32_t fraction = (int32_t)(bits & ((UINT32_C(1) << format.fraction_bits) - 1));
		int32_t field = (int32_t)(bits >> format.fraction_bits & all);
		int32_t sign = -(int32_t)(bits >> (format.fraction_bits + format.exponent_bits));

		special |= is_special(bits, type, &format);
		fraction |= field ? 1 << format.fraction_bits : 0;
		line->exponent[i] = fraction ? (field ? field : 1) - bias : NOWHERE;
		line->significand[i] = (fraction ^ sign) - sign;
	}
	return special;
}

struct factors {
	struct line a[MOST_K], b[MOST_K];
	bool special;
};

/* ---- what is infinite or not a number ---- */

struct special_sum {
	bool nan, above, below; /* infinities */
};

/* Adds a product of two elements, or an addend as a product with one. */
static void special_add(struct special_sum *sum, uint32_t a, uint8_t of_a, uint32_t b, uint8_t of_b)
{
	const struct format format_a = float_format_of(of_a), format_b = float_format_of(of_b);
	unsigned bits_a = format_a.exponent_bits + format_a.fraction_bits;
	unsigned bits_b = format_b.exponent_bits + format_b.fraction_bits;
	bool special_a = is_special(a, of_a, &format_a), special_b = is_special(b, of_b, &format_b);
	uint32_t size_a = a & ((UINT32_C(1) << bits_a) - 1),
		 size_b = b & ((UINT32_C(1) << bits_b) - 1);
	bool negative = (a >> bits_a & 1) != (b >> bits_b & 1);

	if (!special_a && !special_b)
		return;
	if (!size_a || !size_b ||
	    (special_a &&
	     (of_a == MATRIX_E4M3 || size_a & ((UINT32_C(1) << format_a.fraction_bits) - 1))) ||
	    (special_b &&
	     (of_b == MATRIX_E4M3 || size_b & ((UINT32_C(1) << format_b.fraction_bits) - 1)))) {
		sum->nan = true;
	} else {
		sum->above |= !negative;
		sum->below |= negative;
	}
}

/* Returns true, and sets *sum, if the sum is not a finite number. */
static bool special_sum(uint32_t *sum, const struct matrix_tile *tile, unsigned m, unsigned n)
{
	const bool to_half = tile->product->d_type == MATRIX_F16;
	const struct program_product *product = tile->product;
	uint8_t of_a = product->a_type, of_b = product->b_type;
	unsigned per_word = 32 / matrix_bits(of_a);
	struct special_sum all = {false, false, false};

	special_add(&all, *sum, MATRIX_F32, UINT32_C(0x3f800000), MATRIX_F32);
	for (unsigned k = 0; k < product->k; k++)
		special_add(&all, element_bits(tile->a[k / per_word][m], k, of_a), of_a,
			    element_bits(tile->b[k / per_word][n], k, of_b), of_b);
	if (all.nan || (all.above && all.below))
		*sum = to_half ? 0x7fff : UINT32_C(0x7fffffff);
	else if (all.above || all.below)
		*sum = to_half ? (all.below ? 0xfc00 : 0x7c00)
			       : (all.below ? UINT32_C(0xff800000) : UINT32_C(0x7f800000));
	else
		return false;
	return true;
}

/* ---- sums ---- */

/* Returns sum * 2^exponent, cut off to single precision. */
static uint32_t single_cut_off(int64_t sum, int32_t exponent)
{
	uint64_t magnitude = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
	uint32_t sign = sum < 0 ? UINT32_C(0x80000000) : 0;
	int shift, top;

	if (!magnitude)
		return 0;
	top = 63 - __builtin_clzll(magnitude);
	exponent += top;
	if (exponent > 127)
		return sign | UINT32_C(0x7f800000);
	/* A subnormal number has the exponent of the least normal one. */
	shift = top - 23 + (exponent < -126 ? -126 - exponent : 0);
	magnitude = shift > 63 ? 0 : shift >= 0 ? magnitude >> shift : magnitude << -shift;
	if (exponent < -126)
		return magnitude ? sign | (uint32_t)magnitude : 0;
	return sign | (((uint32_t)(exponent + 126) << 23) + (uint32_t)magnitude);
}

/* The sums of a line: whole numbers below 2^53, times 2^exponent. */
struct wide_sums {
	_Alignas(64) double sum[MATRIX_N];
	_Alignas(32) int32_t exponent[MATRIX_N];
};

/* An addend with that many bits below the point, cut off after `fraction` bits below an exponent
 * that is larger by `shift`. */
ALWAYS_INLINE int32_t addend_shifted(int32_t addend, unsigned up, int32_t shift)
{
	int32_t sign = addend >> 31;
	uint32_t magnitude = (uint32_t)((addend ^ sign) - sign) << up;
	uint32_t down = (uint32_t)shift > 31 ? 31 : (uint32_t)shift;

	return ((int32_t)(magnitude >> down) ^ sign) - sign;
}

/* Adds `count` products from `first` on to the sums so far of line m. Sums and products have
 * `sum_fraction` and `product_fraction` bits after the point. The magnitude of eight addends is
 * below 2^31. */
ALWAYS_INLINE void block_add(struct wide_sums *wide, const struct line *sums, unsigned sum_fraction,
			     const struct factors *factors, unsigned m, unsigned first,
			     unsigned count, unsigned product_fraction, unsigned fraction)
{
	const unsigned up = sum_fraction < fraction ? fraction - sum_fraction : 0;
	const int32_t down = sum_fraction < fraction ? 0 : (int32_t)(sum_fraction - fraction);

	_Alignas(32) int32_t largest[MATRIX_N], part[MATRIX_N];

	for (unsigned n = 0; n < MATRIX_N; n++)
		largest[n] =
			sums->exponent[n] > LEAST_EXPONENT ? sums->exponent[n] : LEAST_EXPONENT;
	for (unsigned k = first; k < first + count; k++) {
		const struct line *b = &factors->b[k];
		int32_t of_a = factors->a[k].exponent[m];

		for (unsigned n = 0; n < MATRIX_N; n++) {
			int32_t here = of_a + b->exponent[n];

			largest[n] = here > largest[n] ? here : largest[n];
		}
	}
	for (unsigned n = 0; n < MATRIX_N; n++)
		part[n] = addend_shifted(sums->significand[n], up,
					 largest[n] - sums->exponent[n] + down);
	for (unsigned n = 0; n < MATRIX_N; n++)
		wide->sum[n] = part[n];
	for (unsigned k = first; k < first + count;) {
		for (unsigned n = 0; n < MATRIX_N; n++)
			part[n] = 0;
		for (unsigned end = k + 8 < first + count ? k + 8 : first + count; k < end; k++) {
			const struct line *b = &factors->b[k];
			int32_t of_a = factors->a[k].exponent[m];
			int32_t factor = factors->a[k].significand[m];

			for (unsigned n = 0; n < MATRIX_N; n++)
				part[n] += addend_shifted(factor * b->significand[n],
							  fraction - product_fraction,
							  largest[n] - of_a - b->exponent[n]);
		}
		for (unsigned n = 0; n < MATRIX_N; n++)
			wide->sum[n] += part[n];
	}
	for (unsigned n = 0; n < MATRIX_N; n++)
		wide->exponent[n] = largest[n] - (int32_t)fraction;
}

static void sums_cut_off(uint32_t *sums, const struct wide_sums *wide)
{
	uint32_t odd = 0;

	for (unsigned n = 0; n < MATRIX_N; n++) {
		uint64_t bits;
		int32_t of_sum;

		memcpy(&bits, &wide->sum[n], sizeof(bits));
		of_sum = (int32_t)(bits >> 52 & 2047) - 1023 + wide->exponent[n];
		sums[n] = (uint32_t)(bits >> 32 & UINT32_C(0x80000000)) |
			  (uint32_t)(of_sum + 127) << 23 | (uint32_t)(bits << 12 >> 41);
		odd |= (uint32_t)(of_sum + 126) > 253;
	}
	if (!odd)
		return;
	for (unsigned n = 0; n < MATRIX_N; n++)
		sums[n] = single_cut_off((int64_t)wide->sum[n], wide->exponent[n]);
}

/* ---- halves ---- */

/* Rounds sum * 2^exponent to nearest, to even. */
static uint32_t half_of_wide(double sum, int32_t exponent)
{
	uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum), half, lost;
	uint32_t sign = sum < 0 ? 0x8000 : 0;
	int top, shift;

	if (!magnitude)
		return 0;
	top = 63 - __builtin_clzll(magnitude);
	if (exponent + top > 15)
		return sign | 0x7c00;
	/* The last bit of a half is worth 2^(its exponent - 10), of a subnormal one 2^-24. */
	shift = (exponent + top < -14 ? -24 : exponent + top - 10) - exponent;
	if (shift > 62)
		return 0;
	half = shift > 0 ? magnitude >> shift : magnitude << -shift;
	lost = shift > 0 ? magnitude - (half << shift) : 0;
	if (shift > 0 && (lost > UINT64_C(1) << (shift - 1) ||
			  (lost == UINT64_C(1) << (shift - 1) && (half & 1))))
		half++;
	/* A carry out of the fraction goes into the exponent. */
	top += exponent;
	if (!half)
		return 0;
	return sign | (((uint32_t)(top < -14 ? 0 : top + 14) << 10) + (uint32_t)half);
}

/* Compiled for each type of the factors. `block` products are added at once; `fraction` is the
 * number of bits that an addend keeps below the largest exponent. */
ALWAYS_INLINE void add_floats(struct matrix_tile *tile, uint8_t of_a, uint8_t of_b, unsigned block,
			      unsigned fraction)
{
	const struct program_product *product = tile->product;
	const unsigned per_word = 32 / matrix_bits(of_a);
	const unsigned product_fraction =
		float_format_of(of_a).fraction_bits + float_format_of(of_b).fraction_bits;
	/* Only if C has halves, too, the sum is rounded to halves at once. */
	const bool direct = product->c_type == MATRIX_F16 && product->d_type == MATRIX_F16;
	struct factors factors;
	bool special = false;

	for (unsigned k = 0; k < product->k; k++) {
		special |= line_read(&factors.a[k], tile->a[k / per_word], MATRIX_MOST_M, k, of_a);
		special |= line_read(&factors.b[k], tile->b[k / per_word], MATRIX_N, k, of_b);
	}
	for (unsigned m = 0; m < product->m; m++) {
		uint32_t *sums = tile->sum[m], before[MATRIX_N];
		bool special_line = special;
		struct wide_sums wide;
		struct line addends;

		for (unsigned n = 0; n < MATRIX_N; n++)
			before[n] = product->c_type == MATRIX_F16
					    ? bits_of_f32(half_to_float((uint16_t)sums[n]))
					    : sums[n];
		if (!direct) /* a subnormal half keeps the exponent of halves */
			memcpy(sums, before, sizeof(before));
		for (unsigned k = 0; k < product->k; k += block) {
			special_line |= line_read(&addends, sums, MATRIX_N, 0,
						  direct ? MATRIX_F16 : MATRIX_F32);
			block_add(&wide, &addends, direct ? 10 : 23, &factors, m, k,
				  product->k - k < block ? product->k - k : block, product_fraction,
				  fraction);
			if (!direct)
				sums_cut_off(sums, &wide);
		}
		for (unsigned n = 0; direct && n < MATRIX_N; n++)
			sums[n] = half_of_wide(wide.sum[n], wide.exponent[n]);
		for (unsigned n = 0; !direct && product->d_type == MATRIX_F16 && n < MATRIX_N; n++)
			sums[n] = float_to_half(f32_of_bits(sums[n]), ROUND_RN);
		for (unsigned n = 0; special_line && n < MATRIX_N; n++)
			if (special_sum(&before[n], tile, m, n))
				sums[n] = before[n];
	}
}

/* ---- 8-bit floats ---- */

/* Converts the two low bytes of a word to halves, exactly. */
static uint32_t halves_of_bytes(uint32_t word, uint8_t type)
{
	uint32_t halves = 0;

	for (unsigned i = 0; i < 2; i++) {
		uint32_t byte = word >> i * 8 & 0xff, half = byte << 8;

		if (type == MATRIX_E4M3) {
			/* Read as a half, these digits are 2^8 times as small. */
			uint16_t digits = (uint16_t)((byte & 0x80) << 8 | (byte & 0x7f) << 7);

			half = (byte & 0x7f) == 0x7f
				       ? 0x7fff
				       : float_to_half(half_to_float(digits) * 256, ROUND_RN);
		}
		halves |= half << i * 16;
	}
	return halves;
}

/*
 * An H200 converts 8-bit floats to halves. It first multiplies the elements in
 * the low bytes of each register, then adds the products of the high bytes, and
 * last adds C, rounded to nearest.
 */
static void add_bytes(struct matrix_tile *tile)
{
	const struct program_product *product = tile->product;
	struct program_product of_halves = *product;
	struct matrix_tile halves = {.product = &of_halves};
	const unsigned words = product->k / 4;

	of_halves.a_type = of_halves.b_type = MATRIX_F16;
	of_halves.k /= 2;
	for (unsigned high = 0; high < 2; high++) {
		for (unsigned i = 0; i < words; i++) {
			for (unsigned m = 0; m < product->m; m++)
				halves.a[i][m] = halves_of_bytes(tile->a[i][m] >> 16 * high,
								 product->a_type);
			for (unsigned n = 0; n < MATRIX_N; n++)
				halves.b[i][n] = halves_of_bytes(tile->b[i][n] >> 16 * high,
								 product->b_type);
		}
		add_floats(&halves, MATRIX_F16, MATRIX_F16, 16, 25);
	}
	for (unsigned m = 0; m < product->m; m++) {
		for (unsigned n = 0; n < MATRIX_N; n++) {
			uint32_t *sum = &tile->sum[m][n], more = halves.sum[m][n];

			if (product->d_type == MATRIX_F16)
				*sum = float_to_half(half_to_float((uint16_t)*sum) +
							     half_to_float((uint16_t)more),
						     ROUND_RN);
			else
				*sum = bits_of_f32(f32_of_bits(*sum) + f32_of_bits(more));
			if (product->d_type != MATRIX_F16 && (*sum & 0x7fffffff) > 0x7f800000)
				*sum = UINT32_C(0x7fffffff);
		}
	}
}

/*
 * wgmma multiplies 8-bit floats themselves. 32 products and C are added at once, and each addend is
 * cut off 13 bits below the largest exponent. A sum of single precision keeps 13 bits, too. This is
 * the rule of MMA-Sim (arXiv:2511.10909), which its authors compared with an H100.
 */
#define BYTE_FRACTION 13
#define BYTE_CUT_OFF UINT32_C(0xfffffc00) /* 13 of 23 bits */

ALWAYS_INLINE void add_grouped_bytes(struct matrix_tile *tile, uint8_t of_a, uint8_t of_b)
{
	const struct program_product *product = tile->product;
	const uint8_t of_sum = product->d_type;
	const unsigned product_fraction =
		float_format_of(of_a).fraction_bits + float_format_of(of_b).fraction_bits;
	struct factors factors;
	bool special = false;

	for (unsigned k = 0; k < MOST_K; k++) {
		special |= line_read(&factors.a[k], tile->a[k / 4], MATRIX_MOST_M, k, of_a);
		special |= line_read(&factors.b[k], tile->b[k / 4], MATRIX_N, k, of_b);
	}
	for (unsigned m = 0; m < MATRIX_MOST_M; m++) {
		uint32_t *sums = tile->sum[m], before[MATRIX_N];
		struct wide_sums wide;
		struct line addends;
		bool special_line = special | line_read(&addends, sums, MATRIX_N, 0, of_sum);

		memcpy(before, sums, sizeof(before));
		block_add(&wide, &addends, float_format_of(of_sum).fraction_bits, &factors, m, 0,
			  MOST_K, product_fraction, BYTE_FRACTION);
		if (of_sum == MATRIX_F32)
			sums_cut_off(sums, &wide);
		for (unsigned n = 0; n < MATRIX_N; n++)
			sums[n] = of_sum == MATRIX_F32
					  ? sums[n] & BYTE_CUT_OFF
					  : half_of_wide(wide.sum[n], wide.exponent[n]);
		for (unsigned n = 0; n < MATRIX_N && special_line; n++) {
			if (of_sum == MATRIX_F16)
				before[n] = bits_of_f32(half_to_float((uint16_t)before[n]));
			if (special_sum(&before[n], tile, m, n))
				sums[n] = before[n];
		}
	}
}

static void add_grouped(struct matrix_tile *tile)
{
	const struct program_product *product = tile->product;

	if (product->a_type == MATRIX_E4M3 && product->b_type == MATRIX_E4M3)
		add_grouped_bytes(tile, MATRIX_E4M3, MATRIX_E4M3);
	else if (product->a_type == MATRIX_E4M3)
		add_grouped_bytes(tile, MATRIX_E4M3, MATRIX_E5M2);
	else if (product->b_type == MATRIX_E4M3)
		add_grouped_bytes(tile, MATRIX_E5M2, MATRIX_E4M3);
	else
		add_grouped_bytes(tile, MATRIX_E5M2, MATRIX_E5M2);
}

void LANES_NAME(matrix_add_floats)(struct matrix_tile *tile)
{
	const struct program_product *product = tile->product;

	switch (product->a_type) {
	case MATRIX_F16:
		add_floats(tile, MATRIX_F16, MATRIX_F16, 16, 25);
		break;
	case MATRIX_BF16:
		add_floats(tile, MATRIX_BF16, MATRIX_BF16, 16, 25);
		break;
	case MATRIX_TF32:
		add_floats(tile, MATRIX_TF32, MATRIX_TF32, 8, 25);
		break;
	default:
		if (product->grouped)
			add_grouped(tile);
		else
			add_bytes(tile);
	}
}
