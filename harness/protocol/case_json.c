/* Encodes a case. A member that a built-in kernel never needs is left out if it says nothing. */
#include "harness/protocol/protocol.h"

static json_t *bytes_to_json(const struct case_arg *arg)
{
	struct text hex = TEXT_INIT;
	json_t *json;

	for (int64_t i = 0; i < arg->integer; i++)
		text_addf(&hex, "%02x", arg->bytes[i]);
	json = json_text(hex.data);
	text_release(&hex);
	return json;
}

/* Left out if it is 0. */
static void addend_to_json(json_t *json, uint64_t addend)
{
	if (addend)
		json_object_set_new(json, "addend", json_integer((json_int_t)addend));
}

static json_t *texture_to_json(const struct case_texture *texture)
{
	const struct texture_reading *reading = &texture->reading;
	json_t *sizes = json_array(), *addresses = json_array();

	for (size_t i = 0; i < texture->dimensions; i++)
		json_array_append_new(sizes, json_integer((json_int_t)texture->sizes[i]));
	for (size_t i = 0; i < TEXTURE_DIMENSIONS; i++)
		json_array_append_new(addresses,
				      json_string(texture_address_name(reading->address[i])));
	return json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:i, s:o, s:o}", "surface",
			 reading->surface, "fetch", reading->fetch, "layered", reading->layered,
			 "cube", reading->cube, "linear", reading->linear, "normalized",
			 reading->normalized, "normalized_float", reading->normalized_float,
			 "channels", reading->channels, "sizes", sizes, "address", addresses);
}

/* The channels, the pixels, and both corners in each dimension of an image. */
static json_t *im2col_to_json(const struct tensor_map *map)
{
	json_t *numbers = json_pack("[i, i]", (int)map->channels, (int)map->pixels);

	for (unsigned i = 0; i < tensor_map_image_rank(map); i++) {
		json_array_append_new(numbers, json_integer(map->lower[i]));
		json_array_append_new(numbers, json_integer(map->upper[i]));
	}
	return numbers;
}

static json_t *tensor_to_json(const struct tensor_map *map)
{
	json_t *numbers = json_array(), *json;

	for (unsigned i = 0; i < map->rank; i++) {
		json_array_append_new(numbers, json_integer((json_int_t)map->sizes[i]));
		json_array_append_new(numbers, json_integer((json_int_t)map->strides[i]));
		json_array_append_new(numbers, json_integer(map->box[i]));
		json_array_append_new(numbers, json_integer(map->steps[i]));
	}
	json = json_pack("{s:s, s:i, s:i, s:b, s:o}", "type", tensor_type_name(map->type),
			 "swizzle", (int)map->swizzle, "promotion", (int)map->promotion, "nan",
			 map->fills_nan, "numbers", numbers);
	if (map->interleave)
		json_object_set_new(json, "interleave", json_integer(map->interleave));
	if (map->im2col)
		json_object_set_new(json, "im2col", im2col_to_json(map));
	return json;
}

static json_t *addresses_to_json(const struct case_arg *arg)
{
	json_t *array = json_array();

	for (size_t i = 0; i < arg->address_count; i++) {
		json_t *address =
			json_pack("{s:I, s:I}", "offset", (json_int_t)arg->addresses[i].offset,
				  "buffer", (json_int_t)arg->addresses[i].buffer);

		addend_to_json(address, arg->addresses[i].addend);
		if (arg->addresses[i].tensor)
			json_object_set_new(address, "tensor",
					    tensor_to_json(arg->addresses[i].tensor));
		json_array_append_new(array, address);
	}
	return array;
}

static json_t *arg_to_json(const struct case_arg *arg)
{
	json_t *value = arg->kind == ARG_BYTES        ? bytes_to_json(arg)
			: arg_kind_is_real(arg->kind) ? json_number_or_null(arg->real)
						      : json_integer(arg->integer);
	json_t *json = json_pack("{s:s, s:o}", "kind", arg_kind_name(arg->kind), "value", value);

	addend_to_json(json, arg->addend);
	if (arg->address_count)
		json_object_set_new(json, "addresses", addresses_to_json(arg));
	if (arg->texture)
		json_object_set_new(json, "texture", texture_to_json(arg->texture));
	if (arg->tensor)
		json_object_set_new(json, "tensor", tensor_to_json(arg->tensor));
	return json;
}

static json_t *triple_to_json(const int64_t triple[3])
{
	return json_pack("[I, I, I]", (json_int_t)triple[0], (json_int_t)triple[1],
			 (json_int_t)triple[2]);
}

static json_t *buffer_to_json(const struct case_buffer *buffer)
{
	json_t *json = json_pack(
		"{s:o, s:s, s:I, s:s, s:s, s:o, s:o}", "name", json_text(buffer->name), "type",
		element_type_name(buffer->type), "length", (json_int_t)buffer->length, "role",
		buffer_role_name(buffer->role), "fill", buffer_fill_name(buffer->fill), "fill_low",
		json_number_or_null(buffer->fill_low), "fill_high",
		json_number_or_null(buffer->fill_high));

	if (buffer->has_fill_bits)
		json_object_set_new(json, "fill_bits", json_integer(buffer->fill_bits));
	if (buffer->fill_expression)
		json_object_set_new(json, "fill_expression", json_text(buffer->fill_expression));
	if (buffer->fill_file)
		json_object_set_new(json, "fill_file", json_text(buffer->fill_file));
	if (buffer->fill == FILL_CAPTURE)
		json_object_set_new(json, "fill_index",
				    json_integer((json_int_t)buffer->fill_index));
	if (buffer->has_compared)
		json_object_set_new(json, "compared",
				    json_text(element_type_name(buffer->compared)));
	if (buffer->symbol)
		json_object_set_new(json, "symbol", json_text(buffer->symbol));
	if (buffer->variable)
		json_object_set_new(json, "variable", json_text(buffer->variable));
	if (buffer->check_variable)
		json_object_set_new(json, "check_variable", json_text(buffer->check_variable));
	return json;
}

static json_t *launch_to_json(const struct case_launch *launch)
{
	json_t *args = json_array();
	json_t *json;

	for (size_t i = 0; i < launch->arg_count; i++)
		json_array_append_new(args, arg_to_json(&launch->args[i]));
	json = json_pack("{s:o, s:o, s:o, s:o, s:I, s:o}", "entry", json_text(launch->entry),
			 "library", launch->library[0] ? json_text(launch->library) : json_null(),
			 "grid", triple_to_json(launch->grid), "block",
			 triple_to_json(launch->block), "shared_bytes",
			 (json_int_t)launch->shared_bytes, "args", args);
	if (launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1)
		json_object_set_new(json, "cluster", triple_to_json(launch->cluster));
	if (launch->has_carveout)
		json_object_set_new(json, "carveout", json_integer(launch->carveout));
	if (launch->cooperative)
		json_object_set_new(json, "cooperative", json_true());
	return json;
}

static json_t *launches_to_json(const struct case_launch *launches, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, launch_to_json(&launches[i]));
	return array;
}

static json_t *case_check_to_json(const struct case_check *check)
{
	json_t *items = json_array();
	json_t *json;

	for (size_t i = 0; i < check->item_count; i++) {
		json_t *item = json_pack("{s:I, s:o}", "buffer", (json_int_t)check->items[i].buffer,
					 "text", json_text(check->items[i].text));

		if (check->items[i].is_file)
			json_object_set_new(item, "file", json_true());
		json_array_append_new(items, item);
	}
	json = json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind", check_kind_name(check->kind),
			 "launches", launches_to_json(check->launches, check->launch_count),
			 "image", json_text(check->image), "items", items, "command",
			 json_text(check->command));
	if (check->folder)
		json_object_set_new(json, "folder", json_text(check->folder));
	return json;
}

json_t *case_to_json(const struct launch_case *work)
{
	json_t *axes = json_object();
	json_t *buffers = json_array();
	json_t *json;

	for (size_t i = 0; i < work->axis_count; i++)
		json_object_set_new(axes, work->axes[i].name, json_integer(work->axes[i].value));
	for (size_t i = 0; i < work->buffer_count; i++)
		json_array_append_new(buffers, buffer_to_json(&work->buffers[i]));
	json = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "kernel",
		json_text(work->kernel), "variant", json_text(work->variant), "image",
		json_text(work->image), "oracle", json_text(work->oracle), "axes", axes, "buffers",
		buffers, "launches", launches_to_json(work->launches, work->launch_count),
		"tolerance_abs", json_number_or_null(work->tolerance_abs), "tolerance_rel",
		json_number_or_null(work->tolerance_rel), "flop",
		work->has_flop ? json_integer(work->flop) : json_null(), "bytes_read",
		(json_int_t)work->bytes_read, "bytes_written", (json_int_t)work->bytes_written);
	if (work->code)
		json_object_set_new(json, "code",
				    json_pack("{s:o, s:s}", "file", json_text(work->code), "arch",
					      work->code_arch));
	if (work->is_replacement)
		json_object_set_new(json, "replacement", json_true());
	if (work->check.kind != CHECK_ORACLE)
		json_object_set_new(json, "check", case_check_to_json(&work->check));
	return json;
}
