/*
 * Resolves the arguments of launches. Skips the case if no device can launch it with one of them.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "kernels/expression.h"
#include "kernels/resolution.h"

/* Axes choose the sizes of structs; a case with more bytes of them would measure launch overhead
 * only. */
#define MOST_STRUCT_BYTES (64 << 20)
/* About the most bytes of a message that list the fields of a struct. */
#define LAYOUT_MOST_BYTES 300

/* ---- tensor maps ---- */

static int resolve_number(struct resolution *r, uint64_t *out, const char *expression,
			  uint64_t absent, uint64_t most)
{
	int64_t value;
	int rc;

	*out = absent;
	if (!expression)
		return 0;
	rc = resolution_evaluate(r, &value, expression, "a number of a tensor map");
	if (rc)
		return rc;
	if (value < 0 || (uint64_t)value > most)
		return resolution_refuse(r, expression, "%s of a tensor map is %" PRId64,
					 expression, value);
	*out = (uint64_t)value;
	return 0;
}

static int resolve_small(struct resolution *r, uint32_t *out, const char *expression)
{
	uint64_t value;
	int rc = resolve_number(r, &value, expression, 1, UINT32_MAX);

	*out = (uint32_t)value;
	return rc;
}

static int resolve_corner(struct resolution *r, int32_t *out, const char *expression)
{
	int64_t value;
	int rc = resolution_evaluate_or(r, &value, expression, 0, "a corner of a tensor map");

	if (rc)
		return rc;
	if (value < INT32_MIN || value > INT32_MAX)
		return resolution_refuse(r, expression, "%s of a tensor map is %" PRId64,
					 expression, value);
	*out = (int32_t)value;
	return 0;
}

static int resolve_im2col(struct resolution *r, struct tensor_map *map,
			  const struct kernel_tensor *from)
{
	int rc = resolve_small(r, &map->channels, from->channels);

	if (!rc)
		rc = resolve_small(r, &map->pixels, from->pixels);
	for (unsigned i = 0; i < TENSOR_IMAGE_MOST_RANK && !rc; i++) {
		rc = resolve_corner(r, &map->lower[i], from->lower[i]);
		if (!rc)
			rc = resolve_corner(r, &map->upper[i], from->upper[i]);
	}
	return rc;
}

static int resolve_numbers(struct resolution *r, struct tensor_map *map,
			   const struct kernel_tensor *from)
{
	uint64_t packed = tensor_map_unit_bytes(map);
	int rc = 0;

	for (unsigned i = 0; i < map->rank && !rc; i++) {
		rc = resolve_number(r, &map->sizes[i], from->sizes[i], 0, INT64_MAX);
		if (!rc && i)
			rc = resolve_number(r, &map->strides[i], from->strides[i], packed,
					    INT64_MAX);
		if (!rc && !map->im2col)
			rc = resolve_small(r, &map->box[i], from->box[i]);
		if (!rc)
			rc = resolve_small(r, &map->steps[i], from->steps[i]);
		if (__builtin_mul_overflow(i ? map->strides[i] : packed, map->sizes[i], &packed))
			packed = UINT64_MAX;
	}
	if (!rc && map->im2col)
		rc = resolve_im2col(r, map, from);
	return rc;
}

/* Sets out->tensor. out->integer is the buffer already. Skips the case if no device accepts the
 * map, or if the tensor does not lie in the buffer. */
static int resolve_tensor(struct resolution *r, struct case_arg *out, const struct kernel_arg *arg)
{
	const struct case_buffer *buffer = &r->work->buffers[out->integer];
	const int64_t bytes = buffer->length * (int64_t)element_size_bytes(buffer->type);
	struct tensor_map *map = xcalloc(1, sizeof(*map));
	struct error cause;
	int rc;

	*map = arg->tensor->form;
	out->tensor = map;
	rc = resolve_numbers(r, map, arg->tensor);
	if (rc)
		return rc;
	if (tensor_map_check(map, &cause))
		return resolution_skip(r, "the map of %s: %s", arg->value, cause.text);
	if (tensor_map_extent(map) > (uint64_t)bytes)
		return resolution_skip(r,
				       "the tensor of %s has %" PRIu64
				       " bytes up to its last element, but the buffer has %" PRId64,
				       arg->value, tensor_map_extent(map), bytes);
	return 0;
}

/* ---- values ---- */

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

/* Every argument that has a value of its own. */
static int resolve_value(struct resolution *r, struct case_arg *out, const struct kernel_arg *arg)
{
	size_t count;
	int rc;

	out->kind = arg->kind;
	switch (arg->kind) {
	case ARG_BUFFER:
		return resolve_buffer_arg(r, out, arg);
	case ARG_TEXTURE:
		return resolve_texture_arg(r, out, arg);
	case ARG_TENSOR_MAP:
		rc = resolve_buffer_arg(r, out, arg);
		return rc ? rc : resolve_tensor(r, out, arg);
	case ARG_F16:
	case ARG_BF16:
	case ARG_F32:
	case ARG_F64:
	case ARG_REAL:
		return resolve_real_arg(r, out, arg->value);
	case ARG_BYTES:
		rc = parse_hex_bytes(&out->bytes, &count, arg->value, r->err);
		if (rc)
			return error_context(r->err, rc, "bytes(%.40s)", arg->value);
		out->integer = (int64_t)count;
		return 0;
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

int resolution_argument(struct resolution *r, struct case_arg *out, const struct kernel_arg *arg)
{
	return arg->kind == ARG_STRUCT ? resolve_struct_arg(r, out, arg)
				       : resolve_value(r, out, arg);
}
