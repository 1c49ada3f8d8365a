/*
 * metric_tables: the rows behind metric_all() and metric_all_emulated(), and what they are written
 * with. Internal to metrics/catalogue/.
 */
#ifndef METRICS_CATALOGUE_METRIC_TABLES_H
#define METRICS_CATALOGUE_METRIC_TABLES_H

#include "metrics/catalogue/catalogue.h"

extern const struct metric hardware_metrics[];
extern const size_t hardware_metric_count;

extern const struct metric emulated_metrics[];
extern const size_t emulated_metric_count;

/* clang-format off */
#define METRIC(name_of, unit_of, sets_of, meaning_of) \
	.name = name_of, .unit = unit_of, .sets = sets_of, .meaning = meaning_of
/* Members of derived metrics. The arguments are names of inputs, and why a ratio is undefined. */
#define SUM(a, b) \
	.formula = a " + " b, .inputs = {a, b}, .derive = FORMULA_SUM, \
	.undefined = "the sum is not finite"
#define RATIO(a, b, undefined_if) \
	.formula = a " / " b, .inputs = {a, b}, .derive = FORMULA_RATIO, .undefined = undefined_if
#define SECTORS(a, b, undefined_if) \
	.formula = a " / " b, .inputs = {a, b}, .derive = FORMULA_SECTORS, .undefined = undefined_if
#define RATE(a) \
	.formula = "1e9 * " a " / median_time_ns", .inputs = {a, "median_time_ns"}, \
	.derive = FORMULA_PER_SECOND, .undefined = "the median time is zero"
/* clang-format on */

#endif
