/*
 * Ceilings: what a device showed that it can do at most, of each memory level
 * and precision. They are measured by the kernel family of that name, and
 * stored as trials of it.
 */
#ifndef METRICS_ANALYSIS_CEILINGS_H
#define METRICS_ANALYSIS_CEILINGS_H

#include "base/base.h"

struct trial;
struct run;
struct device_info;

/* ---- what a roof is of ---- */

/* Symbol, name, metric that counts its bytes, meaning. */
#define MEMORY_LEVEL_LIST(X)                                                        \
	X(LEVEL_DRAM, "dram", "dram_bytes", "device memory")                        \
	X(LEVEL_L2, "l2", "l2_from_l1_bytes", "second-level cache, asked by L1")    \
	X(LEVEL_L1, "l1", "l1_bytes", "first-level cache, global and local memory") \
	X(LEVEL_SHARED, "shared", "shared_bytes", "shared memory: 128 bytes a wavefront")

enum memory_level {
#define X(symbol, name, metric, meaning) symbol,
	MEMORY_LEVEL_LIST(X)
#undef X
		MEMORY_LEVEL_COUNT
};

/* Symbol, name, metric that counts its operations (NULL: none does so yet), meaning. */
#define PRECISION_LIST(X)                                                                       \
	X(PRECISION_F64, "f64", "flop_f64", "double precision")                                 \
	X(PRECISION_F32, "f32", "flop_f32", "single precision")                                 \
	X(PRECISION_F16, "f16", NULL, "half precision, two a lane (HFMA2)")                     \
	X(PRECISION_BF16, "bf16", NULL, "bfloat16, two a lane")                                 \
	X(PRECISION_TENSOR_F64, "tensor_f64", NULL, "tensor cores, double precision")           \
	X(PRECISION_TENSOR_TF32, "tensor_tf32", NULL, "tensor cores, tf32, sums in f32, dense") \
	X(PRECISION_TENSOR_F16, "tensor_f16", NULL, "tensor cores, half, sums in f32, dense")   \
	X(PRECISION_TENSOR_BF16, "tensor_bf16", NULL,                                           \
	  "tensor cores, bfloat16, sums in f32, dense")                                         \
	X(PRECISION_TENSOR_F8, "tensor_f8", NULL, "tensor cores, 8-bit float, sums in f32, dense")

enum precision {
#define X(symbol, name, metric, meaning) symbol,
	PRECISION_LIST(X)
#undef X
		PRECISION_COUNT
};

/* "dram", "tensor_f16". */
const char *memory_level_name(enum memory_level level);
const char *precision_name(enum precision precision);

/* ---- ceilings ---- */

enum ceiling_kind { CEILING_BANDWIDTH, CEILING_RATE };

/* One measured roof: the best configuration of one variant of the family `ceilings`. */
struct ceiling {
	char name[32];          /* the variant: "dram_copy" */
	enum ceiling_kind kind; /* byte/s or flop/s */
	union {
		enum memory_level level;  /* CEILING_BANDWIDTH */
		enum precision precision; /* CEILING_RATE */
	} of;
	double per_s;                     /* the work of the model over the median time */
	double low_per_s, high_per_s;     /* its 95 % interval; NAN: none */
	double read_bytes, written_bytes; /* by the work model; both 0: not known */
	double sm_clock_hz;               /* while it was measured; NAN: not measured */
	double peak_per_s; /* by the device's attributes, as datasheets do; NAN: not known */
	char config[64];   /* "block=256,..." */
	int64_t run_id, trial_id, time_ns; /* where it is stored, when it was measured (wall) */
};
struct ceiling_list {
	struct ceiling *items;
	size_t count, capacity;
};
/* The highest measured roof of a level or precision; NULL: none was measured. */
const struct ceiling *ceiling_of_level(const struct ceiling_list *list, enum memory_level level);
const struct ceiling *ceiling_of_precision(const struct ceiling_list *list,
					   enum precision precision);
/* The measured roof of a level whose share of reads in its bytes is nearest, the higher of two as
 * near; NULL: of none is that share known, or read_share is NAN. */
const struct ceiling *ceiling_of_mix(const struct ceiling_list *list, enum memory_level level,
				     double read_share);
/* "4.28 TB/s", "58.1 TFLOP/s"; per_s is finite. */
void rate_text(struct text *out, double per_s, enum ceiling_kind kind);
void ceiling_list_release(struct ceiling_list *list);
/* The kernel family whose trials are ceilings, and the label of the runs that were made for them:
 * what else a run of that family shows is a trial of it as of any other. */
#define CEILINGS_KERNEL "ceilings"
#define CEILINGS_LABEL "ceilings"
/* "dram", "tensor_f16"; "byte/s", "flop/s". */
const char *ceiling_of_name(const struct ceiling *ceiling);
const char *ceiling_unit(const struct ceiling *ceiling);
/* What one trial shows; run_id, time_ns and the clock are the caller's to fill. False: it is no
 * ceiling, not ok, or not timed. */
bool ceiling_of_trial(struct ceiling *out, const struct trial *trial,
		      const struct device_info *device);
/* Adds one, unless one of its name is there: that stays, but for a higher one of the same run. */
void ceiling_list_offer(struct ceiling_list *list, const struct ceiling *offered);
/* What the trials of a run show: the best configuration of each variant. Clocks are not known:
 * db_ceilings_load() knows them. */
void ceilings_of_run(struct ceiling_list *out, const struct run *run);
/* byte/s or flop/s that a device's attributes allow; NAN where they do not say. */
double device_peak_bandwidth(const struct device_info *device, enum memory_level level);
double device_peak_rate(const struct device_info *device, enum precision precision);

#endif
