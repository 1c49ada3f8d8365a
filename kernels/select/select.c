/*
 * select: a branch compared with a conditional assignment. Both choose between
 * two constants: once, by the index, or in every step of a recurrence, by the
 * data and so at random in every warp. Both give the same bits.
 */
#include <string.h>

#include "kernels/affine.h"
#include "kernels/table.h"

/* As in select.cuh. */
#define STEPS_SHORT 2
#define STEPS_LONG 64

/* All steps of an element: the definition of the result, before it is rounded to float. */
static double select_run_steps(double value, bool is_below, int steps)
{
	for (int step = 0; step < steps; step++)
		value = 0.5 * value + (is_below ? (step + 1) / 256.0 : (2 * step + 1) / 512.0);
	return value;
}

/* Each of the two choices as one affine step. */
struct recurrence {
	const float *x;
	float *y;
	int steps;
	double scale, shift_below, shift;
	struct affine_margin margin;
};

WIDE_VECTORS static void select_run_range(void *context, int64_t begin, int64_t end)
{
	const struct recurrence *of = context;

	for (int64_t first = begin; first < end; first += AFFINE_GROUP) {
		const int64_t count = end - first < AFFINE_GROUP ? end - first : AFFINE_GROUP;
		float x[AFFINE_GROUP] = {0}, y[AFFINE_GROUP];
		int unsure = 0;

		memcpy(x, of->x + first, (size_t)count * sizeof(*x));
		for (int e = 0; e < AFFINE_GROUP; e++)
			y[e] = affine_float(of->scale, x[e] < 0.5f ? of->shift_below : of->shift,
					    of->margin, (double)x[e], &unsure);
		for (int e = 0; unsure && e < AFFINE_GROUP; e++)
			y[e] = (float)select_run_steps((double)x[e], x[e] < 0.5f, of->steps);
		memcpy(of->y + first, y, (size_t)count * sizeof(*y));
	}
}

/* Which oracle: the steps of an element. */
static int select_compute(const struct oracle_run *run)
{
	const int steps = run->oracle->which;
	int64_t n;
	/* every constant is at most steps / 256, and the values are halved */
	struct recurrence of = {
		.x = oracle_input(run, "x", &n),
		.y = oracle_result(run, "y", &n),
		.steps = steps,
		.scale = ldexp(1.0, -steps),
		.shift_below = select_run_steps(0, true, steps),
		.shift = select_run_steps(0, false, steps),
		.margin = affine_margin_of_steps(steps, 2 * steps / 256.0),
	};

	if (!of.x || !of.y)
		return PL_EUSAGE;
	parallel_for(n, ORACLE_GRAIN, select_run_range, &of);
	return 0;
}

/* 1 for the first half of the elements, 2 for the others. */
static int compute_constants(const struct oracle_run *run)
{
	int64_t n;
	float *y = oracle_result(run, "y", &n);

	for (int64_t i = 0; y && i < n; i++)
		y[i] = i < n / 2 ? 1.0f : 2.0f;
	return y ? 0 : PL_EUSAGE;
}

static const struct kernel_oracle oracle_constants = {"select/constants", "n", compute_constants};
static const struct kernel_work work_constants = {.bytes_written = "4 * n"};

/* The work: one fused multiply-add per step. */
#define RECURRENCE(label, step_count)                                                              \
	static const struct kernel_oracle oracle_##label = {"select/" #label, "n", select_compute, \
							    step_count};                           \
	static const struct kernel_work work_##label = {                                           \
		.flop = "2 * n * " TEXT_OF(step_count),                                            \
		.bytes_read = "4 * n",                                                             \
		.bytes_written = "4 * n",                                                          \
	};

RECURRENCE(short, STEPS_SHORT)
RECURRENCE(long, STEPS_LONG)
#define DOES(label) .oracle = &oracle_##label, .work = &work_##label

#define OF_THE_DATA(name)        \
	LAUNCHES({.entry = name, \
		  ONE_A_THREAD,  \
		  ARGS(ARG_OF_BUFFER("x"), ARG_OF_BUFFER("y"), ARG_OF_I64("n"))})
#define OF_THE_INDEX(name)       \
	LAUNCHES({.entry = name, \
		  ONE_A_THREAD,  \
		  ARGS(ARG_OF_BUFFER("y"), ARG_OF_I64("n"), ARG_OF_I64("n / 2"))})

static const struct kernel_variant variants[] = {
	VARIANT("branch", "branch_targets_divergent",
		"a branch on random data: every warp diverges and runs both sides with half its "
		"lanes",
		DOES(long), OF_THE_DATA("select_branch")),
	VARIANT("assignment", "branch_targets",
		"conditional assignments give the same result, with no branch on which to diverge",
		DOES(long), OF_THE_DATA("select_assignment")),
	VARIANT("branch_short", "branch_targets",
		"a short branch is no branch: the compiler predicates both sides", DOES(short),
		OF_THE_DATA("select_branch_short")),
	VARIANT("assignment_short", "instructions",
		"selections instead of the predicates of a short branch: one more instruction here",
		DOES(short), OF_THE_DATA("select_assignment_short")),
	VARIANT("branch_constants", "branch_targets",
		"one of two constants by an if with an else: no branch is left", DOES(constants),
		OF_THE_INDEX("select_branch_constants")),
	VARIANT("assignment_constants", "instructions",
		"one of two constants by an assignment: the compiler makes the same code of both",
		DOES(constants), OF_THE_INDEX("select_assignment_constants")),
};

const struct kernel kernel_select = {
	.name = "select",
	.summary = "a branch on the data compared with a conditional assignment",
	AXES(AXIS_BLOCK, {"n", "2^22", "elements"}),
	.small_size = "2^16",
	BUFFERS({"x", ELEMENT_F32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"y", ELEMENT_F32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	.work = {.flop = "2 * n * " TEXT_OF(STEPS_LONG),
		 .bytes_read = "4 * n",
		 .bytes_written = "4 * n"},
	/* Each step rounds by half a unit (2^-25 relative at most) and halves the error of the
	 * steps before: less than 2^-23 in total. */
	.tolerance_rel = 2.5e-7,
	.oracle = &oracle_long,
	OWN_VARIANTS(variants),
};
