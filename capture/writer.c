/* Writing a capture. */
#include <stdlib.h>
#include <string.h>

#include "capture/index.h"
#include "capture/part_stream.h"

/* What the part that is being written holds. */
enum open_part { OPEN_NONE, OPEN_BEFORE, OPEN_CHANGES };

struct capture_writer {
	struct new_file file;
	struct part_writer stream;
	struct capture_index index;
	size_t memory_capacity;
	enum open_part open;
	size_t memory;        /* of the open part */
	size_t changes_begin; /* the first memory that may still get changes */
	uint64_t changed_end; /* of the last range */
};

int capture_writer_open(struct capture_writer **out, const char *path, struct error *err)
{
	struct capture_writer *writer = xcalloc(1, sizeof(*writer));
	unsigned char header[HEADER_BYTES] = HEADER_MAGIC;
	int rc = new_file_create(&writer->file, path, err);

	number_put(header + MAGIC_BYTES, CAPTURE_VERSION, 4);
	if (!rc)
		rc = part_writer_open(&writer->stream, err);
	if (!rc)
		rc = new_file_write(&writer->file, header, sizeof(header), err);
	if (rc) {
		capture_writer_abandon(writer);
		return rc;
	}
	*out = writer;
	return 0;
}

void capture_writer_abandon(struct capture_writer *writer)
{
	if (!writer)
		return;
	new_file_discard(&writer->file);
	part_writer_close(&writer->stream);
	free(writer->index.memory);
	free(writer);
}

uint64_t capture_writer_bytes(const struct capture_writer *writer)
{
	return writer->file.bytes;
}

static int out_of_order(const char *what, size_t memory, struct error *err)
{
	return error_set(err, PL_EUSAGE, "%s of memory %zu are written out of order", what, memory);
}

static int end_open_part(struct capture_writer *writer, struct error *err)
{
	const enum open_part open = writer->open;
	struct memory_parts *parts;

	if (open == OPEN_NONE)
		return 0;
	writer->open = OPEN_NONE;
	parts = &writer->index.memory[writer->memory];
	return part_end(open == OPEN_BEFORE ? &parts->before : &parts->changes, &writer->stream,
			&writer->file, err);
}

static int begin_part(struct capture_writer *writer, enum open_part what, size_t memory,
		      struct error *err)
{
	int rc = end_open_part(writer, err);

	if (rc)
		return rc;
	part_begin(&writer->stream, &writer->file);
	writer->open = what;
	writer->memory = memory;
	return 0;
}

int capture_write_image(struct capture_writer *writer, enum capture_image image, const void *data,
			size_t bytes, struct error *err)
{
	struct capture_part *part =
		image == CAPTURE_CUBIN ? &writer->index.cubin : &writer->index.ptx;
	int rc;

	if (part->stored || !bytes)
		return error_set(err, PL_EUSAGE, "an image is empty or written twice");
	if (bytes > CAPTURE_MOST_IMAGE_BYTES)
		return error_set(err, PL_EUSAGE, "an image has %zu bytes, more than %d", bytes,
				 CAPTURE_MOST_IMAGE_BYTES);
	rc = begin_part(writer, OPEN_NONE, 0, err);
	if (!rc)
		rc = part_add(&writer->stream, &writer->file, data, bytes, err);
	return rc ? rc : part_end(part, &writer->stream, &writer->file, err);
}

static int begin_before(struct capture_writer *writer, size_t memory, struct error *err)
{
	struct capture_index *index = &writer->index;
	int rc;

	if (memory != index->memory_count || writer->changes_begin)
		return out_of_order("the contents", memory, err);
	if (memory == CAPTURE_MOST_MEMORY)
		return error_set(err, PL_EUSAGE, "there are more than %d memories",
				 CAPTURE_MOST_MEMORY);
	rc = begin_part(writer, OPEN_BEFORE, memory, err);
	if (rc)
		return rc;
	index->memory = xgrow(index->memory, &writer->memory_capacity, memory + 1,
			      sizeof(index->memory[0]));
	index->memory[memory] = (struct memory_parts){0};
	index->memory_count = memory + 1;
	return 0;
}

int capture_write_before(struct capture_writer *writer, size_t memory, const void *data,
			 size_t bytes, struct error *err)
{
	int rc = 0;

	if (!bytes)
		return 0;
	if (writer->open != OPEN_BEFORE || writer->memory != memory)
		rc = begin_before(writer, memory, err);
	return rc ? rc : part_add(&writer->stream, &writer->file, data, bytes, err);
}

static int begin_changes(struct capture_writer *writer, size_t memory, struct error *err)
{
	if (memory < writer->changes_begin || memory >= writer->index.memory_count)
		return out_of_order("the changes", memory, err);
	writer->changes_begin = memory + 1;
	writer->changed_end = 0;
	return begin_part(writer, OPEN_CHANGES, memory, err);
}

int capture_write_changed(struct capture_writer *writer, size_t memory, uint64_t offset,
			  const void *data, size_t bytes, struct error *err)
{
	unsigned char header[RANGE_HEADER_BYTES];
	uint64_t whole;
	int rc = 0;

	if (!bytes)
		return 0;
	if (writer->open != OPEN_CHANGES || writer->memory != memory)
		rc = begin_changes(writer, memory, err);
	if (rc)
		return rc;
	whole = writer->index.memory[memory].before.raw;
	if (offset < writer->changed_end || offset > whole || bytes > whole - offset)
		return out_of_order("the changes", memory, err);
	writer->changed_end = offset + bytes;
	number_put(header, offset, 8);
	number_put(header + 8, bytes, 8);
	rc = part_add(&writer->stream, &writer->file, header, sizeof(header), err);
	return rc ? rc : part_add(&writer->stream, &writer->file, data, bytes, err);
}

/* Checks that each memory was written as `info` says. */
static int check_written(const struct capture_writer *writer, const struct capture_info *info,
			 struct error *err)
{
	const struct capture_index *index = &writer->index;

	if (!index->cubin.stored || (info->ptx_origin != NULL) != (index->ptx.stored > 0))
		return error_set(err, PL_EUSAGE, "an image is missing, or the origin of the PTX");
	if (info->memory_count != index->memory_count)
		return error_set(err, PL_EUSAGE, "%zu of %zu memories were written",
				 index->memory_count, info->memory_count);
	for (size_t i = 0; i < info->memory_count; i++)
		if (info->memory[i].bytes != index->memory[i].before.raw ||
		    info->memory[i].changed != (index->memory[i].changes.stored > 0))
			return error_set(err, PL_EUSAGE,
					 "memory %zu was not written as it is described", i);
	return 0;
}

static int write_pointers(struct capture_writer *writer, const struct capture_info *info,
			  struct error *err)
{
	struct pointer_list list;
	size_t count = 0;
	int rc = 0;

	part_begin(&writer->stream, &writer->file);
	for (size_t i = 0; !rc && pointer_list_at(&list, info, i); i++) {
		/* `after` of unchanged memory is left out */
		if (i && i % 2 == 0 && !info->memory[i / 2 - 1].changed)
			continue;
		count += list.pointers->count;
		for (size_t k = 0; k < list.pointers->count && !rc; k++) {
			const struct capture_pointer *pointer = &list.pointers->items[k];
			unsigned char record[POINTER_BYTES];

			number_put(record, pointer->offset, 8);
			number_put(record + 8, pointer->memory, 8);
			number_put(record + 16, pointer->addend, 8);
			rc = part_add(&writer->stream, &writer->file, record, sizeof(record), err);
		}
	}
	if (rc || !count)
		return rc;
	return part_end(&writer->index.pointers, &writer->stream, &writer->file, err);
}

static int write_index(struct capture_writer *writer, const struct capture_info *info,
		       struct error *err)
{
	unsigned char footer[FOOTER_BYTES];
	struct text json = TEXT_INIT;
	int rc = index_encode(&json, info, &writer->index, err);

	if (!rc) {
		number_put(footer, writer->file.bytes, 8);
		number_put(footer + 8, json.length, 8);
		number_put(footer + 16, XXH64(json.data, json.length, 0), 8);
		memcpy(footer + 24, FOOTER_MAGIC, MAGIC_BYTES);
		rc = new_file_write(&writer->file, json.data, json.length, err);
	}
	if (!rc)
		rc = new_file_write(&writer->file, footer, sizeof(footer), err);
	text_release(&json);
	return rc;
}

int capture_writer_commit(struct capture_writer *writer, const struct capture_info *info,
			  struct error *err)
{
	size_t pointers;
	int rc = end_open_part(writer, err);

	if (!rc && (check_written(writer, info, err) || info_check(info, PL_EUSAGE, err) ||
		    pointers_count(&pointers, info, PL_EUSAGE, err) ||
		    pointers_check(info, PL_EUSAGE, err)))
		rc = error_context(err, PL_EUSAGE, "cannot write %s", writer->file.path);
	if (!rc)
		rc = write_pointers(writer, info, err);
	if (!rc)
		rc = write_index(writer, info, err);
	if (!rc)
		rc = new_file_commit(&writer->file, err);
	capture_writer_abandon(writer);
	return rc;
}
