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

void fleet_describe(struct text *out, const struct fleet_report *report, size_t gpu)
{
	for (size_t i = 0; i < report->judgement->quantity_count; i++) {
		const struct fleet_level *level = fleet_level_at(report->judgement, gpu, i);

		if (level->apart)
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

	for (size_t i = 0; i < report->judgement->quantity_count; i++) {
		const struct fleet_level *level = fleet_level_at(report->judgement, gpu, i);

		if (level->apart && (!worst || fabs(level->change) > fabs(worst->change)))
			worst = level;
	}
	return worst;
}

const char *fleet_word(const struct fleet_report *report, size_t gpu)
{
	if (report->judgement->why_not[gpu])
		return "not compared";
	return fleet_gpu_apart(report->judgement, gpu) ? "apart" : "like its fleet";
}
