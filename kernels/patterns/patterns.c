/*
 * patterns: memory accesses that are hard to count, one kind a variant: where
 * the threads go is a matter of the axes (patterns.cuh says how). They are no
 * lesson and not part of "every kernel"; scripts/compare-ptx holds what the
 * emulator counts of them against a GPU's counters.
 */
#include <string.h>

#include "kernels/table.h"

/* As in patterns.cuh. */
#define TILE 2048
#define TILE_TEXT "2048"

struct pattern {
	int64_t block, n, flip, shift, stride, offset, random;
	uint32_t mask;
	int64_t words; /* of an access */
};

static int64_t axis(const struct launch_case *work, const char *name)
{
	int64_t value = 0;

	launch_case_axis(work, name, &value);
	return value;
}

static struct pattern pattern_of(const struct launch_case *work, int64_t words)
{
	struct pattern pattern = {.block = axis(work, "block"),
				  .n = axis(work, "n"),
				  .flip = axis(work, "flip") - 1,
				  .stride = axis(work, "stride"),
				  .offset = axis(work, "start") - 1,
				  .random = axis(work, "order") == 2,
				  .mask = (uint32_t)axis(work, "mask"),
				  .words = words};

	for (int64_t share = axis(work, "share"); share > 1; share /= 2)
		pattern.shift++;
	return pattern;
}

/* The place of number `i` of `threads`. */
static int64_t place_of(const struct pattern *pattern, int64_t i, int64_t threads)
{
	uint64_t at = (uint64_t)i, span = 32;

	while (span < (uint64_t)threads)
		span *= 2;
	for (int round = 0; pattern->random && round < 2; round++) {
		at = at * UINT64_C(0x9e3779b1) % span;
		at ^= at / 16;
	}
	return (int64_t)((at ^ (uint64_t)pattern->flip) >> pattern->shift) * pattern->stride +
	       pattern->offset;
}

static int64_t place_in_grid(const struct pattern *pattern, int64_t i)
{
	return place_of(pattern, i, pattern->n);
}

static int64_t place_in_block(const struct pattern *pattern, int64_t i)
{
	return place_of(pattern, i % pattern->block, pattern->block);
}

static bool takes_part(const struct pattern *pattern, int64_t i)
{
	return pattern->mask >> i % 32 & 1;
}

static uint32_t word_of(int64_t number)
{
	return (uint32_t)number * UINT32_C(0x9e3779b1) + 1;
}

/* What variants compute: in[] is NULL for those that have no input; out[] begins as zeroes. */
typedef void pattern_computation(const struct pattern *pattern, const uint32_t *in, uint32_t *out);

static void compute_load(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++)
		for (int64_t word = 0; takes_part(pattern, i) && word < pattern->words; word++)
			out[i] += in[place_in_grid(pattern, i) * pattern->words + word];
}

static void compute_store(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	(void)in;
	for (int64_t i = 0; i < pattern->n; i++)
		for (int64_t word = 0; takes_part(pattern, i) && word < pattern->words; word++) {
			int64_t number = place_in_grid(pattern, i) * pattern->words + word;

			out[number] = word_of(number);
		}
}

static void compute_shared_load(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	(void)in;
	for (int64_t i = 0; i < pattern->n; i++)
		for (int64_t word = 0; takes_part(pattern, i) && word < pattern->words; word++)
			out[i] += word_of(place_in_block(pattern, i) * pattern->words + word);
}

/* Of the words of an access that thread i copies, `bytes` are its own and the others zeroes. */
static void compute_async_load_some(const struct pattern *pattern, const uint32_t *in,
				    uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++) {
		size_t bytes = i / 32 % 3 == 2 ? 0 : (size_t)(i % 17);
		uint32_t copied[4] = {0};

		memcpy(copied, &in[4 * place_in_grid(pattern, i)], bytes);
		for (int64_t word = 0; takes_part(pattern, i) && word < 4; word++)
			out[i] += copied[word];
	}
}

static void compute_async_store(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++)
		for (int64_t word = 0; takes_part(pattern, i) && word < pattern->words; word++)
			out[i] += in[place_in_block(pattern, i) * pattern->words + word];
}

static void compute_load_generic(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++) {
		int64_t place = place_in_block(pattern, i);

		if (takes_part(pattern, i))
			out[i] = i / pattern->block % 2 ? word_of(place) : in[place];
	}
}

static void compute_load_generic_lanes(const struct pattern *pattern, const uint32_t *in,
				       uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++) {
		int64_t place = place_in_block(pattern, i);

		if (takes_part(pattern, i))
			out[i] = i % pattern->block % 2 ? word_of(place) : in[place];
	}
}

/* A tile of a block, summed by its threads: thread t takes the places t, t + block … */
static void sum_tile(const struct pattern *pattern, const uint32_t *tile, uint32_t *out,
		     int64_t begin)
{
	for (int64_t number = 0; number < TILE * pattern->words; number++) {
		int64_t i = begin + number / pattern->words % pattern->block;

		if (i < pattern->n)
			out[i] += tile[number];
	}
}

/* Does `change` for each thread of each block on a tile of zeroes. */
static void compute_tiles(const struct pattern *pattern, uint32_t *out,
			  void (*change)(const struct pattern *pattern, uint32_t *tile, int64_t i))
{
	for (int64_t begin = 0; begin < pattern->n; begin += pattern->block) {
		uint32_t tile[TILE * 4] = {0};

		for (int64_t i = begin; i < begin + pattern->block && i < pattern->n; i++)
			if (takes_part(pattern, i))
				change(pattern, tile, i);
		sum_tile(pattern, tile, out, begin);
	}
}

static void store_to_tile(const struct pattern *pattern, uint32_t *tile, int64_t i)
{
	int64_t number = place_in_block(pattern, i) * pattern->words;

	for (int64_t word = 0; word < pattern->words; word++)
		tile[number + word] = word_of(number + word);
}

static void compute_shared_store(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	(void)in;
	compute_tiles(pattern, out, store_to_tile);
}

static void add_to_tile(const struct pattern *pattern, uint32_t *tile, int64_t i)
{
	tile[place_in_block(pattern, i)] += 1 + (uint32_t)(i % 8);
}

static void compute_shared_add(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	(void)in;
	compute_tiles(pattern, out, add_to_tile);
}

/* One is added to every word of a place. */
static void compute_add(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	(void)in;
	for (int64_t i = 0; i < pattern->n; i++)
		for (int64_t word = 0; takes_part(pattern, i) && word < pattern->words; word++)
			out[place_in_grid(pattern, i) * pattern->words + word]++;
}

static void compute_add_float(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	(void)in;
	for (int64_t i = 0; i < pattern->n; i++) {
		uint32_t *at = &out[place_in_grid(pattern, i)];
		float value;

		memcpy(&value, at, sizeof(value));
		value += takes_part(pattern, i) ? 1.0f : 0.0f;
		memcpy(at, &value, sizeof(value));
	}
}

static void compute_one_address(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	(void)in;
	for (int64_t i = 0; i < pattern->n; i++)
		out[pattern->offset] += takes_part(pattern, i);
}

static void compute_local_array(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	(void)in;
	for (int64_t i = 0; i < pattern->n; i++) {
		uint32_t kept[8];

		for (int64_t turn = 0; turn < 8; turn++)
			kept[(5 * turn + i) % 8] = word_of(i + turn);
		for (int64_t turn = 0; takes_part(pattern, i) && turn < 8; turn++)
			out[i] = 3 * out[i] + kept[(turn + pattern->offset) % 8];
	}
}

/* All intermediate values are multiples of a half that a float holds. */
static void compute_arithmetic(const struct pattern *pattern, const uint32_t *in, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++) {
		uint32_t a = in[i] % 64, b = in[i] / 64 % 64;

		if (takes_part(pattern, i))
			out[i] = ((a + b) * b * a + a + b + 4 - 2 * a * b) / 2;
	}
}

static int compute(pattern_computation *computation, int64_t words, bool reads,
		   const struct launch_case *work, const struct host_buffers *inputs,
		   struct host_buffers *expected, struct error *err)
{
	struct pattern pattern = pattern_of(work, words);
	void *in = NULL, *out = NULL;
	int64_t length;
	int rc = reads ? oracle_buffer(&in, work, inputs, "in", &length, err) : 0;

	if (!rc)
		rc = oracle_buffer(&out, work, expected, "out", &length, err);
	if (rc)
		return rc;
	memset(out, 0, (size_t)length * sizeof(uint32_t));
	computation(&pattern, in, out);
	return 0;
}

/* `reads`: there is an input. */
#define ORACLE(label, computation, words, reads)                                          \
	static int compute_##label##_of(const struct launch_case *work,                   \
					const struct host_buffers *inputs,                \
					struct host_buffers *expected, struct error *err) \
	{                                                                                 \
		return compute(computation, words, reads, work, inputs, expected, err);   \
	}                                                                                 \
	static const struct kernel_oracle oracle_##label = {                              \
		.name = "patterns/" #label,                                               \
		.axes = "block,flip,mask,n,order,share,start,stride",                     \
		.compute = compute_##label##_of,                                          \
	};

ORACLE(load_4, compute_load, 1, true)
ORACLE(load_8, compute_load, 2, true)
ORACLE(load_16, compute_load, 4, true)
ORACLE(store_4, compute_store, 1, false)
ORACLE(store_8, compute_store, 2, false)
ORACLE(store_16, compute_store, 4, false)
ORACLE(shared_load_4, compute_shared_load, 1, false)
ORACLE(shared_load_8, compute_shared_load, 2, false)
ORACLE(shared_load_16, compute_shared_load, 4, false)
ORACLE(shared_store_4, compute_shared_store, 1, false)
ORACLE(shared_store_8, compute_shared_store, 2, false)
ORACLE(shared_store_16, compute_shared_store, 4, false)
ORACLE(add, compute_add, 1, false)
ORACLE(add_8, compute_add, 2, false)
ORACLE(add_float, compute_add_float, 1, false)
ORACLE(one_address, compute_one_address, 1, false)
ORACLE(shared_add, compute_shared_add, 1, false)
ORACLE(load_generic, compute_load_generic, 1, true)
ORACLE(load_generic_lanes, compute_load_generic_lanes, 1, true)
ORACLE(async_load_some, compute_async_load_some, 4, true)
ORACLE(async_store_4, compute_async_store, 1, true)
ORACLE(async_store_8, compute_async_store, 2, true)
ORACLE(async_store_16, compute_async_store, 4, true)
ORACLE(local_array, compute_local_array, 1, false)
ORACLE(arithmetic, compute_arithmetic, 1, true)

/* Threads that are told apart, rounded up to a power of two; the last place and one. */
#define SPAN_OF(threads) "max(32, pow2(log2(max(" threads " - 1, 1)) + 1))"
#define PLACES_OF(threads) "((" SPAN_OF(threads) " - 1) / share * stride + start)"

/* Words that the widest access reaches, in the grid or in a block. */
#define PATTERN_WORDS "max(n, 4 * max(" PLACES_OF("n") ", " PLACES_OF("block") "))"

#define IN ARG_OF_BUFFER("in")
#define OUT ARG_OF_BUFFER("out")
#define OLD ARG_OF_BUFFER("old")
#define PATTERN_FOR(threads)                                                              \
	ARG_OF_I64("n"), ARG_OF_I64(SPAN_OF(threads)), ARG_OF_I64("flip - 1"),            \
		ARG_OF_I64("log2(share)"), ARG_OF_I64("stride"), ARG_OF_I64("start - 1"), \
		ARG_OF_U32("mask"), ARG_OF_I32("order == 2")

#define ASYNCHRONOUS                                                               \
	{                                                                          \
		"compute_capability >= 80",                                        \
			"asynchronous copies need compute capability 8.0 (Ampere)" \
	}

/* A variant, the name of its oracle, the threads that its places are told apart by. */
#define ROW(label, computes, threads, shows, teaches, ...)                                \
	.name = #label, .lesson = teaches, .metric = shows, .oracle = &oracle_##computes, \
	LAUNCHES({.entry = "patterns_" #label,                                            \
		  .grid = {"ceil_div(n, block)"},                                         \
		  .block = {"block"},                                                     \
		  ARGS(__VA_ARGS__, PATTERN_FOR(threads))})
/* Places of the whole grid, or of each block in its tile. */
#define IN_GRID(label, computes, shows, teaches, ...)                   \
	{                                                               \
		ROW(label, computes, "n", shows, teaches, __VA_ARGS__), \
	}
#define IN_BLOCK(label, computes, shows, teaches, ...)                                       \
	{                                                                                    \
		ROW(label, computes, "block", shows, teaches, __VA_ARGS__),                  \
			CONSTRAINTS({PLACES_OF("block") " <= " TILE_TEXT,                    \
				     "the places of a block must fit into a tile of 2048"}), \
	}
/* Asynchronous copies from places of the grid, or to places of each block's tile. */
#define ASYNC_LOAD(label, computes, teaches)                                           \
	{                                                                              \
		ROW(label, computes, "n", "ptx_async_copy_sectors", teaches, IN, OUT), \
			CONSTRAINTS(ASYNCHRONOUS),                                     \
	}
#define ASYNC_STORE(label, computes, teaches)                                                 \
	{                                                                                     \
		ROW(label, computes, "block", "ptx_async_copy_wavefronts", teaches, IN, OUT), \
			CONSTRAINTS(ASYNCHRONOUS,                                             \
				    {PLACES_OF("block") " <= " TILE_TEXT,                     \
				     "the places of a block must fit into a tile of 2048"}),  \
	}

static const struct kernel_variant variants[] = {
	IN_GRID(load_4, load_4, "global_load_sectors", "4-byte loads from global memory", IN, OUT),
	IN_GRID(load_8, load_8, "global_load_sectors", "8-byte loads from global memory", IN, OUT),
	IN_GRID(load_16, load_16, "global_load_sectors", "16-byte loads from global memory", IN,
		OUT),
	IN_GRID(store_4, store_4, "global_store_sectors", "4-byte stores to global memory", OUT),
	IN_GRID(store_8, store_8, "global_store_sectors", "8-byte stores to global memory", OUT),
	IN_GRID(store_16, store_16, "global_store_sectors", "16-byte stores to global memory", OUT),
	IN_BLOCK(shared_load_4, shared_load_4, "shared_load_wavefronts",
		 "4-byte loads from shared memory", OUT),
	IN_BLOCK(shared_load_8, shared_load_8, "shared_load_wavefronts",
		 "8-byte loads from shared memory", OUT),
	IN_BLOCK(shared_load_16, shared_load_16, "shared_load_wavefronts",
		 "16-byte loads from shared memory", OUT),
	IN_BLOCK(shared_store_4, shared_store_4, "shared_store_wavefronts",
		 "4-byte stores to shared memory", OUT),
	IN_BLOCK(shared_store_8, shared_store_8, "shared_store_wavefronts",
		 "8-byte stores to shared memory", OUT),
	IN_BLOCK(shared_store_16, shared_store_16, "shared_store_wavefronts",
		 "16-byte stores to shared memory", OUT),
	IN_GRID(atomic_add, add, "ptx_global_atomic_sectors",
		"global atomics whose old value is read", OUT, OLD),
	IN_GRID(atomic_add_8, add_8, "ptx_global_atomic_sectors", "the same on 8 bytes", OUT, OLD),
	IN_GRID(reduce_add, add, "ptx_global_reduction_sectors",
		"global atomics whose old value nobody reads", OUT),
	IN_GRID(reduce_add_8, add_8, "ptx_global_reduction_sectors", "the same on 8 bytes", OUT),
	IN_GRID(reduce_add_float, add_float, "ptx_global_reduction_sectors",
		"the same on single-precision numbers", OUT),
	IN_GRID(reduce_one_address, one_address, "ptx_global_reduction_requests",
		"one address for all, which the compiler knows", OUT),
	IN_BLOCK(shared_atomic_add, shared_add, "ptx_shared_atomic_requests",
		 "shared atomics whose old value is read", OUT, OLD),
	IN_BLOCK(shared_reduce_add, shared_add, "ptx_shared_atomic_requests",
		 "shared atomics whose old value nobody reads", OUT),
	IN_BLOCK(load_generic, load_generic, "global_load_requests",
		 "addresses that are shared in every other block, else global", IN, OUT),
	IN_BLOCK(load_generic_lanes, load_generic_lanes, "global_load_requests",
		 "addresses that are shared in every other thread, else global", IN, OUT),
	ASYNC_LOAD(async_load_4, load_4, "4-byte asynchronous copies from these places"),
	ASYNC_LOAD(async_load_8, load_8, "8-byte asynchronous copies from these places"),
	ASYNC_LOAD(async_load_16, load_16, "16-byte asynchronous copies from these places"),
	ASYNC_LOAD(async_load_16_cg, load_16, "the same past the first-level cache"),
	ASYNC_LOAD(async_load_some, async_load_some,
		   "asynchronous copies of 0 to 16 bytes, and zeroes for the others"),
	ASYNC_LOAD(async_zeroes_16, load_16, "zeroes are copied by those that take no part"),
	ASYNC_LOAD(async_zeroes_16_cg, load_16, "the same past the first-level cache"),
	ASYNC_STORE(async_store_4, async_store_4, "4-byte asynchronous copies to these places"),
	ASYNC_STORE(async_store_8, async_store_8, "8-byte asynchronous copies to these places"),
	ASYNC_STORE(async_store_16, async_store_16, "16-byte asynchronous copies to these places"),
	ASYNC_STORE(async_store_16_cg, async_store_16, "the same past the first-level cache"),
	IN_GRID(local_array, local_array, "ptx_local_load_requests",
		"an array of a thread in local memory", OUT),
	IN_GRID(arithmetic_float, arithmetic, "flop_f32",
		"9 operations a thread in single precision", IN, OUT),
	IN_GRID(arithmetic_double, arithmetic, "flop_f64",
		"9 operations a thread in double precision", IN, OUT),
};

const struct kernel kernel_patterns = {
	.name = "patterns",
	.summary = "accesses that are hard to count, to hold the emulator against a GPU",
	.on_request = true,
	.axes = {{"block", "128", "threads in one block"},
		 {"n", "4000", "threads that have an element"},
		 {"stride", "1", "from a place to the next, in accesses"},
		 {"start", "1", "first place, counted from 1, in accesses"},
		 {"share", "1", "neighbouring threads that go to one place"},
		 {"flip", "1", "threads whose order is reversed: 32 is a warp"},
		 {"mask", "4294967295", "a bit for each thread of 32: takes part if it is set"},
		 {"order", "1", "1: as threads are numbered, 2: random"}},
	.axis_count = 8,
	.buffers = {{.name = "in",
		     .type = ELEMENT_U32,
		     .length = PATTERN_WORDS,
		     .role = BUFFER_IN,
		     .fill = FILL_UNIFORM,
		     .fill_low = 0,
		     .fill_high = 4294967296.0},
		    {.name = "out",
		     .type = ELEMENT_U32,
		     .length = PATTERN_WORDS,
		     .role = BUFFER_INOUT,
		     .fill = FILL_CONSTANT,
		     .fill_low = 0},
		    {.name = "old", .type = ELEMENT_U32, .length = "n", .role = BUFFER_SCRATCH}},
	.buffer_count = 3,
	.constraints = {{"is_pow2(share)", "share must be a power of two"},
			{"flip >= 1 && flip <= 32", "flip stays within a warp: 1 to 32"},
			{"mask <= 4294967295", "mask must have 32 bits"},
			{"order == 1 || order == 2", "order is 1 or 2"},
			{"stride >= 1", "stride must be at least 1: places are told apart"},
			{"start >= 1", "start must be at least 1: places are counted from 1"}},
	.constraint_count = 6,
	.oracle = &oracle_load_4,
	.variants = variants,
	.variant_count = ARRAY_SIZE(variants),
};
