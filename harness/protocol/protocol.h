/*
 * protocol: encodes the messages between perflab and a worker as JSON and
 * decodes them. docs/worker-protocol.md specifies the protocol, messages.h has
 * the structs, and channel.h sends the JSON.
 *
 * X_to_json() returns a new reference. X_from_json() is strict because the JSON
 * is untrusted input: every string fits its array, every index is valid, every
 * product of sizes fits int64_t, and every number that must be finite is finite.
 * Otherwise it returns PL_EPROTOCOL with the member's name in *err, or PL_ENOMEM
 * for a large array that does not fit in memory, and leaves *out unchanged.
 */
#ifndef HARNESS_PROTOCOL_PROTOCOL_H
#define HARNESS_PROTOCOL_PROTOCOL_H

#include "harness/protocol/json_members.h"
#include "harness/protocol/messages.h"
#include "kernels/kernels.h"
#include "metrics/meter.h"
#include "metrics/settings.h"

/* The largest number of elements that a decoder accepts. */
#define PROTOCOL_MAX_LAUNCHES 65536
#define PROTOCOL_MAX_ARGS 4096
#define PROTOCOL_MAX_SAMPLES 1000000
#define PROTOCOL_MAX_ROUNDS 1000000
#define PROTOCOL_MAX_PLACEMENTS 1000 /* of a round that are asked for */
#define PROTOCOL_MAX_COUNTERS 8192
#define PROTOCOL_MAX_LINES 262144 /* per case */
#define PROTOCOL_MAX_LINE_PIECE                                                                  \
	2048                        /* per reply, so that the longest names fit into one message \
				     */
#define PROTOCOL_MAX_FILE_NAME 4095 /* bytes */
#define PROTOCOL_MAX_BATCH 4096
#define PROTOCOL_MAX_METRICS 4096
#define PROTOCOL_MAX_DEVICES 1024
#define PROTOCOL_MAX_RANGES 65536 /* per request */

json_t *case_to_json(const struct launch_case *work);
int case_from_json(struct launch_case **out, const json_t *json, struct error *err);

json_t *device_to_json(const struct device_info *device);
int device_from_json(struct device_info *out, const json_t *json, struct error *err);

json_t *facts_to_json(const struct launch_facts *facts);
int facts_from_json(struct launch_facts *out, const json_t *json, struct error *err);

/* The members of a `state` reply that describe the state. The decoder ignores all others. */
json_t *state_to_json(const struct device_state *state);
int state_from_json(struct device_state *out, const json_t *json, struct error *err);

json_t *samples_to_json(const double *time_ns, size_t count);
/* The caller frees *time_ns. Every sample is finite and >= 0. */
int samples_from_json(double **time_ns, size_t *count, const json_t *json, struct error *err);

json_t *counters_to_json(const struct counter_list *counters);
/* *out is empty before the call. */
int counters_from_json(struct counter_list *out, const json_t *json, struct error *err);

/* Encodes `count` lines, from `first` on. */
json_t *lines_to_json(const struct line_count_list *lines, size_t first, size_t count);
/* Appends to *out, which has the lines of earlier replies. The lines of all replies together are in
 * ascending order. */
int lines_from_json(struct line_count_list *out, const json_t *json, struct error *err);

json_t *settings_to_json(const struct measure_settings *settings);
int settings_from_json(struct measure_settings *out, const json_t *json, struct error *err);

/* The members of an `opened` reply. */
json_t *environment_to_json(const struct key_value_list *environment);
/* Sets each key of the member `environment` in *out. */
int environment_from_json(struct key_value_list *out, const json_t *json, struct error *err);
json_t *session_to_json(const struct session_info *info);
int session_from_json(struct session_info *out, const json_t *json, struct error *err);

/* The parts that took time, by name, in nanoseconds. */
json_t *meter_to_json(const struct meter *meter);
/* Decodes the member `parts` of a reply into *out, whose other members are 0. */
int meter_from_json(struct meter *out, const json_t *message, struct error *err);

json_t *range_to_json(const struct data_range *range);
/* Decodes the member `data` of a request; none if it is absent. The caller frees *out. */
int ranges_from_json(struct data_range **out, size_t *count, const json_t *request,
		     struct error *err);

json_t *check_to_json(const struct worker_check *check);
/* The strings of *out live as long as the JSON object. */
int check_from_json(struct worker_check *out, const json_t *json, struct error *err);
json_t *metric_to_json(const struct worker_metric *metric);
/* The strings of *out live as long as the JSON object. */
int metric_from_json(struct worker_metric *out, const json_t *json, struct error *err);

#endif
