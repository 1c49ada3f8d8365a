/* Decodes a case: its axes, buffers, launches, check, tolerance and work model. */
#include "harness/protocol/protocol.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PATH_BYTES 4096
#define MOST_CHECK_BYTES 65536 /* as long as an annotation */
#define MOST_ENTRY_BYTES 65536 /* mangled names of template instances are long */

/* Reads a text that becomes *out. */
static int text_from_json(char **out, const json_t *json, const char *name, size_t most,
			  struct error *err)
{
	const char *text;

	if (member_borrow(&text, json, name, false, err))
		return PL_EPROTOCOL;
	if (strlen(text) > most)
		return error_set(err, PL_EPROTOCOL, "'%s' has more than %zu bytes", name, most);
	*out = xstrdup(text);
	return 0;
}

/* Copies a text that may be missing: if the member is absent or null, *out stays NULL. */
static int optional_text_from_json(char **out, const json_t *json, const char *name, size_t most,
				   struct error *err)
{
	const json_t *member = json_object_get(json, name);

	if (!member || json_is_null(member))
		return 0;
	return text_from_json(out, json, name, most, err);
}

static int check_image_path(const char *image, struct error *err)
{
	const char *suffix = strrchr(image, '.');

	if (suffix && (!strcmp(suffix, ".ptx") || !strcmp(suffix, ".cubin")))
		return 0;
	return error_set(err, PL_EPROTOCOL, "image '%.80s' is neither a .ptx nor a .cubin", image);
}

/*
 * An image is the absolute path of a user's file, or a built-in name that
 * becomes part of a path: no component of it is empty or begins with a dot.
 */
static int check_image_name(const char *image, struct error *err)
{
	bool good = true, begins = true; /* the next byte is the first of a component */

	if (image[0] == '/')
		return check_image_path(image, err);
	for (const char *c = image; *c; c++) {
		if (begins && (*c == '/' || *c == '.'))
			good = false;
		begins = *c == '/';
	}
	if (!good || begins)
		return error_set(err, PL_EPROTOCOL,
				 "image '%.80s' is neither FAMILY/NAME nor an absolute path",
				 image);
	return 0;
}

static int axes_from_json(struct launch_case *out, const json_t *json, struct error *err)
{
	json_t *axes, *value;
	const char *name;

	if (member_object(&axes, json, "axes", ARRAY_SIZE(out->axes), err))
		return PL_EPROTOCOL;
	json_object_foreach(axes, name, value)
	{
		struct axis_value axis = {0};
		size_t at = out->axis_count;

		if (!*name || strlen(name) >= sizeof(axis.name))
			return error_set(err, PL_EPROTOCOL, "an axis name is empty or too long");
		strcpy(axis.name, name);
		/* Other axes may be 0, for example "no shared memory". */
		if (member_int64(&axis.value, axes, name, strcmp(name, "block") == 0, INT64_MAX,
				 err))
			return PL_EPROTOCOL;
		/* JSON objects have no order: restores the canonical one. */
		for (; at > 0 && strcmp(out->axes[at - 1].name, axis.name) > 0; at--)
			out->axes[at] = out->axes[at - 1];
		out->axes[at] = axis;
		out->axis_count++;
	}
	return 0;
}

/* The type and the fill of the buffer have been read. */
static int fill_bits_from_json(struct case_buffer *out, const json_t *json, struct error *err)
{
	int64_t bits = 0;
	int rc;

	if (!json_object_get(json, "fill_bits"))
		return 0;
	rc = member_int64(&bits, json, "fill_bits", 0, element_significant_bits(out->type), err);
	if (!rc && !buffer_fill_takes_bits(out->fill))
		rc = error_set(err, PL_EPROTOCOL, "'fill_bits' belongs to a random fill");
	out->has_fill_bits = true;
	out->fill_bits = (int)bits;
	return rc;
}

/* The length and the type of the buffer have been read. */
static int compared_from_json(struct case_buffer *out, const json_t *json, struct error *err)
{
	const char *name;

	if (!json_object_get(json, "compared"))
		return 0;
	if (member_borrow(&name, json, "compared", false, err))
		return PL_EPROTOCOL;
	if (!element_type_parse(&out->compared, name))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not an element type", name);
	if ((uint64_t)out->length * element_size_bytes(out->type) %
	    element_size_bytes(out->compared))
		return error_set(err, PL_EPROTOCOL, "'compared' does not divide the buffer");
	out->has_compared = true;
	return 0;
}

/* The path of a file, and which memory of it if it is a capture. The fill has been read. */
static int fill_file_from_json(struct case_buffer *out, const json_t *json, struct error *err)
{
	int64_t index = 0;

	if (optional_text_from_json(&out->fill_file, json, "fill_file", MOST_PATH_BYTES, err))
		return PL_EPROTOCOL;
	if ((out->fill == FILL_FILE || out->fill == FILL_CAPTURE) != (out->fill_file != NULL))
		return error_set(err, PL_EPROTOCOL,
				 "the fills 'file' and 'capture' and a 'fill_file' go together");
	if ((out->fill == FILL_CAPTURE) != (json_object_get(json, "fill_index") != NULL))
		return error_set(err, PL_EPROTOCOL,
				 "the fill 'capture' and a 'fill_index' go together");
	if (out->fill == FILL_CAPTURE &&
	    member_int64(&index, json, "fill_index", 0, UINT32_MAX, err))
		return PL_EPROTOCOL;
	out->fill_index = (size_t)index;
	return 0;
}

/* The name of a variable in the source, and perhaps those in images. */
static int symbol_from_json(struct case_buffer *out, const json_t *json, struct error *err)
{
	if (optional_text_from_json(&out->symbol, json, "symbol", MOST_ENTRY_BYTES, err) ||
	    optional_text_from_json(&out->variable, json, "variable", MOST_ENTRY_BYTES, err) ||
	    optional_text_from_json(&out->check_variable, json, "check_variable", MOST_ENTRY_BYTES,
				    err))
		return PL_EPROTOCOL;
	if (!out->symbol && (out->variable || out->check_variable))
		return error_set(err, PL_EPROTOCOL, "a variable belongs to a 'symbol'");
	return 0;
}

static int buffer_from_json(struct case_buffer *out, const json_t *json, struct error *err)
{
	const char *type, *role, *fill;

	if (member_string(out->name, sizeof(out->name), json, "name", err) ||
	    member_borrow(&type, json, "type", false, err) ||
	    member_borrow(&role, json, "role", false, err) ||
	    member_borrow(&fill, json, "fill", false, err) ||
	    member_int64(&out->length, json, "length", 1, INT64_MAX, err) ||
	    member_real(&out->fill_low, json, "fill_low", err) ||
	    member_real(&out->fill_high, json, "fill_high", err))
		return PL_EPROTOCOL;
	if (!element_type_parse(&out->type, type))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not an element type", type);
	if (!buffer_role_parse(&out->role, role))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not a buffer role", role);
	if (!buffer_fill_parse(&out->fill, fill))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not a buffer fill", fill);
	if (fill_file_from_json(out, json, err) ||
	    optional_text_from_json(&out->fill_expression, json, "fill_expression",
				    MOST_CHECK_BYTES, err) ||
	    symbol_from_json(out, json, err))
		return PL_EPROTOCOL;
	if ((out->fill == FILL_EXPRESSION) != (out->fill_expression != NULL))
		return error_set(err, PL_EPROTOCOL,
				 "the fill 'expression' and a 'fill_expression' go together");
	if (compared_from_json(out, json, err))
		return PL_EPROTOCOL;
	return fill_bits_from_json(out, json, err);
}

static int buffers_from_json(struct launch_case *out, const json_t *json, struct error *err)
{
	json_t *array, *item;
	size_t i;
	int64_t total = 0;

	if (member_array(&array, json, "buffers", KERNEL_MAX_BUFFERS, err))
		return PL_EPROTOCOL;
	out->buffers = xcalloc(json_array_size(array) + 1, sizeof(out->buffers[0]));
	json_array_foreach(array, i, item)
	{
		struct case_buffer *buffer = &out->buffers[out->buffer_count++];
		int64_t bytes;

		if (buffer_from_json(buffer, item, err))
			return error_context(err, PL_EPROTOCOL, "buffer %zu", i);
		if (__builtin_mul_overflow(buffer->length,
					   (int64_t)element_size_bytes(buffer->type), &bytes) ||
		    __builtin_add_overflow(total, bytes, &total))
			return error_set(err, PL_EPROTOCOL,
					 "buffer %zu: its size in bytes overflows", i);
	}
	return 0;
}

static int triple_from_json(int64_t out[3], const json_t *json, const char *name, int64_t *product,
			    struct error *err)
{
	json_t *array;

	if (member_array(&array, json, name, 3, err))
		return PL_EPROTOCOL;
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
					 "the product of grid and block overflows");
	}
	return 0;
}

static int library_from_json(struct case_launch *out, const json_t *json, struct error *err)
{
	const char *library = NULL;
	const bool given = json_object_get(json, "library") != NULL;
	int rc = given ? member_borrow(&library, json, "library", true, err) : 0;

	if (rc || !library)
		return rc;
	if (!*library || strlen(library) >= sizeof(out->library))
		return error_set(err, PL_EPROTOCOL, "'library' is empty or too long");
	strcpy(out->library, library);
	return 0;
}

/* Each member may be absent: no cluster, an ordinary launch, and the carveout of the driver. */
static int attributes_from_json(struct case_launch *out, const json_t *json, struct error *err)
{
	int64_t product = 1;
	int rc = 0;

	out->cluster[0] = out->cluster[1] = out->cluster[2] = 1;
	if (json_object_get(json, "cluster"))
		rc = triple_from_json(out->cluster, json, "cluster", &product, err);
	if (!rc && json_object_get(json, "cooperative"))
		rc = member_bool(&out->cooperative, json, "cooperative", err);
	out->has_carveout = json_object_get(json, "carveout") != NULL;
	if (!rc && out->has_carveout)
		rc = member_int64(&out->carveout, json, "carveout", 0, CARVEOUT_MOST, err);
	return rc;
}

static int launch_from_json(struct case_launch *out, const json_t *json,
			    const struct launch_case *work, struct error *err)
{
	json_t *args, *item;
	size_t i;
	int64_t product = 1;

	if (text_from_json(&out->entry, json, "entry", MOST_ENTRY_BYTES, err))
		return PL_EPROTOCOL;
	if (!out->entry[0])
		return error_set(err, PL_EPROTOCOL, "'entry' is empty");
	if (library_from_json(out, json, err) ||
	    triple_from_json(out->grid, json, "grid", &product, err) ||
	    triple_from_json(out->block, json, "block", &product, err) ||
	    member_int64(&out->shared_bytes, json, "shared_bytes", 0, UINT32_MAX, err) ||
	    attributes_from_json(out, json, err) ||
	    member_array(&args, json, "args", PROTOCOL_MAX_ARGS, err))
		return PL_EPROTOCOL;
	out->args = xcalloc(json_array_size(args) + 1, sizeof(out->args[0]));
	json_array_foreach(args, i, item)
	{
		if (arg_from_json(&out->args[out->arg_count++], item, work->buffers,
				  work->buffer_count, err))
			return error_context(err, PL_EPROTOCOL, "argument %zu", i);
	}
	return 0;
}

static int launches_from_json(struct case_launch **out, size_t *count, const json_t *json,
			      const struct launch_case *work, struct error *err)
{
	json_t *array, *item;
	size_t i;

	if (member_array(&array, json, "launches", PROTOCOL_MAX_LAUNCHES, err))
		return PL_EPROTOCOL;
	*out = calloc(json_array_size(array) + 1, sizeof(**out));
	if (!*out)
		return error_set(err, PL_ENOMEM, "%zu launches of one case do not fit in memory",
				 json_array_size(array));
	json_array_foreach(array, i, item)
	{
		if (launch_from_json(&(*out)[(*count)++], item, work, err))
			return error_context(err, PL_EPROTOCOL, "launch %zu", i);
	}
	return 0;
}

static int check_items_from_json(struct launch_case *out, const json_t *json, struct error *err)
{
	json_t *array, *item;
	size_t i;

	if (member_array(&array, json, "items", KERNEL_MAX_BUFFERS, err))
		return PL_EPROTOCOL;
	out->check.items = xcalloc(json_array_size(array) + 1, sizeof(out->check.items[0]));
	json_array_foreach(array, i, item)
	{
		struct case_check_item *check = &out->check.items[out->check.item_count++];
		int64_t buffer = 0;

		if (member_int64(&buffer, item, "buffer", 0, (int64_t)out->buffer_count - 1, err) ||
		    text_from_json(&check->text, item, "text", MOST_CHECK_BYTES, err) ||
		    (json_object_get(item, "file") &&
		     member_bool(&check->is_file, item, "file", err)))
			return error_context(err, PL_EPROTOCOL, "item %zu", i);
		check->buffer = (size_t)buffer;
		if (out->buffers[buffer].role != BUFFER_OUT &&
		    out->buffers[buffer].role != BUFFER_INOUT)
			return error_set(err, PL_EPROTOCOL, "item %zu: buffer '%s' is no result", i,
					 out->buffers[buffer].name);
	}
	return 0;
}

static int check_members_from_json(struct launch_case *out, const json_t *json, struct error *err)
{
	struct case_check *check = &out->check;
	const char *kind;
	int rc = member_borrow(&kind, json, "kind", false, err);

	if (rc)
		return rc;
	if (!check_kind_parse(&check->kind, kind))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not a kind of check", kind);
	rc = launches_from_json(&check->launches, &check->launch_count, json, out, err);
	if (rc)
		return rc;
	if (optional_text_from_json(&check->image, json, "image", MOST_PATH_BYTES, err) ||
	    (check->image && check_image_name(check->image, err)) ||
	    check_items_from_json(out, json, err) ||
	    optional_text_from_json(&check->command, json, "command", MOST_CHECK_BYTES, err) ||
	    optional_text_from_json(&check->folder, json, "folder", MOST_PATH_BYTES, err))
		return PL_EPROTOCOL;
	if (check->folder && check->folder[0] != '/')
		return error_set(err, PL_EPROTOCOL, "'folder' is not an absolute path");
	if (check->kind == CHECK_LAUNCHES && !check->launch_count)
		return error_set(err, PL_EPROTOCOL, "there is no launch");
	if (check->kind == CHECK_COMMAND && !check->command)
		return error_set(err, PL_EPROTOCOL, "there is no 'command'");
	return 0;
}

/* The code that was made of a built-in image. */
static int code_from_json(struct launch_case *out, const json_t *json, struct error *err)
{
	json_t *code;

	if (!json_object_get(json, "code"))
		return 0;
	if (member_object(&code, json, "code", 2, err) ||
	    text_from_json(&out->code, code, "file", MOST_PATH_BYTES, err) ||
	    member_string(out->code_arch, sizeof(out->code_arch), code, "arch", err))
		return error_context(err, PL_EPROTOCOL, "code");
	if (out->code[0] != '/')
		return error_set(err, PL_EPROTOCOL, "code: 'file' is not an absolute path");
	return error_context(err, check_image_path(out->code, err), "code");
}

static int tolerance_from_json(double *out, const json_t *json, const char *name, struct error *err)
{
	int rc = member_real(out, json, name, err);

	if (!rc && *out < 0)
		rc = error_set(err, PL_EPROTOCOL, "'%s' is negative", name);
	return rc;
}

static int case_members_from_json(struct launch_case *out, const json_t *json, struct error *err)
{
	const json_t *check = json_object_get(json, "check");
	int rc;

	if (member_string(out->kernel, sizeof(out->kernel), json, "kernel", err) ||
	    member_string(out->variant, sizeof(out->variant), json, "variant", err) ||
	    text_from_json(&out->image, json, "image", MOST_PATH_BYTES, err) ||
	    check_image_name(out->image, err) || code_from_json(out, json, err) ||
	    (json_object_get(json, "replacement") &&
	     member_bool(&out->is_replacement, json, "replacement", err)) ||
	    member_string(out->oracle, sizeof(out->oracle), json, "oracle", err) ||
	    axes_from_json(out, json, err) || buffers_from_json(out, json, err))
		return PL_EPROTOCOL;
	rc = launches_from_json(&out->launches, &out->launch_count, json, out, err);
	if (!rc && !out->launch_count)
		rc = error_set(err, PL_EPROTOCOL, "a case has no launch");
	/* without this member the oracle verifies the case */
	if (!rc && check)
		rc = error_context(err, check_members_from_json(out, check, err), "check");
	if (rc)
		return rc;
	out->has_flop = !json_is_null(json_object_get(json, "flop"));
	if (tolerance_from_json(&out->tolerance_abs, json, "tolerance_abs", err) ||
	    tolerance_from_json(&out->tolerance_rel, json, "tolerance_rel", err) ||
	    (out->has_flop && member_int64(&out->flop, json, "flop", 0, INT64_MAX, err)) ||
	    member_int64(&out->bytes_read, json, "bytes_read", 0, INT64_MAX, err) ||
	    member_int64(&out->bytes_written, json, "bytes_written", 0, INT64_MAX, err))
		return PL_EPROTOCOL;
	return 0;
}

int case_from_json(struct launch_case **out, const json_t *json, struct error *err)
{
	struct launch_case *work = xcalloc(1, sizeof(*work));
	int rc = case_members_from_json(work, json, err);

	if (rc) {
		launch_case_free(work);
		return error_context(err, rc, "case");
	}
	*out = work;
	return 0;
}
