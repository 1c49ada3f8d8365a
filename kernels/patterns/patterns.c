/*
 * patterns: memory accesses that are hard to count, one kind per variant. The
 * axes decide where the threads go (patterns.cuh). These kernels teach nothing
 * and run only when named: scripts/compare-ptx compares the emulator's counts
 * of them with the counters of a GPU.
 */
#include <string.h>

#include "kernels/table.h"

/* As in patterns.cuh. */
#define TILE 2048
#define TILE_TEXT "2048"

struct pattern {
	int64_t block, n, flip, shift, stride, offset, random;
	uint32_t mask;
	int64_t words;      /* words per access */
	const uint32_t *in; /* NULL: there is no input */
};

static struct pattern pattern_of(const struct oracle_run *run, int64_t words)
{
	struct pattern pattern = {.block = oracle_axis(run, "block", 0),
				  .n = oracle_axis(run, "n", 0),
				  .flip = oracle_axis(run, "flip", 0) - 1,
				  .stride = oracle_axis(run, "stride", 0),
				  .offset = oracle_axis(run, "start", 0) - 1,
				  .random = oracle_axis(run, "order", 0) == 2,
				  .mask = (uint32_t)oracle_axis(run, "mask", 0),
				  .words = words};

	for (int64_t share = oracle_axis(run, "share", 0); share > 1; share /= 2)
		pattern.shift++;
	return pattern;
}

/* The place of thread `i` of `threads`. */
static int64_t pattern_place(const struct pattern *pattern, int64_t i, int64_t threads)
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
	return pattern_place(pattern, i, pattern->n);
}

static int64_t place_in_block(const struct pattern *pattern, int64_t i)
{
	return pattern_place(pattern, i % pattern->block, pattern->block);
}

static bool takes_part(const struct pattern *pattern, int64_t i)
{
	return pattern->mask >> i % 32 & 1;
}

static uint32_t word_of(int64_t number)
{
	return (uint32_t)number * UINT32_C(0x9e3779b1) + 1;
}

/* What a variant computes. out[] begins as zeroes. */
typedef void pattern_computation(const struct pattern *pattern, uint32_t *out);

static void patterns_compute_load(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++)
		for (int64_t word = 0; takes_part(pattern, i) && word < pattern->words; word++)
			out[i] += pattern->in[place_in_grid(pattern, i) * pattern->words + word];
}

static void patterns_compute_store(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++)
		for (int64_t word = 0; takes_part(pattern, i) && word < pattern->words; word++) {
			int64_t number = place_in_grid(pattern, i) * pattern->words + word;

			out[number] = word_of(number);
		}
}

static void patterns_compute_shared_load(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++)
		for (int64_t word = 0; takes_part(pattern, i) && word < pattern->words; word++)
			out[i] += word_of(place_in_block(pattern, i) * pattern->words + word);
}

/* Thread i copies `bytes` bytes of its access; the rest of the access is zero. */
static void patterns_compute_async_load_some(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++) {
		size_t bytes = i / 32 % 3 == 2 ? 0 : (size_t)(i % 17);
		uint32_t copied[4] = {0};

		memcpy(copied, &pattern->in[4 * place_in_grid(pattern, i)], bytes);
		for (int64_t word = 0; takes_part(pattern, i) && word < 4; word++)
			out[i] += copied[word];
	}
}

static void patterns_compute_async_store(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++)
		for (int64_t word = 0; takes_part(pattern, i) && word < pattern->words; word++)
			out[i] += pattern->in[place_in_block(pattern, i) * pattern->words + word];
}

static void patterns_compute_load_generic(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++) {
		int64_t place = place_in_block(pattern, i);

		if (takes_part(pattern, i))
			out[i] = i / pattern->block % 2 ? word_of(place) : pattern->in[place];
	}
}

static void patterns_compute_load_generic_lanes(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++) {
		int64_t place = place_in_block(pattern, i);

		if (takes_part(pattern, i))
			out[i] = i % pattern->block % 2 ? word_of(place) : pattern->in[place];
	}
}

/* Sums the tile of a block: thread t takes the places t, t + block … */
static void sum_tile(const struct pattern *pattern, const uint32_t *tile, uint32_t *out,
		     int64_t begin)
{
	for (int64_t number = 0; number < TILE * pattern->words; number++) {
		int64_t i = begin + number / pattern->words % pattern->block;

		if (i < pattern->n)
			out[i] += tile[number];
	}
}

/* Calls `change` for each thread of each block, on a tile of zeroes. */
static void patterns_compute_tiles(const struct pattern *pattern, uint32_t *out,
				   void (*change)(const struct pattern *pattern, uint32_t *tile,
						  int64_t i))
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

static void patterns_compute_shared_store(const struct pattern *pattern, uint32_t *out)
{
	patterns_compute_tiles(pattern, out, store_to_tile);
}

static void add_to_tile(const struct pattern *pattern, uint32_t *tile, int64_t i)
{
	tile[place_in_block(pattern, i)] += 1 + (uint32_t)(i % 8);
}

static void patterns_compute_shared_add(const struct pattern *pattern, uint32_t *out)
{
	patterns_compute_tiles(pattern, out, add_to_tile);
}

/* Adds one to every word of a place. */
static void patterns_compute_add(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++)
		for (int64_t word = 0; takes_part(pattern, i) && word < pattern->words; word++)
			out[place_in_grid(pattern, i) * pattern->words + word]++;
}

static void patterns_compute_add_float(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++) {
		uint32_t *at = &out[place_in_grid(pattern, i)];
		float value;

		memcpy(&value, at, sizeof(value));
		value += takes_part(pattern, i) ? 1.0f : 0.0f;
		memcpy(at, &value, sizeof(value));
	}
}

static void patterns_compute_one_address(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++)
		out[pattern->offset] += takes_part(pattern, i);
}

static void patterns_compute_local_array(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++) {
		uint32_t kept[8];

		for (int64_t turn = 0; turn < 8; turn++)
			kept[(5 * turn + i) % 8] = word_of(i + turn);
		for (int64_t turn = 0; takes_part(pattern, i) && turn < 8; turn++)
			out[i] = 3 * out[i] + kept[(turn + pattern->offset) % 8];
	}
}

/* All intermediate values are multiples of one half that a float represents. */
static void patterns_compute_arithmetic(const struct pattern *pattern, uint32_t *out)
{
	for (int64_t i = 0; i < pattern->n; i++) {
		uint32_t a = pattern->in[i] % 64, b = pattern->in[i] / 64 % 64;

		if (takes_part(pattern, i))
			out[i] = ((a + b) * b * a + a + b + 4 - 2 * a * b) / 2;
	}
}

static int patterns_compute(const struct oracle_run *run, pattern_computation *computation,
			    int64_t words, bool reads)
{
	struct pattern pattern = pattern_of(run, words);
	int64_t length;
	uint32_t *out = oracle_result(run, "out", &length);

	if (reads)
		pattern.in = oracle_input(run, "in", &length);
	if (!out || (reads && !pattern.in))
		return PL_EUSAGE;
	memset(out, 0, (size_t)length * sizeof(*out));
	computation(&pattern, out);
	return 0;
}

/* `reads`: whether there is an input. */
#define ORACLE(label, computation, words, reads)                               \
	static int patterns_compute_##label##_of(const struct oracle_run *run) \
	{                                                                      \
		return patterns_compute(run, computation, words, reads);       \
	}                                                                      \
	static const struct kernel_oracle oracle_##label = {                   \
		.name = "patterns/" #label,                                    \
		.axes = "block,flip,mask,n,order,share,start,stride",          \
		.compute = patterns_compute_##label##_of,                      \
	};

ORACLE(load_4, patterns_compute_load, 1, true)
ORACLE(load_8, patterns_compute_load, 2, true)
ORACLE(load_16, patterns_compute_load, 4, true)
ORACLE(store_4, patterns_compute_store, 1, false)
ORACLE(store_8, patterns_compute_store, 2, false)
ORACLE(store_16, patterns_compute_store, 4, false)
ORACLE(shared_load_4, patterns_compute_shared_load, 1, false)
ORACLE(shared_load_8, patterns_compute_shared_load, 2, false)
ORACLE(shared_load_16, patterns_compute_shared_load, 4, false)
ORACLE(shared_store_4, patterns_compute_shared_store, 1, false)
ORACLE(shared_store_8, patterns_compute_shared_store, 2, false)
ORACLE(shared_store_16, patterns_compute_shared_store, 4, false)
ORACLE(add, patterns_compute_add, 1, false)
ORACLE(add_8, patterns_compute_add, 2, false)
ORACLE(add_float, patterns_compute_add_float, 1, false)
ORACLE(one_address, patterns_compute_one_address, 1, false)
ORACLE(shared_add, patterns_compute_shared_add, 1, false)
ORACLE(load_generic, patterns_compute_load_generic, 1, true)
ORACLE(load_generic_lanes, patterns_compute_load_generic_lanes, 1, true)
ORACLE(async_load_some, patterns_compute_async_load_some, 4, true)
ORACLE(async_store_4, patterns_compute_async_store, 1, true)
ORACLE(async_store_8, patterns_compute_async_store, 2, true)
ORACLE(async_store_16, patterns_compute_async_store, 4, true)
ORACLE(local_array, patterns_compute_local_array, 1, false)
ORACLE(arithmetic, patterns_compute_arithmetic, 1, true)

/* SPAN_OF: the number of threads, at least 32, rounded up to a power of two. PLACES_OF: the last
 * place plus one. */
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

#define ASYNCHRONOUS                          \
	TABLE_ROW("compute_capability >= 80", \
		  "asynchronous copies need compute capability 8.0 (Ampere)")

/* A variant. `computes` names its oracle; `threads` is the number of threads in a pattern. */
#define ROW(label, computes, threads, shows, teaches, ...)                                \
	.name = #label, .lesson = teaches, .metric = shows, .oracle = &oracle_##computes, \
	LAUNCHES({.entry = "patterns_" #label,                                            \
		  ONE_A_THREAD,                                                           \
		  ARGS(__VA_ARGS__, PATTERN_FOR(threads))})
/* Places in the whole grid, or in the tile of each block. */
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
/* Asynchronous copies from places in the grid, or to places in the tile of each block. */
#define ASYNC_LOAD(label, computes, teaches)                                             \
	TABLE_ROW(ROW(label, computes, "n", "ptx_async_copy_sectors", teaches, IN, OUT), \
		  CONSTRAINTS(ASYNCHRONOUS))
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
		"global atomics on 4 bytes that return the old value", OUT, OLD),
	IN_GRID(atomic_add_8, add_8, "ptx_global_atomic_sectors",
		"global atomics on 8 bytes that return the old value", OUT, OLD),
	IN_GRID(reduce_add, add, "ptx_global_reduction_sectors",
		"global atomics on 4 bytes that do not return the old value", OUT),
	IN_GRID(reduce_add_8, add_8, "ptx_global_reduction_sectors",
		"global atomics on 8 bytes that do not return the old value", OUT),
	IN_GRID(reduce_add_float, add_float, "ptx_global_reduction_sectors",
		"global atomics on floats that do not return the old value", OUT),
	IN_GRID(reduce_one_address, one_address, "ptx_global_reduction_requests",
		"global atomics by all threads on one address, which the compiler knows", OUT),
	IN_BLOCK(shared_atomic_add, shared_add, "ptx_shared_atomic_requests",
		 "shared atomics that return the old value", OUT, OLD),
	IN_BLOCK(shared_reduce_add, shared_add, "ptx_shared_atomic_requests",
		 "shared atomics that do not return the old value", OUT),
	IN_BLOCK(load_generic, load_generic, "global_load_requests",
		 "generic loads, from shared memory in every other block, else from global memory",
		 IN, OUT),
	IN_BLOCK(load_generic_lanes, load_generic_lanes, "global_load_requests",
		 "generic loads, from shared memory in every other thread, else from global memory",
		 IN, OUT),
	ASYNC_LOAD(async_load_4, load_4, "4-byte asynchronous copies from these places"),
	ASYNC_LOAD(async_load_8, load_8, "8-byte asynchronous copies from these places"),
	ASYNC_LOAD(async_load_16, load_16, "16-byte asynchronous copies from these places"),
	ASYNC_LOAD(async_load_16_cg, load_16,
		   "16-byte asynchronous copies from these places, past the L1 cache"),
	ASYNC_LOAD(async_load_some, async_load_some,
		   "asynchronous copies of 0 to 16 bytes, and zeroes for the rest of the 16"),
	ASYNC_LOAD(async_zeroes_16, load_16,
		   "16-byte asynchronous copies; threads that take no part copy zeroes"),
	ASYNC_LOAD(async_zeroes_16_cg, load_16,
		   "copies past the L1 cache; threads that take no part copy zeroes"),
	ASYNC_STORE(async_store_4, async_store_4, "4-byte asynchronous copies to these places"),
	ASYNC_STORE(async_store_8, async_store_8, "8-byte asynchronous copies to these places"),
	ASYNC_STORE(async_store_16, async_store_16, "16-byte asynchronous copies to these places"),
	ASYNC_STORE(async_store_16_cg, async_store_16,
		    "16-byte asynchronous copies to these places, past the L1 cache"),
	IN_GRID(local_array, local_array, "ptx_local_load_requests",
		"an array of a thread in local memory", OUT),
	IN_GRID(arithmetic_float, arithmetic, "flop_f32",
		"9 operations per thread in single precision", IN, OUT),
	IN_GRID(arithmetic_double, arithmetic, "flop_f64",
		"9 operations per thread in double precision", IN, OUT),
};

const struct kernel kernel_patterns = {
	.name = "patterns",
	.summary = "accesses that are hard to count, to compare the emulator with a GPU",
	.on_request = true,
	AXES({"block", "128", "threads in one block"},
	     {"n", "4000", "threads that have an element"},
	     {"stride", "1", "distance between neighbouring places, in accesses"},
	     {"start", "1", "first place, counted from 1, in accesses"},
	     {"share", "1", "neighbouring threads that share one place"},
	     {"flip", "1", "threads whose order is reversed: 1 is none, 32 is a warp"},
	     {"mask", "4294967295", "one bit for each of 32 threads: set if the thread takes part"},
	     {"order", "1", "1: in the order of the threads, 2: random"}),
	BUFFERS({"in", ELEMENT_U32, PATTERN_WORDS, BUFFER_IN, FILL_UNIFORM, 0, 4294967296.0},
		{"out", ELEMENT_U32, PATTERN_WORDS, BUFFER_INOUT, FILL_CONSTANT, 0},
		{"old", ELEMENT_U32, "n", BUFFER_SCRATCH}),
	CONSTRAINTS({"is_pow2(share)", "share must be a power of two"},
		    {"flip >= 1 && flip <= 32", "flip must be 1 to 32: it stays within a warp"},
		    {"mask <= 4294967295", "mask must fit 32 bits"},
		    {"order == 1 || order == 2", "order must be 1 or 2"},
		    {"stride >= 1", "stride must be at least 1: places must differ"},
		    {"start >= 1", "start must be at least 1: places are counted from 1"}),
	.oracle = &oracle_load_4,
	OWN_VARIANTS(variants),
};
