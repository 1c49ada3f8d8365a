/*
 * memories: what a launch can reach: the allocations that its parameters point
 * into, those that these point into, and the variables of its module, which it
 * reaches without any pointer. A variable that has the value of the image before
 * and after the launch is left out, because a replay loads the image. The driver
 * tells which memory a word points into, so nothing depends on how the program
 * allocates. Internal to record/.
 */
#ifndef RECORD_MEMORIES_H
#define RECORD_MEMORIES_H

#include <xxhash.h>

#include "capture/capture.h"
#include "record/images.h"

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

void memories_init(struct memories *memories, int device, uint64_t limit_bytes,
		   struct capture_info *info);
void memories_release(struct memories *memories);

/* Adds the variables that differ from their image, which is loaded as `module`, and keeps the
 * others in mind. The device must be idle. PL_EDEVICE. */
int memories_add_variables(struct memories *memories, CUmodule module, const struct cubin *cubin,
			   struct error *err);
/* Finds all memory from the parameters of `info` on, and hashes its contents. The device must be
 * idle. PL_EUSAGE: what the parameters point to exceeds the limit. PL_EDEVICE. PL_ENOMEM. */
int memories_find(struct memories *memories, struct error *err);
/* Writes the contents of all memory. The device must be idle. */
int memories_write_before(struct memories *memories, struct capture_writer *writer,
			  struct error *err);
/* Writes what is different now, and the variables that the launch changed. The device must be
 * idle. */
int memories_write_changes(struct memories *memories, struct capture_writer *writer,
			   struct error *err);

/* ---- memory_search.c ---- */

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
