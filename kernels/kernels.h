/*
 * kernels: what can be measured. A kernel is a family that computes one
 * thing; a variant is one way to do it; a descriptor is data: axes, buffers,
 * launches and a work model whose numbers are expressions over the axes and
 * the device. Resolving a descriptor with concrete axis values gives a launch
 * description, the only thing that a worker needs (beside the oracle, which
 * it looks up by name). No CUDA header is included anywhere in this room but
 * in the .cu files.
 *
 * Expressions are C-like over 64-bit integers: + - * / %, ( ), comparisons,
 * &&, ||, !, and min(a,b), max(a,b), ceil_div(a,b), is_pow2(a), log2(a)
 * (floor), pow2(a), isqrt(a) (floor). Overflow, division by zero and unknown
 * names are errors. Variables: every axis of the case, the fields of struct
 * device_limits by name, and inside a repeated launch `i`, its index from 0.
 */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "base/base.h"

/* F16: IEEE half precision; BF16: the first half of an F32; TF32: an F32 whose last 13 bits are 0,
 * what tensor cores take of one. */
enum element_type {
	ELEMENT_F32,
	ELEMENT_F64,
	ELEMENT_I32,
	ELEMENT_U32,
	ELEMENT_F16,
	ELEMENT_BF16,
	ELEMENT_TF32,
	ELEMENT_TYPES, /* how many there are */
};
size_t element_size_bytes(enum element_type type);
const char *element_type_name(enum element_type type); /* "f32" … */
bool element_type_parse(enum element_type *out, const char *name);
/* Element `index` of an array; every value of every type is exact. */
double element_value(enum element_type type, const void *data, int64_t index);
/* Rounds towards zero to what the type can hold: its largest for more than that. */
void element_store(enum element_type type, void *data, int64_t index, double value);

enum buffer_role {
	BUFFER_IN,       /* filled once, never written by a launch */
	BUFFER_OUT,      /* poisoned before verification, then compared with the oracle */
	BUFFER_INOUT,    /* restored from its fill before every execution, then compared */
	BUFFER_SCRATCH,  /* device memory that is neither input nor result */
	BUFFER_PER_CALL, /* scratch that is allocated and freed inside every execution, in the timed
			    part */
};
const char *
buffer_role_name(enum buffer_role role); /* "in", "out", "inout", "scratch", "per_call" */
bool buffer_role_parse(enum buffer_role *out, const char *name);

/* How an input begins. UNIFORM draws from [low, high) by kernel_fill(), INDEX is 0, 1, 2 …,
 * CONSTANT is `low` everywhere; NONE is for buffers that are no input. */
enum buffer_fill { FILL_NONE, FILL_UNIFORM, FILL_INDEX, FILL_CONSTANT };
const char *buffer_fill_name(enum buffer_fill fill);
bool buffer_fill_parse(enum buffer_fill *out, const char *name);

enum arg_kind { ARG_BUFFER, ARG_I32, ARG_U32, ARG_I64, ARG_F32 };
const char *arg_kind_name(enum arg_kind kind);
bool arg_kind_parse(enum arg_kind *out, const char *name);

/* ---- descriptors: constant tables, one set a family ---- */

#define KERNEL_MAX_ARGS 10
#define KERNEL_MAX_BUFFERS 8
#define KERNEL_MAX_AXES 8
#define KERNEL_MAX_LAUNCHES 5
#define KERNEL_MAX_CONSTRAINTS 6
#define KERNEL_MAX_VARIANT_AXES 4
#define KERNEL_MAX_CASE_AXES 10 /* of the family and the variant together */

struct kernel_axis {
	const char *name;   /* "block", "n", "ways" */
	const char *values; /* the default, in the axis grammar: "64..1024" */
	const char *meaning;
};

struct kernel_buffer {
	const char *name;
	enum element_type type;
	const char *length; /* expression: elements */
	enum buffer_role role;
	enum buffer_fill fill;
	double fill_low, fill_high;
};

struct kernel_arg {
	enum arg_kind kind;
	const char *value; /* a buffer's name, or an expression; ARG_F32 takes a decimal literal */
};

struct kernel_launch {
	const char *entry; /* extern "C" name in the variant's image */
	/* NULL: device code. Else the library ("cublas") that has an operation of the entry's name:
	 * no grid, no block; the library chooses. A variant of such launches alone has no image. */
	const char *library;
	const char *grid[3]; /* expressions; NULL is 1 */
	const char *block[3];
	const char *shared_bytes; /* dynamic shared memory; NULL is 0 */
	const char *repeat;       /* how many times, with `i` counting; NULL is once */
	struct kernel_arg args[KERNEL_MAX_ARGS];
	size_t arg_count;
};

/* If `holds` evaluates to 0 the case is skipped, and `reason` (a full phrase) says why. */
struct kernel_constraint {
	const char *holds;
	const char *reason;
};

/* What the operation must do, whatever the variant: expressions. NULL is "no such work". */
struct kernel_work {
	const char *flop;          /* floating-point operations; an FMA is 2 */
	const char *bytes_read;    /* compulsory: each input byte once */
	const char *bytes_written; /* each output byte once */
};

struct launch_case;
struct host_buffers;

/* A result r is right when |r - expected| <= abs + rel * |expected|; NaN fails. */
struct kernel_tolerance {
	double abs, rel;
};

/*
 * The CPU reference. Fills expected->data[b] for every OUT and INOUT buffer b
 * of `work` from inputs->data[]; both arrays are indexed as work->buffers.
 * Must be right for every configuration that the constraints let through, and
 * must depend only on the inputs, the buffer lengths and the axes named in
 * `axes` (comma-separated): results are shared between cases that agree there.
 */
struct kernel_oracle {
	const char *name; /* unique: "reduce/sum" */
	const char *axes; /* "n,ways"; "" when the buffers say it all */
	int (*compute)(const struct launch_case *work, const struct host_buffers *inputs,
		       struct host_buffers *expected, struct error *err);
};

struct kernel_variant {
	const char *name;   /* named for its idea: "shuffle"; its image is FAMILY/NAME.cu */
	const char *image;  /* NULL: that one; else another family's variant: "reduce/shuffle" */
	const char *lesson; /* what it teaches, one line */
	const char *metric; /* the metric that shows it */
	struct kernel_launch launches[KERNEL_MAX_LAUNCHES];
	size_t launch_count;
	struct kernel_constraint constraints[KERNEL_MAX_CONSTRAINTS];
	size_t constraint_count;
	/* Beyond the family's; one of a family's name stands in its place. */
	struct kernel_axis axes[KERNEL_MAX_VARIANT_AXES];
	size_t axis_count;
	const struct kernel_buffer *buffers; /* NULL: the family's */
	size_t buffer_count;
	const struct kernel_oracle *oracle;       /* NULL: the family's */
	const struct kernel_work *work;           /* NULL: the family's */
	const struct kernel_tolerance *tolerance; /* NULL: the family's */
};

struct kernel {
	const char *name;
	const char *summary; /* one line */
	bool on_request;     /* left out of "every kernel": runs only when it is named */
	struct kernel_axis axes[KERNEL_MAX_AXES]; /* `block` is among them */
	size_t axis_count;
	/* Values of the axis n at which every case runs whole in moments, without a GPU, too; NULL:
	 * its default is small enough. */
	const char *small_size;
	struct kernel_buffer buffers[KERNEL_MAX_BUFFERS];
	size_t buffer_count;
	struct kernel_constraint constraints[KERNEL_MAX_CONSTRAINTS]; /* for every variant */
	size_t constraint_count;
	struct kernel_work work;
	double tolerance_abs, tolerance_rel; /* as struct kernel_tolerance */
	const struct kernel_oracle *oracle;
	const struct kernel_variant *variants;
	size_t variant_count;
};

/* All kernels, in the order in which they are taught. */
const struct kernel *const *kernel_all(size_t *count);
const struct kernel *kernel_find(const char *name); /* NULL: none */
const struct kernel_variant *kernel_find_variant(const struct kernel *kernel, const char *name);
const struct kernel_oracle *kernel_find_oracle(const char *name);
/* Every axis of a variant, those of its family first. */
size_t variant_axis_count(const struct kernel *kernel, const struct kernel_variant *variant);
const struct kernel_axis *variant_axis(const struct kernel *kernel,
				       const struct kernel_variant *variant, size_t index);

/* ---- the device's limits, as far as a descriptor may depend on them ---- */

/* Field, meaning. Every field is an int64_t and a variable of expressions. */
#define DEVICE_LIMIT_LIST(X)                                                    \
	X(compute_capability, "10 times the major version, and the minor")      \
	X(max_threads_per_block, "threads in one block")                        \
	X(max_grid_x, "blocks in x")                                            \
	X(max_shared_bytes_per_block, "shared memory of a block, opt-in limit") \
	X(max_threads_per_sm, "resident threads of a multiprocessor")           \
	X(sm_count, "multiprocessors")                                          \
	X(global_memory_bytes, "device memory")                                 \
	X(l2_bytes, "second-level cache")

struct device_limits {
#define X(field, meaning) int64_t field;
	DEVICE_LIMIT_LIST(X)
#undef X
};
/* What every CUDA device of compute capability 7.5 to 12 at least has; for plans made without a
 * device. */
extern const struct device_limits device_limits_minimum;

/* ---- launch descriptions: a case with every number resolved. Pure data. ---- */

struct axis_value {
	char name[32];
	int64_t value;
};

struct case_buffer {
	char name[32];
	enum element_type type;
	int64_t length; /* elements */
	enum buffer_role role;
	enum buffer_fill fill;
	double fill_low, fill_high;
};

struct case_arg {
	enum arg_kind kind;
	int64_t integer; /* ARG_BUFFER: index into buffers */
	double real;     /* ARG_F32 */
};

struct case_launch {
	char entry[128];
	char library[16]; /* "": device code */
	int64_t grid[3], block[3];
	int64_t shared_bytes;
	struct case_arg args[KERNEL_MAX_ARGS];
	size_t arg_count;
};

/*
 * Invariants: axes sorted by name; buffers are those that the variant uses
 * (results always); every product of sizes fits int64_t; launches in order,
 * repeats unrolled. Owned by its holder; launch_case_free(NULL) is fine.
 */
struct launch_case {
	char kernel[64], variant[64];
	char image[128]; /* "reduce/shuffle" */
	char oracle[64];
	struct axis_value axes[KERNEL_MAX_CASE_AXES];
	size_t axis_count;
	struct case_buffer buffers[KERNEL_MAX_BUFFERS];
	size_t buffer_count;
	struct case_launch *launches;
	size_t launch_count;
	double tolerance_abs, tolerance_rel;
	bool has_flop; /* work model; false: not modelled */
	int64_t flop, bytes_read, bytes_written;
};
void launch_case_free(struct launch_case *launch_case);
/* Value of an axis; false if the case has none of that name. */
bool launch_case_axis(const struct launch_case *launch_case, const char *name, int64_t *out);
/* Bytes of the buffers that the launches are given; `scratch_only`: of those that are neither input
 * nor result. Without guard zones, static device arrays, and what a library allocates itself. */
int64_t launch_case_buffer_bytes(const struct launch_case *launch_case, bool scratch_only);
/* The library of the first launch that is a library's; NULL: all are device code. */
const char *launch_case_library(const struct launch_case *launch_case);
/* Canonical text of axes, keys sorted: "block=256,n=16777216". */
void axes_text(struct text *out, const struct axis_value *axes, size_t count);

/*
 * Resolves variant + axis values on a device. Returns 0 and either
 * *out (to be freed) or, when a constraint does not hold, the device is too
 * small or an axis is 0, *out = NULL and the reason in *skip. PL_EUSAGE when a
 * size overflows or an axis is missing.
 */
int kernel_resolve(struct launch_case **out, struct text *skip, const struct kernel *kernel,
		   const struct kernel_variant *variant, const struct axis_value *axes,
		   size_t axis_count, const struct device_limits *limits, struct error *err);

/* ---- data on the host ---- */

struct host_buffers {
	void *data[KERNEL_MAX_BUFFERS]; /* NULL where the role has none */
};
/*
 * Fills `buffer` deterministically from seed, the buffer's name and element
 * index; bit-identical on every machine (integer hash, exact conversions).
 * `data` holds length * element_size_bytes(type) bytes.
 */
void kernel_fill(void *data, const struct case_buffer *buffer, uint64_t seed);

/* ---- expressions ---- */

struct expression_variable {
	const char *name;
	int64_t value;
};
/* *out is untouched on failure; PL_EPARSE with the position and the text. */
int expression_evaluate(int64_t *out, const char *expression,
			const struct expression_variable *variables, size_t count,
			struct error *err);

#endif
