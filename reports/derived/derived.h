/*
 * Values that several reports derive from a run: what may be shown, the best cases, numbers of a
 * trial, its place under the roofline, and the settings as JSON.
 */
#ifndef REPORTS_DERIVED_DERIVED_H
#define REPORTS_DERIVED_DERIVED_H

#include <jansson.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "metrics/metrics.h"

/* ---- a run ---- */

struct run_counts {
	size_t by_status[TRIAL_STATUS_COUNT];
	size_t failures;
};
void run_count(struct run_counts *counts, const struct run *run);

/* Appends which trials are slower or faster than before: "2 slower, most x1.30:
 * stream/copy/block=64; 1 faster". Nothing if none is. */
void run_changes_text(struct text *out, const struct run *run);

/* Whether reports of the run may show a value of this metric. An emulated run shows metrics of the
 * emulator only and any other run shows none of them, whatever the database holds. */
bool run_may_show(const struct run *run, const char *metric);

/*
 * The cases of a run by kernel; the kernels are in the order in which they appear. Borrows the run.
 * A walk over the cases of a kernel begins at its first trial and follows `next`, which is
 * run->trial_count behind the last one.
 */
struct run_kernels {
	const struct run *run;
	size_t *first; /* per kernel: its first trial */
	size_t *next;  /* per trial: the next one of its kernel */
	size_t count;
	struct name_index index; /* of the kernels */
};
void run_kernels_init(struct run_kernels *out, const struct run *run);
/* The first trial of a kernel; run->trial_count: the run does not have the kernel. */
size_t run_kernels_first(const struct run_kernels *kernels, const char *kernel);
void run_kernels_release(struct run_kernels *kernels);

/*
 * The problems of a run. Trials of one kernel and one `n` solve the same problem if their work
 * models count the same operations and bytes; then the faster one is better. If the work of a
 * variant depends on the block size, its block sizes still solve one problem. Without a work model,
 * every axis except the block size must be the same.
 */
struct problems {
	size_t *of; /* per trial: its problem */
	/* Per problem, to order them: its operations or its bytes, whichever are more; without a
	 * work model `n`. */
	double *size;
	size_t count;
};
void run_problems(struct problems *out, const struct run *run);
void problems_release(struct problems *problems);

/* Whether a trial has a time that may rank: not one above a measured roof. `ceilings` NULL: no roof
 * is known. */
bool trial_can_be_best(const struct run *run, const struct trial *trial,
		       const struct ceiling_list *ceilings);
/* Orders two trials of one run that can be the best: verified before unverified ones, then by time,
 * then by position. */
bool trial_is_faster(const struct trial *a, const struct trial *b);
/*
 * The order of the cases, and the best ones. Text, page, JSON and pictures take both from here.
 *
 * Within a kernel, the cases of the largest problem come first; between problems of one size, the
 * one with the fastest case. Within a problem, the cases that can be the best come first, the
 * faster before the slower. The best case of a group is the first in this order that can be the
 * best: so it is on the largest problem that has one, and verified if any case of its problem is.
 */
struct ranks {
	size_t *order;     /* the indices of all trials; only trials of one kernel compare */
	bool *can_be_best; /* per trial: see trial_can_be_best() */
	/* Per trial: whether it is the best of its problem, its variant, its kernel. */
	bool *of_problem, *of_variant, *of_kernel;
};
void run_ranks(struct ranks *out, const struct run *run, const struct ceiling_list *ceilings);
void ranks_release(struct ranks *ranks);

/* Appends the names of the axes that differ between cases of a kernel, and to `constant` (may be
 * NULL) the others with their value: "n=4096, steps=8". */
void kernel_axes(struct string_list *varying, struct text *constant,
		 const struct run_kernels *kernels, const char *kernel);
/* Appends these axes of a trial: "block=256,n=4096". */
void trial_axes_text(struct text *out, const struct trial *trial, const struct string_list *names);

/* Whether two failed trials have the same status and cause: equal reasons, or for a fault and a
 * mismatch of one variant reasons that differ only in numbers that are no lines. */
bool trial_failures_agree(const struct trial *a, const struct trial *b);

/* Appends the names of all axes of the run: "block" and "n" first, then in order of appearance. */
void run_axis_names(struct string_list *names, const struct run *run);
/* Appends the names of all counters that may be shown, in order of appearance, except theoretical
 * occupancy, which reports show as a fact of the launch. */
void run_counter_names(struct string_list *names, const struct run *run);

/* The start of a revision, with the suffix that marks changed files: "c51c0df1a2b3-dirty".
 * malloc'd. */
char *report_revision(const char *revision);

/*
 * The settings of a run as a JSON object. Settings that mean nothing to the backend of the run are
 * left out: those of timing for an emulated run. So are settings that are not known. If none is
 * known, gives the stored settings as text, or null.
 */
json_t *run_settings_json(const struct run *run);

/* A trial that was timed beside its base case. */
struct ranked_speedup {
	const struct trial *trial;
	const struct trial *base; /* the base case's own trial; NULL: the run does not have it */
	bool above_roof;          /* one of the two is above a measured roof */
};
/* The measured speed-ups: faster ones first, then same, inconclusive and slower ones. A pair with
 * an unverified trial ranks after all others, and one above a measured roof last. `whole` has the
 * base cases if the run is a selection of it; NULL: the run itself. Returns their number; *out is
 * malloc'd. */
size_t run_speedups(struct ranked_speedup **out, const struct run *run, const struct run *whole,
		    const struct ceiling_list *ceilings);
/* Adds what a reader must know beside the verdict: "unverified; on other buffers". */
void speedup_remarks(struct text *out, const struct ranked_speedup *item);

/* ---- a trial ---- */

/* Compulsory bytes or operations of the work model over the median time, in units of 1e9 per
 * second. NAN if there is no model, no such work or no time. */
double trial_model_gb_per_s(const struct trial *trial);
double trial_model_gflop_per_s(const struct trial *trial);
/* Half the interval of the session over the median, in percent; NAN: none. */
double trial_half_interval_pct(const struct trial *trial);
/* From the launch, or as stored with the counters; NAN: not known. */
#define THEORETICAL_OCCUPANCY "theoretical_occupancy_pct"
double trial_theoretical_occupancy_pct(const struct trial *trial);
/* The facts of the largest launch, with that occupancy. */
struct launch_facts trial_launch_facts(const struct trial *trial);
/* NULL: the trial has no such axis. */
const struct named_value *trial_axis(const struct trial *trial, const char *name);

/* ---- a trial under the roofline ---- */

/* The name of a memory level in the counts of an emulator: "ptx_compulsory". NULL: not counted. */
const char *emulated_level_name(enum memory_level level);

struct trial_roofline {
	struct roofline_point point;
	struct verdict verdict;
};
/* Ignores counters of the other kind of backend: an emulated run has none of a device. */
void trial_roofline_init(struct trial_roofline *out, const struct run *run,
			 const struct trial *trial, const struct ceiling_list *ceilings);
void trial_roofline_release(struct trial_roofline *roofline);
/* Whether a rate of the trial is above a measured roof. */
bool trial_is_above_roof(const struct run *run, const struct trial *trial,
			 const struct ceiling_list *ceilings);

#endif
