/*
 * divergence: the cost of branches on which the threads of a warp differ. Every
 * element goes through one of several bodies of equal length. The variants
 * differ in which elements take which body, and in whether the compiler emits a
 * branch.
 */
#include "kernels/divergence/oracles.h"

#define TEXT_OF(macro) TEXT_OF_TOKEN(macro)
#define TEXT_OF_TOKEN(token) #token

/* A work model: one fused multiply-add per step for each element that takes a body. */
#define WORK_OF(rule_name, elements, step_count)                   \
	static const struct kernel_work work_##rule_name = {       \
		.flop = "2 * " elements " * " TEXT_OF(step_count), \
		.bytes_read = "4 * n",                             \
		.bytes_written = "4 * n",                          \
	};

WORK_OF(thread_parity_short, "n", STEPS_SHORT)
WORK_OF(thread_parity_long, "n", STEPS_LONG)
WORK_OF(warp_parity_short, "n", STEPS_SHORT)
WORK_OF(warp_parity_long, "n", STEPS_LONG)
WORK_OF(block_parity_short, "n", STEPS_SHORT)
WORK_OF(block_parity_long, "n", STEPS_LONG)
WORK_OF(switch_lane, "n", STEPS_SWITCH)
WORK_OF(switch_warp, "n", STEPS_SWITCH)
/* Every second element takes a body; the others take none. */
WORK_OF(no_else, "(n / 2)", STEPS_LONG)
WORK_OF(no_else_warp, "(n / 64 * 32 + max(n % 64 - 32, 0))", STEPS_LONG)
/* An element takes 256 steps, 8 * STEPS_EDGE. */
WORK_OF(common, "(8 * n)", STEPS_EDGE)

static const struct kernel_work work_waiting = {.bytes_read = "4 * n", .bytes_written = "4 * n"};
static const struct kernel_buffer buffers_of_waiting[] = {
	{"x", ELEMENT_U32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 4294967295.0},
	{"places", ELEMENT_U32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}};
static const struct kernel_tolerance exactly = {0.0, 0.0};
#define FOLLOWS(rule_name) .oracle = &oracle_divergence_##rule_name, .work = &work_##rule_name

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
	.name = label, .oracle = &oracle_divergence_##chosen, .work = &work_of_math,      \
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
		.metric = "median_time_ns",
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
	.oracle = &oracle_divergence_thread_parity_long,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
