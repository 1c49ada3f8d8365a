/*
 * tail: a vector addition whose length is no multiple of the block. What the
 * last, partly filled block costs, and that it vanishes as n grows.
 */
#include "kernels/table.h"

struct addition {
	const float *a, *b;
	float *c;
};

static void add_range(void *context, int64_t begin, int64_t end)
{
	const struct addition *of = context;

	for (int64_t i = begin; i < end; i++)
		of->c[i] = (float)((double)of->a[i] + of->b[i]);
}

static int compute_add(const struct launch_case *work, const struct host_buffers *inputs,
		       struct host_buffers *expected, struct error *err)
{
	void *a, *b, *c;
	int64_t length;
	int rc = oracle_buffer(&a, work, inputs, "a", &length, err);

	if (!rc)
		rc = oracle_buffer(&b, work, inputs, "b", &length, err);
	if (!rc)
		rc = oracle_buffer(&c, work, expected, "c", &length, err);
	if (!rc)
		parallel_for(length, ORACLE_GRAIN, add_range, &(struct addition){a, b, c});
	return rc;
}

static const struct kernel_oracle oracle_add = {
	.name = "tail/add",
	.axes = "",
	.compute = compute_add,
};

#define TERM(length)                                                           \
	{"a", ELEMENT_F32, length, BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},         \
		{"b", ELEMENT_F32, length, BUFFER_IN, FILL_UNIFORM, 0.0, 1.0}, \
	{                                                                      \
		"c", ELEMENT_F32, length, BUFFER_OUT, FILL_NONE, 0.0, 0.0      \
	}

static const struct kernel_buffer padded_buffers[] = {TERM("ceil_div(n, block) * block")};

#define A ARG_OF_BUFFER("a")
#define B ARG_OF_BUFFER("b")
#define C ARG_OF_BUFFER("c")

static const struct kernel_variant variants[] = {
	{
		.name = "guard",
		.lesson =
			"only the last block has threads to send away: less than a block of waste",
		.metric = "threads_per_instruction",
		LAUNCHES({.entry = "tail_guard",
			  .grid = {"ceil_div(n, block)"},
			  .block = {"block"},
			  ARGS(A, B, C, ARG_OF_I64("n"))}),
	},
	{
		.name = "padded",
		.lesson =
			"arrays of whole blocks: no thread asks, and large n are no faster for it",
		.metric = "instructions",
		.buffers = padded_buffers,
		.buffer_count = ARRAY_SIZE(padded_buffers),
		LAUNCHES({.entry = "tail_padded",
			  .grid = {"ceil_div(n, block)"},
			  .block = {"block"},
			  ARGS(A, B, C)}),
	},
	{
		.name = "two_launches",
		.lesson = "the rest in a launch of its own: that costs more than any guard",
		.metric = "launches",
		LAUNCHES({.entry = "tail_two_launches",
			  .repeat = "min(1, n / block)",
			  .grid = {"n / block"},
			  .block = {"block"},
			  ARGS(A, B, C, ARG_OF_I64("0"))},
			 {.entry = "tail_two_launches",
			  .repeat = "min(1, n % block)",
			  .grid = {"1"},
			  .block = {"n % block"},
			  ARGS(A, B, C, ARG_OF_I64("n / block * block"))}),
	},
};

const struct kernel kernel_tail = {
	.name = "tail",
	.summary = "what it costs that n is no multiple of the block",
	/* The vector of the documents, and a large one that no block divides, either. */
	AXES(AXIS_BLOCK, {"n", "1000,16777195", "elements"}),
	.small_size = "1000,65515",
	BUFFERS(TERM("n")),
	.work = {.flop = "n", .bytes_read = "8 * n", .bytes_written = "4 * n"},
	/* A sum of two floats is exact in a double: rounded once, as on the device. */
	.tolerance_abs = 0.0,
	.tolerance_rel = 0.0,
	.oracle = &oracle_add,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
