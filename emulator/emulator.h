/*
 * emulator: executes PTX without a GPU. It launches an entry of a PTX program
 * on data in host memory and returns results, counts per instruction, and
 * findings. language/ parses the text, program/ decodes it, machine/ executes
 * and counts it 32 lanes at a time, lanes/ holds the handlers of instructions.
 *
 * The emulator is deterministic: the same launch on the same data gives the
 * same bytes and counts on every machine and every vector unit. It knows
 * neither cases nor sweeps.
 */
#ifndef EMULATOR_EMULATOR_H
#define EMULATOR_EMULATOR_H

#include "emulator/counts.h"
#include "emulator/program/program.h"

/* ---- memory of the emulated device ---- */

/*
 * Allocations have the same addresses in every run. They are aligned to 512
 * bytes, like those of cudaMalloc. DEVICE_FAR_BYTES before and after each one
 * belong to no allocation, so that no 32-bit index of elements of up to 16 bytes
 * leads from one to another. If there is no such place any more, they are at
 * least DEVICE_GUARD_BYTES. The contents start as zeroes.
 */
#define DEVICE_FAR_BYTES (UINT64_C(1) << 36)
#define DEVICE_GUARD_BYTES 4096
struct device_memory;
/* All allocations together may take at most limit_bytes. */
struct device_memory *device_memory_create(int64_t limit_bytes);
void device_memory_free(struct device_memory *memory);
/* `name` appears in findings. PL_ENOMEM: over the limit, or the host has no memory. `bytes` may
 * be 0. */
int device_memory_allocate(struct device_memory *memory, int64_t bytes, const char *name,
			   uint64_t *address, struct error *err);
/* The host bytes of the allocation that begins at `address`. NULL: no allocation begins there. */
void *device_memory_data(struct device_memory *memory, uint64_t address);
void device_memory_release(struct device_memory *memory, uint64_t address);

/*
 * Which bytes somebody has written. An allocation counts as written: call the
 * first function, before a launch, if the host has filled none of it. From then
 * on a load of a byte that no thread has stored since is a finding, in launches
 * with check_global; a launch without ends this for all allocations, because
 * nobody sees its stores. The second function takes the first one back. Memory
 * of malloc() in device code begins unwritten. PL_ENOMEM.
 */
int device_memory_set_unwritten(struct device_memory *memory, uint64_t address, struct error *err);
void device_memory_set_written(struct device_memory *memory, uint64_t address);

/* Unique 32-byte sectors of all allocations that launches have touched since the last reset. */
struct touched_bytes {
	int64_t read;    /* bytes of the sectors that were loaded before they were written */
	int64_t written; /* bytes of the sectors that were written */
};
struct touched_bytes device_memory_touched(const struct device_memory *memory);
void device_memory_touched_reset(struct device_memory *memory);

/* ---- findings ---- */

/* Symbol, name, whether it ends the launch, meaning. */
#define FINDING_LIST(X)                                                                          \
	X(FINDING_OUT_OF_BOUNDS, "out of bounds", true,                                          \
	  "an access to global, shared or local memory outside of every allocation")             \
	X(FINDING_MISALIGNED, "misaligned", true,                                                \
	  "an address that is not a multiple of the size of the access")                         \
	X(FINDING_DIVERGENT_BARRIER, "divergent barrier", true,                                  \
	  "lanes of a warp wait at different barriers, or some lanes never arrive")              \
	X(FINDING_ABSENT_LANES, "absent lanes", false,                                           \
	  "the mask of a _sync instruction names lanes that went past it and ended, or omits a " \
	  "lane that executes it")                                                               \
	X(FINDING_ABSENT_SOURCE, "shuffle from an absent lane", false,                           \
	  "a shuffle reads a lane that does not execute it with the same mask, which PTX "       \
	  "leaves undefined, and the value is used")                                             \
	X(FINDING_RACE, "shared-memory race", false,                                             \
	  "two threads access a word with no barrier between, and at least one writes")          \
	X(FINDING_UNINITIALISED, "uninitialised shared read", false,                             \
	  "shared memory is read before any thread has written it, and the value is used")       \
	X(FINDING_GLOBAL_RACE, "global-memory race", false,                                      \
	  "two threads of a launch access a byte, at least one writes, they are not both "       \
	  "atomic, and nothing orders them")                                                     \
	X(FINDING_UNINITIALISED_REGISTER, "uninitialised register", false,                       \
	  "a register is read before it is written, and its value is used")                      \
	X(FINDING_UNINITIALISED_LOCAL, "uninitialised local read", false,                        \
	  "local memory is read before the thread has written it, and its value is used")        \
	X(FINDING_UNWRITTEN, "uninitialised global read", false,                                 \
	  "global memory is read before the host or any thread has written it, and the value "   \
	  "is used")                                                                             \
	X(FINDING_UNWAITED_COPY, "copy not waited for", false,                                   \
	  "shared memory is accessed before the asynchronous copy to it is complete, or "        \
	  "written before the copy from it is")                                                  \
	X(FINDING_UNWAITED_PRODUCT, "product not waited for", false,                             \
	  "registers or shared memory of a wgmma product are accessed before it is complete")    \
	X(FINDING_UNFENCED, "missing fence", false,                                              \
	  "wgmma or a bulk copy reads what no fence of its kind orders before it")               \
	X(FINDING_MBARRIER, "mbarrier misuse", true,                                             \
	  "an mbarrier that is not initialised, is overwritten, or gets a count out of range")   \
	X(FINDING_CLUSTER_BARRIER, "cluster barrier misuse", true,                               \
	  "a thread waits at the barrier of its cluster without having arrived, or arrives "     \
	  "twice")                                                                               \
	X(FINDING_ABSENT_BLOCK, "absent block", false,                                           \
	  "a thread accesses shared memory of another block of its cluster, which may not have " \
	  "begun or may have ended")                                                             \
	X(FINDING_PLACES, "barrier at two places", false,                                        \
	  "a note: warps reach a barrier, or lanes a __syncwarp(), at different lines")          \
	X(FINDING_DEADLOCK, "deadlock", true,                                                    \
	  "every warp of a block waits, or lanes of a warp wait for each other at different "    \
	  "instructions, and none can continue")                                                 \
	X(FINDING_ENDLESS, "endless", true, "a launch executed more instructions than it may")   \
	X(FINDING_LATE, "timeout", true, "a launch ran for longer than it may")                  \
	X(FINDING_TRAP, "trap", true, "the kernel executed a trap instruction")                  \
	X(FINDING_ASSERTION, "assertion", true, "an assert() of the kernel failed")              \
	X(FINDING_BAD_OBJECT, "bad texture object", true,                                        \
	  "a texture or surface instruction gets no object, or one of another kind")             \
	X(FINDING_BAD_MAP, "bad tensor map", true,                                               \
	  "a tensor copy gets no tensor map, or one that does not fit it")                       \
	X(FINDING_INVALID_FREE, "invalid free", true,                                            \
	  "free() of an address that malloc() did not return, or that was freed before")         \
	X(FINDING_LEAK, "leak", false, "memory of malloc() that no launch frees")                \
	X(FINDING_STACK, "stack overflow", true, "calls nest deeper than local memory allows")   \
	X(FINDING_UNSUPPORTED, "unsupported", true,                                              \
	  "an operation that the emulator does not support, found at run time")

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
	char *file;        /* source file as .file names it; NULL: unknown (no -lineinfo) */
	uint32_t line;     /* of the source file */
	char *caller_file; /* where the line was inlined; NULL: it was not inlined */
	uint32_t caller_line;
	uint32_t ptx_line;
	char *text;     /* "a 4-byte store to 0x…, 4 bytes past the end of 'out' (4096 bytes)" */
	uint64_t times; /* how often it happened at this instruction */
};
#define FINDINGS_MOST 64
struct finding_list {
	struct finding *items;
	size_t count, capacity;
	uint64_t beyond; /* findings that were dropped because FINDINGS_MOST are in the list */
};
bool finding_list_has(const struct finding_list *list, enum finding_kind kind);
void finding_list_release(struct finding_list *list);
/* Moves the findings that end no launch to another list, and releases the others. */
void finding_list_move(struct finding_list *to, struct finding_list *from);
/* Appends "out of bounds in reduce_naive, block (0,0,0) thread (31,0,0), naive.cu:14: a 4-byte
 * load …". An inlined line reads "naive.cu:14 (sm_20_atomic_functions.hpp:84)". */
void finding_text(struct text *out, const struct finding *finding);

/* ---- launches ---- */

/* A program with its module variables in device memory, and the counts of all its launches. */
struct emulation;

enum emulated_lanes { LANES_BEST, LANES_PORTABLE, LANES_AVX2 };

/* Borrows the program and the memory. PL_EUNSUPPORTED: this processor lacks the lanes asked for,
 * or an instruction has no handler. */
int emulation_create(struct emulation **out, const struct ptx_program *program,
		     struct device_memory *memory, enum emulated_lanes lanes, struct error *err);
void emulation_free(struct emulation *emulation);
/* Appends a finding for each malloc() of device code whose memory is still allocated. Call it after
 * the last launch of a program. */
void emulation_leaks(const struct emulation *emulation, struct finding_list *findings);
/* The lanes that LANES_BEST chooses on this processor: "avx2" or "portable". */
const char *emulator_best_lanes(void);
/* Sets the module variables to their initial values, and releases the memory of malloc(). */
void emulation_reset_variables(struct emulation *emulation);
/* Finds a module variable in device memory. Returns false if there is none of this name. */
bool emulation_variable(const struct emulation *emulation, const char *name, uint64_t *address,
			int64_t *bytes);

struct emulated_launch {
	const char *entry;
	int64_t grid[3], block[3];
	/* Blocks of a cluster, at most 16. Zeroes or ones: as the entry was compiled, else none. */
	int64_t cluster[3];
	int64_t shared_bytes; /* dynamic shared memory */
	int64_t sm_count;     /* of the device, for %smid and %nsmid; 0: 1 */
	/* All blocks run at once, so that they can wait for each other (grid.sync()). */
	bool cooperative;
	/* For a cooperative launch: the blocks that the device can hold; 0: any number. */
	int64_t resident_blocks;
	const void *arguments; /* the parameter block, laid out as the entry declares it */
	size_t argument_bytes;
	uint64_t max_instructions; /* warp instructions; 0: no limit */
	int64_t end_ns;            /* of monotonic_ns(), when the launch ends; 0: never */
	/* Linear numbers of the blocks to run, ascending; NULL: all blocks. */
	const int64_t *blocks;
	size_t block_count;
	/* The first and the last `checked_blocks` blocks are checked for shared-memory races and
	 * uninitialised reads; negative: all blocks. */
	int64_t checked_blocks;
	/* Global memory is checked for races and reads of unwritten bytes, in all blocks. */
	bool check_global;
	int64_t check_most_bytes; /* of host memory that this may take; 0: 512 MiB */
	/* What registers and memory hold before they are written follows from it; 0: zeroes. */
	uint64_t poison;
	/* Receives what device printf writes, at the end of the launch; the last 1 MiB of it, and
	 * before that a line that says how much is lost. NULL: dropped. */
	void (*print)(void *context, const char *text);
	void *print_context;
	struct finding_list *notes; /* receives FINDING_PLACES, which is no fault; NULL: dropped */
	const volatile int
		*stop; /* not 0: the launch ends at the next turn of a warp; may be NULL */
};

/*
 * Runs a launch to its end or to a finding that ends it, and appends the
 * findings to *findings. Returns 0 even with findings. PL_EUSAGE: no device
 * would accept the launch (no threads, more than 1024, too many arguments …).
 * PL_ENOMEM. PL_EINTERRUPTED: *stop was set.
 */
int emulation_launch(struct emulation *emulation, const struct emulated_launch *launch,
		     struct finding_list *findings, struct error *err);

/*
 * Undefined values (docs/undefined-values.md) are findings where something uses them. Launches with
 * checks only find out whether there may be any. If emulation_may_be_undefined(), run the launches
 * once more, on the same data and variables, between emulation_follow_undefined() and
 * emulation_end_following(). These launches need no checks, and report undefined values alone.
 * Without all blocks (`whole`), global memory counts as written: nobody knows by whom.
 */
bool emulation_may_be_undefined(const struct emulation *emulation);
void emulation_follow_undefined(struct emulation *emulation, bool whole);
/* Reports undefined values that threads have stored in an allocation, or left there by discard.L2:
 * a result, which the check of the case reads, or an input, which must keep its values. Call it
 * after the last launch. */
void emulation_use_buffer(const struct emulation *emulation, uint64_t address, bool is_result,
			  struct finding_list *findings);
/* Returns false if there was no memory to follow the values of a buffer. */
bool emulation_end_following(struct emulation *emulation);

/*
 * A load that races makes no difference if nothing uses its value. To find out, run the launches
 * three times, each time on the same data and variables:
 *
 * 1. with check_global. Go on if emulation_has_suspects(): a finding has a load that may be such a
 *    one, and that no run has followed yet;
 * 2. after emulation_follow_loads(), which has the values of these loads followed;
 * 3. after emulation_judge_loads(), with check_global, which reports no load now whose value
 *    nothing used. Other loads that take part in races may be suspects then.
 */
bool emulation_has_suspects(const struct emulation *emulation);
void emulation_follow_loads(struct emulation *emulation);
void emulation_judge_loads(struct emulation *emulation);

/* ---- counts ---- */

/*
 * Sums over instructions, launches and blocks since creation or
 * emulation_counts_reset(). EMULATED_COUNT_LIST of emulator/counts.h defines
 * the fields.
 */
struct emulated_counts {
#define X(field, name, unit, meaning, worse) uint64_t field;
	EMULATED_COUNT_LIST(X)
#undef X
	uint64_t blocks_executed, blocks_total;
};
void emulation_counts(const struct emulation *emulation, struct emulated_counts *out);
/* Operations of matrix products of all types. */
uint64_t emulated_product_operations(const struct emulated_counts *counts);
void emulation_counts_reset(struct emulation *emulation);

/* Adds the counts of each source line to *out, or of each PTX line where there is no .loc. */
void emulation_lines(const struct emulation *emulation, struct line_count_list *out);

/* ---- checking a PTX file ---- */

#define PTX_CHECK_ALL "(all entries)"

/* One entry of a PTX file, as `perflab check` shows it. */
struct ptx_entry_check {
	const char *name;
	bool runnable;
	const char
		*missing; /* all opcodes, registers and directives that are not supported; or "" */
};
/*
 * Reads a PTX file and calls `visit` for each entry; a file may have none. If
 * the emulator lacks a form of PTX that the file uses outside of instructions,
 * such as parameters in registers, calls it once, for PTX_CHECK_ALL.
 * PL_ENOENT, PL_EIO: the file cannot be read. PL_EPARSE, with the line: the
 * file is not valid PTX.
 */
int ptx_check_file(const char *path,
		   void (*visit)(void *context, const struct ptx_entry_check *check), void *context,
		   struct error *err);

#endif
