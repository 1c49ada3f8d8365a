/* Answers questions about the metrics of a chip, also on a machine without a device. */
#include "harness/workers/cuda/chip_metrics.h"
#include "harness/workers/cuda/doctor.h"
#include "metrics/cupti/cupti_session.h"

struct metric_visit {
	struct worker_reply *reply;
};

static int reply_metric(void *context, const struct cupti_metric_description *described)
{
	const struct metric_visit *visit = context;
	const struct worker_metric metric = {.name = described->name,
					     .unit = described->unit,
					     .kind = described->kind,
					     .description = described->description};

	return worker_reply_metric(visit->reply, &metric);
}

/* An unknown chip is a usage error only if the user named it. */
static int own_chip_code(const char *chip, int rc)
{
	return !chip && rc == PL_EUSAGE ? PL_EUNSUPPORTED : rc;
}

int chip_list_metrics(const char *chip, const char *pattern, struct worker_reply *reply,
		      struct error *err)
{
	struct metric_visit visit = {.reply = reply};
	char own[16];

	if (!chip)
		default_chip(own);
	return own_chip_code(
		chip, cupti_metrics_visit(chip ? chip : own, pattern, reply_metric, &visit, err));
}

int chip_count_passes(const char *chip, const struct string_list *wanted, int64_t *passes,
		      struct string_list *missing, struct error *err)
{
	struct cupti_plan *plan = NULL;
	char own[16];
	int rc;

	if (!chip)
		default_chip(own);
	rc = cupti_plan_create(&plan, chip ? chip : own, wanted, NULL, err);
	if (rc)
		return own_chip_code(chip, rc);
	*passes = (int64_t)cupti_plan_pass_count(plan);
	for (size_t i = 0; i < cupti_plan_missing(plan)->count; i++)
		string_list_add(missing, cupti_plan_missing(plan)->items[i]);
	cupti_plan_free(plan);
	return 0;
}
