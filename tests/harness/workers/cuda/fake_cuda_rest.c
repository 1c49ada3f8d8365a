/* The functions of the driver that fake_cuda.c does not have. They are there, because the worker
 * looks all of them up, and fail. */
#include "harness/workers/cuda/device.h"

#define NAME_EXPANDED(text) #text
#define NAME(macro) NAME_EXPANDED(macro)
/* Weak, so that those of fake_cuda.c come first; in assembly, because each has other arguments. */
#define X(function) __asm__(".weak " NAME(function) "\n.set " NAME(function) ", fake_cuda_fails");
CUDA_DRIVER_LIST(X)
#undef X

CUresult fake_cuda_fails(void);

CUresult fake_cuda_fails(void)
{
	return CUDA_ERROR_NOT_SUPPORTED;
}
