/*
 * emulator: executes PTX without a GPU. It launches an entry of a PTX program
 * on data in host memory and reports results, counts per instruction, and
 * findings. language/ parses the text, program/ decodes it, machine/ executes
 * it 32 lanes at a time and counts, lanes/ holds the handlers.
 *
 * It is deterministic: the same launch on the same data gives the same bytes
 * and counts on every machine, whatever vector unit the machine has. It knows
 * neither cases nor sweeps.
 */
#ifndef EMULATOR_EMULATOR_H
#define EMULATOR_EMULATOR_H

#include "emulator/counts.h"
#include "emulator/program/program.h"

/* ---- memory of the emulated device ---- */

/*
 * Allocations at addresses that are the same in every run: aligned to 512
 * bytes as cudaMalloc's, with at least DEVICE_GUARD_BYTES that belong to
 * nobody on both sides. Host bytes are zero at first.
 */
#define DEVICE_GUARD_BYTES 4096
struct device_memory;
/* No more than limit_bytes may be allocated in all. */
struct device_memory *device_memory_create(int64_t limit_bytes);
void device_memory_free(struct device_memory *memory);
/* `name` appears in findings. PL_ENOMEM over the limit or the host's memory. bytes 0 is fine. */
int device_memory_allocate(struct device_memory *memory, int64_t bytes, const char *name,
			   uint64_t *address, struct error *err);
/* The host's bytes of an allocation that begins at `address`; NULL: none does. */
void *device_memory_data(struct device_memory *memory, uint64_t address);
void device_memory_release(struct device_memory *memory, uint64_t address);

/* What the launches since the last reset touched: unique sectors of 32 bytes in all allocations. */
struct touched_bytes {
	int64_t read;    /* sectors that were loaded before they were written, in bytes */
	int64_t written; /* sectors that were written, in bytes */
};
struct touched_bytes device_memory_touched(const struct device_memory *memory);
void device_memory_touched_reset(struct device_memory *memory);

/* ---- findings ---- */

/* Symbol, word, ends the launch, meaning. */
#define FINDING_LIST(X)                                                                           \
	X(FINDING_OUT_OF_BOUNDS, "out of bounds", true,                                           \
	  "a global, shared or local access outside of what is allocated")                        \
	X(FINDING_MISALIGNED, "misaligned", true, "an address that is no multiple of the access") \
	X(FINDING_DIVERGENT_BARRIER, "divergent barrier", true,                                   \
	  "lanes of a warp wait at different barriers, or some never come")                       \
	X(FINDING_ABSENT_LANES, "absent lanes", true,                                             \
	  "a _sync instruction names lanes that are not there, or not the lane that runs it")     \
	X(FINDING_RACE, "shared-memory race", false,                                              \
	  "two threads touch a word between barriers, and one writes")                            \
	X(FINDING_UNINITIALISED, "uninitialised shared read", false,                              \
	  "shared memory is read that nobody has written")                                        \
	X(FINDING_UNWAITED_COPY, "copy not waited for", false,                                    \
	  "shared memory is used that an asynchronous copy is still to fill")                     \
	X(FINDING_DEADLOCK, "deadlock", true, "every warp of a block waits")                      \
	X(FINDING_ENDLESS, "endless", true, "more instructions than a launch may run")            \
	X(FINDING_TRAP, "trap", true, "the kernel executed a trap")                               \
	X(FINDING_ASSERTION, "assertion", true, "an assert() of the kernel failed")               \
	X(FINDING_STACK, "stack overflow", true, "calls nest deeper than local memory allows")    \
	X(FINDING_UNSUPPORTED, "unsupported", true, "something that only shows when it runs")

enum finding_kind {
#define X(symbol, word, ends, meaning) symbol,
	FINDING_LIST(X)
#undef X
};
const char *finding_kind_name(enum finding_kind kind);
bool finding_ends_launch(enum finding_kind kind);

struct finding {
	enum finding_kind kind;
	char *entry;
	int64_t block[3];
	int64_t thread[3]; /* -1 -1 -1: a whole warp */
	char *file;        /* source file as .file names it; NULL: not known (no -lineinfo) */
	uint32_t line;     /* in it */
	char *caller_file; /* where that line was inlined; NULL: it was not */
	uint32_t caller_line;
	uint32_t ptx_line;
	char *text;     /* "a 4-byte store to 0x…, 4 bytes past the end of 'out' (4096 bytes)" */
	uint64_t times; /* at this place */
};
#define FINDINGS_MOST 64
struct finding_list {
	struct finding *items;
	size_t count, capacity;
	uint64_t beyond; /* findings at more places than FINDINGS_MOST */
};
void finding_list_release(struct finding_list *list);
/* "out of bounds in reduce_naive, block (0,0,0) thread (31,0,0), naive.cu:14: a 4-byte load …";
 * "naive.cu:14 (sm_20_atomic_functions.hpp:84)" for what was inlined. */
void finding_text(struct text *out, const struct finding *finding);

/* ---- launches ---- */

/* A program with its module variables in device memory, and counts of all its launches. */
struct emulation;

enum emulated_lanes { LANES_BEST, LANES_PORTABLE, LANES_AVX2 };

/* PL_EUNSUPPORTED when lanes are asked for that this processor lacks. Borrows both. */
int emulation_create(struct emulation **out, const struct ptx_program *program,
		     struct device_memory *memory, enum emulated_lanes lanes, struct error *err);
void emulation_free(struct emulation *emulation);
const char *emulation_lanes_name(const struct emulation *emulation); /* "avx2" */
/* The lanes that LANES_BEST chooses on this processor: "avx2" or "portable". */
const char *emulator_best_lanes(void);
/* Module variables go back to what they begin as. */
void emulation_reset_variables(struct emulation *emulation);

struct emulated_launch {
	const char *entry;
	int64_t grid[3], block[3];
	int64_t shared_bytes;  /* dynamic */
	const void *arguments; /* the parameter block, laid out as the entry declares */
	size_t argument_bytes;
	uint64_t max_instructions; /* warp-instructions; 0: no limit */
	/* Blocks to run, by linear number, ascending; NULL: all. */
	const int64_t *blocks;
	size_t block_count;
	/* Shared-memory races and uninitialised reads are looked for in the first and last
	 * `checked_blocks` blocks each; negative: in all. */
	int64_t checked_blocks;
	void (*print)(void *context, const char *text); /* of device printf; NULL: dropped */
	void *print_context;
	const volatile int *stop; /* not 0: end at the next turn of a warp; NULL: none */
};

/*
 * Runs a launch to its end or to a finding that ends it. Findings are added
 * to *findings. 0 even with findings; PL_EUSAGE for a launch that no device
 * would take (no threads, over 1024, more arguments than declared …).
 */
int emulation_launch(struct emulation *emulation, const struct emulated_launch *launch,
		     struct finding_list *findings, struct error *err);

/* ---- counts ---- */

/*
 * Sums over instructions, launches and blocks since creation or
 * emulation_counts_reset(), by EMULATED_COUNT_LIST of emulator/counts.h.
 */
struct emulated_counts {
#define X(field, name, unit, meaning, worse) uint64_t field;
	EMULATED_COUNT_LIST(X)
#undef X
	uint64_t blocks_executed, blocks_total;
};
void emulation_counts(const struct emulation *emulation, struct emulated_counts *out);
void emulation_counts_reset(struct emulation *emulation);

/* The same for each source line (or PTX line where there is no .loc); adds to *out. */
void emulation_lines(const struct emulation *emulation, struct line_count_list *out);

/* ---- checking a file ---- */

/* One entry of a PTX file, as `perflab check` shows it. */
struct ptx_entry_check {
	const char *name;
	bool runnable;
	const char *missing; /* every opcode, register and directive that is not there; "" */
};
/*
 * Reads a PTX file and says of each entry whether it can run. PL_ENOENT,
 * PL_EIO, PL_EPARSE with the line: the file is not read as PTX at all.
 */
int ptx_check_file(const char *path,
		   void (*visit)(void *context, const struct ptx_entry_check *check), void *context,
		   struct error *err);

#endif
