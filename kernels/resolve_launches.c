/*
 * Resolves the launches of a case: shapes, arguments and repeats. Skips the
 * case if this device, or every CUDA device, cannot launch it.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "kernels/real_expression.h"
#include "kernels/resolution.h"
#include "kernels/resolve_tensors.h"

/* Equal on all CUDA devices so far (CUDA C++ Programming Guide, technical specifications). */
#define MAX_GRID_YZ 65535
#define MAX_BLOCK_Z 64
/* Repeats are expressions over sizes that the user chooses. A case with more launches than this
 * would measure launch overhead only. */
#define MAX_UNROLLED_LAUNCHES 65536
/* For the same reason, the bytes of their structs. */
#define MOST_STRUCT_BYTES (64 << 20)
/* About the most bytes of a message that list the fields of a struct. */
#define LAYOUT_MOST_BYTES 300

/* An address lies in its buffer or is its end. An axis may hold for several buffers, so another one
 * skips the case. */
static int resolve_addend(struct resolution *r, struct case_arg *out, const struct kernel_arg *arg)
{
	const struct case_buffer *buffer = &r->work->buffers[out->integer];
	int64_t elements;
	int rc = resolution_evaluate(r, &elements, arg->addend, "argument");

	if (rc)
		return rc;
	if (elements < 0 || elements > buffer->length)
		return resolution_skip(r,
				       "the argument %s + %s is element %" PRId64
				       " of a buffer of %" PRId64 " elements",
				       arg->value, arg->addend, elements, buffer->length);
	out->addend = (uint64_t)elements * element_size_bytes(buffer->type);
	return 0;
}

static int resolve_buffer_arg(struct resolution *r, struct case_arg *out,
			      const struct kernel_arg *arg)
{
	for (size_t i = 0; i < r->work->buffer_count; i++)
		if (!strcmp(r->work->buffers[i].name, arg->value)) {
			out->integer = (int64_t)i;
			return arg->addend ? resolve_addend(r, out, arg) : 0;
		}
	return error_set(r->err, PL_EUSAGE, "no buffer is called \"%s\"", arg->value);
}

/* The sizes of a texture, and whether its texels are in the buffer. */
static int resolve_texture_arg(struct resolution *r, struct case_arg *out,
			       const struct kernel_arg *arg)
{
	const struct kernel_texture *texture = arg->texture;
	struct case_texture *resolved = xcalloc(1, sizeof(*resolved));
	int64_t elements = texture->reading.channels;
	bool over = false;
	int rc = resolve_buffer_arg(r, out, arg);

	*resolved = (struct case_texture){.reading = texture->reading,
					  .dimensions = texture->dimensions};
	out->texture = resolved;
	for (size_t i = 0; i < TEXTURE_DIMENSIONS && !rc; i++) {
		resolved->sizes[i] = 1;
		if (i < texture->dimensions)
			rc = resolution_evaluate(r, &resolved->sizes[i], texture->sizes[i],
						 "a size of a texture");
		if (!rc && resolved->sizes[i] < 1)
			return resolution_refuse(r, texture->sizes[i],
						 "a size of the texture of %s is %" PRId64,
						 arg->value, resolved->sizes[i]);
		over |= __builtin_mul_overflow(elements, resolved->sizes[i], &elements);
	}
	if (!rc && (over || elements > r->work->buffers[out->integer].length))
		rc = error_set(r->err, PL_EUSAGE,
			       "the texture of %s has %" PRId64 " x %" PRId64 " x %" PRId64
			       " texels of %d elements, but the buffer has %" PRId64 " elements",
			       arg->value, resolved->sizes[0], resolved->sizes[1],
			       resolved->sizes[2], texture->reading.channels,
			       r->work->buffers[out->integer].length);
	return rc;
}

static int resolve_tensor_arg(struct resolution *r, struct case_arg *out,
			      const struct kernel_arg *arg)
{
	int rc = resolve_buffer_arg(r, out, arg);

	return rc ? rc : resolve_tensor(r, out, arg);
}

static int resolve_integer_arg(struct resolution *r, struct case_arg *out, const char *expression)
{
	int64_t low, high;
	int rc = resolution_evaluate(r, &out->integer, expression, "argument");

	arg_kind_range(out->kind, &low, &high);
	if (!rc && (out->integer < low || out->integer > high))
		rc = error_set(r->err, PL_EUSAGE, "argument %s = %" PRId64 " does not fit %s",
			       expression, out->integer, arg_kind_name(out->kind));
	return rc;
}

/* The largest finite value of a floating-point kind. */
static double real_limit(enum arg_kind kind)
{
	return kind == ARG_F16                       ? 65504.0
	       : kind == ARG_F64 || kind == ARG_REAL ? DBL_MAX
						     : (double)FLT_MAX;
}

/* A decimal literal, or an expression over the axes. */
static int evaluate_real(struct resolution *r, double *out, const char *text)
{
	struct error cause = {0};
	int64_t value;
	int rc;

	if (!parse_double(out, text, NULL))
		return 0;
	if (!expression_is_real(text)) {
		rc = resolution_evaluate(r, &value, text, "argument");
		*out = (double)value;
		return rc;
	}
	rc = real_expression_evaluate(out, text, r->variables, r->variable_count, &cause);
	return rc ? resolution_refuse(r, text, "argument %s: %s", text, cause.text) : 0;
}

static int resolve_real_arg(struct resolution *r, struct case_arg *out, const char *text)
{
	int rc = evaluate_real(r, &out->real, text);

	if (rc)
		return rc;
	if (!isfinite(out->real))
		return resolution_refuse(r, text, "argument %s is no finite number", text);
	if (fabs(out->real) > real_limit(out->kind))
		return error_set(r->err, PL_EUSAGE, "argument %s does not fit %s", text,
				 arg_kind_name(out->kind));
	return 0;
}

static int resolve_bytes_arg(struct resolution *r, struct case_arg *out, const char *text)
{
	size_t count;
	int rc = parse_hex_bytes(&out->bytes, &count, text, r->err);

	if (rc)
		return error_context(r->err, rc, "bytes(%.40s)", text);
	out->integer = (int64_t)count;
	return 0;
}

/* Every argument that has a value of its own. */
static int resolve_value(struct resolution *r, struct case_arg *out, const struct kernel_arg *arg)
{
	out->kind = arg->kind;
	switch (arg->kind) {
	case ARG_BUFFER:
		return resolve_buffer_arg(r, out, arg);
	case ARG_TEXTURE:
		return resolve_texture_arg(r, out, arg);
	case ARG_TENSOR_MAP:
		return resolve_tensor_arg(r, out, arg);
	case ARG_F16:
	case ARG_BF16:
	case ARG_F32:
	case ARG_F64:
	case ARG_REAL:
		return resolve_real_arg(r, out, arg->value);
	case ARG_BYTES:
		return resolve_bytes_arg(r, out, arg->value);
	default:
		return resolve_integer_arg(r, out, arg->value);
	}
}

/* ---- structs ---- */

/* A struct that is being laid out. Its addresses have room. */
struct struct_layout {
	struct case_arg *out;
	struct text fields; /* for messages: "x at 0, u64 at 8" */
};

static void describe_field(struct struct_layout *layout, const struct kernel_arg *field, size_t at)
{
	const char *name = field->kind == ARG_BUFFER ? field->value : arg_kind_name(field->kind);

	if (layout->fields.length < LAYOUT_MOST_BYTES)
		text_addf(&layout->fields, "%s%s%s%s at %zu", layout->fields.length ? ", " : "",
			  name, field->addend ? " + " : "", field->addend ? field->addend : "", at);
	else if (layout->fields.data[layout->fields.length - 1] != '.')
		text_add(&layout->fields, " ...");
}

static int lay_out_field(struct resolution *r, struct struct_layout *layout,
			 const struct kernel_arg *field, size_t at)
{
	struct case_arg *out = layout->out;
	struct case_arg value = {0};
	int rc = resolve_value(r, &value, field);

	describe_field(layout, field, at);
	if (!rc && (value.kind == ARG_BUFFER || value.kind == ARG_TENSOR_MAP)) {
		out->addresses[out->address_count++] =
			(struct arg_address){at, (size_t)value.integer, value.addend, value.tensor};
		value.tensor = NULL;
	}
	if (!rc)
		case_arg_write(out->bytes + at, &value);
	case_arg_release(&value);
	return rc;
}

/* Lays out the fields of a struct that begins at `begin`. */
static int lay_out_fields(struct resolution *r, struct struct_layout *layout,
			  const struct kernel_arg *arg, size_t begin)
{
	size_t bytes = 0;
	int rc = 0;

	for (size_t i = 0; i < arg->field_count && !rc && !r->skipped; i++) {
		const struct kernel_arg *field = &arg->fields[i];
		const size_t at = begin + kernel_arg_field_offset(arg, i, bytes);

		rc = field->kind == ARG_STRUCT ? lay_out_fields(r, layout, field, at)
					       : lay_out_field(r, layout, field, at);
		bytes = at - begin + kernel_arg_bytes(field);
	}
	return rc;
}

static int resolve_struct_arg(struct resolution *r, struct case_arg *out,
			      const struct kernel_arg *arg)
{
	struct struct_layout layout = {out, TEXT_INIT};
	const size_t bytes = kernel_arg_bytes(arg);
	int rc;

	r->struct_bytes += bytes;
	if (r->struct_bytes > MOST_STRUCT_BYTES)
		return error_set(r->err, PL_EUSAGE,
				 "the structs of all launches have more than %d MiB",
				 MOST_STRUCT_BYTES >> 20);
	out->kind = ARG_BYTES;
	out->integer = (int64_t)bytes;
	out->bytes = xcalloc(bytes + 1, 1);
	out->addresses = xcalloc(kernel_arg_addresses(arg) + 1, sizeof(out->addresses[0]));
	rc = lay_out_fields(r, &layout, arg, 0);
	out->layout = text_detach(&layout.fields);
	return rc;
}

static int resolve_arg(struct resolution *r, struct case_arg *out, const struct kernel_arg *arg)
{
	return arg->kind == ARG_STRUCT ? resolve_struct_arg(r, out, arg)
				       : resolve_value(r, out, arg);
}

/* ---- launches ---- */

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
	for (int i = 0; i < 3; i++)
		if (launch->grid[i] % launch->cluster[i])
			return resolution_skip(r,
					       "%" PRId64
					       " blocks in %c are no multiple of the %" PRId64
					       " of a cluster",
					       launch->grid[i], "xyz"[i], launch -> cluster[i]);
	if (launch->shared_bytes > limits->max_shared_bytes_per_block)
		return resolution_skip(r,
				       "needs %" PRId64
				       " bytes of shared memory per block; this device has "
				       "%" PRId64,
				       launch->shared_bytes, limits->max_shared_bytes_per_block);
	return 0;
}

static int resolve_carveout(struct resolution *r, struct case_launch *out,
			    const struct kernel_launch *launch)
{
	int rc = resolution_evaluate_or(r, &out->carveout, launch->carveout, 0, "carveout");

	out->has_carveout = launch->carveout != NULL;
	if (!rc && (out->carveout < 0 || out->carveout > CARVEOUT_MOST))
		rc = error_set(r->err, PL_EUSAGE,
			       "carveout is %" PRId64 "; it is a share from 0 to %d percent",
			       out->carveout, CARVEOUT_MOST);
	return rc;
}

static int resolve_launch(struct resolution *r, struct case_launch *out,
			  const struct kernel_launch *launch)
{
	int rc = 0;

	out->entry = xstrdup(launch->entry);
	out->cooperative = launch->cooperative;
	if (launch->library)
		rc = resolution_copy_name(r, out->library, sizeof(out->library), launch->library);
	if (!rc)
		rc = resolve_shape(r, out->grid, launch->grid, "grid");
	if (!rc)
		rc = resolve_shape(r, out->block, launch->block, "block");
	if (!rc)
		rc = resolve_shape(r, out->cluster, launch->cluster, "cluster");
	if (!rc)
		rc = resolution_evaluate_or(r, &out->shared_bytes, launch->shared_bytes, 0,
					    "shared memory");
	if (!rc && out->shared_bytes < 0)
		rc = error_set(r->err, PL_EUSAGE, "shared memory is %" PRId64 " bytes",
			       out->shared_bytes);
	if (!rc)
		rc = resolve_carveout(r, out, launch);
	out->args = xcalloc(launch->arg_count ? launch->arg_count : 1, sizeof(out->args[0]));
	out->arg_count = launch->arg_count;
	for (size_t i = 0; !rc && !r->skipped && i < launch->arg_count; i++)
		rc = resolve_arg(r, &out->args[i], &launch->args[i]);
	return rc || r->skipped ? rc : check_launch_limits(r, out);
}

/* Resolves all repeats of one launch, with `i` as their index. */
static int resolve_repeats(struct resolution *r, struct resolved_launches *list,
			   const struct kernel_launch *launch)
{
	int64_t repeats;
	int rc = resolution_evaluate_or(r, &repeats, launch->repeat, 1, "repeat");

	if (rc)
		return rc;
	if (repeats < 0 || repeats > MAX_UNROLLED_LAUNCHES - (int64_t)list->count)
		return error_set(r->err, PL_EUSAGE,
				 "repeat is %" PRId64 "; a case has 0 to %d launches", repeats,
				 MAX_UNROLLED_LAUNCHES);
	list->items = xgrow(list->items, &list->capacity, list->count + (size_t)repeats,
			    sizeof(list->items[0]));
	for (int64_t i = 0; !rc && !r->skipped && i < repeats; i++) {
		struct case_launch *out = &list->items[list->count++];

		memset(out, 0, sizeof(*out));
		if (launch->repeat)
			resolution_add_variable(r, "i", i);
		rc = resolve_launch(r, out, launch);
		if (launch->repeat)
			r->variable_count--;
	}
	return r->skipped ? rc : error_context(r->err, rc, "launch of %s", launch->entry);
}

int resolution_append(struct resolution *r, struct resolved_launches *out,
		      const struct kernel_launch *launches, size_t count)
{
	for (size_t i = 0; i < count && !r->skipped; i++) {
		int rc = resolve_repeats(r, out, &launches[i]);

		if (rc)
			return rc;
	}
	if (!out->count && !r->skipped)
		return error_set(r->err, PL_EUSAGE, "there is nothing to launch");
	return 0;
}

int resolution_launches(struct resolution *r)
{
	struct resolved_launches list = {0};
	int rc = resolution_append(r, &list, r->variant->launches, r->variant->launch_count);

	r->work->launches = list.items;
	r->work->launch_count = list.count;
	return rc;
}
