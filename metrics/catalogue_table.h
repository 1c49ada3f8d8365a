/* Private to metrics: the rows behind metric_all(). */
#ifndef METRICS_CATALOGUE_TABLE_H
#define METRICS_CATALOGUE_TABLE_H

#include "metrics/metrics.h"

extern const struct metric catalogue_table[];
extern const size_t catalogue_table_count;

#endif
