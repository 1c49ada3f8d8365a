/* Finds the blocks that an operation touches, and replaces their pages. */
#include "harness/workers/cuda/operation.h"

#include <stdlib.h>

/* Adds the large blocks whose pages can be replaced, each once: both operations may use the same.
 */
static size_t collect_blocks(struct memory_block **blocks, size_t count,
			     const struct operation *operation)
{
	const struct memory *memory = &operation->resources->memory;
	const struct launch_case *work = operation->work;
	size_t end = count;

	for (size_t b = 0; b < work->buffer_count; b++)
		blocks[end++] = operation->buffers[b].block;
	for (size_t i = 0; i < work->launch_count; i++) {
		const struct library_scratch *scratch = &operation->launches[i].call.scratch;

		blocks[end++] = scratch->bytes ? memory_block_at(memory, scratch->data) : NULL;
	}
	for (size_t i = count; i < end; i++) {
		bool skip = !blocks[i] || !blocks[i]->pages.bytes ||
			    blocks[i]->bytes < MEMORY_MOVED_BYTES;

		for (size_t k = 0; k < count && !skip; k++)
			skip = blocks[k] == blocks[i];
		if (!skip)
			blocks[count++] = blocks[i];
	}
	return count;
}

static size_t most_blocks(const struct operation *operation)
{
	return operation->work->buffer_count + operation->work->launch_count;
}

int placement_change(const struct operation *operation, const struct operation *base,
		     enum placement_result *result, struct error *err)
{
	struct memory_block **blocks =
		xcalloc(most_blocks(operation) + (base ? most_blocks(base) : 0) + 1,
			sizeof(struct memory_block *));
	size_t count = collect_blocks(blocks, 0, operation), replaced = 0;
	int rc = 0;

	if (base)
		count = collect_blocks(blocks, count, base);
	if (count)
		rc = memory_replace_pages(&operation->resources->memory, blocks, count, &replaced,
					  err);
	free(blocks);
	*result = !count              ? PLACEMENT_FIXED
		  : replaced == count ? PLACEMENT_CHANGED
				      : PLACEMENT_SCARCE;
	return rc;
}
