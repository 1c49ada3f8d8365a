/*
 * arguments: the arguments of launches, as a descriptor has them (struct
 * kernel_arg) and as a kernel gets them (struct case_arg): bytes, and the
 * offsets at which the addresses of buffers stand in them. Whoever knows the
 * addresses puts them there; nothing else depends on how an argument was
 * written.
 */
#ifndef KERNELS_ARGUMENTS_H
#define KERNELS_ARGUMENTS_H

#include "base/base.h"
#include "kernels/tensor_argument.h"
#include "kernels/texture.h"

/*
 * Symbol, name, bytes. TEXTURE is the handle of a texture or surface object, TENSOR_MAP a
 * CUtensorMap by value. INTEGER and REAL are scalars whose type the compiled entry decides; they
 * occur only in descriptors and in cases that are not bound to an image yet. BYTES is a struct by
 * value. STRUCT is one, too, with a field for each member; it occurs only in descriptors and
 * becomes BYTES.
 */
#define ARG_KIND_LIST(X)                                 \
	X(ARG_BUFFER, "buffer", 8)                       \
	X(ARG_I32, "i32", 4)                             \
	X(ARG_U32, "u32", 4)                             \
	X(ARG_I64, "i64", 8)                             \
	X(ARG_F32, "f32", 4)                             \
	X(ARG_I8, "i8", 1)                               \
	X(ARG_U8, "u8", 1)                               \
	X(ARG_I16, "i16", 2)                             \
	X(ARG_U16, "u16", 2)                             \
	X(ARG_U64, "u64", 8)                             \
	X(ARG_F16, "f16", 2)                             \
	X(ARG_BF16, "bf16", 2)                           \
	X(ARG_F64, "f64", 8)                             \
	X(ARG_TEXTURE, "texture", 8)                     \
	X(ARG_TENSOR_MAP, "tensormap", TENSOR_MAP_BYTES) \
	X(ARG_BYTES, "bytes", 0)                         \
	X(ARG_INTEGER, "integer", 0)                     \
	X(ARG_REAL, "real", 0)                           \
	X(ARG_STRUCT, "struct", 0)

enum arg_kind {
#define X(symbol, name, bytes) symbol,
	ARG_KIND_LIST(X)
#undef X
};
const char *arg_kind_name(enum arg_kind kind);
bool arg_kind_parse(enum arg_kind *out, const char *name);
bool arg_kind_is_real(enum arg_kind kind); /* F16, BF16, F32, F64 */
/* The values that an integer argument can have. */
void arg_kind_range(enum arg_kind kind, int64_t *low, int64_t *high);

/* The largest parameter space of a kernel in CUDA 12.1 and later. */
#define ARG_MOST_BYTES 32764
#define ARG_ADDRESS_BYTES 8

/* ---- in a descriptor ---- */

struct kernel_arg {
	enum arg_kind kind;
	/* Name of a buffer, also of TEXTURE and TENSOR_MAP, or an expression. Floating-point kinds
	 * and REAL take a decimal literal or an expression. BYTES takes two hex digits per byte.
	 * STRUCT: as it was written. */
	const char *value;
	/* BUFFER: an expression, the elements between the start of the buffer and the address;
	 * NULL: none. */
	const char *addend;
	/* STRUCT: the members in order, of kinds that have a size, or structs themselves. They have
	 * the offsets of C: each at a multiple of its size, the struct at one of its largest. */
	const struct kernel_arg *fields;
	size_t field_count;
	size_t align; /* STRUCT: its alignment is at least this power of two; 0: no more than that
		       */
	bool packed;  /* STRUCT: neither it nor its fields have an alignment */
	const struct kernel_texture *texture; /* TEXTURE; else NULL */
	const struct kernel_tensor *tensor;   /* TENSOR_MAP; else NULL */
};
/* As C lays the argument out. INTEGER and REAL have 0 bytes; the alignment of BYTES is 1. */
size_t kernel_arg_bytes(const struct kernel_arg *arg);
size_t kernel_arg_align(const struct kernel_arg *arg);
/* The offset of a field of a struct. The fields before it end at `end`. */
size_t kernel_arg_field_offset(const struct kernel_arg *arg, size_t field, size_t end);
/* Whether the argument is this buffer, has its address in it, or is a texture or tensor map of it.
 */
bool kernel_arg_uses(const struct kernel_arg *arg, const char *buffer);
/* How many addresses of buffers the argument has. */
size_t kernel_arg_addresses(const struct kernel_arg *arg);

/* ---- in a case ---- */

/* A place in an argument that holds an address in a buffer, or that of its end; or a tensor map
 * over a buffer. */
struct arg_address {
	size_t offset;
	size_t buffer;   /* index into the buffers of the case */
	uint64_t addend; /* bytes between the start of the buffer and the address */
	/* NULL: it is an address. Else as in struct case_arg, whose release frees it. */
	struct tensor_map *tensor;
};
size_t arg_address_bytes(const struct arg_address *place);

struct case_arg {
	enum arg_kind kind;   /* never STRUCT */
	int64_t integer;      /* integer kinds; ARG_BUFFER, ARG_TEXTURE, ARG_TENSOR_MAP: index into
				 buffers; ARG_BYTES: their number */
	double real;          /* floating-point kinds */
	uint64_t addend;      /* ARG_BUFFER: as in struct arg_address */
	unsigned char *bytes; /* ARG_BYTES, with 0 where addresses stand; else NULL */
	/* ARG_BYTES: ascending, no two overlap, all within the bytes. */
	struct arg_address *addresses;
	size_t address_count;
	/* ARG_BYTES that was a STRUCT: its fields and their offsets, for messages. NULL in a
	 * worker. */
	char *layout;
	struct case_texture *texture; /* TEXTURE; else NULL */
	/* TENSOR_MAP, with address 0; else NULL. It obeys the rules, and its tensor lies in the
	 * buffer. */
	struct tensor_map *tensor;
};
void case_arg_release(struct case_arg *arg);
/* The bytes of an argument as a kernel gets it. */
size_t case_arg_bytes(const struct case_arg *arg);
/* The addresses in an argument of any kind. An argument of kind BUFFER is one at offset 0. */
size_t case_arg_address_count(const struct case_arg *arg);
struct arg_address case_arg_address(const struct case_arg *arg, size_t index);
/* Writes case_arg_bytes() bytes as the kernel gets them, with 0 in place of each address,
 * handle and tensor map. The kind is neither INTEGER nor REAL. */
void case_arg_write(void *out, const struct case_arg *arg);
/* Appends what tells two arguments apart beyond kind and number: the bytes of a struct in hex
 * digits with its addresses, and the addend of a buffer. */
void case_arg_describe(struct text *out, const struct case_arg *arg);

#endif
