/* The roofline of a run as text, Markdown and JSON. */
#ifndef REPORTS_ROOFLINE_ROOFLINE_H
#define REPORTS_ROOFLINE_ROOFLINE_H

#include <jansson.h>

#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "reports/reports.h"

/* Plot (text only), verdicts and a note about what is missing, for the best configuration of each
 * kernel. Writes nothing if the run has none. */
void roofline_text(FILE *out, const struct run *run, const struct report_options *options);
void roofline_markdown(FILE *out, const struct run *run, const struct report_options *options);

/* A trial's place under the roofline, its verdict, and the roofs: docs/verdicts.md. */
json_t *roofline_point_json(const struct roofline_point *point);
json_t *verdict_json(const struct verdict *verdict);
json_t *ceilings_json(const struct ceiling_list *ceilings);

#endif
