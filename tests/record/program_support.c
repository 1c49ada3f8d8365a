/* What the scenes share. See program.h. */
#include "tests/record/program.h"

#include <stdio.h>
#include <stdlib.h>

CUmodule program_module;

void must(CUresult result)
{
	if (result != CUDA_SUCCESS) {
		fprintf(stderr, "CUDA error %d\n", (int)result);
		exit(99);
	}
}

void *read_whole(const char *path, size_t *bytes)
{
	const size_t most = (size_t)1 << 20;
	FILE *file = path ? fopen(path, "rb") : NULL;
	char *data = calloc(most, 1);

	if (!file || !data)
		exit(98);
	*bytes = fread(data, 1, most - 1, file);
	fclose(file);
	return data;
}

void program_begin(void)
{
	CUcontext context;

	must(cuInit(0));
	must(cuDevicePrimaryCtxRetain(&context, 0));
	must(cuCtxSetCurrent(context));
}

void program_load_image(void)
{
	size_t bytes;
	void *image = read_whole(getenv("FAKE_CUDA_IMAGE"), &bytes);

	must(cuModuleLoadData(&program_module, image));
	free(image);
}

CUfunction function_named(const char *name)
{
	CUfunction function;

	must(cuModuleGetFunction(&function, program_module, name));
	return function;
}

void array_fill(CUdeviceptr array, size_t count, float value)
{
	float *data = malloc(count * sizeof(*data));

	if (!data)
		exit(98);
	for (size_t i = 0; i < count; i++)
		data[i] = value + (float)i;
	must(cuMemcpyHtoD(array, data, count * sizeof(*data)));
	free(data);
}

CUdeviceptr array_new(size_t count, float value)
{
	CUdeviceptr array;

	must(cuMemAlloc(&array, count * sizeof(float)));
	array_fill(array, count, value);
	return array;
}

void array_print(CUdeviceptr array, size_t count)
{
	float first, last;

	must(cuMemcpyDtoH(&first, array, sizeof(first)));
	must(cuMemcpyDtoH(&last, array + (count - 1) * sizeof(last), sizeof(last)));
	printf("%g %g\n", (double)first, (double)last);
}

CUresult try_axpy(CUfunction function, float a, CUdeviceptr x, CUdeviceptr y, CUstream stream)
{
	int count = COUNT;
	void *arguments[] = {&a, &x, &y, &count};

	return cuLaunchKernel(function, GRID, 1, 1, BLOCK, 1, 1, 64, stream, arguments, NULL);
}

void launch_axpy(CUfunction function, float a, CUdeviceptr x, CUdeviceptr y)
{
	must(try_axpy(function, a, x, y, NULL));
}
