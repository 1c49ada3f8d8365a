/* A run as one self-contained page: the embedded page with the run as JSON in it. */
#include <stdlib.h>
#include <string.h>

#include "reports/page/page.h"
#include "reports/run_writers.h"
#include "reports/table/escape.h"

#define TITLE_MARK "<!--perflab:title-->"
#define RUN_MARK "<!--perflab:run-->"

static char *page_title(const struct run *run)
{
	char *whose = run->gpus ? xasprintf("sweep on several GPUs")
				: xasprintf("run %lld", (long long)run->id);
	char *title = run->label ? xasprintf("%s, %s", run->label, whose) : xstrdup(whose);

	if (!run->label)
		title[0] = (char)(title[0] - 'a' + 'A');
	free(whose);
	return title;
}

static void write_page_title(FILE *out, const struct run *run)
{
	char *title = page_title(run);
	struct text clean = TEXT_INIT;

	escape_utf8_shown(&clean, title);
	for (const char *c = clean.data; *c; c++) {
		if (strchr("<>&", *c) || (unsigned char)*c < 0x20)
			fprintf(out, "&#%d;", (unsigned char)*c < 0x20 ? ' ' : *c);
		else
			putc(*c, out);
	}
	text_release(&clean);
	free(title);
}

/* Writes the page up to `mark` and moves *page behind the mark. */
static void write_page_up_to(FILE *out, const char **page, const char *mark)
{
	const char *end = report_page + report_page_length();
	const char *at = memmem(*page, (size_t)(end - *page), mark, strlen(mark));

	if (!at)
		return; /* cannot happen: reports/web/bundle.mjs checks that every mark exists */
	fwrite(*page, 1, (size_t)(at - *page), out);
	*page = at + strlen(mark);
}

int run_write_html(FILE *out, const struct run *run, const struct report_options *options,
		   struct error *err)
{
	const char *page = report_page;

	if (report_page_length() == 0)
		return error_set(err, PL_EUNSUPPORTED, "%s", report_page_why_not);
	write_page_up_to(out, &page, TITLE_MARK);
	write_page_title(out, run);
	write_page_up_to(out, &page, RUN_MARK);
	page_write(out, run, options);
	fwrite(page, 1, (size_t)(report_page + report_page_length() - page), out);
	return 0;
}
