/* Two runs that a test fills, and their comparison. */
#include "regress_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run empty_run(void)
{
	struct run run = {.backend = xstrdup("cuda"), .seed = 1};

	snprintf(run.device.name, sizeof(run.device.name), "NVIDIA H200");
	snprintf(run.device.uuid, sizeof(run.device.uuid), "GPU-1");
	snprintf(run.device.driver, sizeof(run.device.driver), "580.1");
	key_value_set(&run.environment, "build_type", "Release");
	return run;
}

struct trial *regress_add_trial(struct run *run, const char *variant, const double *median_ns,
				size_t rounds)
{
	struct trial *trial;

	run->trials = xrealloc(run->trials, (run->trial_count + 1) * sizeof(*run->trials));
	trial = &run->trials[run->trial_count++];
	*trial = (struct trial){
		.kernel = xstrdup("reduce"),
		.variant = xstrdup(variant),
		.config = xstrdup("block=256"),
		.status = TRIAL_OK,
		.facts = launch_facts_unknown,
		.rounds = xcalloc(rounds ? rounds : 1, sizeof(*trial->rounds)),
		.round_count = rounds,
	};
	for (size_t i = 0; i < rounds; i++)
		trial->rounds[i] = (struct round_summary){
			.round = (int)i,
			.median_ns = median_ns[i],
			.state = {1980e6, 3201e6, 40, 300, 0},
		};
	return trial;
}

void regress_add_counter(struct trial *trial, const char *metric, double value)
{
	counter_list_set(&trial->counters, metric, "1", "a test", value);
}

int regress_set_up(void **state)
{
	struct regress_fixture *fixture = xcalloc(1, sizeof(*fixture));

	fixture->base = empty_run();
	fixture->head = empty_run();
	fixture->options.limits = change_limits_default;
	*state = fixture;
	return 0;
}

int regress_tear_down(void **state)
{
	struct regress_fixture *fixture = *state;

	regress_release(&fixture->regress);
	free(fixture->pairs);
	run_release(&fixture->base);
	run_release(&fixture->head);
	thresholds_release(&fixture->thresholds);
	free(fixture);
	return 0;
}

void regress_judge_runs(struct regress_fixture *fixture)
{
	struct error err = {0};
	size_t count;

	regress_release(&fixture->regress);
	free(fixture->pairs);
	count = regress_pairs(&fixture->pairs, &fixture->base, &fixture->head);
	for (size_t i = 0; i < count; i++) {
		fixture->pairs[i].limiter = fixture->limiter;
		fixture->pairs[i].sessions = fixture->sessions;
	}
	if (regress_judge(&fixture->regress, fixture->pairs, count, &fixture->options, &err))
		fail_msg("%s", err.text);
}

void regress_limit(struct regress_fixture *fixture, const char *text)
{
	struct error err = {0};

	thresholds_release(&fixture->thresholds);
	if (thresholds_parse(&fixture->thresholds, "limits", text, strlen(text), &err))
		fail_msg("%s", err.text);
	fixture->options.thresholds = &fixture->thresholds;
}

const struct regress_case *regress_case_of(const struct regress_fixture *fixture,
					   const char *variant)
{
	for (size_t i = 0; i < fixture->regress.count; i++)
		if (strstr(fixture->regress.cases[i].name, variant))
			return &fixture->regress.cases[i];
	fail_msg("no case of %s", variant);
	return NULL;
}

void regress_expect(const struct regress_fixture *fixture, const char *variant, enum change verdict,
		    const char *why)
{
	const struct regress_case *item = regress_case_of(fixture, variant);

	if (item->verdict != verdict)
		fail_msg("%s is %s (%s), not %s", variant, change_name(item->verdict),
			 item->why ? item->why : "-", change_name(verdict));
	if (why ? !item->why || !strstr(item->why, why) : item->why != NULL)
		fail_msg("%s: %s, not %s", variant, item->why ? item->why : "-", why ? why : "-");
	assert_int_equal(item->gates,
			 verdict == CHANGE_REGRESSED || (verdict == CHANGE_FAILED && item->base &&
							 item->base->status == TRIAL_OK));
}
