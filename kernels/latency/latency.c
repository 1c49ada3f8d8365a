/*
 * latency: the time of one access if nothing else can be done meanwhile, in
 * registers and in shared, local and global memory. The latency is the
 * difference between the times for two numbers of steps, divided by the
 * difference of the steps: both times contain the launch and the initialisation
 * of the ring.
 */
#include "kernels/table.h"

/* As in latency.cuh. */
#define LOCAL_KIB 4
#define LINE_BYTES 128
#define WORD_BYTES 4

#define STARTS 256 /* number of different sums with which threads begin */

/* NULL, with the error: the case has no such buffer or axis. */
static uint32_t *result_of(const struct oracle_run *run, int64_t *n, int64_t *steps)
{
	uint32_t *y = oracle_result(run, "y", n);

	if (y && !launch_case_axis(run->work, "steps", steps)) {
		error_set(run->err, PL_EUSAGE, "oracle %s: no axis steps", run->work->oracle);
		return NULL;
	}
	return y;
}

static int compute_count(const struct oracle_run *run)
{
	int64_t n, steps;
	uint32_t *y = result_of(run, &n, &steps);

	for (int64_t i = 0; y && i < n; i++)
		y[i] = (uint32_t)(i % STARTS + steps);
	return y ? 0 : PL_EUSAGE;
}

/* Thread i begins at place i; every step goes equally far. Which oracle: the bytes of a place. */
static int compute_place(const struct oracle_run *run)
{
	int64_t n, steps, size_kib, places, hop;
	uint32_t *y = result_of(run, &n, &steps);

	if (!y)
		return PL_EUSAGE;
	if (!launch_case_axis(run->work, "size_kib", &size_kib))
		return error_set(run->err, PL_EUSAGE, "oracle %s: no axis size_kib",
				 run->work->oracle);
	places = 1024 * size_kib / run->oracle->which;
	hop = places * 309017 / 1000000 * 2 + 1;
	for (int64_t i = 0; i < n; i++)
		y[i] = (uint32_t)((i % places + steps * hop) % places);
	return 0;
}

static const struct kernel_oracle oracle_count = {"latency/count", "n,steps", compute_count};
static const struct kernel_oracle oracle_word = {"latency/word", "n,steps,size_kib", compute_place,
						 WORD_BYTES};
static const struct kernel_oracle oracle_line = {"latency/line", "n,steps,size_kib", compute_place,
						 LINE_BYTES};

#define Y ARG_OF_BUFFER("y")
#define STEPS ARG_OF_I32("steps")

/* As in latency.cuh: an odd number of places, about 0.618 of the ring. */
#define PLACES(place_bytes) "(1024 * size_kib / " TEXT_OF(place_bytes) ")"
#define HOP(place_bytes) PLACES(place_bytes) " * 309017 / 1000000 * 2 + 1"
#define RING_ARGS(place_bytes) ARG_OF_U32(PLACES(place_bytes)), ARG_OF_U32(HOP(place_bytes))
#define RING_OF(values, where) TABLE_ROW("size_kib", values, "size of " where " in KiB")
#define POWER_OF_2                                                                              \
	TABLE_ROW("is_pow2(size_kib)", "size_kib must be a power of 2, so that hops of an odd " \
				       "length visit all places")

static const struct kernel_variant variants[] = {
	VARIANT("registers", "median_time_ns",
		"multiply-adds that wait for each other: the shortest step",
		.oracle = &oracle_count,
		.work = &(const struct kernel_work){.flop = "2 * n * steps",
						    .bytes_written = "4 * n"},
		AXES({"steps", "2^16,2^18", "multiply-adds in a chain"}),
		LAUNCHES({.entry = "latency_registers",
			  ONE_A_THREAD,
			  ARGS(Y, N, STEPS, ARG_OF_F32("1"))})),
	VARIANT("shared", "median_time_ns",
		"a load that waits for the load before it: shared memory is slower than a register",
		.oracle = &oracle_word, AXES(RING_OF("16", "a block's ring")),
		CONSTRAINTS(POWER_OF_2),
		LAUNCHES({.entry = "latency_shared",
			  ONE_A_THREAD,
			  .shared_bytes = "1024 * size_kib",
			  ARGS(Y, N, STEPS, RING_ARGS(WORD_BYTES))})),
	VARIANT("local", "median_time_ns",
		"an array of the thread lies in global memory, and mostly in a cache",
		.oracle = &oracle_word, AXES(RING_OF("1", "a thread's ring")),
		CONSTRAINTS(POWER_OF_2,
			    {"size_kib <= " TEXT_OF(LOCAL_KIB),
			     "size_kib must be at most 4: the array of a thread has 4 KiB"}),
		LAUNCHES({.entry = "latency_local",
			  ONE_A_THREAD,
			  ARGS(Y, N, STEPS, RING_ARGS(WORD_BYTES))})),
	VARIANT("global", "median_time_ns",
		"the same loads from global memory: the size of the ring decides which cache "
		"answers",
		.oracle = &oracle_line,
		/* The smaller number of steps visits all 2^13 places of the middle ring once, the
		 * larger number visits them twice. The first visit to a place takes the time of
		 * device memory, apparently because only a part of its sector was written. */
		AXES(RING_OF("16,1024,2^18", "the ring")), CONSTRAINTS(POWER_OF_2),
		LAUNCHES(
			{.entry = "latency_global_ring",
			 .grid = {"ceil_div(" PLACES(LINE_BYTES) ", block)"},
			 .block = {"block"},
			 ARGS(ARG_OF_BUFFER("ring"), RING_ARGS(LINE_BYTES))},
			{.entry = "latency_global",
			 ONE_A_THREAD,
			 ARGS(Y, N, STEPS, ARG_OF_BUFFER("ring"), ARG_OF_U32(PLACES(LINE_BYTES)))}),
		BUFFERS({"y", ELEMENT_U32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0},
			{"ring", ELEMENT_U32, "256 * size_kib", BUFFER_SCRATCH, FILL_NONE, 0.0,
			 0.0})),
};

const struct kernel kernel_latency = {
	.name = "latency",
	.summary = "the time of an access that nothing hides, in each kind of memory",
	AXES({"block", "32", "threads in one block"}, {"n", "1", "threads, each with a chain"},
	     {"steps", "2^13,2^14", "steps in a chain"}),
	.small_size = "1",
	BUFFERS({"y", ELEMENT_U32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
	CONSTRAINTS({"steps <= pow2(23)",
		     "steps must be at most 2^23: a float counts only up to 2^24"}),
	.work = {.bytes_written = "4 * n"},
	.tolerance_rel = 0.0,
	.oracle = &oracle_line,
	OWN_VARIANTS(variants),
};
