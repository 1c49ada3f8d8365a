/*
 * roofline: the point of a trial in a roofline plot, and its share of the
 * measured roofs (metrics/analysis/ceilings.h). Pure arithmetic over stored
 * counters, samples and ceilings; nothing here measures.
 *
 * Sources: Williams, Waterman, Patterson, "Roofline: an insightful visual
 * performance model", CACM 52(4), 2009; for one intensity per memory level:
 * Yang, Kurth, Williams, "Hierarchical Roofline analysis for GPUs",
 * Concurrency and Computation 32(20), 2020.
 */
#ifndef METRICS_ANALYSIS_ROOFLINE_H
#define METRICS_ANALYSIS_ROOFLINE_H

#include "base/base.h"
#include "metrics/analysis/ceilings.h"

struct trial;
struct device_info;

/*
 * The place of a trial by its work model. It stands in where the counters do not
 * count the operations: half precision outside tensor cores, chips without
 * counters of tensor cores, and runs without counters. Output must never present
 * it as measured. NAN means: not known.
 */
struct roofline_model {
	bool used;          /* false: the operations were counted; nothing below means anything */
	bool has_precision; /* the work model names the precision of its operations */
	enum precision precision;
	double flop;       /* operations of the work model */
	double flop_per_s; /* flop / median time */
	/* flop / counted bytes. For DRAM without counted bytes: flop / needed bytes. */
	double intensity[MEMORY_LEVEL_COUNT];
	bool needed_bytes_used;       /* for the intensity of DRAM */
	double compute_roof_pct;      /* flop_per_s in percent of the ceiling of `precision` */
	double attainable_flop_per_s; /* the lowest known roof at these intensities */
};

/*
 * In all fields NAN means: not measured. A copy has a flop count, rate and
 * intensities of 0: its bandwidth has a share of a roof, but it is not a point in a
 * plot with logarithmic axes. All fields of a trial without counters
 * (trial_status_counted()) are NAN.
 */
struct roofline_point {
	/* Bytes and operations are the emulator's counts of PTX, so output must never present them
	 * as measured. LEVEL_DRAM has the compulsory bytes, LEVEL_L1 the sectors of global memory,
	 * LEVEL_SHARED the wavefronts. L2, all rates and all shares of roofs are NAN. */
	bool emulated;
	double flop;              /* counted, of `precision` */
	double flop_per_s;        /* flop / median time */
	enum precision precision; /* with the most counted operations; f32 if there are none */
	struct roofline_level {
		double bytes;       /* counted */
		double bytes_per_s; /* bytes / median time */
		double intensity;   /* flop / bytes */
		double roof_pct;    /* bytes_per_s in percent of the level's ceiling */
	} level[MEMORY_LEVEL_COUNT];
	double needed_bytes;          /* of the work model */
	double needed_flop;           /* of the work model */
	double needed_intensity;      /* needed_flop / needed_bytes */
	double waste;                 /* counted DRAM bytes / needed_bytes */
	double compute_roof_pct;      /* flop_per_s in percent of the ceiling of `precision` */
	double attainable_flop_per_s; /* the lowest known roof at the point's intensities */
	struct roofline_model model;
};
/* `emulated`: the trait of the backend that made the trial. `ceilings` may be NULL: none known. */
void roofline_point_of(struct roofline_point *out, const struct trial *trial, bool emulated,
		       const struct ceiling_list *ceilings);

/* The place of a point in a plot: what was counted, else what the work model says. */
struct roofline_place {
	bool modelled;
	bool has_precision;
	enum precision precision;
	double flop, flop_per_s;
	double intensity[MEMORY_LEVEL_COUNT];
};
struct roofline_place roofline_place_of(const struct roofline_point *point);
/* Why a plot with logarithmic axes of DRAM intensity and rate has no place for the point: a phrase.
 * NULL: it has one. */
const char *roofline_no_place(const struct roofline_point *point, const struct trial *trial);

#endif
