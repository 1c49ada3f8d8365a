/*
 * opcodes_golden: runs every module of tests/emulator/opcodes.h on the GPU and writes one line of
 * results per module:
 *
 *   NAME <tab> DIGEST <tab> RESULTS        (opcode_digest, opcode_results)
 *   NAME <tab> DIGEST <tab> unsupported: REASON
 *
 * after lines that begin with '#' and say on what. It needs a driver and no
 * toolkit. The work is done in a child process, so that a module that breaks
 * the context, or hangs, costs one line: the next child goes on behind it.
 *
 * usage: opcodes_golden FILE [KNOWN]
 *   KNOWN  a file of earlier results: only modules that it lacks, or has with another digest, run
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/workers/cuda/device.h"
#include "tests/emulator/opcodes.h"

#define SECONDS_FOR_EACH 20 /* compiling and running; the driver's start, too */
#define REASON_BYTES 300
#define KNOWN_LIMIT (64 * 1024 * 1024)
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

	if (rc)
		return rc;
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

/* `cells` holds the inputs, then gets the results. */
static int module_run(struct gpu *device, CUmodule module, const struct opcode_case *opcode,
		      const uint64_t *inputs, uint64_t *results, struct error *err)
{
	struct cuda_driver *driver = &device->driver;
	size_t threads = opcode_thread_count(opcode);
	size_t in_bytes = threads * OPCODE_OPERANDS * sizeof(*inputs);
	size_t out_bytes = threads * OPCODE_RESULTS * sizeof(*results);
	CUdeviceptr in = 0, out = 0, memory = 0;
	void *arguments[] = {&out, &in, &memory};
	CUfunction function;
	int rc;

	rc = cuda_check(driver, driver->cuModuleGetFunction(&function, module, OPCODE_ENTRY), err,
			"cuModuleGetFunction");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemAlloc(&in, in_bytes), err, "cuMemAlloc");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemAlloc(&out, out_bytes), err, "cuMemAlloc");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemAlloc(&memory, threads * 16), err,
				"cuMemAlloc");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemcpyHtoD(in, inputs, in_bytes), err,
				"cuMemcpyHtoD");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemsetD8Async(out, 0, out_bytes, NULL), err,
				"cuMemsetD8Async");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemsetD8Async(memory, 0, threads * 16, NULL), err,
				"cuMemsetD8Async");
	if (!rc)
		rc = cuda_check(driver,
				driver->cuLaunchKernel(function, (unsigned)(threads / OPCODE_BLOCK),
						       1, 1, OPCODE_BLOCK, 1, 1, 0, NULL, arguments,
						       NULL),
				err, "cuLaunchKernel");
	if (!rc)
		rc = cuda_check(driver, driver->cuStreamSynchronize(NULL), err, "running");
	if (!rc)
		rc = cuda_check(driver, driver->cuMemcpyDtoH(results, out, out_bytes), err,
				"cuMemcpyDtoH");
	driver->cuMemFree(in);
	driver->cuMemFree(out);
	driver->cuMemFree(memory);
	return rc;
}

static void line_begin(struct text *line, const struct opcode_case *opcode)
{
	text_addf(line, "%s\t%016" PRIx64 "\t", opcode->name, opcode_digest(opcode));
}

/* A reason is one line of a golden file. */
static void reason_add(struct text *line, const char *reason, const char *more)
{
	size_t start;

	text_add(line, "unsupported: ");
	start = line->length;
	text_add(line, reason);
	if (*more) {
		text_add(line, ": ");
		text_add_bytes(line, more, strnlen(more, REASON_BYTES));
	}
	for (size_t i = start; i < line->length; i++)
		if (line->data[i] == '\n' || line->data[i] == '\t')
			line->data[i] = ' ';
}

static int case_run(struct gpu *device, const struct opcode_case *opcode, struct text *line,
		    struct error *err)
{
	size_t threads = opcode_thread_count(opcode);
	uint64_t *inputs = xcalloc(threads * OPCODE_OPERANDS, sizeof(*inputs));
	uint64_t *results = xcalloc(threads * OPCODE_RESULTS, sizeof(*results));
	struct text ptx = TEXT_INIT;
	CUmodule module = NULL;
	int rc;

	opcode_module(&ptx, opcode);
	opcode_inputs(inputs, opcode);
	line_begin(line, opcode);
	rc = module_load(device, &module, ptx.data, err);
	if (!rc)
		rc = module_run(device, module, opcode, inputs, results, err);
	if (!rc)
		opcode_results(line, opcode, results);
	else
		reason_add(line, err->text, device->said);
	if (module)
		device->driver.cuModuleUnload(module);
	text_release(&ptx);
	free(results);
	free(inputs);
	return rc;
}

/* The child: from case `from` on, a line each to `out`. Ends behind what broke the context. */
static int work(const struct opcode_list *list, size_t from, FILE *out)
{
	struct gpu device = {0};
	struct error err = {0};
	int rc;

	alarm(SECONDS_FOR_EACH * 3);
	rc = device_start(&device, &err);
	if (rc) {
		fprintf(stderr, "opcodes_golden: %s\n", err.text);
		return EXIT_NO_DEVICE;
	}
	if (from == 0) {
		char name[256] = "";
		int version = 0;

		device.driver.cuDeviceGetName(name, sizeof(name) - 1, 0);
		device.driver.cuDriverGetVersion(&version);
		fprintf(out, "# %s, driver of CUDA %d.%d, PTX compiled by it\n", name,
			version / 1000, version % 1000 / 10);
	}
	for (size_t i = from; i < list->count; i++) {
		struct text line = TEXT_INIT;

		err = (struct error){0};
		alarm(SECONDS_FOR_EACH);
		rc = case_run(&device, &list->items[i], &line, &err);
		if (rc)
			fprintf(stderr, "%s\n", line.data);
		fprintf(out, "%s\n", line.data);
		fflush(out);
		text_release(&line);
		if (rc == PL_EDEVICE)
			return 0;
	}
	return 0;
}

/* Lines that a file holds by now, without those that begin with '#'. */
static size_t lines_written(const char *path)
{
	FILE *file = fopen(path, "r");
	bool line_begins = true;
	size_t lines = 0;
	bool note = false;
	int c;

	if (!file)
		return 0;
	while ((c = getc(file)) != EOF) {
		if (line_begins)
			note = c == '#';
		line_begins = c == '\n';
		lines += line_begins && !note ? 1 : 0;
	}
	fclose(file);
	return lines;
}

static int child_run(const struct opcode_list *list, size_t from, const char *path)
{
	pid_t child;
	int status = 0;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return -1;
	if (child == 0) {
		FILE *out = fopen(path, "a");

		if (!out)
			_exit(EXIT_FAILURE);
		_exit(work(list, from, out));
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static bool is_known(const char *known, const struct opcode_case *opcode)
{
	struct text begin = TEXT_INIT;
	bool found;

	text_add_char(&begin, '\n');
	line_begin(&begin, opcode);
	found = strstr(known, begin.data) != NULL;
	text_release(&begin);
	return found;
}

/* Removes the cases that the file has lines of. */
static int drop_known(struct opcode_list *list, const char *path, struct error *err)
{
	size_t length, kept = 0;
	char *known;
	int rc = read_file(&known, &length, path, KNOWN_LIMIT, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < list->count; i++) {
		struct opcode_case *opcode = &list->items[i];

		if (is_known(known, opcode)) {
			free(opcode->name);
			free(opcode->body);
		} else {
			list->items[kept++] = *opcode;
		}
	}
	list->count = kept;
	free(known);
	return 0;
}

int main(int argc, char **argv)
{
	struct opcode_list list = opcode_list_create();
	size_t done = 0;
	int code = EXIT_SUCCESS;
	struct error err = {0};
	FILE *file;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: opcodes_golden FILE [KNOWN]\n");
		return 2;
	}
	if (argc == 3 && drop_known(&list, argv[2], &err)) {
		fprintf(stderr, "opcodes_golden: %s\n", err.text);
		return EXIT_FAILURE;
	}
	file = fopen(argv[1], "w");
	if (!file || fclose(file) != 0) {
		fprintf(stderr, "opcodes_golden: %s: %s\n", argv[1], strerror(errno));
		return EXIT_FAILURE;
	}
	while (done < list.count) {
		int status = child_run(&list, done, argv[1]);
		size_t now = lines_written(argv[1]);
		struct text line = TEXT_INIT;

		if (WIFEXITED(status) && WEXITSTATUS(status)) {
			code = WEXITSTATUS(status);
			break;
		}
		if (now == list.count || (WIFEXITED(status) && now > done)) {
			done = now;
			continue;
		}
		/* It died at the case behind the last line. */
		line_begin(&line, &list.items[now]);
		reason_add(&line, "the process ended or ran too long", "");
		file = fopen(argv[1], "a");
		if (!file || fprintf(file, "%s\n", line.data) < 0 || fclose(file) != 0) {
			code = EXIT_FAILURE;
			break;
		}
		fprintf(stderr, "%s\n", line.data);
		text_release(&line);
		done = now + 1;
	}
	fprintf(stderr, "opcodes_golden: %zu of %zu lines\n", lines_written(argv[1]), list.count);
	opcode_list_release(&list);
	return code;
}
