/*
 * stack: memory that alloca takes from a thread's local memory while it runs. It lies behind the
 * frames, from launch->stack_base on, and grows upwards. A function that returns gives back what it
 * took. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_STACK_H
#define EMULATOR_MACHINE_STACK_H

#include "emulator/machine/machine.h"

/* For each thread, of launches that reach an alloca. */
#define STACK_BYTES 16384

/* Bytes of a lane's local memory begin to exist: they are unwritten. */
void local_begin(struct warp *warp, int lane, uint64_t first, uint64_t bytes);

instruction_handler run_alloca;        /* OP_ALLOCA */
instruction_handler run_stack_save;    /* OP_STACK_SAVE */
instruction_handler run_stack_restore; /* OP_STACK_RESTORE */

/* A warp begins with its entry's frame. */
void stack_begin(struct warp *warp, struct frame *frame);
/* What some lanes have taken, when they enter a frame and when they leave it. */
void stack_enter(const struct warp *warp, struct frame *frame, uint32_t lanes);
void stack_leave(struct warp *warp, const struct frame *frame, uint32_t lanes);

#endif
