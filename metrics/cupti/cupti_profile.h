/*
 * cupti_profile: what CUPTI shows of single instructions. A sampler notes where warps are and why
 * they wait; a counter counts what instructions do, with code that CUPTI adds to the kernels. Both
 * need a GPU and a process that can read counters (cupti_device_check()), and neither works while a
 * cupti_session is open.
 *
 * Functions that return int return 0, or PL_E… with *err set: PL_EUNSUPPORTED if CUPTI or the
 * device cannot do it, PL_EBUSY while another process holds the hardware, PL_EDEVICE.
 */
#ifndef METRICS_CUPTI_CUPTI_PROFILE_H
#define METRICS_CUPTI_CUPTI_PROFILE_H

#include "metrics/profile.h"

/* An instruction, as CUPTI names it; valid until the visitor returns. */
struct cupti_instruction {
	const char *function;
	uint64_t cubin; /* cupti_cubin_id() of the machine code that it is in */
	uint64_t pc;
};

/* The number by which CUPTI names a cubin. */
int cupti_cubin_id(uint64_t *out, const void *bytes, size_t length, struct error *err);

/* ---- samples ---- */

struct cupti_sampler;

/* The least and the most period. On an H200 a shorter one loses samples. */
#define CUPTI_PERIOD_LEAST_LOG2 8
#define CUPTI_PERIOD_MOST_LOG2 24

/*
 * CUPTI tells the instructions of modules that are loaded while a sampler is open. It knows earlier
 * ones only if the process has used CUPTI for nothing else before (measured with CUDA 13.0).
 *
 * Begins to sample every kernel of the context, with 2^period_log2 cycles between two samples of an
 * SM. While a sampler is open, kernels run one after the other, and a launch takes milliseconds.
 * `cuda_context` is a CUcontext. The first kernel takes some 60 ms, and has more samples than it
 * should: launch one that does not matter.
 */
int cupti_sampler_open(struct cupti_sampler **out, void *cuda_context, int period_log2,
		       struct error *err);
/* Some 60 ms with the next launch, again. */
int cupti_sampler_set_period(struct cupti_sampler *sampler, int period_log2, struct error *err);

struct cupti_samples {
	int64_t samples; /* of all kernels since the last read */
	int64_t dropped; /* lost by the hardware */
	int64_t unseen;  /* of kernels whose code CUPTI did not see being loaded */
	/* The buffer of the hardware was full. The numbers are 0, and what was visited is a part.
	 */
	bool full;
};
/* `reason` without prefix: "long_scoreboard". not_issued: these samples are among those that come
 * for the same reason with false. */
typedef void (*cupti_sample_visitor)(void *context, const struct cupti_instruction *at,
				     const char *reason, bool not_issued, int64_t samples);
/* Takes the samples of the kernels since the last read. The device must be idle. `visit` NULL: they
 * are dropped. */
int cupti_sampler_read(struct cupti_sampler *sampler, cupti_sample_visitor visit, void *context,
		       struct cupti_samples *out, struct error *err);
void cupti_sampler_close(struct cupti_sampler *sampler);

/* ---- counts ---- */

struct cupti_instruction_counts;

/*
 * Prepares counting. A process can do that once: CUPTI refuses another set of metrics. CUPTI counts
 * only in modules that it has seen while a sampler was open (measured with CUDA 13.0), so a sampler
 * must have sampled each kernel before.
 */
int cupti_counts_open(struct cupti_instruction_counts **out, void *cuda_context, int cuda_device,
		      const char *chip, struct error *err);
/* From here to cupti_counts_end(), kernels are counted. */
int cupti_counts_begin(struct cupti_instruction_counts *counts, struct error *err);
/* `member`: offset of the count in struct profile_instruction. One instruction may come several
 * times for one count: the values are to be added. */
typedef void (*cupti_count_visitor)(void *context, const struct cupti_instruction *at,
				    size_t member, int64_t value);
/* Reports the counts of all kernels since cupti_counts_begin(). The device must be idle. */
int cupti_counts_end(struct cupti_instruction_counts *counts, cupti_count_visitor visit,
		     void *context, struct error *err);
void cupti_counts_close(struct cupti_instruction_counts *counts);
#endif
