/* Writes a run in any format: calls the writer that the table of formats names. */
#include <errno.h>

#include "reports/page/page.h"
#include "reports/run_writers.h"
#include "reports/table/stream.h"

static report_run_writer *const writers[REPORT_FORMAT_COUNT] = {
#define X(symbol, name, subjects, traits, writer, meaning) run_write_##writer,
	REPORT_FORMAT_LIST(X)
#undef X
};

/* The writer of formats that no run is written in. */
int run_write_none(FILE *out, const struct run *run, const struct report_options *options,
		   struct error *err)
{
	(void)out;
	(void)run;
	(void)options;
	return error_set(err, PL_EUSAGE, "this format is not for a run");
}

const char *report_format_why_not(enum report_format format)
{
	return report_format_has(format, AS_PAGE) && *report_page_why_not ? report_page_why_not
									  : NULL;
}

int report_run(FILE *out, const struct run *run, enum report_format format,
	       const struct report_options *options, struct error *err)
{
	static const struct report_options plain = {0};
	int rc;

	errno = 0;
	rc = writers[format](out, run, options ? options : &plain, err);
	return rc ? rc : stream_check(out, err);
}
