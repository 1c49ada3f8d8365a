/* elf: what the recorder must know of machine code: which kernels and variables a cubin has.
 * Internal to record/. */
#ifndef RECORD_ELF_H
#define RECORD_ELF_H

#include "base/base.h"

/* Whether the bytes begin as an ELF file of 64 bits. */
bool elf_is(const void *bytes, size_t size);
/* The size of the file that begins at `bytes`, from its own headers, at most `most`. 0: not an ELF
 * file, or a damaged one. */
size_t elf_size(const void *bytes, size_t most);
/* Calls `each` with the name of every kernel, until it returns true. Returns whether it did. */
bool elf_each_kernel(const void *bytes, size_t size, bool (*each)(void *context, const char *name),
		     void *context);
bool elf_has_kernel(const void *bytes, size_t size, const char *kernel);
/* A variable in global or constant memory. Borrows from the file. */
struct elf_variable {
	const char *name;
	size_t bytes;
	const unsigned char *initial; /* NULL: zeroes */
	bool constant;                /* kernels cannot write it */
};

/* Calls `each` with every variable. */
void elf_each_variable(const void *bytes, size_t size,
		       void (*each)(void *context, const struct elf_variable *variable),
		       void *context);

#endif
