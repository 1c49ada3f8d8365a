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
#define TEXT_OF(macro) TEXT_OF_TOKEN(macro)
#define TEXT_OF_TOKEN(token) #token

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
static int compute_sums(const struct launch_case *work, const struct host_buffers *inputs,
			struct host_buffers *expected, struct error *err)
{
	int64_t n, steps = 0;
	void *x, *y;
	int rc = oracle_buffer(&x, work, inputs, "x", &n, err);

	if (!rc)
		rc = oracle_buffer(&y, work, expected, "y", &n, err);
	if (rc)
		return rc;
	launch_case_axis(work, "steps", &steps);
	parallel_for(n, ORACLE_GRAIN, precision_sum_range,
		     &(struct sums){x, y, steps / PERIOD * (2 * RISING - PERIOD)});
	return 0;
}

static const struct kernel_oracle oracle_sums = {
	.name = "precision/sums",
	.axes = "n,steps",
	.compute = compute_sums,
};

#define X ARG_OF_BUFFER("x")
#define Y ARG_OF_BUFFER("y")
#define N ARG_OF_I64("n")
#define STEPS ARG_OF_I32("steps")
#define GRID .grid = {"ceil_div(n, " TEXT_OF(EACH) " * block)"}, .block = {"block"}
#define AMPERE                                                                      \
	{                                                                           \
		"compute_capability >= 80", "needs compute capability 8.0 (Ampere)" \
	}

/* The work of a variant, in its precision. */
#define WORK_IN(name)                                                                            \
	.work = &(const struct kernel_work)                                                      \
	{                                                                                        \
		.flop = FLOP, .bytes_read = "4 * n", .bytes_written = "4 * n", .precision = name \
	}
#define FLOP "2 * n * steps"

static const struct kernel_variant variants[] = {
	{
		.name = "f64",
		WORK_IN("f64"),
		.lesson = "double precision: the lowest roof of multiply-adds",
		.metric = "flop_per_s",
		LAUNCHES({.entry = "precision_f64", GRID, ARGS(X, Y, N, ARG_OF_F32("1"), STEPS)}),
	},
	{
		.name = "f32",
		.lesson = "single precision: twice the roof of double precision on the large chips",
		.metric = "flop_per_s",
		LAUNCHES({.entry = "precision_f32", GRID, ARGS(X, Y, N, ARG_OF_F32("1"), STEPS)}),
	},
	{
		.name = "f16",
		WORK_IN("f16"),
		.lesson = "half precision, two numbers per register: half as many instructions",
		.metric = "instructions",
		CONSTRAINTS(AMPERE), /* its PTX converts two numbers at once */
		LAUNCHES({.entry = "precision_f16", GRID, ARGS(X, Y, N, ARG_OF_F32("1"), STEPS)}),
	},
	{
		.name = "bf16",
		WORK_IN("bf16"),
		.lesson = "bfloat16: the same roof as half precision",
		.metric = "median_time_ns",
		CONSTRAINTS(AMPERE),
		LAUNCHES({.entry = "precision_bf16", GRID, ARGS(X, Y, N, ARG_OF_F32("1"), STEPS)}),
	},
	{
		.name = "tensor_f64",
		WORK_IN("tensor_f64"),
		.lesson = "tensor cores in double precision: products of 8 x 8 x 4, as fast as "
			  "multiply-adds",
		.metric = "median_time_ns",
		CONSTRAINTS(AMPERE, WHOLE_WARPS("the lanes of a warp multiply together")),
		LAUNCHES({.entry = "precision_tensor_f64", GRID, ARGS(X, Y, N, STEPS)}),
	},
	{
		.name = "tensor_tf32",
		WORK_IN("tensor_tf32"),
		.lesson = "tensor cores on single precision, truncated to 19 bits",
		.metric = "median_time_ns",
		CONSTRAINTS(AMPERE, WHOLE_WARPS("the lanes of a warp multiply together")),
		LAUNCHES({.entry = "precision_tensor_tf32", GRID, ARGS(X, Y, N, STEPS)}),
	},
	{
		.name = "tensor_f16",
		WORK_IN("tensor_f16"),
		.lesson = "tensor cores in half precision: a roof so high that the launch takes as "
			  "long",
		.metric = "median_time_ns",
		CONSTRAINTS(AMPERE, WHOLE_WARPS("the lanes of a warp multiply together")),
		LAUNCHES({.entry = "precision_tensor_f16", GRID, ARGS(X, Y, N, STEPS)}),
	},
	{
		.name = "tensor_bf16",
		WORK_IN("tensor_bf16"),
		.lesson = "tensor cores in bfloat16: the same roof as half precision",
		.metric = "median_time_ns",
		CONSTRAINTS(AMPERE, WHOLE_WARPS("the lanes of a warp multiply together")),
		LAUNCHES({.entry = "precision_tensor_bf16", GRID, ARGS(X, Y, N, STEPS)}),
	},
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
	.tolerance_abs = 0.0,
	.tolerance_rel = 0.0,
	.oracle = &oracle_sums,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
