/* Check expressions: binds the names to a case and computes all elements, on all processors. */
#include "kernels/check_expression.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/check_expression_tree.h"
#include "kernels/element.h"
#include "kernels/parallel.h"

/* The terms of one part of a constant reduction. The parts, and so the result, do not depend on the
 * number of processors. */
#define PART_TERMS (INT64_C(1) << 16)
/* More terms would take days. */
#define MOST_TERMS (INT64_C(1) << 44)

/* The first failure, by position, of a computation that several threads share. */
struct first_failure {
	pthread_mutex_t lock;
	int rc;
	int64_t begin;
	struct error err;
};

static void note_failure(struct first_failure *first, int rc, int64_t begin,
			 const struct error *err)
{
	pthread_mutex_lock(&first->lock);
	if (!first->rc || begin < first->begin) {
		first->rc = rc;
		first->begin = begin;
		first->err = *err;
	}
	pthread_mutex_unlock(&first->lock);
}

/* ---- binding ---- */

static int bind_buffer(struct tree_binding *binding, size_t b, const struct launch_case *work,
		       const struct host_buffers *inputs, struct error *err)
{
	const struct tree_buffer *named = &binding->expression->buffers[b];
	const struct case_buffer *found;
	size_t index = 0;

	while (index < work->buffer_count && strcmp(work->buffers[index].name, named->name) != 0)
		index++;
	found = &work->buffers[index];
	if (index == work->buffer_count || found->type != named->type)
		return error_set(err, PL_EUSAGE,
				 "check of %s, expression \"%.300s\": the case %s/%s has no buffer "
				 "%s of the type %s",
				 binding->result, binding->expression->text, work->kernel,
				 work->variant, named->name, element_type_name(named->type));
	if (!inputs->data[index])
		return error_set(
			err, PL_EUSAGE,
			"check of %s, expression \"%.300s\": %s is of the role %s and has no "
			"values before the launch; name inputs only",
			binding->result, binding->expression->text, named->name,
			buffer_role_name(found->role));
	binding->data[b] = inputs->data[index];
	binding->lengths[b] = found->length;
	return 0;
}

static int bind_axes(struct tree_binding *binding, const struct launch_case *work,
		     struct error *err)
{
	const struct string_list *names = &binding->expression->axes;

	for (size_t a = 0; a < names->count; a++)
		if (!launch_case_axis(work, names->items[a], &binding->axes[a]))
			return error_set(
				err, PL_EUSAGE,
				"check of %s, expression \"%.300s\": the case %s/%s has no "
				"axis %s",
				binding->result, binding->expression->text, work->kernel,
				work->variant, names->items[a]);
	return 0;
}

/* A buffer without an index must be as long as what its index runs over. */
static int check_lengths(const struct tree_binding *binding, int64_t result_length,
			 struct error *err)
{
	const struct check_expression *expression = binding->expression;

	for (int i = 0; i < expression->node_count; i++) {
		const struct tree_node *node = &expression->nodes[i];
		const char *other = binding->result;
		int64_t length = result_length;

		if (node->operation != TREE_ELEMENT || node->like == INDEXED)
			continue;
		if (node->like != LIKE_RESULT) {
			other = expression->buffers[node->like].name;
			length = binding->lengths[node->like];
		}
		if (binding->lengths[node->name] != length)
			return tree_fail(binding, NULL, -1, node, err,
					 "%s has %" PRId64 " elements, but %s has %" PRId64
					 "; give an index: %s[...]",
					 expression->buffers[node->name].name,
					 binding->lengths[node->name], other, length,
					 expression->buffers[node->name].name);
	}
	return 0;
}

/* ---- reductions that depend on no index ---- */

struct constant_parts {
	const struct tree_binding *binding;
	const struct tree_node *node;
	int64_t first, count;
	struct tree_total *totals;
	struct first_failure failure;
};

static void compute_parts(void *context, int64_t begin, int64_t end)
{
	struct constant_parts *parts = context;
	struct error err = {0};
	int64_t slot[TREE_LANES];
	union tree_value values[TREE_LANES];
	struct tree_block block = {.slot_count = parts->node->slot + 1};

	block.slots[parts->node->slot] = slot;
	for (int64_t at = begin; at < end; at += block.lanes) {
		int rc;

		block.lanes = end - at < TREE_LANES ? (int)(end - at) : TREE_LANES;
		for (int lane = 0; lane < block.lanes; lane++)
			slot[lane] = parts->first + at + lane;
		rc = tree_evaluate(values, parts->binding, &block, parts->node->operands[2], &err);
		if (rc) {
			note_failure(&parts->failure, rc, at, &err);
			return;
		}
		for (int lane = 0; lane < block.lanes; lane++)
			tree_total_add(&parts->totals[at / PART_TERMS], parts->node, values[lane],
				       slot[lane]);
	}
}

static int reduce_parts(union tree_value *out, struct constant_parts *parts, struct error *err)
{
	int64_t count = (parts->count + PART_TERMS - 1) / PART_TERMS;
	struct tree_total whole = {0};
	int rc;

	parts->totals = calloc(count ? (size_t)count : 1, sizeof(*parts->totals));
	if (!parts->totals)
		return error_set(err, PL_ENOMEM, "no memory for the %" PRId64 " parts of a sum",
				 count);
	pthread_mutex_init(&parts->failure.lock, NULL);
	parallel_for(parts->count, PART_TERMS, compute_parts, parts);
	pthread_mutex_destroy(&parts->failure.lock);
	rc = parts->failure.rc;
	if (rc) {
		error_set(err, rc, "%s", parts->failure.err.text);
	} else {
		for (int64_t i = 0; i < count; i++)
			tree_total_join(&whole, parts->node, &parts->totals[i]);
		rc = tree_total_end(out, &whole, parts->binding, parts->node, err);
	}
	free(parts->totals);
	return rc;
}

static int compute_constant(union tree_value *out, const struct tree_binding *binding,
			    const struct tree_node *node, struct error *err)
{
	struct constant_parts parts = {.binding = binding, .node = node};
	struct tree_block block = {.slot_count = node->slot, .lanes = 1};
	union tree_value first, end;
	int rc = tree_evaluate(&first, binding, &block, node->operands[0], err);

	if (!rc)
		rc = tree_evaluate(&end, binding, &block, node->operands[1], err);
	if (rc)
		return rc;
	if (first.integer < end.integer) {
		if ((uint64_t)end.integer - (uint64_t)first.integer > (uint64_t)MOST_TERMS)
			return tree_fail(binding, &block, -1, node, err,
					 "the reduction has more than 2^44 terms");
		parts.first = first.integer;
		parts.count = end.integer - first.integer;
	}
	return reduce_parts(out, &parts, err);
}

/* Operands come before their node, so an inner reduction is computed before an outer one. */
static void compute_constant_reductions(struct tree_binding *binding)
{
	for (int i = 0; i < binding->expression->node_count; i++) {
		const struct tree_node *node = &binding->expression->nodes[i];
		struct tree_constant *constant = &binding->constants[i];

		if (tree_is_reduction(node) && !node->depends)
			constant->rc =
				compute_constant(&constant->value, binding, node, &constant->err);
	}
}

/* ---- all elements ---- */

struct check_computation {
	const struct tree_binding *binding;
	enum element_type type;
	void *out;
	struct first_failure failure;
};

static void store_values(const struct check_computation *computation, int64_t at,
			 const union tree_value *values, int lanes)
{
	const struct check_expression *expression = computation->binding->expression;
	enum tree_type from = expression->nodes[expression->root].type;
	enum element_type type = computation->type;

	for (int lane = 0; lane < lanes; lane++) {
		union tree_value value = values[lane];

		if (from == TREE_REAL)
			element_store_nearest(type, computation->out, at + lane, value.real);
		else if (element_is_integer(type))
			element_store_integer(type, computation->out, at + lane,
					      (uint64_t)value.integer);
		else
			element_store_nearest(type, computation->out, at + lane,
					      from == TREE_UNSIGNED
						      ? (double)(uint64_t)value.integer
						      : (double)value.integer);
	}
}

/* An input has the value of its expression, and no other that is near. */
static int hold_values(const struct check_computation *computation, const struct tree_block *block,
		       const union tree_value *values, struct error *err)
{
	const struct tree_binding *binding = computation->binding;
	const struct tree_node *root = &binding->expression->nodes[binding->expression->root];
	const bool real = root->type == TREE_REAL;

	for (int lane = 0; lane < block->lanes; lane++) {
		const int64_t at = block->slots[0][lane];
		const int64_t integer = real ? 0 : values[lane].integer;
		struct text value = TEXT_INIT;
		int rc;

		if (real ? element_hold_real(computation->type, computation->out, at,
					     values[lane].real)
			 : element_hold_integer(computation->type, computation->out, at, integer))
			continue;
		if (real)
			text_addf(&value, "%.17g", values[lane].real);
		else
			text_addf(&value, "%" PRId64, integer);
		text_addf(&value, " is no value of %s, which holds ",
			  element_type_name(computation->type));
		if (real || element_is_integer(computation->type))
			element_describe_range(&value, computation->type);
		else
			text_addf(&value, "the integers up to 2^%d exactly",
				  element_significant_bits(computation->type));
		rc = tree_fail(binding, block, lane, root, err, "%s", value.data);
		text_release(&value);
		return rc;
	}
	return 0;
}

static void compute_elements(void *context, int64_t begin, int64_t end)
{
	struct check_computation *computation = context;
	const struct tree_binding *binding = computation->binding;
	struct error err = {0};
	int64_t index[TREE_LANES];
	union tree_value values[TREE_LANES];
	struct tree_block block = {.slots = {index}, .slot_count = 1, .of_result = true};

	for (int64_t at = begin; at < end; at += block.lanes) {
		int rc;

		block.lanes = end - at < TREE_LANES ? (int)(end - at) : TREE_LANES;
		for (int lane = 0; lane < block.lanes; lane++)
			index[lane] = at + lane;
		rc = tree_evaluate(values, binding, &block, binding->expression->root, &err);
		if (!rc && binding->expression->of_fill)
			rc = hold_values(computation, &block, values, &err);
		else if (!rc)
			store_values(computation, at, values, block.lanes);
		if (rc) {
			note_failure(&computation->failure, rc, at, &err);
			return;
		}
	}
}

/* The elements that make a thread worth starting: one block, if each element is a reduction. */
static int64_t elements_per_thread(const struct check_expression *expression)
{
	for (int i = 0; i < expression->node_count; i++)
		if (tree_is_reduction(&expression->nodes[i]) && expression->nodes[i].depends)
			return TREE_LANES;
	return 64 * TREE_LANES;
}

static int compute_bound(struct tree_binding *binding, const struct case_buffer *result, void *out,
			 struct error *err)
{
	struct check_computation computation = {
		.binding = binding, .type = result->type, .out = out};

	compute_constant_reductions(binding);
	pthread_mutex_init(&computation.failure.lock, NULL);
	parallel_for(result->length, elements_per_thread(binding->expression), compute_elements,
		     &computation);
	pthread_mutex_destroy(&computation.failure.lock);
	if (computation.failure.rc)
		return error_set(err, computation.failure.rc, "%s", computation.failure.err.text);
	return 0;
}

int check_expression_compute(const struct check_expression *expression,
			     const struct launch_case *work, const struct host_buffers *inputs,
			     size_t buffer, void *out, struct error *err)
{
	const struct case_buffer *result = &work->buffers[buffer];
	size_t buffers = expression->buffer_count + 1, axes = expression->axes.count + 1;
	struct tree_binding binding = {
		.expression = expression,
		.result = result->name,
		.data = xcalloc(buffers, sizeof(const void *)),
		.lengths = xcalloc(buffers, sizeof(int64_t)),
		.axes = xcalloc(axes, sizeof(int64_t)),
		.constants = xcalloc((size_t)expression->node_count, sizeof(struct tree_constant)),
	};
	int rc = bind_axes(&binding, work, err);

	for (size_t b = 0; !rc && b < expression->buffer_count; b++)
		rc = bind_buffer(&binding, b, work, inputs, err);
	if (!rc)
		rc = check_lengths(&binding, result->length, err);
	if (!rc)
		rc = compute_bound(&binding, result, out, err);
	free(binding.data);
	free(binding.lengths);
	free(binding.axes);
	free(binding.constants);
	return rc;
}

int check_expression_fill(const struct check_expression *expression,
			  const struct case_buffer *buffer, uint64_t key, void *out,
			  struct error *err)
{
	struct tree_binding binding = {
		.expression = expression,
		.result = buffer->name,
		.constants = xcalloc((size_t)expression->node_count, sizeof(struct tree_constant)),
		.random_key = key,
	};
	int rc = compute_bound(&binding, buffer, out, err);

	free(binding.constants);
	return rc;
}
