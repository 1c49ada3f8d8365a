/*
 * Check expressions: the values of a node for a block of elements. Each
 * operation is a loop over the lanes. Where only some lanes need a node, as
 * after a condition, these are packed into a smaller block.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "kernels/check_expression_tree.h"
#include "kernels/element.h"

#define FOR_LANES for (int lane = 0; lane < block->lanes; lane++)

static bool value_is_true(enum tree_type type, union tree_value value)
{
	return type == TREE_REAL ? value.real != 0.0 : value.integer != 0;
}

/* The block of the bodies of a reduction: pairs of a lane of the block and an index. */
struct reduction_pairs {
	const struct tree_binding *binding;
	const struct tree_node *node;
	const struct tree_block *block;
	struct tree_total totals[TREE_LANES];
	int64_t slots[TREE_SLOTS][TREE_LANES];
	int lane_of[TREE_LANES];
	int count;
};

static int reduction_flush(struct reduction_pairs *pairs, struct error *err)
{
	union tree_value values[TREE_LANES];
	struct tree_block bodies = {.slot_count = pairs->node->slot + 1,
				    .lanes = pairs->count,
				    .of_result = pairs->block->of_result};
	int rc;

	for (int s = 0; s < bodies.slot_count; s++)
		bodies.slots[s] = pairs->slots[s];
	rc = tree_evaluate(values, pairs->binding, &bodies, pairs->node->operands[2], err);
	for (int i = 0; !rc && i < pairs->count; i++)
		tree_total_add(&pairs->totals[pairs->lane_of[i]], pairs->node, values[i],
			       pairs->slots[pairs->node->slot][i]);
	pairs->count = 0;
	return rc;
}

__attribute__((noinline)) static int
evaluate_reduction(union tree_value *out, const struct tree_binding *binding,
		   const struct tree_block *block, const struct tree_node *node, struct error *err)
{
	struct reduction_pairs pairs = {.binding = binding, .node = node, .block = block};
	union tree_value first[TREE_LANES], end[TREE_LANES];
	int rc = tree_evaluate(first, binding, block, node->operands[0], err);

	if (!rc)
		rc = tree_evaluate(end, binding, block, node->operands[1], err);
	FOR_LANES
	{
		for (int64_t j = first[lane].integer; !rc && j < end[lane].integer; j++) {
			for (int s = 0; s < block->slot_count; s++)
				pairs.slots[s][pairs.count] =
					block->slots[s] ? block->slots[s][lane] : 0;
			pairs.slots[node->slot][pairs.count] = j;
			pairs.lane_of[pairs.count++] = lane;
			if (pairs.count == TREE_LANES)
				rc = reduction_flush(&pairs, err);
		}
		if (rc)
			return rc;
	}
	if (pairs.count)
		rc = reduction_flush(&pairs, err);
	for (int lane = 0; !rc && lane < block->lanes; lane++)
		rc = tree_total_end(&out[lane], &pairs.totals[lane], binding, node, err);
	return rc;
}

/* Copies the result that was computed before the elements. */
static int evaluate_constant(union tree_value *out, const struct tree_binding *binding,
			     const struct tree_block *block, int node, struct error *err)
{
	const struct tree_constant *constant = &binding->constants[node];

	if (constant->rc)
		return error_set(err, constant->rc, "%s", constant->err.text);
	FOR_LANES
	out[lane] = constant->value;
	return 0;
}

/* ---- operands that only some lanes need ---- */

/* Evaluates a node for the `count` lanes of the block in `chosen`. */
__attribute__((noinline)) static int evaluate_chosen(union tree_value *out,
						     const struct tree_binding *binding,
						     const struct tree_block *block, int node,
						     const int *chosen, int count,
						     struct error *err)
{
	int64_t slots[TREE_SLOTS][TREE_LANES];
	union tree_value values[TREE_LANES];
	struct tree_block packed = {
		.slot_count = block->slot_count, .lanes = count, .of_result = block->of_result};
	int rc;

	if (!count)
		return 0;
	if (count == block->lanes)
		return tree_evaluate(out, binding, block, node, err);
	for (int s = 0; s < block->slot_count; s++) {
		if (!block->slots[s])
			continue;
		for (int i = 0; i < count; i++)
			slots[s][i] = block->slots[s][chosen[i]];
		packed.slots[s] = slots[s];
	}
	rc = tree_evaluate(values, binding, &packed, node, err);
	for (int i = 0; !rc && i < count; i++)
		out[chosen[i]] = values[i];
	return rc;
}

static int list_chosen_lanes(int *chosen, const struct tree_block *block, enum tree_type type,
			     const union tree_value *conditions, bool wanted)
{
	int count = 0;

	FOR_LANES
	if (value_is_true(type, conditions[lane]) == wanted)
		chosen[count++] = lane;
	return count;
}

static int evaluate_choice(union tree_value *out, const struct tree_binding *binding,
			   const struct tree_block *block, const struct tree_node *node,
			   struct error *err)
{
	enum tree_type type = binding->expression->nodes[node->operands[0]].type;
	union tree_value conditions[TREE_LANES];
	int chosen[TREE_LANES] = {0}, count;
	int rc = tree_evaluate(conditions, binding, block, node->operands[0], err);

	if (rc)
		return rc;
	for (int branch = 0; !rc && branch < 2; branch++) {
		count = list_chosen_lanes(chosen, block, type, conditions, !branch);
		rc = evaluate_chosen(out, binding, block, node->operands[1 + branch], chosen, count,
				     err);
	}
	return rc;
}

/* && and ||: the right operand is needed where the left one is true, or false. */
static int evaluate_logic(union tree_value *out, const struct tree_binding *binding,
			  const struct tree_block *block, const struct tree_node *node,
			  struct error *err)
{
	const struct tree_node *nodes = binding->expression->nodes;
	bool and = node->operation == TREE_AND;
	enum tree_type right_type = nodes[node->operands[1]].type;
	int chosen[TREE_LANES] = {0}, count;
	int rc = tree_evaluate(out, binding, block, node->operands[0], err);

	if (rc)
		return rc;
	count = list_chosen_lanes(chosen, block, nodes[node->operands[0]].type, out, and);
	FOR_LANES
	out[lane].integer = !and;
	rc = evaluate_chosen(out, binding, block, node->operands[1], chosen, count, err);
	for (int i = 0; !rc && i < count; i++)
		out[chosen[i]].integer = value_is_true(right_type, out[chosen[i]]);
	return rc;
}

/* ---- elements ---- */

static int evaluate_element(union tree_value *out, const struct tree_binding *binding,
			    const struct tree_block *block, const struct tree_node *node,
			    struct error *err)
{
	const struct tree_buffer *buffer = &binding->expression->buffers[node->name];
	const void *data = binding->data[node->name];
	int64_t length = binding->lengths[node->name];
	bool is_unsigned = binding->expression->nodes[node->operands[0]].type == TREE_UNSIGNED;
	int rc = tree_evaluate(out, binding, block, node->operands[0], err);

	if (rc)
		return rc;
	FOR_LANES
	{
		char number[32];

		if ((uint64_t)out[lane].integer < (uint64_t)length)
			continue;
		snprintf(number, sizeof(number), is_unsigned ? "%" PRIu64 : "%" PRId64,
			 out[lane].integer);
		return tree_fail(binding, block, lane, node, err,
				 "index %s is outside of %s, which has %" PRId64 " elements",
				 number, buffer->name, length);
	}
	if (buffer->type == ELEMENT_F32)
		FOR_LANES
	out[lane].real = ((const float *)data)[out[lane].integer];
	else if (element_is_integer(buffer->type)) FOR_LANES out[lane].integer =
		element_integer(buffer->type, data, out[lane].integer);
	else FOR_LANES out[lane].real = element_value(buffer->type, data, out[lane].integer);
	return 0;
}

/* ---- arithmetic ---- */

static void convert_values(union tree_value *out, int lanes, enum tree_type from, enum tree_type to)
{
	for (int lane = 0; lane < lanes; lane++) {
		if (to == TREE_REAL)
			out[lane].real = from == TREE_UNSIGNED ? (double)(uint64_t)out[lane].integer
							       : (double)out[lane].integer;
		else if (from == TREE_REAL)
			element_store(ELEMENT_I64, &out[lane].integer, 0, out[lane].real);
	}
}

static int evaluate_unary_node(union tree_value *out, const struct tree_binding *binding,
			       const struct tree_block *block, const struct tree_node *node,
			       struct error *err)
{
	enum tree_type type = binding->expression->nodes[node->operands[0]].type;
	int rc = tree_evaluate(out, binding, block, node->operands[0], err);

	if (rc)
		return rc;
	if (node->operation == TREE_CONVERT)
		convert_values(out, block->lanes, type, node->type);
	else if (node->operation == TREE_FUNCTION)
		FOR_LANES
	out[lane].real = node->function(out[lane].real);
	else if (node->operation == TREE_NOT) FOR_LANES out[lane].integer =
		!value_is_true(type, out[lane]);
	else if (node->operation == TREE_BIT_NOT) FOR_LANES out[lane].integer = ~out[lane].integer;
	else if (type == TREE_REAL) FOR_LANES out[lane].real =
		node->operation == TREE_ABS ? fabs(out[lane].real) : -out[lane].real;
	else if (node->operation == TREE_NEGATE || type == TREE_SIGNED)
		FOR_LANES if (node->operation == TREE_NEGATE || out[lane].integer < 0) out[lane]
			.integer = (int64_t)(0 - (uint64_t)out[lane].integer);
	return 0;
}

static int divide_values(union tree_value *out, const union tree_value *right,
			 const struct tree_binding *binding, const struct tree_block *block,
			 const struct tree_node *node, struct error *err)
{
	bool remainder = node->operation == TREE_REMAINDER;

	if (node->type != TREE_REAL)
		return tree_compute_integers(out, right, binding, block, node, err);
	FOR_LANES
	out[lane].real = remainder ? fmod(out[lane].real, right[lane].real)
				   : out[lane].real / right[lane].real;
	return 0;
}

/* Comparisons and extremes, of operands of the given type. */
static void compare_operands(union tree_value *out, const union tree_value *right, int lanes,
			     const struct tree_node *node, enum tree_type type)
{
	for (int lane = 0; lane < lanes; lane++) {
		union tree_value a = out[lane], b = right[lane];
		bool equal = type == TREE_REAL ? a.real == b.real : a.integer == b.integer;

		if (node->operation == TREE_LEAST || node->operation == TREE_MOST)
			out[lane] = tree_value_extreme(type, node->operation == TREE_MOST, a, b);
		else if (node->operation == TREE_EQUAL || node->operation == TREE_UNEQUAL)
			out[lane].integer = equal == (node->operation == TREE_EQUAL);
		else
			out[lane].integer = tree_value_less(type, a, b) ||
					    (node->operation == TREE_LESS_EQUAL && equal);
	}
}

#define WRAPPED(operator)   \
	FOR_LANES           \
	out[lane].integer = \
		(int64_t)((uint64_t)out[lane].integer operator(uint64_t) right[lane].integer)
#define OF_DOUBLES(operator) FOR_LANES out[lane].real = out[lane].real operator right[lane].real

static int evaluate_binary_node(union tree_value *out, const struct tree_binding *binding,
				const struct tree_block *block, const struct tree_node *node,
				struct error *err)
{
	union tree_value right[TREE_LANES];
	bool real = node->type == TREE_REAL;
	int empty, rc = tree_evaluate(out, binding, block, node->operands[0], err);

	if (!rc && node->operands[1] >= 0)
		rc = tree_evaluate(right, binding, block, node->operands[1], err);
	if (rc)
		return rc;
	switch (node->operation) {
	case TREE_ADD:
		if (real)
			OF_DOUBLES(+);
		else
			WRAPPED(+);
		return 0;
	case TREE_SUBTRACT:
		if (real)
			OF_DOUBLES(-);
		else
			WRAPPED(-);
		return 0;
	case TREE_MULTIPLY:
		if (real)
			OF_DOUBLES(*);
		else
			WRAPPED(*);
		return 0;
	case TREE_DIVIDE:
	case TREE_REMAINDER:
		return divide_values(out, right, binding, block, node, err);
	case TREE_BIT_AND:
	case TREE_BIT_OR:
	case TREE_BIT_XOR:
	case TREE_SHIFT_LEFT:
	case TREE_SHIFT_RIGHT:
	case TREE_CALL:
		return tree_compute_integers(out, right, binding, block, node, err);
	case TREE_FUNCTION_OF_TWO:
		FOR_LANES
		out[lane].real = node->function_of_two(out[lane].real, right[lane].real);
		return 0;
	case TREE_RANDOM:
		empty = tree_random(out, right, binding, block, node);
		return empty < 0 ? 0
				 : tree_fail(binding, block, empty, node, err,
					     "random(%" PRId64 ", %" PRId64
					     ") has no values; it needs a <= b",
					     out[empty].integer, right[empty].integer);
	default:
		compare_operands(out, right, block->lanes, node,
				 binding->expression->nodes[node->operands[0]].type);
		return 0;
	}
}

int tree_evaluate(union tree_value *out, const struct tree_binding *binding,
		  const struct tree_block *block, int index, struct error *err)
{
	const struct tree_node *node = &binding->expression->nodes[index];

	switch (node->operation) {
	case TREE_INTEGER:
	case TREE_DOUBLE:
		FOR_LANES
		out[lane] = node->literal;
		return 0;
	case TREE_AXIS:
		FOR_LANES
		out[lane].integer = binding->axes[node->name];
		return 0;
	case TREE_SLOT:
		FOR_LANES
		out[lane].integer = block->slots[node->slot][lane];
		return 0;
	case TREE_LENGTH:
		FOR_LANES
		out[lane].integer = binding->lengths[node->name];
		return 0;
	case TREE_ELEMENT:
		return evaluate_element(out, binding, block, node, err);
	case TREE_CONVERT:
	case TREE_NEGATE:
	case TREE_NOT:
	case TREE_BIT_NOT:
	case TREE_ABS:
	case TREE_FUNCTION:
		return evaluate_unary_node(out, binding, block, node, err);
	case TREE_CHOOSE:
		return evaluate_choice(out, binding, block, node, err);
	case TREE_AND:
	case TREE_OR:
		return evaluate_logic(out, binding, block, node, err);
	case TREE_SUM:
	case TREE_MINIMUM:
	case TREE_MAXIMUM:
	case TREE_ARGMIN:
	case TREE_ARGMAX:
		return node->depends ? evaluate_reduction(out, binding, block, node, err)
				     : evaluate_constant(out, binding, block, index, err);
	default:
		return evaluate_binary_node(out, binding, block, node, err);
	}
}
