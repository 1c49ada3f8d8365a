/* The writers of a comparison of many GPUs, and the phrases that they share. */
#ifndef REPORTS_FLEET_FLEET_H
#define REPORTS_FLEET_FLEET_H

#include "metrics/analysis/fleet.h"
#include "reports/reports.h"

/* Text and Markdown. */
void fleet_readable(FILE *out, const struct fleet_report *report, enum report_format format,
		    const struct report_options *options);

/* "power limit in W 500, most have 700": facts that most GPUs of the model have otherwise. */
void fleet_describe_facts(struct text *out, const struct fleet_report *report, size_t gpu);
/* "apart", "like its fleet" or "not compared". */
const char *fleet_word(const struct fleet_report *report, size_t gpu);

#endif
