/*
 * cupti_session: hardware counters through CUPTI. Only metrics/cupti/ uses CUPTI.
 * It loads libcupti from the toolkit at run time. It plans passes and evaluates
 * counter data with the Profiler Host API, which needs no GPU, and collects with
 * the Range Profiler API in user ranges and user replay: each pass executes all
 * cases.
 *
 * The loaded library is the only global state; it is opened once and stays open.
 * Functions that return int return 0, or PL_E… with *err set.
 */
#ifndef METRICS_CUPTI_CUPTI_SESSION_H
#define METRICS_CUPTI_CUPTI_SESSION_H

#include "metrics/metrics.h"

/* Opens libcupti. Tries $PERFLAB_CUPTI, or else the linker's path, $CUDA_HOME, $CUDA_PATH,
 * /usr/local/cuda*, /opt/cuda*. Returns PL_EUNSUPPORTED with the places tried. May be called again.
 * `version` (may be NULL) gets "13.0". */
int cupti_load(char version[16], struct error *err);

/* ---- without a GPU ---- */

/* Adds the names of the chips that CUPTI supports. */
int cupti_chips(struct string_list *chips, struct error *err);

/* A plan: the counters to collect on one chip, and their passes. */
struct cupti_plan;
/*
 * Plans the collection of `wanted` (catalogue and CUPTI names) on `chip`. A counter
 * that the chip or the device lacks, or that cannot be scheduled, becomes a
 * missing value with its reason. `availability` is the counter-availability image
 * of the device; NULL: none. Returns PL_EUSAGE, with the nearest names, for an
 * unknown chip.
 */
int cupti_plan_create(struct cupti_plan **out, const char *chip, const struct string_list *wanted,
		      const uint8_t *availability, struct error *err);
void cupti_plan_free(struct cupti_plan *plan);
size_t cupti_plan_pass_count(const struct cupti_plan *plan);
/* Number of counters to collect. 0: there is nothing to do. */
size_t cupti_plan_counter_count(const struct cupti_plan *plan);
/*
 * The next step of a plan: counters that are needed only in some cases (struct
 * metric, only_if), as a plan of its own. NULL: this is the last step. The other
 * functions describe one step.
 */
const struct cupti_plan *cupti_plan_next(const struct cupti_plan *plan);
/* Whether a step has to be collected for a case, given the counters of the steps before. */
bool cupti_plan_applies(const struct cupti_plan *plan, const struct counter_list *counted);
/* Adds the counters of a step that does not apply to a case: each is 0. */
void cupti_plan_add_zeroes(const struct cupti_plan *plan, struct counter_list *out);
/* The counters that cannot be collected, in this step or a later one, each as "NAME: reason". Owned
 * by the plan. */
const struct string_list *cupti_plan_missing(const struct cupti_plan *plan);

/* Evaluates one range of a counter-data image and adds its counters, including derived metrics. */
int cupti_plan_evaluate(const struct cupti_plan *plan, const uint8_t *image, size_t image_bytes,
			size_t range, struct counter_list *out, struct error *err);
/*
 * Adds the name of each range of an image. Returns PL_ECORRUPT for an empty or
 * truncated image and for other data. CUPTI does not check images, so one that is
 * damaged further inside can crash the process. The address of an image must be a
 * multiple of 8.
 */
int cupti_image_ranges(const struct cupti_plan *plan, const uint8_t *image, size_t image_bytes,
		       struct string_list *names, struct error *err);

/* One metric of a chip, as CUPTI describes it. The strings are valid until the visitor returns. */
struct cupti_metric_description {
	const char *name, *unit, *description;
	const char *kind; /* "counter", "ratio", "throughput" */
};
typedef int (*cupti_metric_visitor)(void *context, const struct cupti_metric_description *metric);
/* Calls the visitor for each base metric of a chip that matches `pattern` (NULL: all). Stops if the
 * visitor returns a value other than 0. */
int cupti_metrics_visit(const char *chip, const char *pattern, cupti_metric_visitor visit,
			void *context, struct error *err);

/* ---- with a GPU ---- */

/* Hooks CUPTI into the driver of this process, which must be open, and loads all of CUPTI. That
 * takes 0.1 to 0.5 s and does not touch the device, so another thread may make a context meanwhile.
 * cupti_device_check() does it, too. */
int cupti_hook(struct error *err);
/*
 * Checks whether counters can be read. Returns PL_EUNSUPPORTED (permission, another
 * profiler in this process, virtual GPU …), or PL_EBUSY while another process
 * holds the counters; the error names cause and remedy. `cuda_context` is a
 * CUcontext. Sets `chip` if CUPTI knows it, which it does not under another
 * profiler. `availability`, if not NULL, gets the malloc'd counter-availability
 * image of the device; CUPTI takes 70 ms to make one. CUPTI stays hooked into the
 * driver of this process; that does not change event times (measured on an H200).
 */
int cupti_device_check(void *cuda_context, int cuda_device, char chip[16], uint8_t **availability,
		       struct error *err);

struct cupti_session;
/* Starts collecting, with at most `max_ranges` ranges per pass. The plan must outlive the session.
 */
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
/*
 * After the image was read: begins the passes of other ranges, with the same counters. The image
 * stays as it is until the next call, so another thread may evaluate it while these ranges are
 * counted. This is much cheaper than another session (docs/results/log.md).
 */
int cupti_session_begin_again(struct cupti_session *session, struct error *err);
/* Decodes the counter data after the last pass. Returns PL_EDEVICE if CUPTI dropped ranges. The
 * session owns the image. */
int cupti_session_image(struct cupti_session *session, const uint8_t **image, size_t *image_bytes,
			struct error *err);
void cupti_session_close(struct cupti_session *session);
#endif
