/*
 * metric_tables: the rows behind metric_all() and metric_all_emulated().
 * Internal to metrics/catalogue/.
 */
#ifndef METRICS_CATALOGUE_METRIC_TABLES_H
#define METRICS_CATALOGUE_METRIC_TABLES_H

#include "metrics/catalogue/catalogue.h"

extern const struct metric hardware_metrics[];
extern const size_t hardware_metric_count;

extern const struct metric emulated_metrics[];
extern const size_t emulated_metric_count;

#endif
