/*
 * check_command: verifies a case by a program of the user. The program finds
 * NAME.npy for each input in the folder $PERFLAB_INPUTS and writes NAME.npy for
 * each result into the folder $PERFLAB_RESULTS. The variables PERFLAB_KERNEL,
 * PERFLAB_VARIANT and PERFLAB_CONFIG name the case, and PERFLAB_AXIS_name has
 * the value of each axis.
 */
#ifndef HARNESS_WORKERS_CHECK_COMMAND_H
#define HARNESS_WORKERS_CHECK_COMMAND_H

#include "kernels/kernels.h"

/*
 * Runs work->check.command with /bin/sh in work->check.folder, until `end_ns` at
 * most (case_check_end_ns()), ends what it left running, and reads its results
 * into expected->data[]. PL_EUSAGE: the program failed, took too long, or a
 * result is missing or has another type or length; if the program failed, the
 * message has the last line that it printed. PL_EPARSE: a result is not a whole
 * .npy file. PL_EIO, PL_ENOMEM.
 *
 * Until it returns, SIGTERM ends the program and removes what was made for it.
 * Then the signal acts on this process as it would have done, so the function
 * may not return. One thread at a time.
 */
int check_command_run(const struct launch_case *work, const struct host_buffers *inputs,
		      struct host_buffers *expected, int64_t end_ns, struct error *err);

#endif
