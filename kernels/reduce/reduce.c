/*
 * reduce: the sum of n floats, step by step. It begins with one launch per
 * stride in global memory, goes on with trees in shared memory and shuffles
 * between registers, and ends with a grid that reads at the speed of memory,
 * followed by a short second pass.
 */
#include "kernels/reduce/reduce.h"

#include "kernels/vectors.h"

/*
 * The sum is pairwise, in doubles: a tree whose nodes have halves of an array,
 * down to runs of at most RUN floats, which are summed one by one. For floats in
 * [0, 1) the error is far below the last bit of the resulting float, for any n
 * that fits on a device.
 */
#define RUN 1024
/* As many runs are summed at a time, because the additions of a run wait for each other. */
#define RUN_LEVELS 3
#define RUNS (1 << RUN_LEVELS)
/* As many parts of the array are summed by several threads. */
#define PART_LEVELS 6
#define PARTS (1 << PART_LEVELS)

struct part {
	const float *x;
	int64_t n;
};

/* Node `index` of those `levels` below the whole: each level takes the first or the second half. */
static struct part part_of(struct part whole, int levels, int64_t index)
{
	struct part part = whole;

	for (int level = levels - 1; level >= 0; level--) {
		const int64_t half = part.n / 2;

		part = index >> level & 1 ? (struct part){part.x + half, part.n - half}
					  : (struct part){part.x, half};
	}
	return part;
}

/* The root of the tree over `count` sums, a power of 2. Overwrites them. */
static double sum_of_tree(double *sums, int count)
{
	while (count > 1) {
		count /= 2;
		for (int i = 0; i < count; i++)
			sums[i] = sums[2 * i] + sums[2 * i + 1];
	}
	return sums[0];
}

/* pairwise_sum() of a part that the tree divides into RUNS runs. */
static double sum_of_runs(struct part part)
{
	const int64_t least = part.n / RUNS; /* floats in a run; some have one more */
	const float *run[RUNS];
	double sums[RUNS] = {0};

	for (int r = 0; r < RUNS; r++)
		run[r] = part_of(part, RUN_LEVELS, r).x;
	for (int64_t i = 0; i < least; i++) {
		UNROLLED_FOR(r, RUNS)
		sums[r] += (double)run[r][i];
	}
	for (int r = 0; r < RUNS; r++)
		if (part_of(part, RUN_LEVELS, r).n > least)
			sums[r] += (double)run[r][least];
	return sum_of_tree(sums, RUNS);
}

static double pairwise_sum(struct part part)
{
	double sum = 0.0;

	/* the nodes one level above are too long for a run, those at the level are not */
	if (part.n / (RUNS / 2) > RUN && (part.n + RUNS - 1) / RUNS <= RUN)
		return sum_of_runs(part);
	if (part.n > RUN)
		return pairwise_sum(part_of(part, 1, 0)) + pairwise_sum(part_of(part, 1, 1));
	for (int64_t i = 0; i < part.n; i++)
		sum += (double)part.x[i];
	return sum;
}

struct parallel_sum {
	struct part whole;
	double sums[PARTS];
};

static void sum_parts(void *context, int64_t begin, int64_t end)
{
	struct parallel_sum *of = context;

	for (int64_t index = begin; index < end; index++)
		of->sums[index] = pairwise_sum(part_of(of->whole, PART_LEVELS, index));
}

/* pairwise_sum() by several threads: the tree is the same, so is every addition. */
static double parallel_sum(struct part whole)
{
	struct parallel_sum of = {.whole = whole};

	if (whole.n < PARTS * ORACLE_GRAIN)
		return pairwise_sum(whole);
	parallel_for(PARTS, 1, sum_parts, &of);
	return sum_of_tree(of.sums, PARTS);
}

static int compute_sum(const struct oracle_run *run)
{
	int64_t n, one;
	const float *x = oracle_input(run, "x", &n);
	float *sum = oracle_result(run, "sum", &one);

	if (!x || !sum)
		return PL_EUSAGE;
	*sum = (float)parallel_sum((struct part){x, n});
	return 0;
}

const struct kernel_oracle oracle_sum = {"reduce/sum", "n", compute_sum};

/* At most as many blocks as static_partials in static_buffer.cu has elements. */
#define STATIC_BLOCKS "min(16384, " RESIDENT_BLOCKS ")"

/* A copy of x, then a tree over the values until one is left. Each pass reads one of two arrays,
 * writes the other, and reduces every `block` values to one. */
#define COPY "even_steps"
#define LEFT_AFTER(passes) "ceil_div(n, pow2((" passes ") * log2(block)))"
#define TREE_PASSES(name)                                                                         \
	LAUNCHES({.entry = "reduce_copy",                                                         \
		  .grid = {"ceil_div(n, 4 * 256)"},                                               \
		  .block = {"256"},                                                               \
		  ARGS(X, ARG_OF_BUFFER(COPY), N)},                                               \
		 {.entry = name,                                                                  \
		  .repeat = "max(1, ceil_div(" HALVINGS ", log2(block)))",                        \
		  .grid = {LEFT_AFTER("i + 1")},                                                  \
		  .block = {"block"},                                                             \
		  .shared_bytes = "4 * block",                                                    \
		  ARGS(ARG_OF_BUFFER(COPY), PARTIALS, SUM, ARG_OF_I64(LEFT_AFTER("i")),           \
		       ARG_OF_I64("i"))}),                                                        \
		CONSTRAINTS(HALVES, {"block > 1", "block must be above 1: a block of one thread " \
						  "does not reduce the number of values"})

static const struct kernel_variant variants[] = {
	VARIANT("doubling_stride", "dram_bytes",
		"one launch per stride, each over the whole array: log2(n) times the bytes",
		LAUNCHES({.entry = "reduce_doubling_stride",
			  .repeat = "max(1, " HALVINGS ")",
			  .grid = {BLOCKS},
			  .block = {"block"},
			  ARGS(X, ARG_OF_BUFFER("even_steps"), ARG_OF_BUFFER("odd_steps"), SUM, N,
			       ARG_OF_I64("i"))})),
	VARIANT("naive", "dram_bytes",
		"one launch per halving: each moves half the bytes of the one before", IN_HALVES),
	VARIANT("neighboured", "instructions",
		"every second thread idles: all warps run all steps, with a division in each",
		TREE("reduce_neighboured"), CONSTRAINTS(HALVES)),
	VARIANT("interleaved", "shared_load_bank_conflicts",
		"the first threads work, so whole warps retire, but their accesses have bank "
		"conflicts",
		TREE("reduce_interleaved"), CONSTRAINTS(HALVES)),
	VARIANT("sequential", "shared_load_bank_conflicts",
		"neighbouring threads access neighbouring words: no bank conflicts",
		TREE("reduce_sequential"), CONSTRAINTS(HALVES)),
	VARIANT("neighboured_passes", "median_time_ns",
		"a copy, then passes of the neighboured tree until one value is left",
		TREE_PASSES("reduce_neighboured_passes")),
	VARIANT("masked_passes", "instructions",
		"the neighboured tree with a mask: a remainder by an unknown number is a division",
		TREE_PASSES("reduce_masked_passes")),
	VARIANT("interleaved_passes", "median_time_ns",
		"passes of the interleaved tree: whole warps retire, with bank conflicts",
		TREE_PASSES("reduce_interleaved_passes")),
	VARIANT("sequential_passes", "median_time_ns",
		"passes of the sequential tree: neither remainders nor bank conflicts",
		TREE_PASSES("reduce_sequential_passes")),
	VARIANT("syncwarp_tail", "median_time_ns",
		"the last warp synchronises itself and needs no barrier of the block",
		TREE("reduce_syncwarp_tail"),
		CONSTRAINTS(HALVES, WHOLE_WARPS("the tail is one whole warp"))),
	VARIANT("shuffle", "instructions",
		"lanes pass values through registers: almost no shared memory, one barrier",
		TWO_PASSES("reduce_shuffle", BLOCKS), CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	VARIANT("cooperative_tile", "median_time_ns",
		"a cooperative-groups tile of 32 threads costs as much as the shuffle",
		TWO_PASSES("reduce_cooperative_tile", BLOCKS),
		CONSTRAINTS(WHOLE_WARPS("a tile is 32 threads"))),
	VARIANT("grid_stride", "dram_bytes_per_s",
		"each thread sums many elements first, so idle lanes in the trees cost little",
		TWO_PASSES("reduce_grid_stride", RESIDENT_BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	VARIANT("thread_runs", "global_load_sectors_per_request",
		"each thread sums a contiguous run: every lane of a warp loads its own sector",
		TWO_PASSES("reduce_thread_runs", RESIDENT_BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	VARIANT("grid_stride_float4", "dram_bytes_per_s",
		"four 16-byte loads in flight per thread reach the speed of memory",
		TWO_PASSES("reduce_grid_stride_float4", RESIDENT_BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	VARIANT("static_buffer", "median_time_ns",
		"partial sums in a static device array: no allocation is needed",
		LAUNCHES({.entry = "reduce_static_buffer",
			  .grid = {STATIC_BLOCKS},
			  .block = {"block"},
			  ARGS(X, N)},
			 {.entry = "reduce_static_finish",
			  .grid = {"1"},
			  .block = {FINISH_BLOCK},
			  ARGS(SUM, ARG_OF_I64(STATIC_BLOCKS))}),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	VARIANT("per_call_allocation", "median_time_ns",
		"the grid stride with partial sums allocated in every call: what the allocation "
		"costs",
		LAUNCHES({.entry = "reduce_per_call_allocation",
			  .grid = {RESIDENT_BLOCKS},
			  .block = {"block"},
			  ARGS(X, ARG_OF_BUFFER("partials_of_call"), N)},
			 FINISH("partials_of_call", RESIDENT_BLOCKS)),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	VARIANT("last_block", "median_time_ns",
		"one launch: the block that finishes last does the second pass",
		LAUNCHES({.entry = "reduce_last_block",
			  .grid = {RESIDENT_BLOCKS},
			  .block = {"block"},
			  ARGS(X, PARTIALS, SUM, N)}),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	VARIANT("atomic_finish", "median_time_ns",
		"one atomic addition per block replaces the second pass, at the cost of a digit or "
		"two",
		ADDED_UP("reduce_clear", "reduce_atomic_finish", RESIDENT_BLOCKS),
		CONSTRAINTS(WHOLE_WARPS_OF_SHUFFLE)),
	VARIANT("cub", "dram_bytes_per_s",
		"CUB, the vendor's library: the library baseline for sums",
		AXES({"block", "256", "ignored: the library chooses"}),
		LAUNCHES({.library = "cub", .entry = "sum", ARGS(X, SUM, N)})),
};

const struct kernel kernel_reduce = {
	.name = "reduce",
	.summary = "the sum of n floats, from one launch per stride to the speed of memory",
	AXES(AXIS_BLOCK, {"n", "2^24", "elements to sum"}),
	.small_size = "2^16",
	SUM_BUFFERS(FILL_UNIFORM, 0.0, 1.0),
	.work = {.flop = "n - 1", .bytes_read = "4 * n", .bytes_written = "4"},
	/*
	 * k additions that build a float sum S err by about 0.29 ulp(S) sqrt(k / 3) (one standard
	 * deviation). In trees k is about 30. The longest chain is that of atomic_finish, one
	 * addition per resident block: 8448 blocks of 32 threads on 132 multiprocessors give 2e-6.
	 * Five times that is allowed. (One lost element of 2^24 changes the sum by 6e-8, which no
	 * float sum can show; small n show it.)
	 */
	.tolerance_rel = 1e-5,
	.oracle = &oracle_sum,
	OWN_VARIANTS(variants),
};
