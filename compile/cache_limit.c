/*
 * Bounds the cache. A process that uses images holds a shared lock on it. Whoever comes while no
 * other process does removes what was not used for the longest time, and what processes that were
 * killed left behind. Only what has a name that perflab gives is removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compile/compile_parts.h"

#define CACHE_LIMIT_BYTES ((int64_t)1 << 30)

/* How long to wait for a process that removes. */
#define LOCK_LIMIT_NS (10 * INT64_C(1000000000))
#define LOCK_LOOK_NS 10000000

struct compile_cache_use {
	int lock;     /* -1: there is none */
	char *folder; /* in place of the cache, which somebody else keeps locked; NULL: there is
			 none */
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

/* The names that perflab gives in a folder: so many letters and digits, then an ending. */
struct cache_names {
	size_t lengths[2]; /* of now, and of earlier versions, which had shorter hashes */
	const char *endings[4];
};
#define HASH_LENGTH (HASH_TEXT_BYTES - 1)
/* compiled/HH/REST-OF-HASH/STEM.ENDING */
static const struct cache_names compiled_names[] = {
	{{2}, {""}},
	{{HASH_LENGTH - 2, 30}, {""}},
	{{CACHE_STEM_LENGTH}, {".record", ".ptx", ".cubin"}},
};
static const struct cache_names source_names[] = {{{HASH_LENGTH, 32}, {".cu"}}};
static const struct cache_names work_names = {{CACHE_STEM_LENGTH}, {""}};

static bool is_named(const struct cache_names *names, const char *name)
{
	const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

	if (length != names->lengths[0] && (!length || length != names->lengths[1]))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names->endings) && names->endings[i]; i++)
		if (!strcmp(name + length, names->endings[i]))
			return true;
	return false;
}

/* Reads the files below `levels` of folders. The files of one stem have names that follow each
 * other. */
static void cache_folder_read(struct cache_entries *list, const char *folder,
			      const struct cache_names *names, size_t levels)
{
	struct dirent **found;
	int count = scandir(folder, &found, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char *path = xasprintf("%s/%s", folder, found[i]->d_name);
		struct stat status;

		if (is_named(names, found[i]->d_name) && !lstat(path, &status)) {
			if (levels && S_ISDIR(status.st_mode))
				cache_folder_read(list, path, names + 1, levels - 1);
			else if (!levels && S_ISREG(status.st_mode))
				cache_entry_add(list,
						xstrndup(path, (size_t)(strrchr(path, '.') - path)),
						&status);
		}
		free(path);
		free(found[i]);
	}
	if (count >= 0)
		free(found);
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
	struct dirent **found;
	int count = scandir(work, &found, NULL, NULL);

	for (int i = 0; i < count; i++) {
		char *path = xasprintf("%s/%s", work, found[i]->d_name);

		if (is_named(&work_names, found[i]->d_name))
			folder_remove(path);
		free(path);
		free(found[i]);
	}
	if (count >= 0)
		free(found);
	free(work);
}

static void cache_shrink(const char *root, int64_t limit_bytes)
{
	struct cache_entries list = {0};
	char *compiled = xasprintf("%s/compiled", root), *sources = xasprintf("%s/sources", root);

	work_folders_remove(root);
	cache_folder_read(&list, compiled, compiled_names, ARRAY_SIZE(compiled_names) - 1);
	cache_folder_read(&list, sources, source_names, 0);
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
	free(compiled);
	free(sources);
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

/* Returns the lock, which is held; -1: the folder has none, or *rc says what came before. */
static int lock_shared(const char *root, int64_t limit_bytes, const volatile int *stop, int *rc,
		       struct error *err)
{
	const int64_t end_ns = monotonic_ns() + LOCK_LIMIT_NS;
	const struct timespec look = {.tv_nsec = LOCK_LOOK_NS};
	char *path = xasprintf("%s/" CACHE_LOCK, root);
	int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	free(path);
	if (lock < 0)
		return -1;
	fchmod(lock, 0600); /* earlier versions let others lock it */
	if (!flock(lock, LOCK_EX | LOCK_NB))
		cache_shrink(root, limit_bytes);
	while (flock(lock, LOCK_SH | LOCK_NB)) {
		if (stop && *stop)
			*rc = error_set(err, PL_EINTERRUPTED, "interrupted");
		else if (monotonic_ns() > end_ns)
			*rc = PL_EBUSY;
		if (*rc) {
			close(lock);
			return -1;
		}
		nanosleep(&look, NULL);
	}
	return lock;
}

int compile_cache_enter(struct compile_cache_use **out, const char *cache, const volatile int *stop,
			struct error *err)
{
	struct text root = TEXT_INIT;
	struct compile_cache_use use = {.lock = -1};
	int64_t limit_bytes;
	int rc = cache_limit(&limit_bytes, err);

	*out = NULL;
	if (!rc)
		rc = compile_memory_limit(&(int64_t){0}, err);
	if (!rc)
		rc = cache_root(&root, cache, err);
	if (!rc)
		rc = cache_open(root.data, err);
	if (!rc)
		use.lock = lock_shared(root.data, limit_bytes, stop, &rc, err);
	if (rc == PL_EBUSY)
		rc = temporary_folder_make(&use.folder, "perflab-cache", err);
	if (!rc) {
		*out = xcalloc(1, sizeof(**out));
		**out = use;
	}
	text_release(&root);
	return rc;
}

const char *compile_cache_folder(const struct compile_cache_use *use)
{
	return use ? use->folder : NULL;
}

void compile_cache_leave(struct compile_cache_use *use)
{
	if (!use)
		return;
	if (use->lock >= 0)
		close(use->lock);
	if (use->folder)
		folder_remove(use->folder);
	free(use->folder);
	free(use);
}
