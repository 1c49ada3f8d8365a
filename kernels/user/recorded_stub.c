/* From recorded parameters to those of C++. See recorded_stub.h. */
#include "kernels/user/recorded_stub.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
	out->items = pool_room(w->pool, out->items, out->count, sizeof(*out->items));
	out->items[out->count++] = (struct stub_parameter){declaration, argument};
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

/* Only normal numbers around 1: small integers are denormal floats. */
static bool looks_like_float(const struct recorded_parameter *parameter)
{
	float value;

	if (parameter->bytes != sizeof(value))
		return false;
	memcpy(&value, parameter->data, sizeof(value));
	return isnormal(value) && fabsf(value) > 1e-12f && fabsf(value) < 1e12f;
}

static const char *scalar_type(const struct recorded_parameter *parameter)
{
	switch (parameter->bytes) {
	case 1:
		return "unsigned char";
	case 2:
		return "unsigned short";
	case 4:
		return looks_like_float(parameter) ? "float" : "int";
	case 8:
		return "long long";
	default:
		return NULL;
	}
}

/* Passed as it is. Its alignment is not known, and a struct of bytes has none. */
static void add_struct(struct stub_writing *w, const struct recorded_parameter *parameter,
		       const char *name)
{
	text_addf(&w->types, "struct %s_bytes {\n\tunsigned char at[%zu];\n};\n", name,
		  parameter->bytes);
	add_stub_parameter(w, pool_format(w->pool, "%s_bytes %s", name, name), name);
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
	else
		add_struct(w, parameter, name);
}

void stub_make(struct stub *out, struct annotation_pool *pool, const struct capture_info *info,
	       const struct recorded_parameters *parameters)
{
	struct stub_writing w = {out, pool, info, TEXT_INIT};

	*out = (struct stub){0};
	for (size_t i = 0; i < parameters->count; i++)
		add_recorded(&w, &parameters->items[i], pool_format(pool, "p%zu", i));
	out->types = pool_copy(pool, w.types.data, w.types.length);
	text_release(&w.types);
}
