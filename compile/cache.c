/*
 * The cache of images. The folder of a request holds a record for each state of the files that its
 * compiler read: a text that says what an image was made of. A record and its images are complete
 * when they get their names, and nothing changes them later, so processes that find and store
 * images need not exclude each other. Images are removed only while no process uses the cache: see
 * cache_limit.c.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
		string_list_add_bytes(&out->lowered, value, length);
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

/* The images of a capture. Its data may have gigabytes, and is not compiled. */
static int hash_images(char out[HASH_TEXT_BYTES], const char *path)
{
	struct capture *capture = NULL;
	struct hash hash;
	int rc = capture_open(&capture, path, NULL);

	hash_begin(&hash);

	for (int image = CAPTURE_CUBIN; image <= CAPTURE_PTX && !rc; image++) {
		char *data;
		size_t bytes;

		rc = capture_read_image(capture, (enum capture_image)image, &data, &bytes, NULL);
		if (rc == PL_ENOENT) {
			rc = 0;
			continue;
		}
		if (rc)
			break;
		hash_add_piece(&hash, &image, sizeof(image));
		hash_add_piece(&hash, data, bytes);
		free(data);
	}
	if (!rc)
		hash_end(out, &hash);
	capture_close(capture);
	return rc;
}

/* Hashes the content of a file; of a capture only what is compiled. Returns an error code. */
static int hash_read_file(char out[HASH_TEXT_BYTES], const char *path)
{
	return has_suffix(path, CAPTURE_SUFFIX) ? hash_images(out, path) : hash_file(out, path);
}

#define RECORD_LIMIT ((size_t)64 << 20)
#define RECORD_ENDING ".record"

/* ---- finding ---- */

static bool image_is_whole(const char *stem, const char *ending, const char *hash)
{
	char *path = xasprintf("%s%s", stem, ending), now[HASH_TEXT_BYTES];
	bool whole = !*hash || (!hash_read_file(now, path) && !strcmp(now, hash));

	free(path);
	return whole;
}

static bool files_are_same(const struct cache_record *record)
{
	char now[HASH_TEXT_BYTES];

	for (size_t i = 0; i < record->file_count; i++) {
		const struct cache_file *file = &record->files[i];

		if (!*file->hash && !access(file->path, F_OK))
			return false;
		if (*file->hash &&
		    (hash_read_file(now, file->path) || strcmp(now, file->hash) != 0))
			return false;
	}
	return true;
}

static bool record_is_current(struct cache_record *out, const char *path, const char *stem)
{
	size_t length;
	char *text;
	bool current;

	if (read_file(&text, &length, path, RECORD_LIMIT, NULL))
		return false;
	current = !cache_record_read(out, text, NULL);
	if (current && (!files_are_same(out) || !image_is_whole(stem, ".ptx", out->ptx_hash) ||
			!image_is_whole(stem, ".cubin", out->cubin_hash))) {
		cache_record_release(out);
		current = false;
	}
	free(text);
	return current;
}

bool cache_find(struct cache_record *out, struct text *stem, const char *folder)
{
	DIR *entries = opendir(folder);
	bool found = false;

	if (!entries)
		return false;
	for (struct dirent *entry = readdir(entries); entry && !found; entry = readdir(entries)) {
		char *path;

		if (!has_suffix(entry->d_name, RECORD_ENDING))
			continue;
		path = xasprintf("%s/%s", folder, entry->d_name);
		text_clear(stem);
		text_add_bytes(stem, path, strlen(path) - strlen(RECORD_ENDING));
		found = record_is_current(out, path, stem->data);
		if (found)
			utimensat(AT_FDCWD, path, NULL, 0); /* the time of its last use */
		free(path);
	}
	closedir(entries);
	return found;
}

/* ---- storing ---- */

/* Adds a file to the record. Returns false if it may have changed since the compiler read it. */
static bool record_add_read(struct cache_record *record, const char *path,
			    const struct timespec *started)
{
	struct stat status;
	char hash[HASH_TEXT_BYTES];

	if (*path != '/' || strchr(path, '\n') || hash_read_file(hash, path) ||
	    stat(path, &status) || !time_is_later(started, &status.st_mtim) ||
	    !time_is_later(started, &status.st_ctim))
		return false;
	cache_record_file(record, path, hash);
	return true;
}

/* Returns false if the record does not say what the image depends on. */
static bool record_fill(struct cache_record *record, const struct translation *translation,
			const struct timespec *started)
{
	const struct string_list *read = &translation->read, *absent = &translation->absent;
	struct string_list seen = {0};
	bool whole = true;

	record->tool = xstrdup(translation->tool);
	record->messages = xstrdup(translation->messages.data);
	for (size_t i = 0; i < translation->lowered.count; i++)
		string_list_add(&record->lowered, translation->lowered.items[i]);
	for (size_t i = 0; i < read->count + absent->count && whole; i++) {
		const bool is_read = i < read->count;
		const char *path = is_read ? read->items[i] : absent->items[i - read->count];

		if (string_list_has(&seen, path))
			continue;
		string_list_add(&seen, path);
		if (is_read) {
			whole = record_add_read(record, path, started);
		} else {
			cache_record_file(record, path, "");
			whole = !strchr(path, '\n') && access(path, F_OK);
		}
	}
	string_list_release(&seen);
	return whole;
}

/* Hashes an image and moves it to its name in the cache. There need not be one. */
static int image_move(char hash[HASH_TEXT_BYTES], const char *work, const char *name,
		      const char *stem, struct error *err)
{
	char *from = xasprintf("%s/%s", work, name);
	char *to = xasprintf("%s%s", stem, strrchr(name, '.'));
	int rc = 0;

	if (!access(from, F_OK)) {
		if (hash_read_file(hash, from))
			rc = error_set(err, PL_EIO, "cannot read '%s'", from);
		else if (rename(from, to))
			rc = cache_write_error(to, err);
	}
	free(from);
	free(to);
	return rc;
}

static int record_save(const struct cache_record *record, const char *work, const char *stem,
		       struct error *err)
{
	char *from = xasprintf("%s/record", work), *to = xasprintf("%s" RECORD_ENDING, stem);
	struct text text = TEXT_INIT;
	FILE *file = fopen(from, "wbe");
	bool wrote;
	int rc = 0;

	cache_record_write(&text, record);
	wrote = file && fwrite(text.data, 1, text.length, file) == text.length;
	if (file && fclose(file))
		wrote = false;
	if (!wrote || rename(from, to))
		rc = cache_write_error(to, err);
	text_release(&text);
	free(from);
	free(to);
	return rc;
}

int cache_store(struct text *stem, const char *folder, const struct translation *translation,
		const struct timespec *started, struct error *err)
{
	struct cache_record record = {0};
	bool whole = record_fill(&record, translation, started);
	int rc = cache_folder_make(folder, err);

	/* the name of the work folder is unique, also among processes */
	text_clear(stem);
	text_addf(stem, "%s/%s", folder, strrchr(translation->work, '/') + 1);
	if (!rc)
		rc = image_move(record.ptx_hash, translation->work, "image.ptx", stem->data, err);
	if (!rc)
		rc = image_move(record.cubin_hash, translation->work, "image.cubin", stem->data,
				err);
	if (!rc && whole)
		rc = record_save(&record, translation->work, stem->data, err);
	cache_record_release(&record);
	return rc;
}
