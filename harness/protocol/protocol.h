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

#include <jansson.h>

#include "harness/protocol/messages.h"
#include "kernels/kernels.h"
#include "metrics/fields.h"
#include "metrics/meter.h"
#include "metrics/profile.h"
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
/* The most rows of a profile: a line with so many is shorter than 16 MiB. */
#define PROTOCOL_MAX_INSTRUCTIONS 32768
#define PROTOCOL_MAX_STALLS 262144
#define PROTOCOL_MAX_FUNCTIONS 4096
#define PROTOCOL_MAX_FUNCTION_NAME 65535 /* bytes: templates have long ones */
#define PROTOCOL_MAX_METRICS 4096
#define PROTOCOL_MAX_DEVICES 1024
#define PROTOCOL_MAX_RANGES 65536 /* per request */

/*
 * ---- members of JSON objects that are untrusted input: json_members.c ----
 *
 * Each reader checks that the member exists, has the right type and is within its limits. Otherwise
 * it returns PL_EPROTOCOL with the member's name in *err and leaves *out unchanged.
 */

/* Copies the string into out[size]. A string that is too long or has control characters is an
 * error. */
int member_string(char *out, size_t size, const json_t *object, const char *name,
		  struct error *err);
/* Returns a string that lives as long as the object. With `nullable`, a JSON null gives NULL. */
int member_borrow(const char **out, const json_t *object, const char *name, bool nullable,
		  struct error *err);
/* Reads a whole number in [low, high]. */
int member_int64(int64_t *out, const json_t *object, const char *name, int64_t low, int64_t high,
		 struct error *err);
/* Reads a finite number. */
int member_real(double *out, const json_t *object, const char *name, struct error *err);
/* Reads a finite number, or null as NAN. */
int member_real_or_null(double *out, const json_t *object, const char *name, struct error *err);
int member_bool(bool *out, const json_t *object, const char *name, struct error *err);
/* Return an array of at most `limit` elements, or an object with at most `limit` members, that
 * lives as long as `object`. */
int member_array(json_t **out, const json_t *object, const char *name, size_t limit,
		 struct error *err);
int member_object(json_t **out, const json_t *object, const char *name, size_t limit,
		  struct error *err);
/* Appends the strings of an array to *out. */
int member_strings(struct string_list *out, const json_t *object, const char *name, size_t limit,
		   struct error *err);

/* Convert C values to JSON. In text that is not UTF-8, '?' replaces each byte that is not ASCII.
 * NULL, and numbers that are not finite, become null. */
json_t *json_text(const char *text);
json_t *json_number_or_null(double value);
json_t *json_strings(const struct string_list *list);

/* ---- structs whose members are a list of fields ---- */

/* A value that is not known becomes null, and a text that is not known "". */
json_t *fields_encode(const struct field_list *list, const void *values);
int fields_decode(void *values, const struct field_list *list, const json_t *object,
		  struct error *err);

/* ---- messages ---- */

json_t *case_to_json(const struct launch_case *work);
int case_from_json(struct launch_case **out, const json_t *json, struct error *err);

/* An argument of a launch. An address must lie in its buffer or be its end. *out is zero before;
 * the caller releases it, also after an error. */
int arg_from_json(struct case_arg *out, const json_t *json, const struct case_buffer *buffers,
		  size_t buffer_count, struct error *err);

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

/* The profile of a case, without frames. `own`, of each function: it is in the image of the case.
 */
json_t *profile_to_json(const struct profile *profile, const bool *own);
/* The caller frees *out and *own, which has an element for each function. */
int profile_from_json(struct profile **out, bool **own, const json_t *json, struct error *err);

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
