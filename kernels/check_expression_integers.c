/* Check expressions: the operations of integers that can fail, and those of their bits. */
#include "kernels/check_expression_tree.h"
#include "kernels/expression_functions.h"

#define FOR_LANES for (int lane = 0; lane < block->lanes; lane++)

/* The divisor is not 0. Division of 32 bits is several times as fast as that of 64. */
static int64_t divide_integers(enum tree_type type, bool remainder, int64_t a, int64_t b)
{
	uint64_t left = (uint64_t)a, right = (uint64_t)b;

	if ((left | right) >> 32 == 0)
		return remainder ? (uint32_t)left % (uint32_t)right
				 : (uint32_t)left / (uint32_t)right;
	if (type == TREE_UNSIGNED)
		return (int64_t)(remainder ? left % right : left / right);
	/* INT64_MIN / -1 wraps, as a product does. */
	if (b == -1)
		return remainder ? 0 : (int64_t)(0 - left);
	return remainder ? a % b : a / b;
}

static int divide_lanes(union tree_value *out, const union tree_value *right,
			const struct tree_binding *binding, const struct tree_block *block,
			const struct tree_node *node, struct error *err)
{
	FOR_LANES
	{
		if (right[lane].integer == 0)
			return tree_fail(binding, block, lane, node, err,
					 "an integer is divided by zero");
		out[lane].integer = divide_integers(node->type, node->operation == TREE_REMAINDER,
						    out[lane].integer, right[lane].integer);
	}
	return 0;
}

/* Bits that leave the 64 are lost, as those of sums and products are. */
static int shift_lanes(union tree_value *out, const union tree_value *right,
		       const struct tree_binding *binding, const struct tree_block *block,
		       const struct tree_node *node, struct error *err)
{
	FOR_LANES
	{
		uint64_t bits = (uint64_t)out[lane].integer, count = (uint64_t)right[lane].integer;

		if (count > 63)
			return tree_fail(binding, block, lane, node, err,
					 "a shift is by 0 to 63 bits");
		out[lane].integer = node->operation == TREE_SHIFT_LEFT ? (int64_t)(bits << count)
				    : node->type == TREE_UNSIGNED      ? (int64_t)(bits >> count)
								       : out[lane].integer >> count;
	}
	return 0;
}

/* A value of a U64 beyond the integers of the functions would be taken for a negative one. */
static bool fits_argument(const struct tree_binding *binding, const struct tree_node *node,
			  int argument, union tree_value value)
{
	return value.integer >= 0 ||
	       binding->expression->nodes[node->operands[argument]].type != TREE_UNSIGNED;
}

static int call_lanes(union tree_value *out, const union tree_value *right,
		      const struct tree_binding *binding, const struct tree_block *block,
		      const struct tree_node *node, struct error *err)
{
	FOR_LANES
	{
		int64_t arguments[EXPRESSION_FUNCTION_ARGUMENTS] = {out[lane].integer};
		const char *cause = NULL;

		if (!fits_argument(binding, node, 0, out[lane]))
			cause = "an argument is over 2^63 - 1";
		if (node->call->argument_count == 2) {
			arguments[1] = right[lane].integer;
			if (!fits_argument(binding, node, 1, right[lane]))
				cause = "an argument is over 2^63 - 1";
		}
		if (!cause)
			cause = node->call->call(&out[lane].integer, arguments);
		if (cause)
			return tree_fail(binding, block, lane, node, err, "%s", cause);
	}
	return 0;
}

int tree_compute_integers(union tree_value *out, const union tree_value *right,
			  const struct tree_binding *binding, const struct tree_block *block,
			  const struct tree_node *node, struct error *err)
{
	switch (node->operation) {
	case TREE_BIT_AND:
		FOR_LANES
		out[lane].integer &= right[lane].integer;
		return 0;
	case TREE_BIT_OR:
		FOR_LANES
		out[lane].integer |= right[lane].integer;
		return 0;
	case TREE_BIT_XOR:
		FOR_LANES
		out[lane].integer ^= right[lane].integer;
		return 0;
	case TREE_SHIFT_LEFT:
	case TREE_SHIFT_RIGHT:
		return shift_lanes(out, right, binding, block, node, err);
	case TREE_CALL:
		return call_lanes(out, right, binding, block, node, err);
	default:
		return divide_lanes(out, right, binding, block, node, err);
	}
}
