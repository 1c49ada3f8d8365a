/*
 * expected: what the results of a case are compared with, the same for every backend. A case
 * is verified by an oracle, by expressions, by files, by a program, by other launches, or
 * not at all (struct case_check). The first four are computed here, on the host. A backend
 * executes the other launches itself: case_reference() describes them as a case.
 */
#ifndef HARNESS_WORKERS_EXPECTED_H
#define HARNESS_WORKERS_EXPECTED_H

#include "harness/workers/case_capture.h"
#include "kernels/kernels.h"
#include "metrics/metrics.h"

/*
 * Verifies a case by a program of the user, which finds NAME.npy for each input in the folder
 * $PERFLAB_INPUTS and writes NAME.npy for each result into the folder $PERFLAB_RESULTS. The
 * variables PERFLAB_KERNEL, PERFLAB_VARIANT and PERFLAB_CONFIG name the case, and
 * PERFLAB_AXIS_name has the value of each axis.
 *
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

/* False: the results of the case are not compared, and its status is `unverified`. */
bool case_is_checked(const struct launch_case *work);
/* The status of such a case when nothing went wrong; adds the reason to *reason. */
enum trial_status case_unverified(const struct launch_case *work, struct text *reason);
/* True: the check computes results from any inputs. Files hold the results of one set of inputs. */
bool case_check_follows_inputs(const struct launch_case *work);
/* How a result is described that was right in the first execution, but not in the second. */
const char *case_wrong_again(const struct launch_case *work);
/* True: the backend executes case_reference() for the expected results. */
bool case_has_reference(const struct launch_case *work);
/*
 * The launches that compute the expected results, as a case with the same
 * buffers. Borrows everything from `work`: do not free it.
 */
struct launch_case case_reference(const struct launch_case *work);
/*
 * When a program that starts in this phase must end, as monotonic_ns(): after 5/6
 * of the timeout, and after 50 s at most. perflab ends a worker whose phase
 * exceeds the timeout, and then nobody learns why the program was slow. To be
 * called when the phase begins.
 */
int64_t case_check_end_ns(int64_t timeout_ns);

/*
 * Fills expected->data[b] for every OUT and INOUT buffer b, from inputs->data[].
 * Not for cases that have a reference, or no check. `from`: that of the case; NULL if it has none.
 * command_end_ns: see case_check_end_ns(). PL_ENOENT: this worker lacks the oracle. Other errors
 * name the expression, file or program.
 */
int case_expected_compute(const struct launch_case *work, const struct case_capture *from,
			  const struct host_buffers *inputs, struct host_buffers *expected,
			  int64_t command_end_ns, struct error *err);
/* Finds the expected content of the results that have an item of the check, and of no others: those
 * that the reference launches do not decide. */
int case_expected_items(const struct launch_case *work, const struct case_capture *from,
			const struct host_buffers *inputs, struct host_buffers *expected,
			struct error *err);

#endif
