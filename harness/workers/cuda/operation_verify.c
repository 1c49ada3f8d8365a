/* Verifies an operation: executes it once, compares its results with the oracle's, and finds what
 * the check cannot find. */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/blind_check.h"
#include "harness/workers/cuda/operation.h"

/* Has the layout of struct element_check in support.cu. */
struct element_check {
	uint64_t mismatches;
	uint64_t first;
	double largest_error, largest_expected;
};

int operation_read(const struct device *device, void *out, CUdeviceptr data, size_t bytes,
		   struct error *err)
{
	const CUdeviceptr to = (CUdeviceptr)(uintptr_t)out;
	int rc = cuda_check(&device->driver,
			    device->driver.cuMemcpyAsync(to, data, bytes, device->stream), err,
			    "reading a result");

	return rc ? rc : device_synchronise(device, err, "reading a result");
}

/* Two arrays on the device, and how far they may differ. */
struct comparison_task {
	enum element_type type;
	int64_t length;
	CUdeviceptr result, expected;
	double tolerance_abs, tolerance_rel;
	bool recorded; /* equal bits are right */
};

/* Queues a comparison that adds to the struct element_check at `out`. */
static int enqueue_comparison(const struct cuda_resources *resources,
			      const struct comparison_task *task, CUdeviceptr out,
			      struct error *err)
{
	const struct device *device = resources->device;
	CUdeviceptr result = task->result, expected = task->expected;
	unsigned long long count = (unsigned long long)task->length;
	double tolerance_abs = task->tolerance_abs, tolerance_rel = task->tolerance_rel;
	int recorded = task->recorded;
	void *arguments[] = {&result,        &expected, &count, &tolerance_abs,
			     &tolerance_rel, &recorded, &out};

	return cuda_check(&device->driver,
			  device->driver.cuLaunchKernel(resources->compare[task->type],
							(unsigned)device->info.sm_count * 8, 1, 1,
							256, 1, 1, 0, device->stream, arguments,
							NULL),
			  err, "comparing with the expected result");
}

static int compare_on_device(const struct cuda_resources *resources,
			     const struct comparison_task *task, struct element_check *found,
			     struct error *err)
{
	const struct device *device = resources->device;
	CUdeviceptr out = resources->comparison->data;
	int rc;

	*found = (struct element_check){.mismatches = 0, .first = UINT64_MAX};
	rc = cuda_check(&device->driver, device->driver.cuMemcpyHtoD(out, found, sizeof(*found)),
			err, "preparing the comparison");
	if (rc == 0)
		rc = enqueue_comparison(resources, task, out, err);
	if (rc == 0)
		rc = device_synchronise(device, err, "comparing with the expected result");
	if (rc == 0)
		rc = cuda_check(&device->driver,
				device->driver.cuMemcpyDtoH(found, out, sizeof(*found)), err,
				"reading the comparison");
	return rc;
}

static struct comparison_task task_of_result(const struct operation *operation, size_t b)
{
	const struct case_buffer *buffer = &operation->work->buffers[b];

	return (struct comparison_task){
		.type = case_buffer_compared(buffer),
		.length = case_compared_length(buffer),
		.result = operation->buffers[b].data,
		.expected = operation->buffers[b].expected->data,
		.tolerance_abs = case_tolerance_abs(operation->work, b),
		/* a relative tolerance would hide a wrong index */
		.tolerance_rel = element_is_integer(case_buffer_compared(buffer))
					 ? 0
					 : operation->work->tolerance_rel,
		.recorded = case_result_is_recorded(operation->work, b),
	};
}

int operation_compare_bytes(const struct cuda_resources *resources, CUdeviceptr data,
			    const struct memory_block *with, uint64_t *differing, uint64_t *first,
			    struct error *err)
{
	const struct comparison_task task = {
		.type = ELEMENT_U8,
		.length = (int64_t)with->bytes,
		.result = data,
		.expected = with->data,
	};
	struct element_check comparison = {0};
	int rc = compare_on_device(resources, &task, &comparison, err);

	*differing = comparison.mismatches;
	*first = comparison.first;
	return rc;
}

static int compare_result(const struct operation *operation, size_t b, struct text *mismatch,
			  struct case_accuracy *accuracy, struct error *err)
{
	const struct device *device = operation->resources->device;
	const struct operation_buffer *buffer = &operation->buffers[b];
	const struct comparison_task task = task_of_result(operation, b);
	const size_t size = element_size_bytes(task.type);
	struct case_difference difference;
	struct element_check found;
	int rc = compare_on_device(operation->resources, &task, &found, err);

	if (rc)
		return rc;
	case_accuracy_note(accuracy, &operation->work->buffers[b], found.largest_error,
			   found.largest_expected);
	if (!found.mismatches)
		return 0;
	difference = (struct case_difference){.mismatches = found.mismatches,
					      .first = found.first,
					      .largest_error = found.largest_error,
					      .largest_expected = found.largest_expected};
	rc = operation_read(device, &difference.got, buffer->data + found.first * size, size, err);
	if (rc == 0)
		rc = operation_read(device, &difference.expected,
				    buffer->expected->data + found.first * size, size, err);
	if (rc == 0)
		case_describe_difference(mismatch, operation->work, b, &difference);
	return rc;
}

int operation_check_writes(const struct operation *operation, const char *who, struct text *found,
			   struct error *err)
{
	const struct launch_case *work = operation->work;
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		const struct operation_buffer *buffer = &operation->buffers[b];
		uint64_t differing = 0, first;

		if (work->buffers[b].role == BUFFER_IN && buffer->pristine)
			rc = operation_compare_bytes(operation->resources, buffer->block->data,
						     buffer->pristine, &differing, &first, err);
		if (rc == 0 && differing)
			text_addf(found, "%s%s wrote into '%s', which is an input",
				  found->length ? "; " : "", who, work->buffers[b].name);
	}
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		bool intact = true;

		if (operation->buffers[b].block)
			rc = memory_check_guards(&operation->resources->memory,
						 operation->buffers[b].block, &intact, err);
		if (!intact)
			text_addf(found, "%s%s wrote outside of '%s'", found->length ? "; " : "",
				  who, work->buffers[b].name);
	}
	return rc;
}

int operation_compare(struct operation *operation, struct text *mismatch,
		      struct case_accuracy *accuracy, struct error *err)
{
	int rc = 0;

	*accuracy = (struct case_accuracy)CASE_ACCURACY_INIT;
	for (size_t b = 0; b < operation->work->buffer_count && rc == 0; b++) {
		if (operation->buffers[b].expected)
			rc = compare_result(operation, b, mismatch, accuracy, err);
	}
	if (rc == 0)
		rc = operation_check_writes(operation, "the kernel", mismatch, err);
	/* A wrong kernel may have written anywhere: the next case gets new inputs. */
	if (rc == 0 && mismatch->length)
		memory_forget_all(&operation->resources->memory);
	return rc;
}

int operation_verify(struct operation *operation, struct text *mismatch,
		     struct case_accuracy *accuracy, struct error *err)
{
	/* operation_restore() poisons only for kernels of users */
	int rc = operation_is_distrusted(operation->work) ? 0 : operation_poison(operation, err);

	if (rc == 0)
		rc = operation_restore(operation, err);
	if (rc == 0)
		rc = operation_enqueue(operation, err);
	if (rc == 0)
		rc = device_synchronise(operation->resources->device, err, "executing the kernel");
	return rc ? rc : operation_compare(operation, mismatch, accuracy, err);
}

/* ---- every sample ---- */

/* What the device adds up for the operation: a comparison for each buffer. */
static CUdeviceptr watch_data(const struct operation *operation)
{
	return operation->resources->sample_comparisons->data +
	       (size_t)operation->watch_place * KERNEL_MAX_BUFFERS * sizeof(struct element_check);
}

int operation_watch_samples(struct operation *operation, int place, struct error *err)
{
	const struct cuda_resources *resources = operation->resources;
	struct element_check none[KERNEL_MAX_BUFFERS];
	int rc;

	for (size_t b = 0; b < KERNEL_MAX_BUFFERS; b++)
		none[b] = (struct element_check){.mismatches = 0, .first = UINT64_MAX};
	operation->watch_place = place;
	rc = cuda_check(
		&resources->device->driver,
		resources->device->driver.cuMemcpyHtoD(watch_data(operation), none, sizeof(none)),
		err, "preparing the comparison of samples");
	operation->watched = rc == 0;
	return rc;
}

int operation_compare_sample(const struct operation *operation, struct error *err)
{
	int rc = 0;

	for (size_t b = 0; operation->watched && b < operation->work->buffer_count && rc == 0;
	     b++) {
		struct comparison_task task;

		if (!operation->buffers[b].expected)
			continue;
		task = task_of_result(operation, b);
		rc = enqueue_comparison(operation->resources, &task,
					watch_data(operation) + b * sizeof(struct element_check),
					err);
	}
	return rc;
}

int operation_watched_samples(const struct operation *operation, struct text *mismatch,
			      struct error *err)
{
	const struct cuda_resources *resources = operation->resources;
	const struct launch_case *work = operation->work;
	struct element_check found[KERNEL_MAX_BUFFERS];
	int rc;

	if (!operation->watched)
		return 0;
	rc = device_synchronise(resources->device, err, "comparing the samples");
	if (rc == 0)
		rc = cuda_check(&resources->device->driver,
				resources->device->driver.cuMemcpyDtoH(found, watch_data(operation),
								       sizeof(found)),
				err, "reading the comparison of samples");
	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		if (!operation->buffers[b].expected || !found[b].mismatches)
			continue;
		text_addf(mismatch,
			  "%s%" PRIu64 " elements of '%s' in all samples together differ from ",
			  mismatch->length ? "; " : "", found[b].mismatches, work->buffers[b].name);
		case_describe_expected(mismatch, work, b);
		text_addf(mismatch, "; the lowest index is %" PRIu64, found[b].first);
		memory_forget_all(&operation->resources->memory);
	}
	return rc;
}

/* ---- what the check accepts: blind_check.h ---- */

/* The first part of a result is nearly always enough. */
#define PART_BYTES ((size_t)256 << 10)

/* Copies bytes of all that is compared to the host. */
static int blind_part_read(const struct operation *operation, const struct blind_result *blind,
			   size_t first, size_t bytes, void *expected, struct host_buffers *inputs,
			   struct error *err)
{
	const struct device *device = operation->resources->device;
	int rc = operation_read(device, expected,
				operation->buffers[blind->result].expected->data + first, bytes,
				err);

	for (size_t b = 0; b < operation->work->buffer_count && rc == 0; b++) {
		const struct operation_buffer *buffer = &operation->buffers[b];
		/* the content before each execution */
		const struct memory_block *before =
			buffer->pristine ? buffer->pristine : buffer->block;

		if (!blind->comparable[b] || blind->rejected[b])
			continue;
		if (!inputs->data[b])
			inputs->data[b] = xmalloc(PART_BYTES);
		rc = operation_read(device, inputs->data[b], before->data + first, bytes, err);
	}
	return rc;
}

static int look_at_result(const struct operation *operation, struct blind_result *blind,
			  struct error *err)
{
	const struct case_buffer *buffer = &operation->work->buffers[blind->result];
	const size_t size = element_size_bytes(case_buffer_compared(buffer));
	const size_t total = (size_t)case_compared_length(buffer) * size;
	struct host_buffers inputs = {0};
	void *expected = xmalloc(PART_BYTES);
	bool more = true;
	int rc = 0;

	for (size_t first = 0; first < total && more && rc == 0; first += PART_BYTES) {
		const size_t bytes = total - first < PART_BYTES ? total - first : PART_BYTES;

		rc = blind_part_read(operation, blind, first, bytes, expected, &inputs, err);
		if (rc == 0)
			more = blind_result_look(blind, (int64_t)(bytes / size), expected, &inputs);
	}
	for (size_t b = 0; b < operation->work->buffer_count; b++)
		free(inputs.data[b]);
	free(expected);
	return rc;
}

int operation_find_blind(const struct operation *operation, struct text *reason, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct blind_case blind = {.accepted = TEXT_INIT};
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		struct blind_result result;

		if (!operation->buffers[b].expected)
			continue;
		blind_result_begin(&result, work, b);
		rc = look_at_result(operation, &result, err);
		if (rc == 0)
			blind_case_add(&blind, &result);
	}
	blind_case_finish(&blind, work, reason);
	return rc;
}

/* Looks at one result of both. */
static int look_at_earlier(const struct operation *operation, const struct operation *other,
			   size_t result, struct blind_earlier *blind, struct error *err)
{
	const struct device *device = operation->resources->device;
	const struct case_buffer *buffer = &operation->work->buffers[result];
	const size_t size = element_size_bytes(case_buffer_compared(buffer));
	const size_t total = (size_t)case_compared_length(buffer) * size;
	void *expected = xmalloc(PART_BYTES), *earlier = xmalloc(PART_BYTES);
	bool more = true;
	int rc = 0;

	for (size_t first = 0; first < total && more && rc == 0; first += PART_BYTES) {
		const size_t bytes = total - first < PART_BYTES ? total - first : PART_BYTES;

		rc = operation_read(device, expected,
				    operation->buffers[result].expected->data + first, bytes, err);
		if (rc == 0)
			rc = operation_read(device, earlier,
					    other->buffers[result].expected->data + first, bytes,
					    err);
		if (rc == 0)
			more = blind_earlier_look(blind, operation->work, result,
						  (int64_t)(bytes / size), expected, earlier);
	}
	free(expected);
	free(earlier);
	return rc;
}

int operation_find_blind_to(const struct operation *operation, const struct operation *other,
			    struct text *reason, struct error *err)
{
	struct blind_earlier blind = {0};
	int rc = 0;

	for (size_t b = 0; b < operation->work->buffer_count && rc == 0 && !blind.rejected; b++)
		if (operation->buffers[b].expected && other->buffers[b].expected)
			rc = look_at_earlier(operation, other, b, &blind, err);
	if (rc == 0)
		blind_earlier_finish(&blind, operation->work, reason);
	return rc;
}
