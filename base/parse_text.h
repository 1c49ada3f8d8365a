/* What the parsers of numbers share; private to base/. */
#ifndef BASE_PARSE_TEXT_H
#define BASE_PARSE_TEXT_H

#include "base/base.h"

struct parse_unit {
	const char *suffix;
	uint64_t factor;
};

/* Returns 0 if there is no such unit. */
uint64_t parse_unit_factor(const struct parse_unit *units, size_t count, const char *suffix);
bool parse_is_digit(char c);
const char *parse_skip_digits(const char *text);
/* Reads at least one decimal digit, and at most UINT64_MAX. Returns the end of the digits, or NULL.
 */
const char *parse_take_digits(uint64_t *out, const char *text);

#endif
