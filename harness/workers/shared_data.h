/*
 * shared_data: the data that a request shares with other workers: contents of
 * inputs and expected results, each under its key (kernels/data_key.h). It is
 * never needed: what is not there, or cannot be mapped, the worker makes itself.
 */
#ifndef HARNESS_WORKERS_SHARED_DATA_H
#define HARNESS_WORKERS_SHARED_DATA_H

#include "harness/workers/worker_loop.h"
#include "kernels/kernels.h"

/* Takes the ranges of a request. *out lives until shared_data_close(); `reply` must outlive it.
 * PL_EPROTOCOL. */
int shared_data_open(struct shared_data **out, const json_t *request, struct worker_reply *reply,
		     struct error *err);
void shared_data_close(struct shared_data *shared); /* accepts NULL */

/* The content with this key, which nobody may change. NULL: the request has none, or of another
 * size. `shared` may be NULL. */
const void *shared_data_find(struct shared_data *shared, const char *key, size_t bytes);
/* Whether the request asks for the content with this key. */
bool shared_data_is_wanted(const struct shared_data *shared, const char *key);
/* Where to write wanted content; shared_data_announce() follows. Only for a process that executes
 * no kernel. NULL: it is not wanted, or cannot be mapped. */
void *shared_data_target(struct shared_data *shared, const char *key, size_t bytes);
/* Tells perflab that the target has its content. PL_EIO: perflab has closed the socket. */
int shared_data_announce(struct shared_data *shared, const char *key);
/* Gives the content to later requests if it is wanted, and tells perflab. PL_EIO: perflab has
 * closed the socket. A file that cannot be written is no error: nothing is shared then. */
int shared_data_give(struct shared_data *shared, const char *key, const void *data, size_t bytes);

/*
 * Makes what the request wants of the inputs and expected results of the case,
 * for `seed` and for other inputs (case_fill_mixed()), and announces each part.
 * Not for cases that take memory of a capture. Errors are those of kernel_fill()
 * and case_expected_compute(). PL_ENOMEM. PL_EIO: perflab has closed the socket.
 */
int prepare_data(const struct launch_case *work, uint64_t seed, struct shared_data *shared,
		 int64_t command_end_ns, struct error *err);

#endif
