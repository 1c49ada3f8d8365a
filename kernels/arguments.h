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
#include "base/tensor_map.h"

/* ---- textures and tensor maps ---- */

/*
 * A texture is a buffer that a kernel reads through a texture object, or accesses through a surface
 * object. The texels lie in the buffer one after another: rows of a width, then slices or layers.
 * The type of the buffer is that of a channel.
 */
/* What a coordinate outside of a texture means; names as in CUDA. */
#define TEXTURE_ADDRESS_LIST(X)             \
	X(TEXTURE_ADDRESS_CLAMP, "clamp")   \
	X(TEXTURE_ADDRESS_BORDER, "border") \
	X(TEXTURE_ADDRESS_WRAP, "wrap")     \
	X(TEXTURE_ADDRESS_MIRROR, "mirror")
enum texture_address {
#define X(symbol, name) symbol,
	TEXTURE_ADDRESS_LIST(X)
#undef X
};

#define TEXTURE_DIMENSIONS 3

struct texture_reading {
	bool surface;
	bool fetch;            /* plain memory: one dimension, no filter, for tex1Dfetch() */
	bool layered;          /* the last of the sizes counts layers */
	bool cube;             /* width, height, and faces: 6, or 6 per layer */
	bool linear;           /* filter; else the nearest texel */
	bool normalized;       /* coordinates from 0 to 1; else they count texels */
	bool normalized_float; /* integers of 8 and 16 bits are read as 0 to 1 or -1 to 1 */
	int channels;          /* elements of the buffer per texel: 1, 2 or 4 */
	enum texture_address address[TEXTURE_DIMENSIONS];
};

/* In a descriptor. */
struct kernel_texture {
	struct texture_reading reading;
	const char *sizes[TEXTURE_DIMENSIONS]; /* expressions, in texels */
	size_t dimensions;                     /* how many of them there are, from 1 */
};

/* In a case. Invariant: the texels do not exceed the buffer. */
struct case_texture {
	struct texture_reading reading;
	int64_t sizes[TEXTURE_DIMENSIONS]; /* 1 beyond `dimensions` */
	size_t dimensions;
};
const char *texture_address_name(enum texture_address address);
bool texture_address_parse(enum texture_address *out, const char *name);

/* A tensor map over a buffer, in a descriptor. A case has a struct tensor_map (base/tensor_map.h),
 * whose address whoever knows the buffer's puts there. */
struct kernel_tensor {
	/* type, rank, mode, interleave, swizzle, promotion and fill; the rest are expressions. */
	struct tensor_map form;
	bool typed; /* the type is written; else the buffer's type decides */
	const char *sizes[TENSOR_MOST_RANK], *box[TENSOR_MOST_RANK]; /* elements */
	/* Bytes, of the dimensions from 1 on. NULL: the rows lie side by side. */
	const char *strides[TENSOR_MOST_RANK];
	const char *steps[TENSOR_MOST_RANK]; /* NULL: 1 */
	/* For the im2col mode, which has no box. A corner that is NULL is 0. */
	const char *channels, *pixels;
	const char *lower[TENSOR_IMAGE_MOST_RANK], *upper[TENSOR_IMAGE_MOST_RANK];
};

/* ---- kinds ---- */

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
