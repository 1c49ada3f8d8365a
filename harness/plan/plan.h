/*
 * plan: turns selectors and axis values into the ordered cases of a sweep.
 * Each case is runnable or skipped with a reason. This module knows neither
 * workers nor databases.
 */
#ifndef HARNESS_PLAN_PLAN_H
#define HARNESS_PLAN_PLAN_H

#include "kernels/kernels.h"
#include "metrics/metrics.h"

/* ---- axes ---- */

/*
 * The values of an axis. The grammar is a comma-separated list of
 *   64            one value (sizes: 2^24, 16Mi)
 *   64..1024      64, doubled while the value is <= 1024
 *   64..1024:+32  steps of 32
 *   64..1024:*4   factors of 4
 * with blanks around a value ignored. A range starts at 1 or above; a single
 * value may be 0. axis_parse() sorts the
 * values in ascending order, removes duplicates, and accepts at most
 * AXIS_MAX_VALUES values. It returns PL_EUSAGE for a malformed text and then
 * leaves *out unchanged. axis_values_release() frees the values.
 */
#define AXIS_MAX_VALUES 4096
struct axis_values {
	int64_t *items;
	size_t count;
};
int axis_parse(struct axis_values *out, const char *text, struct error *err);
void axis_values_release(struct axis_values *values);

/* ---- plan ---- */

/* As the values of axis n, this word selects the small_size of each kernel. */
#define SIZE_SMALL "small"

struct axis_override {
	const char *name, *values; /* "block", "64..1024"; "n", SIZE_SMALL */
};

struct plan_request {
	/*
	 * "reduce", "reduce/shuffle", "reduce/shuffle/block=256,n=4096"; names may contain *
	 * and ?. No selector selects everything. A kernel that runs only on request (`fault`)
	 * is selected by its full name, never by a pattern.
	 */
	const char *const *selectors;
	size_t selector_count;
	const struct axis_override *overrides;
	size_t override_count;
	/* The variant beside which the others are measured: "V" for every selected kernel that has
	 * it, or "KERNEL/V" for one. Its cases are added to those that the selectors select.
	 * "@MARK": each variant beside the one that variant_name_at() names. NULL: none. */
	const char *base_variant;
	/* Among which the selectors select. No items: the built-in kernels. */
	struct kernel_set kernels;
};

struct plan_case {
	const struct kernel *descriptor;
	const struct kernel_variant *descriptor_variant;
	char *kernel, *variant, *config; /* config: canonical axes text */
	struct axis_value axes[KERNEL_MAX_CASE_AXES];
	size_t axis_count;
	size_t position;            /* in the whole plan, even if the plan is one shard of it */
	struct launch_case *launch; /* NULL: skipped */
	char *skip_reason;          /* NULL: runnable */
	/* The launch hash of a case that is skipped because nothing of it has changed; else "". */
	char unchanged_launch[HASH_TEXT_BYTES];
	bool sentinel;   /* unchanged, and measured to show the state of the session */
	bool impossible; /* skipped, for a value that no device can launch */
	char *failure;   /* why the source of the user does not compile; NULL: it does */
	/* The variant of its base case, borrowed; NULL: it has none, for it is of that variant or
	 * the plan has no base variant. */
	const char *base_variant;
	size_t base; /* the base case, by its index; NO_BASE: that variant has no such case */
	/* What the database already has of the case in a resumed run. All zero in a new plan. */
	int rounds_done;
	bool counted;
	bool finished; /* its status is final */
	bool failed;   /* it is finished, and was not measured; in a preview: it would be so */
	bool alone;    /* it is not measured beside its base case, for a stored reason */
};

#define NO_BASE SIZE_MAX

/* Whether the base variants are those of an earlier revision: "@MARK". */
#define BASE_IS_REVISION(base_variant) ((base_variant) && *(base_variant) == '@')

struct plan {
	struct plan_case *cases;
	size_t count;
	size_t runnable;
	char *base_variant; /* for which plan_pair() found the base cases; NULL: none */
	/* Remarks about base cases that are one of several, for the user. */
	struct string_list pair_remarks;
};

/*
 * Chooses the cases of a request; no device is needed. No case has a launch or
 * a skip reason until plan_resolve(). PL_EUSAGE for an unknown kernel, variant
 * or axis (with the nearest names), an unknown base variant, or bad values. An axis that only some
 * selected kernels have applies to those; an axis that none has is an error.
 */
int plan_choose(struct plan **out, const struct plan_request *request, struct error *err);
/* Evaluates every case for device_limits_minimum and keeps nothing. PL_EUSAGE: values that no
 * device can run, such as an overflow. This finds them before a device is opened. */
int plan_check(const struct plan *plan, struct error *err);
/* Sets the launch or the skip reason of every case for a device. May be repeated for another
 * device. */
int plan_resolve(struct plan *plan, const struct device_limits *limits, struct error *err);
/* Forgets what plan_resolve() set. */
void plan_unresolve(struct plan *plan);
/* As plan_resolve(), for one case, which is not resolved yet. */
int plan_resolve_case(struct plan *plan, size_t index, const struct device_limits *limits,
		      struct error *err);
/* Skips a runnable case of a resolved plan for a reason that came up later; frees its launch. */
void plan_skip(struct plan *plan, size_t index, const char *reason);
/* Calls plan_choose() and plan_resolve(). */
int plan_build(struct plan **out, const struct plan_request *request,
	       const struct device_limits *limits, struct error *err);
void plan_free(struct plan *plan);
void plan_case_release(struct plan_case *planned); /* for a case that was taken out of its plan */
/*
 * Finds the base case of every case, for the base variant of a plan_request. It
 * is the case of the base variant with the same values of all axes that both
 * variants have. If the base variant has more axes, several cases match: the
 * first is taken, and plan->pair_remarks say so. PL_EUSAGE: the plan has no case
 * of that variant; with "@MARK" there may be none. NULL: there is nothing to find. plan_choose()
 * calls this.
 */
int plan_pair(struct plan *plan, const char *base_variant, struct error *err);
/* The base case of a case; NULL: it has none. */
const struct plan_case *plan_base(const struct plan *plan, const struct plan_case *planned);
/* The trial of a case; NULL: the run has none. `guess`: where it probably is, since both are in
 * canonical order. */
const struct trial *plan_case_trial(const struct plan_case *planned, const struct run *run,
				    size_t guess);
/* Whether both are of one variant of one kernel. */
bool plan_same_variant(const struct plan_case *a, const struct plan_case *b);
/* Whether `base_variant` means this variant of this kernel, or with "@MARK" one that has this mark.
 * NULL means none. */
bool is_base_variant(const char *base_variant, const char *kernel, const char *variant);
/* Keeps the cases of one of `total` shards, numbered from 1. All shards together are the plan.
 * Works before or after the plan is resolved. A case goes with its base case. */
void plan_take_shard(struct plan *plan, size_t shard, size_t total);
/*
 * Writes the launch hash of a case in hex. The hash covers
 * everything that the case passes to the device except the machine code and
 * the seed: the image name, the buffers with their fills, and the launches with
 * their arguments. It is the same on every machine. One version of perflab
 * computes equal hashes for equal launches. Nobody can make two launches of a
 * user's kernel with one hash; built-in kernels keep short hashes, which are in
 * older databases.
 */
void launch_hash(char out[HASH_TEXT_BYTES], const struct launch_case *work);
/* Copies the limits that planning needs from the description of a device. */
void device_limits_of(struct device_limits *out, const struct device_info *device);

#endif
