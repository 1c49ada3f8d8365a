/*
 * stream: memory bandwidth. Four operations with almost no arithmetic, after
 * McCalpin's STREAM. The variants of each operation keep more and more bytes in
 * flight.
 */
#include "kernels/table.h"

/* The product of FACTOR and a float in [0, 1), plus another such float, is exact in a double, so an
 * oracle that rounds once is right to the last bit. */
#define FACTOR 3.0
#define FACTOR_TEXT "3.0"

enum operation { COPY, SCALE, ADD, TRIAD };

struct computation {
	enum operation operation;
	const float *a, *b;
	float *c;
};

static void stream_compute_range(void *context, int64_t begin, int64_t end)
{
	const struct computation *of = context;

	for (int64_t i = begin; i < end; i++) {
		double of_a = of->a[i];
		double of_b = of->b ? of->b[i] : 0.0;
		double result = of->operation == COPY    ? of_a
				: of->operation == SCALE ? FACTOR * of_a
				: of->operation == ADD   ? of_a + of_b
							 : of_a + FACTOR * of_b;

		of->c[i] = (float)result;
	}
}

static int stream_compute(enum operation operation, const struct launch_case *work,
			  const struct host_buffers *inputs, struct host_buffers *expected,
			  struct error *err)
{
	void *a = NULL, *b = NULL, *c = NULL;
	int64_t n;
	int rc = oracle_buffer(&a, work, inputs, "a", &n, err);

	if (!rc && (operation == ADD || operation == TRIAD))
		rc = oracle_buffer(&b, work, inputs, "b", &n, err);
	if (!rc)
		rc = oracle_buffer(&c, work, expected, "c", &n, err);
	if (!rc)
		parallel_for(n, ORACLE_GRAIN, stream_compute_range,
			     &(struct computation){operation, a, b, c});
	return rc;
}

/* One oracle and one work model per operation. */
#define OPERATION(label, symbol, ...)                                                       \
	static int stream_compute_##label(const struct launch_case *work,                   \
					  const struct host_buffers *inputs,                \
					  struct host_buffers *expected, struct error *err) \
	{                                                                                   \
		return stream_compute(symbol, work, inputs, expected, err);                 \
	}                                                                                   \
	static const struct kernel_oracle oracle_##label = {                                \
		.name = "stream/" #label, .axes = "n", .compute = stream_compute_##label};  \
	static const struct kernel_work work_##label = {__VA_ARGS__};

OPERATION(copy, COPY, .bytes_read = "4 * n", .bytes_written = "4 * n")
OPERATION(scale, SCALE, .flop = "n", .bytes_read = "4 * n", .bytes_written = "4 * n")
OPERATION(add, ADD, .flop = "n", .bytes_read = "8 * n", .bytes_written = "4 * n")
OPERATION(triad, TRIAD, .flop = "2 * n", .bytes_read = "8 * n", .bytes_written = "4 * n")
#define DOES(label) .oracle = &oracle_##label, .work = &work_##label

/* The shapes of the launches. */
#define ONE_A_THREAD .grid = {"ceil_div(n, block)"}, .block = {"block"}
#define FOUR_A_THREAD .grid = {"ceil_div(n, 4 * block)"}, .block = {"block"}
#define SIXTEEN_A_THREAD .grid = {"ceil_div(n, 16 * block)"}, .block = {"block"}
/* As many blocks as fit on the device at the same time, and no more than there is work for. */
#define RESIDENT                                                                                \
	.grid = {"min(ceil_div(n, 4 * block), sm_count * max(1, max_threads_per_sm / block))"}, \
	.block = {"block"}

#define A ARG_OF_BUFFER("a")
#define B ARG_OF_BUFFER("b")
#define C ARG_OF_BUFFER("c")
#define TIMES ARG_OF_F32(FACTOR_TEXT)
#define N ARG_OF_I64("n")

static const struct kernel_variant variants[] = {
	{
		.name = "copy_scalar",
		.lesson = "one 4-byte load per thread: the simplest copy",
		.metric = "dram_bytes_per_s",
		DOES(copy),
		LAUNCHES({.entry = "stream_copy_scalar", ONE_A_THREAD, ARGS(A, C, N)}),
	},
	{
		.name = "copy_float4",
		.lesson = "16-byte loads move the same bytes with a third of the instructions",
		.metric = "instructions",
		DOES(copy),
		LAUNCHES({.entry = "stream_copy_float4", FOUR_A_THREAD, ARGS(A, C, N)}),
	},
	{
		.name = "copy_grid_stride",
		.lesson = "a grid that just fills the device strides over any n: fewer blocks",
		.metric = "blocks",
		DOES(copy),
		LAUNCHES({.entry = "stream_copy_grid_stride", RESIDENT, ARGS(A, C, N)}),
	},
	{
		.name = "copy_unrolled",
		.lesson = "four 16-byte loads per thread: a quarter of the blocks, so small blocks "
			  "suffice",
		.metric = "dram_bytes_per_s",
		DOES(copy),
		LAUNCHES({.entry = "stream_copy_unrolled", SIXTEEN_A_THREAD, ARGS(A, C, N)}),
	},
	{
		.name = "copy_streaming",
		.lesson = "marking data to leave the caches first makes a copy no faster",
		.metric = "dram_bytes_per_s",
		DOES(copy),
		LAUNCHES({.entry = "stream_copy_streaming", SIXTEEN_A_THREAD, ARGS(A, C, N)}),
	},
	{
		.name = "copy_memcpy",
		.lesson = "the driver's copy, which cudaMemcpy calls: the library baseline for "
			  "copies",
		.metric = "dram_bytes_per_s",
		DOES(copy),
		AXES({"block", "256", "ignored: the driver chooses"}),
		LAUNCHES({.library = "cuda", .entry = "copy", ARGS(A, C, ARG_OF_I64("4 * n"))}),
	},
	{
		.name = "scale_scalar",
		.lesson = "one multiplication per load costs nothing: memory is the limiter",
		.metric = "dram_bytes_per_s",
		DOES(scale),
		LAUNCHES({.entry = "stream_scale_scalar", ONE_A_THREAD, ARGS(A, C, TIMES, N)}),
	},
	{
		.name = "scale_float4",
		.lesson = "16-byte loads move the same bytes with a third of the instructions",
		.metric = "instructions",
		DOES(scale),
		LAUNCHES({.entry = "stream_scale_float4", FOUR_A_THREAD, ARGS(A, C, TIMES, N)}),
	},
	{
		.name = "scale_grid_stride",
		.lesson = "a grid that just fills the device strides over any n: fewer blocks",
		.metric = "blocks",
		DOES(scale),
		LAUNCHES({.entry = "stream_scale_grid_stride", RESIDENT, ARGS(A, C, TIMES, N)}),
	},
	{
		.name = "add_scalar",
		.lesson = "two arrays in, one out: 1.5 times the bytes in less than 1.5 times the "
			  "time",
		.metric = "dram_bytes_per_s",
		DOES(add),
		LAUNCHES({.entry = "stream_add_scalar", ONE_A_THREAD, ARGS(A, B, C, N)}),
	},
	{
		.name = "add_float4",
		.lesson = "16-byte loads move the same bytes with a third of the instructions",
		.metric = "instructions",
		DOES(add),
		LAUNCHES({.entry = "stream_add_float4", FOUR_A_THREAD, ARGS(A, B, C, N)}),
	},
	{
		.name = "add_grid_stride",
		.lesson = "a grid that just fills the device strides over any n: fewer blocks",
		.metric = "blocks",
		DOES(add),
		LAUNCHES({.entry = "stream_add_grid_stride", RESIDENT, ARGS(A, B, C, N)}),
	},
	{
		.name = "triad_scalar",
		.lesson = "one fused multiply-add per 12 bytes: far left of the roofline's ridge",
		.metric = "dram_bytes_per_s",
		DOES(triad),
		LAUNCHES({.entry = "stream_triad_scalar", ONE_A_THREAD, ARGS(A, B, C, TIMES, N)}),
	},
	{
		.name = "triad_float4",
		.lesson = "16-byte loads move the same bytes with a third of the instructions",
		.metric = "instructions",
		DOES(triad),
		LAUNCHES({.entry = "stream_triad_float4", FOUR_A_THREAD, ARGS(A, B, C, TIMES, N)}),
	},
	{
		.name = "triad_grid_stride",
		.lesson = "a grid that just fills the device strides over any n: fewer blocks",
		.metric = "blocks",
		DOES(triad),
		LAUNCHES({.entry = "stream_triad_grid_stride", RESIDENT, ARGS(A, B, C, TIMES, N)}),
	},
};

const struct kernel kernel_stream = {
	.name = "stream",
	.summary = "copy, scale, add and triad of float arrays: memory bandwidth",
	AXES(AXIS_BLOCK, {"n", "2^24", "elements of each array"}),
	.small_size = "2^16",
	BUFFERS({"a", ELEMENT_F32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"b", ELEMENT_F32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"c", ELEMENT_F32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	.work = {.bytes_read = "4 * n", .bytes_written = "4 * n"},
	/* One unit in the last place, for a device without a fused multiply-add. */
	.tolerance_abs = 0.0,
	.tolerance_rel = 0x1p-23,
	.oracle = &oracle_copy,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
