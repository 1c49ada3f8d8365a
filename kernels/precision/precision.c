/*
 * precision: the same sums of products in one precision after another, by
 * multiply-adds and by tensor cores. An element takes so many steps that
 * arithmetic is the limiter, until arithmetic is so fast that the launch
 * becomes the limiter.
 */
#include "kernels/table.h"

/* As in precision.cuh. */
#define EACH 8
#define PERIOD 16
#define RISING 9

struct sums {
	const int32_t *x;
	float *y;
	int64_t rise;
};

static void precision_sum_range(void *context, int64_t begin, int64_t end)
{
	const struct sums *of = context;

	for (int64_t i = begin; i < end; i++)
		of->y[i] = (float)(of->x[i] + of->rise);
}

/* Adds up whole periods: in each, RISING products are 1 and the others -1. */
static int compute_sums(const struct oracle_run *run)
{
	int64_t n;
	struct sums of = {
		.x = oracle_input(run, "x", &n),
		.y = oracle_result(run, "y", &n),
		.rise = oracle_axis(run, "steps", 0) / PERIOD * (2 * RISING - PERIOD),
	};

	if (!of.x || !of.y)
		return PL_EUSAGE;
	parallel_for(n, ORACLE_GRAIN, precision_sum_range, &of);
	return 0;
}

static const struct kernel_oracle oracle_sums = {"precision/sums", "n,steps", compute_sums};

#define X ARG_OF_BUFFER("x")
#define Y ARG_OF_BUFFER("y")
#define STEPS ARG_OF_I32("steps")
#define GRID .grid = {"ceil_div(n, " TEXT_OF(EACH) " * block)"}, .block = {"block"}
#define AMPERE TABLE_ROW("compute_capability >= 80", "needs compute capability 8.0 (Ampere)")

/* The work of a variant, in its precision. */
#define WORK_IN(name)                                                                            \
	.work = &(const struct kernel_work)                                                      \
	{                                                                                        \
		.flop = FLOP, .bytes_read = "4 * n", .bytes_written = "4 * n", .precision = name \
	}
#define FLOP "2 * n * steps"

static const struct kernel_variant variants[] = {
	VARIANT("f64", "flop_per_s", "double precision: the lowest roof of multiply-adds",
		WORK_IN("f64"),
		LAUNCHES({.entry = "precision_f64", GRID, ARGS(X, Y, N, ARG_OF_F32("1"), STEPS)})),
	VARIANT("f32", "flop_per_s",
		"single precision: twice the roof of double precision on the large chips",
		LAUNCHES({.entry = "precision_f32", GRID, ARGS(X, Y, N, ARG_OF_F32("1"), STEPS)})),
	VARIANT("f16", "instructions",
		"half precision, two numbers per register: half as many instructions",
		WORK_IN("f16"), CONSTRAINTS(AMPERE), /* its PTX converts two numbers at once */
		LAUNCHES({.entry = "precision_f16", GRID, ARGS(X, Y, N, ARG_OF_F32("1"), STEPS)})),
	VARIANT("bf16", "median_time_ns", "bfloat16: the same roof as half precision",
		WORK_IN("bf16"), CONSTRAINTS(AMPERE),
		LAUNCHES({.entry = "precision_bf16", GRID, ARGS(X, Y, N, ARG_OF_F32("1"), STEPS)})),
	VARIANT("tensor_f64", "median_time_ns",
		"tensor cores in double precision: products of 8 x 8 x 4, as fast as multiply-adds",
		WORK_IN("tensor_f64"),
		CONSTRAINTS(AMPERE, WHOLE_WARPS("the lanes of a warp multiply together")),
		LAUNCHES({.entry = "precision_tensor_f64", GRID, ARGS(X, Y, N, STEPS)})),
	VARIANT("tensor_tf32", "median_time_ns",
		"tensor cores on single precision, truncated to 19 bits", WORK_IN("tensor_tf32"),
		CONSTRAINTS(AMPERE, WHOLE_WARPS("the lanes of a warp multiply together")),
		LAUNCHES({.entry = "precision_tensor_tf32", GRID, ARGS(X, Y, N, STEPS)})),
	VARIANT("tensor_f16", "median_time_ns",
		"tensor cores in half precision: a roof so high that the launch takes as long",
		WORK_IN("tensor_f16"),
		CONSTRAINTS(AMPERE, WHOLE_WARPS("the lanes of a warp multiply together")),
		LAUNCHES({.entry = "precision_tensor_f16", GRID, ARGS(X, Y, N, STEPS)})),
	VARIANT("tensor_bf16", "median_time_ns",
		"tensor cores in bfloat16: the same roof as half precision", WORK_IN("tensor_bf16"),
		CONSTRAINTS(AMPERE, WHOLE_WARPS("the lanes of a warp multiply together")),
		LAUNCHES({.entry = "precision_tensor_bf16", GRID, ARGS(X, Y, N, STEPS)})),
};

const struct kernel kernel_precision = {
	.name = "precision",
	.summary = "the roof of arithmetic depends on the type of the numbers",
	AXES(AXIS_BLOCK, {"n", "2^20", "elements"},
	     {"steps", "1024", "products that are added to each element"}),
	.small_size = "2^13",
	BUFFERS({"x", ELEMENT_I32, "n", BUFFER_IN, FILL_UNIFORM, -128.0, -96.0},
		{"y", ELEMENT_F32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	/* From -128 on, 2048 steps lead to at most 160; bfloat16 represents all whole numbers up to
	 * 256. */
	CONSTRAINTS({"steps % " TEXT_OF(PERIOD) " == 0",
		     "steps must be a multiple of 16: the products repeat after 16 steps"},
		    {"steps <= 2048", "steps must be at most 2048: bfloat16 is exact up to 256"}),
	.work = {.flop = FLOP, .bytes_read = "4 * n", .bytes_written = "4 * n"},
	/* Results are integers that every type represents. */
	.tolerance_rel = 0.0,
	.oracle = &oracle_sums,
	OWN_VARIANTS(variants),
};
