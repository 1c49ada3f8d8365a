/* The names in a launch. See annotation_names.h. */
#include "kernels/user/annotation_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "kernels/expression.h"
#include "kernels/user/annotation_lets.h"

/* A launch whose names are looked up. */
struct completion {
	const struct annotation_names *names;
	struct annotation_pool *pool;
	struct annotation_place place;
	bool repeated;
	struct error *err;
};

static int refuse_unknown(const struct completion *c, const char *what, const char *name)
{
	struct text near = TEXT_INIT, origin = TEXT_INIT;
	int rc;

	lets_add_origin(&origin, c->place, name, 1);
	rc = names_near(&near, c->names, c->place, name)
		     ? annotation_error(c->err, c->place,
					"%s, \"%.60s\", is neither a buffer nor an axis; did "
					"you mean %s?%s",
					what, name, near.data, origin.data)
		     : annotation_error(c->err, c->place,
					"%s, \"%.60s\", is neither a buffer nor an axis; "
					"declare it with \"buffer %.60s: TYPE[LENGTH] ROLE\" "
					"or \"axis %.60s = VALUES\"%s",
					what, name, name, name, origin.data);
	text_release(&near);
	text_release(&origin);
	return rc;
}

/* ---- addresses ---- */

static const char *after_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* Whether numbers may follow an address: "+ 4", "- n", or the end of brackets or of the text. */
static bool continues_address(const char *text)
{
	text = after_blanks(text);
	return !*text || strchr("+-)", *text);
}

/*
 * Whether `rest` only adds numbers to an address that stands before it, in so
 * many brackets. "(m0 + 4) * 2" and "m0 + 4 == n" are none.
 */
static bool adds_to_address(const char *rest, int brackets)
{
	int depth = brackets;

	if (!continues_address(rest))
		return false;
	for (; *rest; rest++) {
		depth += (*rest == '(') - (*rest == ')');
		if (depth <= brackets && strchr("<>=!&|", *rest))
			return false;
		if (depth < brackets) {
			brackets = depth;
			if (!continues_address(rest + 1))
				return false;
		}
	}
	return true;
}

/* A buffer, or "m0 + 4", "(m0 + 4) - n": becomes the buffer and what is added to it. */
static bool complete_address(const struct completion *c, struct kernel_arg *arg)
{
	const struct kernel_buffer *buffer;
	const char *name = arg->value, *rest;
	int brackets = 0;

	for (name = after_blanks(name); *name == '('; name = after_blanks(name + 1))
		brackets++;
	for (rest = name; isalnum((unsigned char)*rest) || *rest == '_';)
		rest++;
	buffer = names_buffer(c->names, pool_copy(c->pool, name, (size_t)(rest - name)));
	if (!buffer || !adds_to_address(rest, brackets))
		return false;
	if (brackets || *after_blanks(rest))
		arg->addend =
			pool_format(c->pool, "%.*s0%s", (int)(name - arg->value), arg->value, rest);
	arg->kind = ARG_BUFFER;
	arg->value = buffer->name;
	return true;
}

/* The buffer and the sizes of a texture. */
static int complete_texture(const struct completion *c, struct kernel_arg *arg, const char *what)
{
	const struct kernel_buffer *buffer = names_buffer(c->names, arg->value);
	const struct texture_reading *reading = &arg->texture->reading;
	int rc = 0;

	if (!buffer)
		return refuse_unknown(c, what, arg->value);
	/* no texel format has channels of another type */
	if (buffer->type != ELEMENT_F32 && buffer->type != ELEMENT_F16 &&
	    (!element_is_integer(buffer->type) || element_size_bytes(buffer->type) > 4))
		return annotation_error(c->err, c->place,
					"%s: no texture has channels of %s, the type of \"%.60s\"; "
					"they are f32, f16, or integers of 8 to 32 bits",
					what, element_type_name(buffer->type), buffer->name);
	if (reading->normalized_float &&
	    (!element_is_integer(buffer->type) || element_size_bytes(buffer->type) > 2))
		return annotation_error(c->err, c->place,
					"%s: normalized_float is for integers of 8 or 16 bits, and "
					"\"%.60s\" has the type %s",
					what, buffer->name, element_type_name(buffer->type));
	if (reading->linear && element_is_integer(buffer->type) && !reading->normalized_float)
		return annotation_error(c->err, c->place,
					"%s: a linear filter needs floats; add normalized_float, "
					"or change the type %s of \"%.60s\"",
					what, element_type_name(buffer->type), buffer->name);
	for (size_t i = 0; i < arg->texture->dimensions && !rc; i++)
		rc = names_check_value(c->names, c->place, "a size of the texture",
				       arg->texture->sizes[i], c->repeated, 1, INT64_MAX, c->err);
	return rc;
}

/* ---- tensor maps ---- */

/* Signed integers below 32 bits are copied as unsigned ones. */
static enum tensor_type tensor_type_of(enum element_type type)
{
	enum tensor_type found = TENSOR_U8;

	if (type == ELEMENT_I16)
		return TENSOR_U16;
	tensor_type_parse(&found, element_type_name(type));
	return found;
}

static int check_all_tensor_numbers(const struct completion *c, const struct kernel_tensor *tensor)
{
	const struct {
		const char *const *values;
		unsigned count;
		int64_t low;
		const char *what;
	} numbers[] = {
		{tensor->sizes, TENSOR_MOST_RANK, 1, "a size of the tensor map"},
		{tensor->strides, TENSOR_MOST_RANK, 1, "a stride of the tensor map"},
		{tensor->box, TENSOR_MOST_RANK, 1, "a size of the box of the tensor map"},
		{tensor->steps, TENSOR_MOST_RANK, 1, "a step of the tensor map"},
		{&tensor->channels, 1, 1, "the channels of the tensor map"},
		{&tensor->pixels, 1, 1, "the pixels of the tensor map"},
		{tensor->lower, TENSOR_IMAGE_MOST_RANK, INT32_MIN, "a corner of the tensor map"},
		{tensor->upper, TENSOR_IMAGE_MOST_RANK, INT32_MIN, "a corner of the tensor map"},
	};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		for (unsigned k = 0; k < numbers[i].count && !rc; k++)
			rc = names_check_value(c->names, c->place, numbers[i].what,
					       numbers[i].values[k], c->repeated, numbers[i].low,
					       INT64_MAX, c->err);
	return rc;
}

/* The buffer, the type and the numbers of a tensor map. */
static int complete_tensor(const struct completion *c, struct kernel_arg *arg, const char *what)
{
	const struct kernel_buffer *buffer = names_buffer(c->names, arg->value);
	struct kernel_tensor *tensor = pool_new(c->pool, sizeof(*tensor));
	size_t bytes;

	if (!buffer)
		return refuse_unknown(c, what, arg->value);
	*tensor = *arg->tensor;
	arg->tensor = tensor;
	if (!tensor->typed)
		tensor->form.type = tensor_type_of(buffer->type);
	bytes = element_size_bytes(buffer->type);
	if (bytes > 1 && bytes != tensor_type_bytes(tensor->form.type))
		return annotation_error(c->err, c->place,
					"%s: the elements of a tensor map of %s do not have the "
					"size of those of \"%.60s\", which are %s; declare the "
					"buffer with that type, or as u8",
					what, tensor_type_name(tensor->form.type), buffer->name,
					element_type_name(buffer->type));
	return check_all_tensor_numbers(c, tensor);
}

/* An argument without fields. `what` is its place: "argument 2". */
static int complete_value(const struct completion *c, struct kernel_arg *arg, const char *what)
{
	int64_t low, high;
	double literal;

	if (arg->kind == ARG_TEXTURE)
		return complete_texture(c, arg, what);
	if (arg->kind == ARG_TENSOR_MAP)
		return complete_tensor(c, arg, what);
	if (arg->kind == ARG_BYTES || arg->kind == ARG_REAL ||
	    (arg_kind_is_real(arg->kind) && !parse_double(&literal, arg->value, NULL)))
		return 0;
	if (arg->kind == ARG_INTEGER && complete_address(c, arg))
		return names_check_value(c->names, c->place, what, arg->addend, c->repeated, 0,
					 INT64_MAX, c->err);
	if (arg->kind == ARG_INTEGER && is_c_identifier(arg->value) &&
	    !names_has(c->names, arg->value) && !(c->repeated && !strcmp(arg->value, "i")))
		return refuse_unknown(c, what, arg->value);
	if (arg_kind_is_real(arg->kind) && expression_is_real(arg->value))
		return names_check_real(c->names, c->place, what, arg->value, c->repeated, c->err);
	if (arg_kind_is_real(arg->kind))
		return names_check(c->names, c->place, what, arg->value, c->repeated, c->err);
	if (arg->kind == ARG_INTEGER && expression_is_real(arg->value)) {
		arg->kind = ARG_REAL;
		return names_check_real(c->names, c->place, what, arg->value, c->repeated, c->err);
	}
	arg_kind_range(arg->kind, &low, &high);
	return names_check_value(c->names, c->place, what, arg->value, c->repeated, low, high,
				 c->err);
}

/* Recursion is as deep as the structs, which annotation_arguments.c limits. */
static int complete_fields(const struct completion *c, struct kernel_arg *arg, const char *what)
{
	struct kernel_arg *fields = pool_new(c->pool, (arg->field_count + 1) * sizeof(*fields));
	int rc = 0;

	for (size_t i = 0; i < arg->field_count && !rc; i++) {
		struct kernel_arg *field = &fields[i];
		char where[160];

		*field = arg->fields[i];
		snprintf(where, sizeof(where), "%s, field %zu", what, i + 1);
		if (field->kind == ARG_STRUCT) {
			rc = complete_fields(c, field, where);
			continue;
		}
		rc = complete_value(c, field, where);
		if (!rc && field->kind == ARG_REAL)
			rc = annotation_error(c->err, c->place,
					      "%s, \"%.60s\", has no type; write f32(%.60s) or "
					      "f64(%.60s)",
					      where, field->value, field->value, field->value);
		if (!rc && field->kind == ARG_INTEGER)
			rc = annotation_error(
				c->err, c->place,
				"%s, \"%.60s\", has no type; write i32(%.60s), or the type of "
				"the member of the struct: u32, i64, u64 …",
				where, field->value, field->value);
	}
	arg->fields = fields;
	return rc;
}

static int complete_argument(const struct completion *c, struct kernel_arg *arg, size_t number)
{
	char what[32];
	int rc;

	snprintf(what, sizeof(what), "argument %zu", number);
	if (arg->kind != ARG_STRUCT)
		return complete_value(c, arg, what);
	rc = complete_fields(c, arg, what);
	if (!rc && kernel_arg_bytes(arg) > ARG_MOST_BYTES)
		rc = annotation_error(c->err, c->place,
				      "%s is a struct of %zu bytes; a kernel takes at most %d",
				      what, kernel_arg_bytes(arg), ARG_MOST_BYTES);
	return rc;
}

static int check_extent(const struct completion *c, const char *what, const char *expression,
			int64_t least)
{
	return names_check_value(c->names, c->place, what, expression, c->repeated, least,
				 INT64_MAX, c->err);
}

static int check_shapes(const struct completion *c, const struct kernel_launch *launch)
{
	int rc = names_check_value(c->names, c->place, "the number after repeat", launch->repeat,
				   false, 0, INT64_MAX, c->err);

	for (int d = 0; d < 3 && !rc; d++) {
		rc = check_extent(c, "the grid", launch->grid[d], 1);
		if (!rc)
			rc = check_extent(c, "the block", launch->block[d], 1);
		if (!rc)
			rc = check_extent(c, "the cluster", launch->cluster[d], 1);
	}
	if (!rc)
		rc = check_extent(c, "the shared memory", launch->shared_bytes, 0);
	return rc ? rc
		  : names_check_value(c->names, c->place, "the carveout", launch->carveout,
				      c->repeated, 0, CARVEOUT_MOST, c->err);
}

int launch_complete(struct kernel_launch *launch, const struct annotation_names *names,
		    struct annotation_pool *pool, struct annotation_place place, struct error *err)
{
	const struct completion c = {names, pool, place, launch->repeat != NULL, err};
	struct kernel_arg *args = pool_new(pool, (launch->arg_count + 1) * sizeof(*args));
	int rc = check_shapes(&c, launch);

	for (size_t i = 0; i < launch->arg_count && !rc; i++) {
		args[i] = launch->args[i];
		rc = complete_argument(&c, &args[i], i + 1);
	}
	launch->args = launch->arg_count ? args : NULL;
	return rc;
}
