/* derive: computes one derived metric. Internal to metrics/catalogue/. */
#ifndef METRICS_CATALOGUE_DERIVE_H
#define METRICS_CATALOGUE_DERIVE_H

#include "metrics/catalogue/catalogue.h"

/* Adds a derived metric to the list that holds its inputs, or the reason why it is missing. `note`
 * is appended to its source. */
void metric_derive_one(struct counter_list *counters, const struct metric *metric,
		       double median_time_ns, const char *note);

#endif
