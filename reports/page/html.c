/* A run as one self-contained page: the embedded page with the run as JSON in it. */
#include <stdlib.h>
#include <string.h>

#include "reports/gpus/gpus.h"
#include "reports/page/page.h"
#include "reports/run_writers.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"

#ifdef PERFLAB_PAGE_WHY_NOT

static const char report_page[] = "";
const char report_page_why_not[] = PERFLAB_PAGE_WHY_NOT;
#define PAGE_LENGTH 0

#else

/* The assembler finds page.html in the build folder, which is on the include path. */
__asm__(".pushsection .rodata\n"
	".globl report_page\n"
	".type report_page, @object\n"
	"report_page:\n"
	".incbin \"page.html\"\n"
	"report_page_end:\n"
	".byte 0\n"
	".size report_page, . - report_page\n"
	".popsection\n");
extern const char report_page[], report_page_end[] __asm__("report_page_end");

const char report_page_why_not[] = "";
#define PAGE_LENGTH (size_t)(report_page_end - report_page)

#endif

size_t report_page_length(void)
{
	return PAGE_LENGTH;
}

/* ---- the data of the page ---- */

static void page_gpus(struct page_json *json, const struct report_options *options)
{
	json_t *gpus = options->gpus ? gpus_json(options->gpus) : NULL;
	char *shown;

	if (gpus && options->roofs_of)
		json_set_integer(gpus, "roofs_of", options->roofs_of->settings.device);
	shown = gpus ? json_dumps(gpus, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	page_member_text(json, "gpus", shown);
	free(shown);
	json_decref(gpus);
}

#define PAGE_FORMAT 1

void page_write(FILE *out, const struct run *run, const struct report_options *options)
{
	struct page_json json;

	page_json_init(&json, out);
	page_open(&json, '{');
	page_member_integer(&json, "format", PAGE_FORMAT);
	page_run(&json, "run", run);
	page_selection(&json, run, options);
	page_gpus(&json, options);
	page_roofs(&json, run, options->ceilings);
	page_key(&json, "trials");
	page_trials(&json, run);
	page_points(&json, run, options);
	page_speedups(&json, run);
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

/* ---- the page ---- */

#define TITLE_MARK "<!--perflab:title-->"
#define RUN_MARK "<!--perflab:run-->"
#define LINES_MARK "<!--perflab:lines-->"

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
	write_page_up_to(out, &page, LINES_MARK);
	page_lines_write(out, run, options);
	fwrite(page, 1, (size_t)(report_page + report_page_length() - page), out);
	return 0;
}
