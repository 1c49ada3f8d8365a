/*
 * Arrays in NumPy's .npy files, the exchange format for inputs and expected
 * results. Any shape is read, as a flat array in C order. Accepted are format
 * versions 1 to 3, little-endian integers of 1 to 8 bytes and floats of 2, 4
 * and 8 bytes; other files are errors that say how to convert them.
 *
 * A type of a file belongs to one element type, except that:
 *   '<u2' also holds bf16: the raw 16 bits, as numpy has no such type;
 *   '<f4' also holds tf32: the last 13 bits are cut off when it is read.
 */
#ifndef KERNELS_NPY_H
#define KERNELS_NPY_H

#include <stdio.h>

#include "kernels/kernels.h"

/* All zeroes is an empty array. npy_array_release() frees the data and resets it. */
struct npy_array {
	char type[4];   /* "f4", "i8", "u1": kind and bytes of an element */
	int64_t length; /* elements: the product of the shape, 1 for a scalar */
	size_t bytes;   /* length * bytes of an element */
	void *data;     /* malloc'd; not NULL, even if the length is 0 */
};
void npy_array_release(struct npy_array *array);

/*
 * Reads an array of at most `most_bytes` bytes of data. The stream must end
 * after it; `name` stands for it in messages. Returns 0, PL_ENOENT, PL_EIO,
 * PL_ENOMEM, or PL_EPARSE for every other form of file. On failure *out is
 * unchanged.
 */
int npy_read(struct npy_array *out, const char *path, size_t most_bytes, struct error *err);
int npy_read_stream(struct npy_array *out, FILE *stream, const char *name, size_t most_bytes,
		    struct error *err);

/*
 * Reads a file into the `length` elements at `data`, without a copy of it in
 * memory. The file must hold this type and this number of elements, in any
 * shape; otherwise it returns PL_EUSAGE. Errors else as in npy_read(); `data` may
 * then be partly overwritten.
 */
int npy_load(void *data, enum element_type type, int64_t length, const char *path,
	     struct error *err);

/* Copies an array to the `length` elements at `data`, with the checks of npy_load(). */
int npy_copy(void *data, enum element_type type, int64_t length, const struct npy_array *array,
	     const char *name, struct error *err);

/*
 * Writes `length` elements as a one-dimensional array. bf16 becomes '<u2', tf32
 * '<f4'. Returns 0 or PL_EIO; what was written before a failure stays, and is no readable file.
 */
int npy_write(const char *path, enum element_type type, const void *data, int64_t length,
	      struct error *err);
int npy_write_stream(FILE *stream, const char *name, enum element_type type, const void *data,
		     int64_t length, struct error *err);

#endif
