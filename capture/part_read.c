/* The parts of a capture: decompression. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/part_stream.h"

#define BUFFER_BYTES ((size_t)256 * 1024)

int part_damaged(const struct part_reader *reader, struct error *err)
{
	return error_set(err, PL_EPARSE, "%s: %s are damaged; record the launch again",
			 reader->path, reader->name);
}

int part_reader_open(struct part_reader *out, int fd, const char *path, const char *name,
		     const struct capture_part *part, struct error *err)
{
	*out = (struct part_reader){
		.context = ZSTD_createDCtx(),
		.hash = XXH64_createState(),
		.buffer = malloc(BUFFER_BYTES),
		.fd = fd,
		.path = path,
		.name = name,
		.hash_expected = part->hash,
		.at = part->offset,
		.end = part->offset + part->stored,
	};
	if (!out->context || !out->hash || !out->buffer) {
		part_reader_close(out);
		return error_set(err, PL_ENOMEM, "%s: no memory to read %s", path, name);
	}
	XXH64_reset(out->hash, 0);
	return 0;
}

void part_reader_close(struct part_reader *reader)
{
	ZSTD_freeDCtx(reader->context);
	XXH64_freeState(reader->hash);
	free(reader->buffer);
	*reader = (struct part_reader){0};
}

/* Reads on if all input is used and the part has more. */
static int part_refill(struct part_reader *reader, struct error *err)
{
	uint64_t left = reader->end - reader->at;
	ssize_t got;

	if (reader->in.pos < reader->in.size || !left)
		return 0;
	do
		got = pread(reader->fd, reader->buffer, left < BUFFER_BYTES ? left : BUFFER_BYTES,
			    (off_t)reader->at);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return error_set(err, PL_EIO, "reading %s: %s", reader->path, strerror(errno));
	if (!got) /* somebody has cut the file since it was opened */
		return part_damaged(reader, err);
	reader->at += (uint64_t)got;
	reader->in = (ZSTD_inBuffer){reader->buffer, (size_t)got, 0};
	return 0;
}

/* Decompresses some bytes. Fails if there is no more input and nothing comes out. */
static int part_pull(struct part_reader *reader, ZSTD_outBuffer *out, struct error *err)
{
	const size_t begin = out->pos;
	bool input;
	size_t result;
	int rc = part_refill(reader, err);

	if (rc)
		return rc;
	input = reader->in.pos < reader->in.size;
	result = ZSTD_decompressStream(reader->context, out, &reader->in);
	if (ZSTD_isError(result) || (!input && out->pos == begin && result))
		return part_damaged(reader, err);
	reader->frame_complete = !result;
	XXH64_update(reader->hash, (char *)out->dst + begin, out->pos - begin);
	return 0;
}

int part_read(struct part_reader *reader, void *data, size_t bytes, struct error *err)
{
	ZSTD_outBuffer out = {data, bytes, 0};
	int rc = 0;

	while (!rc && out.pos < out.size)
		rc = part_pull(reader, &out, err);
	return rc;
}

int part_read_end(struct part_reader *reader, struct error *err)
{
	while (!reader->frame_complete || reader->in.pos < reader->in.size ||
	       reader->at < reader->end) {
		char more;
		ZSTD_outBuffer out = {&more, sizeof(more), 0};
		int rc = part_pull(reader, &out, err);

		if (rc)
			return rc;
		if (out.pos)
			return part_damaged(reader, err);
	}
	if (XXH64_digest(reader->hash) != reader->hash_expected)
		return part_damaged(reader, err);
	return 0;
}
