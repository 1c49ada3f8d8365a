/* The JSON that the page reads, put together from its parts. */
#include "reports/page/page.h"

#define PAGE_FORMAT 1

void page_write(FILE *out, const struct run *run, const struct report_options *options)
{
	struct page_json json;

	page_json_init(&json, out);
	page_open(&json, '{');
	page_key(&json, "format");
	page_integer(&json, PAGE_FORMAT);
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
