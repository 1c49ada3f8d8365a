/*
 * Another tool that is preloaded into the program: it counts launches, and passes them to what
 * $TOOL_FINDS says: "next", the next library with such a function; "driver", libcuda itself; or
 * "first", the first library of the program with another function of this name.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/record/fake_cuda.h"

#define LAUNCHES_MOST 1000

typedef __typeof__(cuLaunchKernel) launch_function;

static atomic_int launches;
static launch_function *next;

static launch_function *find_launch(void)
{
	const char *where = getenv("TOOL_FINDS");
	launch_function *found = NULL;
	void *address = NULL;

	if (where && !strcmp(where, "next"))
		address = dlsym(RTLD_NEXT, "cuLaunchKernel");
	else if (where && !strcmp(where, "first"))
		address = dlsym(RTLD_DEFAULT, "cuLaunchKernel");
	memcpy(&found, &address, sizeof(found));
	if (!found || found == cuLaunchKernel) {
		address = dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "cuLaunchKernel");
		memcpy(&found, &address, sizeof(found));
	}
	return found;
}

CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
				unsigned grid_z, unsigned block_x, unsigned block_y,
				unsigned block_z, unsigned shared_bytes, CUstream stream,
				void **arguments, void **extra)
{
	if (++launches > LAUNCHES_MOST) {
		fprintf(stderr, "the tool is called in a circle\n");
		_Exit(95);
	}
	if (!next)
		next = find_launch();
	return next(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
		    stream, arguments, extra);
}

static void __attribute__((destructor)) report(void)
{
	printf("the tool saw %d\n", launches);
}
