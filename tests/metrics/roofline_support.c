#include "tests/metrics/roofline_support.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/catalogue/catalogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RECORDED "tests/fixtures/counters/gh100_core.expected"

const struct device_info round_device = {.name = "round", .cc_major = 9, .sm_count = 100};

void add_roof(struct ceiling_list *list, const char *name, enum ceiling_kind kind, int of,
	      double per_s)
{
	struct ceiling *added;

	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	added = &list->items[list->count++];
	*added = (struct ceiling){
		.kind = kind,
		.per_s = per_s,
		.low_per_s = 0.99 * per_s,
		.high_per_s = 1.01 * per_s,
	};
	if (kind == CEILING_BANDWIDTH)
		added->of.level = (enum memory_level)of;
	else
		added->of.precision = (enum precision)of;
	snprintf(added->name, sizeof(added->name), "%s", name);
}

void round_roofs(struct ceiling_list *out)
{
	*out = (struct ceiling_list){0};
	add_roof(out, "dram_copy", CEILING_BANDWIDTH, LEVEL_DRAM, 3.5e12);
	add_roof(out, "dram_read", CEILING_BANDWIDTH, LEVEL_DRAM, 4e12);
	add_roof(out, "l2_read", CEILING_BANDWIDTH, LEVEL_L2, 8e12);
	add_roof(out, "l1_read", CEILING_BANDWIDTH, LEVEL_L1, 16e12);
	add_roof(out, "shared_read", CEILING_BANDWIDTH, LEVEL_SHARED, 32e12);
	add_roof(out, "fp32_fma", CEILING_RATE, PRECISION_F32, 64e12);
	add_roof(out, "fp64_fma", CEILING_RATE, PRECISION_F64, 32e12);
}

void timed_trial(struct trial *out, double median_ns)
{
	*out = (struct trial){
		.kernel = xstrdup("kernel"),
		.variant = xstrdup("variant"),
		.config = xstrdup("block=256"),
		.status = TRIAL_OK,
		.facts = launch_facts_unknown,
		.counted = true,
		.summary = {.count = 30,
			    .median_ns = median_ns,
			    .session_low_ns = 0.99 * median_ns,
			    .session_high_ns = 1.01 * median_ns,
			    .min_ns = 0.98 * median_ns,
			    .max_ns = 1.1 * median_ns},
	};
}

void set_work(struct trial *trial, int64_t flop, int64_t read, int64_t written)
{
	trial->has_work = true;
	trial->flop = flop;
	trial->bytes_read = read;
	trial->bytes_written = written;
}

void set_counter(struct trial *trial, const char *metric, double value)
{
	/* no code reads a metric that is not in the catalogue */
	assert_non_null(metric_find(metric));
	counter_list_set(&trial->counters, metric, metric_find(metric)->unit, "", value);
}

void real_counters(struct trial *trial, const char *case_name)
{
	struct string_list lines = {0};
	struct error err = {0};
	char *bytes, *head = xasprintf("# %s, H200", case_name);
	bool inside = false;
	size_t length;

	if (read_file(&bytes, &length, RECORDED, 1 << 20, &err))
		fail_msg("%s", err.text);
	string_list_split(&lines, bytes, '\n');
	for (size_t i = 0; i < lines.count; i++) {
		char metric[64], unit[64];
		double value;

		if (lines.items[i][0] == '#')
			inside = strncmp(lines.items[i], head, strlen(head)) == 0;
		else if (inside &&
			 sscanf(lines.items[i], "value %63s %63s %lf", metric, unit, &value) == 3)
			counter_list_set(&trial->counters, metric, unit, "recorded", value);
	}
	assert_true(trial->counters.count > 30);
	string_list_release(&lines);
	free(bytes);
	free(head);
}
