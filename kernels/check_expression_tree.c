/* Check expressions: what the evaluation of nodes builds on: errors, comparisons, totals, integers.
 */
#include "kernels/check_expression_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/random.h"
#include "kernels/expression.h"

int tree_fail(const struct tree_binding *binding, const struct tree_block *block, int lane,
	      const struct tree_node *node, struct error *err, const char *format, ...)
{
	char cause[512], element[64] = "";
	struct text place = TEXT_INIT;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(cause, sizeof(cause), format, arguments);
	va_end(arguments);
	if (lane >= 0 && block->of_result)
		snprintf(element, sizeof(element), " for element %" PRId64, block->slots[0][lane]);
	expression_add_place(&place, binding->expression->text, node->character);
	error_set(err, PL_EUSAGE, "%s of %s, expression %s%s: %s",
		  binding->expression->of_fill ? "fill" : "check", binding->result, place.data,
		  element, cause);
	text_release(&place);
	return PL_EUSAGE;
}

bool tree_is_reduction(const struct tree_node *node)
{
	return node->operation >= TREE_SUM;
}

bool tree_value_less(enum tree_type type, union tree_value a, union tree_value b)
{
	return type == TREE_REAL       ? a.real < b.real
	       : type == TREE_UNSIGNED ? (uint64_t)a.integer < (uint64_t)b.integer
				       : a.integer < b.integer;
}

union tree_value tree_value_extreme(enum tree_type type, bool most, union tree_value a,
				    union tree_value b)
{
	/* fmin() and fmax() pass over NaN, as fminf() does in device code. */
	if (type == TREE_REAL)
		return (union tree_value){.real = most ? fmax(a.real, b.real)
						       : fmin(a.real, b.real)};
	return tree_value_less(type, a, b) == most ? b : a;
}

/* ---- totals ---- */

static void add_compensated(struct tree_total *total, double value)
{
	double sum = total->value.real + value;

	total->carry += fabs(total->value.real) >= fabs(value) ? (total->value.real - sum) + value
							       : (value - sum) + total->value.real;
	total->value.real = sum;
}

/* Whether the value takes the place of the best so far: of equal values the first stays. As fmin()
 * does, this passes over NaN. */
static bool displaces_best(const struct tree_total *total, const struct tree_node *node,
			   union tree_value value)
{
	if (!total->any)
		return true;
	if (node->body == TREE_REAL && isnan(total->value.real))
		return !isnan(value.real);
	return node->operation == TREE_ARGMAX ? tree_value_less(node->body, total->value, value)
					      : tree_value_less(node->body, value, total->value);
}

void tree_total_add(struct tree_total *total, const struct tree_node *node, union tree_value value,
		    int64_t index)
{
	if (node->operation == TREE_ARGMIN || node->operation == TREE_ARGMAX) {
		if (displaces_best(total, node, value)) {
			total->value = value;
			total->index = index;
		}
	} else if (node->operation != TREE_SUM) {
		total->value =
			total->any ? tree_value_extreme(node->type, node->operation == TREE_MAXIMUM,
							total->value, value)
				   : value;
	} else if (node->type == TREE_REAL) {
		add_compensated(total, value.real);
	} else {
		total->value.integer =
			(int64_t)((uint64_t)total->value.integer + (uint64_t)value.integer);
	}
	total->any = true;
}

void tree_total_join(struct tree_total *total, const struct tree_node *node,
		     const struct tree_total *part)
{
	if (!part->any)
		return;
	tree_total_add(total, node, part->value, part->index);
	total->carry += part->carry;
}

int tree_total_end(union tree_value *out, const struct tree_total *total,
		   const struct tree_binding *binding, const struct tree_node *node,
		   struct error *err)
{
	if (node->operation != TREE_SUM && !total->any)
		return tree_fail(binding, NULL, -1, node, err,
				 "the minimum or maximum of no values");
	*out = total->value;
	if (node->operation == TREE_ARGMIN || node->operation == TREE_ARGMAX)
		out->integer = total->index;
	/* With an infinite term the carry is NaN, and the sum is right without it. */
	if (node->operation == TREE_SUM && node->type == TREE_REAL && isfinite(out->real))
		out->real += total->carry;
	return 0;
}

/* ---- operations of integers that can fail, and those of their bits ---- */

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

/* ---- random ---- */

int tree_random(union tree_value *out, const union tree_value *last,
		const struct tree_binding *binding, const struct tree_block *block,
		const struct tree_node *node)
{
	const uint64_t key = random_at(binding->random_key, node->which);

	for (int lane = 0; lane < block->lanes; lane++) {
		const uint64_t first = (uint64_t)out[lane].integer;
		const uint64_t width = (uint64_t)last[lane].integer - first + 1;
		const uint64_t hash = random_at(key, (uint64_t)block->slots[0][lane]);

		if (out[lane].integer > last[lane].integer)
			return lane;
		out[lane].integer = (int64_t)(first + hash_below(hash, width));
	}
	return -1;
}
