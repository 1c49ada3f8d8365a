/*
 * gpus: what a report of a sweep on several GPUs shows beside its cases: the GPUs, how much they
 * disturbed each other, and how they differ.
 */
#ifndef REPORTS_GPUS_GPUS_H
#define REPORTS_GPUS_GPUS_H

#include <jansson.h>

#include "metrics/analysis/gpu_group.h"
#include "reports/reports.h"

/* Each run of the sweep with its GPU, and each GPU that has none. */
struct table *gpus_table(const struct gpu_group *group);
/* What the sentinel cases of a split showed. NULL: it is a spread. */
struct table *gpus_interference_table(const struct gpu_group *group);
/* Each GPU of a spread against the base. NULL: there is nothing to compare. */
struct table *gpus_differences_table(const struct gpu_group *group);
/* The cases of `shown` that regress calls different on a GPU, the largest change first. NULL: there
 * is none. */
struct table *gpus_changes_table(const struct gpu_group *group, const struct run *shown);
json_t *gpus_json(const struct gpu_group *group);

#endif
