/*
 * load_uses: finds lanes of loads whose value nothing uses. Such a load cannot change a result, so
 * the checks of memory need not report what it reads. Internal to emulator/.
 *
 * Whether something uses a value shows only after the load, and even after a store that races with
 * it. So the launches run three times, from the same data. In the first run the check reports, and
 * names the loads that it reports. In the second one undefined.h follows the values of these loads.
 * In the third one the check leaves out the lanes whose value nothing used. The emulator is
 * deterministic: the n-th execution of these loads is the same one in the second and the third run.
 *
 * A value is used as undefined.h has it.
 */
#ifndef EMULATOR_MACHINE_LOAD_USES_H
#define EMULATOR_MACHINE_LOAD_USES_H

#include "emulator/machine/value_origins.h"

enum use_phase { PHASE_FIRST_RUN, PHASE_FOLLOW, PHASE_JUDGE };

struct suspect_load {
	const struct instruction *at;
	uint32_t function;
	instruction_handler *run; /* NULL: it is not followed yet */
};

struct load_uses {
	enum use_phase phase;
	struct suspect_load *loads;
	size_t load_count, load_capacity;
	struct value_origins origins;
};

struct load_uses *load_uses_create(void);
void load_uses_free(struct load_uses *uses); /* NULL is allowed */

/* The check reports what an instruction of that function read. Does nothing unless it is a plain
 * load. Those of the same source line, which an unrolled loop has, become suspects with it. */
void load_uses_suspect(struct load_uses *uses, const struct ptx_program *program, uint32_t function,
		       const struct instruction *at);
/* Whether there are suspects that no run has followed. */
bool load_uses_has_suspects(const struct load_uses *uses);
/* Begins the second run. The suspects in the code of the program get another handler. */
void load_uses_follow(struct load_uses *uses, struct ptx_program *program);
/* Begins the third run. */
void load_uses_judge(struct load_uses *uses);

#endif
