/*
 * matrices_golden: runs every module of tests/emulator/matrices.h on the GPU and writes one line
 * per module:
 *
 *   NAME <tab> DIGEST <tab> HASHES <tab> RESULTS        (matrix_line)
 *   NAME <tab> unsupported: REASON
 *
 * after a line that begins with '#' and says on what. It needs a driver and no toolkit. With RAW,
 * it also writes the results of all blocks to that file, case by case, to look for the rule by
 * which the hardware rounds. With `waves`, it only launches one kernel for each pattern of
 * addresses of ldmatrix, stmatrix and wmma, to be counted by a profiler.
 *
 * usage: matrices_golden FILE [RAW]
 *        matrices_golden waves
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/cuda/device.h"
#include "tests/emulator/matrices.h"

#define REASON_BYTES 300
#define EXIT_NO_DEVICE 77

struct gpu {
	struct cuda_driver driver;
	CUcontext context;
	char said[4096]; /* by the compiler */
};

static int device_start(struct gpu *device, struct error *err)
{
	CUdevice handle;
	int rc = cuda_driver_open(&device->driver, err);

	if (!rc)
		rc = cuda_check(&device->driver, device->driver.cuDeviceGet(&handle, 0), err,
				"cuDeviceGet");
	if (!rc)
		rc = cuda_check(&device->driver,
				device->driver.cuDevicePrimaryCtxRetain(&device->context, handle),
				err, "cuDevicePrimaryCtxRetain");
	if (!rc)
		rc = cuda_check(&device->driver, device->driver.cuCtxSetCurrent(device->context),
				err, "cuCtxSetCurrent");
	return rc;
}

static int module_load(struct gpu *device, CUmodule *module, const char *ptx, struct error *err)
{
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {device->said, (void *)(uintptr_t)sizeof(device->said)};
	CUresult result;

	device->said[0] = '\0';
	result = device->driver.cuModuleLoadDataEx(module, ptx, 2, options, values);
	device->said[sizeof(device->said) - 1] = '\0';
	return cuda_check(&device->driver, result, err, "compiling");
}

static int module_run(struct gpu *device, CUmodule module, const struct matrix_case *matrix,
		      const void *inputs, void *results, struct error *err)
{
	struct cuda_driver *driver = &device->driver;
	size_t in_bytes = matrix_in_bytes(matrix), out_bytes = matrix_out_bytes(matrix);
	CUdeviceptr in = 0, out = 0;
	void *arguments[] = {&out, &in};
	CUfunction function;
	int rc;

	rc = cuda_check(driver, driver->cuModuleGetFunction(&function, module, MATRIX_ENTRY), err,
			"cuModuleGetFunction");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemAlloc(&in, in_bytes), err, "cuMemAlloc");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemAlloc(&out, out_bytes), err, "cuMemAlloc");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemcpyHtoD(in, inputs, in_bytes), err,
				"cuMemcpyHtoD");
	if (!rc)
		rc = cuda_check(driver,
				driver->cuLaunchKernel(function, (unsigned)matrix_blocks(matrix), 1,
						       1, matrix_threads(matrix), 1, 1, 0, NULL,
						       arguments, NULL),
				err, "cuLaunchKernel");
	if (!rc)
		rc = cuda_check(driver, driver->cuStreamSynchronize(NULL), err, "running");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemcpyDtoH(results, out, out_bytes), err,
				"cuMemcpyDtoH");
	driver->cuMemFree(in);
	driver->cuMemFree(out);
	return rc;
}

/* A reason is one line of a golden file. */
static void reason_add(struct text *line, const char *reason, const char *more)
{
	size_t start = line->length;

	text_addf(line, "unsupported: %s %.*s", reason, REASON_BYTES, more);
	for (size_t i = start; i < line->length; i++)
		if (line->data[i] == '\n' || line->data[i] == '\t')
			line->data[i] = ' ';
}

/* The first blocks of each profile. */
static void raw_write(FILE *raw, const struct matrix_case *matrix, const unsigned char *results)
{
	bool is_interesting =
		matrix->profiles == PROFILE_COUNT && strncmp(matrix->name, "mma.", 4) == 0;
	size_t of_profile = matrix_out_bytes(matrix) / matrix->profiles;
	size_t bytes = of_profile / MATRIX_SETS * (is_interesting ? 32 : 4);

	for (unsigned i = 0; i < matrix->profiles; i++)
		if (fwrite(results + i * of_profile, bytes, 1, raw) != 1)
			fprintf(stderr, "matrices_golden: %s\n", strerror(errno));
}

static int case_run(struct gpu *device, const struct matrix_case *matrix, FILE *out, FILE *raw)
{
	void *inputs = xcalloc(matrix_in_bytes(matrix), 1);
	void *results = xcalloc(matrix_out_bytes(matrix), 1);
	struct text ptx = TEXT_INIT, line = TEXT_INIT;
	struct error err = {0};
	CUmodule module = NULL;
	int rc;

	matrix_module(&ptx, matrix);
	matrix_inputs(inputs, matrix);
	text_addf(&line, "%s\t", matrix->name);
	rc = module_load(device, &module, ptx.data, &err);
	if (!rc)
		rc = module_run(device, module, matrix, inputs, results, &err);
	if (!rc)
		matrix_line(&line, matrix, results);
	else
		reason_add(&line, err.text, device->said);
	if (raw)
		raw_write(raw, matrix, results);
	if (rc)
		fprintf(stderr, "%s\n", line.data);
	fprintf(out, "%s\n", line.data);
	fflush(out);
	if (module)
		device->driver.cuModuleUnload(module);
	text_release(&ptx);
	text_release(&line);
	free(results);
	free(inputs);
	return rc;
}

/* ---- waves ---- */

/* One warp loads or stores with rows this far apart. */
static void wave_module(struct text *out, const char *name, const char *instruction)
{
	text_addf(out,
		  ".version 8.7\n.target sm_90\n.address_size 64\n"
		  ".visible .entry %s(.param .u64 p_out, .param .u32 p_stride)\n{\n"
		  "\t.reg .b64 %%out, %%offset;\n\t.reg .b32 %%lane, %%at, %%stride, %%d<9>;\n"
		  "\t.shared .align 128 .b8 memory[16384];\n\tld.param.u64 %%out, [p_out];\n"
		  "\tld.param.u32 %%stride, [p_stride];\n\tmov.u32 %%lane, %%tid.x;\n"
		  "\tmul.wide.u32 %%offset, %%lane, 4;\n\tadd.u64 %%out, %%out, %%offset;\n",
		  name);
	for (int i = 0; i < 8; i++)
		text_addf(out, "\tld.global.b32 %%d%d, [%%out+%d];\n", i, i * 128);
	text_addf(out,
		  "\tmov.u32 %%at, memory;\n\tmad.lo.u32 %%at, %%lane, %%stride, %%at;\n"
		  "\t%s\n\tbar.warp.sync 0xffffffff;\n",
		  instruction);
	for (int i = 0; i < 8; i++)
		text_addf(out, "\tst.global.b32 [%%out+%d], %%d%d;\n", i * 128, i);
	text_add(out, "\tret;\n}\n");
}

static int waves(struct gpu *device, struct error *err)
{
	static const struct {
		const char *name, *instruction;
	} kinds[] = {
		{"wave_ld_x1", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%at];"},
		{"wave_ld_x2", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%d0, %d1}, [%at];"},
		{"wave_ld_x4",
		 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%d0, %d1, %d2, %d3}, [%at];"},
		{"wave_ld_x4_trans",
		 "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%d0, %d1, %d2, %d3}, [%at];"},
		{"wave_st_x1", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%at], {%d0};"},
		{"wave_st_x2", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%at], {%d0, %d1};"},
		{"wave_st_x4",
		 "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%at], {%d0, %d1, %d2, %d3};"},
	};
	static const unsigned strides[] = {0, 16, 32, 48, 64, 80, 128, 144, 256, 272};
	struct cuda_driver *driver = &device->driver;
	CUdeviceptr out = 0;
	int rc = cuda_check(driver, driver->cuMemAlloc(&out, 4096), err, "cuMemAlloc");

	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !rc; i++) {
		struct text ptx = TEXT_INIT;
		CUmodule module = NULL;
		CUfunction function;

		wave_module(&ptx, kinds[i].name, kinds[i].instruction);
		rc = module_load(device, &module, ptx.data, err);
		if (rc)
			fprintf(stderr, "%s\n%s\n", device->said, ptx.data);
		if (!rc)
			rc = cuda_check(
				driver,
				driver->cuModuleGetFunction(&function, module, kinds[i].name), err,
				"cuModuleGetFunction");
		for (size_t s = 0; s < ARRAY_SIZE(strides) && !rc; s++) {
			unsigned stride = strides[s];
			void *arguments[] = {&out, &stride};

			/* The height of the grid tells the stride to who reads the profile. */
			rc = cuda_check(driver,
					driver->cuLaunchKernel(function, 1, stride + 1, 1,
							       MATRIX_LANES, 1, 1, 0, NULL,
							       arguments, NULL),
					err, kinds[i].name);
			if (!rc)
				rc = cuda_check(driver, driver->cuStreamSynchronize(NULL), err,
						"running");
		}
		text_release(&ptx);
	}
	return rc;
}

static int record(struct gpu *device, const char *path, const char *raw_path)
{
	struct matrix_list list = matrix_list_create();
	char name[256] = "";
	int version = 0, code = EXIT_SUCCESS;
	FILE *out = fopen(path, "w"), *raw = raw_path ? fopen(raw_path, "wb") : NULL;

	if (!out || (raw_path && !raw)) {
		fprintf(stderr, "matrices_golden: %s: %s\n", out ? raw_path : path,
			strerror(errno));
		return EXIT_FAILURE;
	}
	device->driver.cuDeviceGetName(name, sizeof(name) - 1, 0);
	device->driver.cuDriverGetVersion(&version);
	fprintf(out, "# %s, driver of CUDA %d.%d, PTX compiled by it\n", name, version / 1000,
		version % 1000 / 10);
	for (size_t i = 0; i < list.count; i++) {
		if (case_run(device, &list.items[i], out, raw) == PL_EDEVICE) {
			code = EXIT_FAILURE;
			break;
		}
	}
	if (fclose(out) != 0 || (raw && fclose(raw) != 0)) {
		fprintf(stderr, "matrices_golden: %s: %s\n", path, strerror(errno));
		code = EXIT_FAILURE;
	}
	matrix_list_release(&list);
	return code;
}

int main(int argc, char **argv)
{
	struct gpu device = {0};
	struct error err = {0};

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: matrices_golden FILE [RAW] | waves\n");
		return 2;
	}
	if (device_start(&device, &err)) {
		fprintf(stderr, "matrices_golden: %s\n", err.text);
		return EXIT_NO_DEVICE;
	}
	if (strcmp(argv[1], "waves") == 0) {
		if (!waves(&device, &err))
			return EXIT_SUCCESS;
		fprintf(stderr, "matrices_golden: %s\n", err.text);
		return EXIT_FAILURE;
	}
	return record(&device, argv[1], argc == 3 ? argv[2] : NULL);
}
