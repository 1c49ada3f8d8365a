/*
 * A run as one self-contained page: the page that was bundled at build time,
 * with the run as JSON in its middle.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page.h"

#define PAGE_FORMAT 1
#define TITLE_MARK "<!--perflab:title-->"
#define RUN_MARK "<!--perflab:run-->"

static void write_title(FILE *out, const struct run *run)
{
	char *title = run->label ? xasprintf("%s, run %lld", run->label, (long long)run->id)
				 : xasprintf("Run %lld", (long long)run->id);
	struct text clean = TEXT_INIT;

	escape_utf8(&clean, title);
	for (const char *c = clean.data; *c; c++) {
		if (strchr("<>&", *c) || (unsigned char)*c < 0x20)
			fprintf(out, "&#%d;", (unsigned char)*c < 0x20 ? ' ' : *c);
		else
			putc(*c, out);
	}
	text_release(&clean);
	free(title);
}

void page_write(FILE *out, const struct run *run, const struct report_options *options)
{
	struct page_json json;

	page_json_init(&json, out);
	page_open(&json, '{');
	page_key(&json, "format");
	page_integer(&json, PAGE_FORMAT);
	page_run(&json, "run", run);
	page_roofs(&json, run, options->ceilings);
	page_key(&json, "trials");
	page_trials(&json, run);
	page_points(&json, run, options);
	page_counters(&json, run);
	page_samples(&json, run, options);
	page_histories(&json, options);
	if (options->compare) {
		page_run(&json, "compare_run", options->compare);
		page_key(&json, "compare_trials");
		page_trials(&json, options->compare);
		page_comparison(&json, run, options);
	}
	page_key(&json, "words");
	page_words(&json);
	page_close(&json, '}');
	page_json_release(&json);
}

/* The page up to `mark`; *page goes on behind it. */
static void write_up_to(FILE *out, const char **page, const char *mark)
{
	const char *end = report_page + report_page_length();
	const char *at = memmem(*page, (size_t)(end - *page), mark, strlen(mark));

	if (!at)
		return; /* a page is bundled with every mark: reports/web/bundle.mjs sees to it */
	fwrite(*page, 1, (size_t)(at - *page), out);
	*page = at + strlen(mark);
}

int report_html(FILE *out, const struct run *run, const struct report_options *options,
		struct error *err)
{
	const char *page = report_page;

	if (report_page_length() == 0)
		return error_set(err, PL_EUNSUPPORTED, "%s", report_page_why_not);
	errno = 0;
	write_up_to(out, &page, TITLE_MARK);
	write_title(out, run);
	write_up_to(out, &page, RUN_MARK);
	page_write(out, run, options);
	fwrite(page, 1, (size_t)(report_page + report_page_length() - page), out);
	return stream_check(out, err);
}
