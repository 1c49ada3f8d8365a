/* The roofline of a run as text, Markdown and JSON. */
#ifndef REPORTS_ROOFLINE_ROOFLINE_H
#define REPORTS_ROOFLINE_ROOFLINE_H

#include <jansson.h>

#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "reports/reports.h"

/* How much of the roofline a report shows. A line says what is missing in any case. */
enum roofline_extent {
	ROOFLINE_MISSING, /* text: nothing else. Markdown: as ROOFLINE_VERDICTS */
	/* the verdict on the best case of each kernel, on its largest problem */
	ROOFLINE_VERDICTS,
	/* the plot, that verdict, and one line for the best case of each other problem */
	ROOFLINE_PLOT,
	ROOFLINE_ALL, /* the plot, and the verdict on the best case of each problem */
};
/* Writes nothing if the run has no best case. */
void roofline_text(FILE *out, const struct run *run, enum roofline_extent extent,
		   const struct report_options *options);
void roofline_markdown(FILE *out, const struct run *run, enum roofline_extent extent,
		       const struct report_options *options);

/* A trial's place under the roofline, its verdict, and the roofs: docs/verdicts.md. */
json_t *roofline_point_json(const struct roofline_point *point, const struct trial *trial);
json_t *verdict_json(const struct verdict *verdict);
json_t *ceilings_json(const struct ceiling_list *ceilings);

#endif
