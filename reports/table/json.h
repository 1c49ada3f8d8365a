/*
 * JSON for every report: indented by two blanks, members in the order set, 15 significant digits,
 * every string valid UTF-8.
 */
#ifndef REPORTS_TABLE_JSON_H
#define REPORTS_TABLE_JSON_H

#include <jansson.h>

#include "base/base.h"

/* NULL gives null. Bytes that are not UTF-8 become U+FFFD. */
json_t *report_json_text(const char *text);
/* As report_json_text(); "" gives null too. */
json_t *report_json_known_text(const char *text);
/* A number that is not finite gives null. */
json_t *report_json_number(double value);
/* Writes a value; hidden characters become \uNNNN. Returns 0, or -1 if the stream fails. */
int report_json_dump(FILE *out, json_t *value, size_t flags);
/* Writes `root` and releases it. PL_EIO when the stream fails. */
int report_json_write(FILE *out, json_t *root, struct error *err);

#endif
