/* Check expressions: what the evaluation of nodes builds on: errors, comparisons and totals. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "kernels/check_expression_tree.h"
#include "kernels/expression_text.h"

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
