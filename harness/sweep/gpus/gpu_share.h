/*
 * gpu_share: what the processes of a sweep on several GPUs share: which of them has claimed which
 * cases, how far each is, how it ended, and the wish to stop. It is anonymous shared memory: made
 * before the processes are forked, and gone with the last of them.
 *
 * Cases are claimed in units: a case with those that are measured beside it, because a pair needs
 * both in one worker. A unit is free, claimed by one slot, or done by one slot. A slot is one
 * process; a GPU has a second slot if it takes over cases after its first process has ended.
 * Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_GPUS_GPU_SHARE_H
#define HARNESS_SWEEP_GPUS_GPU_SHARE_H

#include <stdatomic.h>

#include "harness/request/request.h"

/* More than a machine has, also if each GPU takes over cases of another. */
#define GPU_SLOTS_MOST 128

struct gpu_slot {
	atomic_int ended; /* set by the parent: nobody waits for this process any more */
	/* Steps of its sweep; first_total: before others claimed any of its cases. */
	atomic_llong done, total, first_total;
	atomic_llong run_id; /* 0: no run was begun */
	/* Written by the process before it ends. */
	int code;
	bool over; /* it ended by itself, with this code */
	char error[1024];
	int64_t wall_ns;
	size_t impossible; /* as in struct sweep_result */
};

struct gpu_share {
	volatile int stop;
	atomic_int turn; /* the slot that measures alone; see gpu_share_await_turn() */
	size_t bytes;    /* of all of it */
	size_t count;    /* cases of the plan */
	struct gpu_slot slots[GPU_SLOTS_MOST];
	/* Per case: the case that stands for its unit, and of such a case the state. */
	struct gpu_case {
		size_t unit;
		atomic_int state;
		/* two GPUs were lost with this case: no other measures it, or counts it */
		atomic_bool unmeasured, uncounted;
	} cases[];
};

/* PL_ENOMEM. */
int gpu_share_new(struct gpu_share **out, const struct plan *plan, struct error *err);
void gpu_share_free(struct gpu_share *share); /* accepts NULL */

/* Claims the unit of a case for a slot. false: another slot has it. */
bool gpu_share_claim(struct gpu_share *share, int slot, size_t index);
/* The slot that has claimed or done the unit of a case; -1: it is free. */
int gpu_share_owner(const struct gpu_share *share, size_t index);
/* The slot, which has claimed the unit, has done all cases of it, or after all has not. */
void gpu_share_set_done(struct gpu_share *share, int slot, size_t index, bool done);
/* Frees what a slot has claimed and not done. Returns the number of cases. */
size_t gpu_share_give_back(struct gpu_share *share, int slot);
/* The cases that are free. */
size_t gpu_share_free_cases(const struct gpu_share *share);

/* Waits until the slots below this one have had their turn, or have ended. false: *stop was set. */
bool gpu_share_await_turn(struct gpu_share *share, int slot);
/* Ends the turn of a slot, if it has it. */
void gpu_share_end_turn(struct gpu_share *share, int slot);

#endif
