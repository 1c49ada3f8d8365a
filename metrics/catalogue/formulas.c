/* The functions of derived metrics. */
#include "metrics/catalogue/formulas.h"

#include <math.h>

#define LANES_PER_WARP 32
#define SECTOR_BYTES 32
#define WAVEFRONT_BYTES 128

static double quotient_or_nan(double numerator, double denominator)
{
	return denominator > 0 ? numerator / denominator : NAN;
}

double formula_ratio(const double *inputs)
{
	return quotient_or_nan(inputs[0], inputs[1]);
}

double formula_percent(const double *inputs)
{
	return 100 * quotient_or_nan(inputs[0], inputs[1]);
}

double formula_percent_remaining(const double *inputs)
{
	return 100 * quotient_or_nan(inputs[0] - inputs[1], inputs[0]);
}

double formula_percent_of_lanes(const double *inputs)
{
	return 100 * quotient_or_nan(inputs[0], LANES_PER_WARP * inputs[1]);
}

double formula_ratio_to_sum(const double *inputs)
{
	return quotient_or_nan(inputs[0], inputs[1] + inputs[2] + inputs[3]);
}

double formula_per_second(const double *inputs)
{
	return 1e9 * quotient_or_nan(inputs[0], inputs[1]);
}

double formula_sum(const double *inputs)
{
	return inputs[0] + inputs[1];
}

double formula_sum_of_five(const double *inputs)
{
	return inputs[0] + inputs[1] + inputs[2] + inputs[3] + inputs[4];
}

double formula_countable_flop(const double *inputs)
{
	const double sum = inputs[0] + inputs[1] + inputs[2] + inputs[3];

	return sum == 0 && inputs[4] > 0 ? NAN : sum;
}

double formula_difference(const double *inputs)
{
	return inputs[0] - inputs[1];
}

double formula_sector_bytes(const double *inputs)
{
	return SECTOR_BYTES * inputs[0];
}

double formula_wavefront_bytes(const double *inputs)
{
	return WAVEFRONT_BYTES * (inputs[0] + inputs[1]);
}

double formula_flop(const double *inputs)
{
	return inputs[0] + inputs[1] + 2 * inputs[2];
}
