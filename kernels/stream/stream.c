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

static int stream_compute(const struct oracle_run *run)
{
	int64_t n;
	struct computation of = {
		.operation = (enum operation)run->oracle->which,
		.a = oracle_input(run, "a", &n),
		.c = oracle_result(run, "c", &n),
	};
	const bool reads_b = of.operation == ADD || of.operation == TRIAD;

	if (reads_b)
		of.b = oracle_input(run, "b", &n);
	if (!of.a || !of.c || (reads_b && !of.b))
		return PL_EUSAGE;
	parallel_for(n, ORACLE_GRAIN, stream_compute_range, &of);
	return 0;
}

/* One oracle and one work model per operation. */
#define OPERATION(label, symbol, ...)                                                              \
	static const struct kernel_oracle oracle_##label = {"stream/" #label, "n", stream_compute, \
							    symbol};                               \
	static const struct kernel_work work_##label = {__VA_ARGS__};

OPERATION(copy, COPY, .bytes_read = "4 * n", .bytes_written = "4 * n")
OPERATION(scale, SCALE, .flop = "n", .bytes_read = "4 * n", .bytes_written = "4 * n")
OPERATION(add, ADD, .flop = "n", .bytes_read = "8 * n", .bytes_written = "4 * n")
OPERATION(triad, TRIAD, .flop = "2 * n", .bytes_read = "8 * n", .bytes_written = "4 * n")
#define DOES(label) .oracle = &oracle_##label, .work = &work_##label

/* The shapes of the launches. */
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

static const struct kernel_variant variants[] = {
	VARIANT("copy_scalar", "dram_bytes_per_s", "one 4-byte load per thread: the simplest copy",
		DOES(copy), LAUNCHES({.entry = "stream_copy_scalar", ONE_A_THREAD, ARGS(A, C, N)})),
	VARIANT("copy_float4", "instructions",
		"16-byte loads move the same bytes with a third of the instructions", DOES(copy),
		LAUNCHES({.entry = "stream_copy_float4", FOUR_A_THREAD, ARGS(A, C, N)})),
	VARIANT("copy_grid_stride", "blocks",
		"a grid that just fills the device strides over any n: fewer blocks", DOES(copy),
		LAUNCHES({.entry = "stream_copy_grid_stride", RESIDENT, ARGS(A, C, N)})),
	VARIANT("copy_unrolled", "dram_bytes_per_s",
		"four 16-byte loads per thread: a quarter of the blocks, so small blocks suffice",
		DOES(copy),
		LAUNCHES({.entry = "stream_copy_unrolled", SIXTEEN_A_THREAD, ARGS(A, C, N)})),
	VARIANT("copy_streaming", "dram_bytes_per_s",
		"marking data to leave the caches first makes a copy no faster", DOES(copy),
		LAUNCHES({.entry = "stream_copy_streaming", SIXTEEN_A_THREAD, ARGS(A, C, N)})),
	VARIANT("copy_memcpy", "dram_bytes_per_s",
		"the driver's copy, which cudaMemcpy calls: the library baseline for copies",
		DOES(copy), AXES({"block", "256", "ignored: the driver chooses"}),
		LAUNCHES({.library = "cuda", .entry = "copy", ARGS(A, C, ARG_OF_I64("4 * n"))})),
	VARIANT("scale_scalar", "dram_bytes_per_s",
		"one multiplication per load costs nothing: memory is the limiter", DOES(scale),
		LAUNCHES({.entry = "stream_scale_scalar", ONE_A_THREAD, ARGS(A, C, TIMES, N)})),
	VARIANT("scale_float4", "instructions",
		"16-byte loads move the same bytes with a third of the instructions", DOES(scale),
		LAUNCHES({.entry = "stream_scale_float4", FOUR_A_THREAD, ARGS(A, C, TIMES, N)})),
	VARIANT("scale_grid_stride", "blocks",
		"a grid that just fills the device strides over any n: fewer blocks", DOES(scale),
		LAUNCHES({.entry = "stream_scale_grid_stride", RESIDENT, ARGS(A, C, TIMES, N)})),
	VARIANT("add_scalar", "dram_bytes_per_s",
		"two arrays in, one out: 1.5 times the bytes in less than 1.5 times the time",
		DOES(add),
		LAUNCHES({.entry = "stream_add_scalar", ONE_A_THREAD, ARGS(A, B, C, N)})),
	VARIANT("add_float4", "instructions",
		"16-byte loads move the same bytes with a third of the instructions", DOES(add),
		LAUNCHES({.entry = "stream_add_float4", FOUR_A_THREAD, ARGS(A, B, C, N)})),
	VARIANT("add_grid_stride", "blocks",
		"a grid that just fills the device strides over any n: fewer blocks", DOES(add),
		LAUNCHES({.entry = "stream_add_grid_stride", RESIDENT, ARGS(A, B, C, N)})),
	VARIANT("triad_scalar", "dram_bytes_per_s",
		"one fused multiply-add per 12 bytes: far left of the roofline's ridge",
		DOES(triad),
		LAUNCHES({.entry = "stream_triad_scalar", ONE_A_THREAD, ARGS(A, B, C, TIMES, N)})),
	VARIANT("triad_float4", "instructions",
		"16-byte loads move the same bytes with a third of the instructions", DOES(triad),
		LAUNCHES({.entry = "stream_triad_float4", FOUR_A_THREAD, ARGS(A, B, C, TIMES, N)})),
	VARIANT("triad_grid_stride", "blocks",
		"a grid that just fills the device strides over any n: fewer blocks", DOES(triad),
		LAUNCHES({.entry = "stream_triad_grid_stride", RESIDENT, ARGS(A, B, C, TIMES, N)})),
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
	.tolerance_rel = 0x1p-23,
	.oracle = &oracle_copy,
	OWN_VARIANTS(variants),
};
