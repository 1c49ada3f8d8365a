/*
 * The text beside an image in the cache: what the image was made of. A damaged record is no record;
 * its last line is the hash of all others.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

#define RECORD_FIRST_LINE "perflab compiled 2\n"

void cache_record_release(struct cache_record *record)
{
	for (size_t i = 0; i < record->file_count; i++)
		free(record->files[i].path);
	free(record->files);
	free(record->tool);
	free(record->messages);
	string_list_release(&record->lowered);
	*record = (struct cache_record){0};
}

void cache_record_file(struct cache_record *record, const char *path, const char *hash)
{
	struct cache_file *file;

	record->files = xgrow(record->files, &record->file_capacity, record->file_count + 1,
			      sizeof(*record->files));
	file = &record->files[record->file_count++];
	*file = (struct cache_file){.path = xstrdup(path)};
	memcpy(file->hash, hash, strlen(hash) + 1);
}

void cache_record_write(struct text *out, const struct cache_record *record)
{
	char hash[HASH_TEXT_BYTES];

	text_clear(out);
	text_add(out, RECORD_FIRST_LINE);
	text_addf(out, "tool %s\n", record->tool);
	text_addf(out, "ptx %s\n", record->ptx_hash);
	text_addf(out, "cubin %s\n", record->cubin_hash);
	for (size_t i = 0; i < record->lowered.count; i++)
		text_addf(out, "name %s\n", record->lowered.items[i]);
	for (size_t i = 0; i < record->file_count; i++)
		text_addf(out, "file %s %s\n", record->files[i].hash, record->files[i].path);
	text_addf(out, "messages %s\n", record->messages);
	hash_of(hash, out->data, out->length);
	text_addf(out, "end %s\n", hash);
}

static bool hash_take(char out[HASH_TEXT_BYTES], const char *text, size_t length)
{
	if (length && length != HASH_TEXT_BYTES - 1)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!isxdigit((unsigned char)text[i]))
			return false;
	}
	memcpy(out, text, length);
	out[length] = '\0';
	return true;
}

/* Returns the text behind `word` at the start of *next and moves to the next line, or NULL. */
static const char *line_take(const char **next, const char *word, size_t *length)
{
	const char *value = *next + strlen(word);

	if (strncmp(*next, word, strlen(word)) != 0)
		return NULL;
	*length = strcspn(value, "\n");
	*next = value + *length + (value[*length] == '\n');
	return value;
}

static bool record_lines_read(struct cache_record *out, const char *next, const char *end)
{
	size_t length;
	const char *value = line_take(&next, "tool ", &length);

	if (!value)
		return false;
	out->tool = xstrndup(value, length);
	value = line_take(&next, "ptx ", &length);
	if (!value || !hash_take(out->ptx_hash, value, length))
		return false;
	value = line_take(&next, "cubin ", &length);
	if (!value || !hash_take(out->cubin_hash, value, length))
		return false;
	while ((value = line_take(&next, "name ", &length)) != NULL) {
		char *name = xstrndup(value, length);

		string_list_add(&out->lowered, name);
		free(name);
	}
	while ((value = line_take(&next, "file ", &length)) != NULL) {
		const char *blank = memchr(value, ' ', length);
		char hash[HASH_TEXT_BYTES], *path;

		if (!blank || !hash_take(hash, value, (size_t)(blank - value)))
			return false;
		path = xstrndup(blank + 1, (size_t)(value + length - blank - 1));
		cache_record_file(out, path, hash);
		free(path);
	}
	if (strncmp(next, "messages ", 9) != 0 || next + 9 >= end)
		return false;
	next += 9;
	out->messages = xstrndup(next, (size_t)(end - next) - 1); /* without the line end */
	return true;
}

int cache_record_read(struct cache_record *out, const char *text, struct error *err)
{
	size_t length = strlen(text), tail = strlen("end \n") + HASH_TEXT_BYTES - 1;
	struct cache_record record = {0};
	char hash[HASH_TEXT_BYTES];

	*out = record;
	if (length < tail || strncmp(text, RECORD_FIRST_LINE, strlen(RECORD_FIRST_LINE)) != 0)
		return error_set(err, PL_ECORRUPT, "this is no record of the cache");
	hash_of(hash, text, length - tail);
	if (strncmp(text + length - tail, "end ", 4) != 0 ||
	    strncmp(text + length - HASH_TEXT_BYTES, hash, HASH_TEXT_BYTES - 1) != 0 ||
	    text[length - 1] != '\n')
		return error_set(err, PL_ECORRUPT, "the record is damaged");
	if (!record_lines_read(&record, text + strlen(RECORD_FIRST_LINE), text + length - tail)) {
		cache_record_release(&record);
		return error_set(err, PL_ECORRUPT, "the record is malformed");
	}
	*out = record;
	return 0;
}
