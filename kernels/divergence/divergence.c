/*
 * divergence: the cost of branches on which the threads of a warp differ. Every
 * element goes through one of several bodies of equal length. The variants
 * differ in which elements take which body, and in whether the compiler emits a
 * branch.
 */
#include <math.h>
#include <stdlib.h>

#include "kernels/table.h"

/* As in divergence.cuh. */
#define STEPS_SHORT 3
#define STEPS_LONG 256
#define STEPS_SWITCH 64
#define STEPS_WAITING_LOG2 8 /* waiting.cu takes 256 steps */
_Static_assert(STEPS_WAITING_LOG2 % 2 == 0, "follow_chains() leaves its result in maps[0]");
/* As in common.cuh. */
#define STEPS_EDGE 32
#define STEPS_COMMON 192
#define TEXT_OF(macro) TEXT_OF_TOKEN(macro)
#define TEXT_OF_TOKEN(token) #token

/* The largest number of bodies among which elements choose. */
#define MOST_WAYS 32

/*
 * Which element takes which body: element i takes body i / unit % ways, where i
 * counts within its warp or over the whole grid.
 */
struct rule {
	bool within_warp;
	bool first_is_none; /* elements that would take body 0 take none */
	int64_t unit, ways;
	int steps;
	int common_steps; /* steps of body 2 between two runs of the own body; 0: a single run */
};

static double run_body(double value, int64_t which, int steps)
{
	for (int step = 0; step < steps; step++)
		value = value * ((double)(4095 - which) / 4096.0) +
			(double)(step + 1 + 3 * which) / 8192.0;
	return value;
}

/* All steps of an element: the definition of the result, before it is rounded to float. */
static double run_element(double value, int64_t which, const struct rule *rule)
{
	value = run_body(value, which, rule->steps);
	if (rule->common_steps) {
		value = run_body(value, 2, rule->common_steps);
		value = run_body(value, which, rule->steps);
	}
	return value;
}

/*
 * All steps of a body at once: each step is affine, so their composition is,
 * scale * value + shift.
 *
 * The result is the same float as that of run_element(). A factor is at most 1,
 * so no step enlarges an earlier rounding error. An addend is at most
 * (S + 3 * MOST_WAYS) / 8192 with S steps in all, so no intermediate value
 * exceeds |value| + reach, where reach = S * (S + 3 * MOST_WAYS) / 8192. A step
 * rounds twice, in run_element() and in the computation of shift; the
 * computation of scale rounds once a step; the composition rounds twice. The
 * two results therefore differ by less than
 * (5 * S + 2) * 2^-53 * (|value| + reach). Twice that is the margin, which also
 * covers the rounding of the margin itself. If the two ends of the margin round
 * to the same float, so does the result of run_element(), because rounding is
 * monotonic. Otherwise run_element() decides: about once in 10^5 elements.
 */
struct composed_body {
	double scale, shift, reach, relative_margin;
};

static struct composed_body compose_body(int64_t which, const struct rule *rule)
{
	const double steps = 2.0 * rule->steps + rule->common_steps;
	struct composed_body body = {
		.scale = 1,
		.shift = run_element(0, which, rule),
		.reach = steps * (steps + 3 * MOST_WAYS) / 8192,
		.relative_margin = 2 * (5 * steps + 2) * 0x1p-53,
	};

	for (int step = 0; step < rule->steps * (rule->common_steps ? 2 : 1); step++)
		body.scale *= (double)(4095 - which) / 4096.0;
	for (int step = 0; step < rule->common_steps; step++)
		body.scale *= (4095 - 2) / 4096.0;
	return body;
}

struct computation {
	const struct rule *rule;
	struct composed_body bodies[MOST_WAYS];
	const float *x;
	float *y;
};

static float compute_element(const struct computation *of, float x, int64_t which)
{
	const struct composed_body *body = &of->bodies[which];
	double value = body->scale * (double)x + body->shift;
	double margin = body->relative_margin * (fabs((double)x) + body->reach);

	if ((float)(value - margin) == (float)(value + margin))
		return (float)value;
	return (float)run_element((double)x, which, of->rule);
}

static void divergence_compute_range(void *context, int64_t begin, int64_t end)
{
	const struct computation *of = context;
	const struct rule *rule = of->rule;

	for (int64_t i = begin; i < end; i++) {
		int64_t thread = rule->within_warp ? i % 32 : i;
		int64_t which = thread / rule->unit % rule->ways;

		of->y[i] = rule->first_is_none && which == 0 ? of->x[i]
							     : compute_element(of, of->x[i], which);
	}
}

static int divergence_compute(struct rule rule, const struct launch_case *work,
			      const struct host_buffers *inputs, struct host_buffers *expected,
			      struct error *err)
{
	void *x, *y;
	int64_t n;
	struct computation computation = {.rule = &rule};
	int rc = oracle_buffer(&x, work, inputs, "x", &n, err);

	if (!rc)
		rc = oracle_buffer(&y, work, expected, "y", &n, err);
	if (!rc && rule.ways > MOST_WAYS)
		rc = error_set(err, PL_EUSAGE, "ways=%lld: there are only %d bodies",
			       (long long)rule.ways, MOST_WAYS);
	if (rc)
		return rc;
	computation.x = x;
	computation.y = y;
	for (int64_t which = 0; which < rule.ways; which++)
		computation.bodies[which] = compose_body(which, &rule);
	parallel_for(n, ORACLE_GRAIN, divergence_compute_range, &computation);
	return 0;
}

static int64_t divergence_axis(const struct launch_case *work, const char *name)
{
	int64_t value = 1;

	launch_case_axis(work, name, &value);
	return value;
}

/* An oracle and a work model: one fused multiply-add per step for each element that takes a
 * body. */
#define RULE_OF(elements, rule_name, axis_names, step_count, ...)                  \
	static int divergence_compute_##rule_name(                                 \
		const struct launch_case *work, const struct host_buffers *inputs, \
		struct host_buffers *expected, struct error *err)                  \
	{                                                                          \
		struct rule rule = {.steps = step_count, __VA_ARGS__};             \
                                                                                   \
		return divergence_compute(rule, work, inputs, expected, err);      \
	}                                                                          \
	static const struct kernel_oracle oracle_##rule_name = {                   \
		.name = "divergence/" #rule_name,                                  \
		.axes = axis_names,                                                \
		.compute = divergence_compute_##rule_name,                         \
	};                                                                         \
	static const struct kernel_work work_##rule_name = {                       \
		.flop = "2 * " elements " * " TEXT_OF(step_count),                 \
		.bytes_read = "4 * n",                                             \
		.bytes_written = "4 * n",                                          \
	};

#define RULE(...) RULE_OF("n", __VA_ARGS__)

RULE(thread_parity_short, "n", STEPS_SHORT, .unit = 1, .ways = 2)
RULE(thread_parity_long, "n", STEPS_LONG, .unit = 1, .ways = 2)
RULE(warp_parity_short, "n", STEPS_SHORT, .unit = 32, .ways = 2)
RULE(warp_parity_long, "n", STEPS_LONG, .unit = 32, .ways = 2)
RULE(block_parity_short, "block,n", STEPS_SHORT, .unit = divergence_axis(work, "block"), .ways = 2)
RULE(block_parity_long, "block,n", STEPS_LONG, .unit = divergence_axis(work, "block"), .ways = 2)
RULE(switch_lane, "n,ways", STEPS_SWITCH, .within_warp = true, .unit = 1,
     .ways = divergence_axis(work, "ways"))
RULE(switch_warp, "n,ways", STEPS_SWITCH, .unit = 32, .ways = divergence_axis(work, "ways"))
/* Every second element takes a body; the others take none. */
RULE_OF("(n / 2)", no_else, "n", STEPS_LONG, .unit = 1, .ways = 2, .first_is_none = true)
RULE_OF("(n / 64 * 32 + max(n % 64 - 32, 0))", no_else_warp, "n", STEPS_LONG, .unit = 32, .ways = 2,
	.first_is_none = true)
/* An element takes 256 steps, 8 * STEPS_EDGE. */
RULE_OF("(8 * n)", common, "n", STEPS_EDGE, .unit = 1, .ways = 2, .common_steps = STEPS_COMMON)

/* Numbers by parity: 100 for even and 200 for odd units of 1 or 32 threads. */
static int choose(int64_t unit, const struct launch_case *work, struct host_buffers *expected,
		  struct error *err)
{
	float *c;
	void *buffer;
	int64_t length;
	int rc = oracle_buffer(&buffer, work, expected, "c", &length, err);

	if (rc)
		return rc;
	c = buffer;
	for (int64_t i = 0; i < length; i++)
		c[i] = i / unit % 2 ? 200.0f : 100.0f;
	return 0;
}

static int choose_by_thread(const struct launch_case *work, const struct host_buffers *inputs,
			    struct host_buffers *expected, struct error *err)
{
	(void)inputs;
	return choose(1, work, expected, err);
}

static int choose_by_warp(const struct launch_case *work, const struct host_buffers *inputs,
			  struct host_buffers *expected, struct error *err)
{
	(void)inputs;
	return choose(32, work, expected, err);
}

static const struct kernel_oracle oracle_by_thread = {
	.name = "divergence/by_thread", .axes = "", .compute = choose_by_thread};
static const struct kernel_oracle oracle_by_warp = {
	.name = "divergence/by_warp", .axes = "", .compute = choose_by_warp};

/*
 * Chains of places. A step leads from a place to x[place] / 2^32 of n, counted
 * from the start or from the end. All steps of a chain count from the same end,
 * so that 256 steps are the power of one map: squaring it
 * STEPS_WAITING_LOG2 times gives the same places.
 */
struct chain_map {
	const uint32_t *from; /* NULL: the step itself, of x */
	uint32_t *to;
	const uint32_t *x;
	uint64_t n;
	bool from_the_start;
};

static void chain_map_range(void *context, int64_t begin, int64_t end)
{
	const struct chain_map *of = context;

	for (int64_t i = begin; i < end; i++) {
		uint64_t place = of->x[i] * of->n >> 32;

		if (of->from)
			of->to[i] = of->from[of->from[i]];
		else
			of->to[i] = (uint32_t)(of->from_the_start ? place : of->n - 1 - place);
	}
}

/* Leaves in maps[0] where each place leads in 256 steps. */
static void follow_chains(uint32_t *maps[2], const uint32_t *x, int64_t n, bool from_the_start)
{
	struct chain_map map = {NULL, maps[0], x, (uint64_t)n, from_the_start};

	parallel_for(n, ORACLE_GRAIN, chain_map_range, &map);
	for (int squared = 0; squared < STEPS_WAITING_LOG2; squared++) {
		map.from = maps[squared % 2];
		map.to = maps[(squared + 1) % 2];
		parallel_for(n, ORACLE_GRAIN, chain_map_range, &map);
	}
}

static int compute_waiting(const struct launch_case *work, const struct host_buffers *inputs,
			   struct host_buffers *expected, struct error *err)
{
	int64_t unit = divergence_axis(work, "unit");
	uint32_t *maps[2] = {NULL, NULL};
	void *x, *places;
	int64_t n;
	int rc = oracle_buffer(&x, work, inputs, "x", &n, err);

	if (!rc)
		rc = oracle_buffer(&places, work, expected, "places", &n, err);
	if (rc)
		return rc;
	for (int m = 0; m < 2 && !rc; m++) {
		maps[m] = malloc((size_t)n * sizeof(*maps[m]));
		if (!maps[m])
			rc = error_set(err, PL_ENOMEM,
				       "the chains of %lld places do not fit in memory",
				       (long long)n);
	}
	for (int64_t second = 0; second < 2 && !rc; second++) {
		follow_chains(maps, x, n, second);
		for (int64_t i = 0; i < n; i++)
			if (i / unit % 2 == second)
				((uint32_t *)places)[i] = maps[0][i];
	}
	free(maps[0]);
	free(maps[1]);
	return rc;
}

static const struct kernel_oracle oracle_waiting = {
	.name = "divergence/waiting",
	.axes = "n,unit",
	.compute = compute_waiting,
};
static const struct kernel_work work_waiting = {.bytes_read = "4 * n", .bytes_written = "4 * n"};
static const struct kernel_buffer buffers_of_waiting[] = {
	{"x", ELEMENT_U32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 4294967295.0},
	{"places", ELEMENT_U32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}};
static const struct kernel_tolerance exactly = {0.0, 0.0};
#define FOLLOWS(rule_name) .oracle = &oracle_##rule_name, .work = &work_##rule_name

#define X ARG_OF_BUFFER("x")
#define Y ARG_OF_BUFFER("y")
#define N ARG_OF_I64("n")
/* An argument of 1 that the compiler must not know. */
#define ONE ARG_OF_I32("1")
#define ONE_A_THREAD .grid = {"ceil_div(n, block)"}, .block = {"block"}

/* The axis and the constraint of the switches. */
#define WAYS                                                                   \
	AXES({"ways", "1,2,4,8,16,32", "cases of the switch that are taken"}), \
		CONSTRAINTS({"ways >= 1 && ways <= 32",                        \
			     "ways must be 1 to 32: the switch has 32 cases"})

/* As the notes print it: no thread checks whether it has an element, so whole blocks write. */
#define WHOLE_BLOCKS "ceil_div(n, block) * block"
static const struct kernel_buffer buffers_of_math[] = {
	{"c", ELEMENT_F32, WHOLE_BLOCKS, BUFFER_OUT, FILL_NONE, 0.0, 0.0}};
static const struct kernel_work work_of_math = {.bytes_written = "4 * n"};
#define MATH_KERNEL(label, chosen)                                                        \
	.name = label, .oracle = &oracle_##chosen, .work = &work_of_math,                 \
	.buffers = buffers_of_math, .buffer_count = ARRAY_SIZE(buffers_of_math),          \
	.tolerance = &exactly,                                                            \
	LAUNCHES({.entry = "divergence_" label, ONE_A_THREAD, ARGS(ARG_OF_BUFFER("c"))}), \
	CONSTRAINTS({WHOLE_BLOCKS " <= 2147483648",                                       \
		     "whole blocks must have at most 2^31 threads: the index is an int"})

static const struct kernel_variant variants[] = {
	{
		.name = "thread_parity_short",
		.lesson = "short bodies are predicated: no branch diverges, but lanes idle",
		.metric = "threads_per_instruction_pred_on",
		FOLLOWS(thread_parity_short),
		LAUNCHES({.entry = "divergence_thread_parity_short", ONE_A_THREAD, ARGS(X, Y, N)}),
	},
	{
		.name = "thread_parity_long",
		.lesson = "odd and even threads take different bodies: each warp runs both with "
			  "half its lanes",
		.metric = "threads_per_instruction",
		FOLLOWS(thread_parity_long),
		LAUNCHES({.entry = "divergence_thread_parity_long", ONE_A_THREAD, ARGS(X, Y, N)}),
	},
	{
		.name = "warp_parity_short",
		.lesson = "a short branch on the warp is predicated as well: each warp issues both "
			  "bodies",
		.metric = "threads_per_instruction_pred_on",
		FOLLOWS(warp_parity_short),
		LAUNCHES({.entry = "divergence_warp_parity_short", ONE_A_THREAD, ARGS(X, Y, N)}),
	},
	{
		.name = "warp_parity_long",
		.lesson = "odd and even warps take different bodies: no warp diverges, nothing is "
			  "lost",
		.metric = "branch_efficiency_pct",
		FOLLOWS(warp_parity_long),
		LAUNCHES({.entry = "divergence_warp_parity_long", ONE_A_THREAD, ARGS(X, Y, N)}),
	},
	{
		.name = "block_parity_short",
		.lesson = "a short branch on the block is predicated as well, though no warp needs "
			  "both bodies",
		.metric = "threads_per_instruction_pred_on",
		FOLLOWS(block_parity_short),
		LAUNCHES({.entry = "divergence_block_parity_short", ONE_A_THREAD, ARGS(X, Y, N)}),
	},
	{
		.name = "block_parity_long",
		.lesson = "odd and even blocks take different bodies: a branch uniform in the "
			  "block is free",
		.metric = "branch_efficiency_pct",
		FOLLOWS(block_parity_long),
		LAUNCHES({.entry = "divergence_block_parity_long", ONE_A_THREAD, ARGS(X, Y, N)}),
	},
	{
		.name = "switch_lane",
		.lesson = "a switch on the lane: each warp runs as many cases as there are ways",
		.metric = "threads_per_instruction",
		FOLLOWS(switch_lane),
		WAYS,
		LAUNCHES({.entry = "divergence_switch_lane",
			  ONE_A_THREAD,
			  ARGS(X, Y, ARG_OF_U32("ways"), N)}),
	},
	{
		.name = "switch_warp",
		.lesson = "a switch on the warp: each warp runs one case, however many ways there "
			  "are",
		.metric = "branch_efficiency_pct",
		FOLLOWS(switch_warp),
		WAYS,
		LAUNCHES({.entry = "divergence_switch_warp",
			  ONE_A_THREAD,
			  ARGS(X, Y, ARG_OF_U32("ways"), N)}),
	},
	{
		.name = "if_else",
		.lesson = "an if with an else: each warp diverges once",
		.metric = "branch_targets_divergent",
		FOLLOWS(thread_parity_long),
		LAUNCHES({.entry = "divergence_if_else", ONE_A_THREAD, ARGS(X, Y, ONE, N)}),
	},
	{
		.name = "two_ifs",
		.lesson = "two ifs with opposite conditions do the same, but each warp diverges "
			  "twice",
		.metric = "branch_targets_divergent",
		FOLLOWS(thread_parity_long),
		LAUNCHES({.entry = "divergence_two_ifs", ONE_A_THREAD, ARGS(X, Y, ONE, ONE, N)}),
	},
	{
		.name = "no_else",
		.lesson = "an if without an else: warps diverge, but take no longer than uniform "
			  "ones",
		.metric = "branch_targets_divergent",
		FOLLOWS(no_else),
		LAUNCHES({.entry = "divergence_no_else", ONE_A_THREAD, ARGS(X, Y, N)}),
	},
	{
		.name = "no_else_warp",
		.lesson = "no_else on the warp: as many threads fill half of the warps, half the "
			  "work",
		.metric = "threads_per_instruction",
		FOLLOWS(no_else_warp),
		LAUNCHES({.entry = "divergence_no_else_warp", ONE_A_THREAD, ARGS(X, Y, N)}),
	},
	{
		.name = "common_inside",
		.lesson = "common code inside both branches: divergent warps run it twice",
		.metric = "instructions",
		FOLLOWS(common),
		LAUNCHES({.entry = "divergence_common_inside", ONE_A_THREAD, ARGS(X, Y, N)}),
	},
	{
		.name = "common_outside",
		.lesson =
			"common code outside the branches: each warp runs it once, with all lanes",
		.metric = "instructions",
		FOLLOWS(common),
		LAUNCHES({.entry = "divergence_common_outside", ONE_A_THREAD, ARGS(X, Y, N)}),
	},
	{
		MATH_KERNEL("math_kernel_thread", by_thread),
		.lesson =
			"an if on the thread as the notes print it: a selection, no branch at all",
		.metric = "branch_targets",
	},
	{
		MATH_KERNEL("math_kernel_warp", by_warp),
		.lesson = "an if on the warp as the notes print it: the same selection, no gain",
		.metric = "branch_targets",
	},
	{
		MATH_KERNEL("math_kernel_ifs", by_thread),
		.lesson = "two ifs instead of the else: still a selection, no branch to double",
		.metric = "branch_targets_divergent",
	},
	{
		.name = "waiting",
		.lesson = "both branches wait for loads; one branch starts only when the other has "
			  "ended",
		.metric = "gpu_time_ns",
		FOLLOWS(waiting),
		.buffers = buffers_of_waiting,
		.buffer_count = ARRAY_SIZE(buffers_of_waiting),
		.tolerance = &exactly,
		/* So few threads that the wait within a divergent warp shows: with 2^16 it hardly
		 * does. */
		AXES({"n", "2^12", "threads, and places of the chains"},
		     {"unit", "1,32", "consecutive threads that take the same branch"}),
		LAUNCHES({.entry = "divergence_waiting",
			  ONE_A_THREAD,
			  ARGS(X, ARG_OF_BUFFER("places"), ARG_OF_U32("unit"), ARG_OF_U32("n"))}),
		CONSTRAINTS({"n < 4294967296", "n must be less than 2^32: a place has 32 bits"},
			    {"unit >= 1", "unit must be at least 1: threads are counted in units"}),
	},
};

const struct kernel kernel_divergence = {
	.name = "divergence",
	.summary = "the cost of branches on which warps diverge, and of uniform branches",
	AXES(AXIS_BLOCK, {"n", "2^22", "elements"}),
	.small_size = "2^16",
	BUFFERS({"x", ELEMENT_F32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
		{"y", ELEMENT_F32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	CONSTRAINTS(WHOLE_WARPS("warps are counted over the whole grid")),
	.work = {.flop = "2 * n * " TEXT_OF(STEPS_LONG),
		 .bytes_read = "4 * n",
		 .bytes_written = "4 * n"},
	/* At most 256 roundings of half a unit each (2^-25 relative, of values that never shrink by
	 * cancellation): 8e-6. */
	.tolerance_abs = 0.0,
	.tolerance_rel = 1e-5,
	.oracle = &oracle_thread_parity_long,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
