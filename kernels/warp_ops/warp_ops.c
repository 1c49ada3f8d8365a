/*
 * warp_ops: functions through which the lanes of a warp see each other's
 * values, and the same functions through shared memory. Each function runs many
 * times, on the values that it gave before. Lanes that are not in the mask do
 * not participate.
 */
#include "kernels/table.h"
#include "kernels/vectors.h"

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

/*
 * Warps are computed BATCH at a time, so that every loop over them becomes
 * vector instructions: values[lane][w] is the value of a lane of warp w.
 */
#define BATCH 16
#define NOTHING LANES /* the row of what a lane without a defined source gets */

struct batch {
	int64_t first[BATCH]; /* the thread of the grid with which each warp begins */
	int count;
	int64_t threads; /* in each warp */
	uint32_t members;
	int source[LANES]; /* the row that each lane gets, if the function is a shuffle */
};

/* Two copies: a round reads one and writes the other. */
typedef uint32_t batch_values[LANES + 1][BATCH];

static struct batch batch_of(const struct rounds *of, int64_t threads)
{
	const uint32_t present = threads < LANES ? (UINT32_C(1) << threads) - 1 : UINT32_MAX;
	struct batch batch = {.threads = threads, .members = present & (uint32_t)of->mask};

	for (int lane = 0; lane < LANES; lane++) {
		const int64_t source = source_of(of, lane);
		const bool is_defined = batch.members >> lane & 1 && batch.members >> source & 1;

		batch.source[lane] = is_defined ? (int)source : NOTHING;
	}
	return batch;
}

/* Turns the values by 5 bits and adds what each lane gets. */
ALWAYS_INLINE void end_round(uint32_t *restrict next, const uint32_t *restrict values,
			     const uint32_t *restrict given)
{
	for (int w = 0; w < BATCH; w++)
		next[w] = (values[w] << 5 | values[w] >> 27) + given[w];
}

WIDE_VECTORS static void shuffle_rounds(const struct batch *batch, batch_values *values)
{
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t(*now)[BATCH] = values[round % 2], (*next)[BATCH] = values[(round + 1) % 2];

		for (int lane = 0; lane < LANES; lane++)
			end_round(next[lane], now[lane], now[batch->source[lane]]);
	}
}

/* The results of a vote of each warp, the same for every member. */
ALWAYS_INLINE void take_vote(enum function function, uint32_t members,
			     const uint32_t values[LANES + 1][BATCH], uint32_t vote[BATCH])
{
	uint32_t odd[BATCH] = {0}, rare[BATCH] = {0};

	for (int lane = 0; lane < LANES; lane++) {
		const uint32_t is_member = members >> lane & 1;

		for (int w = 0; w < BATCH; w++) {
			odd[w] |= (values[lane][w] >> 8 & is_member) << lane;
			rare[w] |= (uint32_t)((values[lane][w] >> 8) % 32 == 0) & is_member;
		}
	}
	for (int w = 0; w < BATCH; w++)
		vote[w] = function == BALLOT ? odd[w] : function == ANY ? rare[w] : !rare[w];
}

WIDE_VECTORS static void vote_rounds(enum function function, const struct batch *batch,
				     batch_values *values)
{
	for (int round = 0; round < ROUNDS; round++) {
		uint32_t(*now)[BATCH] = values[round % 2], (*next)[BATCH] = values[(round + 1) % 2];
		uint32_t vote[BATCH];

		take_vote(function, batch->members, (const uint32_t(*)[BATCH])now, vote);
		for (int lane = 0; lane < LANES; lane++)
			end_round(next[lane], now[lane],
				  batch->source[lane] == NOTHING ? now[NOTHING] : vote);
	}
}

/* Computes the warps of a batch and empties it. Threads beyond the last element begin with 0. */
static void run_batch_of_warps(const struct rounds *of, struct batch *batch)
{
	batch_values values[2] = {{{0}}};

	for (int w = 0; w < BATCH; w++)
		values[0][NOTHING][w] = values[1][NOTHING][w] = UNDEFINED;
	for (int w = 0; w < batch->count; w++)
		for (int64_t lane = 0; lane < batch->threads && batch->first[w] + lane < of->n;
		     lane++)
			values[0][lane][w] = of->x[batch->first[w] + lane];
	if (of->function <= ALL)
		vote_rounds(of->function, batch, values);
	else
		shuffle_rounds(batch, values);
	for (int w = 0; w < batch->count; w++)
		for (int64_t lane = 0; lane < batch->threads && batch->first[w] + lane < of->n;
		     lane++)
			of->y[batch->first[w] + lane] = values[ROUNDS % 2][lane][w];
	batch->count = 0;
}

static void add_warp(const struct rounds *of, struct batch *batch, int64_t first)
{
	batch->first[batch->count++] = first;
	if (batch->count == BATCH)
		run_batch_of_warps(of, batch);
}

/* The last warp of a block may have fewer threads than the others, so it goes into another batch.
 */
static void warp_ops_run_blocks(void *context, int64_t begin, int64_t end)
{
	const struct rounds *of = context;
	const int64_t whole = of->block / LANES * LANES;
	struct batch of_whole = batch_of(of, LANES), of_last = batch_of(of, of->block - whole);

	for (int64_t b = begin; b < end; b++) {
		for (int64_t thread = 0; thread < whole; thread += LANES)
			add_warp(of, &of_whole, b * of->block + thread);
		if (whole < of->block)
			add_warp(of, &of_last, b * of->block + whole);
	}
	run_batch_of_warps(of, &of_whole);
	run_batch_of_warps(of, &of_last);
}

static int warp_ops_compute(const struct oracle_run *run)
{
	struct rounds of = {
		.function = (enum function)run->oracle->which,
		.block = oracle_axis(run, "block", 1),
		.width = oracle_axis(run, "width", LANES),
		.distance = oracle_axis(run, "distance", 0),
		.mask = oracle_axis(run, "mask", UINT32_MAX),
	};

	of.x = oracle_input(run, "x", &of.n);
	of.y = oracle_result(run, "y", &of.n);
	if (!of.x || !of.y)
		return PL_EUSAGE;
	parallel_for((of.n + of.block - 1) / of.block, 8, warp_ops_run_blocks, &of);
	return 0;
}

#define FUNCTION(label, symbol, of_axes)                                                 \
	static const struct kernel_oracle oracle_##label = {"warp_ops/" #label, of_axes, \
							    warp_ops_compute, symbol};

/* The block decides which threads are a warp, but blocks of whole warps all divide the grid in the
 * same way. */
#define OF_BLOCK "block * (block % 32 != 0)"
#define OF_VOTE OF_BLOCK ",mask,n"
#define OF_SHUFFLE OF_BLOCK ",distance,mask,n,width"
FUNCTION(ballot, BALLOT, OF_VOTE)
FUNCTION(any, ANY, OF_VOTE)
FUNCTION(all, ALL, OF_VOTE)
FUNCTION(shfl, SHFL, OF_SHUFFLE)
FUNCTION(shfl_up, SHFL_UP, OF_SHUFFLE)
FUNCTION(shfl_down, SHFL_DOWN, OF_SHUFFLE)
FUNCTION(shfl_xor, SHFL_XOR, OF_SHUFFLE)

#define X ARG_OF_BUFFER("x")
#define Y ARG_OF_BUFFER("y")
#define MASK ARG_OF_U32("mask")

#define VOTE(label, of, shown_by, teaches)                                                       \
	TABLE_ROW(.name = #label, .lesson = teaches, .metric = shown_by, .oracle = &oracle_##of, \
		  LAUNCHES({.entry = "warp_ops_" #label, ONE_A_THREAD, ARGS(X, Y, N, MASK)}))
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
	VOTE(shared_ballot, ballot, "median_time_ns",
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
	.tolerance_rel = 0.0,
	.oracle = &oracle_ballot,
	OWN_VARIANTS(variants),
};
