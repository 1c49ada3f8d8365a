/*
 * kernels: the kernels that perflab measures, described as data.
 *
 * A kernel is a family of variants that compute the same thing. Its descriptor
 * is a constant table of axes, constraints, buffers, launches, a tolerance and
 * a work model. The numbers in it are expressions over the axes and the
 * device's limits. kernel_resolve() evaluates them for one configuration and
 * one device. A worker needs nothing but the resulting struct launch_case, and
 * the oracle, which it looks up by name. Only device code (.cu, .cuh) includes
 * CUDA headers.
 *
 * Expressions use C syntax over 64-bit integers: + - * / %, ( ), comparisons,
 * &&, ||, !, and min(a,b), max(a,b), ceil_div(a,b), is_pow2(a), log2(a)
 * (floor), pow2(a), isqrt(a) (floor). Overflow, division by zero and unknown
 * names are errors. The variables are the axes of the case, the fields of
 * struct device_limits and, in a repeated launch, `i`: the index of the repeat,
 * from 0.
 */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "base/base.h"
#include "kernels/arguments.h"
#include "kernels/element.h"

/* Names of kernels and variants have fewer bytes. */
#define KERNEL_NAME_BYTES 64

enum buffer_role {
	BUFFER_IN,       /* filled once; no launch writes it */
	BUFFER_OUT,      /* poisoned before verification, then compared with the oracle */
	BUFFER_INOUT,    /* restored from its fill before every execution, then compared */
	BUFFER_SCRATCH,  /* device memory that is neither input nor result */
	BUFFER_PER_CALL, /* scratch that every execution allocates and frees in its timed part */
};
const char *
buffer_role_name(enum buffer_role role); /* "in", "out", "inout", "scratch", "per_call" */
bool buffer_role_parse(enum buffer_role *out, const char *name);

/*
 * How an input is initialised. UNIFORM draws from [low, high), INDEX is 0, 1, 2
 * …, CONSTANT is `low` everywhere, NORMAL has the mean `low` and the standard
 * deviation `high`, PERMUTATION has each of 0 … length - 1 once, in an order
 * drawn from the seed, FILE comes from a file, INTEGERS draws whole numbers from
 * [low, high], EXPRESSION computes each element from its index, CAPTURE is the
 * content of a memory before the recorded launch. NONE is for buffers that are
 * not inputs.
 */
enum buffer_fill {
	FILL_NONE,
	FILL_UNIFORM,
	FILL_INDEX,
	FILL_CONSTANT,
	FILL_NORMAL,
	FILL_PERMUTATION,
	FILL_FILE,
	FILL_INTEGERS, /* in cases: only of floating-point types; else it is UNIFORM */
	FILL_EXPRESSION,
	FILL_CAPTURE,
};
const char *buffer_fill_name(enum buffer_fill fill);
bool buffer_fill_parse(enum buffer_fill *out, const char *name);
bool buffer_fill_takes_bits(enum buffer_fill fill); /* UNIFORM, NORMAL, INTEGERS */

/* ---- descriptors: constant tables, one set per family ---- */

#define KERNEL_MAX_BUFFERS 256  /* of a case */
#define KERNEL_MAX_CASE_AXES 16 /* axes of the family and the variant together */

struct kernel_axis {
	const char *name;   /* "block", "n", "ways" */
	const char *values; /* default values, in the axis grammar: "64..1024" */
	const char *meaning;
	bool define; /* the source is compiled with -DNAME=VALUE for each value */
};

struct kernel_buffer {
	const char *name;
	enum element_type type;
	const char *length; /* expression: number of elements */
	enum buffer_role role;
	enum buffer_fill fill;
	double fill_low, fill_high;
	/* FILL_FILE: path of a .npy file or of raw bytes. FILL_CAPTURE: that of the capture. Else
	 * NULL. */
	const char *fill_file;
	size_t fill_index; /* FILL_CAPTURE: index of the memory in the capture */
	/* Name of a __device__ or __constant__ variable that gets the content before each
	 * execution; NULL: the buffer is device memory. */
	const char *symbol;
	bool optional; /* the image may lack that variable; then the buffer is device memory */
	/* Expression: how many significant bits of UNIFORM, NORMAL and INTEGERS values are random,
	 * and the others are 0. NULL: as many as the fill draws, see kernel_fill(). */
	const char *fill_bits;
	/* Expressions that give fill_low and fill_high. NULL: these are numbers already. */
	const char *fill_numbers[2];
	/* FILL_EXPRESSION: the element `i`, in the language of check_expression.h, over the axes
	 * and the limits of the device; else NULL. */
	const char *fill_expression;
	/* The type as which the bytes of a result are compared. */
	bool has_compared; /* false: `type` */
	enum element_type compared;
};

/* The largest preferred share of shared memory, in percent. */
#define CARVEOUT_MOST 100

struct kernel_launch {
	const char *entry; /* extern "C" name in the variant's image */
	/* NULL: device code. Otherwise the library ("cublas") with an operation of this name; the
	 * library chooses grid and block. A variant that has only such launches has no image. */
	const char *library;
	const char *grid[3]; /* expressions; NULL means 1 */
	const char *block[3];
	const char *shared_bytes; /* dynamic shared memory; NULL means 0 */
	const char *repeat;       /* number of launches, with `i` as their index; NULL means 1 */
	const char *cluster[3];   /* blocks in a cluster; NULL means 1 */
	bool cooperative;         /* all blocks are resident, and may synchronise */
	const char *carveout;     /* percent of the memory of an SM that the L1 and shared memory
				   * have together; NULL: the driver chooses */
	const struct kernel_arg *args;
	size_t arg_count;
};

/* If `holds` evaluates to 0, the case is skipped. `reason`, a full phrase, says why. */
struct kernel_constraint {
	const char *holds;
	const char *reason;
};

/* The work that the operation needs, whatever the variant. Expressions; NULL means no such work. */
struct kernel_work {
	const char *flop;          /* floating-point operations; an FMA is 2 */
	const char *bytes_read;    /* each input byte once */
	const char *bytes_written; /* each output byte once */
	/* The precision of `flop`: one of work_precision_names(), not an expression. NULL: "f32".
	 * "": not stated. */
	const char *precision;
};
/* The precisions of a work model, as rooflines name them: "f16", "tensor_bf16". Ends with NULL. */
const char *const *work_precision_names(void);

struct launch_case;
struct host_buffers;

/* A result r is right if |r - expected| <= abs + rel * |expected|. NaN is never right, and an
 * infinite r only if it is expected. */
struct kernel_tolerance {
	double abs, rel;
};

/* What an oracle computes from what. Both arrays of buffers use the indices of work->buffers. */
struct oracle_run {
	const struct kernel_oracle *oracle;
	const struct launch_case *work;
	const struct host_buffers *inputs;
	struct host_buffers *expected;
	struct error *err;
};

/*
 * The CPU reference. compute() fills expected->data[b] for every OUT and INOUT
 * buffer b of `work` from inputs->data[]. The result must be right for every configuration that
 * meets the constraints. It must depend only on the inputs, the buffer lengths and what `axes`
 * lists, separated by commas: names of axes, or expressions over them without commas. Cases that
 * agree in these values share one result.
 */
struct kernel_oracle {
	const char *name; /* unique: "reduce/sum" */
	const char *axes; /* "n,ways"; "" if it depends on the buffers only */
	int (*compute)(const struct oracle_run *run);
	int which; /* for a compute() of several oracles: which of them it is */
};
int kernel_oracle_compute(const struct kernel_oracle *oracle, const struct launch_case *work,
			  const struct host_buffers *inputs, struct host_buffers *expected,
			  struct error *err);

/* A file of the user that holds device code, and how it is compiled. */
struct kernel_source {
	const char *path;         /* absolute; its suffix is .cu, .ptx or .cubin */
	const char *standard;     /* "c++17"; NULL: the compiler's default */
	const char *const *flags; /* for nvcc or NVRTC, in order: "-Iinclude", "--use_fast_math" */
	size_t flag_count;
	const char
		*compiler; /* "nvrtc" or "nvcc"; NULL: nvrtc if it can read the file, else nvcc */
};

/*
 * How the results of a user's kernel are verified.
 * LAUNCHES: other launches compute the expected results from the same inputs.
 * EXPRESSION: an expression gives each element of a buffer (check_expression.h).
 * FILE: a .npy file has the expected content of a buffer; or a capture, with the
 *   content of the memory that fills the buffer after the recorded launch.
 * COMMAND: a program reads the inputs and writes the expected results as .npy files.
 * NONE: nothing is compared; such trials are `unverified`.
 * Items give the content of single buffers: any in a check of kind EXPRESSION, and those that the
 * launches or the command of another kind do not decide.
 */
enum check_kind {
	CHECK_ORACLE,
	CHECK_LAUNCHES,
	CHECK_EXPRESSION,
	CHECK_FILE,
	CHECK_COMMAND,
	CHECK_NONE
};
const char *check_kind_name(enum check_kind kind); /* "oracle", "launches" … */
bool check_kind_parse(enum check_kind *out, const char *name);

struct kernel_check_item {
	const char *buffer;
	const char *text; /* the expression, or the path of the file */
	/* EXPRESSION: as the user wrote it, if parts of it have names there; NULL: as `text`. */
	const char *written;
	bool is_file; /* `text` is a path, whatever the kind of the check */
};

struct kernel_check {
	enum check_kind kind;
	const struct kernel_launch *launches; /* LAUNCHES */
	size_t launch_count;
	const struct kernel_source *source;    /* LAUNCHES: NULL means the source of the variant */
	const struct kernel_check_item *items; /* not of NONE */
	size_t item_count;
	const char *command; /* COMMAND: for /bin/sh */
	const char *folder;  /* COMMAND: absolute; that of the file with the line */
};

struct kernel_variant {
	const char *name;   /* the idea: "shuffle"; the image is FAMILY/NAME.cu */
	const char *image;  /* NULL: that image; else another variant's: "reduce/shuffle" */
	const char *lesson; /* what it teaches, in one line */
	const char *metric; /* the metric that shows it, or "status" */
	const struct kernel_launch *launches;
	size_t launch_count;
	const struct kernel_constraint *constraints;
	size_t constraint_count;
	/* In addition to the family's axes. An axis with the same name replaces the family's. */
	const struct kernel_axis *axes;
	size_t axis_count;
	const struct kernel_buffer *buffers; /* NULL: the family's */
	size_t buffer_count;
	const struct kernel_oracle *oracle;       /* NULL: the family's */
	const struct kernel_work *work;           /* NULL: the family's */
	const struct kernel_tolerance *tolerance; /* NULL: the family's */
	const struct kernel_source *source;       /* NULL: the image is built in */
	bool is_replacement;                      /* of the kernel of a capture */
	const struct kernel_check *check;         /* NULL: the oracle */
};

struct kernel {
	const char *name;
	const char *summary;            /* one line */
	bool on_request;                /* runs only when it is named, not as one of all kernels */
	const struct kernel_axis *axes; /* `block` is among them */
	size_t axis_count;
	/* Values of the axis n at which every case completes within seconds, even without a GPU.
	 * NULL: the default values are small enough. */
	const char *small_size;
	const struct kernel_buffer *buffers;
	size_t buffer_count;
	const struct kernel_constraint *constraints; /* for every variant */
	size_t constraint_count;
	struct kernel_work work;
	double tolerance_abs, tolerance_rel; /* as struct kernel_tolerance */
	const struct kernel_oracle *oracle;  /* NULL: every variant has its own, or a check */
	const struct kernel_variant *variants;
	size_t variant_count;
};

/* The kernels among which a plan selects: the built-in ones, or those of the user's files. */
struct kernel_set {
	const struct kernel *const *items;
	size_t count;
};

/* All built-in kernels, in teaching order. */
const struct kernel *const *kernel_all(size_t *count);
struct kernel_set kernel_set_built_in(void);
const struct kernel *kernel_find(const char *name); /* built in; NULL: none */
const struct kernel_variant *kernel_find_variant(const struct kernel *kernel, const char *name);
const struct kernel_oracle *kernel_find_oracle(const char *name);
/* The axes of a variant, those of its family first. */
size_t variant_axis_count(const struct kernel *kernel, const struct kernel_variant *variant);
const struct kernel_axis *variant_axis(const struct kernel *kernel,
				       const struct kernel_variant *variant, size_t index);

/* The name of a variant of an earlier revision: "saxpy@1a2b3c4d" of "saxpy". It keeps only the
 * begin of a name that would be too long, with digits of its hash. */
void variant_name_at(char out[KERNEL_NAME_BYTES], const char *variant, const char *mark);

/* Adds how a variant is verified, as its user wrote it: "y = 2 * x + y; total = sum(x)". */
void kernel_check_describe(struct text *out, const struct kernel *kernel,
			   const struct kernel_variant *variant);

/* ---- the limits of a device that descriptors may depend on ---- */

/* Field, meaning. Every field is an int64_t and a variable in expressions. */
#define DEVICE_LIMIT_LIST(X)                                                            \
	X(compute_capability, "10 * major version + minor version")                     \
	X(max_threads_per_block, "threads in one block")                                \
	X(max_grid_x, "blocks in x")                                                    \
	X(max_shared_bytes_per_block, "bytes of shared memory per block, opt-in limit") \
	X(max_threads_per_sm, "resident threads per multiprocessor")                    \
	X(sm_count, "multiprocessors")                                                  \
	X(global_memory_bytes, "bytes of device memory")                                \
	X(l2_bytes, "bytes of the L2 cache")

struct device_limits {
#define X(field, meaning) int64_t field;
	DEVICE_LIMIT_LIST(X)
#undef X
};
/* Limits that every CUDA device of compute capability 7.5 to 12 meets. For plans made without a
 * device. */
extern const struct device_limits device_limits_minimum;

/* ---- launch descriptions: a case with every number resolved, pure data ---- */

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
	bool has_fill_bits;
	int fill_bits; /* valid if has_fill_bits: 0 to element_significant_bits(type) */
	/* As in struct kernel_buffer, but with values in place of the names of axes and limits: two
	 * cases with equal texts have equal content. */
	char *fill_expression;
	/* As in struct kernel_buffer. */
	char *fill_file;
	size_t fill_index;
	bool has_compared;
	enum element_type compared;
	char *symbol;
	bool optional; /* as in struct kernel_buffer, until the case is bound to an image */
	/* With a symbol: the name of the variable in the image of the case, and in that of the
	 * check's launches. NULL: `symbol`, or for the check the same as for the case. */
	char *variable, *check_variable;
};

struct case_launch {
	char *entry;
	char library[16]; /* "": device code */
	int64_t grid[3], block[3], cluster[3];
	bool cooperative, has_carveout;
	int64_t carveout; /* valid if has_carveout: 0 to CARVEOUT_MOST */
	int64_t shared_bytes;
	struct case_arg *args;
	size_t arg_count;
};

struct case_check_item {
	size_t buffer; /* index into buffers */
	char *text;
	bool is_file; /* as in struct kernel_check_item */
};

/* As struct kernel_check, resolved. */
struct case_check {
	enum check_kind kind;
	struct case_launch *launches;
	size_t launch_count;
	char *image; /* of the launches; NULL: that of the case */
	struct case_check_item *items;
	size_t item_count;
	char *command;
	char *folder; /* NULL: the current folder of the worker */
};

/*
 * Invariants: axes are sorted by name; buffers are those that the variant uses,
 * results always among them; every product of sizes fits int64_t; launches are
 * in order, with repeats unrolled. The holder owns the case and frees it with
 * launch_case_free(), which accepts NULL.
 */
struct launch_case {
	char kernel[KERNEL_NAME_BYTES], variant[KERNEL_NAME_BYTES];
	/* A built-in image: "reduce/shuffle". An image of the user: the absolute path of its .ptx
	 * or .cubin; "" until it is compiled. */
	char *image;
	/* The absolute path of the machine code that was made from the PTX of a built-in image, and
	 * its architecture, "sm_90"; NULL: the PTX itself. */
	char *code;
	char code_arch[8];
	bool is_replacement; /* of the kernel of a capture: its launch is not the recorded one */
	char oracle[64];     /* CHECK_ORACLE; else "" */
	struct case_check check;
	struct axis_value axes[KERNEL_MAX_CASE_AXES];
	size_t axis_count;
	struct case_buffer *buffers;
	size_t buffer_count;
	struct case_launch *launches;
	size_t launch_count;
	double tolerance_abs, tolerance_rel;
	bool has_flop; /* false: the work model has no operations */
	int64_t flop, bytes_read, bytes_written;
	char precision[16]; /* as in struct kernel_work; not sent to a worker, which needs none */
};
void launch_case_free(struct launch_case *launch_case);
bool case_check_item_is_file(const struct case_check *check, size_t item);
bool case_check_has_file(const struct case_check *check);
/* Sets *out to the value of an axis. Returns false if the case has no such axis. */
bool launch_case_axis(const struct launch_case *launch_case, const char *name, int64_t *out);
/* Bytes of all buffers; with `scratch_only`, of those that are neither input nor result. Excludes
 * guard zones, static device arrays and what a library allocates itself. */
int64_t launch_case_buffer_bytes(const struct launch_case *launch_case, bool scratch_only);
/* The type as which the bytes of a result are compared. */
enum element_type case_buffer_compared(const struct case_buffer *buffer);
size_t case_buffer_bytes(const struct case_buffer *buffer);
bool case_buffer_is_input(const struct case_buffer *buffer);  /* IN and INOUT */
bool case_buffer_is_result(const struct case_buffer *buffer); /* OUT and INOUT */
/* The library of the first launch that calls one; NULL if all launches are device code. */
const char *launch_case_library(const struct launch_case *launch_case);
/* Appends the canonical text, keys sorted: "block=256,n=16777216". */
void axes_text(struct text *out, const struct axis_value *axes, size_t count);

/* launch_case.image of each case of a variant, before it is compiled; malloc'd. */
char *variant_image(const struct kernel *kernel, const struct kernel_variant *variant);

/*
 * Resolves a variant with axis values for a device. Returns 0 and sets *out,
 * which the caller frees. If a constraint does not hold, the device is too
 * small or an axis of 0 makes a launch impossible, it returns 0, sets *out =
 * NULL and writes the reason to *skip. Returns PL_EUSAGE if an axis is missing,
 * unknown or out of range, or if a size overflows; *out is then untouched.
 */
int kernel_resolve(struct launch_case **out, struct text *skip, const struct kernel *kernel,
		   const struct kernel_variant *variant, const struct axis_value *axes,
		   size_t axis_count, const struct device_limits *limits, struct error *err);

/* ---- data on the host ---- */

struct host_buffers {
	void *data[KERNEL_MAX_BUFFERS]; /* NULL if a buffer of this role has no data */
};
/*
 * Fills `data`, which holds length * element_size_bytes(type) bytes. An element
 * depends only on the seed, the buffer's name and its index, for a permutation
 * also on the length. The bits are the same on every machine (integer hash,
 * correctly rounded arithmetic).
 *
 * UNIFORM: 24 random bits (53 for F64) choose one of as many values at equal
 *   distances, so the last mantissa bits of values near 0 are 0. Values are
 *   rounded towards zero to narrow types. Bounds beyond an integer type are
 *   those of the type; a `high` one past its largest value includes that value.
 *   The bits of the built-in kernels' inputs may never change, so only a fill
 *   with has_fill_bits draws every bit of the mantissa.
 * INDEX: integers wrap to the type.
 * NORMAL: the sum of 12 uniform values, so no value is further than 6 standard
 *   deviations from the mean, and values beyond 4 are rarer than in a normal
 *   distribution. Integers are rounded to the nearest and clamped to the type.
 * PERMUTATION: an error if the type cannot hold length - 1 exactly.
 * INTEGERS: bounds beyond the whole numbers that the type holds exactly are the
 *   last of these.
 * UNIFORM, NORMAL and INTEGERS with has_fill_bits: a value keeps its first
 *   fill_bits significant bits and is so rounded towards zero, by which it may
 *   leave the range. With 0 every value is `low`.
 * EXPRESSION: an error names the first element that cannot be computed, or whose
 *   value the type cannot hold; see check_expression_fill().
 * CAPTURE: addresses in the content are those of the recorded program. An error
 *   if the memory has another size than the buffer.
 * FILE: a name ending in .npy is read as npy_load() does. Any other file must
 *   hold the elements' bytes and nothing else.
 *
 * Returns 0; PL_EUSAGE if the permutation, the file or the expression does not
 * fit the buffer; for a file also the errors of npy_load(), for an expression
 * those of check_expression_parse() and check_expression_fill(), for a capture
 * those of capture_open() and capture_read_memory(). Other fills cannot fail.
 */
int kernel_fill(void *data, const struct case_buffer *buffer, uint64_t seed, struct error *err);

/* ---- expressions ---- */

struct expression_variable {
	const char *name;
	int64_t value;
};
/* Returns PL_EPARSE, with the position and the text, and leaves *out untouched on failure. */
int expression_evaluate(int64_t *out, const char *expression,
			const struct expression_variable *variables, size_t count,
			struct error *err);

#endif
