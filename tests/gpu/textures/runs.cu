/* Runs an instruction on rows of operands, and prints what it returns or stores. */
#include <dlfcn.h>
#include <map>
#include <stdio.h>
#include <stdlib.h>

#include "tests/gpu/textures/textures.cuh"

static CUresult (*load_module)(CUmodule *, const void *, unsigned, CUjit_option *, void **);
static CUresult (*get_function)(CUfunction *, CUmodule, const char *);
CUresult (*launch_kernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
			  unsigned, CUstream, void **, void **);

CUfunction function_of(const char *name)
{
	static std::map<std::string, CUfunction> all;
	static char said[4096];
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {said, (void *)sizeof(said)};
	CUmodule module = 0;
	CUfunction function = 0;

	if (all.count(name))
		return all[name];
	if (!load_module) {
		void *driver = dlopen("libcuda.so.1", RTLD_NOW);
		if (!driver) {
			printf("# no libcuda.so.1\n");
			exit(1);
		}
		load_module = (decltype(load_module))dlsym(driver, "cuModuleLoadDataEx");
		get_function = (decltype(get_function))dlsym(driver, "cuModuleGetFunction");
		launch_kernel = (decltype(launch_kernel))dlsym(driver, "cuLaunchKernel");
	}
	said[0] = 0;
	CUresult code = load_module(&module, module_of(name).c_str(), 2, options, values);
	if (code == CUDA_SUCCESS)
		code = get_function(&function, module, "k");
	if (code != CUDA_SUCCESS) {
		for (char *c = said; *c; c++)
			if (*c == '\n')
				*c = ' ';
		printf("# %s is not compiled: %d %.300s\n", name, (int)code, said);
		function = 0;
	}
	return all[name] = function;
}

void row_add(rows &list, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f)
{
	unsigned all[IN] = {a, b, c, d, e, f, 0, 0};
	list.insert(list.end(), all, all + IN);
}

void row_f(rows &list, float a, float b, float c, float d, float e, float f)
{
	row_add(list, bits_of(a), bits_of(b), bits_of(c), bits_of(d), bits_of(e), bits_of(f));
}

static bool execute(const char *name, object handle, const rows &in, std::vector<unsigned> &out)
{
	unsigned n = (unsigned)(in.size() / IN);
	unsigned *a, *b;
	CUfunction function = function_of(name);

	if (!function)
		return false;
	out.assign((size_t)n * OUT, 0xdeadbeef);
	if (!good(cudaMalloc(&a, in.size() * 4)) || !good(cudaMalloc(&b, out.size() * 4)))
		return false;
	cudaMemcpy(a, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
	cudaMemset(b, 0xee, out.size() * 4);
	void *arguments[] = {&handle, &a, &b, &n};
	CUresult launched =
		launch_kernel(function, (n + 127) / 128, 1, 1, 128, 1, 1, 0, 0, arguments, 0);
	cudaError_t code = cudaDeviceSynchronize();
	if (code == cudaSuccess)
		code = cudaMemcpy(out.data(), b, out.size() * 4, cudaMemcpyDeviceToHost);
	cudaFree(a), cudaFree(b);
	if (launched != CUDA_SUCCESS || code != cudaSuccess) {
		printf("# error %s: %d %s\n", name, (int)launched, cudaGetErrorName(code));
		exit(1); /* the context may be lost */
	}
	return true;
}

void run(const made &m, const char *name, int in_words, int out_words, const rows &in)
{
	std::vector<unsigned> out;

	if (!m.handle || !execute(name, m.handle, in, out))
		return;
	printf("run %s in=%d out=%d\n", name, in_words, out_words);
	for (size_t i = 0; i < in.size() / IN; i++) {
		for (int j = 0; j < in_words; j++)
			printf("%08x ", in[i * IN + j]);
		printf("=");
		for (int j = 0; j < out_words; j++)
			printf(" %08x", out[i * OUT + j]);
		printf("\n");
	}
}

void store(const spec &s, const made &m, const char *name, int in_words, const rows &in)
{
	std::vector<unsigned char> before = contents(s, 0, spec_texels(s)), after = before;

	if (!m.handle || !function_of(name))
		return;
	printf("store %s in=%d\n", name, in_words);
	for (size_t i = 0; i < in.size() / IN; i++) {
		rows one(in.begin() + i * IN, in.begin() + (i + 1) * IN);
		std::vector<unsigned> out;
		if (!upload(m.array, s.w, s.h, s.d, before) || !execute(name, m.handle, one, out) ||
		    !upload(m.array, s.w, s.h, s.d, before, true, &after))
			return;
		for (int j = 0; j < in_words; j++)
			printf("%08x ", one[j]);
		printf("=");
		for (size_t j = 0; j < before.size(); j++)
			if (before[j] != after[j])
				printf(" %zx:%02x", j, after[j]);
		printf("\n");
	}
}
