/* Replays a capture a second time. See operation.h. */
#include "harness/workers/cuda/operation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/case_capture.h"

/* As much of a buffer is read to the host, from the first difference on, to find its type. */
#define MOST_READ_BYTES ((size_t)16 << 20)

/* Copies what the first replay left in the results to blocks[], by buffer. */
static int keep_results(struct operation *operation, struct memory_block **blocks,
			struct error *err)
{
	const struct device *device = operation->resources->device;
	const struct launch_case *work = operation->work;
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		if (!operation->buffers[b].expected)
			continue;
		rc = memory_acquire(&operation->resources->memory, NULL,
				    case_buffer_bytes(&work->buffers[b]), &blocks[b], NULL, err);
		if (rc == 0)
			rc = cuda_check(&device->driver,
					device->driver.cuMemcpyAsync(
						blocks[b]->data, operation->buffers[b].data,
						blocks[b]->bytes, device->stream),
					err, "keeping the result of a replay");
	}
	return rc ? rc : device_synchronise(device, err, "keeping the result of a replay");
}

/* The distance of the contents of both replays from each other, and from the expected one. */
static struct content_distance distance_of_three(void *const contents[3], size_t bytes)
{
	struct content_distance distance = content_distance_find(contents[0], contents[1], bytes);

	for (size_t i = 0; i < 2 && distance.known; i++) {
		const struct content_distance other =
			content_distance_as(distance.type, contents[i], contents[2], bytes);

		distance.known = other.known;
		distance.relative = fmax(distance.relative, other.relative);
		distance.absolute = fmax(distance.absolute, other.absolute);
	}
	return distance;
}

/* Finds how results that differ by chance can be compared. Reads the buffer from the element of 8
 * bytes with the first difference on. */
static int find_remedy(const struct operation *operation, size_t b, CUdeviceptr first,
		       uint64_t difference, struct replay_remedy *remedy, struct error *err)
{
	const size_t begin = (size_t)difference / 8 * 8;
	const size_t left = case_buffer_bytes(&operation->work->buffers[b]) - begin;
	const size_t bytes = left < MOST_READ_BYTES ? left : MOST_READ_BYTES;
	const struct device *device = operation->resources->device;
	const CUdeviceptr sources[] = {first, operation->buffers[b].data,
				       operation->buffers[b].expected->data};
	void *contents[ARRAY_SIZE(sources)] = {0};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sources) && rc == 0; i++) {
		contents[i] = malloc(bytes);
		rc = contents[i]
			     ? operation_read(device, contents[i], sources[i] + begin, bytes, err)
			     : error_set(err, PL_ENOMEM, "no memory to compare two replays");
	}
	if (rc == 0) {
		const struct content_distance distance = distance_of_three(contents, bytes);

		replay_remedy_add(remedy, &operation->work->buffers[b], &distance);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		free(contents[i]);
	return rc;
}

/* Compares both replays, buffer by buffer. */
static int compare_replays(const struct operation *operation, struct memory_block *const *blocks,
			   struct text *mismatch, struct error *err)
{
	const struct launch_case *work = operation->work;
	struct replay_remedy remedy = {.relative = 0};
	bool differ = false;
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		uint64_t bytes = 0, first = 0;

		if (blocks[b])
			rc = operation_compare_bytes(operation->resources,
						     operation->buffers[b].data, blocks[b], &bytes,
						     &first, err);
		if (rc || !bytes)
			continue;
		text_addf(mismatch, "%s %" PRIu64 " bytes of '%s'",
			  differ ? "," : "; two replays differ from each other, too, in", bytes,
			  work->buffers[b].name);
		differ = true;
		rc = find_remedy(operation, b, blocks[b]->data, first, &remedy, err);
	}
	text_add(mismatch, differ ? ": the kernel is not deterministic"
				  : "; two replays agree with each other");
	replay_remedy_finish(&remedy, mismatch);
	if (!differ)
		case_replay_add_lost(mismatch, operation->capture);
	return rc;
}

int replay_again(struct operation *operation, struct text *mismatch, struct error *err)
{
	struct memory_block *kept[KERNEL_MAX_BUFFERS] = {NULL};
	struct error cause = {0};
	int rc;

	if (!case_is_replay(operation->work))
		return 0;
	case_replay_introduce(mismatch, operation->work, operation->capture);
	rc = keep_results(operation, kept, &cause);
	if (rc == 0)
		rc = operation_restore(operation, &cause);
	if (rc == 0)
		rc = operation_enqueue(operation, &cause);
	if (rc == 0)
		rc = device_synchronise(operation->resources->device, &cause,
					"replaying once more");
	if (rc == 0)
		rc = compare_replays(operation, kept, mismatch, &cause);
	/* Without a second replay, the mismatch is found all the same. */
	return rc && rc != PL_ENOMEM ? error_set(err, rc, "%s", cause.text) : 0;
}
