/*
 * Fuzz target: any bytes as input of every parser, of the pattern matcher and of the search for
 * near names. The bytes before the first NUL are the pattern, those after it the name.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* Accepted input meets the contract of base.h; rejected input gives the reason in one line. */
static void fuzz_numbers(const char *text)
{
	struct error err = {0};
	int64_t number = 0;
	uint64_t natural = 0;
	double value = 0.5;
	int failures = 0;

	failures += parse_i64(&number, text, &err) != 0;
	failures += parse_u64(&natural, text, &err) != 0;
	failures += parse_double(&value, text, &err) != 0;
	if (value - value != 0)
		abort();
	number = 0;
	failures += parse_size(&number, text, &err) != 0;
	if (number < 0 || number > INT64_C(1) << 62)
		abort();
	failures += parse_duration_ns(&number, text, &err) != 0;
	if (number < 0)
		abort();
	value = 0.5;
	failures += parse_ratio(&value, text, &err) != 0;
	if (!(value > 0 && value < 1))
		abort();
	if ((failures > 0) != (err.code == PL_EUSAGE) || strchr(err.text, '\n') ||
	    strlen(err.text) >= sizeof(err.text))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const known[] = {"shuffle", "sweep", "sleep", "reduce/shuffle", ""};
	char *first = xstrndup((const char *)data, size);
	size_t used = strlen(first);
	char *second = used < size ? xstrndup((const char *)data + used + 1, size - used - 1)
				   : xstrdup("reduce/shuffle");
	const char *const given[] = {second, first};
	struct text out = TEXT_INIT;

	fuzz_numbers(first);
	pattern_matches(first, second);
	if (!strpbrk(first, "*?") && !pattern_matches(first, first))
		abort();
	nearest_names(&out, first, known, ARRAY_SIZE(known));
	nearest_names(&out, second, given, ARRAY_SIZE(given));
	text_release(&out);
	free(first);
	free(second);
	return 0;
}
