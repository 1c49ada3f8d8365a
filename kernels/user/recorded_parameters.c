/* From recorded parameters to arguments, and to those of C++. See recorded_parameters.h. */
#include "kernels/user/recorded_parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTER_BYTES sizeof(uint64_t)

/* A word that only overlaps the parameter is no address: it would be two parameters. */
static void find_pointers(struct recorded_parameter *parameter,
			  const struct capture_pointers *pointers)
{
	for (size_t i = 0; i < pointers->count; i++) {
		const struct capture_pointer *pointer = &pointers->items[i];

		if (pointer->offset < parameter->offset ||
		    pointer->offset + POINTER_BYTES > parameter->offset + parameter->bytes)
			continue;
		if (!parameter->pointer_count)
			parameter->pointers = pointer;
		parameter->pointer_count++;
	}
}

void recorded_parameters_read(struct recorded_parameters *out, struct annotation_pool *pool,
			      const struct capture_info *info)
{
	const size_t count = info->parameter_count;
	struct mangled_parameter *types = xcalloc(count + 1, sizeof(*types));
	const bool typed = mangled_parameters(types, count, info->kernel) == (int)count;

	out->items = pool_new(pool, (count + 1) * sizeof(*out->items));
	out->count = count;
	for (size_t i = 0; i < count; i++) {
		out->items[i] = (struct recorded_parameter){
			.bytes = info->parameters[i].bytes,
			.data = info->parameter_data + info->parameters[i].offset,
			.offset = info->parameters[i].offset,
		};
		find_pointers(&out->items[i], &info->parameter_pointers);
		if (typed)
			out->items[i].type = types[i];
	}
	free(types);
}

const struct capture_pointer *recorded_pointer(const struct recorded_parameter *parameter)
{
	return parameter->bytes == POINTER_BYTES && parameter->pointer_count == 1
		       ? parameter->pointers
		       : NULL;
}

/* ---- as they are ---- */

void recorded_address_add(struct text *out, const struct capture_pointer *pointer)
{
	text_addf(out, "m%zu", pointer->memory);
	if (pointer->addend)
		text_addf(out, " + %" PRIu64, pointer->addend);
}

void recorded_extents_add(struct text *out, const char *x, const int64_t extents[3])
{
	if (extents[1] == 1 && extents[2] == 1)
		text_add(out, x);
	else
		text_addf(out, "dim3(%s, %" PRId64 ", %" PRId64 ")", x, extents[1], extents[2]);
}

bool recorded_looks_like_float(const unsigned char *data)
{
	float value;

	memcpy(&value, data, sizeof(value));
	return isnormal(value) && fabsf(value) > 1e-12f && fabsf(value) < 1e12f;
}

static void bytes_add(struct text *out, const unsigned char *data, size_t count)
{
	text_add(out, "bytes(");
	for (size_t i = 0; i < count; i++)
		text_addf(out, "%02x", data[i]);
	text_add_char(out, ')');
}

static void fields_add(struct text *out, const struct recorded_parameter *parameter)
{
	size_t at = 0;

	text_add(out, "packed(");
	for (size_t i = 0; i < parameter->pointer_count; i++) {
		const size_t offset = parameter->pointers[i].offset - parameter->offset;

		text_add(out, i ? ", " : "");
		if (offset > at) {
			bytes_add(out, parameter->data + at, offset - at);
			text_add(out, ", ");
		}
		recorded_address_add(out, &parameter->pointers[i]);
		at = offset + POINTER_BYTES;
	}
	if (at < parameter->bytes) {
		text_add(out, ", ");
		bytes_add(out, parameter->data + at, parameter->bytes - at);
	}
	text_add_char(out, ')');
}

void recorded_argument_add(struct text *out, const struct recorded_parameter *parameter)
{
	const struct capture_pointer *pointer = recorded_pointer(parameter);

	if (pointer)
		recorded_address_add(out, pointer);
	else if (parameter->pointer_count)
		fields_add(out, parameter);
	else
		bytes_add(out, parameter->data, parameter->bytes);
}

/* ---- as numbers ---- */

static bool real_value_add(struct text *out, const struct recorded_parameter *parameter)
{
	const bool is_float = parameter->bytes == sizeof(float);
	char number[32];
	double value;
	float narrow;

	if (is_float)
		memcpy(&narrow, parameter->data, sizeof(narrow));
	else if (parameter->bytes == sizeof(value))
		memcpy(&value, parameter->data, sizeof(value));
	else
		return false;
	value = is_float ? (double)narrow : value;
	if (!isfinite(value))
		return false;
	snprintf(number, sizeof(number), is_float ? "%.9g" : "%.17g", value);
	text_addf(out, "%s%s", number, strpbrk(number, ".e") ? "" : ".0");
	return true;
}

/* Little-endian, as on every GPU. `bytes` is 1, 2, 4 or 8. */
static int64_t integer_of(const unsigned char *data, size_t bytes, bool is_signed)
{
	uint64_t value = 0;

	for (size_t i = bytes; i-- > 0;)
		value = value << 8 | data[i];
	if (is_signed && bytes < 8 && data[bytes - 1] & 0x80)
		value |= UINT64_MAX << (8 * bytes);
	return (int64_t)value;
}

static bool is_integer_size(size_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static bool integer_value_add(struct text *out, const struct recorded_parameter *parameter)
{
	const struct builtin_type *type = parameter->type.builtin;
	int64_t value;

	if (!is_integer_size(parameter->bytes))
		return false;
	value = integer_of(parameter->data, parameter->bytes, type->is_signed);
	/* Expressions have neither the upper half of 64 bits nor a bool of 2. */
	if ((value < 0 && !type->is_signed) || value == INT64_MIN ||
	    (type->letter == 'b' && value > 1))
		return false;
	text_addf(out, "%" PRId64, value);
	return true;
}

static bool has_zeroes_only(const struct recorded_parameter *parameter)
{
	for (size_t i = 0; i < parameter->bytes; i++)
		if (parameter->data[i])
			return false;
	return true;
}

bool recorded_value_add(struct text *out, const struct recorded_parameter *parameter)
{
	const struct builtin_type *type = parameter->type.builtin;

	if (parameter->pointer_count)
		return false;
	if (parameter->type.pointee && parameter->bytes == POINTER_BYTES &&
	    has_zeroes_only(parameter)) {
		text_add(out, "nullptr");
		return true;
	}
	if (!type || type->bytes != parameter->bytes)
		return false;
	return type->real ? real_value_add(out, parameter) : integer_value_add(out, parameter);
}

bool recorded_integer(int64_t *value, const struct recorded_parameter *parameter)
{
	if (parameter->pointer_count || parameter->type.builtin || parameter->type.pointee ||
	    !is_integer_size(parameter->bytes))
		return false;
	*value = integer_of(parameter->data, parameter->bytes, true);
	return *value != INT64_MIN;
}

/* ---- as parameters of C++ ---- */

struct stub_writing {
	struct stub *out;
	struct annotation_pool *pool;
	const struct capture_info *info;
	struct text types;
};

static void add_stub_parameter(struct stub_writing *w, const char *declaration,
			       const char *argument)
{
	struct stub *out = w->out;

	if (out->count == STUB_MOST_PARAMETERS)
		return;
	pool_append(w->pool, out->items, out->count,
		    ((struct stub_parameter){declaration, argument}));
}

/* Memory that the launch did not change is const here, too. */
static void add_address(struct stub_writing *w, const struct capture_pointer *pointer,
			const struct builtin_type *pointee, const char *name)
{
	const bool written = w->info->memory[pointer->memory].changed;

	add_stub_parameter(w,
			   pool_format(w->pool, "%s%s *%s", written ? "" : "const ",
				       pointee ? pointee->name : "unsigned char", name),
			   name);
}

static const char *scalar_type(const struct recorded_parameter *parameter)
{
	switch (parameter->bytes) {
	case 1:
		return "unsigned char";
	case 2:
		return "unsigned short";
	case 4:
		return recorded_looks_like_float(parameter->data) ? "float" : "int";
	case 8:
		return "long long";
	default:
		return NULL;
	}
}

static void add_struct_addresses(struct stub_writing *w, const struct recorded_parameter *parameter,
				 const char *name)
{
	for (size_t i = 0; i < parameter->pointer_count && i < RECORDED_FIRST_ADDRESSES; i++) {
		const struct capture_pointer *pointer = &parameter->pointers[i];

		add_address(w, pointer, NULL,
			    pool_format(w->pool, "%s_%" PRIu64, name,
					pointer->offset - parameter->offset));
	}
}

static void add_recorded(struct stub_writing *w, const struct recorded_parameter *parameter,
			 const char *name)
{
	const struct builtin_type *builtin = parameter->type.builtin;
	const struct builtin_type *pointee = parameter->type.pointee;
	const struct capture_pointer *pointer = recorded_pointer(parameter);

	if (pointer)
		add_address(w, pointer, pointee, name);
	else if (parameter->pointer_count)
		add_struct_addresses(w, parameter, name);
	else if (pointee && parameter->bytes == sizeof(uint64_t))
		add_stub_parameter(w, pool_format(w->pool, "%s *%s", pointee->name, name), name);
	else if (builtin && builtin->bytes == parameter->bytes)
		add_stub_parameter(w, pool_format(w->pool, "%s %s", builtin->name, name), name);
	else if (scalar_type(parameter))
		add_stub_parameter(w, pool_format(w->pool, "%s %s", scalar_type(parameter), name),
				   name);
	else {
		/* passed as it is; its alignment is not known, and a struct of bytes has none */
		text_addf(&w->types, "struct %s_bytes {\n\tunsigned char at[%zu];\n};\n", name,
			  parameter->bytes);
		add_stub_parameter(w, pool_format(w->pool, "%s_bytes %s", name, name), name);
	}
}

void stub_make(struct stub *out, struct annotation_pool *pool, const struct capture_info *info,
	       const struct recorded_parameters *parameters)
{
	struct stub_writing w = {out, pool, info, TEXT_INIT};

	*out = (struct stub){0};
	for (size_t i = 0; i < parameters->count; i++)
		add_recorded(&w, &parameters->items[i], pool_format(pool, "p%zu", i));
	out->types = pool_take(pool, &w.types);
}
