/* Reading a capture. Nothing in the file is trusted. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/index.h"
#include "capture/part_stream.h"

struct capture {
	char *path;
	int fd;
	uint64_t bytes; /* of the file */
	uint64_t parts_end;
	struct capture_info info;
	struct capture_index index;
};

const struct capture_info *capture_info(const struct capture *capture)
{
	return &capture->info;
}

uint64_t capture_file_bytes(const struct capture *capture)
{
	return capture->bytes;
}

uint64_t capture_raw_bytes(const struct capture *capture)
{
	const struct capture_index *index = &capture->index;
	uint64_t bytes = index->cubin.raw + index->ptx.raw + index->pointers.raw;

	for (size_t i = 0; i < index->memory_count; i++)
		bytes += index->memory[i].before.raw + index->memory[i].changes.raw;
	return bytes;
}

void capture_close(struct capture *capture)
{
	if (!capture)
		return;
	if (capture->fd >= 0)
		close(capture->fd);
	capture_info_release(&capture->info);
	free(capture->index.memory);
	free(capture->path);
	free(capture);
}

static int not_complete(const struct capture *capture, struct error *err)
{
	return error_set(err, PL_EPARSE,
			 "%s is not complete: it was cut, or the recording did not end; record "
			 "the launch again",
			 capture->path);
}

static int open_file(struct capture *capture, struct error *err)
{
	struct stat found;
	int rc = file_open(&capture->fd, capture->path, err);

	if (rc) {
		capture->fd = -1;
		return rc;
	}
	if (fstat(capture->fd, &found))
		return error_set(err, PL_EIO, "reading '%s': %s", capture->path, strerror(errno));
	capture->bytes = (uint64_t)found.st_size;
	return 0;
}

static int read_at(const struct capture *capture, uint64_t offset, void *data, size_t bytes,
		   struct error *err)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t got = pread(capture->fd, (char *)data + done, bytes - done,
				    (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(err, PL_EIO, "reading '%s': %s", capture->path,
					 strerror(errno));
		if (!got)
			return not_complete(capture, err);
		done += (size_t)got;
	}
	return 0;
}

static int read_header(const struct capture *capture, struct error *err)
{
	unsigned char header[HEADER_BYTES] = {0};
	const size_t bytes = capture->bytes < HEADER_BYTES ? capture->bytes : HEADER_BYTES;
	const size_t magic = bytes < MAGIC_BYTES ? bytes : MAGIC_BYTES;
	uint64_t version;
	int rc = read_at(capture, 0, header, bytes, err);

	if (rc)
		return rc;
	if (memcmp(header, HEADER_MAGIC, magic) != 0)
		return error_set(err, PL_EPARSE,
				 "%s is no capture: give a file that perflab record has written",
				 capture->path);
	if (bytes < HEADER_BYTES)
		return not_complete(capture, err);
	version = number_get(header + MAGIC_BYTES, 4);
	if (version != CAPTURE_VERSION)
		return error_set(err, PL_EVERSION,
				 "%s is a capture of version %" PRIu64
				 ", and this perflab reads version %d; use the perflab that "
				 "recorded it, or record the launch again",
				 capture->path, version, CAPTURE_VERSION);
	if (number_get(header + MAGIC_BYTES + 4, 4))
		return error_set(err, PL_EPARSE,
				 "%s: the header is damaged; record the launch again",
				 capture->path);
	return 0;
}

static int part_inside(const struct capture *capture, const struct capture_part *part,
		       struct error *err)
{
	if (!part->stored)
		return 0;
	if (part->offset < HEADER_BYTES || part->offset > capture->parts_end ||
	    part->stored > capture->parts_end - part->offset)
		return error_set(err, PL_EPARSE, "a part is outside of the file");
	return 0;
}

static int check_index(const struct capture *capture, size_t *pointers, struct error *err)
{
	const struct capture_index *index = &capture->index;

	if (info_check(&capture->info, PL_EPARSE, err) ||
	    part_inside(capture, &index->cubin, err) || part_inside(capture, &index->ptx, err) ||
	    part_inside(capture, &index->pointers, err))
		return PL_EPARSE;
	for (size_t i = 0; i < index->memory_count; i++)
		if (part_inside(capture, &index->memory[i].before, err) ||
		    part_inside(capture, &index->memory[i].changes, err))
			return PL_EPARSE;
	if (pointers_count(pointers, &capture->info, PL_EPARSE, err))
		return PL_EPARSE;
	if (index->pointers.raw != (uint64_t)*pointers * POINTER_BYTES)
		return error_set(err, PL_EPARSE, "there are %zu pointers in %" PRIu64 " bytes",
				 *pointers, index->pointers.raw);
	return 0;
}

static int read_list(struct capture_pointers *out, struct part_reader *part, struct error *err)
{
	int rc = 0;

	out->items = malloc((out->count + 1) * sizeof(out->items[0]));
	if (!out->items)
		return error_set(err, PL_ENOMEM, "no memory for %zu pointers", out->count);
	for (size_t i = 0; i < out->count && !rc; i++) {
		unsigned char record[POINTER_BYTES];

		rc = part_read(part, record, sizeof(record), err);
		if (!rc)
			out->items[i] = (struct capture_pointer){number_get(record, 8),
								 number_get(record + 8, 8),
								 number_get(record + 16, 8)};
	}
	return rc;
}

static int read_pointers(struct capture *capture, struct error *err)
{
	struct pointer_list list;
	struct part_reader part;
	int rc = part_reader_open(&part, capture->fd, capture->path, "the pointers",
				  &capture->index.pointers, err);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && pointer_list_at(&list, &capture->info, i); i++)
		if (list.pointers->count)
			rc = read_list(list.pointers, &part, err);
	if (!rc)
		rc = part_read_end(&part, err);
	part_reader_close(&part);
	return rc;
}

static int use_index(struct capture *capture, const char *json, size_t bytes, struct error *err)
{
	size_t pointers = 0;
	int rc = index_decode(&capture->info, &capture->index, json, bytes, err);

	if (!rc)
		rc = check_index(capture, &pointers, err);
	if (rc)
		return error_context(err, rc, "%s: the index is wrong (record the launch again)",
				     capture->path);
	if (!pointers)
		return 0;
	rc = read_pointers(capture, err);
	if (rc)
		return rc;
	return error_context(err, pointers_check(&capture->info, PL_EPARSE, err),
			     "%s: the index is wrong (record the launch again)", capture->path);
}

static int read_index(struct capture *capture, struct error *err)
{
	unsigned char footer[FOOTER_BYTES];
	uint64_t bytes;
	char *json;
	int rc;

	if (capture->bytes < HEADER_BYTES + FOOTER_BYTES)
		return not_complete(capture, err);
	rc = read_at(capture, capture->bytes - FOOTER_BYTES, footer, sizeof(footer), err);
	if (rc)
		return rc;
	capture->parts_end = number_get(footer, 8);
	bytes = number_get(footer + 8, 8);
	if (memcmp(footer + 24, FOOTER_MAGIC, MAGIC_BYTES) != 0 || bytes > MOST_INDEX_BYTES ||
	    bytes > capture->bytes - HEADER_BYTES - FOOTER_BYTES ||
	    capture->parts_end != capture->bytes - FOOTER_BYTES - bytes)
		return not_complete(capture, err);
	json = malloc(bytes + 1);
	if (!json)
		return error_set(err, PL_ENOMEM, "%s: no memory for the index", capture->path);
	rc = read_at(capture, capture->parts_end, json, bytes, err);
	if (!rc && XXH64(json, bytes, 0) != number_get(footer + 16, 8))
		rc = error_set(err, PL_EPARSE, "%s: the index is damaged; record the launch again",
			       capture->path);
	if (!rc)
		rc = use_index(capture, json, bytes, err);
	free(json);
	return rc;
}

int capture_open(struct capture **out, const char *path, struct error *err)
{
	struct capture *capture = xcalloc(1, sizeof(*capture));
	int rc;

	capture->path = xstrdup(path);
	rc = open_file(capture, err);
	if (!rc)
		rc = read_header(capture, err);
	if (!rc)
		rc = read_index(capture, err);
	if (rc) {
		capture_close(capture);
		return rc;
	}
	*out = capture;
	return 0;
}

/* Reads a whole part. */
static int read_part(const struct capture *capture, const struct capture_part *which,
		     const char *name, void *data, struct error *err)
{
	struct part_reader part;
	int rc = part_reader_open(&part, capture->fd, capture->path, name, which, err);

	if (rc)
		return rc;
	rc = part_read(&part, data, which->raw, err);
	if (!rc)
		rc = part_read_end(&part, err);
	part_reader_close(&part);
	return rc;
}

int capture_read_image(const struct capture *capture, enum capture_image image, char **data,
		       size_t *bytes, struct error *err)
{
	const bool cubin = image == CAPTURE_CUBIN;
	const struct capture_part *part = cubin ? &capture->index.cubin : &capture->index.ptx;
	char *read;
	int rc;

	if (!part->stored)
		return error_set(err, PL_ENOENT, "%s has no PTX", capture->path);
	read = malloc(part->raw + 1);
	if (!read)
		return error_set(err, PL_ENOMEM, "%s: no memory for %" PRIu64 " bytes of the %s",
				 capture->path, part->raw, cubin ? "cubin" : "PTX");
	rc = read_part(capture, part, cubin ? "the bytes of the cubin" : "the bytes of the PTX",
		       read, err);
	if (rc) {
		free(read);
		return rc;
	}
	read[part->raw] = '\0';
	*data = read;
	*bytes = part->raw;
	return 0;
}

/* Reads ranges until the part ends: offset, size, bytes. */
static int read_ranges(struct part_reader *part, uint64_t raw, char *data, uint64_t bytes,
		       struct error *err)
{
	uint64_t end = 0;

	while (raw) {
		unsigned char header[RANGE_HEADER_BYTES] = {0};
		uint64_t offset, size;
		int rc = raw < sizeof(header) ? part_damaged(part, err)
					      : part_read(part, header, sizeof(header), err);

		if (rc)
			return rc;
		raw -= sizeof(header);
		offset = number_get(header, 8);
		size = number_get(header + 8, 8);
		if (offset < end || offset > bytes || size > bytes - offset || size > raw)
			return part_damaged(part, err);
		rc = part_read(part, data + offset, size, err);
		if (rc)
			return rc;
		raw -= size;
		end = offset + size;
	}
	return part_read_end(part, err);
}

int capture_read_memory(const struct capture *capture, size_t index, enum capture_state state,
			void *data, struct error *err)
{
	const struct memory_parts *parts = &capture->index.memory[index];
	struct part_reader part;
	char name[64];
	int rc;

	snprintf(name, sizeof(name), "the contents of memory %zu", index);
	rc = read_part(capture, &parts->before, name, data, err);
	if (rc || state == CAPTURE_BEFORE || !capture->info.memory[index].changed)
		return rc;
	snprintf(name, sizeof(name), "the changes of memory %zu", index);
	rc = part_reader_open(&part, capture->fd, capture->path, name, &parts->changes, err);
	if (rc)
		return rc;
	rc = read_ranges(&part, parts->changes.raw, data, capture->info.memory[index].bytes, err);
	part_reader_close(&part);
	return rc;
}

void capture_relocate(const struct capture *capture, size_t index, enum capture_state state,
		      void *data, const uint64_t *addresses)
{
	const struct capture_memory *memory = &capture_info(capture)->memory[index];
	const struct capture_pointers *pointers =
		state == CAPTURE_AFTER && memory->changed ? &memory->after : &memory->before;

	for (size_t i = 0; i < pointers->count; i++) {
		const struct capture_pointer *pointer = &pointers->items[i];
		const uint64_t address = addresses[pointer->memory] + pointer->addend;

		if (addresses[pointer->memory])
			memcpy((char *)data + pointer->offset, &address, sizeof(address));
	}
}
