/* The table of libraries and their operations, and the smallest: the copy of the CUDA driver, the
 * baseline of the copy kernels. */
#include "harness/workers/cuda/libraries/library.h"

#include <stdio.h>
#include <string.h>

static int open_cuda(void **out, char version[LIBRARY_VERSION], const struct device *device,
		     struct memory *memory, struct error *err)
{
	(void)memory;
	(void)err;
	snprintf(version, LIBRARY_VERSION, "driver %.8s", device->info.driver);
	*out = (void *)(uintptr_t)device;
	return 0;
}

static void close_cuda(void *library)
{
	(void)library;
}

/* values: from, to, bytes. */
static int enqueue_copy(void *library, const union argument_value *values,
			const struct library_scratch *scratch, struct error *err)
{
	const struct device *device = library;

	(void)scratch;
	return cuda_check(&device->driver,
			  device->driver.cuMemcpyDtoDAsync(values[1].buffer, values[0].buffer,
							   (size_t)values[2].i64, device->stream),
			  err, "copying on the device");
}

static const struct library_operation operations[] = {
	{.name = "copy", .arguments = "bbn", .enqueue = enqueue_copy},
};

const struct library library_cuda = {
	.name = "cuda",
	.open = open_cuda,
	.close = close_cuda,
	.operations = operations,
	.operation_count = ARRAY_SIZE(operations),
};

static const struct library *const known[LIBRARY_COUNT] = {&library_cublas, &library_cub,
							   &library_cuda};

const struct library_operation *library_find_operation(const char *library, const char *operation)
{
	for (size_t i = 0; i < LIBRARY_COUNT; i++)
		for (size_t k = 0; k < known[i]->operation_count; k++)
			if (!strcmp(known[i]->name, library) &&
			    !strcmp(known[i]->operations[k].name, operation))
				return &known[i]->operations[k];
	return NULL;
}

/* Opens the library once. If that fails, every case is skipped with the same reason. */
static int open_once(struct library_set *set, size_t index, const struct device *device,
		     struct memory *memory, struct text *skip, struct error *err)
{
	int rc = 0;

	if (!set->libraries[index].tried)
		rc = known[index]->open(&set->libraries[index].opened,
					set->libraries[index].version, device, memory,
					&set->libraries[index].why_not);
	set->libraries[index].tried = true;
	if (rc && rc != PL_EUNSUPPORTED)
		return error_set(err, rc, "%s", set->libraries[index].why_not.text);
	if (!set->libraries[index].opened)
		text_add(skip, set->libraries[index].why_not.text);
	return 0;
}

int library_prepare(struct library_call *out, struct library_set *set, const struct device *device,
		    struct memory *memory, const struct case_launch *launch,
		    const union argument_value *values, struct text *skip, struct error *err)
{
	struct library_call call = {.operation =
					    library_find_operation(launch->library, launch->entry)};
	struct memory_block *block = NULL;
	size_t index = 0;
	bool match;
	int rc;

	if (!call.operation)
		return error_set(err, PL_EPROTOCOL,
				 "this worker has no operation '%s' of library '%s': use perflab "
				 "and the worker of one installation",
				 launch->entry, launch->library);
	match = strlen(call.operation->arguments) == launch->arg_count;
	for (size_t i = 0; i < launch->arg_count && match; i++)
		match = launch->args[i].kind ==
			(call.operation->arguments[i] == 'b' ? ARG_BUFFER : ARG_I64);
	if (!match)
		return error_set(err, PL_EPROTOCOL,
				 "the arguments of operation '%s' of library '%s' do not match: "
				 "use perflab and the worker of one installation",
				 launch->entry, launch->library);
	while (strcmp(known[index]->name, launch->library) != 0)
		index++;
	rc = open_once(set, index, device, memory, skip, err);
	if (rc || skip->length)
		return rc;
	call.library = set->libraries[index].opened;
	call.version = set->libraries[index].version;
	if (call.operation->scratch_bytes)
		rc = call.operation->scratch_bytes(call.library, values, &call.scratch.bytes, err);
	if (rc == 0 && call.scratch.bytes)
		rc = memory_acquire(memory, NULL, call.scratch.bytes, &block, NULL, err);
	if (rc)
		return rc;
	call.scratch.data = block ? block->data : 0;
	*out = call;
	return 0;
}

int library_enqueue(const struct library_call *call, const union argument_value *values,
		    struct error *err)
{
	return call->operation->enqueue(call->library, values, &call->scratch, err);
}

void library_set_close(struct library_set *set)
{
	for (size_t i = 0; i < LIBRARY_COUNT; i++)
		if (set->libraries[i].opened)
			known[i]->close(set->libraries[i].opened);
	*set = (struct library_set){0};
}
