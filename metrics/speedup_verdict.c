/* The verdicts on cases beside their base cases: names, meanings, release. */
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *meaning;
} speedup_verdicts[SPEEDUP_VERDICT_COUNT] = {
#define X(symbol, verdict_name, verdict_meaning) [symbol] = {verdict_name, verdict_meaning},
	SPEEDUP_VERDICT_LIST(X)
#undef X
};

const struct trial_speedup trial_speedup_none = {
	.speedup = NAN,
	.low = NAN,
	.high = NAN,
	.p = NAN,
	.base_median_ns = NAN,
	.same_buffers = -1,
};

const char *speedup_verdict_name(enum speedup_verdict verdict)
{
	return speedup_verdicts[verdict].name;
}

const char *speedup_verdict_meaning(enum speedup_verdict verdict)
{
	return speedup_verdicts[verdict].meaning;
}

bool speedup_verdict_parse(enum speedup_verdict *out, const char *name)
{
	for (size_t i = 0; i < SPEEDUP_VERDICT_COUNT; i++) {
		if (strcmp(speedup_verdicts[i].name, name) == 0) {
			*out = (enum speedup_verdict)i;
			return true;
		}
	}
	return false;
}

void trial_speedup_release(struct trial_speedup *speedup)
{
	free(speedup->base_variant);
	free(speedup->base_config);
	free(speedup->why);
	*speedup = trial_speedup_none;
}
