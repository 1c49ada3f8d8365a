/* Private to metrics: the rows behind metric_all() and metric_all_emulated(), and deriving one. */
#ifndef METRICS_CATALOGUE_CATALOGUE_TABLE_H
#define METRICS_CATALOGUE_CATALOGUE_TABLE_H

#include "metrics/catalogue/catalogue.h"
#include "metrics/metrics.h"

extern const struct metric catalogue_table[];
extern const size_t catalogue_table_count;

extern const struct metric catalogue_ptx[];
extern const size_t catalogue_ptx_count;

/* request.c: adds a derived metric to the list that holds its inputs, or why there is none; `note`
 * ends its source. */
void metric_derive_one(struct counter_list *counters, const struct metric *metric,
		       double median_time_ns, const char *note);

#endif
