/* Decodes an argument of a launch. */
#include "harness/protocol/protocol.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int bytes_from_json(struct case_arg *out, const json_t *json, struct error *err)
{
	const char *hex;
	size_t count;

	if (member_borrow(&hex, json, "value", false, err))
		return PL_EPROTOCOL;
	if (strlen(hex) / 2 > ARG_MOST_BYTES || parse_hex_bytes(&out->bytes, &count, hex, NULL))
		return error_set(err, PL_EPROTOCOL, "'value' is not 1 to %d bytes in hex digits",
				 ARG_MOST_BYTES);
	out->integer = (int64_t)count;
	return 0;
}

/* The buffer is that named by the member `name`, the addend optional. */
static int address_from_json(struct arg_address *out, const json_t *json, const char *name,
			     const struct case_buffer *buffers, size_t buffer_count,
			     struct error *err)
{
	int64_t buffer = 0, addend = 0;
	int rc = member_int64(&buffer, json, name, 0, (int64_t)buffer_count - 1, err);

	if (!rc && json_object_get(json, "addend"))
		rc = member_int64(&addend, json, "addend", 0,
				  buffers[buffer].length *
					  (int64_t)element_size_bytes(buffers[buffer].type),
				  err);
	out->buffer = (size_t)buffer;
	out->addend = (uint64_t)addend;
	return rc;
}

static int real_from_json(struct case_arg *out, const json_t *json, struct error *err)
{
	const double most = out->kind == ARG_F64   ? DBL_MAX
			    : out->kind == ARG_F16 ? 65504.0
						   : (double)FLT_MAX;
	int rc = member_real(&out->real, json, "value", err);

	if (!rc && fabs(out->real) > most)
		rc = error_set(err, PL_EPROTOCOL, "'value' does not fit %s",
			       arg_kind_name(out->kind));
	return rc;
}

static int texture_lists_from_json(struct case_texture *out, const json_t *json, struct error *err)
{
	json_t *sizes, *addresses;

	if (member_array(&sizes, json, "sizes", TEXTURE_DIMENSIONS, err) ||
	    member_array(&addresses, json, "address", TEXTURE_DIMENSIONS, err))
		return PL_EPROTOCOL;
	out->dimensions = json_array_size(sizes);
	if (!out->dimensions || json_array_size(addresses) != TEXTURE_DIMENSIONS)
		return error_set(err, PL_EPROTOCOL, "a texture has 1 to %d sizes and %d addresses",
				 TEXTURE_DIMENSIONS, TEXTURE_DIMENSIONS);
	for (size_t i = 0; i < TEXTURE_DIMENSIONS; i++) {
		const json_t *size = json_array_get(sizes, i);
		const char *address = json_string_value(json_array_get(addresses, i));

		out->sizes[i] = i < out->dimensions ? json_integer_value(size) : 1;
		if (out->sizes[i] < 1)
			return error_set(err, PL_EPROTOCOL, "a size of a texture is not positive");
		if (!address || !texture_address_parse(&out->reading.address[i], address))
			return error_set(err, PL_EPROTOCOL, "'%.40s' is not an address mode",
					 address ? address : "");
	}
	return 0;
}

static int texture_reading_from_json(struct texture_reading *out, const json_t *json,
				     struct error *err)
{
	const struct {
		const char *name;
		bool *to;
	} flags[] = {
		{"surface", &out->surface},
		{"fetch", &out->fetch},
		{"layered", &out->layered},
		{"cube", &out->cube},
		{"linear", &out->linear},
		{"normalized", &out->normalized},
		{"normalized_float", &out->normalized_float},
	};
	int64_t channels = 0;
	int rc = member_int64(&channels, json, "channels", 1, 4, err);

	for (size_t i = 0; i < ARRAY_SIZE(flags) && !rc; i++)
		rc = member_bool(flags[i].to, json, flags[i].name, err);
	if (!rc && channels == 3)
		rc = error_set(err, PL_EPROTOCOL, "a texel has 1, 2 or 4 channels");
	out->channels = (int)channels;
	return rc;
}

/* The texels must be in the buffer. */
static int texture_arg_from_json(struct case_arg *out, const json_t *json,
				 const struct case_buffer *buffers, size_t buffer_count,
				 struct error *err)
{
	struct case_texture *texture = xcalloc(1, sizeof(*texture));
	int64_t elements = 1;
	json_t *object;

	out->texture = texture;
	if (member_int64(&out->integer, json, "value", 0, (int64_t)buffer_count - 1, err) ||
	    member_object(&object, json, "texture", 10, err) ||
	    texture_reading_from_json(&texture->reading, object, err) ||
	    texture_lists_from_json(texture, object, err))
		return PL_EPROTOCOL;
	elements = texture->reading.channels;
	for (size_t i = 0; i < TEXTURE_DIMENSIONS; i++)
		if (__builtin_mul_overflow(elements, texture->sizes[i], &elements))
			elements = INT64_MAX;
	if (elements > buffers[out->integer].length)
		return error_set(err, PL_EPROTOCOL, "the texture is larger than its buffer");
	return 0;
}

/* Four numbers a dimension: size, stride, box and step. */
#define TENSOR_NUMBERS 4

static int tensor_numbers_from_json(struct tensor_map *out, const json_t *json, struct error *err)
{
	json_t *numbers, *number;
	size_t i;

	if (member_array(&numbers, json, "numbers", (size_t)TENSOR_MOST_RANK * TENSOR_NUMBERS, err))
		return PL_EPROTOCOL;
	if (json_array_size(numbers) % TENSOR_NUMBERS)
		return error_set(err, PL_EPROTOCOL, "a tensor map has four numbers a dimension");
	out->rank = (unsigned)(json_array_size(numbers) / TENSOR_NUMBERS);
	json_array_foreach(numbers, i, number)
	{
		const uint64_t value = (uint64_t)json_integer_value(number);
		const size_t at = i / TENSOR_NUMBERS;

		if (i % TENSOR_NUMBERS >= 2 && value > UINT32_MAX)
			return error_set(err, PL_EPROTOCOL,
					 "a number of a tensor map is too large");
		if (i % TENSOR_NUMBERS == 0)
			out->sizes[at] = value;
		else if (i % TENSOR_NUMBERS == 1)
			out->strides[at] = value;
		else if (i % TENSOR_NUMBERS == 2)
			out->box[at] = (uint32_t)value;
		else
			out->steps[at] = (uint32_t)value;
	}
	return 0;
}

/* Numbers that no map has are refused with its rules. The rank is known. */
static int im2col_from_json(struct tensor_map *out, const json_t *json, struct error *err)
{
	json_t *numbers, *number;
	size_t i;

	if (member_array(&numbers, json, "im2col", 2 + 2 * TENSOR_IMAGE_MOST_RANK, err))
		return PL_EPROTOCOL;
	if (out->rank < TENSOR_IM2COL_LEAST_RANK ||
	    json_array_size(numbers) != 2 + 2 * (size_t)tensor_map_image_rank(out))
		return error_set(err, PL_EPROTOCOL,
				 "an im2col map has two numbers, and two for each dimension of an "
				 "image");
	out->im2col = true;
	json_array_foreach(numbers, i, number)
	{
		const int64_t value = json_integer_value(number);

		if (value < INT16_MIN || value > INT16_MAX)
			return error_set(err, PL_EPROTOCOL,
					 "a number of an im2col map is out of range");
		if (i == 0)
			out->channels = (uint32_t)(value > 0 ? value : 0);
		else if (i == 1)
			out->pixels = (uint32_t)(value > 0 ? value : 0);
		else if (i % 2 == 0)
			out->lower[i / 2 - 1] = (int32_t)value;
		else
			out->upper[i / 2 - 1] = (int32_t)value;
	}
	return 0;
}

/* The map must obey the rules, and the tensor must be in the buffer. */
static int tensor_from_json(struct tensor_map **out, const json_t *json,
			    const struct case_buffer *buffer, struct error *err)
{
	struct tensor_map *map = *out = xcalloc(1, sizeof(*map));
	int64_t interleave = 0, swizzle = 0, promotion = 0;
	const char *type;
	struct error cause;
	json_t *object;

	if (member_object(&object, json, "tensor", 7, err) ||
	    member_borrow(&type, object, "type", false, err))
		return PL_EPROTOCOL;
	if (!tensor_type_parse(&map->type, type))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not a type of a tensor map", type);
	if (member_int64(&swizzle, object, "swizzle", 0, SWIZZLE_COUNT - 1, err) ||
	    member_int64(&promotion, object, "promotion", 0, 256, err) ||
	    member_bool(&map->fills_nan, object, "nan", err) ||
	    (json_object_get(object, "interleave") &&
	     member_int64(&interleave, object, "interleave", 0, 32, err)) ||
	    tensor_numbers_from_json(map, object, err) ||
	    (json_object_get(object, "im2col") && im2col_from_json(map, object, err)))
		return PL_EPROTOCOL;
	map->interleave = (unsigned)interleave;
	map->swizzle = (enum tensor_swizzle)swizzle;
	map->promotion = (unsigned)promotion;
	if (tensor_map_check(map, &cause))
		return error_set(err, PL_EPROTOCOL, "%s", cause.text);
	if (tensor_map_extent(map) > (uint64_t)buffer->length * element_size_bytes(buffer->type))
		return error_set(err, PL_EPROTOCOL, "the tensor is larger than its buffer");
	return 0;
}

/* Where addresses of buffers and tensor maps stand in a struct; its bytes have been read. */
static int addresses_from_json(struct case_arg *out, const json_t *json,
			       const struct case_buffer *buffers, size_t buffer_count,
			       struct error *err)
{
	json_t *array, *item;
	size_t i;
	int64_t end = 0;

	if (!json_object_get(json, "addresses"))
		return 0;
	if (member_array(&array, json, "addresses", ARG_MOST_BYTES / ARG_ADDRESS_BYTES, err))
		return PL_EPROTOCOL;
	out->addresses = xcalloc(json_array_size(array) + 1, sizeof(out->addresses[0]));
	json_array_foreach(array, i, item)
	{
		struct arg_address *address = &out->addresses[out->address_count++];
		int64_t offset = 0;

		/* Ascending, so that no two overlap. */
		if (member_int64(&offset, item, "offset", end, out->integer - ARG_ADDRESS_BYTES,
				 err) ||
		    address_from_json(address, item, "buffer", buffers, buffer_count, err) ||
		    (json_object_get(item, "tensor") &&
		     tensor_from_json(&address->tensor, item, &buffers[address->buffer], err)))
			return error_context(err, PL_EPROTOCOL, "address %zu", i);
		if (offset + (int64_t)arg_address_bytes(address) > out->integer)
			return error_set(err, PL_EPROTOCOL,
					 "address %zu: the tensor map is not in its struct", i);
		address->offset = (size_t)offset;
		end = offset + (int64_t)arg_address_bytes(address);
	}
	return 0;
}

int arg_from_json(struct case_arg *out, const json_t *json, const struct case_buffer *buffers,
		  size_t buffer_count, struct error *err)
{
	struct arg_address address = {0};
	int64_t low, high;
	const char *kind;
	int rc = member_borrow(&kind, json, "kind", false, err);

	if (rc)
		return rc;
	if (!arg_kind_parse(&out->kind, kind))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not an argument kind", kind);
	switch (out->kind) {
	case ARG_BUFFER:
		rc = address_from_json(&address, json, "value", buffers, buffer_count, err);
		out->integer = (int64_t)address.buffer;
		out->addend = address.addend;
		return rc;
	case ARG_TEXTURE:
		return texture_arg_from_json(out, json, buffers, buffer_count, err);
	case ARG_TENSOR_MAP:
		rc = member_int64(&out->integer, json, "value", 0, (int64_t)buffer_count - 1, err);
		return rc ? rc : tensor_from_json(&out->tensor, json, &buffers[out->integer], err);
	case ARG_I8:
	case ARG_U8:
	case ARG_I16:
	case ARG_U16:
	case ARG_I32:
	case ARG_U32:
	case ARG_I64:
	case ARG_U64:
		arg_kind_range(out->kind, &low, &high);
		return member_int64(&out->integer, json, "value", low, high, err);
	case ARG_F16:
	case ARG_BF16:
	case ARG_F32:
	case ARG_F64:
		return real_from_json(out, json, err);
	case ARG_BYTES:
		rc = bytes_from_json(out, json, err);
		return rc ? rc : addresses_from_json(out, json, buffers, buffer_count, err);
	case ARG_INTEGER:
	case ARG_REAL:
	case ARG_STRUCT:
		return error_set(err, PL_EPROTOCOL, "an argument of kind '%s' has no size", kind);
	}
	return 0;
}
