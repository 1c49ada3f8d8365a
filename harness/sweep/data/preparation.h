/*
 * preparation: makes the inputs and expected results of a sweep once, ahead of
 * the cases that need them, and shares them with all workers. Workers of their
 * own make them, so an oracle that crashes or hangs harms no case. The worker of
 * a case makes whatever is missing, with the same outcome as if nothing were
 * shared. It may then give it to later rounds.
 *
 * Memory is bounded (data_file_limit()). What no case needs any more is dropped;
 * when room is needed, what is needed last.
 * Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_DATA_PREPARATION_H
#define HARNESS_SWEEP_DATA_PREPARATION_H

#include "harness/sweep/sweep_state.h"

/* Begins for the cases that have not ended. *out is NULL if no case has data that is worth sharing,
 * or the system cannot share memory. PL_EUSAGE: data_file_limit(). */
int preparation_begin(struct preparation **out, struct sweep *sweep, struct error *err);
void preparation_end(struct preparation *preparation); /* accepts NULL */

/* All functions below accept NULL, and then do nothing. */

/* The cases that come next, in their order. */
void preparation_set_order(struct preparation *preparation, const size_t *order, size_t count);
/* Waits until the data of a case are there, or nobody is making them. PL_EINTERRUPTED. */
int preparation_await(struct preparation *preparation, size_t index, struct error *err);
/* Whether the data of a case are there, or nobody is making them. Does not wait. */
bool preparation_is_ready(struct preparation *preparation, size_t index);
/* Keeps the data of these cases, what is there and what comes, until preparation_release(). */
void preparation_hold(struct preparation *preparation, const size_t *indices, size_t count);
/* Adds the member `data` of a request about these cases, which are held, with a comma before it. */
void preparation_add_data(struct text *request, struct preparation *preparation,
			  const size_t *indices, size_t count);
/* Takes a reply `filled` to such a request. PL_EPROTOCOL. */
int preparation_take_filled(struct preparation *preparation, const json_t *message,
			    struct error *err);
/* The request has ended. */
void preparation_release(struct preparation *preparation, const size_t *indices, size_t count);
/* A round of the case was stored after preparation_release(): it may need less now. */
void preparation_update(struct preparation *preparation, size_t index);

/* Served while perflab waits for a worker. NULL: nothing to serve. */
struct channel_side *preparation_side(struct preparation *preparation);

#endif
