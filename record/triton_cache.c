/*
 * Triton keeps each kernel in a folder of its own, named after a hash of the
 * source: KERNEL.cubin, KERNEL.ptx and others. The hash cannot be made from the
 * machine code, so all folders are looked at.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "record/triton_cache.h"

#define FOLDERS_LIMIT 65536
/* Triton cuts the names of files here. */
#define NAME_MOST_BYTES 150
#define PTX_LIMIT ((size_t)256 << 20)

bool triton_cache_folder(struct text *out)
{
	const char *cache = getenv("TRITON_CACHE_DIR");
	const char *home = getenv("TRITON_HOME");

	if (cache && *cache) {
		text_add(out, cache);
		return true;
	}
	if (!home || !*home)
		home = getenv("HOME");
	if (!home || !*home)
		return false;
	text_addf(out, "%s/.triton/cache", home);
	return true;
}

/* Whether the file has exactly these bytes. */
static bool file_equals(const char *path, const void *bytes, size_t size)
{
	struct stat status;
	char *data = NULL;
	size_t length;
	bool equal;

	/* Most files differ in size and need not be read. */
	if (stat(path, &status) || !S_ISREG(status.st_mode) || (size_t)status.st_size != size ||
	    read_file(&data, &length, path, size, NULL))
		return false;
	equal = length == size && !memcmp(data, bytes, size);
	free(data);
	return equal;
}

static int no_cubin(const char *folder, const char *kernel, struct error *err)
{
	return error_set(err, PL_ENOENT, "%s has no %s.cubin with the code that is running", folder,
			 kernel);
}

int triton_cache_find(char **ptx, size_t *ptx_bytes, const char *folder, const char *kernel,
		      const void *cubin, size_t cubin_bytes, struct error *err)
{
	struct text path = TEXT_INIT;
	bool found = false;
	DIR *entries;
	int rc;

	*ptx = NULL;
	/* A name with a slash would lead out of the cache. */
	entries = *kernel && !strchr(kernel, '/') ? opendir(folder) : NULL;
	if (!entries)
		return no_cubin(folder, kernel, err);
	for (size_t i = 0; i < FOLDERS_LIMIT && !found; i++) {
		const struct dirent *entry = readdir(entries);

		if (!entry)
			break;
		if (entry->d_name[0] == '.')
			continue;
		text_clear(&path);
		text_addf(&path, "%s/%s/%.*s.cubin", folder, entry->d_name, NAME_MOST_BYTES,
			  kernel);
		found = file_equals(path.data, cubin, cubin_bytes);
	}
	closedir(entries);
	if (found) {
		path.length -= strlen("cubin");
		text_add(&path, "ptx");
		rc = read_file(ptx, ptx_bytes, path.data, PTX_LIMIT, err);
	} else {
		rc = no_cubin(folder, kernel, err);
	}
	text_release(&path);
	return rc;
}
