/*
 * prepare_data: makes data of a case for other workers, without a device.
 */
#ifndef HARNESS_WORKERS_PREPARE_DATA_H
#define HARNESS_WORKERS_PREPARE_DATA_H

#include "harness/workers/shared_data.h"
#include "kernels/kernels.h"

/*
 * Makes what the request wants of the inputs and expected results of the case,
 * for `seed` and for other inputs (case_fill_mixed()), and announces each part.
 * Not for cases that take memory of a capture. Errors are those of kernel_fill()
 * and case_expected_compute(). PL_ENOMEM. PL_EIO: perflab has closed the socket.
 */
int prepare_data(const struct launch_case *work, uint64_t seed, struct shared_data *shared,
		 int64_t command_end_ns, struct error *err);

#endif
