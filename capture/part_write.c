/* The parts of a capture: compression. */
#include <stdlib.h>

#include "capture/part_stream.h"

/* Level 1: the program waits meanwhile, and a disk writes no faster. */
enum { LEVEL = 1, MOST_THREADS = 8 };

#define BUFFER_BYTES ((size_t)1 << 20)

int part_writer_open(struct part_writer *out, struct error *err)
{
	int threads = usable_processors();

	*out = (struct part_writer){
		.context = ZSTD_createCCtx(),
		.hash = XXH64_createState(),
		.buffer = malloc(BUFFER_BYTES),
	};
	if (!out->context || !out->hash || !out->buffer) {
		part_writer_close(out);
		return error_set(err, PL_ENOMEM, "no memory to compress a capture");
	}
	ZSTD_CCtx_setParameter(out->context, ZSTD_c_compressionLevel, LEVEL);
	/* An error here means that the library was built without threads: it uses this one. */
	ZSTD_CCtx_setParameter(out->context, ZSTD_c_nbWorkers,
			       threads < MOST_THREADS ? threads : MOST_THREADS);
	return 0;
}

void part_writer_close(struct part_writer *writer)
{
	ZSTD_freeCCtx(writer->context);
	XXH64_freeState(writer->hash);
	free(writer->buffer);
	*writer = (struct part_writer){0};
}

void part_begin(struct part_writer *writer, const struct new_file *file)
{
	writer->part = (struct capture_part){.offset = file->bytes};
	ZSTD_CCtx_reset(writer->context, ZSTD_reset_session_only);
	XXH64_reset(writer->hash, 0);
}

/* Compresses the input, or what the library still holds, and writes what comes out. */
static int part_push(struct part_writer *writer, struct new_file *file, ZSTD_inBuffer in,
		     ZSTD_EndDirective how, struct error *err)
{
	size_t left;

	do {
		ZSTD_outBuffer out = {writer->buffer, BUFFER_BYTES, 0};
		int rc;

		left = ZSTD_compressStream2(writer->context, &out, &in, how);
		if (ZSTD_isError(left))
			return error_set(err, PL_ENOMEM, "cannot compress %s: %s", file->path,
					 ZSTD_getErrorName(left));
		rc = new_file_write(file, writer->buffer, out.pos, err);
		if (rc)
			return rc;
	} while (how == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return 0;
}

int part_add(struct part_writer *writer, struct new_file *file, const void *data, size_t bytes,
	     struct error *err)
{
	XXH64_update(writer->hash, data, bytes);
	writer->part.raw += bytes;
	return part_push(writer, file, (ZSTD_inBuffer){data, bytes, 0}, ZSTD_e_continue, err);
}

int part_end(struct capture_part *out, struct part_writer *writer, struct new_file *file,
	     struct error *err)
{
	int rc = part_push(writer, file, (ZSTD_inBuffer){0}, ZSTD_e_end, err);

	if (rc)
		return rc;
	*out = writer->part;
	out->stored = file->bytes - out->offset;
	out->hash = XXH64_digest(writer->hash);
	return 0;
}
