/*
 * file_format: the bytes of a capture outside its parts, as docs/capture-format.md
 * describes them. All numbers are little-endian. Private to capture/.
 */
#ifndef CAPTURE_FILE_FORMAT_H
#define CAPTURE_FILE_FORMAT_H

#include "base/base.h"

/* The first byte is not ASCII and the last two are a line end, so that a transfer as text shows. */
#define HEADER_MAGIC "\x89PLCAP\r\n"
#define FOOTER_MAGIC "PLCAPEND"

enum {
	MAGIC_BYTES = 8,
	HEADER_BYTES = 16,       /* magic, version (4 bytes), 4 bytes of zero */
	FOOTER_BYTES = 32,       /* offset, size and hash of the index, magic */
	POINTER_BYTES = 24,      /* in the part of the pointers: offset, memory, addend */
	RANGE_HEADER_BYTES = 16, /* in a part of changes, before the bytes: offset, size */
	MOST_INDEX_BYTES = 1 << 24,
};

/* A Zstandard block has at least 4 bytes and holds at most 128 KiB. */
#define MOST_RATIO ((uint64_t)128 * 1024 / 4)
/* The most bytes of a part: the sum over all parts fits 64 bits. */
#define MOST_PART_BYTES ((uint64_t)1 << 46)

/* Bytes of the file that hold something compressed. All zeroes: there is no such part. */
struct capture_part {
	uint64_t offset;
	uint64_t stored; /* bytes in the file */
	uint64_t raw;    /* bytes without compression */
	uint64_t hash;   /* XXH64 of the raw bytes */
};

static inline void number_put(unsigned char *out, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		out[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t number_get(const unsigned char *in, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)in[i] << (8 * i);
	return value;
}

#endif
