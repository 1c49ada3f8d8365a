/* What an argument is in bytes. See arguments.h. */
#include "kernels/arguments.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/element.h"

static const char *const address_names[] = {
#define X(symbol, name) name,
	TEXTURE_ADDRESS_LIST(X)
#undef X
};

const char *texture_address_name(enum texture_address address)
{
	return address_names[address];
}

bool texture_address_parse(enum texture_address *out, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(address_names); i++)
		if (!strcmp(address_names[i], name)) {
			*out = (enum texture_address)i;
			return true;
		}
	return false;
}

/* Appends all that tells two textures of a buffer apart: " 2d 64x32 x4 linear wrap wrap". */
static void case_texture_describe(struct text *out, const struct case_texture *texture)
{
	const struct texture_reading *reading = &texture->reading;

	text_addf(out, " %s", reading->surface ? "surface" : "texture");
	for (size_t i = 0; i < texture->dimensions; i++)
		text_addf(out, "%s%" PRId64, i ? "x" : " ", texture->sizes[i]);
	text_addf(out, " x%d%s%s", reading->channels, reading->layered ? " layered" : "",
		  reading->cube ? " cube" : "");
	if (reading->surface)
		return;
	text_addf(out, "%s%s%s%s", reading->fetch ? " fetch" : "", reading->linear ? " linear" : "",
		  reading->normalized ? " normalized" : "",
		  reading->normalized_float ? " normalized_float" : "");
	for (size_t i = 0; i < texture->dimensions; i++)
		text_addf(out, " %s", texture_address_name(reading->address[i]));
}

static void add_sizes(struct text *out, const char *word, const uint32_t *values, unsigned rank)
{
	text_addf(out, " %s", word);
	for (unsigned i = 0; i < rank; i++)
		text_addf(out, "%s%" PRIu32, i ? "x" : " ", values[i]);
}

static void add_im2col(struct text *out, const struct tensor_map *map)
{
	text_addf(out, " im2col %" PRIu32 " channels %" PRIu32 " pixels from", map->channels,
		  map->pixels);
	for (unsigned i = 0; i < tensor_map_image_rank(map); i++)
		text_addf(out, "%s%" PRId32, i ? "," : " ", map->lower[i]);
	text_add(out, " to");
	for (unsigned i = 0; i < tensor_map_image_rank(map); i++)
		text_addf(out, "%s%" PRId32, i ? "," : " ", map->upper[i]);
}

/* Appends all that tells two maps of a buffer apart:
 * " tensormap f32 64x32 +256 box 32x8 steps 1x1 swizzle 128". */
static void tensor_map_describe(struct text *out, const struct tensor_map *map)
{
	text_addf(out, " tensormap %s", tensor_type_name(map->type));
	for (unsigned i = 0; i < map->rank; i++)
		text_addf(out, "%s%" PRIu64, i ? "x" : " ", map->sizes[i]);
	for (unsigned i = 1; i < map->rank; i++)
		text_addf(out, " +%" PRIu64, map->strides[i]);
	if (map->im2col)
		add_im2col(out, map);
	else
		add_sizes(out, "box", map->box, map->rank);
	add_sizes(out, "steps", map->steps, map->rank);
	if (map->interleave)
		text_addf(out, " interleave %u", map->interleave);
	if (map->swizzle)
		text_addf(out, " swizzle %u", tensor_swizzle_bytes(map->swizzle));
	if (map->promotion)
		text_addf(out, " promotion %u", map->promotion);
	if (map->fills_nan)
		text_add(out, " nan");
}

static const struct {
	const char *name;
	size_t bytes;
} kinds[] = {
#define X(symbol, name, bytes) [symbol] = {name, bytes},
	ARG_KIND_LIST(X)
#undef X
};

const char *arg_kind_name(enum arg_kind kind)
{
	return kinds[kind].name;
}

bool arg_kind_parse(enum arg_kind *out, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name)) {
			*out = (enum arg_kind)i;
			return true;
		}
	return false;
}

void arg_kind_range(enum arg_kind kind, int64_t *low, int64_t *high)
{
	static const struct {
		int64_t low, high;
	} ranges[ARRAY_SIZE(kinds)] = {
		[ARG_I8] = {INT8_MIN, INT8_MAX},    [ARG_U8] = {0, UINT8_MAX},
		[ARG_I16] = {INT16_MIN, INT16_MAX}, [ARG_U16] = {0, UINT16_MAX},
		[ARG_I32] = {INT32_MIN, INT32_MAX}, [ARG_U32] = {0, UINT32_MAX},
		[ARG_U64] = {0, INT64_MAX},
	};
	const bool whole = !ranges[kind].high;

	*low = whole ? INT64_MIN : ranges[kind].low;
	*high = whole ? INT64_MAX : ranges[kind].high;
}

bool arg_kind_is_real(enum arg_kind kind)
{
	return kind == ARG_F16 || kind == ARG_BF16 || kind == ARG_F32 || kind == ARG_F64;
}

/* ---- in a descriptor ---- */

size_t kernel_arg_align(const struct kernel_arg *arg)
{
	size_t align = arg->align ? arg->align : 1;

	if (arg->packed)
		return 1;
	if (arg->kind != ARG_STRUCT)
		return kinds[arg->kind].bytes ? kinds[arg->kind].bytes : 1;
	for (size_t i = 0; i < arg->field_count; i++) {
		const size_t of_field = kernel_arg_align(&arg->fields[i]);

		align = of_field > align ? of_field : align;
	}
	return align;
}

static size_t padded_to(size_t bytes, size_t align)
{
	return (bytes + align - 1) / align * align;
}

size_t kernel_arg_field_offset(const struct kernel_arg *arg, size_t field, size_t end)
{
	return arg->packed ? end : padded_to(end, kernel_arg_align(&arg->fields[field]));
}

size_t kernel_arg_bytes(const struct kernel_arg *arg)
{
	size_t bytes = 0;

	if (arg->kind == ARG_BYTES)
		return strlen(arg->value) / 2;
	if (arg->kind != ARG_STRUCT)
		return kinds[arg->kind].bytes;
	for (size_t i = 0; i < arg->field_count; i++)
		bytes = kernel_arg_field_offset(arg, i, bytes) + kernel_arg_bytes(&arg->fields[i]);
	return padded_to(bytes, kernel_arg_align(arg));
}

bool kernel_arg_uses(const struct kernel_arg *arg, const char *buffer)
{
	if (arg->kind == ARG_BUFFER || arg->kind == ARG_TEXTURE || arg->kind == ARG_TENSOR_MAP)
		return !strcmp(arg->value, buffer);
	for (size_t i = 0; i < arg->field_count; i++)
		if (kernel_arg_uses(&arg->fields[i], buffer))
			return true;
	return false;
}

size_t kernel_arg_addresses(const struct kernel_arg *arg)
{
	size_t count = arg->kind == ARG_BUFFER || arg->kind == ARG_TENSOR_MAP;

	for (size_t i = 0; i < arg->field_count; i++)
		count += kernel_arg_addresses(&arg->fields[i]);
	return count;
}

/* ---- in a case ---- */

size_t arg_address_bytes(const struct arg_address *place)
{
	return place->tensor ? TENSOR_MAP_BYTES : ARG_ADDRESS_BYTES;
}

void case_arg_release(struct case_arg *arg)
{
	for (size_t i = 0; i < arg->address_count; i++)
		free(arg->addresses[i].tensor);
	free(arg->bytes);
	free(arg->addresses);
	free(arg->layout);
	free(arg->texture);
	free(arg->tensor);
	*arg = (struct case_arg){0};
}

size_t case_arg_bytes(const struct case_arg *arg)
{
	return arg->kind == ARG_BYTES ? (size_t)arg->integer : kinds[arg->kind].bytes;
}

size_t case_arg_address_count(const struct case_arg *arg)
{
	return arg->kind == ARG_BUFFER ? 1 : arg->address_count;
}

struct arg_address case_arg_address(const struct case_arg *arg, size_t index)
{
	if (arg->kind == ARG_BUFFER)
		return (struct arg_address){.buffer = (size_t)arg->integer, .addend = arg->addend};
	return arg->addresses[index];
}

void case_arg_write(void *out, const struct case_arg *arg)
{
	switch (arg->kind) {
	case ARG_BUFFER:
	case ARG_TEXTURE:
		memset(out, 0, ARG_ADDRESS_BYTES);
		break;
	case ARG_TENSOR_MAP:
		memset(out, 0, TENSOR_MAP_BYTES);
		break;
	case ARG_F16:
		element_store_nearest(ELEMENT_F16, out, 0, arg->real);
		break;
	case ARG_BF16:
		element_store_nearest(ELEMENT_BF16, out, 0, arg->real);
		break;
	case ARG_F32:
		memcpy(out, &(float){(float)arg->real}, sizeof(float));
		break;
	case ARG_F64:
		memcpy(out, &arg->real, sizeof(double));
		break;
	case ARG_BYTES:
		memcpy(out, arg->bytes, (size_t)arg->integer);
		break;
	default:
		memcpy(out, &arg->integer, case_arg_bytes(arg)); /* the low bytes: little-endian */
		break;
	}
}

void case_arg_describe(struct text *out, const struct case_arg *arg)
{
	for (int64_t i = 0; arg->bytes && i < arg->integer; i++)
		text_addf(out, "%02x", arg->bytes[i]);
	for (size_t i = 0; i < arg->address_count; i++) {
		text_addf(out, " %zu@%zu", arg->addresses[i].buffer, arg->addresses[i].offset);
		if (arg->addresses[i].addend)
			text_addf(out, "+%" PRIu64, arg->addresses[i].addend);
		if (arg->addresses[i].tensor)
			tensor_map_describe(out, arg->addresses[i].tensor);
		text_add(out, ";");
	}
	if (arg->kind == ARG_BUFFER && arg->addend)
		text_addf(out, " +%" PRIu64, arg->addend);
	if (arg->texture)
		case_texture_describe(out, arg->texture);
	if (arg->tensor)
		tensor_map_describe(out, arg->tensor);
}
