/* The page's data about the base variant of a run: a speed-up or a reason for each case. */
#include "metrics/metrics.h"
#include "reports/page/page.h"

static void speedup_item(struct page_json *json, const struct trial_speedup *speedup)
{
	if (!speedup->base_variant) {
		page_null(json);
		return;
	}
	page_open(json, '[');
	page_word(json, speedup->base_variant);
	page_word(json, speedup->base_config);
	page_integer(json, speedup->verdict);
	page_short(json, speedup->speedup);
	page_short(json, speedup->low);
	page_short(json, speedup->high);
	page_short(json, speedup->base_median_ns);
	page_integer(json, speedup->rounds);
	if (speedup->same_buffers < 0)
		page_null(json);
	else
		page_integer(json, speedup->same_buffers);
	page_word(json, speedup->why);
	page_close(json, ']');
}

static bool has_base_variant(const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		if (run->trials[i].speedup.base_variant)
			return true;
	}
	return false;
}

void page_speedups(struct page_json *json, const struct run *run)
{
	page_key(json, "speedup_verdicts");
	page_open(json, '[');
	for (int verdict = 0; verdict < SPEEDUP_VERDICT_COUNT; verdict++) {
		page_open(json, '[');
		page_text(json, speedup_verdict_name((enum speedup_verdict)verdict));
		page_text(json, speedup_verdict_meaning((enum speedup_verdict)verdict));
		page_close(json, ']');
	}
	page_close(json, ']');
	page_key(json, "speedups");
	if (!has_base_variant(run)) {
		page_null(json);
		return;
	}
	page_open(json, '[');
	for (size_t i = 0; i < run->trial_count; i++)
		speedup_item(json, &run->trials[i].speedup);
	page_close(json, ']');
}
