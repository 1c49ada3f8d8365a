/* Writes cases over their runs in the format asked for. */
#include "reports/history/history.h"

#include <errno.h>

#include "reports/table/stream.h"

static bool shows_all(const struct report_options *options)
{
	return options && options->selection && options->selection->all;
}

int report_history(FILE *out, const struct history *items, size_t count, enum report_format format,
		   size_t rows, const struct report_options *options, struct error *err)
{
	if (!report_format_applies(format, OF_HISTORY))
		return error_set(err, PL_EUSAGE, "a history cannot be written as %s",
				 report_format_name(format));
	if (format == REPORT_CSV)
		return histories_csv(out, items, count, rows, options, err);
	if (format == REPORT_JSON)
		return histories_json(out, items, count, rows, err);
	errno = 0;
	if (count > HISTORIES_IN_FULL && !shows_all(options)) {
		histories_summary(out, items, count, format, options);
		return stream_check(out, err);
	}
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			putc('\n', out);
		if (format == REPORT_TEXT)
			history_text(out, &items[i], rows, options);
		else
			history_markdown(out, &items[i], rows);
	}
	return stream_check(out, err);
}
