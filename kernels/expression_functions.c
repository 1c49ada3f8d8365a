/* Functions of integers. Each returns NULL, or the cause of its failure. */
#include <string.h>

#include "kernels/expression_functions.h"

static int64_t floor_log2(int64_t value)
{
	return 63 - __builtin_clzll((unsigned long long)value);
}

static int64_t floor_sqrt(int64_t value)
{
	uint64_t root = 0;

	/* Bit by bit, and exact. sqrt() is not: it rounds its argument to a double. */
	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= (uint64_t)value)
			root += bit;
	return (int64_t)root;
}

static const char *function_min(int64_t *out, const int64_t *a)
{
	*out = a[0] < a[1] ? a[0] : a[1];
	return NULL;
}

static const char *function_max(int64_t *out, const int64_t *a)
{
	*out = a[0] > a[1] ? a[0] : a[1];
	return NULL;
}

static const char *function_ceil_div(int64_t *out, const int64_t *a)
{
	if (a[0] < 0 || a[1] < 1)
		return "ceil_div needs a dividend of at least 0 and a divisor of at least 1";
	*out = a[0] / a[1] + (a[0] % a[1] != 0);
	return NULL;
}

static const char *function_is_pow2(int64_t *out, const int64_t *a)
{
	*out = a[0] > 0 && (a[0] & (a[0] - 1)) == 0;
	return NULL;
}

static const char *function_log2(int64_t *out, const int64_t *a)
{
	if (a[0] < 1)
		return "log2 needs at least 1";
	*out = floor_log2(a[0]);
	return NULL;
}

static const char *function_pow2(int64_t *out, const int64_t *a)
{
	if (a[0] < 0 || a[0] > 62)
		return "pow2 takes 0 to 62";
	*out = INT64_C(1) << a[0];
	return NULL;
}

static const char *function_isqrt(int64_t *out, const int64_t *a)
{
	if (a[0] < 0)
		return "isqrt needs at least 0";
	*out = floor_sqrt(a[0]);
	return NULL;
}

static const char *function_xor(int64_t *out, const int64_t *a)
{
	*out = a[0] ^ a[1];
	return NULL;
}

static const struct expression_function functions[] = {
	{"min", 2, function_min},           {"max", 2, function_max},
	{"ceil_div", 2, function_ceil_div}, {"is_pow2", 1, function_is_pow2},
	{"log2", 1, function_log2},         {"pow2", 1, function_pow2},
	{"isqrt", 1, function_isqrt},       {"xor", 2, function_xor},
};

const struct expression_function *expression_function_find(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (strlen(functions[i].name) == length && !memcmp(functions[i].name, name, length))
			return &functions[i];
	return NULL;
}
