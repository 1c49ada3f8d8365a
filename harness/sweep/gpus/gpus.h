/*
 * gpus: the parts of a sweep on several GPUs. Internal to sweep/gpus/.
 *
 * gpus.c starts a process for each GPU (gpu_process.c), a fork of perflab that runs an ordinary
 * sweep. What the process changes in it is its part (gpu_part.c): in mode split it claims the cases
 * that it reaches first and leaves out those of others; in mode spread it measures all of them.
 */
#ifndef HARNESS_SWEEP_GPUS_GPUS_H
#define HARNESS_SWEEP_GPUS_GPUS_H

#include <stdatomic.h>
#include <sys/types.h>

#include "harness/sweep/sweep_parts.h"

/* ---- the GPUs that the words of --gpus name: gpu_devices.c ---- */

#define GPUS_ALL "all"

/* Owned. */
struct gpu_devices {
	struct gpu_device {
		int number; /* as `perflab list devices` numbers them */
		struct device_info info;
	} * items;
	size_t count, capacity;
};

/* Asks the worker of the backend for its devices. PL_EUNSUPPORTED: there is none. */
int gpu_devices_list(struct gpu_devices *out, const char *backend, struct error *err);
/*
 * Chooses among all devices. `words`: GPUS_ALL, or numbers and UUIDs, or beginnings of UUIDs,
 * separated by commas; the order is that of the numbers. PL_EUSAGE: no such GPU, several of that
 * UUID, one that is named twice, or GPUs of several models, over which the cases of a sweep cannot
 * be split (`equal`).
 */
int gpu_devices_choose(struct gpu_devices *out, const struct gpu_devices *all, const char *words,
		       bool equal, struct error *err);
/* What can be said of a request without a device. PL_EUSAGE: an option that does not go with
 * several GPUs; an empty word, or one given twice. */
int gpus_check_request(const struct sweep_request *request, const struct gpus_request *gpus,
		       struct error *err);
/* An emulated sweep never runs on several GPUs. */
const char *backend_of_gpus(const struct sweep_request *request);

/*
 * ---- what the processes share: gpu_share.c ----
 *
 * Which of them has claimed which cases, how far each is, how it ended, and the wish to stop. It is
 * anonymous shared memory: made before the processes are forked, and gone with the last of them.
 *
 * Cases are claimed in units: a case with those that are measured beside it, because a pair needs
 * both in one worker. A unit is free, claimed by one slot, or done by one slot. A slot is one
 * process; a GPU has a second slot if it takes over cases after its first process has ended.
 */

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

/* ---- the part of one process: gpu_part.c ---- */

#define GPU_SENTINELS 3        /* cases of each GPU */
#define GPU_SENTINEL_ROUNDS 12 /* of each, alone and with the others; more are not compared */

struct gpu_sentinel {
	size_t index;                                                 /* of the case */
	double alone[GPU_SENTINEL_ROUNDS], busy[GPU_SENTINEL_ROUNDS]; /* medians, ns */
	size_t alone_count, busy_count;
};

struct gpu_part {
	struct gpu_share *share; /* borrowed, like all strings */
	int slot;
	const char *uuid; /* that the device must have */
	const char *group;
	size_t gpus;
	bool spread;
	enum interference_when interference;
	struct gpu_sentinel sentinels[GPU_SENTINELS];
	size_t sentinel_count;
	bool alone;   /* the sentinels are measured alone now */
	size_t *left; /* by unit: its cases that have not ended; owned */
	/* Cases that have ended, but are not committed yet; owned. */
	size_t *deferred;
	size_t deferred_count, deferred_capacity;
};

/* The fact GPUS_INTERFERENCE_KEY where nobody wanted it measured. */
#define GPUS_INTERFERENCE_NEVER "not measured: --interference never"

/* What the part changes in its sweep. The caller keeps `part` until the sweep has ended. */
struct sweep_hooks gpu_part_hooks(struct gpu_part *part);

/*
 * ---- whether the other GPUs of a split change times: gpu_sentinels.c ----
 *
 * Before the split each process in turn measures a few cases, the sentinels, alone, while the
 * others wait. In the sweep it measures the same cases again, with the others at work.
 */

/* Waits until all processes can begin. In mode split also measures the sentinels alone, and claims
 * at least one case. PL_EINTERRUPTED, or the error of measuring. */
int gpu_sentinels_begin(struct sweep *sweep, struct error *err);
/* A round of a case was measured. */
void gpu_sentinels_round(struct sweep *sweep, size_t index, const struct round_result *round);
/* Judges the sentinels as `perflab regress` judges cases, stores what came out, and warns. */
int gpu_sentinels_end(struct sweep *sweep, struct sweep_store *store, struct error *err);

/* ---- a process: gpu_process.c ---- */

/* It sends its notices to the parent. Its progress and its end are in its slot of the shared
 * memory. */
struct gpu_process {
	pid_t pid;   /* 0: it has ended */
	int notices; /* read end of its pipe; -1: closed */
	struct text unread;
	const struct gpu_device *gpu; /* borrowed */
	int slot;
};

/*
 * Forks. `request` is that of the user; the process changes what its GPU and its share of the
 * machine demand. To be called while this process has one thread and no open database. PL_EIO.
 */
int gpu_process_start(struct gpu_process *out, const struct sweep_request *request,
		      const struct gpu_part *part, const struct gpu_device *gpu, int jobs,
		      int64_t shared_bytes, struct error *err);
/* Calls `notice` for each whole notice that has come. Sets the slot's code and error if the process
 * has ended otherwise than by itself. Returns false once it has ended; then it is reaped. */
bool gpu_process_read(struct gpu_process *process, struct gpu_share *share,
		      void (*notice)(void *context, const struct gpu_process *process,
				     enum notice_kind kind, const char *line),
		      void *context);

#endif
