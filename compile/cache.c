/*
 * The cache of images. The folder of a request holds a record for each state of the files that its
 * compiler read. A record and its images are complete when they get their names, and nothing
 * changes them later, so processes that find and store images need not exclude each other. Images
 * are removed only while no process uses the cache: see cache_limit.c.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/compile_parts.h"

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
		size_t length = strlen(entry->d_name), ending = strlen(RECORD_ENDING);
		char *path;

		if (length <= ending || strcmp(entry->d_name + length - ending, RECORD_ENDING) != 0)
			continue;
		path = xasprintf("%s/%s", folder, entry->d_name);
		text_clear(stem);
		text_add_bytes(stem, path, strlen(path) - ending);
		found = record_is_current(out, path, stem->data);
		if (found)
			utimensat(AT_FDCWD, path, NULL, 0); /* the time of its last use */
		free(path);
	}
	closedir(entries);
	return found;
}

/* ---- storing ---- */

static bool before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Adds a file to the record. Returns false if it may have changed since the compiler read it. */
static bool record_add_read(struct cache_record *record, const char *path,
			    const struct timespec *started)
{
	struct stat status;
	char hash[HASH_TEXT_BYTES];

	if (*path != '/' || strchr(path, '\n') || hash_read_file(hash, path) ||
	    stat(path, &status) || !before(&status.st_mtim, started) ||
	    !before(&status.st_ctim, started))
		return false;
	cache_record_file(record, path, hash);
	return true;
}

/* Returns false if the record does not say what the image depends on. */
static bool record_fill(struct cache_record *record, const struct translation *translation,
			const struct timespec *started)
{
	struct string_list seen = {0};
	bool whole = true;

	record->tool = xstrdup(translation->tool);
	record->messages = xstrdup(translation->messages.data);
	for (size_t i = 0; i < translation->lowered.count; i++)
		string_list_add(&record->lowered, translation->lowered.items[i]);
	for (size_t i = 0; i < translation->read.count && whole; i++) {
		const char *path = translation->read.items[i];

		if (string_list_has(&seen, path))
			continue;
		string_list_add(&seen, path);
		whole = record_add_read(record, path, started);
	}
	for (size_t i = 0; i < translation->absent.count && whole; i++) {
		const char *path = translation->absent.items[i];

		if (string_list_has(&seen, path))
			continue;
		string_list_add(&seen, path);
		cache_record_file(record, path, "");
		whole = !strchr(path, '\n') && access(path, F_OK);
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
