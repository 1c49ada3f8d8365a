/*
 * worker_reply: the replies of a worker, one function for each. They send one
 * reply to perflab and return 0, or PL_EIO if perflab has closed the socket.
 */
#ifndef HARNESS_WORKERS_WORKER_REPLY_H
#define HARNESS_WORKERS_WORKER_REPLY_H

#include "harness/protocol/channel.h"
#include "harness/protocol/messages.h"
#include "metrics/meter.h"

/* The replies to the current request. */
struct worker_reply {
	struct channel *channel;
	bool lost; /* perflab has closed the socket */
};

/* Sends any reply. Steals the reference to `message`. */
int worker_reply_send(struct worker_reply *reply, const char *name, json_t *message);

int worker_reply_check(struct worker_reply *reply, const struct worker_check *check);
int worker_reply_device(struct worker_reply *reply, int ordinal, const struct device_info *device);
int worker_reply_metric(struct worker_reply *reply, const struct worker_metric *metric);
/* To be sent before the phase begins. `pass` counts from 0 in WORKER_PHASE_COUNT and is -1 in every
 * other phase. */
int worker_reply_phase(struct worker_reply *reply, int64_t id, enum worker_phase phase,
		       int64_t pass);
/* `placements`: over how many placements of the data in physical memory the samples are spread;
 * 0: not known. `unmoved`: why there are fewer than the settings ask for; NULL: there are not, or
 * the buffers are small. */
int worker_reply_samples(struct worker_reply *reply, int64_t id, int round, const double *time_ns,
			 size_t count, int64_t placements, const char *unmoved);
/*
 * To be sent once per round if the request names a base case: its samples, which were taken beside
 * those of the case, as many as these and in the same order. same_buffers: both operations used the
 * same device memory, apart from at most 1 % of the bytes.
 */
int worker_reply_beside(struct worker_reply *reply, int64_t id, int round, const double *base_ns,
			size_t count, bool same_buffers);
/* Sent instead if the case was measured alone because its base case cannot be measured. */
int worker_reply_alone(struct worker_reply *reply, int64_t id, int round, const char *reason);
/* To be sent once per round: the relative error of the results, or NAN and the reason. */
int worker_reply_accuracy(struct worker_reply *reply, int64_t id, int round, double relative_error,
			  const char *reason);
/* To be sent once, after everything else: what the parts of the request took. */
int worker_reply_times(struct worker_reply *reply, int64_t id, const struct meter *meter);
int worker_reply_state(struct worker_reply *reply, int64_t id, int round,
		       const struct device_state *state);
int worker_reply_counters(struct worker_reply *reply, int64_t id,
			  const struct counter_list *counters);
/* In place of all counters: why there are none in this session. */
/* busy: another process holds the counters. */
int worker_reply_counters_off(struct worker_reply *reply, const char *reason, bool busy);
/*
 * Sends the counts of an emulator for each source line, once per case. The
 * list has at most 262144 lines; the name of a file has 1 to 4095 bytes and no
 * control characters. A long list takes several replies.
 */
int worker_reply_lines(struct worker_reply *reply, int64_t id, const struct line_count_list *lines);

#endif
