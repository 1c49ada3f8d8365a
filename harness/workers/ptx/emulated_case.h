/*
 * emulated_case: one case in emulated memory: its buffers, and its launches with
 * their arguments. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_EMULATED_CASE_H
#define HARNESS_WORKERS_PTX_EMULATED_CASE_H

#include "harness/workers/case_capture.h"
#include "harness/workers/ptx/case_runner.h"

struct emulated_case {
	struct case_runner *runner;
	const struct launch_case *work;
	const struct ptx_image *image;
	const struct ptx_program *program;
	struct device_memory *memory;
	struct emulation *emulation;
	struct case_capture *capture;           /* NULL: the case has none */
	uint64_t addresses[KERNEL_MAX_BUFFERS]; /* of the contents */
	uint64_t passed[KERNEL_MAX_BUFFERS];    /* what arguments have for a buffer */
	bool mixed;                             /* the inputs are those of case_fill_mixed() */
	bool again;     /* the case was executed before, with another poison */
	bool reference; /* the launches compute the expected results of another case */
	/* The run that follows undefined values did not end in time. */
	bool late_following;
	struct finding_list findings;
	struct finding_list notes; /* no faults */
};

/* Allocates the buffers, filled with zeroes. PL_ENOMEM: the case exceeds the memory limit.
 * PL_EUSAGE, PL_ENOENT: the launches do not fit the image. */
int emulated_case_open(struct emulated_case *out, struct case_runner *runner,
		       const struct launch_case *work, const struct ptx_image *image,
		       const struct ptx_program *program, struct error *err);
void emulated_case_close(struct emulated_case *emulated);
/*
 * Fills the inputs from the seed and poisons all other buffers. Clears counts,
 * touched sectors and findings. Resets the module variables, unless this is
 * another execution: then they keep what the one before left, as on a GPU.
 */
int emulated_case_restore(struct emulated_case *emulated, struct error *err);
/* Appends to *found which buffers of the role `in` have not the content of
 * emulated_case_restore() any more, because `who` ("the kernel") wrote there. PL_ENOMEM. */
int emulated_case_check_inputs(const struct emulated_case *emulated, const char *who,
			       struct text *found, struct error *err);
/* The host bytes of what an execution left in the buffers, by index. */
void emulated_case_results(const struct emulated_case *emulated, struct host_buffers *out);
/* The host bytes of what emulated_case_restore() put into the buffers, by index. */
void emulated_case_buffers(const struct emulated_case *emulated, struct host_buffers *out);

/* The part of a launch to execute. */
struct launch_part {
	const int64_t *blocks; /* ascending linear numbers; NULL: all */
	size_t block_count;
	/* Shared memory is checked for races and uninitialised reads; device printf is kept. */
	bool checked;
	/* Global memory is checked, too. Pass all blocks, of this launch and those before: nobody
	 * knows what blocks that are left out would have written. */
	bool checks_global;
	bool silent;           /* device printf is not kept: it was kept in an earlier run */
	uint64_t instructions; /* limit in warp instructions; 0: no limit */
};
/* Warp instructions that a launch may execute if all its blocks run; 0: no limit. */
uint64_t emulated_case_limit(const struct emulated_case *emulated);
/* Executes launch `index` and appends its findings to emulated->findings. */
int emulated_case_launch(struct emulated_case *emulated, size_t index,
			 const struct launch_part *part, struct error *err);
/* If the launches until now may have read undefined values: calls `execute`, which executes what
 * they did once more, to find out whether anything uses these. `whole`: that is all blocks. */
int emulated_case_follow(struct emulated_case *emulated, bool whole,
			 int (*execute)(void *context, struct error *err), void *context,
			 struct error *err);
/* Whether a launch has clusters of several blocks: it asks for them, or its entry was compiled for
 * them. */
bool launch_has_clusters(const struct ptx_image *image, const struct case_launch *launch);
/* Returns true if a finding ended a launch. */
bool emulated_case_ended(const struct emulated_case *emulated);

int64_t launch_blocks(const struct case_launch *launch);

/* ---- expected_results.c ---- */

/*
 * Stores the expected results of the case in expected->data, by buffer; NULL for buffers that are
 * not results. `inputs`: what emulated_case_restore() put into the buffers. Results that the
 * request shares or the runner has are not computed; those that the request wants are given to it.
 * The results are valid until the next call or the end of the request, and nobody may change them.
 * Errors are those of case_expected_compute(); PL_ENOMEM. Of reference launches, too:
 * PL_EUNSUPPORTED if they are too large for the emulator, PL_EUSAGE if they go wrong.
 */
int expected_results_find(const struct emulated_case *emulated, const struct host_buffers *inputs,
			  struct host_buffers *expected, struct error *err);

/* ---- case_outcome.c ---- */

/* Call with the status TRIAL_OK. `mismatch`: how the results differ from the expected ones, or
 * nothing. */
void case_outcome(const struct emulated_case *emulated, const struct case_totals *totals,
		  const struct text *mismatch, enum trial_status *status, struct text *reason);

/* Prints what is no fault with the output of the kernel. */
void case_print_notes(const struct emulated_case *emulated);

/* ---- sampling.c ---- */

/*
 * Executes blocks of all launches of a case, at most `most` warp instructions by
 * the estimate `block_instructions` (per block, by launch), and adds the
 * extrapolated counts to *totals. The contents of the buffers are undefined
 * afterwards. Returns 0 with an empty *why_not if this succeeded or a finding
 * ended a launch. Otherwise *why_not has the reason and *totals is unchanged.
 */
int sample_case(struct emulated_case *emulated, const uint64_t *block_instructions, uint64_t most,
		struct case_totals *totals, struct text *why_not, struct error *err);

/* ---- classes of blocks ---- */

#define SAMPLED_AXIS_BLOCKS 6 /* samples of one class, at most */

/* A class of indexes along one axis. */
struct axis_class {
	int64_t count;
	int64_t samples[SAMPLED_AXIS_BLOCKS]; /* ascending, distinct */
	size_t sample_count;
};
/* The classes of an axis of `extent` blocks; every index is in exactly one. The caller frees them.
 */
struct axis_class *axis_classes(int64_t extent, int64_t period, size_t *count);

#endif
