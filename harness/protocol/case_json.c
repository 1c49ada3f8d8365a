/* Encodes and decodes a case: its axes, buffers, launches, tolerance and work model. */
#include "harness/protocol/protocol.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- encoding ---- */

static json_t *triple_to_json(const int64_t triple[3])
{
	return json_pack("[I, I, I]", (json_int_t)triple[0], (json_int_t)triple[1],
			 (json_int_t)triple[2]);
}

static json_t *buffer_to_json(const struct case_buffer *buffer)
{
	return json_pack("{s:o, s:s, s:I, s:s, s:s, s:o, s:o}", "name", json_text(buffer->name),
			 "type", element_type_name(buffer->type), "length",
			 (json_int_t)buffer->length, "role", buffer_role_name(buffer->role), "fill",
			 buffer_fill_name(buffer->fill), "fill_low",
			 json_number_or_null(buffer->fill_low), "fill_high",
			 json_number_or_null(buffer->fill_high));
}

static json_t *launch_to_json(const struct case_launch *launch)
{
	json_t *args = json_array();

	for (size_t i = 0; i < launch->arg_count; i++) {
		const struct case_arg *arg = &launch->args[i];

		json_array_append_new(
			args, json_pack("{s:s, s:o}", "kind", arg_kind_name(arg->kind), "value",
					arg->kind == ARG_F32 ? json_number_or_null(arg->real)
							     : json_integer(arg->integer)));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o}", "entry", json_text(launch->entry),
			 "library", launch->library[0] ? json_text(launch->library) : json_null(),
			 "grid", triple_to_json(launch->grid), "block",
			 triple_to_json(launch->block), "shared_bytes",
			 (json_int_t)launch->shared_bytes, "args", args);
}

json_t *case_to_json(const struct launch_case *work)
{
	json_t *axes = json_object();
	json_t *buffers = json_array();
	json_t *launches = json_array();

	for (size_t i = 0; i < work->axis_count; i++)
		json_object_set_new(axes, work->axes[i].name, json_integer(work->axes[i].value));
	for (size_t i = 0; i < work->buffer_count; i++)
		json_array_append_new(buffers, buffer_to_json(&work->buffers[i]));
	for (size_t i = 0; i < work->launch_count; i++)
		json_array_append_new(launches, launch_to_json(&work->launches[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "kernel",
			 json_text(work->kernel), "variant", json_text(work->variant), "image",
			 json_text(work->image), "oracle", json_text(work->oracle), "axes", axes,
			 "buffers", buffers, "launches", launches, "tolerance_abs",
			 json_number_or_null(work->tolerance_abs), "tolerance_rel",
			 json_number_or_null(work->tolerance_rel), "flop",
			 work->has_flop ? json_integer(work->flop) : json_null(), "bytes_read",
			 (json_int_t)work->bytes_read, "bytes_written",
			 (json_int_t)work->bytes_written);
}

/* ---- decoding ---- */

/* A name that may become part of a path: no component is empty or begins with a dot. */
static int check_image_name(const char *image, struct error *err)
{
	bool begins = true; /* the next byte is the first of a component */
	bool good = true;

	for (const char *c = image; *c; c++) {
		if (begins && (*c == '/' || *c == '.'))
			good = false;
		begins = *c == '/';
	}
	if (!good || begins)
		return error_set(err, PL_EPROTOCOL, "image '%s' does not have the form FAMILY/NAME",
				 image);
	return 0;
}

static int axes_from_json(struct launch_case *out, const json_t *json, struct error *err)
{
	json_t *axes;
	const char *name;
	json_t *value;
	int rc = member_object(&axes, json, "axes", ARRAY_SIZE(out->axes), err);

	if (rc)
		return rc;
	json_object_foreach(axes, name, value)
	{
		struct axis_value axis = {0};
		size_t at = out->axis_count;

		if (!*name || strlen(name) >= sizeof(axis.name))
			return error_set(err, PL_EPROTOCOL, "an axis name is empty or too long");
		strcpy(axis.name, name);
		/* Other axes may be 0, for example "no shared memory". */
		rc = member_int64(&axis.value, axes, name, strcmp(name, "block") == 0, INT64_MAX,
				  err);
		if (rc)
			return rc;
		/* JSON objects have no order: restores the canonical one. */
		for (; at > 0 && strcmp(out->axes[at - 1].name, axis.name) > 0; at--)
			out->axes[at] = out->axes[at - 1];
		out->axes[at] = axis;
		out->axis_count++;
	}
	return 0;
}

static int buffer_from_json(struct case_buffer *out, const json_t *json, struct error *err)
{
	const char *type = NULL;
	const char *role = NULL;
	const char *fill = NULL;
	int rc;

	rc = member_string(out->name, sizeof(out->name), json, "name", err);
	if (!rc)
		rc = member_borrow(&type, json, "type", false, err);
	if (!rc)
		rc = member_borrow(&role, json, "role", false, err);
	if (!rc)
		rc = member_borrow(&fill, json, "fill", false, err);
	if (!rc)
		rc = member_int64(&out->length, json, "length", 1, INT64_MAX, err);
	if (!rc)
		rc = member_real(&out->fill_low, json, "fill_low", err);
	if (!rc)
		rc = member_real(&out->fill_high, json, "fill_high", err);
	if (rc)
		return rc;
	if (!element_type_parse(&out->type, type))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not an element type", type);
	if (!buffer_role_parse(&out->role, role))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not a buffer role", role);
	if (!buffer_fill_parse(&out->fill, fill))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not a buffer fill", fill);
	return 0;
}

static int buffers_from_json(struct launch_case *out, const json_t *json, struct error *err)
{
	json_t *array;
	json_t *item;
	size_t i;
	int64_t total = 0;
	int rc = member_array(&array, json, "buffers", ARRAY_SIZE(out->buffers), err);

	if (rc)
		return rc;
	json_array_foreach(array, i, item)
	{
		struct case_buffer *buffer = &out->buffers[i];
		int64_t bytes;

		rc = buffer_from_json(buffer, item, err);
		if (rc)
			return error_context(err, rc, "buffer %zu", i);
		if (__builtin_mul_overflow(buffer->length,
					   (int64_t)element_size_bytes(buffer->type), &bytes) ||
		    __builtin_add_overflow(total, bytes, &total))
			return error_set(err, PL_EPROTOCOL,
					 "buffer %zu: its size in bytes overflows", i);
		out->buffer_count++;
	}
	return 0;
}

static int triple_from_json(int64_t out[3], const json_t *json, const char *name, int64_t *product,
			    struct error *err)
{
	json_t *array;
	int rc = member_array(&array, json, name, 3, err);

	if (rc)
		return rc;
	if (json_array_size(array) != 3)
		return error_set(err, PL_EPROTOCOL, "member '%s' is not three numbers", name);
	for (size_t i = 0; i < 3; i++) {
		const json_t *item = json_array_get(array, i);

		/* cuLaunchKernel() takes unsigned int. */
		if (!json_is_integer(item) || json_integer_value(item) < 1 ||
		    json_integer_value(item) > UINT32_MAX)
			return error_set(err, PL_EPROTOCOL,
					 "member '%s' has a size below 1 or above 32 bits", name);
		out[i] = json_integer_value(item);
		if (__builtin_mul_overflow(*product, out[i], product))
			return error_set(err, PL_EPROTOCOL,
					 "the product of grid and block "
					 "overflows");
	}
	return 0;
}

static int arg_from_json(struct case_arg *out, const json_t *json, size_t buffer_count,
			 struct error *err)
{
	const char *kind;
	int rc = member_borrow(&kind, json, "kind", false, err);

	if (rc)
		return rc;
	if (!arg_kind_parse(&out->kind, kind))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not an argument kind", kind);
	switch (out->kind) {
	case ARG_BUFFER:
		return member_int64(&out->integer, json, "value", 0, (int64_t)buffer_count - 1,
				    err);
	case ARG_I32:
		return member_int64(&out->integer, json, "value", INT32_MIN, INT32_MAX, err);
	case ARG_U32:
		return member_int64(&out->integer, json, "value", 0, UINT32_MAX, err);
	case ARG_I64:
		return member_int64(&out->integer, json, "value", INT64_MIN, INT64_MAX, err);
	case ARG_F32:
		rc = member_real(&out->real, json, "value", err);
		if (!rc && fabs(out->real) > (double)FLT_MAX)
			rc = error_set(err, PL_EPROTOCOL, "'value' does not fit a 32-bit float");
		return rc;
	}
	return 0;
}

static int library_from_json(struct case_launch *out, const json_t *json, struct error *err)
{
	const char *library = NULL;
	int rc;

	if (!json_object_get(json, "library"))
		return 0;
	rc = member_borrow(&library, json, "library", true, err);
	if (rc || !library)
		return rc;
	if (!*library || strlen(library) >= sizeof(out->library))
		return error_set(err, PL_EPROTOCOL, "'library' is empty or too long");
	strcpy(out->library, library);
	return 0;
}

static int launch_from_json(struct case_launch *out, const json_t *json, size_t buffer_count,
			    struct error *err)
{
	json_t *args;
	json_t *item;
	size_t i;
	int64_t product = 1;
	int rc;

	rc = member_string(out->entry, sizeof(out->entry), json, "entry", err);
	if (!rc && !out->entry[0])
		rc = error_set(err, PL_EPROTOCOL, "'entry' is empty");
	if (!rc)
		rc = library_from_json(out, json, err);
	if (!rc)
		rc = triple_from_json(out->grid, json, "grid", &product, err);
	if (!rc)
		rc = triple_from_json(out->block, json, "block", &product, err);
	if (!rc)
		rc = member_int64(&out->shared_bytes, json, "shared_bytes", 0, UINT32_MAX, err);
	if (!rc)
		rc = member_array(&args, json, "args", ARRAY_SIZE(out->args), err);
	if (rc)
		return rc;
	json_array_foreach(args, i, item)
	{
		rc = arg_from_json(&out->args[i], item, buffer_count, err);
		if (rc)
			return error_context(err, rc, "argument %zu", i);
		out->arg_count++;
	}
	return 0;
}

static int launches_from_json(struct launch_case *out, const json_t *json, struct error *err)
{
	json_t *array;
	json_t *item;
	size_t i;
	int rc = member_array(&array, json, "launches", PROTOCOL_MAX_LAUNCHES, err);

	if (rc)
		return rc;
	if (!json_array_size(array))
		return error_set(err, PL_EPROTOCOL, "a case has no launch");
	out->launches = calloc(json_array_size(array), sizeof(*out->launches));
	if (!out->launches)
		return error_set(err, PL_ENOMEM, "%zu launches of one case do not fit in memory",
				 json_array_size(array));
	json_array_foreach(array, i, item)
	{
		rc = launch_from_json(&out->launches[i], item, out->buffer_count, err);
		if (rc)
			return error_context(err, rc, "launch %zu", i);
		out->launch_count++;
	}
	return 0;
}

static int work_model_from_json(struct launch_case *out, const json_t *json, struct error *err)
{
	int rc = 0;

	out->has_flop = !json_is_null(json_object_get(json, "flop"));
	if (out->has_flop)
		rc = member_int64(&out->flop, json, "flop", 0, INT64_MAX, err);
	if (!rc)
		rc = member_int64(&out->bytes_read, json, "bytes_read", 0, INT64_MAX, err);
	if (!rc)
		rc = member_int64(&out->bytes_written, json, "bytes_written", 0, INT64_MAX, err);
	return rc;
}

static int tolerance_from_json(double *out, const json_t *json, const char *name, struct error *err)
{
	int rc = member_real(out, json, name, err);

	if (!rc && *out < 0)
		rc = error_set(err, PL_EPROTOCOL, "'%s' is negative", name);
	return rc;
}

int case_from_json(struct launch_case **out, const json_t *json, struct error *err)
{
	struct launch_case *work = xcalloc(1, sizeof(*work));
	int rc;

	rc = member_string(work->kernel, sizeof(work->kernel), json, "kernel", err);
	if (!rc)
		rc = member_string(work->variant, sizeof(work->variant), json, "variant", err);
	if (!rc)
		rc = member_string(work->image, sizeof(work->image), json, "image", err);
	if (!rc)
		rc = check_image_name(work->image, err);
	if (!rc)
		rc = member_string(work->oracle, sizeof(work->oracle), json, "oracle", err);
	if (!rc)
		rc = axes_from_json(work, json, err);
	if (!rc)
		rc = buffers_from_json(work, json, err);
	if (!rc)
		rc = launches_from_json(work, json, err);
	if (!rc)
		rc = tolerance_from_json(&work->tolerance_abs, json, "tolerance_abs", err);
	if (!rc)
		rc = tolerance_from_json(&work->tolerance_rel, json, "tolerance_rel", err);
	if (!rc)
		rc = work_model_from_json(work, json, err);
	if (rc) {
		launch_case_free(work);
		return error_context(err, rc, "case");
	}
	*out = work;
	return 0;
}
