/* The phrases of a comparison of many GPUs. */
#include <math.h>
#include <string.h>

#include "reports/fleet/fleet.h"

static void describe_level(struct text *out, const struct fleet_report *report, size_t quantity,
			   const struct fleet_level *level)
{
	static const char *const readable[FLEET_MEASURES] = {NULL, "SM clock", "memory clock",
							     "power"};

	if (out->length)
		text_add(out, ", ");
	if (quantity == FLEET_TIME)
		text_add(out, level->change > 0 ? "slower" : "faster");
	else if (quantity < FLEET_MEASURES)
		text_addf(out, "%s %s", readable[quantity], level->change > 0 ? "higher" : "lower");
	else
		text_addf(out, "%s %+.2f %%", fleet_quantity_name(report->fleet, quantity),
			  100 * level->change);
}

/* If a case lies so much farther from its peers than the GPU, the slow-down is one of cases. */
#define CASE_STANDS_OUT 1.5

/* "slower in 2 of 9 cases, most in stream/copy/block=256: +4.20 %". Returns whether it says so: if
 * the cases are slower alike, the GPU is, without their names. */
static bool describe_cases(struct text *out, const struct fleet_report *report, size_t gpu)
{
	const struct fleet_level *time = fleet_level_at(report->judgement, gpu, FLEET_TIME);
	size_t count, slower = 0;
	const struct fleet_case *cases = fleet_cases_of(report->judgement, gpu, &count);

	if (!cases ||
	    (time->is_outlier && fabs(cases->level.change) < CASE_STANDS_OUT * fabs(time->change)))
		return false;
	for (size_t i = 0; i < count; i++)
		slower += cases[i].level.change > 0;
	text_addf(out, "%s in %zu of %zu cases, most in %s: %+.2f %%",
		  slower == count ? "slower"
		  : slower        ? "slower or faster"
				  : "faster",
		  count, time->cases, report->fleet->cases[cases->key], 100 * cases->level.change);
	return true;
}

void fleet_describe(struct text *out, const struct fleet_report *report, size_t gpu)
{
	const bool by_case = describe_cases(out, report, gpu);

	for (size_t i = 0; i < report->judgement->quantity_count; i++) {
		const struct fleet_level *level = fleet_level_at(report->judgement, gpu, i);

		if (level->is_outlier && !(by_case && i == FLEET_TIME))
			describe_level(out, report, i, level);
	}
}

void fleet_describe_facts(struct text *out, const struct fleet_report *report, size_t gpu)
{
	const struct fleet_judgement *judgement = report->judgement;
	const struct fleet_model *model = &judgement->models[judgement->model[gpu]];

	for (size_t i = 0; i < FLEET_FACTS; i++) {
		const char *value = report->fleet->gpus[gpu].facts[i], *usual = model->usual[i];

		if (value && usual && strcmp(value, usual) != 0)
			text_addf(out, "%s%s %s, most have %s", out->length ? "; " : "",
				  fleet_fact_name((enum fleet_fact)i), value, usual);
	}
}

const struct fleet_level *fleet_worst(const struct fleet_report *report, size_t gpu)
{
	const struct fleet_level *worst = NULL;
	size_t cases;

	for (size_t i = 0; i < report->judgement->quantity_count; i++) {
		const struct fleet_level *level = fleet_level_at(report->judgement, gpu, i);

		if (level->is_outlier && (!worst || fabs(level->change) > fabs(worst->change)))
			worst = level;
	}
	if (!worst && fleet_cases_of(report->judgement, gpu, &cases))
		worst = &fleet_cases_of(report->judgement, gpu, &cases)->level;
	return worst;
}

const char *fleet_word(const struct fleet_report *report, size_t gpu)
{
	if (report->judgement->why_not[gpu])
		return "not compared";
	return fleet_gpu_is_outlier(report->judgement, gpu) ? "apart" : "like its fleet";
}
