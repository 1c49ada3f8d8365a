#include "tests/capture/edit_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "capture/index.h"

static void edit_must(bool right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "edit_capture: %s\n", what);
	abort();
}

void write_bytes(const char *path, const void *data, size_t bytes)
{
	FILE *stream = fopen(path, "wb");

	edit_must(stream && fwrite(data, 1, bytes, stream) == bytes && !fclose(stream), path);
}

void edit_open(struct edited_capture *out, const char *path)
{
	size_t bytes = 0;
	size_t json_bytes;

	*out = (struct edited_capture){0};
	edit_must(!read_file(&out->data, &bytes, path, 1 << 24, NULL), path);
	edit_must(bytes > FOOTER_BYTES, path);
	out->parts_bytes = number_get((unsigned char *)out->data + bytes - FOOTER_BYTES, 8);
	json_bytes = bytes - FOOTER_BYTES - out->parts_bytes;
	out->index = json_loadb(out->data + out->parts_bytes, json_bytes, 0, NULL);
	edit_must(out->index, path);
}

void edit_save(const struct edited_capture *capture, const char *path)
{
	char *json = json_dumps(capture->index, JSON_COMPACT);
	struct text file = TEXT_INIT;
	unsigned char footer[FOOTER_BYTES];

	edit_must(json, "no memory");
	number_put(footer, capture->parts_bytes, 8);
	number_put(footer + 8, strlen(json), 8);
	number_put(footer + 16, XXH64(json, strlen(json), 0), 8);
	memcpy(footer + 24, FOOTER_MAGIC, MAGIC_BYTES);
	text_add_bytes(&file, capture->data, capture->parts_bytes);
	text_add(&file, json);
	text_add_bytes(&file, footer, sizeof(footer));
	write_bytes(path, file.data, file.length);
	text_release(&file);
	free(json);
}

void edit_close(struct edited_capture *capture)
{
	json_decref(capture->index);
	free(capture->data);
	*capture = (struct edited_capture){0};
}

static json_t *edit_child(json_t *parent, const char *key)
{
	return json_is_array(parent) ? json_array_get(parent, (size_t)atoi(key))
				     : json_object_get(parent, key);
}

/* The object or array that holds the member; *key gets its last part. */
static json_t *edit_parent(const struct edited_capture *capture, const char *member, char **key)
{
	struct string_list parts = {0};
	json_t *parent = capture->index;

	string_list_split(&parts, member, '/');
	for (size_t i = 0; i + 1 < parts.count; i++)
		parent = edit_child(parent, parts.items[i]);
	edit_must(parent, member);
	*key = xstrdup(parts.items[parts.count - 1]);
	string_list_release(&parts);
	return parent;
}

void edit_set(struct edited_capture *capture, const char *member, const char *value)
{
	char *key = NULL;
	json_t *parent = edit_parent(capture, member, &key);
	json_t *json = value ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
	int failed;

	edit_must(json || !value, value);
	if (json_is_array(parent))
		failed = json_array_set_new(parent, (size_t)atoi(key), json);
	else if (json)
		failed = json_object_set_new(parent, key, json);
	else
		failed = json_object_del(parent, key);
	edit_must(!failed, member);
	free(key);
}

char *edit_get(const struct edited_capture *capture, const char *member)
{
	char *key = NULL;
	json_t *parent = edit_parent(capture, member, &key);
	char *json = json_dumps(edit_child(parent, key), JSON_ENCODE_ANY);

	edit_must(json, member);
	free(key);
	return json;
}
