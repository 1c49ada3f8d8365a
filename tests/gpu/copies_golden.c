/*
 * copies_golden: runs every module of a list of tests/emulator/copies.h on the GPU and writes one
 * line per module:
 *
 *   NAME <tab> DIGEST <tab> WORDS        (copy_line)
 *   NAME <tab> DIGEST <tab> error: REASON
 *
 * after a line that begins with '#' and says on what. It needs a driver and no toolkit.
 *
 * A fault ends the context, so the cases run in a child process, which ends after a fault; the next
 * child goes on with the next case. A child that takes longer than LIMIT_S for a case is killed.
 * The program itself never opens the driver. With SECONDS, it begins no case after that time.
 * With `modules`, it only writes the modules as FOLDER/NUMBER.ptx, to be compiled somewhere.
 * With --more, it takes the second list; with --edges, the third one; with --interleave,
 * the fourth one; with --layouts, the fifth one.
 *
 * usage: copies_golden [--more|--edges|--interleave|--layouts] FILE [SECONDS]
 *        copies_golden [--more|--edges|--interleave|--layouts] modules FOLDER
 */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/workers/cuda/device.h"
#include "tests/emulator/copies.h"

#define REASON_BYTES 300
#define EXIT_NO_DEVICE 77
#define LIMIT_S 3        /* for a case */
#define START_LIMIT_S 30 /* for the start of the driver */

typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
				 const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
				 const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
				 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
typedef CUresult (*encode_im2col)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
				  const cuuint64_t *, const cuuint64_t *, const int *, const int *,
				  cuuint32_t, cuuint32_t, const cuuint32_t *, CUtensorMapInterleave,
				  CUtensorMapSwizzle, CUtensorMapL2promotion,
				  CUtensorMapFloatOOBfill);

struct gpu {
	struct cuda_driver driver;
	CUcontext context;
	/* NULL: the driver is too old */
	encode_tiled encode;
	encode_im2col encode_im2col;
	char said[4096]; /* by the compiler */
};

static int device_start(struct gpu *device, struct error *err)
{
	struct cuda_driver *driver = &device->driver;
	CUdevice handle;
	void *encode;
	int rc = cuda_driver_open(driver, err);

	if (!rc)
		rc = cuda_check(driver, driver->cuDeviceGet(&handle, 0), err, "cuDeviceGet");
	if (!rc)
		rc = cuda_check(driver, driver->cuDevicePrimaryCtxRetain(&device->context, handle),
				err, "cuDevicePrimaryCtxRetain");
	if (!rc)
		rc = cuda_check(driver, driver->cuCtxSetCurrent(device->context), err,
				"cuCtxSetCurrent");
	if (rc)
		return rc;
	encode = dlsym(driver->library, "cuTensorMapEncodeTiled");
	memcpy(&device->encode, &encode, sizeof(encode));
	encode = dlsym(driver->library, "cuTensorMapEncodeIm2col");
	memcpy(&device->encode_im2col, &encode, sizeof(encode));
	return 0;
}

/* ---- a case ---- */

static int load_module(struct gpu *device, CUmodule *module, const struct copy_case *copy,
		       struct error *err)
{
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {device->said, (void *)(uintptr_t)sizeof(device->said)};
	struct text ptx = TEXT_INIT;
	CUresult result;

	copy_module(&ptx, copy);
	device->said[0] = '\0';
	result = device->driver.cuModuleLoadDataEx(module, ptx.data, 2, options, values);
	device->said[sizeof(device->said) - 1] = '\0';
	text_release(&ptx);
	return cuda_check(&device->driver, result, err, "compiling");
}

static CUtensorMapDataType type_of(enum tensor_type type)
{
	static const CUtensorMapDataType types[TENSOR_TYPE_COUNT] = {
		[TENSOR_U8] = CU_TENSOR_MAP_DATA_TYPE_UINT8,
		[TENSOR_U16] = CU_TENSOR_MAP_DATA_TYPE_UINT16,
		[TENSOR_U32] = CU_TENSOR_MAP_DATA_TYPE_UINT32,
		[TENSOR_I32] = CU_TENSOR_MAP_DATA_TYPE_INT32,
		[TENSOR_U64] = CU_TENSOR_MAP_DATA_TYPE_UINT64,
		[TENSOR_I64] = CU_TENSOR_MAP_DATA_TYPE_INT64,
		[TENSOR_F16] = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
		[TENSOR_F32] = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
		[TENSOR_F64] = CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
		[TENSOR_BF16] = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
		[TENSOR_F32_FTZ] = CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,
		[TENSOR_TF32] = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
		[TENSOR_TF32_FTZ] = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,
	};

	return types[type];
}

static CUtensorMapInterleave interleave_of(unsigned bytes)
{
	return bytes == 16   ? CU_TENSOR_MAP_INTERLEAVE_16B
	       : bytes == 32 ? CU_TENSOR_MAP_INTERLEAVE_32B
			     : CU_TENSOR_MAP_INTERLEAVE_NONE;
}

static int encode_map(struct gpu *device, CUtensorMap *out, const struct copy_case *copy,
		      CUdeviceptr base, struct error *err)
{
	const struct tensor_map *map = &copy->map;
	const CUtensorMapFloatOOBfill fill =
		map->fills_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
			       : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
	void *const address = (void *)(uintptr_t)(base + map->address);
	static const CUtensorMapSwizzle swizzles[SWIZZLE_COUNT] = {
		[SWIZZLE_NONE] = CU_TENSOR_MAP_SWIZZLE_NONE,
		[SWIZZLE_32B] = CU_TENSOR_MAP_SWIZZLE_32B,
		[SWIZZLE_64B] = CU_TENSOR_MAP_SWIZZLE_64B,
		[SWIZZLE_128B] = CU_TENSOR_MAP_SWIZZLE_128B,
	};
	cuuint64_t sizes[TENSOR_MOST_RANK], strides[TENSOR_MOST_RANK];

	if (!device->encode || !device->encode_im2col)
		return error_set(err, PL_EUNSUPPORTED, "no cuTensorMapEncodeTiled");
	for (unsigned i = 0; i < TENSOR_MOST_RANK; i++) {
		sizes[i] = map->sizes[i];
		strides[i] = map->strides[i];
	}
	if (map->im2col)
		return cuda_check(&device->driver,
				  device->encode_im2col(out, type_of(map->type), map->rank, address,
							sizes, strides + 1, map->lower, map->upper,
							map->channels, map->pixels, map->steps,
							interleave_of(map->interleave),
							swizzles[map->swizzle],
							CU_TENSOR_MAP_L2_PROMOTION_NONE, fill),
				  err, "encode im2col");
	return cuda_check(&device->driver,
			  device->encode(out, type_of(map->type), map->rank, address, sizes,
					 strides + 1, map->box, map->steps,
					 interleave_of(map->interleave), swizzles[map->swizzle],
					 CU_TENSOR_MAP_L2_PROMOTION_NONE, fill),
			  err, "encode");
}

static int launch(struct gpu *device, CUmodule module, const struct copy_case *copy,
		  void **arguments, struct error *err)
{
	struct cuda_driver *driver = &device->driver;
	const int64_t *cluster = copy->cluster;
	CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
	CUlaunchConfig config = {
		.gridDimX = (unsigned)copy->grid[0],
		.gridDimY = (unsigned)copy->grid[1],
		.gridDimZ = (unsigned)copy->grid[2],
		.blockDimX = copy->threads,
		.blockDimY = 1,
		.blockDimZ = 1,
		.attrs = &attribute,
		.numAttrs = cluster[0] * cluster[1] * cluster[2] > 1,
	};
	CUfunction function;
	int rc;

	attribute.value.clusterDim.x = (unsigned)cluster[0];
	attribute.value.clusterDim.y = (unsigned)cluster[1];
	attribute.value.clusterDim.z = (unsigned)cluster[2];
	rc = cuda_check(driver, driver->cuModuleGetFunction(&function, module, COPY_ENTRY), err,
			"cuModuleGetFunction");
	if (rc)
		return rc;
	/* Refused for functions that fix the size of their clusters. */
	driver->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
				   1);
	rc = cuda_check(driver, driver->cuLaunchKernelEx(&config, function, arguments, NULL), err,
			"launch");
	return rc ? rc : cuda_check(driver, driver->cuStreamSynchronize(NULL), err, "running");
}

/* Runs a case; `words` is the output. */
static int run_module(struct gpu *device, CUmodule module, const struct copy_case *copy,
		      uint32_t *words, struct error *err)
{
	struct cuda_driver *driver = &device->driver;
	const size_t bytes = copy->out_words * sizeof(*words), in_bytes = COPY_IN_WORDS * 4;
	uint32_t *inputs = xcalloc(COPY_IN_WORDS, sizeof(*inputs));
	CUdeviceptr in = 0, out = 0;
	CUtensorMap map = {0};
	void *arguments[] = {&out, &in, &map};
	int rc;

	copy_fill_in(inputs, copy);
	copy_fill_out(words, copy);
	rc = cuda_check(driver, driver->cuMemAlloc(&in, in_bytes), err, "cuMemAlloc");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemAlloc(&out, bytes), err, "cuMemAlloc");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemcpyHtoD(in, inputs, in_bytes), err,
				"cuMemcpyHtoD");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemcpyHtoD(out, words, bytes), err,
				"cuMemcpyHtoD");
	if (!rc && copy->has_map)
		rc = encode_map(device, &map, copy, copy->map_of_out ? out : in, err);
	if (!rc)
		rc = launch(device, module, copy, arguments, err);
	if (!rc)
		rc = cuda_check(driver, driver->cuMemcpyDtoH(words, out, bytes), err,
				"cuMemcpyDtoH");
	driver->cuMemFree(in);
	driver->cuMemFree(out);
	free(inputs);
	return rc;
}

/* ---- lines ---- */

/* A reason is one line of a golden file. */
static void error_add(struct text *line, const struct copy_case *copy, const char *reason,
		      const char *more)
{
	size_t start;

	text_addf(line, "%016" PRIx64 "\t", copy_digest(copy));
	start = line->length;
	text_addf(line, "error: %.*s %.*s", REASON_BYTES, reason, REASON_BYTES, more);
	for (size_t i = start; i < line->length; i++)
		if (line->data[i] == '\n' || line->data[i] == '\t')
			line->data[i] = ' ';
}

static bool line_write(int file, const struct copy_case *copy, const char *rest)
{
	char *line = xasprintf("%s\t%s\n", copy->name, rest);
	const size_t length = strlen(line);
	bool written = true;

	for (size_t at = 0; written && at < length;) {
		ssize_t count = write(file, line + at, length - at);

		written = count > 0;
		at += written ? (size_t)count : 0;
	}
	free(line);
	return written;
}

/* Returns false if the context is not usable any more. */
static bool case_record(struct gpu *device, const struct copy_case *copy, int file)
{
	uint32_t *words = xcalloc(copy->out_words, sizeof(*words));
	struct text line = TEXT_INIT;
	struct error err = {0};
	CUmodule module = NULL;
	CUdeviceptr probe = 0;
	bool usable;
	int rc = load_module(device, &module, copy, &err);

	if (!rc)
		rc = run_module(device, module, copy, words, &err);
	if (rc)
		error_add(&line, copy, err.text, device->said);
	else
		copy_line(&line, copy, words);
	usable = line_write(file, copy, line.data) &&
		 (!rc || (device->driver.cuMemAlloc(&probe, 4) == CUDA_SUCCESS &&
			  device->driver.cuStreamSynchronize(NULL) == CUDA_SUCCESS));
	if (usable) {
		device->driver.cuMemFree(probe);
		if (module)
			device->driver.cuModuleUnload(module);
	}
	text_release(&line);
	free(words);
	return usable;
}

/* ---- processes ---- */

/* Runs the cases from `first` on. Writes their lines to `file`, and to `done` a byte when the
 * driver has started and one for each case. */
static int child(const struct copy_list *list, size_t first, int file, int done)
{
	static struct gpu device;
	struct error err = {0};
	char name[256] = "";
	int version = 0;

	if (device_start(&device, &err)) {
		fprintf(stderr, "copies_golden: %s\n", err.text);
		return EXIT_NO_DEVICE;
	}
	if (first == 0) {
		device.driver.cuDeviceGetName(name, sizeof(name) - 1, 0);
		device.driver.cuDriverGetVersion(&version);
		dprintf(file, "# %s, driver of CUDA %d.%d, PTX compiled by it\n", name,
			version / 1000, version % 1000 / 10);
	}
	if (write(done, "", 1) != 1)
		return EXIT_FAILURE;
	for (size_t i = first; i < list->count; i++) {
		bool usable = case_record(&device, &list->items[i], file);

		if (write(done, "", 1) != 1 || !usable)
			break;
	}
	return EXIT_SUCCESS;
}

/* Waits for the next byte of the child. 1: it is here; 0: the child has ended; -1: too long. */
static int next_done(int from, double limit_s)
{
	struct pollfd poll_for = {.fd = from, .events = POLLIN};
	char byte;

	if (poll(&poll_for, 1, (int)(limit_s * 1000)) <= 0)
		return -1;
	return read(from, &byte, 1) == 1;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Counts the cases that the child completes. Returns as next_done(). */
static int follow_child(const struct copy_list *list, size_t *at, int from, double end)
{
	int next = next_done(from, START_LIMIT_S);

	while (next == 1 && *at < list->count && seconds() < end) {
		next = next_done(from, LIMIT_S);
		*at += next == 1;
	}
	return next;
}

/* Runs cases from *at on in a child until it ends or is killed. Returns its exit status. */
static int run_child(const struct copy_list *list, size_t *at, int file, double end)
{
	int pipes[2], status = 0, next;
	pid_t process;

	if (pipe(pipes) || (process = fork()) < 0) {
		fprintf(stderr, "copies_golden: %s\n", strerror(errno));
		exit(EXIT_FAILURE);
	}
	if (process == 0) {
		close(pipes[0]);
		_exit(child(list, *at, file, pipes[1]));
	}
	close(pipes[1]);
	next = follow_child(list, at, pipes[0], end);
	if (next != 0 && *at < list->count)
		kill(process, SIGKILL);
	close(pipes[0]);
	waitpid(process, &status, 0);
	if (next == 0 && WIFEXITED(status))
		return WEXITSTATUS(status);
	/* The case hung or crashed; its line says so. */
	if (next != 1 && *at < list->count) {
		struct text line = TEXT_INIT;

		error_add(&line, &list->items[*at], next ? "too long" : "the process crashed", "");
		line_write(file, &list->items[(*at)++], line.data);
		text_release(&line);
	}
	return EXIT_SUCCESS;
}

static int record(const struct copy_list *list, const char *path, double limit_s)
{
	const double end = seconds() + limit_s;
	FILE *out = fopen(path, "w");
	int code = EXIT_SUCCESS;
	size_t at = 0, children = 0, before = 0;
	int retries = 3; /* the driver may not start just after a fault */

	if (!out) {
		fprintf(stderr, "copies_golden: %s: %s\n", path, strerror(errno));
		return EXIT_FAILURE;
	}
	while (code == EXIT_SUCCESS && at < list->count && seconds() < end) {
		code = run_child(list, &at, fileno(out), end);
		if (code == EXIT_NO_DEVICE && at > 0 && retries-- > 0) {
			code = EXIT_SUCCESS;
		} else if (code == EXIT_SUCCESS && at == before && seconds() < end) {
			fprintf(stderr, "copies_golden: no result for '%s'\n",
				list->items[at].name);
			code = EXIT_FAILURE;
		}
		before = at;
		children++;
	}
	printf("%zu of %zu cases in %.1f s, in %zu processes\n", at, list->count,
	       seconds() - end + limit_s, children);
	if (fclose(out) != 0) {
		fprintf(stderr, "copies_golden: %s: %s\n", path, strerror(errno));
		code = EXIT_FAILURE;
	}
	return code;
}

static int write_modules(const struct copy_list *list, const char *folder)
{
	int code = EXIT_SUCCESS;

	for (size_t i = 0; i < list->count && code == EXIT_SUCCESS; i++) {
		char *path = xasprintf("%s/%zu.ptx", folder, i);
		struct text ptx = TEXT_INIT;
		FILE *out = fopen(path, "w");

		copy_module(&ptx, &list->items[i]);
		if (!out || fputs(ptx.data, out) < 0 || fclose(out) != 0) {
			fprintf(stderr, "copies_golden: %s: %s\n", path, strerror(errno));
			code = EXIT_FAILURE;
		}
		printf("%zu %s\n", i, list->items[i].name);
		text_release(&ptx);
		free(path);
	}
	return code;
}

static const struct {
	const char *option;
	struct copy_list (*create)(void);
} lists[] = {
	{"--more", copy_more_list_create},
	{"--edges", copy_edges_list_create},
	{"--interleave", copy_interleave_list_create},
	{"--layouts", copy_layouts_list_create},
};

int main(int argc, char **argv)
{
	struct copy_list (*create)(void) = copy_list_create;
	struct copy_list list;
	int code;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (argc > 1 && strcmp(argv[1], lists[i].option) == 0)
			create = lists[i].create;
	list = create();
	argc -= create != copy_list_create;
	argv += create != copy_list_create;
	if (argc == 3 && strcmp(argv[1], "modules") == 0) {
		code = write_modules(&list, argv[2]);
	} else if (argc == 2 || (argc == 3 && atof(argv[2]) > 0)) {
		code = record(&list, argv[1], argc == 3 ? atof(argv[2]) : 1e6);
	} else {
		fprintf(stderr, "usage: copies_golden [--more|--edges|--interleave|--layouts] FILE "
				"[SECONDS]\n"
				"       copies_golden [--more|--edges|--interleave|--layouts] "
				"modules FOLDER\n");
		code = 2;
	}
	copy_list_release(&list);
	return code;
}
