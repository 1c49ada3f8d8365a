/*
 * warp_ops: functions through which the lanes of a warp see each other's
 * values, and the same functions through shared memory. Each function runs many
 * times, on the values that it gave before. Lanes that are not in the mask do
 * not participate.
 */
#include <string.h>

#include "kernels/table.h"

/* As in warp_ops.cuh. */
#define ROUNDS 64
#define UNDEFINED 0x9e3779b9u

#define LANES 32

enum function { BALLOT, ANY, ALL, SHFL, SHFL_UP, SHFL_DOWN, SHFL_XOR };

struct rounds {
	enum function function;
	const uint32_t *x;
	uint32_t *y;
	int64_t n, block, width, distance, mask;
};

/* The source lane of a shuffle for `lane`, as documented. */
static int64_t source_of(const struct rounds *of, int64_t lane)
{
	int64_t first = lane / of->width * of->width, end = first + of->width, other = lane;

	switch (of->function) {
	case SHFL:
		return first + of->distance % of->width;
	case SHFL_UP:
		other = lane - of->distance;
		return other >= first ? other : lane;
	case SHFL_DOWN:
		other = lane + of->distance;
		return other < end ? other : lane;
	case SHFL_XOR:
		other = lane ^ of->distance;
		return other < end ? other : lane;
	case BALLOT:
	case ANY:
	case ALL:
		break;
	}
	return lane;
}

/* The result of a vote, the same for every member. */
static uint32_t vote_of(enum function function, const uint32_t *values, uint32_t members)
{
	uint32_t odd = 0, rare = 0;

	for (int lane = 0; lane < LANES; lane++) {
		odd |= (values[lane] >> 8 & 1) << lane;
		rare |= (uint32_t)((values[lane] >> 8) % 32 == 0) << lane;
	}
	return function == BALLOT ? odd & members
	       : function == ANY  ? (rare & members) != 0
				  : (rare & members) == 0;
}

static void run_round(const struct rounds *of, uint32_t *values, const int64_t *source,
		      uint32_t members)
{
	bool votes = of->function <= ALL;
	uint32_t vote = votes ? vote_of(of->function, values, members) : 0;
	uint32_t next[LANES];

	for (int lane = 0; lane < LANES; lane++) {
		bool is_defined = members >> lane & 1 && members >> source[lane] & 1;

		next[lane] =
			(values[lane] << 5 | values[lane] >> 27) + (!is_defined ? UNDEFINED
								    : votes     ? vote
									    : values[source[lane]]);
	}
	memcpy(values, next, sizeof(next));
}

/* The warp begins at thread `first` of the grid and has `threads` threads. */
static void run_warp(const struct rounds *of, const int64_t *source, int64_t first, int64_t threads)
{
	uint32_t present = threads < LANES ? (UINT32_C(1) << threads) - 1 : UINT32_MAX;
	uint32_t values[LANES] = {0};

	for (int64_t lane = 0; lane < threads && first + lane < of->n; lane++)
		values[lane] = of->x[first + lane];
	for (int round = 0; round < ROUNDS; round++)
		run_round(of, values, source, present & (uint32_t)of->mask);
	for (int64_t lane = 0; lane < threads && first + lane < of->n; lane++)
		of->y[first + lane] = values[lane];
}

static void warp_ops_run_blocks(void *context, int64_t begin, int64_t end)
{
	const struct rounds *of = context;
	int64_t source[LANES];

	for (int64_t lane = 0; lane < LANES; lane++)
		source[lane] = source_of(of, lane);
	for (int64_t b = begin; b < end; b++)
		for (int64_t thread = 0; thread < of->block; thread += LANES) {
			int64_t left = of->block - thread;

			run_warp(of, source, b * of->block + thread, left < LANES ? left : LANES);
		}
}

static int warp_ops_compute(enum function function, const struct launch_case *work,
			    const struct host_buffers *inputs, struct host_buffers *expected,
			    struct error *err)
{
	struct rounds of = {.function = function, .block = 1, .width = LANES, .mask = UINT32_MAX};
	void *x, *y;
	int rc = oracle_buffer(&x, work, inputs, "x", &of.n, err);

	if (!rc)
		rc = oracle_buffer(&y, work, expected, "y", &of.n, err);
	if (rc)
		return rc;
	of.x = x;
	of.y = y;
	launch_case_axis(work, "block", &of.block);
	launch_case_axis(work, "mask", &of.mask);
	launch_case_axis(work, "width", &of.width);
	launch_case_axis(work, "distance", &of.distance);
	parallel_for((of.n + of.block - 1) / of.block, 8, warp_ops_run_blocks, &of);
	return 0;
}

#define FUNCTION(label, symbol, of_axes)                                                      \
	static int warp_ops_compute_##label(const struct launch_case *work,                   \
					    const struct host_buffers *inputs,                \
					    struct host_buffers *expected, struct error *err) \
	{                                                                                     \
		return warp_ops_compute(symbol, work, inputs, expected, err);                 \
	}                                                                                     \
	static const struct kernel_oracle oracle_##label = {                                  \
		.name = "warp_ops/" #label,                                                   \
		.axes = of_axes,                                                              \
		.compute = warp_ops_compute_##label,                                          \
	};

#define OF_VOTE "block,mask,n"
#define OF_SHUFFLE "block,distance,mask,n,width"
FUNCTION(ballot, BALLOT, OF_VOTE)
FUNCTION(any, ANY, OF_VOTE)
FUNCTION(all, ALL, OF_VOTE)
FUNCTION(shfl, SHFL, OF_SHUFFLE)
FUNCTION(shfl_up, SHFL_UP, OF_SHUFFLE)
FUNCTION(shfl_down, SHFL_DOWN, OF_SHUFFLE)
FUNCTION(shfl_xor, SHFL_XOR, OF_SHUFFLE)

#define X ARG_OF_BUFFER("x")
#define Y ARG_OF_BUFFER("y")
#define N ARG_OF_I64("n")
#define MASK ARG_OF_U32("mask")
#define ONE_A_THREAD .grid = {"ceil_div(n, block)"}, .block = {"block"}

#define VOTE(label, of, shown_by, teaches)                                                     \
	{                                                                                      \
		.name = #label, .lesson = teaches, .metric = shown_by, .oracle = &oracle_##of, \
		LAUNCHES({.entry = "warp_ops_" #label, ONE_A_THREAD, ARGS(X, Y, N, MASK)}),    \
	}
#define SHUFFLE(label, of, widths, shown_by, teaches)                                             \
	{                                                                                         \
		.name = #label, .lesson = teaches, .metric = shown_by, .oracle = &oracle_##of,    \
		AXES({"width", widths, "lanes per segment, a power of two"},                      \
		     {"distance", "1",                                                            \
		      "lanes between the source of a value and the lane that gets it"}),          \
		CONSTRAINTS({"is_pow2(width) && width <= 32",                                     \
			     "width must be a power of two, at most 32: it divides the warp"},    \
			    {"distance < 32", "distance must be below 32, the lanes of a warp"}), \
		LAUNCHES({.entry = "warp_ops_" #label,                                            \
			  ONE_A_THREAD,                                                           \
			  ARGS(X, Y, N, MASK, ARG_OF_U32("width"), ARG_OF_U32("distance"))}),     \
	}
/* Any power of two is valid; the extremes are enough as defaults. */
#define TWO_WIDTHS "2,32"
#define ONE_WIDTH "32"

static const struct kernel_variant variants[] = {
	VOTE(ballot, ballot, "instructions",
	     "one instruction gives all lanes a bit of every lane's answer"),
	VOTE(shared_ballot, ballot, "gpu_time_ns",
	     "the ballot with atomics on shared memory: the lanes queue at one word"),
	VOTE(any, any, "instructions", "whether at least one lane says yes, in one instruction"),
	VOTE(shared_any, any, "shared_load_wavefronts",
	     "the vote through a word of shared memory: three barriers of the warp"),
	VOTE(all, all, "instructions", "whether all lanes say yes, in one instruction"),
	VOTE(shared_all, all, "shared_load_wavefronts",
	     "the vote through a word of shared memory: three barriers of the warp"),
	SHUFFLE(shfl, shfl, TWO_WIDTHS, "instructions",
		"all lanes of a segment get one lane's value, from register to register"),
	SHUFFLE(shared_shfl, shfl, ONE_WIDTH, "shared_load_wavefronts",
		"the shuffle through shared memory: a store, a load and two barriers"),
	SHUFFLE(shfl_up, shfl_up, TWO_WIDTHS, "instructions",
		"each lane gets the value of a lane below: the building block of scans"),
	SHUFFLE(shared_shfl_up, shfl_up, ONE_WIDTH, "shared_load_wavefronts",
		"the shuffle through shared memory: a store, a load and two barriers"),
	SHUFFLE(shfl_down, shfl_down, TWO_WIDTHS, "instructions",
		"each lane gets the value of a lane above: the building block of reductions"),
	SHUFFLE(shared_shfl_down, shfl_down, ONE_WIDTH, "shared_load_wavefronts",
		"the shuffle through shared memory: a store, a load and two barriers"),
	SHUFFLE(shfl_xor, shfl_xor, TWO_WIDTHS, "instructions",
		"lanes swap values in pairs: reductions that give all lanes the result"),
	SHUFFLE(shared_shfl_xor, shfl_xor, ONE_WIDTH, "shared_load_wavefronts",
		"the shuffle through shared memory: a store, a load and two barriers"),
};

const struct kernel kernel_warp_ops = {
	.name = "warp_ops",
	.summary = "votes and shuffles of a warp, and their cost through shared memory",
	AXES(AXIS_BLOCK, {"n", "2^20", "elements"},
	     {"mask", "4294967295", "lanes that participate, one bit each"}),
	.small_size = "2^13",
	BUFFERS({"x", ELEMENT_U32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 4294967296.0},
		{"y", ELEMENT_U32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	CONSTRAINTS({"mask <= 4294967295", "mask must fit 32 bits: a warp has 32 lanes"}),
	.work = {.bytes_read = "4 * n", .bytes_written = "4 * n"},
	/* Results are integers. */
	.tolerance_abs = 0.0,
	.tolerance_rel = 0.0,
	.oracle = &oracle_ballot,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
