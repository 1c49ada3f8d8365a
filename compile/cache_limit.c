/*
 * Bounds the cache. A process that uses images holds a shared lock on it. Whoever comes while no
 * other process does removes what was not used for the longest time, and what processes that were
 * killed left behind.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/compile_parts.h"

#define CACHE_LIMIT_BYTES ((int64_t)1 << 30)

struct compile_cache_use {
	int lock;
};

/* The record is removed first: images without one are never found. */
static const char *const kept_endings[] = {".record", ".ptx", ".cubin", ".cu"};

/* The files of one compilation. They are found and removed together. */
struct cache_entry {
	char *stem; /* their path without the ending */
	int64_t bytes;
	struct timespec used;
};

struct cache_entries {
	struct cache_entry *items;
	size_t count, capacity;
	int64_t bytes;
};

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* ---- what is there ---- */

static void cache_entry_add(struct cache_entries *list, char *stem, const struct stat *status)
{
	struct cache_entry *last = list->count ? &list->items[list->count - 1] : NULL;

	list->bytes += status->st_size;
	if (last && !strcmp(last->stem, stem)) {
		last->bytes += status->st_size;
		if (is_later(&status->st_mtim, &last->used))
			last->used = status->st_mtim;
		free(stem);
		return;
	}
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = (struct cache_entry){stem, status->st_size, status->st_mtim};
}

/* Returns the path without its ending, or NULL: perflab made no such file. */
static char *stem_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(kept_endings); i++)
		if (!strcmp(dot, kept_endings[i]))
			return xstrndup(path, (size_t)(dot - path));
	return NULL;
}

/* The files of one stem have names that follow each other. */
static void cache_folder_read(struct cache_entries *list, const char *folder)
{
	struct dirent **names;
	int count = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char *path = xasprintf("%s/%s", folder, names[i]->d_name);
		struct stat status;

		if (names[i]->d_name[0] != '.' && !lstat(path, &status)) {
			char *stem = S_ISREG(status.st_mode) ? stem_of(path) : NULL;

			if (stem)
				cache_entry_add(list, stem, &status);
			else if (S_ISDIR(status.st_mode))
				cache_folder_read(list, path);
		}
		free(path);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

/* ---- removing ---- */

static int by_use(const void *a, const void *b)
{
	const struct cache_entry *first = a, *second = b;

	return is_later(&first->used, &second->used) - is_later(&second->used, &first->used);
}

static void cache_entry_remove(const struct cache_entry *entry)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept_endings); i++) {
		char *path = xasprintf("%s%s", entry->stem, kept_endings[i]);

		unlink(path);
		free(path);
	}
	/* the folder of a request, if this was its last image */
	*strrchr(entry->stem, '/') = '\0';
	rmdir(entry->stem);
}

/* Only a process that was killed leaves a work folder. */
static void work_folders_remove(const char *root)
{
	char *work = xasprintf("%s/work", root);

	folder_remove(work);
	free(work);
}

static void cache_shrink(const char *root, int64_t limit_bytes)
{
	static const char *const parts[] = {"compiled", "sources"};
	struct cache_entries list = {0};

	work_folders_remove(root);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		char *folder = xasprintf("%s/%s", root, parts[i]);

		cache_folder_read(&list, folder);
		free(folder);
	}
	if (list.bytes > limit_bytes)
		qsort(list.items, list.count, sizeof(*list.items), by_use);
	for (size_t i = 0; i < list.count; i++) {
		if (list.bytes > limit_bytes) {
			list.bytes -= list.items[i].bytes;
			cache_entry_remove(&list.items[i]);
		}
		free(list.items[i].stem);
	}
	free(list.items);
}

/* ---- the lock ---- */

static int cache_limit(int64_t *limit_bytes, struct error *err)
{
	const char *asked = getenv("PERFLAB_CACHE_LIMIT");

	*limit_bytes = CACHE_LIMIT_BYTES;
	if (!asked || !*asked || !parse_size(limit_bytes, asked, err))
		return 0;
	return error_context(err, PL_EUSAGE, "$PERFLAB_CACHE_LIMIT");
}

int compile_cache_enter(struct compile_cache_use **out, const char *cache, struct error *err)
{
	struct text root = TEXT_INIT;
	char *path = NULL;
	int64_t limit_bytes;
	int lock = -1, rc = cache_limit(&limit_bytes, err);

	*out = NULL;
	/* compile_one() reports a folder that cannot be used */
	if (!rc && !cache_root(&root, cache, NULL) && !cache_folder_make(root.data, NULL)) {
		path = xasprintf("%s/lock", root.data);
		lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	}
	if (lock >= 0) {
		if (!flock(lock, LOCK_EX | LOCK_NB))
			cache_shrink(root.data, limit_bytes);
		while (flock(lock, LOCK_SH) && errno == EINTR)
			; /* waits at most for one that removes */
		*out = xcalloc(1, sizeof(**out));
		(*out)->lock = lock;
	}
	free(path);
	text_release(&root);
	return rc;
}

void compile_cache_leave(struct compile_cache_use *use)
{
	if (use)
		close(use->lock);
	free(use);
}
