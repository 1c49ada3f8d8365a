/*
 * frame: register files of functions that run, with their constant rows
 * filled. A warp keeps the frames that it has used: most rows of a frame are
 * the same for every block of a launch and are filled once, those of %ctaid
 * once a block. Registers themselves are not cleared. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_CALL_FRAME_H
#define EMULATOR_MACHINE_CALL_FRAME_H

#include "emulator/machine/machine.h"

/* Local memory beyond what every function needs once, for recursion; a call costs its frame's
 * local memory and FRAME_EXTRA_BYTES, for what the hardware would save. */
#define RECURSION_BYTES 16384
#define FRAME_EXTRA_BYTES 64

/* The entry's frame, ready for the warp's block. NULL: not enough memory. */
struct frame *frame_enter(struct warp *warp);
/* The frame that a call of the running split leads to: a new one, or one that other lanes of the
 * warp entered by the same call and are still in. NULL: not enough local memory, or of the host. */
struct frame *frame_call(struct warp *warp, uint32_t function, const struct program_call *call,
			 uint32_t return_pc);
/* `lanes` leave a frame and all its callers (exit), or this one only (return). */
void frame_leave_all(struct warp *warp, struct frame *frame, uint32_t lanes);
void frame_leave(struct warp *warp, struct frame *frame, uint32_t lanes);
/* Frees every frame of a warp. */
void frames_release(struct warp *warp);

/* Bytes of a thread's local memory that a program needs. */
int64_t frame_local_bytes(const struct ptx_program *program, uint32_t entry);

#endif
