/*
 * What a fake worker does with shared data. It happens with "data" in the script only, for cases
 * that are verified by an expression or by launches.
 *
 * The log gets a line for each request about such a case: "shared-ROUND CASE" if its inputs and
 * expected results were shared, "made-ROUND CASE" if one had to be made, "wrong-ROUND CASE" if one
 * had other bytes than it must have. ROUND may be "emulate" or "count". A worker that prepares
 * data writes "prepare CASE" and "filled KEY". "blocks BYTES" says what the shared file takes.
 *
 * give_late: the worker of a case gives what it makes when it is ended because of --timeout.
 *
 * Actions of a worker that prepares: prepare_exit, prepare_die (in the middle of an input),
 * prepare_hang, prepare_stop (by a signal), prepare_fail, prepare_nothing, prepare_lie_key,
 * prepare_lie_reply, and prepare_pause: it gives the first input, and looks at it again when the
 * script has "go": "kept CASE" or "lost CASE".
 */
#ifndef TESTS_HARNESS_FAKE_DATA_H
#define TESTS_HARNESS_FAKE_DATA_H

#include "harness/workers/worker_loop.h"

void fake_share(void *backend, struct shared_data *shared);
/* Looks for the data of the case, and gives what is missing if it is wanted. `again`: the other
 * inputs, too. */
void fake_take_data(const char *when, const struct launch_case *work, uint64_t seed, bool results,
		    bool again);

#endif
