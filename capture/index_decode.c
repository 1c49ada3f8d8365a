/* The index as JSON: reading. Which values are possible is checked in info.c. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "capture/index.h"

/* The readers return false with PL_EPARSE in *err. */
static bool index_wrong(const char *name, struct error *err)
{
	error_set(err, PL_EPARSE, "'%s' is missing or has the wrong type or form", name);
	return false;
}

/* malloc'd. With `nullable`, a null gives NULL. */
static bool index_text(char **out, const json_t *object, const char *name, bool nullable,
		       struct error *err)
{
	const json_t *value = json_object_get(object, name);
	const char *text = json_string_value(value);

	if (nullable && json_is_null(value))
		return true;
	if (!text || json_string_length(value) > CAPTURE_MOST_TEXT)
		return index_wrong(name, err);
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f) {
			error_set(err, PL_EPARSE, "'%s' has control characters", name);
			return false;
		}
	*out = xstrdup(text);
	return true;
}

static bool index_number(int64_t *out, const json_t *object, const char *name, struct error *err)
{
	const json_t *value = json_object_get(object, name);

	*out = json_integer_value(value);
	return json_is_integer(value) || index_wrong(name, err);
}

/* At least 0. */
static bool index_amount(uint64_t *out, const json_t *object, const char *name, struct error *err)
{
	const json_t *value = json_object_get(object, name);

	*out = (uint64_t)json_integer_value(value);
	return (json_is_integer(value) && json_integer_value(value) >= 0) || index_wrong(name, err);
}

static bool index_array(const json_t **out, const json_t *object, const char *name, size_t most,
			struct error *err)
{
	*out = json_object_get(object, name);
	return (json_is_array(*out) && json_array_size(*out) <= most) || index_wrong(name, err);
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
static bool index_part(struct capture_part *out, const json_t *object, const char *name,
		       bool nullable, struct error *err)
{
	const json_t *json = json_object_get(object, name);
	bool good;

	if (nullable && json_is_null(json))
		return true;
	good = index_amount(&out->offset, json, "offset", err) &&
	       index_amount(&out->stored, json, "stored_bytes", err) &&
	       index_amount(&out->raw, json, "raw_bytes", err) &&
	       (hash_parse(&out->hash, json_string_value(json_object_get(json, "xxh64"))) ||
		index_wrong("xxh64", err));
	if (good && (!out->stored || !out->raw || out->raw > MOST_PART_BYTES ||
		     out->raw / MOST_RATIO > out->stored)) {
		error_set(err, PL_EPARSE, "its size is impossible");
		good = false;
	}
	return !error_context(err, good ? 0 : PL_EPARSE, "'%s'", name);
}

static bool index_three(int64_t out[3], const json_t *object, const char *name, struct error *err)
{
	const json_t *array = json_object_get(object, name);

	if (json_array_size(array) != 3)
		return index_wrong(name, err);
	for (size_t i = 0; i < 3; i++) {
		if (!json_is_integer(json_array_get(array, i)))
			return index_wrong(name, err);
		out[i] = json_integer_value(json_array_get(array, i));
	}
	return true;
}

static bool index_launch(struct capture_launch *out, const json_t *json, struct error *err)
{
	const json_t *cooperative = json_object_get(json, "cooperative");
	uint64_t percent = 0;

	if (!index_number(&out->shared_bytes, json, "shared_bytes", err))
		return false;
	if (!json_is_boolean(cooperative))
		return index_wrong("cooperative", err);
	out->cooperative = json_is_true(cooperative);
#define X(field)                                         \
	if (!index_three(out->field, json, #field, err)) \
		return false;
	INDEX_LAUNCH_LIST(X)
#undef X
	out->carveout = -1;
	if (json_is_null(json_object_get(json, "carveout")))
		return true;
	if (!index_amount(&percent, json, "carveout", err))
		return false;
	out->carveout = (int64_t)percent;
	return true;
}

static bool index_parameters(struct capture_info *out, const json_t *json, struct error *err)
{
	const char *hex = json_string_value(json_object_get(json, "data"));
	const json_t *places, *place;
	size_t i;

	if (!hex ||
	    (*hex && parse_hex_bytes(&out->parameter_data, &out->parameter_bytes, hex, NULL)))
		return index_wrong("data", err);
	if (!index_array(&places, json, "places", CAPTURE_MOST_PARAMETER_BYTES, err) ||
	    !index_amount(&out->parameter_pointers.count, json, "pointers", err))
		return false;
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
	return true;
}

static bool index_memory(struct capture_memory *out, struct memory_parts *parts, const json_t *json,
			 struct error *err)
{
	const char *kind = json_string_value(json_object_get(json, "kind"));

	if (!kind || !capture_memory_kind_parse(&out->kind, kind))
		return index_wrong("kind", err);
	if (!index_amount(&out->address, json, "address", err) ||
	    !index_text(&out->variable, json, "variable", true, err) ||
	    !index_part(&parts->before, json, "before", false, err) ||
	    !index_part(&parts->changes, json, "changes", true, err) ||
	    !index_amount(&out->before.count, json, "pointers_before", err) ||
	    !index_amount(&out->after.count, json, "pointers_after", err))
		return false;
	out->bytes = parts->before.raw;
	out->changed = parts->changes.stored > 0;
	if (!out->changed && out->after.count) {
		error_set(err, PL_EPARSE, "it is unchanged and has pointers after the launch");
		return false;
	}
	return true;
}

static bool index_memories(struct capture_info *info, struct capture_index *index,
			   const json_t *root, struct error *err)
{
	const json_t *array, *json;
	size_t i;

	if (!index_array(&array, root, "memory", CAPTURE_MOST_MEMORY, err))
		return false;
	info->memory_count = index->memory_count = json_array_size(array);
	info->memory = xcalloc(info->memory_count + 1, sizeof(info->memory[0]));
	index->memory = xcalloc(info->memory_count + 1, sizeof(index->memory[0]));
	json_array_foreach(array, i, json)
	{
		if (!index_memory(&info->memory[i], &index->memory[i], json, err))
			return !error_context(err, PL_EPARSE, "memory %zu", i);
	}
	return true;
}

static bool index_lost(struct string_list *out, const json_t *root, struct error *err)
{
	const json_t *array, *json;
	size_t i;

	if (!index_array(&array, root, "lost", CAPTURE_MOST_LOST, err))
		return false;
	json_array_foreach(array, i, json)
	{
		json_t *object = json_pack("{s:O}", "lost", json);
		char *text = NULL;
		const bool good = index_text(&text, object, "lost", false, err);

		json_decref(object);
		if (!good)
			return false;
		string_list_add(out, text);
		free(text);
	}
	return true;
}

static bool index_read(struct capture_info *info, struct capture_index *index, const json_t *root,
		       struct error *err)
{
#define X(field)                                                 \
	if (!index_text(&info->field, root, #field, false, err)) \
		return false;
	INDEX_TEXT_LIST(X)
#undef X
#define X(field)                                            \
	if (!index_number(&info->field, root, #field, err)) \
		return false;
	INDEX_NUMBER_LIST(X)
#undef X
	if (!index_launch(&info->launch, json_object_get(root, "launch"), err) ||
	    !index_parameters(info, json_object_get(root, "parameters"), err) ||
	    !index_memories(info, index, root, err) ||
	    !index_part(&index->pointers, root, "pointers", true, err) ||
	    !index_part(&index->cubin, root, "cubin", false, err) ||
	    !index_part(&index->ptx, root, "ptx", true, err))
		return false;
	/* a reader takes a whole image into memory */
	if (index->cubin.raw > CAPTURE_MOST_IMAGE_BYTES ||
	    index->ptx.raw > CAPTURE_MOST_IMAGE_BYTES) {
		error_set(err, PL_EPARSE, "an image has more than %d bytes",
			  CAPTURE_MOST_IMAGE_BYTES);
		return false;
	}
	if (!index_text(&info->ptx_origin, root, "ptx_origin", true, err))
		return false;
	if ((info->ptx_origin != NULL) != (index->ptx.stored > 0)) {
		error_set(err, PL_EPARSE, "'ptx' and 'ptx_origin' do not agree");
		return false;
	}
	return index_lost(&info->lost, root, err);
}

int index_decode(struct capture_info *info, struct capture_index *index, const char *json,
		 size_t bytes, struct error *err)
{
	json_t *root = json_loadb(json, bytes, JSON_REJECT_DUPLICATES, NULL);
	const bool good = root && index_read(info, index, root, err);

	if (!root)
		error_set(err, PL_EPARSE, "it is not JSON");
	json_decref(root);
	return good ? 0 : PL_EPARSE;
}
