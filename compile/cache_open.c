/*
 * Opens the folder of the cache. What is in it is executed and removed without a question, so it
 * must be a folder that perflab made, and in which nobody else writes. A file marks it.
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

/* Programs that make backups know the name and the first line: https://bford.info/cachedir */
#define MARK_FILE "CACHEDIR.TAG"
static const char mark[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
			   "# This folder is a cache of perflab, which removes files in it.\n";

static const char *const own_names[] = {"compiled", "sources", "work"};

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
