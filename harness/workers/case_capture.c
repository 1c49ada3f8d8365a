/* The capture from which a case takes memory. See case_capture.h. */
#include "harness/workers/case_capture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/case_buffers.h"

struct case_capture {
	struct capture *capture;
	const struct capture_info *info;
	const struct launch_case *work;
	uint64_t *addresses; /* by memory; 0: not known, or no buffer is that memory */
};

static int check_memory_of(const struct case_capture *from, const struct case_buffer *buffer,
			   struct error *err)
{
	const uint64_t bytes = case_buffer_bytes(buffer);

	if (buffer->fill_index >= from->info->memory_count)
		return error_set(err, PL_EUSAGE,
				 "the buffer '%s' is memory %zu of '%s', which has only %zu",
				 buffer->name, buffer->fill_index, buffer->fill_file,
				 from->info->memory_count);
	if (from->info->memory[buffer->fill_index].bytes != bytes)
		return error_set(err, PL_EUSAGE,
				 "the buffer '%s' has %" PRIu64
				 " bytes, and memory %zu of '%s' has %" PRIu64,
				 buffer->name, bytes, buffer->fill_index, buffer->fill_file,
				 from->info->memory[buffer->fill_index].bytes);
	return 0;
}

/* The first buffer with memory of a capture; NULL: there is none. */
static const struct case_buffer *first_buffer(const struct launch_case *work)
{
	for (size_t b = 0; b < work->buffer_count; b++)
		if (work->buffers[b].fill == FILL_CAPTURE)
			return &work->buffers[b];
	return NULL;
}

static int check_buffers(const struct case_capture *from, const char *path, struct error *err)
{
	const struct launch_case *work = from->work;
	int rc = 0;

	for (size_t b = 0; b < work->buffer_count && rc == 0; b++) {
		const struct case_buffer *buffer = &work->buffers[b];

		if (buffer->fill != FILL_CAPTURE)
			continue;
		rc = strcmp(buffer->fill_file, path) == 0
			     ? check_memory_of(from, buffer, err)
			     : error_set(err, PL_EUSAGE,
					 "the buffer '%s' is filled from '%s', others from '%s'; a "
					 "case takes memory of one capture",
					 buffer->name, buffer->fill_file, path);
	}
	return rc;
}

int case_capture_open(struct case_capture **out, const struct launch_case *work, struct error *err)
{
	const struct case_buffer *first = first_buffer(work);
	struct case_capture *from;
	int rc;

	*out = NULL;
	if (!first)
		return 0;
	from = xcalloc(1, sizeof(*from));
	from->work = work;
	rc = capture_open(&from->capture, first->fill_file, err);
	if (rc == 0) {
		from->info = capture_info(from->capture);
		from->addresses = xcalloc(from->info->memory_count + 1, sizeof(uint64_t));
		rc = check_buffers(from, first->fill_file, err);
	}
	if (rc)
		case_capture_close(from);
	else
		*out = from;
	return rc;
}

void case_capture_close(struct case_capture *from)
{
	if (!from)
		return;
	capture_close(from->capture);
	free(from->addresses);
	free(from);
}

const struct capture_info *case_capture_info(const struct case_capture *from)
{
	return from->info;
}

const struct capture_memory *case_capture_memory(const struct case_capture *from, size_t buffer)
{
	if (!from || from->work->buffers[buffer].fill != FILL_CAPTURE)
		return NULL;
	return &from->info->memory[from->work->buffers[buffer].fill_index];
}

void case_capture_place(struct case_capture *from, size_t buffer, uint64_t address)
{
	from->addresses[from->work->buffers[buffer].fill_index] = address;
}

int case_capture_read(const struct case_capture *from, size_t buffer, enum capture_state state,
		      void *data, struct error *err)
{
	const size_t index = from->work->buffers[buffer].fill_index;
	int rc = capture_read_memory(from->capture, index, state, data, err);

	if (rc == 0)
		capture_relocate(from->capture, index, state, data, from->addresses);
	return error_context(err, rc, "buffer %s", from->work->buffers[buffer].name);
}

static void mark_targets(bool *targets, const struct capture_pointers *pointers)
{
	for (size_t i = 0; i < pointers->count; i++)
		targets[pointers->items[i].memory] = true;
}

void case_capture_add_key(struct text *key, const struct case_capture *from, size_t buffer)
{
	const struct capture_memory *memory = case_capture_memory(from, buffer);
	bool *targets;

	if (!memory || !(memory->before.count + memory->after.count))
		return;
	targets = xcalloc(from->info->memory_count, sizeof(*targets));
	mark_targets(targets, &memory->before);
	mark_targets(targets, &memory->after);
	for (size_t i = 0; i < from->info->memory_count; i++)
		if (targets[i])
			text_addf(key, " %zu@%" PRIx64, i, from->addresses[i]);
	free(targets);
}

int case_fill(void *data, const struct launch_case *work, size_t buffer,
	      const struct case_capture *from, uint64_t seed, bool mixed, struct error *err)
{
	if (case_capture_memory(from, buffer))
		return case_capture_read(from, buffer, CAPTURE_BEFORE, data, err);
	return mixed ? case_fill_mixed(data, &work->buffers[buffer], seed, err)
		     : kernel_fill(data, &work->buffers[buffer], seed, err);
}
