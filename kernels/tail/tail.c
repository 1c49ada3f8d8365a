/*
 * tail: a vector addition whose length is not a multiple of the block. It shows
 * what the last, partly filled block costs, and that the cost vanishes as n
 * grows.
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

static int tail_compute_add(const struct oracle_run *run)
{
	int64_t length;
	struct addition of = {oracle_input(run, "a", &length), oracle_input(run, "b", &length),
			      oracle_result(run, "c", &length)};

	if (!of.a || !of.b || !of.c)
		return PL_EUSAGE;
	parallel_for(length, ORACLE_GRAIN, add_range, &of);
	return 0;
}

static const struct kernel_oracle oracle_add = {"tail/add", "", tail_compute_add};

#define TERM(length)                                                           \
	{"a", ELEMENT_F32, length, BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},         \
		{"b", ELEMENT_F32, length, BUFFER_IN, FILL_UNIFORM, 0.0, 1.0}, \
	{                                                                      \
		"c", ELEMENT_F32, length, BUFFER_OUT, FILL_NONE, 0.0, 0.0      \
	}

#define A ARG_OF_BUFFER("a")
#define B ARG_OF_BUFFER("b")
#define C ARG_OF_BUFFER("c")

static const struct kernel_variant variants[] = {
	VARIANT("guard", "threads_per_instruction",
		"only the last block has idle threads: less than one block is wasted",
		LAUNCHES({.entry = "tail_guard", ONE_A_THREAD, ARGS(A, B, C, ARG_OF_I64("n"))})),
	VARIANT("padded", "instructions",
		"arrays padded to whole blocks need no check, but large n are no faster",
		BUFFERS(TERM("ceil_div(n, block) * block")),
		LAUNCHES({.entry = "tail_padded", ONE_A_THREAD, ARGS(A, B, C)})),
	VARIANT("two_launches", "launches",
		"the remainder in a launch of its own costs more than any guard",
		LAUNCHES({.entry = "tail_two_launches",
			  .repeat = "min(1, n / block)",
			  .grid = {"n / block"},
			  .block = {"block"},
			  ARGS(A, B, C, ARG_OF_I64("0"))},
			 {.entry = "tail_two_launches",
			  .repeat = "min(1, n % block)",
			  .grid = {"1"},
			  .block = {"n % block"},
			  ARGS(A, B, C, ARG_OF_I64("n / block * block"))})),
};

const struct kernel kernel_tail = {
	.name = "tail",
	.summary = "what it costs if n is not a multiple of the block",
	/* The vector length of the notes, and a large one that no block divides either. */
	AXES(AXIS_BLOCK, {"n", "1000,16777195", "elements"}),
	.small_size = "1000,65515",
	BUFFERS(TERM("n")),
	.work = {.flop = "n", .bytes_read = "8 * n", .bytes_written = "4 * n"},
	/* A sum of two floats is exact in a double: the oracle rounds once, as the device does. */
	.tolerance_rel = 0.0,
	.oracle = &oracle_add,
	OWN_VARIANTS(variants),
};
