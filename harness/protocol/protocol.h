/*
 * protocol: what goes over the wire between perflab and a worker, to JSON and
 * back; docs/worker-protocol.md. Decoding is strict: the bytes are a
 * stranger's, so every string fits, every index is valid, every product of
 * sizes fits int64_t and every number that must be finite is, or the decoder
 * returns PL_EPROTOCOL, names the member, and leaves *out untouched.
 * Internal to harness/ and its backends.
 */
#ifndef HARNESS_PROTOCOL_PROTOCOL_H
#define HARNESS_PROTOCOL_PROTOCOL_H

#include "harness/protocol/members.h"
#include "harness/protocol/messages.h"
#include "kernels/kernels.h"
#include "metrics/settings.h"

#define PROTOCOL_MAX_LAUNCHES 65536
#define PROTOCOL_MAX_SAMPLES 1000000
#define PROTOCOL_MAX_COUNTERS 8192
#define PROTOCOL_MAX_LINES 262144    /* of one case */
#define PROTOCOL_MAX_LINE_PIECE 2048 /* of one reply: with names of any length they fit a line */
#define PROTOCOL_MAX_FILE_NAME 4095
#define PROTOCOL_MAX_BATCH 4096
#define PROTOCOL_MAX_METRICS 4096
#define PROTOCOL_MAX_DEVICES 1024

json_t *case_to_json(const struct launch_case *work);
int case_from_json(struct launch_case **out, const json_t *json, struct error *err);

json_t *device_to_json(const struct device_info *device);
int device_from_json(struct device_info *out, const json_t *json, struct error *err);

json_t *facts_to_json(const struct launch_facts *facts);
int facts_from_json(struct launch_facts *out, const json_t *json, struct error *err);

/* The members of a `state` reply that are the state's own; decoding ignores the others. */
json_t *state_to_json(const struct device_state *state);
int state_from_json(struct device_state *out, const json_t *json, struct error *err);

json_t *samples_to_json(const double *time_ns, size_t count);
/* *time_ns is malloc'd; every sample is finite and not negative. */
int samples_from_json(double **time_ns, size_t *count, const json_t *json, struct error *err);

json_t *counters_to_json(const struct counter_list *counters);
/* *out begins empty. */
int counters_from_json(struct counter_list *out, const json_t *json, struct error *err);

/* `count` lines from `first` on. */
json_t *lines_to_json(const struct line_count_list *lines, size_t first, size_t count);
/* Adds to *out, which holds what earlier replies brought; their order goes on over all of them. */
int lines_from_json(struct line_count_list *out, const json_t *json, struct error *err);

json_t *settings_to_json(const struct measure_settings *settings);
int settings_from_json(struct measure_settings *out, const json_t *json, struct error *err);

/* The members of an `opened` reply. */
json_t *session_to_json(const struct session_info *info);
int session_from_json(struct session_info *out, const json_t *json, struct error *err);

json_t *check_to_json(const struct worker_check *check);
/* Strings are borrowed from the object. */
int check_from_json(struct worker_check *out, const json_t *json, struct error *err);
json_t *metric_to_json(const struct worker_metric *metric);
int metric_from_json(struct worker_metric *out, const json_t *json, struct error *err);

#endif
