/* Finds the library that is loaded into recorded programs, and CUPTI. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/record/record.h"

/* A variable that names a library. */
static int check_library(const char *variable, const char *path, struct error *err)
{
	struct stat status;

	if (stat(path, &status))
		return error_set(err, PL_EUNSUPPORTED, "$%s names '%s', which does not exist",
				 variable, path);
	if (!S_ISREG(status.st_mode))
		return error_set(err, PL_EUNSUPPORTED, "$%s names '%s', which is no file", variable,
				 path);
	if (access(path, R_OK))
		return error_set(err, PL_EUNSUPPORTED, "$%s names '%s', which cannot be read: %s",
				 variable, path, strerror(errno));
	return 0;
}

int recorder_find(struct text *path, struct error *err)
{
	static const char *const places[] = {"lib/" RECORDER_NAME, "lib/perflab/" RECORDER_NAME,
					     "lib64/" RECORDER_NAME};
	const char *forced = getenv("PERFLAB_RECORDER");
	char absolute[PATH_MAX];

	if (forced && *forced) {
		int rc = check_library("PERFLAB_RECORDER", forced, err);

		if (rc)
			return rc;
		if (!realpath(forced, absolute))
			return error_set(err, PL_EIO, "$PERFLAB_RECORDER: %s: %s", forced,
					 strerror(errno));
		text_clear(path);
		text_add(path, absolute);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (!install_path(path, places[i], NULL) && access(path->data, R_OK) == 0)
			return 0;
	text_clear(path);
	return error_set(err, PL_EUNSUPPORTED,
			 "there is no " RECORDER_NAME " in the installation of perflab: build "
			 "perflab where the CUDA toolkit is, or name the library in "
			 "$PERFLAB_RECORDER");
}

bool cupti_find(struct text *path)
{
	static const char *const places[] = {"extras/CUPTI/lib64", "lib64", "lib",
					     "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
	static const char *const names[] = {"libcupti.so.13", "libcupti.so.12"};
	const char *const toolkits[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda",
					"/opt/cuda"};
	const char *forced = getenv("PERFLAB_CUPTI");

	if (forced && *forced) {
		text_clear(path);
		text_add(path, forced);
		return true;
	}
	for (size_t n = 0; n < ARRAY_SIZE(names); n++)
		for (size_t t = 0; t < ARRAY_SIZE(toolkits); t++)
			for (size_t p = 0; p < ARRAY_SIZE(places); p++) {
				if (!toolkits[t] || *toolkits[t] != '/')
					continue;
				text_clear(path);
				text_addf(path, "%s/%s/%s", toolkits[t], places[p], names[n]);
				if (access(path->data, R_OK) == 0)
					return true;
			}
	text_clear(path);
	return false;
}

int cupti_check(struct error *err)
{
	const char *forced = getenv("PERFLAB_CUPTI");

	return forced && *forced ? check_library("PERFLAB_CUPTI", forced, err) : 0;
}
