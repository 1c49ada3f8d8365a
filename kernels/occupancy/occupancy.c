/*
 * occupancy: how many warps a multiprocessor holds, what limits them, and what
 * they are good for. A stream is limited by shared memory that it requests but
 * does not use, a recurrence by its registers, which are capped lower and
 * lower, and tiles by a grid of as few blocks as requested.
 */
#include <string.h>

#include "kernels/affine.h"
#include "kernels/table.h"

/* As in occupancy.cuh. */
#define AT_ONCE 8
#define VALUES 64
#define STEPS 16
/* As in cached_tiles.cu. */
#define CACHED_TILE 12288
#define PASSES 16

enum operation { STREAM, RECURRENCE };

struct elements {
	const float *x;
	float *y;
};

static void stream_range(void *context, int64_t begin, int64_t end)
{
	const struct elements *of = context;

	for (int64_t i = begin; i < end; i++)
		of->y[i] = (float)(2.0 * of->x[i] + 1.0);
}

/* The steps of the recurrence, and the sum of the values. Changes the values. */
static double run_recurrence(double values[VALUES])
{
	double sum = 0;

	for (int step = 0; step < STEPS; step++)
		for (int k = 0; k < VALUES; k++)
			values[k] += 0.5 * values[(k + 1) % VALUES];
	for (int k = 0; k < VALUES; k++)
		sum += values[k];
	return sum;
}

/* The definition of the result, before it is rounded to float. */
static double recurrence_element(double x)
{
	double values[VALUES];

	for (int k = 0; k < VALUES; k++)
		values[k] = x * ((k + 1) / 64.0) + 1.0;
	return run_recurrence(values);
}

/*
 * The recurrence is linear, so the result is scale * x + shift. Its margin: all
 * factors are positive, so a result is (1 + e) times the exact one if x is not
 * negative, with |e| at most R * 2^-53 for R roundings in a row. R is 1 for the
 * first addition, at most 2 a step, as the last value adds one of the same
 * step, and VALUES for the sum. The same holds for scale and shift, and the
 * composition rounds twice. With a negative x the errors of scale * |x| and
 * shift add up to no more. 4 * (R + 2) * 2^-53 is more than twice the sum.
 */
struct recurrence {
	double scale, shift;
	struct affine_margin margin;
};

static struct recurrence compose_recurrence(void)
{
	const double relative = 4 * (1 + 2 * STEPS + VALUES + 2) * 0x1p-53;
	double of_x[VALUES], of_1[VALUES];
	struct recurrence all;

	for (int k = 0; k < VALUES; k++) {
		of_x[k] = (k + 1) / 64.0;
		of_1[k] = 1.0;
	}
	all.scale = run_recurrence(of_x);
	all.shift = run_recurrence(of_1);
	all.margin = (struct affine_margin){relative * all.scale, relative * all.shift};
	return all;
}

WIDE_VECTORS static void recurrence_range(void *context, int64_t begin, int64_t end)
{
	const struct elements *of = context;
	const struct recurrence all = compose_recurrence();

	for (int64_t first = begin; first < end; first += AFFINE_GROUP) {
		const int64_t count = end - first < AFFINE_GROUP ? end - first : AFFINE_GROUP;
		float x[AFFINE_GROUP] = {0}, y[AFFINE_GROUP];
		int unsure = 0;

		memcpy(x, of->x + first, (size_t)count * sizeof(*x));
		for (int e = 0; e < AFFINE_GROUP; e++)
			y[e] = affine_float(all.scale, all.shift, all.margin, (double)x[e],
					    &unsure);
		for (int e = 0; unsure && e < AFFINE_GROUP; e++)
			y[e] = (float)recurrence_element((double)x[e]);
		memcpy(of->y + first, y, (size_t)count * sizeof(*y));
	}
}

static int occupancy_compute(const struct oracle_run *run)
{
	int64_t n;
	struct elements of = {oracle_input(run, "x", &n), oracle_result(run, "y", &n)};

	if (!of.x || !of.y)
		return PL_EUSAGE;
	if (run->oracle->which == STREAM)
		parallel_for(n, ORACLE_GRAIN, stream_range, &of);
	else
		parallel_for(n, 256, recurrence_range, &of);
	return 0;
}

struct tiles {
	const uint32_t *x;
	uint32_t *y; /* one result per thread and tile */
	int64_t n, threads;
};

static void tile_range(void *context, int64_t begin, int64_t end)
{
	const struct tiles *of = context;

	for (int64_t tile = begin; tile < end; tile++) {
		const uint32_t *x = of->x + tile * CACHED_TILE;
		uint32_t *y = of->y + tile * of->threads;
		int64_t left = of->n - tile * CACHED_TILE;
		int64_t count = left < CACHED_TILE ? left : CACHED_TILE;

		memset(y, 0, (size_t)of->threads * sizeof(*y));
		for (int64_t first = 0; first < count; first += of->threads)
			oracle_add_words(y, x + first,
					 count - first < of->threads ? count - first : of->threads);
		for (int64_t t = 0; t < of->threads; t++)
			y[t] *= PASSES * (PASSES + 1) / 2; /* 1 + 2 + … times */
	}
}

static int occupancy_compute_tiles(const struct oracle_run *run)
{
	int64_t results;
	struct tiles of = {.threads = oracle_axis(run, "block", 0)};

	of.x = oracle_input(run, "x", &of.n);
	of.y = oracle_result(run, "y", &results);
	if (!of.x || !of.y)
		return PL_EUSAGE;
	if (!of.threads || results != (of.n + CACHED_TILE - 1) / CACHED_TILE * of.threads)
		return error_set(run->err, PL_EUSAGE, "oracle %s: axes and buffers disagree",
				 run->work->oracle);
	parallel_for(results / of.threads, ORACLE_GRAIN / CACHED_TILE + 1, tile_range, &of);
	return 0;
}

static const struct kernel_oracle oracle_tiles = {"occupancy/tiles", "n,block",
						  occupancy_compute_tiles};

static const struct kernel_oracle oracle_stream = {"occupancy/stream", "n", occupancy_compute,
						   STREAM};
static const struct kernel_oracle oracle_recurrence = {"occupancy/recurrence", "n",
						       occupancy_compute, RECURRENCE};
static const struct kernel_work work_stream = {
	.flop = "2 * n", .bytes_read = "4 * n", .bytes_written = "4 * n"};
/* The initial step of each value, the steps of the recurrence, and the sum. */
static const struct kernel_work work_recurrence = {
	.flop = "n * (2 * " TEXT_OF(VALUES) " * (1 + " TEXT_OF(STEPS) ") + " TEXT_OF(
		VALUES) " - 1)",
	.bytes_read = "4 * n",
	.bytes_written = "4 * n"};
#define DOES(label) .oracle = &oracle_##label, .work = &work_##label

#define X ARG_OF_BUFFER("x")
#define Y ARG_OF_BUFFER("y")

#define LIMITED_STREAM(label, elements, shown_by, teaches)                           \
	{                                                                            \
		.name = #label, .lesson = teaches, .metric = shown_by, DOES(stream), \
		AXES({"shared_kib", "1,64,200",                                      \
		      "shared memory per block in KiB, requested but not used"}),    \
		LAUNCHES({.entry = "occupancy_" #label,                              \
			  .grid = {"ceil_div(n, " #elements " * block)"},            \
			  .block = {"block"},                                        \
			  .shared_bytes = "1024 * shared_kib",                       \
			  ARGS(X, Y, N)}),                                           \
	}
/* The arguments after the metric: the lesson, and any constraints. */
#define CAPPED_RECURRENCE(label, shown_by, ...)                       \
	{                                                             \
		.name = #label, .metric = shown_by, DOES(recurrence), \
		AXES({"n", "2^20", "elements"}),                      \
		LAUNCHES({.entry = "occupancy_" #label,               \
			  .grid = {"ceil_div(n, block)"},             \
			  .block = {"block"},                         \
			  ARGS(X, Y, N)}),                            \
		.lesson = __VA_ARGS__                                 \
	}

#define TILE_RESULTS "ceil_div(n, " TEXT_OF(CACHED_TILE) ") * block"
static const struct kernel_tolerance exactly = {.abs = 0.0, .rel = 0.0};

static const struct kernel_variant variants[] = {
	LIMITED_STREAM(one_load, 1, "achieved_occupancy_pct",
		       "shared memory limits the blocks: a stream with one load per thread needs "
		       "them all"),
	LIMITED_STREAM(
		eight_loads, 8, "achieved_occupancy_pct",
		"eight loads per thread: three eighths of the warps are as fast as one load with "
		"all"),
	VARIANT("cached_tiles", "l2_from_l1_bytes",
		"more blocks at a time need more cache than there is: threads compete for it",
		.oracle = &oracle_tiles, .tolerance = &exactly,
		.work = &(const struct kernel_work){.bytes_read = "4 * n",
						    .bytes_written = "4 * " TILE_RESULTS},
		BUFFERS({"x", ELEMENT_U32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 1048576.0},
			{"y", ELEMENT_U32, TILE_RESULTS, BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
		AXES({"blocks", "1,2,4,8", "blocks in the grid per multiprocessor"}),
		LAUNCHES({.entry = "occupancy_cached_tiles",
			  .grid = {"sm_count * blocks"},
			  .block = {"block"},
			  ARGS(X, Y, N)})),
	CAPPED_RECURRENCE(
		uncapped, "theoretical_occupancy_pct",
		"registers limit the warps: few warps, but each has all its values in registers"),
	CAPPED_RECURRENCE(
		bounds_one_block, "achieved_occupancy_pct",
		"launch bounds of 1024 threads: 64 registers per thread, the first values are "
		"spilled"),
	CAPPED_RECURRENCE(
		maxnreg_48, "achieved_occupancy_pct",
		"48 registers for 64 values: more warps, which wait for their spilled values"),
	CAPPED_RECURRENCE(
		bounds_two_blocks, "achieved_occupancy_pct",
		"two blocks of 1024 threads: full occupancy, but slower than all variants above",
		CONSTRAINTS({"max_threads_per_sm >= 2048",
			     "a multiprocessor must hold 2048 threads: two blocks of 1024"})),
};

const struct kernel kernel_occupancy = {
	.name = "occupancy",
	.summary = "what limits the warps on a multiprocessor, and whether more warps are faster",
	AXES(AXIS_BLOCK, {"n", "2^24", "elements"}),
	.small_size = "2^14",
	BUFFERS({"x", ELEMENT_F32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"y", ELEMENT_F32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	.work = {.flop = "2 * n", .bytes_read = "4 * n", .bytes_written = "4 * n"},
	/* All numbers are positive, so relative errors do not grow: 17 roundings of a value and 64
	 * of the sum, half a unit each (2^-24 relative): 4.8e-6. */
	.tolerance_rel = 5e-6,
	.oracle = &oracle_stream,
	OWN_VARIANTS(variants),
};
