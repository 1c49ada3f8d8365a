/*
 * Parses any text as axis values and as a selector. The values must be
 * ascending, not negative and within the limit, or the parser must return
 * PL_EUSAGE with a message.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/plan/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_values(const struct axis_values *values)
{
	if (!values->count || values->count > AXIS_MAX_VALUES || values->items[0] < 0)
		abort();
	for (size_t i = 1; i < values->count; i++)
		if (values->items[i - 1] >= values->items[i])
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct axis_values values = {0};
	struct selector selector = {0};
	struct error err = {0};
	char *text = malloc(size + 1);
	const struct kernel_set set = kernel_set_built_in();
	int rc;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	rc = axis_parse(&values, text, &err);
	if (!rc)
		check_values(&values);
	else if (rc != PL_EUSAGE || err.code != rc || !err.text[0] || values.items)
		abort();
	axis_values_release(&values);
	rc = selector_parse(&selector, text, &set, &err);
	if (!rc)
		for (size_t i = 0; i < selector.axis_count; i++)
			if (selector.axes[i].values.count)
				check_values(&selector.axes[i].values);
	if (rc && (rc != PL_EUSAGE || selector.kernel))
		abort();
	selector_release(&selector);
	free(text);
	return 0;
}
