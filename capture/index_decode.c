/* The index as JSON: reading. Which values are possible is checked in info_check.c. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "capture/index.h"

static int index_wrong(const char *name, struct error *err)
{
	return error_set(err, PL_EPARSE, "'%s' is missing or has the wrong type or form", name);
}

/* malloc'd. With `nullable`, a null gives NULL. */
static int index_text(char **out, const json_t *object, const char *name, bool nullable,
		      struct error *err)
{
	const json_t *value = json_object_get(object, name);
	const char *text = json_string_value(value);

	if (nullable && json_is_null(value))
		return 0;
	if (!text || json_string_length(value) > CAPTURE_MOST_TEXT)
		return index_wrong(name, err);
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return error_set(err, PL_EPARSE, "'%s' has control characters", name);
	*out = xstrdup(text);
	return 0;
}

static int index_number(int64_t *out, const json_t *object, const char *name, struct error *err)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_integer(value))
		return index_wrong(name, err);
	*out = json_integer_value(value);
	return 0;
}

/* At least 0. */
static int index_amount(uint64_t *out, const json_t *object, const char *name, struct error *err)
{
	int64_t value = -1;
	int rc = index_number(&value, object, name, err);

	if (!rc && value < 0)
		rc = index_wrong(name, err);
	if (!rc)
		*out = (uint64_t)value;
	return rc;
}

static int index_count(size_t *out, const json_t *object, const char *name, struct error *err)
{
	uint64_t value = 0;
	int rc = index_amount(&value, object, name, err);

	*out = value;
	return rc;
}

static int index_flag(bool *out, const json_t *object, const char *name, struct error *err)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_boolean(value))
		return index_wrong(name, err);
	*out = json_is_true(value);
	return 0;
}

static int index_array(const json_t **out, const json_t *object, const char *name, size_t most,
		       struct error *err)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_array(value) || json_array_size(value) > most)
		return index_wrong(name, err);
	*out = value;
	return 0;
}

static bool hash_parse(uint64_t *out, const char *text)
{
	unsigned char *bytes = NULL;
	size_t count = 0;

	if (!text || parse_hex_bytes(&bytes, &count, text, NULL))
		return false;
	*out = 0;
	for (size_t i = 0; i < count; i++)
		*out = *out << 8 | bytes[i];
	free(bytes);
	return count == sizeof(*out);
}

/* With `nullable`, a null gives all zeroes. */
static int index_part(struct capture_part *out, const json_t *object, const char *name,
		      bool nullable, struct error *err)
{
	const json_t *json = json_object_get(object, name);
	int rc;

	if (nullable && json_is_null(json))
		return 0;
	rc = index_amount(&out->offset, json, "offset", err);
	if (!rc)
		rc = index_amount(&out->stored, json, "stored_bytes", err);
	if (!rc)
		rc = index_amount(&out->raw, json, "raw_bytes", err);
	if (!rc && !hash_parse(&out->hash, json_string_value(json_object_get(json, "xxh64"))))
		rc = index_wrong("xxh64", err);
	if (!rc && (!out->stored || !out->raw || out->raw > MOST_PART_BYTES ||
		    out->raw / MOST_RATIO > out->stored))
		rc = error_set(err, PL_EPARSE, "its size is impossible");
	return error_context(err, rc, "'%s'", name);
}

static int index_three(int64_t out[3], const json_t *object, const char *name, struct error *err)
{
	const json_t *array = json_object_get(object, name);

	if (json_array_size(array) != 3)
		return index_wrong(name, err);
	for (size_t i = 0; i < 3; i++) {
		if (!json_is_integer(json_array_get(array, i)))
			return index_wrong(name, err);
		out[i] = json_integer_value(json_array_get(array, i));
	}
	return 0;
}

/* A null gives -1. */
static int index_carveout(int64_t *out, const json_t *json, struct error *err)
{
	uint64_t percent = 0;
	int rc;

	*out = -1;
	if (json_is_null(json_object_get(json, "carveout")))
		return 0;
	rc = index_amount(&percent, json, "carveout", err);
	if (!rc)
		*out = (int64_t)percent;
	return rc;
}

static int index_launch(struct capture_launch *out, const json_t *json, struct error *err)
{
	int rc = index_number(&out->shared_bytes, json, "shared_bytes", err);

	if (!rc)
		rc = index_flag(&out->cooperative, json, "cooperative", err);
#define X(field) \
	if (!rc) \
		rc = index_three(out->field, json, #field, err);
	INDEX_LAUNCH_LIST(X)
#undef X
	return rc ? rc : index_carveout(&out->carveout, json, err);
}

static int index_parameter_data(struct capture_info *out, const json_t *json, struct error *err)
{
	const char *hex = json_string_value(json_object_get(json, "data"));

	if (!hex)
		return index_wrong("data", err);
	if (*hex && parse_hex_bytes(&out->parameter_data, &out->parameter_bytes, hex, NULL))
		return index_wrong("data", err);
	return 0;
}

static int index_parameters(struct capture_info *out, const json_t *json, struct error *err)
{
	const json_t *places = NULL;
	const json_t *place;
	size_t i;
	int rc = index_parameter_data(out, json, err);

	if (!rc)
		rc = index_array(&places, json, "places", CAPTURE_MOST_PARAMETER_BYTES, err);
	if (!rc)
		rc = index_count(&out->parameter_pointers.count, json, "pointers", err);
	if (rc)
		return rc;
	out->parameters = xcalloc(json_array_size(places) + 1, sizeof(out->parameters[0]));
	json_array_foreach(places, i, place)
	{
		const json_t *offset = json_array_get(place, 0);
		const json_t *bytes = json_array_get(place, 1);

		/* A negative number becomes a large one, which is outside of the parameters. */
		if (json_array_size(place) != 2 || !json_is_integer(offset) ||
		    !json_is_integer(bytes))
			return index_wrong("places", err);
		out->parameters[out->parameter_count++] = (struct capture_parameter){
			(uint64_t)json_integer_value(offset), (uint64_t)json_integer_value(bytes)};
	}
	return 0;
}

static int index_memory(struct capture_memory *out, struct memory_parts *parts, const json_t *json,
			struct error *err)
{
	const char *kind = json_string_value(json_object_get(json, "kind"));
	int rc = kind && capture_memory_kind_parse(&out->kind, kind) ? 0 : index_wrong("kind", err);

	if (!rc)
		rc = index_amount(&out->address, json, "address", err);
	if (!rc)
		rc = index_text(&out->variable, json, "variable", true, err);
	if (!rc)
		rc = index_part(&parts->before, json, "before", false, err);
	if (!rc)
		rc = index_part(&parts->changes, json, "changes", true, err);
	if (!rc)
		rc = index_count(&out->before.count, json, "pointers_before", err);
	if (!rc)
		rc = index_count(&out->after.count, json, "pointers_after", err);
	out->bytes = parts->before.raw;
	out->changed = parts->changes.stored > 0;
	if (!rc && !out->changed && out->after.count)
		rc = error_set(err, PL_EPARSE, "it is unchanged and has pointers after the launch");
	return rc;
}

static int index_memories(struct capture_info *info, struct capture_index *index,
			  const json_t *root, struct error *err)
{
	const json_t *array = NULL;
	const json_t *json;
	size_t i;
	int rc = index_array(&array, root, "memory", CAPTURE_MOST_MEMORY, err);

	if (rc)
		return rc;
	info->memory_count = index->memory_count = json_array_size(array);
	info->memory = xcalloc(info->memory_count + 1, sizeof(info->memory[0]));
	index->memory = xcalloc(info->memory_count + 1, sizeof(index->memory[0]));
	json_array_foreach(array, i, json)
	{
		rc = index_memory(&info->memory[i], &index->memory[i], json, err);
		if (rc)
			return error_context(err, rc, "memory %zu", i);
	}
	return 0;
}

static int index_lost(struct string_list *out, const json_t *root, struct error *err)
{
	const json_t *array = NULL;
	const json_t *json;
	size_t i;
	int rc = index_array(&array, root, "lost", CAPTURE_MOST_LOST, err);

	if (rc)
		return rc;
	json_array_foreach(array, i, json)
	{
		json_t *object = json_pack("{s:O}", "lost", json);
		char *text = NULL;

		rc = index_text(&text, object, "lost", false, err);
		json_decref(object);
		if (rc)
			return rc;
		string_list_add(out, text);
		free(text);
	}
	return 0;
}

static int index_read(struct capture_info *info, struct capture_index *index, const json_t *root,
		      struct error *err)
{
	int rc = 0;

#define X(field) \
	if (!rc) \
		rc = index_text(&info->field, root, #field, false, err);
	INDEX_TEXT_LIST(X)
#undef X
#define X(field) \
	if (!rc) \
		rc = index_number(&info->field, root, #field, err);
	INDEX_NUMBER_LIST(X)
#undef X
	if (!rc)
		rc = index_launch(&info->launch, json_object_get(root, "launch"), err);
	if (!rc)
		rc = index_parameters(info, json_object_get(root, "parameters"), err);
	if (!rc)
		rc = index_memories(info, index, root, err);
	if (!rc)
		rc = index_part(&index->pointers, root, "pointers", true, err);
	if (!rc)
		rc = index_part(&index->cubin, root, "cubin", false, err);
	if (!rc)
		rc = index_part(&index->ptx, root, "ptx", true, err);
	/* a reader takes a whole image into memory */
	if (!rc && (index->cubin.raw > CAPTURE_MOST_IMAGE_BYTES ||
		    index->ptx.raw > CAPTURE_MOST_IMAGE_BYTES))
		rc = error_set(err, PL_EPARSE, "an image has more than %d bytes",
			       CAPTURE_MOST_IMAGE_BYTES);
	if (!rc)
		rc = index_text(&info->ptx_origin, root, "ptx_origin", true, err);
	if (!rc && (info->ptx_origin != NULL) != (index->ptx.stored > 0))
		rc = error_set(err, PL_EPARSE, "'ptx' and 'ptx_origin' do not agree");
	return rc ? rc : index_lost(&info->lost, root, err);
}

int index_decode(struct capture_info *info, struct capture_index *index, const char *json,
		 size_t bytes, struct error *err)
{
	json_t *root = json_loadb(json, bytes, JSON_REJECT_DUPLICATES, NULL);
	int rc = root ? index_read(info, index, root, err)
		      : error_set(err, PL_EPARSE, "it is not JSON");

	json_decref(root);
	return rc;
}
