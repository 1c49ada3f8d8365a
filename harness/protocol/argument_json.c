/* Encodes and decodes an argument of a launch. */
#include "harness/protocol/argument_json.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "harness/protocol/json_members.h"

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

static json_t *addresses_to_json(const struct case_arg *arg)
{
	json_t *array = json_array();

	for (size_t i = 0; i < arg->address_count; i++) {
		json_t *address =
			json_pack("{s:I, s:I}", "offset", (json_int_t)arg->addresses[i].offset,
				  "buffer", (json_int_t)arg->addresses[i].buffer);

		addend_to_json(address, arg->addresses[i].addend);
		json_array_append_new(array, address);
	}
	return array;
}

json_t *arg_to_json(const struct case_arg *arg)
{
	json_t *value = arg->kind == ARG_BYTES        ? bytes_to_json(arg)
			: arg_kind_is_real(arg->kind) ? json_number_or_null(arg->real)
						      : json_integer(arg->integer);
	json_t *json = json_pack("{s:s, s:o}", "kind", arg_kind_name(arg->kind), "value", value);

	addend_to_json(json, arg->addend);
	if (arg->address_count)
		json_object_set_new(json, "addresses", addresses_to_json(arg));
	return json;
}

static int bytes_from_json(struct case_arg *out, const json_t *json, struct error *err)
{
	const char *hex = NULL;
	int rc = member_borrow(&hex, json, "value", false, err);
	size_t count;

	if (rc)
		return rc;
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

/* Where addresses of buffers stand in a struct; its bytes have been read. */
static int addresses_from_json(struct case_arg *out, const json_t *json,
			       const struct case_buffer *buffers, size_t buffer_count,
			       struct error *err)
{
	json_t *array;
	json_t *item;
	size_t i;
	int64_t end = 0;
	int rc;

	if (!json_object_get(json, "addresses"))
		return 0;
	rc = member_array(&array, json, "addresses", ARG_MOST_BYTES / ARG_ADDRESS_BYTES, err);
	if (rc)
		return rc;
	out->addresses = xcalloc(json_array_size(array) + 1, sizeof(out->addresses[0]));
	json_array_foreach(array, i, item)
	{
		struct arg_address *address = &out->addresses[out->address_count++];
		int64_t offset = 0;

		/* Ascending, so that no two overlap. */
		rc = member_int64(&offset, item, "offset", end, out->integer - ARG_ADDRESS_BYTES,
				  err);
		if (!rc)
			rc = address_from_json(address, item, "buffer", buffers, buffer_count, err);
		if (rc)
			return error_context(err, rc, "address %zu", i);
		address->offset = (size_t)offset;
		end = offset + ARG_ADDRESS_BYTES;
	}
	return 0;
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

static int buffer_arg_from_json(struct case_arg *out, const json_t *json,
				const struct case_buffer *buffers, size_t buffer_count,
				struct error *err)
{
	struct arg_address address = {0};
	int rc = address_from_json(&address, json, "value", buffers, buffer_count, err);

	out->integer = (int64_t)address.buffer;
	out->addend = address.addend;
	return rc;
}

int arg_from_json(struct case_arg *out, const json_t *json, const struct case_buffer *buffers,
		  size_t buffer_count, struct error *err)
{
	const char *kind;
	int rc = member_borrow(&kind, json, "kind", false, err);

	if (rc)
		return rc;
	if (!arg_kind_parse(&out->kind, kind))
		return error_set(err, PL_EPROTOCOL, "'%.40s' is not an argument kind", kind);
	switch (out->kind) {
	case ARG_BUFFER:
		return buffer_arg_from_json(out, json, buffers, buffer_count, err);
	case ARG_I8:
		return member_int64(&out->integer, json, "value", INT8_MIN, INT8_MAX, err);
	case ARG_U8:
		return member_int64(&out->integer, json, "value", 0, UINT8_MAX, err);
	case ARG_I16:
		return member_int64(&out->integer, json, "value", INT16_MIN, INT16_MAX, err);
	case ARG_U16:
		return member_int64(&out->integer, json, "value", 0, UINT16_MAX, err);
	case ARG_I32:
		return member_int64(&out->integer, json, "value", INT32_MIN, INT32_MAX, err);
	case ARG_U32:
		return member_int64(&out->integer, json, "value", 0, UINT32_MAX, err);
	case ARG_I64:
		return member_int64(&out->integer, json, "value", INT64_MIN, INT64_MAX, err);
	case ARG_U64:
		return member_int64(&out->integer, json, "value", 0, INT64_MAX, err);
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
