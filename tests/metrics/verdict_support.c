#include "tests/metrics/verdict_support.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

void judge(struct verdict *out, const struct trial *trial, const struct ceiling_list *ceilings,
	   const struct device_info *device)
{
	const struct verdict_context context = {ceilings, device, .flushed = true};
	struct roofline_point point;

	roofline_point_of(&point, trial,
			  counter_list_find(&trial->counters, "ptx_blocks_total") != NULL,
			  ceilings);
	verdict_of(out, trial, &point, &context);
	assert_non_null(out->summary);
	assert_null(strstr(out->summary, "nan"));
	assert_true(out->advice_count <= 2);
	for (size_t i = 0; i < out->note_count; i++)
		assert_null(strstr(out->notes[i].text, "nan"));
	for (size_t i = 0; i < out->advice_count; i++)
		assert_true(out->advice[i].text[0] != '\0');
}

static const char *said(const struct verdict_note *notes, size_t count, const char *rule)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(notes[i].rule, rule) == 0)
			return notes[i].text;
	}
	return NULL;
}

const char *note_of(const struct verdict *verdict, const char *rule)
{
	return said(verdict->notes, verdict->note_count, rule);
}

const char *advice_of(const struct verdict *verdict, const char *rule)
{
	return said(verdict->advice, verdict->advice_count, rule);
}

void waiting_trial(struct trial *out)
{
	timed_trial(out, 100 * MICROSECOND);
	set_work(out, 40 * 1000 * 1000, 36 * 1000 * 1000, 4 * 1000 * 1000);
	set_counter(out, "dram_bytes", 40e6);
	set_counter(out, "l2_from_l1_bytes", 80e6);
	set_counter(out, "l1_bytes", 160e6);
	counter_list_set(&out->counters, "shared_bytes", "byte", "", 0);
	set_counter(out, "flop_f32", 40e6);
	set_counter(out, "flop_f64", 0);
	set_counter(out, "launches", 1);
	set_counter(out, "blocks", 1000);
	set_counter(out, "threads_per_instruction", 32);
	set_counter(out, "threads_per_instruction_pred_on", 31);
	out->facts.theoretical_occupancy_pct = 100;
	set_counter(out, "achieved_occupancy_pct", 95);
}
