/*
 * Fuzz target: any bytes as a file of rules. The parser rejects it with its name and a line, or
 * returns metrics and rules that judge a trial without any counter and one with some.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/roofline.h"
#include "metrics/analysis/user_rules.h"
#include "metrics/analysis/verdict.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const struct user_rules *rules, bool counted)
{
	struct trial trial = {.status = TRIAL_OK,
			      .counted = true,
			      .facts = launch_facts_unknown,
			      .summary = {.median_ns = 1e5}};
	struct run run = {.trials = &trial, .trial_count = 1, .rules = rules};
	struct roofline_point point;
	struct verdict_context context;
	struct verdict verdict;

	if (counted) {
		counter_list_set(&trial.counters, "dram_bytes", "byte", "", 1e8);
		counter_list_set(&trial.counters, "instructions", "instruction", "", 0);
		trial.stall_samples[STALL_MEMORY] = 1000;
	}
	user_rules_derive(rules, &run);
	for (size_t i = 0; i < trial.counters.count; i++)
		if (trial.counters.items[i].has_value && !isfinite(trial.counters.items[i].value))
			abort();
	roofline_point_of(&point, &trial, false, NULL);
	context = verdict_context_of(&run, NULL);
	verdict_of(&verdict, &trial, &point, &context);
	verdict_release(&verdict);
	counter_list_release(&trial.counters);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	struct user_rules rules = {0};
	struct string_list names = {0};
	char *text = malloc(size + 1);
	int rc;

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	rc = user_rules_parse(&rules, "fuzz.rules", text, size, &err);
	if (rc && (rc != PL_EPARSE || strncmp(err.text, "fuzz.rules:", 11)))
		abort();
	if (!rc) {
		judge(&rules, false);
		judge(&rules, true);
		user_rules_needs(&names, &rules);
		string_list_release(&names);
		user_rules_release(&rules);
	}
	free(text);
	return 0;
}
