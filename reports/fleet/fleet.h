/* The writers of a comparison of many GPUs, and the phrases that they share. */
#ifndef REPORTS_FLEET_FLEET_H
#define REPORTS_FLEET_FLEET_H

#include "metrics/analysis/fleet.h"
#include "reports/reports.h"

/* Text and Markdown. */
void fleet_readable(FILE *out, const struct fleet_report *report, enum report_format format,
		    const struct report_options *options);
int fleet_json(FILE *out, const struct fleet_report *report, struct error *err);
int fleet_csv(FILE *out, const struct fleet_report *report, const struct report_options *options,
	      struct error *err);

/* In what a GPU is an outlier: "slower, SM clock lower, dram_copy lower". Appends nothing if it is
 * none. */
void fleet_describe(struct text *out, const struct fleet_report *report, size_t gpu);
/* "power limit in W 500, most have 700": facts that most GPUs of the model have otherwise. */
void fleet_describe_facts(struct text *out, const struct fleet_report *report, size_t gpu);
/* The quantity that lies farthest from the peers; without one the case. NULL: the GPU is no
 * outlier.
 */
const struct fleet_level *fleet_worst(const struct fleet_report *report, size_t gpu);
/* "apart", "like its fleet" or "not compared". */
const char *fleet_word(const struct fleet_report *report, size_t gpu);

#endif
