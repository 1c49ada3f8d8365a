/* What lanes of a warp do together: the part of the oracle about shuffles, votes and matrices. */
#include "undefined_oracle.h"

#include <string.h>

static struct bits_value read_lane(struct oracle *oracle, unsigned lane,
				   const struct undefined_operand *operand)
{
	return oracle_read(oracle_lane(oracle, lane), operand);
}

/* ---- shuffles and votes ---- */

/* The lanes of `mask` whose predicate holds; it is used at the line. */
static uint32_t voters(struct oracle *oracle, const struct undefined_operand *predicate,
		       uint32_t mask, uint32_t line)
{
	uint32_t out = 0;

	for (unsigned lane = 0; lane < 32; lane++) {
		const struct bits_value value = read_lane(oracle, lane, predicate);

		if (!(mask >> lane & 1))
			continue;
		oracle_use(oracle, value.undefined, value.from, line);
		out |= (uint32_t)value.bits << lane;
	}
	return out;
}

/* Whether the source lane is in range; else it is the lane itself. */
static bool source_lane(const struct undefined_node *node, unsigned lane, unsigned by,
			unsigned *source)
{
	const unsigned segment = node->mask >> 8 & 31, clamp = node->mask & 31;
	const unsigned last = (lane & segment) | (clamp & ~segment & 31);
	int at;
	bool in_range;

	by &= 31;
	switch (node->count) {
	case 0:
		at = (int)((lane & segment) | (by & ~segment & 31));
		break;
	case 1:
		at = (int)lane - (int)by;
		break;
	case 2:
		at = (int)(lane + by);
		break;
	default:
		at = (int)(lane ^ by);
	}
	in_range = node->count == 1 ? at >= (int)last : at <= (int)last;
	*source = in_range ? (unsigned)at : lane;
	return in_range;
}

static void shuffle(struct oracle *oracle, const struct undefined_node *node, uint32_t mask)
{
	const uint32_t holds = voters(oracle, &node->s[2], mask, node->line + 1);
	struct bits_value results[32];
	bool in_range[32];

	for (unsigned lane = 0; lane < 32; lane++) {
		const struct bits_value by = read_lane(oracle, lane, &node->s[1]);
		unsigned source;

		if (!(holds >> lane & 1))
			continue;
		oracle_use(oracle, by.undefined, by.from, node->line + 2);
		in_range[lane] = source_lane(node, lane, (unsigned)by.bits, &source);
		results[lane] =
			holds >> source & 1
				? read_lane(oracle, source, &node->s[0])
				: all_undefined(32,
						oracle_site(oracle, "shuffle from an absent lane",
							    node->line + 2));
	}
	for (unsigned lane = 0; lane < 32; lane++)
		if (holds >> lane & 1) {
			oracle_write(oracle_lane(oracle, lane), &node->d[0], results[lane]);
			oracle_write(oracle_lane(oracle, lane), &node->d[1],
				     (struct bits_value){.bits = in_range[lane]});
		}
}

static void write_all(struct oracle *oracle, const struct undefined_node *node, uint32_t mask,
		      uint64_t bits)
{
	for (unsigned lane = 0; lane < 32; lane++)
		if (mask >> lane & 1)
			oracle_write(oracle_lane(oracle, lane), &node->d[0],
				     (struct bits_value){.bits = bits & 0xffffffff});
}

static void sum_lanes(struct oracle *oracle, const struct undefined_node *node, uint32_t mask)
{
	uint64_t sum = 0;

	for (unsigned lane = 0; lane < 32; lane++) {
		const struct bits_value value = read_lane(oracle, lane, &node->s[0]);

		if (!(mask >> lane & 1))
			continue;
		oracle_use(oracle, value.undefined, value.from, node->line + 1);
		sum += value.bits;
	}
	write_all(oracle, node, mask, sum);
}

/* ---- products of matrices ---- */

struct element {
	int64_t value;
	uint64_t undefined, from;
};
struct product {
	struct element a[16][32], b[32][8], c[16][8];
	unsigned rows, depth;
};

static struct element element_of(struct bits_value value, unsigned bit, unsigned bits)
{
	const uint64_t part = value.bits >> bit & low_mask(bits);

	return (struct element){bits == 8 ? (int8_t)part : (int64_t)part,
				value.undefined >> bit & low_mask(bits), value.from};
}

/* Fragments: register i of a lane holds elements of row lane / 4 (8 rows further for odd i of A, if
 * it has more than one), from column (lane % 4) * elements on (half of the depth further for the
 * later half of the registers). B is the same with columns for rows, and without the odd rule. */
static void gather_factors(struct oracle *oracle, const struct undefined_node *node,
			   struct product *product, unsigned bits)
{
	const unsigned elements = 32 / bits, a = product->rows == 16 ? 4 : 1;
	const unsigned b = product->rows == 16 ? 2 : 1;
	const uint64_t kept = node->op == DO_MMA_HALF ? 0x04000400 : UINT32_MAX;

	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned i = 0; i < a + b; i++) {
			struct bits_value value = read_lane(oracle, lane, &node->s[i]);
			const unsigned late = i < a ? i / 2 : i - a;
			const unsigned row = lane / 4 + (i < a ? 8 * (i % 2) : 0);

			value.bits &= kept;
			value.undefined &= kept;
			for (unsigned k = 0; k < elements; k++) {
				const unsigned at =
					lane % 4 * elements + k + late * product->depth / 2;
				const struct element e = element_of(value, k * bits, bits);

				if (i < a)
					product->a[row][at] = e;
				else
					product->b[at][row] = e;
			}
		}
}

static struct bits_value sum_of(const struct undefined_node *node, const struct product *product,
				unsigned row, unsigned column, struct bits_value c)
{
	uint64_t undefined = c.undefined, from = c.from;
	int64_t sum = 0;

	for (unsigned k = 0; k < product->depth; k++) {
		const struct element *a = &product->a[row][k], *b = &product->b[k][column];

		undefined |= a->undefined | b->undefined;
		from |= (a->undefined ? a->from : 0) | (b->undefined ? b->from : 0);
		sum += node->op == DO_MMA_HALF ? a->value && b->value : a->value * b->value;
	}
	if (undefined)
		return all_undefined(32, from);
	if (node->op == DO_MMA_HALF) {
		const uint32_t word = (uint32_t)c.bits;
		float total;

		memcpy(&total, &word, sizeof(total));
		total += (float)sum / (1 << 28);
		memcpy(&c.bits, &total, sizeof(total));
		return c;
	}
	c.bits = (c.bits + (uint64_t)sum) & 0xffffffff;
	return c;
}

static void multiply(struct oracle *oracle, const struct undefined_node *node)
{
	struct product product = {.rows = node->op == DO_MMA8 ? 8 : 16,
				  .depth = node->op == DO_MMA16 ? 32 : 16};
	const unsigned first = node->op == DO_MMA8 ? 2 : 6, sums = node->op == DO_MMA8 ? 2 : 4;

	gather_factors(oracle, node, &product, node->op == DO_MMA_HALF ? 16 : 8);
	for (unsigned lane = 0; lane < 32; lane++) {
		struct bits_value results[4];

		for (unsigned i = 0; i < sums; i++)
			results[i] =
				sum_of(node, &product, lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2,
				       read_lane(oracle, lane, &node->s[first + i]));
		for (unsigned i = 0; i < sums; i++)
			oracle_write(oracle_lane(oracle, lane), &node->d[i], results[i]);
	}
}

/* ---- matrices of halves ---- */

/* The two elements that a lane holds: row lane / 4, or of the transposed matrix. */
static void element_place(unsigned lane, unsigned k, bool transposed, unsigned *row,
			  unsigned *column)
{
	*row = transposed ? lane % 4 * 2 + k : lane / 4;
	*column = transposed ? lane / 4 : lane % 4 * 2 + k;
}

static void load_matrices(struct oracle *oracle, const struct undefined_node *node)
{
	struct bits_value results[4][32] = {0};

	for (unsigned i = 0; i < 8 * node->count; i++)
		oracle_place(oracle, node, i, node->offset, 16);
	for (unsigned i = 0; i < 2 * 32 * node->count; i++) {
		const unsigned k = i % 2, lane = i / 2 % 32, matrix = i / 64;
		unsigned row, column;
		struct oracle_bytes at;
		struct bits_value part;

		element_place(lane, k, node->is_signed, &row, &column);
		at = oracle_place(oracle, node, 8 * matrix + row, node->offset, 16);
		at.data += 2 * column;
		at.undefined += 2 * column;
		part = oracle_load(at, 2, oracle_site(oracle, oracle_read_kind(node), node->line));
		results[matrix][lane].bits |= part.bits << (16 * k);
		results[matrix][lane].undefined |= part.undefined << (16 * k);
		results[matrix][lane].from |= part.from;
	}
	for (unsigned i = 0; i < 32 * node->count; i++)
		oracle_write(oracle_lane(oracle, i % 32), &node->d[i / 32],
			     results[i / 32][i % 32]);
}

static void store_matrices(struct oracle *oracle, const struct undefined_node *node)
{
	for (unsigned i = 0; i < 2 * 32 * node->count; i++) {
		const unsigned k = i % 2, lane = i / 2 % 32, matrix = i / 64;
		struct bits_value value = read_lane(oracle, lane, &node->s[matrix]);
		unsigned row, column;
		struct oracle_bytes at;

		element_place(lane, k, node->is_signed, &row, &column);
		at = oracle_place(oracle, node, 8 * matrix + row, node->offset, 16);
		at.data += 2 * column;
		at.undefined += 2 * column;
		value.bits >>= 16 * k;
		value.undefined >>= 16 * k;
		oracle_store(at, 2, value);
	}
}

static void transpose(struct oracle *oracle, const struct undefined_node *node)
{
	struct bits_value results[32] = {0};

	for (unsigned lane = 0; lane < 32; lane++)
		for (unsigned k = 0; k < 2; k++) {
			unsigned row, column;
			struct bits_value value;

			element_place(lane, k, true, &row, &column);
			value = read_lane(oracle, 4 * row + column / 2, &node->s[0]);
			results[lane].bits |= (value.bits >> (16 * (column % 2)) & 0xffff)
					      << (16 * k);
			results[lane].undefined |= (value.undefined >> (16 * (column % 2)) & 0xffff)
						   << (16 * k);
			results[lane].from |= value.from;
		}
	for (unsigned lane = 0; lane < 32; lane++)
		oracle_write(oracle_lane(oracle, lane), &node->d[0], results[lane]);
}

bool oracle_warp_wide(struct oracle *oracle, const struct undefined_node *node, uint32_t mask)
{
	if (node->op >= DO_MMA8 && node->op <= DO_MOVMATRIX && mask != UINT32_MAX)
		oracle_invalid(oracle);
	switch (node->op) {
	case DO_SHUFFLE:
		shuffle(oracle, node, mask);
		return true;
	case DO_VOTE:
		write_all(oracle, node, mask, voters(oracle, &node->s[0], mask, node->line + 1));
		return true;
	case DO_REDUX:
		sum_lanes(oracle, node, mask);
		return true;
	case DO_MMA8:
	case DO_MMA16:
	case DO_MMA_HALF:
		multiply(oracle, node);
		return true;
	case DO_LDMATRIX:
		load_matrices(oracle, node);
		return true;
	case DO_STMATRIX:
		store_matrices(oracle, node);
		return true;
	case DO_MOVMATRIX:
		transpose(oracle, node);
		return true;
	default:
		return false;
	}
}
