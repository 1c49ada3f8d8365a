/*
 * fields: what is known of a launch, a device, the state of a device, a sample summary, a source
 * line or an instruction, each fact once: its name, unit, meaning, and the value that stands for
 * "not known". The lists declare the structs of metrics.h, and the database, the protocol, JSON,
 * CSV and the page go through them, and `perflab query NAME --columns` shows the meanings. So a new
 * fact is one line here, one where it is measured, and a column of a table in db/schema/.
 *
 * for (size_t i = 0; i < launch_fields.count; i++)
 *         value = field_read(&launch_fields.items[i], &trial->facts);
 */
#ifndef METRICS_FIELDS_H
#define METRICS_FIELDS_H

#include "base/base.h"
#include "base/hash.h"

/* ---- the lists: X(kind, name, unit, meaning). The kind is INTEGER (int64_t), INT (int), REAL
 * (double) or TEXT(bytes) ---- */

/* Facts about the largest launch of a case, which limits its occupancy. Not known: -1, NAN, "". */
#define LAUNCH_FIELDS(X)                                                                           \
	X(INTEGER, registers_per_thread, "registers", "registers of a thread")                     \
	X(INTEGER, shared_static_bytes, "bytes",                                                   \
	  "shared memory of a block that the code declares")                                       \
	X(INTEGER, shared_dynamic_bytes, "bytes", "shared memory of a block that the launch adds") \
	X(INTEGER, local_bytes_per_thread, "bytes", "local memory of a thread: spills and stack")  \
	X(REAL, theoretical_occupancy_pct, "%",                                                    \
	  "active warps of an SM at most, of those it can hold")                                   \
	X(TEXT(24), occupancy_limiter, "",                                                         \
	  "what limits them: registers, shared memory, warps, blocks, block size, none")           \
	X(TEXT(HASH_TEXT_BYTES), code_hash, "",                                                    \
	  "hash of the machine code of all entries, or of the emulated PTX, in hex: 64 digits "    \
	  "(BLAKE2b), of earlier versions 16; hashes of different lengths say nothing")            \
	X(TEXT(HASH_TEXT_BYTES), instructions_hash, "",                                            \
	  "hash of the instructions alone, of a cubin: where only code_hash differs, constants, "  \
	  "initial values of variables or addresses do")                                           \
	X(TEXT(16), code_kind, "",                                                                 \
	  "cubin sm_90; ptx, which the driver compiled; or ptx compute_90, which was emulated")

/* A device as its driver describes it. Not known: 0 or "". */
#define DEVICE_FIELDS(X)                                                            \
	X(TEXT(128), name, "", "name of the device: NVIDIA H200")                   \
	X(TEXT(48), uuid, "", "GPU-… as the driver gives it")                       \
	X(TEXT(16), chip, "", "as CUPTI names it: GH100")                           \
	X(INT, cc_major, "", "compute capability, the first number")                \
	X(INT, cc_minor, "", "compute capability, the second number")               \
	X(INTEGER, sm_count, "SMs", "streaming multiprocessors")                    \
	X(INTEGER, max_threads_per_sm, "threads", "most threads of an SM")          \
	X(INTEGER, max_threads_per_block, "threads", "most threads of a block")     \
	X(INTEGER, max_blocks_per_sm, "blocks", "most blocks of an SM")             \
	X(INTEGER, registers_per_sm, "registers", "32-bit registers of an SM")      \
	X(INTEGER, shared_bytes_per_sm, "bytes", "shared memory of an SM")          \
	X(INTEGER, shared_bytes_per_block, "bytes",                                 \
	  "most shared memory that a block can opt in to")                          \
	X(INTEGER, l2_bytes, "bytes", "L2 cache")                                   \
	X(INTEGER, memory_bytes, "bytes", "device memory")                          \
	X(INTEGER, sm_clock_max_hz, "Hz", "highest clock of the SMs")               \
	X(INTEGER, memory_clock_max_hz, "Hz", "highest clock of the memory")        \
	X(INTEGER, memory_bus_bits, "bits", "width of the memory bus")              \
	X(TEXT(32), driver, "", "version of the driver: 580.159.04")                \
	X(TEXT(16), cuda_driver, "", "CUDA version that the driver supports: 13.0") \
	X(TEXT(16), toolkit, "", "toolkit that the worker was built with: 13.0")    \
	X(TEXT(16), cupti, "", "version of the loaded CUPTI")

/* The state of the device while a round was timed, and of the clock that timed it. Not measured:
 * NAN, -1. */
#define STATE_FIELDS(X)                                                                          \
	X(REAL, sm_clock_hz, "Hz", "clock of the SMs")                                           \
	X(REAL, memory_clock_hz, "Hz", "clock of the memory")                                    \
	X(REAL, temperature_c, "°C", "temperature of the GPU")                                   \
	X(REAL, power_w, "W", "power of the board")                                              \
	X(INTEGER, throttle_reasons, "", "NVML's bits of the reasons for lower clocks; 0: none") \
	X(REAL, event_ns, "ns",                                                                  \
	  "what two events add to an empty kernel between them, taken off every sample. "        \
	  "Missing: the samples include it")                                                     \
	X(REAL, launch_ns, "ns", "time of an empty kernel: what each further one of a row adds")

/* What an emulator counts in a source line; struct line_count of emulator/counts.h. */
#define LINE_FIELDS(X)                                                                        \
	X(INTEGER, line, "", "number of the line in the file")                                \
	X(INTEGER, instructions, "instructions", "PTX instructions that warps executed")      \
	X(INTEGER, lanes, "instructions", "PTX instructions, counted once per lane that ran") \
	X(INTEGER, branches, "branches", "conditional branches that warps executed")          \
	X(INTEGER, divergent, "branches",                                                     \
	  "branches at which the lanes of a warp took different paths")                       \
	X(INTEGER, requests, "requests",                                                      \
	  "accesses of warps to global memory: loads, stores, atomics")                       \
	X(INTEGER, sectors, "sectors",                                                        \
	  "32-byte sectors of those accesses, each counted once per request")                 \
	X(INTEGER, shared_requests, "requests", "accesses of warps to shared memory")         \
	X(INTEGER, wavefronts, "wavefronts", "wavefronts that those accesses needed")         \
	X(INTEGER, conflicts, "wavefronts",                                                   \
	  "wavefronts beyond the number that the bytes alone need")

/* How the instructions of a case were sampled. Not known: -1. */
#define PROFILE_FIELDS(X)                                                                   \
	X(INTEGER, period_cycles, "cycles",                                                 \
	  "cycles between two samples of an SM, in the executions with the shorter period") \
	X(INTEGER, launches, "executions", "executions of the case that were sampled")      \
	X(INTEGER, samples, "samples", "samples of warps in its kernels")                   \
	X(INTEGER, dropped, "samples",                                                      \
	  "samples that the hardware lost, those of other kernels included")                \
	X(INTEGER, buffer_full, "",                                                         \
	  "1: the buffer of the hardware was full once, so samples are missing; 0: never")

/* What is counted and sampled of an instruction of machine code. Not known: -1. */
#define INSTRUCTION_FIELDS(X)                                                                     \
	X(INTEGER, executed, "instructions",                                                      \
	  "times that a warp executed it (smsp__sass_inst_executed)")                             \
	X(INTEGER, lanes, "instructions",                                                         \
	  "times that a lane executed it with a true predicate "                                  \
	  "(smsp__sass_thread_inst_executed_pred_on)")                                            \
	X(INTEGER, requests, "requests",                                                          \
	  "accesses of warps to global memory (smsp__sass_inst_executed_op_global)")              \
	X(INTEGER, sectors, "sectors",                                                            \
	  "32-byte sectors of those accesses (smsp__sass_sectors_mem_global)")                    \
	X(INTEGER, ideal_sectors, "sectors",                                                      \
	  "sectors if the lanes of a warp accessed adjacent elements "                            \
	  "(smsp__sass_sectors_mem_global_ideal)")                                                \
	X(INTEGER, local_sectors, "sectors",                                                      \
	  "sectors of accesses to local memory: spills and stack (smsp__sass_sectors_mem_local)") \
	X(INTEGER, shared_requests, "requests",                                                   \
	  "accesses of warps to shared memory (smsp__sass_inst_executed_op_shared)")              \
	X(INTEGER, wavefronts, "wavefronts",                                                      \
	  "wavefronts of those accesses (smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared)")       \
	X(INTEGER, ideal_wavefronts, "wavefronts",                                                \
	  "wavefronts without bank conflicts "                                                    \
	  "(smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal)")                              \
	X(INTEGER, branches, "branches",                                                          \
	  "branches that warps executed (smsp__sass_branch_targets_threads_uniform + "            \
	  "_divergent)")                                                                          \
	X(INTEGER, divergent, "branches",                                                         \
	  "branches whose lanes went different ways "                                             \
	  "(smsp__sass_branch_targets_threads_divergent)")                                        \
	X(INTEGER, samples, "samples", "samples of warps that were at it")                        \
	X(INTEGER, first_samples, "samples",                                                      \
	  "those of the executions with the shorter period, for the interval of a share")         \
	X(INTEGER, varies, "", "1: a second execution had other counts; 0: the same")

/* The times of a summary. Without samples: NAN. */
#define SUMMARY_FIELDS(X)                                                                   \
	X(REAL, median_ns, "ns", "median of the samples")                                   \
	X(REAL, mad_ns, "ns", "median absolute deviation, not scaled")                      \
	X(REAL, session_low_ns, "ns",                                                       \
	  "lower end of the 95 % interval of the time in its session: of other rounds and " \
	  "placements, not of other sessions or cards")                                     \
	X(REAL, session_high_ns, "ns", "upper end of that interval")                        \
	X(REAL, min_ns, "ns", "smallest sample")                                            \
	X(REAL, max_ns, "ns", "largest sample")

/* The members of a struct: LIST(FIELD_MEMBER) */
#define FIELD_MEMBER(kind, name, unit, meaning) FIELD_TYPE_##kind name FIELD_EXTENT_##kind;
#define FIELD_TYPE_INTEGER int64_t
#define FIELD_TYPE_INT int
#define FIELD_TYPE_REAL double
#define FIELD_TYPE_TEXT(bytes) char
#define FIELD_EXTENT_INTEGER
#define FIELD_EXTENT_INT
#define FIELD_EXTENT_REAL
#define FIELD_EXTENT_TEXT(bytes) [bytes]

/* ---- the lists at run time ---- */

enum field_kind { FIELD_INTEGER, FIELD_INT, FIELD_REAL, FIELD_TEXT };

struct field {
	const char *name, *unit, *meaning;
	enum field_kind kind;
	size_t offset, size; /* of the member */
	int64_t unknown;     /* an integer up to this one is not known: a file may hold any */
};
#define FIELD_ALWAYS_KNOWN INT64_MIN
struct field_list {
	const struct field *items;
	size_t count;
};
extern const struct field_list launch_fields;      /* struct launch_facts */
extern const struct field_list device_fields;      /* struct device_info */
extern const struct field_list state_fields;       /* struct device_state */
extern const struct field_list summary_fields;     /* struct summary */
extern const struct field_list profile_fields;     /* struct profile */
extern const struct field_list instruction_fields; /* struct profile_instruction */
extern const struct field_list line_count_fields;  /* struct line_count, without its file */

struct field_value {
	bool known;
	int64_t integer;
	double real;
	const char *text; /* borrowed from the struct */
};
struct field_value field_read(const struct field *field, const void *of);

#endif
