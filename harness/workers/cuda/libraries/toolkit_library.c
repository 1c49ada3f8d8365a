/* Searches for the shared libraries of the CUDA toolkit. */
#include "harness/workers/cuda/libraries/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "generated/toolkit_version.h"

static void *open_in_folder(const char *folder, const char *name, const char *dependency,
			    const char *suffix)
{
	char *path = xasprintf("%s%s%s", folder, dependency ? dependency : "", suffix);
	void *handle;

	/* Stays open, because the library needs it. */
	if (dependency)
		dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	path = xasprintf("%s%s%s", folder, name, suffix);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	return handle;
}

void *toolkit_library_open(const char *name, const char *dependency)
{
	static const char *const places[] = {"lib64/", "lib/", "targets/x86_64-linux/lib/",
					     "targets/sbsa-linux/lib/"};
	const char *const toolkits[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda",
					"/opt/cuda"};
	char suffix[16];
	void *handle;

	snprintf(suffix, sizeof(suffix), ".%d", atoi(PERFLAB_TOOLKIT_VERSION));
	handle = open_in_folder("", name, dependency, suffix);
	for (size_t t = 0; t < ARRAY_SIZE(toolkits) && !handle; t++)
		for (size_t p = 0; p < ARRAY_SIZE(places) && !handle; p++) {
			char *folder;

			if (!toolkits[t] || !*toolkits[t])
				continue;
			folder = xasprintf("%s/%s", toolkits[t], places[p]);
			handle = open_in_folder(folder, name, dependency, suffix);
			free(folder);
		}
	return handle ? handle : open_in_folder("", name, dependency, "");
}

void *toolkit_library_symbol(void *library, const char *name)
{
	return dlsym(library, name);
}
