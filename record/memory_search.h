/*
 * memory_search: finds the memory that words point into, by asking the driver.
 * Nothing depends on how the program allocates. Internal to record/.
 */
#ifndef RECORD_MEMORY_SEARCH_H
#define RECORD_MEMORY_SEARCH_H

#include <xxhash.h>

#include "capture/capture.h"
#include "record/driver.h"

/* Memory is read and compared in pieces: the larger fit the room on the host, the smaller are
 * written if they changed. */
#define MEMORY_CHUNK_BYTES ((size_t)16 << 20)
#define MEMORY_PAGE_BYTES 4096

/* A variable with the value of the image. */
struct untouched_variable {
	char *name;
	CUdeviceptr address;
	size_t bytes;
	unsigned char *content;
};

struct memories {
	const struct record_driver *driver;
	int device;
	uint64_t limit_bytes;
	struct capture_info *info; /* gets memory, pointers, and what could not be followed */
	size_t capacity;
	/* The hash of each page of each memory before the launch. Who wrote the program cannot
	 * know the secret, and so cannot make a page that changes and keeps its hash. */
	uint64_t **hashes;
	unsigned char secret[XXH3_SECRET_SIZE_MIN];
	size_t hash_capacity;
	uint64_t total_bytes;
	unsigned char *chunk; /* room for a part of a memory on the host; NULL: there is none */
	uint64_t *unknown;    /* a table of places where no allocation is */
	size_t queries;
	bool exhausted; /* words were not looked up, because there are too many */
	bool complete;  /* no memory is added any more */
	struct untouched_variable *untouched;
	size_t untouched_count, untouched_capacity;
	bool left_out; /* memory beyond the limit, to which a pointer in memory leads */
};

void memories_init(struct memories *memories, const struct record_driver *driver, int device,
		   uint64_t limit_bytes, struct capture_info *info);
void memories_release(struct memories *memories);

/* Adds what could not be followed. */
void memories_note_lost(struct memories *memories, const char *what);
/* Adds a memory and returns its index. */
size_t memories_add(struct memories *memories, const struct capture_memory *memory);
/*
 * Appends the pointers among the words of `bytes`, which lie at `offset` of the parameters or of a
 * memory, and adds the memory that they point into. required: false leaves out what is beyond the
 * limit. Stops above CAPTURE_MOST_POINTERS, which no capture can have.
 */
void memories_scan_words(struct memories *memories, struct capture_pointers *pointers,
			 size_t *capacity, const unsigned char *bytes, size_t count,
			 uint64_t offset, bool required);
/* Notes the parameters with addresses of the host that CUDA does not know. */
void memories_note_host_addresses(struct memories *memories);

#endif
