/* Encodes a case. A member that a built-in kernel never needs is left out if it says nothing. */
#include "harness/protocol/argument_json.h"
#include "harness/protocol/protocol.h"

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
