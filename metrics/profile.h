/*
 * profile: what the hardware shows of the instructions of a case: how often warps executed each,
 * what its accesses needed, and where warps were when they were sampled. It is of machine code;
 * what an emulator counts in PTX is a line_count.
 *
 * The counts are those of one execution of all launches of the case. They come from the counting of
 * SASS instructions (cupti_sass_metrics.h), the samples from the sampling of program counters
 * (cupti_pcsampling.h): every `period_cycles` cycles an SM notes where one of its warps is, and why
 * that warp does not issue. The counts are taken twice, the samples over `launches` executions,
 * some with a longer period.
 *
 * Invariants: instructions ascend by function and pc, stalls by instruction and reason, each once.
 * An instruction that was neither executed nor sampled has no row. The samples of an instruction
 * are the sum of its stalls, those of the profile the sum of its instructions.
 */
#ifndef METRICS_PROFILE_H
#define METRICS_PROFILE_H

#include "metrics/fields.h"

/* A function of the machine code. */
struct profile_function {
	char *name;                 /* mangled, as in the machine code */
	char code[HASH_TEXT_BYTES]; /* hash of the bytes of its cubin; "": perflab has none */
};

/* A position in the source. One that is in an inlined function has a caller: the position of the
 * call. */
struct profile_frame {
	char *file; /* as the compiler gives it */
	int64_t line;
	char *function;   /* the inlined function, mangled; NULL: none, or not known */
	int64_t caller;   /* number of a frame before this one; -1: none */
	int64_t samples;  /* of its instructions; -1: not sampled */
	double share;     /* of all samples of the profile; NAN: not sampled */
	double low, high; /* 95 % interval of the share: metrics/analysis/line_shares.h */
};

struct profile_instruction {
	int64_t function; /* number of the function */
	int64_t pc;       /* bytes from the beginning of the function */
	int64_t frame;    /* number of the frame; -1: not known */
	INSTRUCTION_FIELDS(FIELD_MEMBER)
};

#define STALL_REASON_BYTES 40

/* Samples of an instruction with one reason. */
struct profile_stall {
	int64_t instruction;             /* number of the instruction */
	char reason[STALL_REASON_BYTES]; /* as CUPTI names it: long_scoreboard */
	int64_t samples;
	int64_t not_issued; /* those of them in cycles in which the scheduler issued nothing */
};

struct profile {
	PROFILE_FIELDS(FIELD_MEMBER)
	char *why_no_samples; /* NULL: sampled */
	char *why_no_counts;  /* NULL: counted */
	struct profile_function *functions;
	size_t function_count, function_capacity;
	struct profile_frame *frames;
	size_t frame_count, frame_capacity;
	struct profile_instruction *instructions;
	size_t instruction_count, instruction_capacity;
	struct profile_stall *stalls;
	size_t stall_count, stall_capacity;
};

/* Nothing sampled or counted. */
struct profile *profile_new(void);
void profile_free(struct profile *profile);
/* The number of the function with this name and code, which is added if there is none. */
size_t profile_function_add(struct profile *profile, const char *name, const char *code);
/* The number of the frame, which is added if there is none. `function` may be NULL. */
int64_t profile_frame_add(struct profile *profile, const char *file, int64_t line,
			  const char *function, int64_t caller);
/* Appends an instruction of which nothing is known but where it is. */
struct profile_instruction *profile_instruction_add(struct profile *profile, int64_t function,
						    int64_t pc);
struct profile_stall *profile_stall_add(struct profile *profile, int64_t instruction,
					const char *reason);
/* Returns PL_ECORRUPT, with what is wrong, unless the numbers are in range and the invariants
 * hold. */
int profile_check(const struct profile *profile, struct error *err);

#endif
