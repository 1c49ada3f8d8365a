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

#endif
