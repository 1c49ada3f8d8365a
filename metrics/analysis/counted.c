/* Counters of a trial as numbers. */
#include "metrics/analysis/counted.h"

#include <math.h>

double counted_value(const struct trial *trial, const char *metric)
{
	const struct counter_value *counter = counter_list_find(&trial->counters, metric);

	return counter && counter->has_value ? finite_or_nan(counter->value) : NAN;
}

double finite_or_nan(double value)
{
	return isfinite(value) ? value : NAN;
}

double finite_quotient(double numerator, double denominator)
{
	return denominator > 0 ? finite_or_nan(numerator / denominator) : NAN;
}
