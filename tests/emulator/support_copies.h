/* What tests of copies.h share: a case executed by the emulator. */
#ifndef TESTS_EMULATOR_SUPPORT_COPIES_H
#define TESTS_EMULATOR_SUPPORT_COPIES_H

#include "copies.h"
#include "emulator/emulator.h"

enum copy_outcome {
	COPY_RAN,
	COPY_STOPPED, /* by a finding, or the map or the launch breaks a rule */
	COPY_REFUSED, /* by name: the emulator does not know what happens */
};
/* Fills `results` (out_words of the case). *why: the reason of what is not COPY_RAN. `checked`:
 * with all findings that do not end a launch; they stop the case, too. */
enum copy_outcome copy_emulate(uint32_t *results, const struct copy_case *copy,
			       enum emulated_lanes lanes, bool checked, struct text *why);

#endif
