/*
 * dead_loads: finds lanes of loads whose value nothing uses. Such a load cannot change a result, so
 * the checks of memory need not report what it reads. Internal to emulator/.
 *
 * Whether something uses a value shows only after the load, and even after a store that races with
 * it. So the launches run three times, from the same data. In the first run the check reports, and
 * names the loads that it reports. In the second one load_values_follow() follows the
 * values of these loads. In the third one the check leaves out the lanes whose value nothing used.
 * The emulator is deterministic: the n-th execution of these loads is the same one in the second
 * and the third run.
 *
 * A value is used when it is stored, as an address, as a condition, by an atomic, or by another
 * operation among lanes. Arithmetic hands it on. A warp without such values runs as fast as before.
 */
#ifndef EMULATOR_MACHINE_RACES_DEAD_LOADS_H
#define EMULATOR_MACHINE_RACES_DEAD_LOADS_H

#include "emulator/machine/machine.h"

struct dead_loads;
struct dead_loads *dead_loads_create(void);
void dead_loads_free(struct dead_loads *uses); /* NULL is allowed */

/* The check reports what an instruction of that function read. Does nothing unless it is a plain
 * load. Those of the same source line, which an unrolled loop has, become suspects with it. */
void dead_loads_suspect(struct dead_loads *uses, const struct ptx_program *program,
			uint32_t function, const struct instruction *at);
/* Whether there are suspects that no run has followed. */
bool dead_loads_has_suspects(const struct dead_loads *uses);
/* Begins the second run. The suspects in the code of the program get another handler. */
void dead_loads_follow(struct dead_loads *uses, struct ptx_program *program);
/* Begins the third run. */
void dead_loads_judge(struct dead_loads *uses);

/* ---- the values ---- */

/*
 * Notes the result of a shuffle: `from` is the source of each lane, and the
 * lanes `absent` of the active ones read a lane that does not take part. Call
 * before the result is written, if the warp has values that are followed.
 */
void load_values_shuffled(struct warp *warp, const struct instruction *at, const uint32_t *from,
			  uint32_t absent);
/* Call before the lanes `lanes` execute an instruction, if the warp has values
 * that are followed. */
void load_values_follow(struct warp *warp, const struct instruction *at, uint32_t lanes);
/* The lanes of a row are about to be used in a way that load_values_follow() does not see. */
void load_values_used(struct warp *warp, struct frame *frame, uint32_t row, uint32_t lanes);
/* Forgets the notes of a frame, which begins to serve other lanes. */
void load_values_frame_begin(struct warp *warp, struct frame *frame);

#endif
