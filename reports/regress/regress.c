/* Writes a comparison of two runs in the format asked for. */
#include "reports/regress/regress.h"

#include <errno.h>

#include "reports/table/stream.h"

int report_regress(FILE *out, const struct regress_report *report, enum report_format format,
		   const struct report_options *options, struct error *err)
{
	errno = 0;
	switch (format) {
	case REPORT_TEXT:
		regress_text(out, report, options);
		break;
	case REPORT_JSON:
		return regress_json(out, report, err);
	case REPORT_MARKDOWN:
		regress_markdown(out, report);
		break;
	case REPORT_JUNIT:
		regress_junit(out, report);
		break;
	default:
		return error_set(err, PL_EUSAGE, "a comparison cannot be written as %s",
				 report_format_name(format));
	}
	return stream_check(out, err);
}
