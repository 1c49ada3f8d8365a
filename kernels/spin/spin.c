/*
 * spin: threads that wait for another thread of their block, by polling or at a
 * barrier. Thread 0 computes a message, 16 times; all others need each message.
 */
#include "kernels/table.h"

/* As in spin.cuh. */
#define ROUNDS 16
#define STEPS 32

struct rounds {
	const float *x;
	float *y;
	int64_t block, n;
};

/* The sum of all messages, if thread 0 has the element `x`. */
static double messages_total(double x)
{
	double message = 1.0 + 0.5 * x, total = 0.0;

	for (int round = 0; round < ROUNDS; round++) {
		for (int step = 0; step < STEPS; step++)
			message = 0.5 * message + 0.75 + step / 128.0;
		total += message;
	}
	return total;
}

static void spin_run_blocks(void *context, int64_t begin, int64_t end)
{
	const struct rounds *of = context;

	for (int64_t b = begin; b < end; b++) {
		int64_t first = b * of->block;
		double total = messages_total(of->x[first]);

		for (int64_t i = first; i < first + of->block && i < of->n; i++)
			of->y[i] = (float)(of->x[i] + total);
	}
}

static int compute_rounds(const struct oracle_run *run)
{
	struct rounds of = {.block = oracle_axis(run, "block", 1)};

	of.x = oracle_input(run, "x", &of.n);
	of.y = oracle_result(run, "y", &of.n);
	if (!of.x || !of.y)
		return PL_EUSAGE;
	parallel_for((of.n + of.block - 1) / of.block, 64, spin_run_blocks, &of);
	return 0;
}

static const struct kernel_oracle oracle_rounds = {"spin/rounds", "block,n", compute_rounds};

#define WAITS(name)              \
	LAUNCHES({.entry = name, \
		  ONE_A_THREAD,  \
		  ARGS(ARG_OF_BUFFER("x"), ARG_OF_BUFFER("y"), ARG_OF_I64("n"))})
/* On older devices the lanes of a warp share one program counter, and the lanes that poll keep
 * it. */
#define OWN_PROGRAM_COUNTERS                     \
	CONSTRAINTS({"compute_capability >= 70", \
		     "threads of a warp must run independently: compute capability 7.0 or later"})

static const struct kernel_variant variants[] = {
	VARIANT("barrier", "median_time_ns",
		"threads that wait at a barrier do not slow down the one that works",
		WAITS("spin_barrier")),
	VARIANT("busy_wait", "instructions",
		"threads that poll a flag issue instructions for nothing", OWN_PROGRAM_COUNTERS,
		WAITS("spin_busy_wait")),
	VARIANT("busy_wait_sleeping", "median_time_ns",
		"sleeping between polls saves few instructions, but some of the time",
		OWN_PROGRAM_COUNTERS, WAITS("spin_busy_wait_sleeping")),
	VARIANT("busy_wait_one_lane", "instructions",
		"one lane polls for its warp: every warp still polls", OWN_PROGRAM_COUNTERS,
		WAITS("spin_busy_wait_one_lane")),
};

#define FLOP \
	"ceil_div(n, block) * " TEXT_OF(ROUNDS) " * 2 * " TEXT_OF(STEPS) " + n * " TEXT_OF(ROUNDS)

const struct kernel kernel_spin = {
	.name = "spin",
	.summary =
		"waiting for another thread of the block: polling a flag compared with a barrier",
	AXES(AXIS_BLOCK, {"n", "2^20", "elements"}),
	.small_size = "2^14",
	BUFFERS({"x", ELEMENT_F32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"y", ELEMENT_F32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	.work = {.flop = FLOP, .bytes_read = "4 * n", .bytes_written = "4 * n"},
	/* 16 additions up to about 32, each rounded by half a unit, 2^-24 relative: 1e-6 at most.
	 * The messages, which halve their error in every step, add two units. */
	.tolerance_rel = 2e-6,
	.oracle = &oracle_rounds,
	OWN_VARIANTS(variants),
};
