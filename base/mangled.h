/*
 * mangled: names of C++ functions and variables in compiled files (Itanium C++
 * ABI), as far as kernels have them. What cannot be read is not known; nothing
 * is concluded from it.
 */
#ifndef BASE_MANGLED_H
#define BASE_MANGLED_H

#include "base/base.h"

/* Sets *out to the qualified name of a C++ function without template arguments and parameters:
 * "ns::scale" of "_ZN2ns5scaleIfEEvPT_". A name that is not mangled stays as it is. */
void mangled_plain_name(struct text *out, const char *name);

/* Sets *out to the name without what depends on the path of the file: nvcc puts a hash of it into
 * the names of unnamed namespaces and of static functions. */
void mangled_portable(struct text *out, const char *name);

/* A longer name is not read. */
#define MANGLED_MOST (64 << 10)

/*
 * Sets *out to the name in full, as C++ writes it: "void ns::scale<float>(float)"
 * of "_ZN2ns5scaleIfEEvT_". A name that is not mangled, or has a part that this
 * reader does not know, stays as it is.
 */
void mangled_readable(struct text *out, const char *name);

/*
 * Adds a readable name without result and parameters. If it has more than `most`
 * characters, the innermost template arguments become "…", then those around
 * them, then namespaces are left out, and at last the name is cut.
 */
void readable_shorten(struct text *out, const char *readable, size_t most);

/*
 * Whether a pattern selects a function: '*' and '?' stand for any text and any
 * character of the whole name; a pattern without them selects every name that
 * contains it. Tried on the mangled and on the readable name; case matters.
 */
bool mangled_matches(const char *pattern, const char *name);

/* A builtin type of C++. */
struct builtin_type {
	char letter;      /* of the ABI: 'i' */
	const char *name; /* "int" */
	size_t bytes;     /* on 64-bit Linux */
	bool real, is_signed;
};

/* What a mangled name says of a parameter of a function. */
struct mangled_parameter {
	const struct builtin_type
		*builtin; /* the parameter is of this type; NULL: another or not known */
	const struct builtin_type *pointee; /* it points to this type; NULL: another or not known */
	bool is_class;                      /* a class, struct, union or enumeration, by value */
};

/*
 * Reads the parameters of a function. Returns their number; at most `most` are
 * written. Returns -1 if the name is not mangled, or has a part that this reader
 * does not know.
 */
int mangled_parameters(struct mangled_parameter *out, size_t most, const char *name);

#endif
