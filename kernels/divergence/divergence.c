/*
 * divergence: the cost of branches on which the threads of a warp differ. Every
 * element goes through one of several bodies of equal length. The variants
 * differ in which elements take which body, and in whether the compiler emits a
 * branch.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/affine.h"
#include "kernels/table.h"

/* As in divergence.cuh. */
#define STEPS_SHORT 3
#define STEPS_LONG 256
#define STEPS_SWITCH 64
#define STEPS_WAITING_LOG2 8 /* waiting.cu takes 256 steps */
/* As in common.cuh. */
#define STEPS_EDGE 32
#define STEPS_COMMON 192

#define WARP 32
_Static_assert(WARP == AFFINE_GROUP, "a group of elements is a warp");

/* ---- bodies of many steps ---- */

/* The largest number of bodies among which elements choose. */
#define MOST_WAYS 32
#define NO_BODY (-1)

/*
 * Which element takes which body. Lane l takes body l % ways if `warps` is 0.
 * Otherwise whole warps take a body, `warps` of them the same: warp w takes body
 * w / warps % ways. Blocks consist of whole warps, so this covers all variants.
 */
struct rule {
	int64_t warps, ways;
	bool first_is_none; /* elements that would take body 0 take none */
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
static double run_bodies(double value, int64_t which, const struct rule *rule)
{
	if (which == NO_BODY)
		return value;
	value = run_body(value, which, rule->steps);
	if (rule->common_steps) {
		value = run_body(value, 2, rule->common_steps);
		value = run_body(value, which, rule->steps);
	}
	return value;
}

/* The bodies that the lanes of a warp take, each as one affine step. */
struct lanes {
	double scale[WARP], shift[WARP];
	int64_t which[WARP];
};

static double scale_of_body(int64_t which, const struct rule *rule)
{
	double scale = 1;

	for (int step = 0; step < rule->steps * (rule->common_steps ? 2 : 1); step++)
		scale *= (double)(4095 - which) / 4096.0;
	for (int step = 0; step < rule->common_steps; step++)
		scale *= (4095 - 2) / 4096.0;
	return scale;
}

static void set_lane(struct lanes *lanes, int lane, int64_t way, const struct rule *rule)
{
	const int64_t which = rule->first_is_none && way == 0 ? NO_BODY : way;

	lanes->which[lane] = which;
	lanes->scale[lane] = which == NO_BODY ? 1 : scale_of_body(which, rule);
	lanes->shift[lane] = run_bodies(0, which, rule);
}

/* An addend is at most (S + 3 * MOST_WAYS) / 8192 with S steps in all, and every factor is less
 * than 1: no value exceeds |x| by more than S of these addends. */
static struct affine_margin margin_of(const struct rule *rule)
{
	const double steps = 2.0 * rule->steps + rule->common_steps;

	return affine_margin_of_steps(steps, steps * (steps + 3 * MOST_WAYS) / 8192);
}

struct computation {
	const struct rule *rule;
	struct affine_margin margin;
	struct lanes of_way[MOST_WAYS]; /* one for all warps if `warps` is 0 */
	const float *x;
	float *y;
	int64_t n;
};

static const struct lanes *lanes_of_warp(const struct computation *of, int64_t warp)
{
	const struct rule *rule = of->rule;

	return &of->of_way[rule->warps ? warp / rule->warps % rule->ways : 0];
}

static void take_steps(const struct lanes *lanes, const struct rule *rule,
		       struct affine_margin margin, const float *x, float *y)
{
	for (int lane = 0; lane < WARP; lane++) {
		int unsure = 0;

		y[lane] = affine_float(lanes->scale[lane], lanes->shift[lane], margin,
				       (double)x[lane], &unsure);
		if (unsure)
			y[lane] = (float)run_bodies((double)x[lane], lanes->which[lane], rule);
	}
}

WIDE_VECTORS static void run_warps(const struct computation *of, int64_t begin, int64_t end)
{
	for (int64_t warp = begin; warp < end; warp++) {
		const struct lanes *lanes = lanes_of_warp(of, warp);
		const float *x = of->x + warp * WARP;
		float y[WARP];
		int unsure = 0;

		for (int lane = 0; lane < WARP; lane++)
			y[lane] = affine_float(lanes->scale[lane], lanes->shift[lane], of->margin,
					       (double)x[lane], &unsure);
		if (unsure)
			take_steps(lanes, of->rule, of->margin, x, y);
		memcpy(of->y + warp * WARP, y, sizeof(y));
	}
}

static void divergence_compute_range(void *context, int64_t begin, int64_t end)
{
	const struct computation *of = context;
	const int64_t left = end % WARP, last = end / WARP;
	float x[WARP] = {0}, y[WARP];

	run_warps(of, begin / WARP, last);
	if (!left)
		return;
	memcpy(x, of->x + last * WARP, (size_t)left * sizeof(*x));
	take_steps(lanes_of_warp(of, last), of->rule, of->margin, x, y);
	memcpy(of->y + last * WARP, y, (size_t)left * sizeof(*y));
}

static int divergence_compute(const struct oracle_run *run, struct rule rule)
{
	int64_t n;
	const float *x = oracle_input(run, "x", &n);
	float *y = oracle_result(run, "y", &n);
	struct computation *computation;

	if (!x || !y)
		return PL_EUSAGE;
	if (rule.ways > MOST_WAYS)
		return error_set(run->err, PL_EUSAGE, "ways=%lld: there are only %d bodies",
				 (long long)rule.ways, MOST_WAYS);
	computation = xcalloc(1, sizeof(*computation));
	computation->rule = &rule;
	computation->margin = margin_of(&rule);
	computation->x = x;
	computation->y = y;
	for (int64_t way = 0; way < (rule.warps ? rule.ways : 1); way++)
		for (int lane = 0; lane < WARP; lane++)
			set_lane(&computation->of_way[way], lane,
				 rule.warps ? way : lane % rule.ways, &rule);
	parallel_for(n, ORACLE_GRAIN, divergence_compute_range, computation);
	free(computation);
	return 0;
}

/* An oracle, and a work model: one fused multiply-add per step for each element that takes a body.
 */
#define RULE(label, axis_names, elements, step_count, ...)                                       \
	static int divergence_compute_##label(const struct oracle_run *run)                      \
	{                                                                                        \
		return divergence_compute(run, (struct rule){.steps = step_count, __VA_ARGS__}); \
	}                                                                                        \
	static const struct kernel_oracle oracle_##label = {"divergence/" #label, axis_names,    \
							    divergence_compute_##label};         \
	static const struct kernel_work work_##label = {                                         \
		.flop = "2 * " elements " * " TEXT_OF(step_count),                               \
		.bytes_read = "4 * n",                                                           \
		.bytes_written = "4 * n",                                                        \
	};

#define LANES .warps = 0
#define WARPS .warps = 1
#define BLOCKS .warps = oracle_axis(run, "block", 1) / WARP
#define OF_AXIS .ways = oracle_axis(run, "ways", 1)
RULE(thread_parity_short, "n", "n", STEPS_SHORT, LANES, .ways = 2)
RULE(thread_parity_long, "n", "n", STEPS_LONG, LANES, .ways = 2)
RULE(warp_parity_short, "n", "n", STEPS_SHORT, WARPS, .ways = 2)
RULE(warp_parity_long, "n", "n", STEPS_LONG, WARPS, .ways = 2)
RULE(block_parity_short, "block,n", "n", STEPS_SHORT, BLOCKS, .ways = 2)
RULE(block_parity_long, "block,n", "n", STEPS_LONG, BLOCKS, .ways = 2)
RULE(switch_lane, "n,ways", "n", STEPS_SWITCH, LANES, OF_AXIS)
RULE(switch_warp, "n,ways", "n", STEPS_SWITCH, WARPS, OF_AXIS)
/* Every second element takes a body; the others take none. */
RULE(no_else, "n", "(n / 2)", STEPS_LONG, LANES, .ways = 2, .first_is_none = true)
RULE(no_else_warp, "n", "(n / 64 * 32 + max(n % 64 - 32, 0))", STEPS_LONG, WARPS, .ways = 2,
     .first_is_none = true)
/* An element takes 256 steps, 8 * STEPS_EDGE. */
RULE(common, "n", "(8 * n)", STEPS_EDGE, LANES, .ways = 2, .common_steps = STEPS_COMMON)

/* ---- numbers by parity ---- */

struct choice {
	float *c;
	int64_t unit; /* consecutive threads that choose the same */
};

static void choose_range(void *context, int64_t begin, int64_t end)
{
	const struct choice *of = context;

	for (int64_t i = begin; i < end; i++)
		of->c[i] = i & of->unit ? 200.0f : 100.0f;
}

/* Which oracle: the unit, a power of 2. */
static int choose(const struct oracle_run *run)
{
	int64_t length;
	struct choice of = {oracle_result(run, "c", &length), run->oracle->which};

	if (!of.c)
		return PL_EUSAGE;
	parallel_for(length, ORACLE_GRAIN, choose_range, &of);
	return 0;
}

static const struct kernel_oracle oracle_by_thread = {"divergence/by_thread", "", choose, 1};
static const struct kernel_oracle oracle_by_warp = {"divergence/by_warp", "", choose, WARP};

/* ---- chains of places ---- */

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

static int compute_waiting(const struct oracle_run *run)
{
	const int64_t unit = oracle_axis(run, "unit", 1);
	uint32_t *maps[2] = {NULL, NULL};
	int64_t n;
	const uint32_t *x = oracle_input(run, "x", &n);
	uint32_t *places = oracle_result(run, "places", &n);
	int rc = x && places ? 0 : PL_EUSAGE;

	for (int m = 0; m < 2 && !rc; m++) {
		maps[m] = malloc((size_t)n * sizeof(*maps[m]));
		if (!maps[m])
			rc = error_set(run->err, PL_ENOMEM,
				       "the chains of %lld places do not fit in memory",
				       (long long)n);
	}
	for (int64_t second = 0; second < 2 && !rc; second++) {
		follow_chains(maps, x, n, second);
		for (int64_t i = 0; i < n; i++)
			if (i / unit % 2 == second)
				places[i] = maps[0][i];
	}
	free(maps[0]);
	free(maps[1]);
	return rc;
}

static const struct kernel_oracle oracle_waiting = {"divergence/waiting", "n,unit",
						    compute_waiting};

/* ---- the table ---- */

static const struct kernel_work work_waiting = {.bytes_read = "4 * n", .bytes_written = "4 * n"};
static const struct kernel_tolerance exactly = {0.0, 0.0};
#define FOLLOWS(rule_name) .oracle = &oracle_##rule_name, .work = &work_##rule_name

#define X ARG_OF_BUFFER("x")
#define Y ARG_OF_BUFFER("y")
/* An argument of 1 that the compiler must not know. */
#define ONE ARG_OF_I32("1")

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
	VARIANT("thread_parity_short", "threads_per_instruction_pred_on",
		"short bodies are predicated: no branch diverges, but lanes idle",
		FOLLOWS(thread_parity_short),
		LAUNCHES({.entry = "divergence_thread_parity_short", ONE_A_THREAD, ARGS(X, Y, N)})),
	VARIANT("thread_parity_long", "threads_per_instruction",
		"odd and even threads take different bodies: each warp runs both with half its "
		"lanes",
		FOLLOWS(thread_parity_long),
		LAUNCHES({.entry = "divergence_thread_parity_long", ONE_A_THREAD, ARGS(X, Y, N)})),
	VARIANT("warp_parity_short", "threads_per_instruction_pred_on",
		"a short branch on the warp is predicated as well: each warp issues both bodies",
		FOLLOWS(warp_parity_short),
		LAUNCHES({.entry = "divergence_warp_parity_short", ONE_A_THREAD, ARGS(X, Y, N)})),
	VARIANT("warp_parity_long", "branch_efficiency_pct",
		"odd and even warps take different bodies: no warp diverges, nothing is lost",
		FOLLOWS(warp_parity_long),
		LAUNCHES({.entry = "divergence_warp_parity_long", ONE_A_THREAD, ARGS(X, Y, N)})),
	VARIANT("block_parity_short", "threads_per_instruction_pred_on",
		"a short branch on the block is predicated as well, though no warp needs both "
		"bodies",
		FOLLOWS(block_parity_short),
		LAUNCHES({.entry = "divergence_block_parity_short", ONE_A_THREAD, ARGS(X, Y, N)})),
	VARIANT("block_parity_long", "branch_efficiency_pct",
		"odd and even blocks take different bodies: a branch uniform in the block is free",
		FOLLOWS(block_parity_long),
		LAUNCHES({.entry = "divergence_block_parity_long", ONE_A_THREAD, ARGS(X, Y, N)})),
	VARIANT("switch_lane", "threads_per_instruction",
		"a switch on the lane: each warp runs as many cases as there are ways",
		FOLLOWS(switch_lane), WAYS,
		LAUNCHES({.entry = "divergence_switch_lane",
			  ONE_A_THREAD,
			  ARGS(X, Y, ARG_OF_U32("ways"), N)})),
	VARIANT("switch_warp", "branch_efficiency_pct",
		"a switch on the warp: each warp runs one case, however many ways there are",
		FOLLOWS(switch_warp), WAYS,
		LAUNCHES({.entry = "divergence_switch_warp",
			  ONE_A_THREAD,
			  ARGS(X, Y, ARG_OF_U32("ways"), N)})),
	VARIANT("if_else", "branch_targets_divergent",
		"an if with an else: each warp diverges once", FOLLOWS(thread_parity_long),
		LAUNCHES({.entry = "divergence_if_else", ONE_A_THREAD, ARGS(X, Y, ONE, N)})),
	VARIANT("two_ifs", "branch_targets_divergent",
		"two ifs with opposite conditions do the same, but each warp diverges twice",
		FOLLOWS(thread_parity_long),
		LAUNCHES({.entry = "divergence_two_ifs", ONE_A_THREAD, ARGS(X, Y, ONE, ONE, N)})),
	VARIANT("no_else", "branch_targets_divergent",
		"an if without an else: warps diverge, but take no longer than uniform ones",
		FOLLOWS(no_else),
		LAUNCHES({.entry = "divergence_no_else", ONE_A_THREAD, ARGS(X, Y, N)})),
	VARIANT("no_else_warp", "threads_per_instruction",
		"no_else on the warp: as many threads fill half of the warps, half the work",
		FOLLOWS(no_else_warp),
		LAUNCHES({.entry = "divergence_no_else_warp", ONE_A_THREAD, ARGS(X, Y, N)})),
	VARIANT("common_inside", "instructions",
		"common code inside both branches: divergent warps run it twice", FOLLOWS(common),
		LAUNCHES({.entry = "divergence_common_inside", ONE_A_THREAD, ARGS(X, Y, N)})),
	VARIANT("common_outside", "instructions",
		"common code outside the branches: each warp runs it once, with all lanes",
		FOLLOWS(common),
		LAUNCHES({.entry = "divergence_common_outside", ONE_A_THREAD, ARGS(X, Y, N)})),
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
	VARIANT("waiting", "median_time_ns",
		"both branches wait for loads; one branch starts only when the other has ended",
		FOLLOWS(waiting),
		BUFFERS({"x", ELEMENT_U32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 4294967295.0},
			{"places", ELEMENT_U32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
		.tolerance = &exactly,
		/* So few threads that the wait within a divergent warp shows: with 2^16 it hardly
		 * does. */
		AXES({"n", "2^12", "threads, and places of the chains"},
		     {"unit", "1,32", "consecutive threads that take the same branch"}),
		LAUNCHES({.entry = "divergence_waiting",
			  ONE_A_THREAD,
			  ARGS(X, ARG_OF_BUFFER("places"), ARG_OF_U32("unit"), ARG_OF_U32("n"))}),
		CONSTRAINTS(
			{"n < 4294967296", "n must be less than 2^32: a place has 32 bits"},
			{"unit >= 1", "unit must be at least 1: threads are counted in units"})),
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
	.tolerance_rel = 1e-5,
	.oracle = &oracle_thread_parity_long,
	OWN_VARIANTS(variants),
};
