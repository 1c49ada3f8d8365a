/*
 * call_frame: the register files of running functions, with their constant rows
 * filled in. A warp keeps its frames for reuse: most constant rows are the same
 * for every block of a launch and are filled once; those of %ctaid are filled
 * once per block. Registers are not cleared on reuse. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_CALL_FRAME_H
#define EMULATOR_MACHINE_CALL_FRAME_H

#include "emulator/machine/machine.h"

/* Local memory for recursion, beyond one frame of every function. A call takes its frame's local
 * memory and FRAME_EXTRA_BYTES, for the registers that the hardware would save. */
#define RECURSION_BYTES 16384
#define FRAME_EXTRA_BYTES 64

/* Returns the entry's frame, ready for the warp's block. NULL: no memory. */
struct frame *frame_enter(struct warp *warp);
/* Returns the frame for a call by the running split: a new one, or the one that other lanes of the
 * warp entered by the same call and have not left. NULL: too little local memory or host memory. */
struct frame *frame_call(struct warp *warp, uint32_t function, const struct program_call *call,
			 uint32_t return_pc);
/* Removes `lanes` from a frame and all its callers (exit), or from this frame only (return). */
void frame_leave_all(struct warp *warp, struct frame *frame, uint32_t lanes);
void frame_leave(struct warp *warp, struct frame *frame, uint32_t lanes);
/* Frees every frame of a warp. */
void frames_release(struct warp *warp);

/* What a GPU gives a thread whose functions call themselves: cudaLimitStackSize, by default. The
 * compiler knows the need of all others. A frame takes at least its .local variables and
 * FRAME_LEAST_BYTES, for the address of return and a register. */
#define STACK_LIMIT_BYTES 1024
#define FRAME_LEAST_BYTES 16
/* The bytes that the frame and its callers, but for the entry, take at least on a GPU, if its
 * function is among its callers; else 0. */
int64_t frame_recursion_bytes(const struct frame *frame);

/* The bytes of local memory that each thread of a launch of the entry gets for its frames. */
int64_t frame_local_bytes(const struct ptx_program *program, uint32_t entry);
/* Whether threads need a stack behind them. */
bool frame_allocates(const struct ptx_program *program);

/* ---- memory that alloca takes: stack.c ---- */

/* For each thread, of launches that reach an alloca. It lies in local memory behind the frames,
 * from launch->stack_base on, and grows upwards. A function that returns gives back what it took.
 */
#define STACK_BYTES 16384

/* Bytes of a lane's local memory begin to exist: they are unwritten. */
void local_begin(struct warp *warp, int lane, uint64_t first, uint64_t bytes);

instruction_handler run_alloca, run_stack_save, run_stack_restore;

#endif
