/* Matches launches with compiled entries. See sources.h. */
#include "harness/sources/sources.h"

#include "base/mangled.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters of the name of a kernel in a message. */
#define ENTRY_SHOWN_MOST 60

static const struct compiled_entry *compiled_entry_find(const struct compiled *compiled,
							const char *wanted)
{
	for (size_t i = 0; i < compiled->entry_count; i++)
		if (!strcmp(compiled->entries[i].wanted, wanted))
			return &compiled->entries[i];
	return NULL;
}

/* An argument, the parameter that it meets, and where both are, for messages. */
struct binding {
	struct case_arg *arg;
	const struct compiled_parameter *parameter;
	const struct mangled_parameter *type; /* what the name of the entry says of it */
	const struct case_buffer *buffers;    /* of the case */
	const char *entry;
	size_t number; /* from 1 */
	struct error *err;
};

/* "an int", "a pointer to float", "an integer or a pointer of 4 bytes" */
static void describe_parameter(struct text *out, const struct binding *at)
{
	static const char *const classes[] = {
		[PARAMETER_INTEGER] = "an integer or a pointer",
		[PARAMETER_REAL] = "a floating-point number",
		[PARAMETER_BYTES] = "a struct",
	};
	const struct builtin_type *builtin = at->type->builtin, *pointee = at->type->pointee;

	if (builtin)
		text_addf(out, "of type %s", builtin->name);
	else if (pointee)
		text_addf(out, "a pointer to %s", pointee->name);
	else
		text_addf(out, "%s of %zu byte%s", classes[at->parameter->class],
			  at->parameter->bytes, at->parameter->bytes == 1 ? "" : "s");
}

/* `remedy` follows the message. */
static int binding_refuse_for(const struct binding *at, const char *given, const char *remedy)
{
	struct text parameter = TEXT_INIT;
	int rc;

	describe_parameter(&parameter, at);
	rc = error_set(at->err, PL_EUSAGE, "argument %zu of %s is %s, but the parameter is %s%s",
		       at->number, at->entry, given, parameter.data, remedy);
	text_release(&parameter);
	return rc;
}

static int binding_refuse(const struct binding *at, const char *given)
{
	const bool untyped = at->arg->kind == ARG_INTEGER || at->arg->kind == ARG_REAL;

	return binding_refuse_for(
		at, given,
		untyped && at->parameter->class == PARAMETER_BYTES
			? ": if it is a number, name its type, such as i32(n) or f32(2.0)"
			: "");
}

/* The kind that holds the value in `bytes` bytes: signed if it can. */
static bool integer_kind(enum arg_kind *out, int64_t value, size_t bytes)
{
	static const struct {
		size_t bytes;
		enum arg_kind is_signed, is_unsigned;
		int64_t lowest, highest, highest_unsigned;
	} rows[] = {
		{1, ARG_I8, ARG_U8, INT8_MIN, INT8_MAX, UINT8_MAX},
		{2, ARG_I16, ARG_U16, INT16_MIN, INT16_MAX, UINT16_MAX},
		{4, ARG_I32, ARG_U32, INT32_MIN, INT32_MAX, UINT32_MAX},
		{8, ARG_I64, ARG_I64, INT64_MIN, INT64_MAX, INT64_MAX},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].bytes == bytes && value >= rows[i].lowest &&
		    value <= rows[i].highest_unsigned) {
			*out = value <= rows[i].highest ? rows[i].is_signed : rows[i].is_unsigned;
			return true;
		}
	return false;
}

static int bind_real_argument(const struct binding *at, double value)
{
	at->arg->real = value;
	if (at->parameter->bytes == 8)
		at->arg->kind = ARG_F64;
	else if (at->parameter->bytes == 4 && fabs(value) <= (double)FLT_MAX)
		at->arg->kind = ARG_F32;
	else
		return binding_refuse(at, "a number that does not fit");
	return 0;
}

static int bind_integer_argument(const struct binding *at)
{
	const struct builtin_type *type = at->type->builtin;
	const unsigned bits = type ? (unsigned)type->bytes * 8 : 64;
	const int64_t value = at->arg->integer;
	bool is_cut = false; /* a parameter of this type would hold another number */
	char given[64];

	if (at->parameter->class == PARAMETER_REAL)
		return bind_real_argument(at, (double)value);
	if (type && type->letter == 'b')
		is_cut = value != 0 && value != 1;
	else if (type && !type->real) /* a negative number is what C makes of it if unsigned */
		is_cut = type->is_signed && bits < 64 && value >= INT64_C(1) << (bits - 1);
	if (at->parameter->class == PARAMETER_INTEGER && !is_cut &&
	    integer_kind(&at->arg->kind, at->arg->integer, at->parameter->bytes))
		return 0;
	snprintf(given, sizeof(given), "the number %" PRId64, at->arg->integer);
	return binding_refuse(at, given);
}

/* A struct has no class, but an address is no floating-point number. */
static int bind_struct(const struct binding *at)
{
	const struct case_arg *arg = at->arg;
	char given[512];

	if (case_arg_bytes(arg) == at->parameter->bytes &&
	    !(arg->address_count && at->parameter->class == PARAMETER_REAL))
		return 0;
	snprintf(given, sizeof(given), "a struct of %zu bytes (%s)", case_arg_bytes(arg),
		 arg->layout);
	return binding_refuse(at, given);
}

/*
 * Whether the elements of a buffer would be read as numbers of another kind, or as
 * floating-point numbers of another size. Integers are often packed, 16-bit floats
 * are passed as integers, and bytes may be anything.
 */
static bool elements_differ(const struct case_buffer *buffer, const struct builtin_type *pointee)
{
	const bool integers = element_is_integer(buffer->type);
	const size_t bytes = element_size_bytes(buffer->type);

	if (!pointee || pointee->bytes == 1 || bytes == 1)
		return false;
	if (pointee->real)
		return integers || bytes != pointee->bytes;
	return !integers && bytes > 2;
}

/* Whether the parameter is a struct whose members are too small for an address. PTX tells their
 * alignment; a cubin does not, and says 1. */
static bool holds_no_address(const struct binding *at)
{
	const size_t align = at->parameter->align;

	return at->type->is_class && align > 1 && align < 8;
}

static int bind_buffer_argument(const struct binding *at)
{
	const struct case_buffer *buffer = &at->buffers[at->arg->integer];
	char given[128];

	if (at->parameter->class == PARAMETER_REAL || at->parameter->bytes != 8 ||
	    holds_no_address(at))
		return binding_refuse(at, "a buffer");
	if (!elements_differ(buffer, at->type->pointee))
		return 0;
	snprintf(given, sizeof(given), "the buffer %s of %s", buffer->name,
		 element_type_name(buffer->type));
	return binding_refuse_for(at, given,
				  ": give the buffer that type, or declare it as u8 if the kernel "
				  "reads the bytes otherwise");
}

static int bind_argument(const struct binding *at)
{
	const enum arg_kind kind = at->arg->kind;
	const enum parameter_class class = at->parameter->class;
	const bool real = kind == ARG_F32 || kind == ARG_F64;
	const bool integer = kind != ARG_BYTES && kind != ARG_F16 && kind != ARG_BF16 && !real;
	char given[64];

	switch (kind) {
	case ARG_INTEGER:
		return bind_integer_argument(at);
	case ARG_REAL:
		if (class == PARAMETER_REAL)
			return bind_real_argument(at, at->arg->real);
		snprintf(given, sizeof(given), "the number %.17g", at->arg->real);
		return binding_refuse(at, given);
	case ARG_BUFFER:
		return bind_buffer_argument(at);
	case ARG_TEXTURE: /* a handle is an unsigned long long; its value is not the user's */
		if (class == PARAMETER_REAL || at->parameter->bytes != 8 || at->type->pointee)
			return binding_refuse(at, at->arg->texture->reading.surface ? "a surface"
										    : "a texture");
		return 0;
	case ARG_TENSOR_MAP: /* a CUtensorMap by value */
		if (class != PARAMETER_BYTES || at->parameter->bytes != TENSOR_MAP_BYTES)
			return binding_refuse_for(at, "a tensor map",
						  ": the parameter must be a const "
						  "__grid_constant__ CUtensorMap");
		return 0;
	case ARG_BYTES:
		if (at->arg->layout)
			return bind_struct(at);
		break;
	default:
		break;
	}
	/* the bits must not be read as a number of the other class */
	if (case_arg_bytes(at->arg) == at->parameter->bytes &&
	    !(real && class == PARAMETER_INTEGER) && !(integer && class == PARAMETER_REAL))
		return 0;
	snprintf(given, sizeof(given), "of type %s and %zu bytes", arg_kind_name(kind),
		 case_arg_bytes(at->arg));
	return binding_refuse(at, given);
}

static int bind_launch(struct case_launch *launch, const struct case_buffer *buffers,
		       const struct compiled_entry *entry, struct error *err)
{
	/* what the name of the entry says of its parameters: nothing if it is not mangled, cannot
	 * be read, or does not have those of the image */
	const size_t count = entry->parameter_count;
	struct mangled_parameter *types = xcalloc(count + 1, sizeof(*types));
	struct text shown = TEXT_INIT;
	int rc = 0;

	readable_shorten(&shown, launch->entry, ENTRY_SHOWN_MOST);
	if (launch->arg_count != count)
		rc = error_set(err, PL_EUSAGE, "%s takes %zu arguments, but its launch gives %zu",
			       shown.data, count, launch->arg_count);
	if (mangled_parameters(types, count, entry->name) != (int)count)
		memset(types, 0, count * sizeof(*types));
	for (size_t i = 0; i < launch->arg_count && !rc; i++) {
		const struct binding binding = {.arg = &launch->args[i],
						.parameter = &entry->parameters[i],
						.type = &types[i],
						.buffers = buffers,
						.entry = shown.data,
						.number = i + 1,
						.err = err};

		rc = bind_argument(&binding);
	}
	free(types);
	text_release(&shown);
	if (rc)
		return rc;
	free(launch->entry);
	launch->entry = xstrdup(entry->name);
	return 0;
}

int bind_launches(struct case_launch *launches, size_t count, const struct case_buffer *buffers,
		  const struct compiled *compiled, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		const struct compiled_entry *entry =
			compiled_entry_find(compiled, launches[i].entry);

		rc = entry ? bind_launch(&launches[i], buffers, entry, err)
			   : error_set(err, PL_EUSAGE, "there is no kernel '%s' in the image",
				       launches[i].entry);
	}
	return rc;
}

const char *launches_with_textures(const struct case_launch *launches, size_t count,
				   const struct compiled *compiled, bool passed)
{
	for (size_t i = 0; i < count; i++) {
		const struct compiled_entry *entry =
			compiled_entry_find(compiled, launches[i].entry);
		bool passes = false;

		for (size_t k = 0; k < launches[i].arg_count; k++)
			passes |= launches[i].args[k].kind == ARG_TEXTURE;
		if (passes ? passed : !passed && entry && entry->textures)
			return launches[i].entry;
	}
	return NULL;
}

/* *out is freed if it was set. */
static int bind_variable(char **out, struct compiled *compiled, const char *symbol,
			 struct error *err)
{
	const char *name = NULL;
	int rc = compiled_variables_read(compiled, err);

	if (!rc)
		rc = compiled_variable_find(&name, compiled, symbol, err);
	if (!rc) {
		free(*out);
		*out = xstrdup(name);
	}
	return rc;
}

int bind_symbols(struct launch_case *launch, struct compiled *own, struct compiled *of_check,
		 struct error *err)
{
	int rc = 0;

	for (size_t b = 0; b < launch->buffer_count && !rc; b++) {
		struct case_buffer *buffer = &launch->buffers[b];
		struct error cause = {0};

		if (!buffer->symbol)
			continue;
		rc = bind_variable(&buffer->variable, own, buffer->symbol, &cause);
		if (rc == PL_ENOENT && buffer->optional) {
			free(buffer->symbol);
			buffer->symbol = NULL;
			rc = 0;
			continue;
		}
		if (rc)
			rc = error_set(err, rc, "symbol %s: %s", buffer->name, cause.text);
		if (rc || !of_check)
			continue;
		rc = bind_variable(&buffer->check_variable, of_check, buffer->symbol, err);
		rc = rc == PL_ENOENT ? 0
				     : error_context(err, rc, "verify: symbol %s", buffer->name);
	}
	return rc;
}
