/* A library of a program that its other libraries do not see. It finds its own functions by their
 * names, which begin as those of the driver do. */
#include <dlfcn.h>
#include <stddef.h>

int cunning_answer(void);
int cuLaunchKernel(void);
int local_finds_its_own(void);

int cunning_answer(void)
{
	return 42;
}

/* No function of the driver. */
int cuLaunchKernel(void)
{
	return 43;
}

int local_finds_its_own(void)
{
	return dlsym(RTLD_DEFAULT, "cunning_answer") != NULL;
}
