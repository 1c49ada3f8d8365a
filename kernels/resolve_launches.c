/*
 * Resolves the launches of a case: shapes, arguments and repeats. Skips the
 * case if this device, or every CUDA device, cannot launch it.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "kernels/resolution.h"

/* Equal on all CUDA devices so far (CUDA C++ Programming Guide, technical specifications). */
#define MAX_GRID_YZ 65535
#define MAX_BLOCK_Z 64
/* Repeats are expressions over sizes that the user chooses. A case with more launches than this
 * would measure launch overhead only. */
#define MAX_UNROLLED_LAUNCHES 65536

static int resolve_buffer_arg(struct resolution *r, struct case_arg *out, const char *name)
{
	for (size_t i = 0; i < r->work->buffer_count; i++)
		if (!strcmp(r->work->buffers[i].name, name)) {
			out->integer = (int64_t)i;
			return 0;
		}
	return error_set(r->err, PL_EUSAGE, "no buffer is called \"%s\"", name);
}

static int resolve_integer_arg(struct resolution *r, struct case_arg *out, const char *expression)
{
	int64_t low = out->kind == ARG_I32 ? INT32_MIN : out->kind == ARG_U32 ? 0 : INT64_MIN;
	int64_t high = out->kind == ARG_I32   ? INT32_MAX
		       : out->kind == ARG_U32 ? UINT32_MAX
					      : INT64_MAX;
	int rc = resolution_evaluate(r, &out->integer, expression, "argument");

	if (!rc && (out->integer < low || out->integer > high))
		rc = error_set(r->err, PL_EUSAGE, "argument %s = %" PRId64 " does not fit %s",
			       expression, out->integer, arg_kind_name(out->kind));
	return rc;
}

static int resolve_arg(struct resolution *r, struct case_arg *out, const struct kernel_arg *arg)
{
	int rc;

	out->kind = arg->kind;
	switch (arg->kind) {
	case ARG_BUFFER:
		return resolve_buffer_arg(r, out, arg->value);
	case ARG_F32:
		rc = parse_double(&out->real, arg->value, r->err);
		if (!rc && fabs(out->real) > (double)FLT_MAX)
			rc = error_set(r->err, PL_EUSAGE, "argument %s does not fit f32",
				       arg->value);
		return rc;
	case ARG_I32:
	case ARG_U32:
	case ARG_I64:
		break;
	}
	return resolve_integer_arg(r, out, arg->value);
}

static int resolve_shape(struct resolution *r, int64_t out[3], const char *const expressions[3],
			 const char *what)
{
	for (int i = 0; i < 3; i++) {
		int rc = resolution_evaluate_or(r, &out[i], expressions[i], 1, what);

		if (rc)
			return rc;
		if (out[i] < 1)
			return resolution_refuse(r, expressions[i], "%s is %" PRId64 " in %c", what,
						 out[i], "xyz"[i]);
	}
	return 0;
}

/* Skips the case if the device cannot launch it. */
static int check_launch_limits(struct resolution *r, const struct case_launch *launch)
{
	const struct device_limits *limits = r->limits;
	int64_t most[3] = {limits->max_grid_x, MAX_GRID_YZ, MAX_GRID_YZ};
	int64_t threads;

	if (__builtin_mul_overflow(launch->block[0], launch->block[1], &threads) ||
	    __builtin_mul_overflow(threads, launch->block[2], &threads) ||
	    threads > limits->max_threads_per_block || launch->block[2] > MAX_BLOCK_Z)
		return resolution_skip(r,
				       "a block of %" PRId64 " x %" PRId64 " x %" PRId64
				       " exceeds this device's %" PRId64
				       " threads per block (z: %d)",
				       launch->block[0], launch->block[1], launch->block[2],
				       limits->max_threads_per_block, MAX_BLOCK_Z);
	for (int i = 0; i < 3; i++)
		if (launch->grid[i] > most[i])
			return resolution_skip(
				r, "needs %" PRId64 " blocks in %c; this device allows %" PRId64,
				launch->grid[i], "xyz"[i], most[i]);
	if (launch->shared_bytes > limits->max_shared_bytes_per_block)
		return resolution_skip(r,
				       "needs %" PRId64
				       " bytes of shared memory per block; this device has "
				       "%" PRId64,
				       launch->shared_bytes, limits->max_shared_bytes_per_block);
	return 0;
}

static int resolve_launch(struct resolution *r, struct case_launch *out,
			  const struct kernel_launch *launch)
{
	int rc = resolution_copy_name(r, out->entry, sizeof(out->entry), launch->entry);

	if (!rc && launch->library)
		rc = resolution_copy_name(r, out->library, sizeof(out->library), launch->library);
	if (!rc)
		rc = resolve_shape(r, out->grid, launch->grid, "grid");
	if (!rc)
		rc = resolve_shape(r, out->block, launch->block, "block");
	if (!rc)
		rc = resolution_evaluate_or(r, &out->shared_bytes, launch->shared_bytes, 0,
					    "shared memory");
	if (!rc && out->shared_bytes < 0)
		rc = error_set(r->err, PL_EUSAGE, "shared memory is %" PRId64 " bytes",
			       out->shared_bytes);
	for (size_t i = 0; !rc && i < launch->arg_count; i++)
		rc = resolve_arg(r, &out->args[i], &launch->args[i]);
	out->arg_count = launch->arg_count;
	return rc ? rc : check_launch_limits(r, out);
}

/* Resolves all repeats of one launch, with `i` as their index. */
static int resolve_repeats(struct resolution *r, const struct kernel_launch *launch,
			   size_t *capacity)
{
	struct launch_case *work = r->work;
	int64_t repeats;
	int rc = resolution_evaluate_or(r, &repeats, launch->repeat, 1, "repeat");

	if (rc)
		return rc;
	if (repeats < 0 || repeats > MAX_UNROLLED_LAUNCHES - (int64_t)work->launch_count)
		return error_set(r->err, PL_EUSAGE,
				 "repeat is %" PRId64 "; a case has 0 to %d launches", repeats,
				 MAX_UNROLLED_LAUNCHES);
	work->launches = xgrow(work->launches, capacity, work->launch_count + (size_t)repeats,
			       sizeof(work->launches[0]));
	for (int64_t i = 0; !rc && !r->skipped && i < repeats; i++) {
		struct case_launch *out = &work->launches[work->launch_count++];

		memset(out, 0, sizeof(*out));
		if (launch->repeat)
			resolution_add_variable(r, "i", i);
		rc = resolve_launch(r, out, launch);
		if (launch->repeat)
			r->variable_count--;
	}
	return r->skipped ? rc : error_context(r->err, rc, "launch of %s", launch->entry);
}

int resolution_launches(struct resolution *r)
{
	size_t capacity = 0;

	for (size_t i = 0; i < r->variant->launch_count && !r->skipped; i++) {
		int rc = resolve_repeats(r, &r->variant->launches[i], &capacity);

		if (rc)
			return rc;
	}
	if (!r->work->launch_count && !r->skipped)
		return error_set(r->err, PL_EUSAGE, "there is nothing to launch");
	return 0;
}
