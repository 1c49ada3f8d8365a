/*
 * Opens and bounds the cache. What is in it is executed and removed without a question, so it must
 * be a folder that perflab made, and in which nobody else writes. A file marks it.
 *
 * A process that uses images holds a shared lock on it. Whoever comes while no other process does
 * removes what was not used for the longest time, and what processes that were killed left behind.
 * Only what has a name that perflab gives is removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compile/compile_parts.h"

/* Programs that make backups know the name and the first line: https://bford.info/cachedir */
#define MARK_FILE "CACHEDIR.TAG"
static const char mark[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
			   "# This folder is a cache of perflab, which removes files in it.\n";

static const char *const own_names[] = {"compiled", "sources", "work", "revisions"};

/* ---- who may write ---- */

static int check_owner(const char *root, struct error *err)
{
	struct stat status;

	if (stat(root, &status))
		return cache_write_error(root, err);
	if (status.st_uid != geteuid())
		return error_set(err, PL_EUSAGE,
				 "the cache '%s' belongs to user %u, who could replace what you "
				 "measure, and you are user %u: name a folder of your own in "
				 "$PERFLAB_CACHE",
				 root, (unsigned)status.st_uid, (unsigned)geteuid());
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return error_set(err, PL_EUSAGE,
				 "others may write in the cache '%s', and could replace what you "
				 "measure: name another folder in $PERFLAB_CACHE, or remove this "
				 "one",
				 root);
	return 0;
}

/* ---- who made it ---- */

static bool is_marked(const char *root)
{
	char *path = xasprintf("%s/" MARK_FILE, root), *text = NULL;
	size_t length;
	const bool marked = !read_file(&text, &length, path, sizeof(mark), NULL) &&
			    length == sizeof(mark) - 1 && memcmp(text, mark, length) == 0;

	free(text);
	free(path);
	return marked;
}

static bool is_own_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_names); i++)
		if (!strcmp(name, own_names[i]))
			return true;
	return !strncmp(name, MARK_FILE, strlen(MARK_FILE));
}

/* Earlier versions made the lock, and left it empty. */
static bool is_lock(const char *root)
{
	char *path = xasprintf("%s/" CACHE_LOCK, root);
	struct stat status;
	const bool is = !lstat(path, &status) && S_ISREG(status.st_mode) && !status.st_size;

	free(path);
	return is;
}

/* The first entry of work/, malloc'd; NULL: none. perflab removes it as a whole if it has six
 * letters, as many words do. */
static char *first_of_work(const char *root)
{
	char *path = xasprintf("%s/work", root), *found = NULL;
	DIR *entries = opendir(path);

	for (struct dirent *entry = entries ? readdir(entries) : NULL; entry && !found;
	     entry = readdir(entries))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			found = xasprintf("work/%s", entry->d_name);
	if (entries)
		closedir(entries);
	free(path);
	return found;
}

/* Earlier versions left no mark, but a lock. Another process may be about to mark the folder. */
static int check_maker(const char *root, struct error *err)
{
	DIR *entries = opendir(root);
	char *foreign = NULL;
	bool locked = false, empty = true;

	if (!entries)
		return cache_write_error(root, err);
	for (struct dirent *entry = readdir(entries); entry && !foreign; entry = readdir(entries)) {
		const char *name = entry->d_name;

		if (!strcmp(name, ".") || !strcmp(name, ".."))
			continue;
		empty = false;
		if (!strcmp(name, CACHE_LOCK))
			locked = is_lock(root);
		else if (!is_own_name(name))
			foreign = xstrdup(name);
	}
	closedir(entries);
	if (!foreign && locked)
		foreign = first_of_work(root);
	if (!foreign && (empty || locked))
		return 0;
	error_set(err, PL_EUSAGE,
		  "the cache '%s' holds %s%s%s, and perflab did not make this folder: it would "
		  "remove files in it. Name a new or an empty folder in $PERFLAB_CACHE",
		  root, foreign ? "'" : "files", foreign ? foreign : "", foreign ? "'" : "");
	free(foreign);
	return PL_EUSAGE;
}

/* The lock comes first: it says that what else is in the folder is perflab's. */
static int mark_folder(const char *root, struct error *err)
{
	char *lock = xasprintf("%s/" CACHE_LOCK, root), *path = xasprintf("%s/" MARK_FILE, root);
	char *temporary = xasprintf("%s-XXXXXX", path);
	int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), rc = 0;

	if (fd >= 0) {
		close(fd);
		fd = mkstemp(temporary);
	}
	if (fd < 0 || write(fd, mark, sizeof(mark) - 1) != (ssize_t)sizeof(mark) - 1 ||
	    rename(temporary, path)) {
		rc = cache_write_error(path, err);
		unlink(temporary);
	}
	if (fd >= 0)
		close(fd);
	free(temporary);
	free(path);
	free(lock);
	return rc;
}

int cache_open(const char *root, struct error *err)
{
	int rc = cache_folder_make(root, err);

	if (!rc)
		rc = check_owner(root, err);
	if (rc || is_marked(root))
		return rc;
	rc = check_maker(root, err);
	if (rc && is_marked(root))
		return 0; /* another process was faster */
	return rc ? rc : mark_folder(root, err);
}

int compile_cache_revisions(struct text *out, struct error *err)
{
	int rc = cache_root(out, NULL, err);

	if (!rc)
		rc = cache_open(out->data, err);
	text_add(out, "/revisions");
	return rc ? rc : cache_folder_make(out->data, err);
}

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

/* ---- what is there ---- */

static void cache_entry_add(struct cache_entries *list, char *stem, const struct stat *status)
{
	struct cache_entry *last = list->count ? &list->items[list->count - 1] : NULL;

	list->bytes += status->st_size;
	if (last && !strcmp(last->stem, stem)) {
		last->bytes += status->st_size;
		if (time_is_later(&status->st_mtim, &last->used))
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

	return time_is_later(&first->used, &second->used) -
	       time_is_later(&second->used, &first->used);
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
