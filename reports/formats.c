/* Writes a run in any format: calls the writer that the table of formats names, and gnuplot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "reports/page/page.h"
#include "reports/reports.h"
#include "reports/run_writers.h"
#include "reports/table/json.h"

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

/* ---- pictures ---- */

#define PICTURE_LIMIT ((size_t)64 << 20)

/* Pipes the script through gnuplot, which reads no settings file (-d) and no other input. */
static int write_picture(FILE *out, const struct run *run, enum report_format format,
			 const struct report_options *options, struct error *err)
{
	static char *const argv[] = {"gnuplot", "-d", NULL};
	struct text script = TEXT_INIT;
	char *picture = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&script.data, &script.length);
	int rc = stream ? report_run(stream, run, format, options, err)
			: error_set(err, PL_ENOMEM, "out of memory for the gnuplot script");

	if (stream && fclose(stream) && !rc)
		rc = error_set(err, PL_ENOMEM, "out of memory for the gnuplot script");
	if (!rc)
		rc = process_filter(&picture, &length, PICTURE_LIMIT, &script, argv, err);
	if (rc == PL_ENOENT && script.length)
		rc = error_set(err, PL_EUNSUPPORTED,
			       "%s needs gnuplot, which is not installed: install it (Debian, "
			       "Ubuntu: gnuplot-nox; Fedora: gnuplot-minimal; Arch: gnuplot), or "
			       "use --format html",
			       report_format_name(format));
	if (!rc && fwrite(picture, 1, length, out) != length)
		rc = error_set(err, PL_EIO, "cannot write the picture: %s", strerror(errno));
	free(picture);
	free(script.data);
	return rc;
}

int report_draw(FILE *out, const struct run *run, enum report_format format,
		const struct report_options *options, struct error *err)
{
	return report_format_has(format, BY_GNUPLOT) ? write_picture(out, run, format, options, err)
						     : report_run(out, run, format, options, err);
}
