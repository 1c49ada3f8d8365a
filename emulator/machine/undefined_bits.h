/* undefined_bits: where the undefined bits of registers and memory are noted. See uninitialised.h.
 */
#ifndef EMULATOR_MACHINE_UNDEFINED_BITS_H
#define EMULATOR_MACHINE_UNDEFINED_BITS_H

#include <stdint.h>

/* Of an undefined bit: a number of a place where it was read; 0: nobody has read it yet. */
typedef uint32_t undefined_origin;

/* Undefined bits of memory, one byte for each byte, and their origins, one for each byte. */
struct undefined_memory {
	unsigned char *bits; /* NULL: all bits are defined */
	undefined_origin *origins;
};

/* Undefined bits of registers. The bits lie as the registers in their file. The origin of a lane of
 * the row at byte r is origins[r / 4 + lane]. */
struct undefined_file {
	unsigned char *bits;
	undefined_origin *origins;
};

#endif
