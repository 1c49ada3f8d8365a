/*
 * part_stream: writes and reads one part of a capture, in pieces from first to last. Nothing
 * holds a part whole. Private to capture/, whose writer works inside programs of others: it
 * raises no signal and changes nothing of the process.
 */
#ifndef CAPTURE_PART_STREAM_H
#define CAPTURE_PART_STREAM_H

#include "base/base.h"
#include "capture/index.h"
#include <xxhash.h>
#include <zstd.h>

struct new_file {
	char *path;
	char *temporary; /* PATH.part-PID-N */
	int fd;
	uint64_t bytes; /* written so far */
};

/* These return 0 or PL_EIO. After an error only new_file_discard() may follow. */
int new_file_create(struct new_file *out, const char *path, struct error *err);
int new_file_write(struct new_file *file, const void *data, size_t bytes, struct error *err);
/* Waits until all is on disk and renames the file. Releases it, also after an error, after which
 * nothing is left. PL_EUSAGE: a file of this name exists, which stays. */
int new_file_commit(struct new_file *file, struct error *err);
/* Removes the file and releases it. */
void new_file_discard(struct new_file *file);

/* ---- writing ---- */

/* One part after the other. All zeroes can be closed. */
struct part_writer {
	ZSTD_CCtx *context;
	XXH64_state_t *hash;
	unsigned char *buffer;
	struct capture_part part; /* the one that is being written */
};

int part_writer_open(struct part_writer *out, struct error *err);
void part_writer_close(struct part_writer *writer);
void part_begin(struct part_writer *writer, const struct new_file *file);
/* These return 0, PL_EIO or PL_ENOMEM. */
int part_add(struct part_writer *writer, struct new_file *file, const void *data, size_t bytes,
	     struct error *err);
int part_end(struct capture_part *out, struct part_writer *writer, struct new_file *file,
	     struct error *err);

/* ---- reading ---- */

/* All zeroes can be closed. */
struct part_reader {
	ZSTD_DCtx *context;
	XXH64_state_t *hash;
	unsigned char *buffer;
	ZSTD_inBuffer in;
	int fd;
	const char *path, *name; /* of the part: "the cubin"; both borrowed */
	uint64_t hash_expected;
	uint64_t at, end;    /* what remains in the file */
	bool frame_complete; /* no frame is open */
};

/* Readers of one file may be used by several threads. */
int part_reader_open(struct part_reader *out, int fd, const char *path, const char *name,
		     const struct capture_part *part, struct error *err);
void part_reader_close(struct part_reader *reader);
/* The next bytes. PL_EPARSE: the part is damaged. PL_EIO. */
int part_read(struct part_reader *reader, void *data, size_t bytes, struct error *err);
/* Checks that nothing follows, and that all bytes together have the right hash. */
int part_read_end(struct part_reader *reader, struct error *err);
int part_damaged(const struct part_reader *reader, struct error *err); /* PL_EPARSE */

#endif
