/* A library of a program that its other libraries do not see. It finds its own functions by their
 * names, which begin as those of the driver do. The driver may have a part of itself here. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "tests/record/fake_cuda.h"

fake_find_function far_find;
void far_init(fake_find_function *near);

int cunning_answer(void);
int local_launch(void) __asm__("cuLaunchKernel");
int local_launch_v9(void) __asm__("cuLaunchKernel_v9");
int local_finds_its_own(void);

int cunning_answer(void)
{
	return 42;
}

static fake_find_function *near_find;

void far_init(fake_find_function *near)
{
	near_find = near;
}

static __typeof__(cuLaunchKernel) far_launch, *near_launch;

static CUresult far_launch(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
			   unsigned block_x, unsigned block_y, unsigned block_z,
			   unsigned shared_bytes, CUstream stream, void **arguments, void **extra)
{
	return near_launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
			   shared_bytes, stream, arguments, extra);
}

CUresult far_find(const char *name, void **out, int version, cuuint64_t flags,
		  CUdriverProcAddressQueryResult *query)
{
	CUresult result = near_find(name, out, version, flags, query);
	__typeof__(cuLaunchKernel) *given = far_launch;

	if (result == CUDA_SUCCESS && !strcmp(name, "cuLaunchKernel")) {
		memcpy(&near_launch, out, sizeof(near_launch));
		memcpy(out, &given, sizeof(given));
	}
	return result;
}

/* No function of the driver. */
int local_launch(void)
{
	return 43;
}

/* Nor is this one, in a form that the recorder does not know. */
int local_launch_v9(void)
{
	return 44;
}

int local_finds_its_own(void)
{
	return dlsym(RTLD_DEFAULT, "cunning_answer") != NULL;
}
