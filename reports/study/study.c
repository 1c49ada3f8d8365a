/* Answers to studies: chooses the format. */
#include "reports/study/study.h"
#include "reports/table/stream.h"

int report_studies(FILE *out, const struct study_report *reports, size_t count,
		   enum report_format format, const struct report_options *options,
		   struct error *err)
{
	switch (format) {
	case REPORT_TEXT:
		study_text(out, reports, count, options);
		break;
	case REPORT_MARKDOWN:
		study_markdown(out, reports, count);
		break;
	case REPORT_JSON:
		return study_json(out, reports, count, err);
	default:
		return error_set(err, PL_EUSAGE, "an answer to a study cannot be written as %s",
				 report_format_name(format));
	}
	return stream_check(out, err);
}
