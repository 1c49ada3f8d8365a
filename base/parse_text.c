/* What the parsers of numbers share. */
#include "base/parse_text.h"

#include <string.h>

uint64_t parse_unit_factor(const struct parse_unit *units, size_t count, const char *suffix)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(units[i].suffix, suffix) == 0)
			return units[i].factor;
	}
	return 0;
}

bool parse_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

const char *parse_skip_digits(const char *text)
{
	while (parse_is_digit(*text))
		text++;
	return text;
}

const char *parse_take_digits(uint64_t *out, const char *text)
{
	uint64_t value = 0;

	if (!parse_is_digit(*text))
		return NULL;
	for (; parse_is_digit(*text); text++) {
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return NULL;
	}
	*out = value;
	return text;
}
