/* The index as JSON: writing. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "capture/index.h"

/* Without control characters, cut to the longest text that the reader takes. In text that is not
 * UTF-8, '?' replaces each byte that is not ASCII. */
static json_t *json_clean(const char *text)
{
	char *clean;
	json_t *json;

	if (!text)
		return json_null();
	clean = xstrndup(text, CAPTURE_MOST_TEXT);
	for (char *c = clean; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	json = json_string(clean);
	if (!json) {
		for (char *c = clean; *c; c++)
			if ((unsigned char)*c >= 0x80)
				*c = '?';
		json = json_string(clean);
	}
	free(clean);
	return json;
}

static json_t *json_part(const struct capture_part *part)
{
	char hash[24];

	if (!part->stored)
		return json_null();
	snprintf(hash, sizeof(hash), "%016" PRIx64, part->hash);
	return json_pack("{s:I, s:I, s:I, s:s}", "offset", (json_int_t)part->offset, "stored_bytes",
			 (json_int_t)part->stored, "raw_bytes", (json_int_t)part->raw, "xxh64",
			 hash);
}

static json_t *json_three(const int64_t values[3])
{
	return json_pack("[I, I, I]", (json_int_t)values[0], (json_int_t)values[1],
			 (json_int_t)values[2]);
}

static json_t *json_launch(const struct capture_launch *launch)
{
	json_t *json = json_object();

#define X(field) json_object_set_new(json, #field, json_three(launch->field));
	INDEX_LAUNCH_LIST(X)
#undef X
	json_object_set_new(json, "shared_bytes", json_integer(launch->shared_bytes));
	json_object_set_new(json, "cooperative", json_boolean(launch->cooperative));
	json_object_set_new(json, "carveout",
			    launch->carveout < 0 ? json_null() : json_integer(launch->carveout));
	return json;
}

static json_t *json_parameters(const struct capture_info *info)
{
	json_t *json = json_object();
	json_t *places = json_array();
	struct text hex = TEXT_INIT;

	for (size_t i = 0; i < info->parameter_bytes; i++)
		text_addf(&hex, "%02x", info->parameter_data[i]);
	for (size_t i = 0; i < info->parameter_count; i++)
		json_array_append_new(places,
				      json_pack("[I, I]", (json_int_t)info->parameters[i].offset,
						(json_int_t)info->parameters[i].bytes));
	json_object_set_new(json, "data", json_string(hex.data));
	json_object_set_new(json, "places", places);
	json_object_set_new(json, "pointers",
			    json_integer((json_int_t)info->parameter_pointers.count));
	text_release(&hex);
	return json;
}

static json_t *json_memory(const struct capture_memory *memory, const struct memory_parts *parts)
{
	const size_t after = memory->changed ? memory->after.count : 0;
	json_t *json = json_object();

	json_object_set_new(json, "kind", json_string(capture_memory_kind_name(memory->kind)));
	json_object_set_new(json, "address", json_integer((json_int_t)memory->address));
	json_object_set_new(json, "variable", json_clean(memory->variable));
	json_object_set_new(json, "before", json_part(&parts->before));
	json_object_set_new(json, "changes", json_part(&parts->changes));
	json_object_set_new(json, "pointers_before",
			    json_integer((json_int_t)memory->before.count));
	json_object_set_new(json, "pointers_after", json_integer((json_int_t)after));
	return json;
}

static json_t *json_lost(const struct string_list *lost)
{
	const bool cut = lost->count > CAPTURE_MOST_LOST;
	const size_t shown = cut ? CAPTURE_MOST_LOST - 1 : lost->count;
	json_t *json = json_array();

	for (size_t i = 0; i < shown; i++)
		json_array_append_new(json, json_clean(lost->items[i]));
	if (cut) {
		char *more = xasprintf("%zu more", lost->count - shown);

		json_array_append_new(json, json_string(more));
		free(more);
	}
	return json;
}

static json_t *json_index(const struct capture_info *info, const struct capture_index *index)
{
	json_t *json = json_object();
	json_t *memory = json_array();

#define X(field) json_object_set_new(json, #field, json_clean(info->field));
	INDEX_TEXT_LIST(X)
#undef X
#define X(field) json_object_set_new(json, #field, json_integer(info->field));
	INDEX_NUMBER_LIST(X)
#undef X
	json_object_set_new(json, "launch", json_launch(&info->launch));
	json_object_set_new(json, "parameters", json_parameters(info));
	for (size_t i = 0; i < info->memory_count; i++)
		json_array_append_new(memory, json_memory(&info->memory[i], &index->memory[i]));
	json_object_set_new(json, "memory", memory);
	json_object_set_new(json, "pointers", json_part(&index->pointers));
	json_object_set_new(json, "cubin", json_part(&index->cubin));
	json_object_set_new(json, "ptx", json_part(&index->ptx));
	json_object_set_new(json, "ptx_origin", json_clean(info->ptx_origin));
	json_object_set_new(json, "lost", json_lost(&info->lost));
	return json;
}

int index_encode(struct text *out, const struct capture_info *info,
		 const struct capture_index *index, struct error *err)
{
	json_t *json = json_index(info, index);
	char *dump = json_dumps(json, JSON_COMPACT);
	int rc = 0;

	json_decref(json);
	if (!dump)
		return error_set(err, PL_ENOMEM, "no memory for the index of a capture");
	if (strlen(dump) > MOST_INDEX_BYTES)
		rc = error_set(err, PL_EUSAGE, "the index has %zu bytes, more than %d",
			       strlen(dump), MOST_INDEX_BYTES);
	else
		text_add(out, dump);
	free(dump);
	return rc;
}
