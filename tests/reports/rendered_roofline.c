/* Renders and compares. See rendered_roofline.h. */
#include "tests/reports/rendered_roofline.h"

#include <stdlib.h>

const struct report_selection everything = {.all = true};

char *roofline_render(enum report_format format, struct report_options options, size_t *length)
{
	struct ceiling_list roofs;
	struct run run;
	char *bytes;

	constructed_roofs_init(&roofs);
	constructed_roofline_init(&run);
	options.ceilings = &roofs;
	options.selection = &everything;
	bytes = golden_render(&run, format, &options, length);
	ceiling_list_release(&roofs);
	run_release(&run);
	return bytes;
}

void expect_golden(const char *name, enum report_format format, struct report_options options)
{
	size_t length;
	char *bytes = roofline_render(format, options, &length);

	golden_compare(name, bytes, length);
	free(bytes);
}
