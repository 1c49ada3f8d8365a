/* Stores the values that a fill has computed. */
#include <float.h>
#include <math.h>

#include "kernels/fill.h"

float fill_float_within(double value)
{
	return (float)fmin(fmax(value, -FLT_MAX), FLT_MAX);
}

void fill_store(const struct filling *filling, int64_t first, const double *values, int64_t count)
{
	const enum element_type type = filling->buffer->type;

	if (count == FILL_TILE) {
		element_store_tile(type, filling->data, first, values);
		return;
	}
	for (int64_t i = 0; i < count; i++)
		element_store(type, filling->data, first + i, values[i]);
}

void fill_store_integers(const struct filling *filling, int64_t first, const uint64_t *values,
			 int64_t count)
{
	const enum element_type type = filling->buffer->type;

	if (count == FILL_TILE) {
		element_store_integer_tile(type, filling->data, first, values);
		return;
	}
	for (int64_t i = 0; i < count; i++)
		element_store_integer(type, filling->data, first + i, values[i]);
}
