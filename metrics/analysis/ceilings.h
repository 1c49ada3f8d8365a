/*
 * ceilings: the measured maxima of a device, one for each memory level and
 * precision. The variants of the kernel `ceilings` measure them, and the database
 * stores them as trials of this kernel.
 */
#ifndef METRICS_ANALYSIS_CEILINGS_H
#define METRICS_ANALYSIS_CEILINGS_H

#include "base/base.h"

struct trial;
struct run;
struct device_info;

/* ---- memory levels and precisions ---- */

/* Symbol, name, metric that counts the bytes, meaning. */
#define MEMORY_LEVEL_LIST(X)                                                        \
	X(LEVEL_DRAM, "dram", "dram_bytes", "device memory")                        \
	X(LEVEL_L2, "l2", "l2_from_l1_bytes", "second-level cache, accessed by L1") \
	X(LEVEL_L1, "l1", "l1_bytes", "first-level cache, global and local memory") \
	X(LEVEL_SHARED, "shared", "shared_bytes", "shared memory: 128 bytes per wavefront")

enum memory_level {
#define X(symbol, name, metric, meaning) symbol,
	MEMORY_LEVEL_LIST(X)
#undef X
		MEMORY_LEVEL_COUNT
};

/* Symbol, name, metric that counts the operations (NULL: there is none), meaning. */
#define PRECISION_LIST(X)                                                                          \
	X(PRECISION_F64, "f64", "flop_f64", "double precision")                                    \
	X(PRECISION_F32, "f32", "flop_f32", "single precision")                                    \
	X(PRECISION_F16, "f16", NULL, "half precision, two per lane (HFMA2)")                      \
	X(PRECISION_BF16, "bf16", NULL, "bfloat16, two per lane")                                  \
	X(PRECISION_TENSOR_F64, "tensor_f64", "flop_tensor_f64", "tensor cores, double precision") \
	X(PRECISION_TENSOR_TF32, "tensor_tf32", "flop_tensor_tf32",                                \
	  "tensor cores, tf32, sums in f32, dense")                                                \
	X(PRECISION_TENSOR_F16, "tensor_f16", "flop_tensor_f16",                                   \
	  "tensor cores, half, sums in f32, dense")                                                \
	X(PRECISION_TENSOR_BF16, "tensor_bf16", "flop_tensor_bf16",                                \
	  "tensor cores, bfloat16, sums in f32, dense")                                            \
	X(PRECISION_TENSOR_F8, "tensor_f8", "flop_tensor_f8",                                      \
	  "tensor cores, 8-bit float, sums in f32, dense")

enum precision {
#define X(symbol, name, metric, meaning) symbol,
	PRECISION_LIST(X)
#undef X
		PRECISION_COUNT
};

/* The metric with the operations of the work model, if they are of this precision:
 * "model_flop_tensor_f16". */
#define MODEL_FLOP_PREFIX "model_flop_"

/* "dram", "tensor_f16". */
const char *memory_level_name(enum memory_level level);
const char *precision_name(enum precision precision);

/* ---- ceilings ---- */

enum ceiling_kind { CEILING_BANDWIDTH, CEILING_RATE };

/* One ceiling: the best configuration of one variant of the kernel `ceilings`. */
struct ceiling {
	char name[32];          /* the variant: "dram_copy" */
	enum ceiling_kind kind; /* byte/s or flop/s */
	union {
		enum memory_level level;  /* CEILING_BANDWIDTH */
		enum precision precision; /* CEILING_RATE */
	} of;
	double per_s;                     /* bytes or operations of the work model / median time */
	double low_per_s, high_per_s;     /* its 95 % interval; NAN: none */
	double read_bytes, written_bytes; /* of the work model; both 0: not known */
	double sm_clock_hz;               /* during the measurement; NAN: not measured */
	double peak_per_s; /* computed from the device's attributes; NAN: not known */
	char config[64];   /* "block=256,..." */
	int64_t run_id, trial_id, time_ns; /* where it is stored; wall time of the measurement */
};
struct ceiling_list {
	struct ceiling *items;
	size_t count, capacity;
};
/* The highest ceiling of a level or precision. NULL: none. `list` may be NULL. */
const struct ceiling *ceiling_of_level(const struct ceiling_list *list, enum memory_level level);
const struct ceiling *ceiling_of_precision(const struct ceiling_list *list,
					   enum precision precision);
/* The ceiling of a level with the nearest share of reads in its bytes, and the higher of two
 * equally near ones. NULL: no ceiling has a known share, or read_share is NAN. */
const struct ceiling *ceiling_of_mix(const struct ceiling_list *list, enum memory_level level,
				     double read_share);
/* Adds "4.28 TB/s" or "58.1 TFLOP/s". per_s must be finite. */
void rate_text(struct text *out, double per_s, enum ceiling_kind kind);
void ceiling_list_release(struct ceiling_list *list);
/* The kernel that measures ceilings, and the label of the runs of `perflab ceilings`. A trial of
 * the kernel in a run with another label is not a ceiling for other runs. */
#define CEILINGS_KERNEL "ceilings"
#define CEILINGS_LABEL "ceilings"
/* "dram", "tensor_f16"; "byte/s", "flop/s". */
const char *ceiling_of_name(const struct ceiling *ceiling);
const char *ceiling_unit(const struct ceiling *ceiling);
/* Computes the ceiling that one trial measured. The caller sets run_id, time_ns and sm_clock_hz.
 * Returns false if the trial is of another kernel, not ok, or not timed. */
bool ceiling_of_trial(struct ceiling *out, const struct trial *trial,
		      const struct device_info *device);
/* Adds a ceiling if the list has none of its name. Replaces one of the same name and run if the
 * offered one is higher. */
void ceiling_list_offer(struct ceiling_list *list, const struct ceiling *offered);
/* Theoretical peaks from the device's attributes, in byte/s and flop/s. NAN: not known. */
double device_peak_bandwidth(const struct device_info *device, enum memory_level level);
double device_peak_rate(const struct device_info *device, enum precision precision);

#endif
