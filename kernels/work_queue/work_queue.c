/*
 * work_queue: items of equal or unequal cost, distributed in advance or on
 * demand. The axis `skew` concentrates the same work in fewer items, which are
 * neighbours.
 */
#include "kernels/table.h"

#define STEPS 64 /* as in work_queue.cuh */

/* Steps of an item, modulo 2^32. */
struct steps {
	uint32_t factor, addend;
};

struct items {
	const uint32_t *x;
	uint32_t *y;
	int64_t heavy; /* number of heavy items */
	struct steps of_heavy, of_light;
};

/* `count` steps are one with another factor and addend. This is exact, because the integers modulo
 * 2^32 are a ring. */
static struct steps steps_of(int64_t count)
{
	struct steps all = {1, 0};

	for (; count > 0; count--) {
		all.factor *= UINT32_C(1664525);
		all.addend = all.addend * UINT32_C(1664525) + UINT32_C(1013904223);
	}
	return all;
}

static void work_queue_run_range(void *context, int64_t begin, int64_t end)
{
	const struct items *items = context;

	for (int64_t i = begin; i < end; i++) {
		const struct steps steps = i < items->heavy ? items->of_heavy : items->of_light;

		items->y[i] = items->x[i] * steps.factor + steps.addend;
	}
}

static int compute_worked(const struct oracle_run *run)
{
	const int64_t skew = oracle_axis(run, "skew", 1);
	int64_t n;
	struct items of = {
		.x = oracle_input(run, "x", &n),
		.y = oracle_result(run, "y", &n),
		.of_heavy = steps_of(STEPS * skew),
		.of_light = steps_of(1),
	};

	if (!of.x || !of.y)
		return PL_EUSAGE;
	of.heavy = (n + skew - 1) / skew;
	parallel_for(n, ORACLE_GRAIN, work_queue_run_range, &of);
	return 0;
}

static const struct kernel_oracle oracle_worked = {"work_queue/worked", "n,skew", compute_worked};

#define X ARG_OF_BUFFER("x")
#define Y ARG_OF_BUFFER("y")
#define NEXT ARG_OF_BUFFER("next")
#define SKEW ARG_OF_U32("skew")
/* Each block takes items until none are left. */
#define RESIDENT .grid = {RESIDENT_BLOCKS}, .block = {"block"}
#define STATIC(name) LAUNCHES({.entry = name, RESIDENT, ARGS(X, Y, N, SKEW)})
/* The last value of the counter of a queue. No thread that asks for work may see it wrap. */
#define LAST ARG_OF_U32("4294967295")
#define DYNAMIC(name)                                                                     \
	LAUNCHES({.entry = "work_queue_open", .grid = {"1"}, .block = {"1"}, ARGS(NEXT)}, \
		 {.entry = name, RESIDENT, ARGS(X, Y, NEXT, N, SKEW)})

#define COUNTER_OF_32_BITS                                                                      \
	TABLE_ROW("n <= 2147483648", "n must be at most 2^31: the counter of the queue has 32 " \
				     "bits")

static const struct kernel_variant variants[] = {
	VARIANT("static_split", "median_time_ns",
		"equal shares in advance: no queue, but under skew a few blocks have most of the "
		"work",
		STATIC("work_queue_static_split")),
	VARIANT("static_strided", "median_time_ns",
		"items dealt in turn: neighbouring heavy items are spread at no cost",
		STATIC("work_queue_static_strided")),
	VARIANT("dynamic_block", "median_time_ns",
		"blocks take items from a counter: under skew this beats equal shares",
		DYNAMIC("work_queue_dynamic_block"), CONSTRAINTS(COUNTER_OF_32_BITS)),
	VARIANT("dynamic_warp", "median_time_ns",
		"each warp takes items: smaller shares, more atomic additions, no barrier",
		DYNAMIC("work_queue_dynamic_warp"),
		CONSTRAINTS(WHOLE_WARPS("a warp takes 32 items, one per lane"),
			    COUNTER_OF_32_BITS)),
	VARIANT("dynamic_thread", "median_time_ns",
		"each thread takes items by an atomic increment: all items in one queue",
		LAUNCHES({.entry = "work_queue_open", .grid = {"1"}, .block = {"1"}, ARGS(NEXT)},
			 {.entry = "work_queue_dynamic_thread",
			  RESIDENT,
			  ARGS(X, Y, NEXT, N, SKEW, LAST)}),
		CONSTRAINTS(COUNTER_OF_32_BITS)),
	VARIANT("dynamic_thread_add", "median_time_ns",
		"dynamic_thread by adding 1: the compiler adds once for all lanes of a warp",
		DYNAMIC("work_queue_dynamic_thread_add"), CONSTRAINTS(COUNTER_OF_32_BITS)),
};

const struct kernel kernel_work_queue = {
	.name = "work_queue",
	.summary = "work distributed in advance or on demand, balanced and skewed",
	AXES(AXIS_BLOCK, {"n", "2^20", "items"},
	     {"skew", "1,16", "one of this many items has all the work; 1 means balanced"}),
	.small_size = "2^10",
	BUFFERS({"x", ELEMENT_U32, "n", BUFFER_IN, FILL_UNIFORM, 0.0, 4294967295.0},
		{"y", ELEMENT_U32, "n", BUFFER_OUT, FILL_NONE, 0.0, 0.0},
		{.name = "next", .type = ELEMENT_U32, .length = "1", .role = BUFFER_SCRATCH}),
	CONSTRAINTS({"skew >= 1 && skew <= 4096",
		     "skew must be 1 to 4096: the steps of an item must fit 32 bits"}),
	.work = {.bytes_read = "4 * n", .bytes_written = "4 * n"},
	.oracle = &oracle_worked,
	OWN_VARIANTS(variants),
};
