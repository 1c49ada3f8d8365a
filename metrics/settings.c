/* Defaults of the settings, and releasing them. */
#include "metrics/settings.h"

#include <stdlib.h>

const struct measure_settings measure_settings_default = {
	.device = 0,
	.seed = 1,
	.cache = CACHE_COLD,
	.min_samples = 20,
	.max_time_ns = 500 * INT64_C(1000000),
	.precision = 0.0025,
	.rounds = 3,
	.placements = 4,
	.timeout_ns = 60 * INT64_C(1000000000),
};

void measure_settings_release(struct measure_settings *settings)
{
	string_list_release(&settings->metrics);
	free(settings->chip);
	free(settings->counter_dump);
	free(settings->base_variant);
	*settings = (struct measure_settings){0};
}
