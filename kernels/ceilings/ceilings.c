/*
 * ceilings: the most that a device can do, one part of it per variant: the
 * bytes of a memory level, or the operations of one precision. `perflab
 * ceilings` runs them, and the best configuration of each is a roof of every
 * roofline. The name of a variant begins with its memory level or precision, as
 * metrics/analysis/roofline.h names them.
 *
 * The values make results exact in every precision and known to the CPU, yet
 * are no easier for the device than real ones: random words; chains of v = c -
 * v, which change every operand at each step; products of random whole numbers
 * that are added and subtracted in turn. The work model counts the bytes and
 * operations that the variant really moves or does at its level.
 */
#include "kernels/ceilings/oracles.h"

#define OUT ARG_OF_BUFFER("out")
#define A ARG_OF_BUFFER("a")
#define B ARG_OF_BUFFER("b")

#define RANDOM_WORDS BUFFER_IN, FILL_UNIFORM, 0.0, 4294967296.0

/* Every multiprocessor gets an equal number of blocks. */
#define THREADS "sm_count * blocks_per_sm * block"
#define RESIDENT .grid = {"sm_count * blocks_per_sm"}, .block = {"block"}
#define BLOCKS_PER_SM(values) TABLE_ROW("blocks_per_sm", values, "blocks per multiprocessor")
/* A multiprocessor does the same work, however many threads share it. */
#define SHARE_OF_TURNS "max(1, turns * max_threads_per_sm / (block * blocks_per_sm))"
#define TURNS(values) \
	TABLE_ROW("turns", values, "turns of the loop per thread of a full multiprocessor")
#define FITS                                                                                 \
	TABLE_ROW("block * blocks_per_sm <= max_threads_per_sm",                             \
		  "block * blocks_per_sm must not exceed the threads that a multiprocessor " \
		  "holds at once")

/* Device memory: whole tiles of any block size up to 1024, in groups of 16 bytes. */
#define ARRAY_WORDS "times_l2 * (l2_bytes / 65536) * 16384"
#define TILES ARRAY_WORDS " / (4 * in_flight * block)"
#define STREAMING .grid = {"min(" TILES ", sm_count * blocks_per_sm)"}, .block = {"block"}
/* 4096 blocks: each processes one or two tiles and makes room for the next block. */
#define STREAMING_AXES(blocks, per_sm, loads, times_l2)                                          \
	AXES({"block", blocks, "threads in one block"}, BLOCKS_PER_SM(per_sm),                   \
	     {"in_flight", loads, "16-byte accesses that a thread has in flight"},               \
	     {"times_l2", times_l2, "size of each array, in multiples of the L2 cache"}),        \
		CONSTRAINTS(                                                                     \
			{"is_pow2(block)",                                                       \
			 "block must be a power of two: it divides the array into whole tiles"}, \
			{"in_flight == 1 || in_flight == " IN_FLIGHT_TEXT,                       \
			 "in_flight must be 1 or 4: there is device code for these"})
/* Every thread that reads writes one sum: few threads, so that the writes are few. */
#define READING_AXES(times_l2) STREAMING_AXES("512,1024", "2,4", IN_FLIGHT_TEXT, times_l2)
#define WRITING_AXES(times_l2) STREAMING_AXES("256,1024", "4,4096", "1,4", times_l2)

#define ARRAY_BYTES "4 * " ARRAY_WORDS
static const struct kernel_work read_work = {.bytes_read = ARRAY_BYTES};
static const struct kernel_work write_work = {.bytes_written = ARRAY_BYTES};
static const struct kernel_work copy_work = {.bytes_read = ARRAY_BYTES,
					     .bytes_written = ARRAY_BYTES};
static const struct kernel_work triad_work = {
	.flop = "2 * " ARRAY_WORDS, .bytes_read = "2 * " ARRAY_BYTES, .bytes_written = ARRAY_BYTES};

/* The L2: an array of a part of its size, read so often that the first pass, from device memory,
 * hardly counts. */
#define L2_GROUPS "l2_bytes / l2_part / 16"
#define L2_TURNS "max(1, passes * (" L2_GROUPS ") / (" IN_FLIGHT_TEXT " * " THREADS "))"
static const struct kernel_work l2_work = {.bytes_read = "16 * " IN_FLIGHT_TEXT " * " L2_TURNS
							 " * " THREADS};
static const struct kernel_buffer window_buffers[] = {
	{"a", ELEMENT_U32, WINDOW_WORDS_TEXT, RANDOM_WORDS},
	{"out", ELEMENT_U32, THREADS, BUFFER_OUT, FILL_NONE, 0.0, 0.0},
};
static const struct kernel_work window_work = {.bytes_read = "16 * " IN_FLIGHT_TEXT
							     " * " SHARE_OF_TURNS " * " THREADS};

/* Chains of multiply-adds. */
#define CHAIN_STEPS "(" STEPS_TEXT " * " SHARE_OF_TURNS " + 1)"
static const struct kernel_buffer single_buffers[] = {
	{"out", ELEMENT_F32, THREADS, BUFFER_OUT, FILL_NONE, 0.0, 0.0},
};
static const struct kernel_buffer double_buffers[] = {
	{"out", ELEMENT_F64, THREADS, BUFFER_OUT, FILL_NONE, 0.0, 0.0},
};
static const struct kernel_work chain_work = {.flop = "2 * " CHAINS_TEXT " * " CHAIN_STEPS
						      " * " THREADS};
static const struct kernel_work double_work = {
	.flop = "2 * " CHAINS_F64_TEXT " * " CHAIN_STEPS " * " THREADS, .precision = "f64"};
#define PAIR_FLOP "4 * " CHAINS_TEXT " * " CHAIN_STEPS " * " THREADS
static const struct kernel_work f16_work = {.flop = PAIR_FLOP, .precision = "f16"};
static const struct kernel_work bf16_work = {.flop = PAIR_FLOP, .precision = "bf16"};

#define CHAIN(label, shown_by, oracle_label, buffer_list, work_label, times, teaches, ...)       \
	{                                                                                        \
		.name = #label, .lesson = teaches, .metric = shown_by,                           \
		.oracle = &oracle_##oracle_label, .work = &work_label, OWN_BUFFERS(buffer_list), \
		AXES({"block", "256,512", "threads in one block"}, BLOCKS_PER_SM("1,4"),         \
		     TURNS(times)),                                                              \
		CONSTRAINTS(__VA_ARGS__),                                                        \
		LAUNCHES({.entry = "ceilings_" #label,                                           \
			  RESIDENT,                                                              \
			  ARGS(OUT, ARG_OF_F32("-1"), ARG_OF_F32("0"),                           \
			       ARG_OF_I32(SHARE_OF_TURNS))}),                                    \
	}

/* Products. `reach` is the largest random number; all sums stay exact. */
#define OPERANDS(label, type, rows, columns, depth, reach)                                   \
	static const struct kernel_buffer label##_buffers[] = {                              \
		{"a", ELEMENT_I32, #rows " * " #depth, BUFFER_IN, FILL_UNIFORM, -(reach),    \
		 (reach) + 1},                                                               \
		{"b", ELEMENT_I32, #columns " * " #depth, BUFFER_IN, FILL_UNIFORM, -(reach), \
		 (reach) + 1},                                                               \
		{"out", ELEMENT_I32, THREADS, BUFFER_OUT, FILL_NONE, 0.0, 0.0},              \
	};                                                                                   \
	static const struct kernel_work label##_work = {                                     \
		.flop = "2 * " #rows " * " #columns " * " #depth " * (2 * " PRODUCTS_TEXT    \
			" * " SHARE_OF_TURNS " + 1) * (" THREADS " / 32)",                   \
		.precision = "tensor_" #type};
#define GROUP_OPERANDS(label, type, depth, reach)                                              \
	static const struct kernel_buffer label##_buffers[] = {                                \
		{"a", ELEMENT_I32, "64 * " #depth, BUFFER_IN, FILL_UNIFORM, -(reach),          \
		 (reach) + 1},                                                                 \
		{"b", ELEMENT_I32, "256 * " #depth, BUFFER_IN, FILL_UNIFORM, -(reach),         \
		 (reach) + 1},                                                                 \
		{"out", ELEMENT_I32, THREADS, BUFFER_OUT, FILL_NONE, 0.0, 0.0},                \
	};                                                                                     \
	static const struct kernel_work label##_work = {.flop = "2 * 64 * 256 * " #depth       \
								" * (2 * " SHARE_OF_TURNS      \
								" + 1) * (" THREADS " / 128)", \
							.precision = "tensor_" #type};

OPERANDS(tensor_f64, f64, 32, 32, 4, 255)
OPERANDS(tensor_f64_deep, f64, 32, 16, 16, 255)
OPERANDS(tensor_tf32, tf32, 32, 32, 8, 255)
OPERANDS(tensor_f16, f16, 32, 32, 16, 255)
OPERANDS(tensor_bf16, bf16, 32, 32, 16, 255)
OPERANDS(tensor_f8, f8, 32, 32, 32, 7)
GROUP_OPERANDS(tensor_tf32_wgmma, tf32, 32, 255)
GROUP_OPERANDS(tensor_f16_wgmma, f16, 64, 255)
GROUP_OPERANDS(tensor_bf16_wgmma, bf16, 64, 255)
GROUP_OPERANDS(tensor_f8_wgmma, f8, 128, 7)

#define NEEDS(capability, generation) \
	TABLE_ROW("compute_capability >= " capability, "needs compute capability " generation)
#define TENSOR(label, oracle_label, blocks, per_sm, times, teaches, ...)               \
	{                                                                              \
		.name = #label, .lesson = teaches, .metric = "median_time_ns",         \
		.oracle = &oracle_##oracle_label, .work = &label##_work,               \
		OWN_BUFFERS(label##_buffers),                                          \
		AXES({"block", blocks, "threads in one block"}, BLOCKS_PER_SM(per_sm), \
		     TURNS(times)),                                                    \
		CONSTRAINTS(__VA_ARGS__, FITS),                                        \
		LAUNCHES({.entry = "ceilings_" #label,                                 \
			  RESIDENT,                                                    \
			  ARGS(OUT, A, B, ARG_OF_I32(SHARE_OF_TURNS))}),               \
	}
#define BY_WARPS(label, times, teaches, needs) \
	TENSOR(label, warp, "128,256", "1,2", times, teaches, needs)
#define HOPPER_ALONE                          \
	TABLE_ROW("compute_capability == 90", \
		  "wgmma exists only on compute capability 9.0 (Hopper)")
#define WHOLE_GROUPS                  \
	TABLE_ROW("block % 128 == 0", \
		  "block must be a multiple of 128: four warps multiply together")
#define BY_GROUPS(label, times, teaches) \
	TENSOR(label, warpgroup, "256,384", "1,2", times, teaches, HOPPER_ALONE, WHOLE_GROUPS)

static const struct kernel_variant variants[] = {
	VARIANT("dram_read", "dram_bytes_per_s", "device memory, read once: the roof of reductions",
		.oracle = &oracle_read, .work = &read_work,
		BUFFERS({"a", ELEMENT_U32, ARRAY_WORDS, RANDOM_WORDS},
			{"out", ELEMENT_U32, "block * min(" TILES ", sm_count * blocks_per_sm)",
			 BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
		READING_AXES("32"),
		LAUNCHES({.entry = "ceilings_dram_read",
			  STREAMING,
			  ARGS(A, OUT, ARG_OF_I64(TILES), ARG_OF_I32("in_flight"))})),
	VARIANT("dram_write", "dram_bytes_per_s", "device memory, written once: the roof of fills",
		.oracle = &oracle_write, .work = &write_work,
		BUFFERS({"out", ELEMENT_U32, ARRAY_WORDS, BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
		WRITING_AXES("32"),
		LAUNCHES({.entry = "ceilings_dram_write",
			  STREAMING,
			  ARGS(OUT, ARG_OF_I64(TILES), ARG_OF_I32("in_flight"))})),
	VARIANT("dram_copy", "dram_bytes_per_s",
		"device memory, half read and half written: the roof of most kernels",
		.oracle = &oracle_copy, .work = &copy_work,
		BUFFERS({"a", ELEMENT_U32, ARRAY_WORDS, RANDOM_WORDS},
			{"out", ELEMENT_U32, ARRAY_WORDS, BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
		WRITING_AXES("32"),
		LAUNCHES({.entry = "ceilings_dram_copy",
			  STREAMING,
			  ARGS(A, OUT, ARG_OF_I64(TILES), ARG_OF_I32("in_flight"))})),
	VARIANT("dram_triad", "dram_bytes_per_s",
		"device memory, two streams in and one out, as in STREAM", .oracle = &oracle_triad,
		.work = &triad_work,
		BUFFERS({"a", ELEMENT_F32, ARRAY_WORDS, BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
			{"b", ELEMENT_F32, ARRAY_WORDS, BUFFER_IN, FILL_UNIFORM, 0.0, 1.0},
			{"out", ELEMENT_F32, ARRAY_WORDS, BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
		WRITING_AXES("16"),
		LAUNCHES({.entry = "ceilings_dram_triad",
			  STREAMING,
			  ARGS(A, B, OUT, ARG_OF_F32(FACTOR_TEXT), ARG_OF_I64(TILES),
			       ARG_OF_I32("in_flight"))})),
	VARIANT("l2_read", "l2_bytes",
		"the L2 cache: an array of a part of its size, read again and again",
		.oracle = &oracle_walk, .work = &l2_work,
		BUFFERS({"a", ELEMENT_U32, "4 * (" L2_GROUPS ")", RANDOM_WORDS},
			{"out", ELEMENT_U32, THREADS, BUFFER_OUT, FILL_NONE, 0.0, 0.0}),
		AXES({"block", "256,512", "threads in one block"}, BLOCKS_PER_SM("2,4"),
		     {"l2_part", "4,16", "the size of the array is that of the L2 divided by this"},
		     {"passes", "256", "how many times the array is read"}),
		CONSTRAINTS(FITS),
		LAUNCHES({.entry = "ceilings_l2_read",
			  RESIDENT,
			  ARGS(A, OUT, ARG_OF_U32(L2_GROUPS), ARG_OF_I32(L2_TURNS))})),
	VARIANT("l1_read", "l1_bytes",
		"the L1 cache: at best 128 bytes per clock and multiprocessor",
		.oracle = &oracle_circle, .work = &window_work, OWN_BUFFERS(window_buffers),
		AXES(BLOCKS_PER_SM("1,2"), TURNS("1024")), CONSTRAINTS(FITS),
		LAUNCHES({.entry = "ceilings_l1_read",
			  RESIDENT,
			  ARGS(A, OUT, ARG_OF_I32(SHARE_OF_TURNS))})),
	VARIANT("shared_read", "shared_load_wavefronts",
		"shared memory without bank conflicts: as fast as the L1 cache",
		.oracle = &oracle_circle, .work = &window_work, OWN_BUFFERS(window_buffers),
		AXES(BLOCKS_PER_SM("1,2"), TURNS("1024")), CONSTRAINTS(FITS),
		LAUNCHES({.entry = "ceilings_shared_read",
			  RESIDENT,
			  ARGS(A, OUT, ARG_OF_I32(SHARE_OF_TURNS))})),
	CHAIN(f64_fma, "flop_per_s", chain, double_buffers, double_work, "512",
	      "double precision: half the rate of single on the large chips, a 64th on others",
	      FITS),
	CHAIN(f32_fma, "flop_per_s", chain, single_buffers, chain_work, "1024",
	      "single precision: eight chains per thread hide the latency of a multiply-add", FITS),
	CHAIN(f16_fma, "f16_fma", pairs, single_buffers, f16_work, "1024",
	      "half precision: two numbers per register, twice the rate of single", FITS,
	      NEEDS("80", "8.0 (Ampere)")),
	CHAIN(bf16_fma, "median_time_ns", pairs, single_buffers, bf16_work, "1024",
	      "bfloat16: the range of single precision in the size of half", FITS,
	      NEEDS("80", "8.0 (Ampere)")),
	BY_WARPS(tensor_f64, "64", "tensor cores in double precision, products of 8 x 8 x 4",
		 NEEDS("80", "8.0 (Ampere)")),
	BY_WARPS(tensor_f64_deep, "32", "tensor cores in double precision, products of 16 x 8 x 16",
		 NEEDS("90", "9.0 (Hopper)")),
	BY_WARPS(tensor_tf32, "256",
		 "tensor cores: single precision truncated to 19 bits, summed in single precision",
		 NEEDS("80", "8.0 (Ampere)")),
	BY_WARPS(tensor_f16, "256", "tensor cores: half precision, summed in single precision",
		 NEEDS("80", "8.0 (Ampere)")),
	BY_WARPS(tensor_bf16, "256", "tensor cores: bfloat16, summed in single precision",
		 NEEDS("80", "8.0 (Ampere)")),
	BY_WARPS(tensor_f8, "256", "tensor cores: 8-bit floats (e4m3), summed in single precision",
		 NEEDS("89", "8.9 (Ada)")),
	BY_GROUPS(tensor_tf32_wgmma, "128", "tf32 by groups of four warps, from shared memory"),
	BY_GROUPS(tensor_f16_wgmma, "128",
		  "half precision by groups of four warps, from shared memory"),
	BY_GROUPS(tensor_bf16_wgmma, "128", "bfloat16 by groups of four warps, from shared memory"),
	BY_GROUPS(tensor_f8_wgmma, "128",
		  "8-bit floats by groups of four warps, from shared memory"),
};

const struct kernel kernel_ceilings = {
	.name = "ceilings",
	.summary = "the most that a device can do: bytes of each memory level, operations",
	.on_request = true,
	AXES({"block", "512,1024", "threads in one block"}),
	CONSTRAINTS(WHOLE_WARPS("all lanes of a warp read and multiply together")),
	/* Results are exact. */
	.tolerance_rel = 0.0,
	.oracle = &oracle_read,
	OWN_VARIANTS(variants),
};
