/*
 * index: what a capture says of its launch and where its parts are. The file
 * ends with it, as JSON; the pointers are a part of their own, because there
 * may be millions. Private to capture/.
 */
#ifndef CAPTURE_INDEX_H
#define CAPTURE_INDEX_H

#include "base/base.h"
#include "capture/capture.h"

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

/* Members of the JSON object and fields of struct capture_info: texts and whole numbers. */
#define INDEX_TEXT_LIST(X) X(kernel) X(api) X(program) X(created) X(version) X(device) X(uuid)
#define INDEX_NUMBER_LIST(X) X(number) X(cc_major) X(cc_minor) X(driver_version)
#define INDEX_LAUNCH_LIST(X) X(grid) X(block) X(cluster)

/* How many pointers the part of the pointers holds for one list, and where its records go. */
struct pointer_list {
	struct capture_pointers *pointers;
	uint64_t bytes; /* of the parameters or the memory */
};
/* The lists of a capture in the order of the file; `index` from 0. False: there are no more. */
bool pointer_list_at(struct pointer_list *out, const struct capture_info *info, size_t index);

struct memory_parts {
	struct capture_part before;
	struct capture_part changes; /* stored is 0: the memory did not change */
};

struct capture_index {
	struct capture_part cubin, ptx, pointers;
	struct memory_parts *memory; /* one per memory; malloc'd */
	size_t memory_count;
};

/* *out gets the JSON. PL_ENOMEM. PL_EUSAGE: more than MOST_INDEX_BYTES. */
int index_encode(struct text *out, const struct capture_info *info,
		 const struct capture_index *index, struct error *err);
/*
 * Reads untrusted JSON. The lists of pointers get their `count`, which may be
 * any number, and no items. PL_EPARSE, PL_ENOMEM: *info and *index own what was
 * read so far.
 */
int index_decode(struct capture_info *info, struct capture_index *index, const char *json,
		 size_t bytes, struct error *err);

/*
 * What the writer refuses to write and the reader to believe. All return `code`
 * with a message if something is out of its limits: everything but the pointers,
 * how many there are (the counts may be any), and the pointers.
 */
int info_check(const struct capture_info *info, int code, struct error *err);
int pointers_count(size_t *out, const struct capture_info *info, int code, struct error *err);
int pointers_check(const struct capture_info *info, int code, struct error *err);

#endif
