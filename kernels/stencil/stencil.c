/*
 * stencil: sums over a window of nine elements, in tiles of shared memory. It
 * shows the cost of fetching the halo of a tile, depending on which threads
 * fetch it.
 */
#include <string.h>

#include "kernels/affine.h"
#include "kernels/table.h"

/* As in stencil.cuh. */
#define RADIUS 4
#define STEPS_SHORT 1
#define STEPS_LONG 32

#define WINDOW_ELEMENTS (2 * RADIUS + 1)

struct window {
	const float *x;
	float *y;
	int steps;
};

static double weight(double x, int steps)
{
	for (int step = 0; step < steps; step++)
		x = 0.5 * x + (step + 1) / 32.0;
	return x;
}

/* The definition of the results. Keeps the weights of a window in a ring, so that each is computed
 * once. The order of a sum depends on the place. */
static void sum_windows(const struct window *of, int64_t begin, int64_t end)
{
	double ring[WINDOW_ELEMENTS] = {0};

	for (int64_t at = begin; at < end + 2 * RADIUS; at++) {
		double sum = 0.0;

		ring[at % WINDOW_ELEMENTS] = weight((double)of->x[at], of->steps);
		if (at < begin + 2 * RADIUS)
			continue;
		for (int k = 0; k < WINDOW_ELEMENTS; k++)
			sum += ring[k];
		of->y[at - 2 * RADIUS] = (float)sum;
	}
}

/*
 * A weight is an affine step of its element, so the sum of a window is one of
 * the sum of its elements. The margin is that of a chain with the steps of a
 * weight and, for both sums, twice as many steps as a window has elements,
 * whose values never exceed the sum of the |x| by more than the constants of all
 * weights. With few steps that has no use: inputs have so few bits that sums are
 * often halfway between two floats, where every margin is too wide.
 */
WIDE_VECTORS static void sum_windows_at_once(const struct window *of, int64_t begin, int64_t end)
{
	const double scale = ldexp(1.0, -of->steps);
	const double shift = WINDOW_ELEMENTS * weight(0, of->steps);
	const struct affine_margin margin = affine_margin_of_steps(
		of->steps + 2 * WINDOW_ELEMENTS, WINDOW_ELEMENTS * 2 * of->steps / 32.0);

	for (int64_t first = begin; first < end; first += AFFINE_GROUP) {
		const int64_t count = end - first < AFFINE_GROUP ? end - first : AFFINE_GROUP;
		float x[AFFINE_GROUP + 2 * RADIUS] = {0}, y[AFFINE_GROUP];
		int unsure = 0;

		memcpy(x, of->x + first, (size_t)(count + 2 * RADIUS) * sizeof(*x));
		for (int e = 0; e < AFFINE_GROUP; e++) {
			double sum = 0.0, magnitudes = 0.0;

			for (int k = 0; k < WINDOW_ELEMENTS; k++) {
				sum += (double)x[e + k];
				magnitudes += fabs((double)x[e + k]);
			}
			y[e] = affine_float_within(scale * sum + shift,
						   margin.factor * magnitudes + margin.addend,
						   &unsure);
		}
		memcpy(of->y + first, y, (size_t)count * sizeof(*y));
		if (unsure)
			sum_windows(of, first, first + count);
	}
}

static void stencil_sum_range(void *context, int64_t begin, int64_t end)
{
	const struct window *of = context;

	if (of->steps > STEPS_SHORT)
		sum_windows_at_once(of, begin, end);
	else
		sum_windows(of, begin, end);
}

/* Which oracle: the steps of a weight. */
static int stencil_compute(const struct oracle_run *run)
{
	int64_t n, padded;
	struct window of = {
		.x = oracle_input(run, "x", &padded),
		.y = oracle_result(run, "y", &n),
		.steps = run->oracle->which,
	};

	if (!of.x || !of.y)
		return PL_EUSAGE;
	parallel_for(n, ORACLE_GRAIN, stencil_sum_range, &of);
	return 0;
}

/* An oracle and a work model: each element is weighted once, and every window is summed. */
#define WINDOW(label, step_count)                                                         \
	static const struct kernel_oracle oracle_##label = {"stencil/" #label, "n",       \
							    stencil_compute, step_count}; \
	static const struct kernel_work work_##label = {                                  \
		.flop = "2 * " TEXT_OF(step_count) " * (n + 2 * " TEXT_OF(                \
			RADIUS) ") + 2 * " TEXT_OF(RADIUS) " * n",                        \
		.bytes_read = "4 * (n + 2 * " TEXT_OF(RADIUS) ")",                        \
		.bytes_written = "4 * n",                                                 \
	};

WINDOW(short, STEPS_SHORT)
WINDOW(long, STEPS_LONG)
#define DOES(label) .oracle = &oracle_##label, .work = &work_##label

#define SUMS(name)                                                         \
	LAUNCHES({.entry = name,                                           \
		  ONE_A_THREAD,                                            \
		  .shared_bytes = "4 * (block + 2 * " TEXT_OF(RADIUS) ")", \
		  ARGS(ARG_OF_BUFFER("x"), ARG_OF_BUFFER("y"), ARG_OF_I64("n"))})
#define HALO_OF_A_BLOCK                                                \
	TABLE_ROW("block >= " TEXT_OF(RADIUS),                         \
		  "block must be at least 4: one thread fetches each " \
		  "element of one side of the halo")
#define TWO_HALOS_OF_A_BLOCK                       \
	TABLE_ROW("block >= 2 * " TEXT_OF(RADIUS), \
		  "block must be at least 8: no thread may be at both ends of the block")

static const struct kernel_variant variants[] = {
	VARIANT("two_ifs", "branch_targets_divergent",
		"the halo by two ifs: the first and the last warp diverge once each", DOES(long),
		CONSTRAINTS(HALO_OF_A_BLOCK), SUMS("stencil_two_ifs")),
	VARIANT("if_else_if", "branch_targets_divergent",
		"the halo by if and else-if: the same warps diverge, and as often", DOES(long),
		CONSTRAINTS(TWO_HALOS_OF_A_BLOCK), SUMS("stencil_if_else_if")),
	VARIANT("one_if", "branch_targets_divergent",
		"four threads fetch both sides of the halo: one warp diverges, but for longer",
		DOES(long), CONSTRAINTS(HALO_OF_A_BLOCK), SUMS("stencil_one_if")),
	VARIANT("two_ifs_short", "branch_targets",
		"two ifs around a load and a store are predicated: none diverges", DOES(short),
		CONSTRAINTS(HALO_OF_A_BLOCK), SUMS("stencil_two_ifs_short")),
	VARIANT("if_else_if_short", "branch_targets",
		"an else-if is harder to predicate: code that looks cheaper may branch",
		DOES(short), CONSTRAINTS(TWO_HALOS_OF_A_BLOCK), SUMS("stencil_if_else_if_short")),
};

const struct kernel kernel_stencil = {
	.name = "stencil",
	.summary = "sums over a window: which threads fetch the halo of a tile in shared memory",
	AXES(AXIS_BLOCK, {"n", "2^22", "elements"}),
	.small_size = "2^16",
	BUFFERS({"x", ELEMENT_F32, "ceil_div(n, block) * block + 2 * " TEXT_OF(RADIUS), BUFFER_IN,
		 FILL_UNIFORM, 0.0, 1.0},
		{"y", ELEMENT_F32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	.work = {.flop = "2 * " TEXT_OF(STEPS_LONG) " * n",
		 .bytes_read = "4 * n",
		 .bytes_written = "4 * n"},
	/* Eight additions, each rounded by half a unit of at most the sum (2^-24): 5e-7. A weight
	 * errs by two units at most, because every step halves the error of the one before:
	 * 1.2e-7. */
	.tolerance_rel = 1e-6,
	.oracle = &oracle_long,
	OWN_VARIANTS(variants),
};
