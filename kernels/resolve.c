/*
 * Resolves a descriptor with axis values for a device. The constraints of a
 * descriptor say what a variant cannot do. What a device cannot do is checked
 * here for all variants, so that no table repeats it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/fill.h"
#include "kernels/resolution.h"

/* Memory kept free for the context, the worker's flush buffer and guard zones. */
#define KEPT_FREE_PCT 10

const struct device_limits device_limits_minimum = {
	.compute_capability = 75,
	.max_threads_per_block = 1024,
	.max_grid_x = INT32_MAX,
	.max_shared_bytes_per_block = 64 * 1024,
	.max_threads_per_sm = 1024,
	.sm_count = 4,
	.global_memory_bytes = INT64_C(2) << 30,
	.l2_bytes = 512 * 1024,
};

/* ---- axes ---- */

static const struct axis_value *find_axis_value(const struct axis_value *axes, size_t count,
						const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(axes[i].name, name))
			return &axes[i];
	return NULL;
}

/* Takes the value of one declared axis from `given`. */
static int take_axis(struct resolution *r, const struct kernel_axis *axis,
		     const struct axis_value *given, size_t given_count)
{
	const struct axis_value *value = find_axis_value(given, given_count, axis->name);

	if (!value)
		return error_set(r->err, PL_EUSAGE, "axis \"%s\" (%s) has no value", axis->name,
				 axis->meaning);
	if (value->value < 0 || (!value->value && !strcmp(axis->name, "block")))
		return error_set(r->err, PL_EUSAGE, "%s=%" PRId64 ": %s", axis->name, value->value,
				 value->value < 0 ? "an axis is at least 0"
						  : "a block has at least one thread");
	r->work->axes[r->work->axis_count++] = *value;
	resolution_add_variable(r, axis->name, value->value);
	return 0;
}

static int compare_axis_names(const void *left, const void *right)
{
	return strcmp(((const struct axis_value *)left)->name,
		      ((const struct axis_value *)right)->name);
}

static int resolve_axes(struct resolution *r, const struct axis_value *given, size_t given_count)
{
	struct launch_case *work = r->work;
	int rc = 0;

	for (size_t i = 0; !rc && i < variant_axis_count(r->kernel, r->variant); i++)
		rc = take_axis(r, variant_axis(r->kernel, r->variant, i), given, given_count);
	if (rc)
		return rc;
	for (size_t i = 0; i < given_count; i++)
		if (!find_axis_value(work->axes, work->axis_count, given[i].name))
			return error_set(r->err, PL_EUSAGE, "no axis is called \"%s\" here",
					 given[i].name);
	if (given_count != work->axis_count)
		return error_set(r->err, PL_EUSAGE, "an axis has two values");
	qsort(work->axes, work->axis_count, sizeof(work->axes[0]), compare_axis_names);
#define X(field, meaning) resolution_add_variable(r, #field, r->limits->field);
	DEVICE_LIMIT_LIST(X)
#undef X
	return 0;
}

/* ---- constraints ---- */

static int check_constraints(struct resolution *r, const struct kernel_constraint *constraints,
			     size_t count)
{
	for (size_t i = 0; i < count && !r->skipped; i++) {
		int64_t holds;
		int rc = resolution_evaluate(r, &holds, constraints[i].holds, "constraint");

		if (rc)
			return rc;
		if (!holds)
			resolution_skip(r, "%s", constraints[i].reason);
	}
	return 0;
}

/* Checked first, so that the simplest reason is reported. */
static int check_block(struct resolution *r)
{
	int64_t block;

	if (launch_case_axis(r->work, "block", &block) && block > r->limits->max_threads_per_block)
		return resolution_skip(
			r, "block=%" PRId64 " exceeds this device's %" PRId64 " threads per block",
			block, r->limits->max_threads_per_block);
	return 0;
}

/* ---- buffers ---- */

static bool launches_use(const struct kernel_launch *launches, size_t count,
			 const struct kernel_buffer *buffer)
{
	for (size_t l = 0; l < count; l++)
		for (size_t a = 0; a < launches[l].arg_count; a++)
			if (kernel_arg_uses(&launches[l].args[a], buffer->name))
				return true;
	return false;
}

/* An expression, a file or a program that verifies may read any buffer. */
static bool variant_uses(const struct kernel_variant *variant, const struct kernel_buffer *buffer)
{
	/* The contents of other memory of a capture may have addresses in it. */
	if (buffer->role == BUFFER_OUT || buffer->role == BUFFER_INOUT || buffer->symbol ||
	    buffer->fill == FILL_CAPTURE)
		return true;
	return launches_use(variant->launches, variant->launch_count, buffer) ||
	       (variant->check &&
		(variant->check->kind != CHECK_LAUNCHES || variant->check->item_count ||
		 launches_use(variant->check->launches, variant->check->launch_count, buffer)));
}

static const struct kernel_buffer *buffers_of(const struct resolution *r, size_t *count)
{
	const struct kernel_variant *variant = r->variant;

	*count = variant->buffers ? variant->buffer_count : r->kernel->buffer_count;
	return variant->buffers ? variant->buffers : r->kernel->buffers;
}

static int resolve_buffer(struct resolution *r, const struct kernel_buffer *buffer,
			  int64_t *total_bytes)
{
	struct case_buffer *out = &r->work->buffers[r->work->buffer_count++];
	struct error cause = {0};
	char what[96];
	int64_t bytes;
	int rc = resolution_copy_name(r, out->name, sizeof(out->name), buffer->name);

	if (rc)
		return rc;
	snprintf(what, sizeof(what), "length of buffer \"%s\"", buffer->name);
	rc = resolution_evaluate(r, &out->length, buffer->length, what);
	if (rc)
		return rc;
	if (out->length < 1)
		return resolution_refuse(r, buffer->length,
					 "%s is %" PRId64 "; it must be at least 1", what,
					 out->length);
	if (__builtin_mul_overflow(out->length, (int64_t)element_size_bytes(buffer->type),
				   &bytes) ||
	    __builtin_add_overflow(*total_bytes, bytes, total_bytes))
		return error_set(r->err, PL_EUSAGE,
				 "%s is %" PRId64 ": its size in bytes overflows 64 bits", what,
				 out->length);
	out->type = buffer->type;
	out->role = buffer->role;
	out->symbol = buffer->symbol ? xstrdup(buffer->symbol) : NULL;
	out->optional = buffer->optional;
	out->has_compared = buffer->has_compared;
	out->compared = buffer->compared;
	if (bytes % (int64_t)element_size_bytes(case_buffer_compared(out)))
		return resolution_skip(r,
				       "the %" PRId64 " bytes of \"%s\" are no multiple of the %zu "
				       "of an element of type %s, as which they are compared",
				       bytes, out->name,
				       element_size_bytes(case_buffer_compared(out)),
				       element_type_name(case_buffer_compared(out)));
	/* an axis may hold for several buffers, so an impossible fill skips the case */
	return fill_resolve(out, buffer, r->variables, r->variable_count, &cause)
		       ? resolution_skip(r, "%s", cause.text)
		       : 0;
}

static int resolve_buffers(struct resolution *r)
{
	int64_t memory = r->limits->global_memory_bytes;
	int64_t usable = memory - memory / 100 * KEPT_FREE_PCT;
	int64_t total_bytes = 0;
	size_t buffer_count;
	const struct kernel_buffer *buffers = buffers_of(r, &buffer_count);

	if (buffer_count > KERNEL_MAX_BUFFERS)
		return error_set(r->err, PL_EUSAGE, "%zu buffers; a case has at most %d",
				 buffer_count, KERNEL_MAX_BUFFERS);
	r->work->buffers = xcalloc(buffer_count ? buffer_count : 1, sizeof(r->work->buffers[0]));
	for (size_t i = 0; i < buffer_count; i++) {
		const struct kernel_buffer *buffer = &buffers[i];

		if (variant_uses(r->variant, buffer)) {
			int rc = resolve_buffer(r, buffer, &total_bytes);

			if (rc || r->skipped)
				return rc;
		}
	}
	if (total_bytes > usable) {
		char needed[32], there[32];

		format_bytes(needed, (double)total_bytes);
		format_bytes(there, (double)memory);
		return resolution_skip(
			r, "needs %s of this device's %s of memory (%d %% is kept free)", needed,
			there, KEPT_FREE_PCT);
	}
	return 0;
}

/* ---- nothing to launch ---- */

static bool is_zero(const struct resolution *r, const char *expression)
{
	int64_t value;

	return expression &&
	       !expression_evaluate(&value, expression, r->variables, r->variable_count, NULL) &&
	       !value;
}

/* Skips the case if the length or grid is 0 because an axis is 0: no device launches an empty grid
 * or has an empty buffer. An expression that cannot be evaluated fails later, with its own
 * reason. */
static void skip_if_empty(struct resolution *r, const char *length)
{
	const char *zero =
		!r->skipped && is_zero(r, length) ? resolution_zero_axis(r, length) : NULL;

	if (zero)
		resolution_skip(r, "%s=0: there is nothing to launch", zero);
}

/* Checked before the constraints, so that the simplest reason is reported. */
static void check_empty(struct resolution *r)
{
	size_t buffer_count;
	const struct kernel_buffer *buffers = buffers_of(r, &buffer_count);

	for (size_t i = 0; i < buffer_count; i++)
		if (variant_uses(r->variant, &buffers[i]))
			skip_if_empty(r, buffers[i].length);
	for (size_t i = 0; i < r->variant->launch_count; i++) {
		const struct kernel_launch *launch = &r->variant->launches[i];

		for (int d = 0; d < 3 && !is_zero(r, launch->repeat); d++)
			skip_if_empty(r, launch->grid[d]);
	}
}

/* ---- the work model ---- */

static int resolve_work(struct resolution *r)
{
	const struct kernel_work *model = r->variant->work ? r->variant->work : &r->kernel->work;
	struct launch_case *work = r->work;
	int rc = resolution_evaluate_or(r, &work->flop, model->flop, 0, "work model, flop");

	if (!rc)
		rc = resolution_evaluate_or(r, &work->bytes_read, model->bytes_read, 0,
					    "work model, bytes read");
	if (!rc)
		rc = resolution_evaluate_or(r, &work->bytes_written, model->bytes_written, 0,
					    "work model, bytes written");
	if (!rc && (work->flop < 0 || work->bytes_read < 0 || work->bytes_written < 0))
		rc = error_set(r->err, PL_EUSAGE, "work model: a number is negative");
	work->has_flop = model->flop != NULL;
	snprintf(work->precision, sizeof(work->precision), "%s",
		 model->precision ? model->precision : "f32");
	return rc;
}

char *variant_image(const struct kernel *kernel, const struct kernel_variant *variant)
{
	if (variant->source)
		return xstrdup("");
	return variant->image ? xstrdup(variant->image)
			      : xasprintf("%s/%s", kernel->name, variant->name);
}

static int resolve_names(struct resolution *r)
{
	const struct kernel_oracle *oracle =
		r->variant->oracle ? r->variant->oracle : r->kernel->oracle;
	const struct kernel_tolerance *tolerance = r->variant->tolerance;
	struct launch_case *work = r->work;
	int rc = resolution_copy_name(r, work->kernel, sizeof(work->kernel), r->kernel->name);

	if (!rc)
		rc = resolution_copy_name(r, work->variant, sizeof(work->variant),
					  r->variant->name);
	if (rc)
		return rc;
	r->work->image = variant_image(r->kernel, r->variant);
	work->is_replacement = r->variant->is_replacement;
	if (!r->variant->check)
		rc = resolution_copy_name(r, work->oracle, sizeof(work->oracle), oracle->name);
	work->tolerance_abs = tolerance ? tolerance->abs : r->kernel->tolerance_abs;
	work->tolerance_rel = tolerance ? tolerance->rel : r->kernel->tolerance_rel;
	return rc;
}

int kernel_resolve(struct launch_case **out, struct text *skip, const struct kernel *kernel,
		   const struct kernel_variant *variant, const struct axis_value *axes,
		   size_t axis_count, const struct device_limits *limits, struct error *err)
{
	struct resolution r = {
		.kernel = kernel,
		.variant = variant,
		.limits = limits,
		.skip = skip,
		.work = xcalloc(1, sizeof(*r.work)),
		.err = err,
	};
	int rc = resolve_names(&r);

	if (!rc)
		rc = resolve_axes(&r, axes, axis_count);
	if (!rc)
		check_empty(&r);
	if (!rc && !r.skipped)
		rc = check_block(&r);
	if (!rc && !r.skipped)
		rc = check_constraints(&r, kernel->constraints, kernel->constraint_count);
	if (!rc && !r.skipped)
		rc = check_constraints(&r, variant->constraints, variant->constraint_count);
	if (!rc && !r.skipped)
		rc = resolve_buffers(&r);
	if (!rc && !r.skipped)
		rc = resolution_launches(&r);
	if (!rc && !r.skipped && variant->check)
		rc = resolution_check(&r);
	if (!rc && !r.skipped)
		rc = resolve_work(&r);
	if (r.skipped)
		rc = 0; /* resolution_refuse() skipped the case */
	if (!rc) {
		*out = r.skipped ? NULL : r.work;
		if (!r.skipped)
			r.work = NULL;
	}
	launch_case_free(r.work);
	return error_context(err, rc, "%s/%s", kernel->name, variant->name);
}
