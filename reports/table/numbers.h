/* Numbers as a reader wants them. */
#ifndef REPORTS_TABLE_NUMBERS_H
#define REPORTS_TABLE_NUMBERS_H

#include "base/base.h"

/* Appends a number whose unit stands elsewhere: rates in units of 1e9 per second, percentages with
 * one decimal. */
void format_number(struct text *out, double value, const char *unit);
/* Appends a number with its unit: bytes in binary units, times in the largest unit that fits. */
void format_value(struct text *out, double value, const char *unit);

#endif
