/* undefined_bits: where the undefined bits of registers and memory are noted. See undefined.h.
 */
#ifndef EMULATOR_MACHINE_UNDEFINED_UNDEFINED_BITS_H
#define EMULATOR_MACHINE_UNDEFINED_UNDEFINED_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of the place where an undefined bit was read first; 0: nobody has read it yet. */
typedef uint32_t undefined_origin;

/* Undefined bits of memory, one byte for each byte, and their origins, one for each byte. */
struct undefined_memory {
	unsigned char *bits; /* NULL: all bits are defined */
	undefined_origin *origins;
	bool missing; /* there was no memory for them: they count as defined */
};

/* Undefined bits of registers. The bits lie as the registers in their file. The origin of a lane of
 * the row at byte r is origins[r / 4 + lane]. */
struct undefined_file {
	unsigned char *bits;
	undefined_origin *origins;
};

/* Size of followed memory, relative to the memory itself: its bits and origins besides the bytes.
 */
#define UNDEFINED_MEMORY_COST ((int64_t)(2 + sizeof(undefined_origin)))

/* Marks all bytes as undefined, or as defined. Returns false if there is no memory. Release with
 * undefined_memory_free(). */
bool undefined_memory_create(struct undefined_memory *memory, uint64_t bytes, bool undefined);
void undefined_memory_free(struct undefined_memory *memory);
/* Marks bytes as never written. */
void undefined_memory_begin(struct undefined_memory *memory, uint64_t first, uint64_t bytes);
/* Copies what is known of some bytes. */
void undefined_memory_move(struct undefined_memory *memory, uint64_t to, uint64_t from,
			   uint64_t bytes);

bool undefined_file_create(struct undefined_file *file, size_t bytes);
void undefined_file_free(struct undefined_file *file);

#endif
