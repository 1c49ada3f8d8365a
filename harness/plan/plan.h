/*
 * plan: from selectors and axes to the ordered cases of a sweep, each runnable
 * or skipped with a reason. Knows neither workers nor databases.
 */
#ifndef HARNESS_PLAN_PLAN_H
#define HARNESS_PLAN_PLAN_H

#include "kernels/kernels.h"
#include "metrics/metrics.h"

/* ---- axes ---- */

/*
 * Values of an axis. Grammar, comma-separated pieces:
 *   64          one value (sizes: 2^24, 16Mi)
 *   64..1024    doubles from 64 while <= 1024
 *   64..1024:+32  steps of 32        64..1024:*4  factors of 4
 * Ascending, no duplicates, every value >= 1, at most AXIS_MAX_VALUES of them.
 */
#define AXIS_MAX_VALUES 4096
struct axis_values {
	int64_t *items;
	size_t count;
};
int axis_parse(struct axis_values *out, const char *text, struct error *err);
void axis_values_release(struct axis_values *values);

/* ---- plan ---- */

/* The word in place of the values of the axis n that stands for each kernel's small_size. */
#define SIZE_SMALL "small"

struct axis_override {
	const char *name, *values; /* "block", "64..1024"; "n", SIZE_SMALL */
};

struct plan_request {
	/*
	 * "reduce", "reduce/shuffle", "reduce/shuffle/block=256,n=4096", with * and ?; none:
	 * everything. Kernels that run on request only (`fault`) are chosen by their name in
	 * full, never by a pattern in its place.
	 */
	const char *const *selectors;
	size_t selector_count;
	const struct axis_override *overrides;
	size_t override_count;
};

struct plan_case {
	const struct kernel *descriptor;
	const struct kernel_variant *descriptor_variant;
	char *kernel, *variant, *config; /* config: canonical axes text */
	struct axis_value axes[KERNEL_MAX_CASE_AXES];
	size_t axis_count;
	size_t position;            /* in the whole plan, also of a case of a shard */
	struct launch_case *launch; /* NULL: skipped */
	char *skip_reason;          /* NULL: runnable */
	/* A resumed run: what is stored already. All zero in a fresh plan. */
	int rounds_done;
	bool counted;
	bool finished; /* its status is final */
};

struct plan {
	struct plan_case *cases;
	size_t count;
	size_t runnable;
};

/*
 * Chooses the cases of a request; no device is needed. No case has a launch or
 * a skip reason until plan_resolve(). PL_EUSAGE for an unknown kernel, variant
 * or axis (with the nearest names), or bad values. An axis that only some
 * selected kernels have applies to those; an axis that none has is an error.
 */
int plan_choose(struct plan **out, const struct plan_request *request, struct error *err);
/* Evaluates every case for the least device and keeps nothing. PL_EUSAGE for values that no device
 * can have, such as an overflow: found before a device is opened. */
int plan_check(const struct plan *plan, struct error *err);
/* Gives every case its launch on a device, or its skip reason. May be repeated for another device.
 */
int plan_resolve(struct plan *plan, const struct device_limits *limits, struct error *err);
/* Both. */
int plan_build(struct plan **out, const struct plan_request *request,
	       const struct device_limits *limits, struct error *err);
void plan_free(struct plan *plan);
void plan_case_release(struct plan_case *planned); /* of a plan that keeps it no longer */
/* Keeps the cases of one shard, counted from 1, of `total`. Together all shards are the plan. A
 * plan may be cut before or after it is resolved. */
void plan_take_shard(struct plan *plan, size_t shard, size_t total);
/*
 * Of all that a case gives the device beside its machine code and the seed:
 * image, buffers and how they are filled, launches with their arguments. Hex,
 * the same on every machine; equal for equal launches of one perflab.
 */
void launch_hash(char out[24], const struct launch_case *work);
void device_limits_of(struct device_limits *out, const struct device_info *device);

#endif
