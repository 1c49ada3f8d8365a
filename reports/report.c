/* The door: formats by name, and a run in any of them. */
#include <errno.h>
#include <string.h>

#include "reports/page.h"
#include "reports/report_parts.h"

static const char *const format_names[] = {
#define X(symbol, name, meaning) [symbol] = name,
	REPORT_FORMAT_LIST(X)
#undef X
};

bool report_format_parse(enum report_format *out, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(format_names); i++) {
		if (strcmp(format_names[i], name) == 0) {
			*out = (enum report_format)i;
			return true;
		}
	}
	return false;
}

const char *report_format_name(enum report_format format)
{
	return format_names[format];
}

bool report_format_is_table(enum report_format format)
{
	return format <= REPORT_MARKDOWN;
}

const char *report_html_why_not(void)
{
	return *report_page_why_not ? report_page_why_not : NULL;
}

bool report_format_is_picture(enum report_format format)
{
	return format == REPORT_SVG || format == REPORT_PNG || format == REPORT_PDF;
}

int report_run(FILE *out, const struct run *run, enum report_format format,
	       const struct report_options *options, struct error *err)
{
	static const struct report_options plain = {0};

	if (!options)
		options = &plain;
	errno = 0;
	switch (format) {
	case REPORT_TEXT:
		report_text(out, run, options);
		break;
	case REPORT_CSV:
		report_csv(out, run, options);
		break;
	case REPORT_JSON:
		return report_json(out, run, options, err);
	case REPORT_MARKDOWN:
		report_markdown(out, run, options);
		break;
	case REPORT_HTML:
		return report_html(out, run, options, err);
	case REPORT_SVG:
	case REPORT_PNG:
	case REPORT_PDF:
		return roofline_gnuplot(out, run, format, options, err);
	}
	return stream_check(out, err);
}
