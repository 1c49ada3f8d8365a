/*
 * JSON as this room writes it: two blanks of indentation, members in the order
 * set, 15 significant digits, every string valid UTF-8.
 */
#ifndef REPORTS_JSON_WRITE_H
#define REPORTS_JSON_WRITE_H

#include <jansson.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "reports/reports.h"

/* NULL gives null; bytes that are no UTF-8 become U+FFFD. */
json_t *report_json_text(const char *text);
/* Not finite gives null. */
json_t *report_json_number(double value);
/* Where a trial stands, what binds it, and the roofs: docs/verdicts.md. */
json_t *roofline_point_json(const struct roofline_point *point);
json_t *verdict_json(const struct verdict *verdict);
json_t *ceilings_json(const struct ceiling_list *ceilings);
/* Writes and frees `root`. PL_EIO when the stream does not take it. */
int report_json_write(FILE *out, json_t *root, struct error *err);

#endif
