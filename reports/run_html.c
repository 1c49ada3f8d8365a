/*
 * A run as one self-contained page.
 */
#include "reports/report_parts.h"

int report_html(FILE *out, const struct run *run, const struct report_options *options,
		struct error *err)
{
	(void)out;
	(void)run;
	(void)options;
	return error_set(err, PL_EUNSUPPORTED, "this build writes no pages");
}
