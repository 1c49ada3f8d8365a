/* What tells two requests apart, and where the cache is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compile/compile_parts.h"

/* Each part is ended by NUL, so that no two requests give the same bytes. */
static void key_add(struct text *key, const char *part)
{
	text_add(key, part);
	text_add_char(key, '\0');
}

static void key_add_list(struct text *key, const struct string_list *list)
{
	text_addf(key, "%zu", list->count);
	text_add_char(key, '\0');
	for (size_t i = 0; i < list->count; i++)
		key_add(key, list->items[i]);
}

/* The text of the source is not part of it: the record of an image lists the source among the files
 * that were read. */
static void request_hash(char out[HASH_TEXT_BYTES], const struct compile_request *request,
			 const struct compile_tools *tools)
{
	struct text key = TEXT_INIT;

	key_add(&key, "perflab compile 4");
	key_add(&key, request->source);
	key_add(&key, request->arch);
	text_addf(&key, "%d %d", request->cubin, (int)request->tool);
	key_add(&key, "");
	key_add(&key, request->standard ? request->standard : "");
	key_add_list(&key, &request->defines);
	key_add_list(&key, &request->flags);
	key_add_list(&key, &request->entries);
	if (request->built_in)
		key_add(&key, "built in");
	if (request->tool != COMPILE_NVCC)
		key_add(&key, tools->nvrtc_identity.data);
	/* ptxas, which belongs to nvcc, says the registers of PTX that is not compiled further */
	if (request->tool != COMPILE_NVRTC || !request->cubin)
		key_add(&key, tools->nvcc_identity.data);
	hash_of(out, key.data, key.length);
	text_release(&key);
}

int cache_root(struct text *root, const char *asked, struct error *err)
{
	const char *named = asked ? asked : getenv("PERFLAB_CACHE");
	const char *shared = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	text_clear(root);
	if (named && *named)
		text_add(root, named);
	else if (shared && *shared == '/')
		text_addf(root, "%s/perflab", shared);
	else if (home && *home == '/')
		text_addf(root, "%s/.cache/perflab", home);
	if (*root->data == '/' && !strpbrk(root->data, COMPILE_SHELL_BYTES "\n\r"))
		return 0;
	if (*root->data == '/')
		return error_set(err, PL_EUSAGE,
				 "the path of the cache '%s' contains one of " COMPILE_SHELL_BYTES
				 ", which nvcc cannot read: name another folder in $PERFLAB_CACHE",
				 root->data);
	return error_set(err, PL_EUSAGE,
			 root->length ? "the cache '%s' is no absolute path: name one in "
					"$PERFLAB_CACHE"
				      : "there is no folder for the cache%s: name one in "
					"$PERFLAB_CACHE",
			 root->data);
}

int cache_folder(struct text *root, struct text *folder, const struct compile_request *request,
		 const struct compile_tools *tools, struct error *err)
{
	char hash[HASH_TEXT_BYTES];
	int rc = cache_root(root, request->cache, err);

	if (rc)
		return rc;
	request_hash(hash, request, tools);
	text_clear(folder);
	text_addf(folder, "%s/compiled/%.2s/%s", root->data, hash, hash + 2);
	return 0;
}

int cache_write_error(const char *path, struct error *err)
{
	return error_set(err, PL_EIO,
			 "cannot write to the cache: '%s': %s. Make room there, or name another "
			 "folder in $PERFLAB_CACHE",
			 path, strerror(errno));
}

int cache_folder_make(const char *path, struct error *err)
{
	char *part = xstrdup(path);
	int rc = 0;

	for (char *c = part + 1; !rc && *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		if (mkdir(part, 0777) && errno != EEXIST)
			rc = cache_write_error(part, err);
		*c = '/';
	}
	if (!rc && mkdir(part, 0700) && errno != EEXIST)
		rc = cache_write_error(part, err);
	free(part);
	return rc;
}

bool time_is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}
