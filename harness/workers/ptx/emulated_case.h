/*
 * emulated_case: one case in emulated memory: its buffers, its launches with
 * their arguments. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_EMULATED_CASE_H
#define HARNESS_WORKERS_PTX_EMULATED_CASE_H

#include "harness/workers/ptx/case_runner.h"

struct emulated_case {
	struct case_runner *runner;
	const struct launch_case *work;
	const struct ptx_program *program;
	struct device_memory *memory;
	struct emulation *emulation;
	uint64_t addresses[KERNEL_MAX_BUFFERS];
	struct finding_list findings;
};

/* Buffers hold zeroes. PL_ENOMEM: too large for this machine. */
int emulated_case_open(struct emulated_case *out, struct case_runner *runner,
		       const struct launch_case *work, const struct ptx_image *image,
		       const struct ptx_program *program, struct error *err);
void emulated_case_close(struct emulated_case *emulated);
/* Inputs as the seed has them, everything else poisoned, module variables as declared; no counts,
 * nothing touched, no findings. */
void emulated_case_restore(struct emulated_case *emulated);
/* The buffers on the host, as the case has them. */
void emulated_case_buffers(const struct emulated_case *emulated, struct host_buffers *out);

/* Which part of a launch. */
struct launch_part {
	const int64_t *blocks; /* ascending linear numbers; NULL: all */
	size_t block_count;
	bool checked;          /* for races and uninitialised reads: all that are executed */
	uint64_t instructions; /* most, of warps; 0: no limit */
};
/* Executes launch `index`; findings are added to its own. */
int emulated_case_launch(struct emulated_case *emulated, size_t index,
			 const struct launch_part *part, struct error *err);
/* A finding that ended a launch is there. */
bool emulated_case_ended(const struct emulated_case *emulated);

int64_t launch_blocks(const struct case_launch *launch);

#endif
