/*
 * metrics/cupti: the only place that speaks CUPTI. Loads libcupti at run time
 * from where the toolkit put it; plans passes and evaluates counter data with
 * the Profiler Host API (no GPU needed), collects with the Range Profiler API
 * (user ranges, user replay: passes outside, cases inside).
 *
 * Nothing here is global but the loaded library, which is opened once and
 * stays. All functions return 0 or PL_E* with *err set.
 */
#ifndef METRICS_CUPTI_CUPTI_SESSION_H
#define METRICS_CUPTI_CUPTI_SESSION_H

#include "metrics/metrics.h"

/* Opens libcupti: $PERFLAB_CUPTI, the linker's path, $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*,
 * /opt/cuda*. PL_EUNSUPPORTED says where it looked. Safe to call again. `version` (may be NULL)
 * gets "13.0". */
int cupti_load(char version[16], struct error *err);

/* ---- without a GPU ---- */

int cupti_chips(struct string_list *chips, struct error *err);

/* A plan: which counters of one chip are collected, in how many passes. */
struct cupti_plan;
/*
 * Plans the collection of `wanted` (catalogue and CUPTI names) on `chip`.
 * Counters that the chip or this device lacks, or that cannot be scheduled,
 * do not fail the plan: they become missing values with their reason.
 * `availability` is the device's counter-availability image, NULL without one.
 * PL_EUSAGE for an unknown chip (with the nearest names).
 */
int cupti_plan_create(struct cupti_plan **out, const char *chip, const struct string_list *wanted,
		      const uint8_t *availability, struct error *err);
void cupti_plan_free(struct cupti_plan *plan);
size_t cupti_plan_pass_count(const struct cupti_plan *plan);
/* Number of counters that are actually collected. 0: nothing to do. */
size_t cupti_plan_counter_count(const struct cupti_plan *plan);
/* CUPTI names that could not be had, "NAME: reason" a line; empty if none. */
const struct string_list *cupti_plan_missing(const struct cupti_plan *plan);

/* Evaluates one range of a counter-data image into counters (derived ones included). */
int cupti_plan_evaluate(const struct cupti_plan *plan, const uint8_t *image, size_t image_bytes,
			size_t range, struct counter_list *out, struct error *err);
/*
 * The name of each range of an image. CUPTI itself trusts images: what is
 * empty, truncated or of another kind is PL_ECORRUPT here, but one damaged
 * further inside can crash the process. Images lie at a multiple of 8 bytes.
 */
int cupti_image_ranges(const struct cupti_plan *plan, const uint8_t *image, size_t image_bytes,
		       struct string_list *names, struct error *err);

/* One metric of a chip as CUPTI describes it. Strings live until the callback returns. */
struct cupti_metric_description {
	const char *name, *unit, *description;
	const char *kind; /* "counter", "ratio", "throughput" */
};
typedef int (*cupti_metric_visitor)(void *context, const struct cupti_metric_description *metric);
/* Every base metric of a chip whose name matches `pattern` (NULL: all). A visitor's non-zero return
 * stops. */
int cupti_metrics_visit(const char *chip, const char *pattern, cupti_metric_visitor visit,
			void *context, struct error *err);

/* ---- with a GPU ---- */

/*
 * Can counters be read here? With cause and remedy if not: PL_EUNSUPPORTED
 * (permission, another profiler in this process, virtual GPU …), PL_EBUSY
 * while another process holds them. `cuda_context` is a CUcontext. `chip` is
 * filled if CUPTI can tell, which it cannot under another profiler.
 * `availability`, if not NULL, gets the device's counter-availability image,
 * malloc'd: it takes CUPTI 70 ms to make one. CUPTI stays hooked into this
 * process's driver; event times are the same then (measured on an H200).
 */
int cupti_device_check(void *cuda_context, int cuda_device, char chip[16], uint8_t **availability,
		       struct error *err);

struct cupti_session;
/* Starts collecting for at most `max_ranges` ranges a pass. The plan must outlive the session. */
int cupti_session_open(struct cupti_session **out, const struct cupti_plan *plan,
		       void *cuda_context, size_t max_ranges, struct error *err);
/*
 *   while (cupti_session_pass_begin() gives more) {
 *       for each case { prepare; range_push(name); execute, synchronise; range_pop(); }
 *       cupti_session_pass_end();
 *   }
 * Every pass must push the same ranges in the same order.
 */
int cupti_session_pass_begin(struct cupti_session *session, bool *more, struct error *err);
int cupti_session_range_push(struct cupti_session *session, const char *name, struct error *err);
int cupti_session_range_pop(struct cupti_session *session, struct error *err);
int cupti_session_pass_end(struct cupti_session *session, struct error *err);
/* After the last pass: decodes; PL_EDEVICE if ranges were dropped. The image is the session's. */
int cupti_session_image(struct cupti_session *session, const uint8_t **image, size_t *image_bytes,
			struct error *err);
void cupti_session_close(struct cupti_session *session);
#endif
