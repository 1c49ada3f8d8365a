/*
 * fatbin: finds the PTX of a kernel in what a program gives to the driver: a
 * fat binary, with or without the wrapper that nvcc writes around it, PTX text,
 * or machine code, which has none. The format of fat binaries is not documented
 * by NVIDIA; it is that of CUDA 8 to 13. Internal to record/.
 */
#ifndef RECORD_FATBIN_H
#define RECORD_FATBIN_H

#include "base/base.h"

/* Longer text than this is taken for damage. */
#define FATBIN_PTX_LIMIT ((size_t)256 << 20)

struct fatbin_ptx {
	char *text;   /* the caller's; a zero byte follows it */
	size_t bytes; /* without that byte */
	int target;   /* 90 for compute_90; 0: PTX text that stood alone */
	char feature; /* 'a' or 'f' for compute_90a and compute_100f; else '\0' */
};

/* Whether the text has the body of the kernel, not only its declaration. */
bool ptx_defines_entry(const char *text, size_t bytes, const char *entry);
/* Whether the bytes begin as PTX does: blanks and comments, then ".version". */
bool ptx_is(const char *bytes, size_t size);

/*
 * The fat binary or the PTX text that `image` leads to, in memory of this
 * process. part 0 is the image itself; parts from 1 are the fat binaries from
 * which a program built with -rdc=true was linked. Trusts the pointers and the
 * sizes that it reads there, as the driver does. *bytes: its size, with the zero
 * byte of PTX text. NULL: no such part, machine code, something else, or more
 * than most_bytes.
 */
const void *fatbin_part(const void *image, size_t part, size_t most_bytes, size_t *bytes);

/* Whether the image is a fat binary in the wrapper of nvcc, which is a constant of the program. */
bool fatbin_is_wrapped(const void *image);

/*
 * Finds the PTX that defines the kernel `entry` (mangled) in a fat binary or a
 * PTX text of `bytes` bytes, which are untrusted. Several: the one for the
 * highest compute capability up to `cc` (90 for 9.0), else for the lowest above
 * it. PL_ENOENT: none defines it. PL_EPARSE: none does, and a part of the fat
 * binary is damaged. PL_ENOMEM.
 */
int fatbin_find_ptx_in(struct fatbin_ptx *out, const void *data, size_t bytes, const char *entry,
		       int cc, struct error *err);
/* Finds the PTX of an entry in all parts of an image. */
int fatbin_find_ptx(struct fatbin_ptx *out, const void *image, size_t most_bytes, const char *entry,
		    int cc, struct error *err);

#endif
