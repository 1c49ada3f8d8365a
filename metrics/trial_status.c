/* Names of trial statuses. */
#include "metrics/metrics.h"

#include <string.h>

static const char *const status_names[] = {
#define X(symbol, name, meaning) [symbol] = name,
	TRIAL_STATUS_LIST(X)
#undef X
};

const char *trial_status_name(enum trial_status status)
{
	return status_names[status];
}

bool trial_status_parse(enum trial_status *out, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(status_names); i++) {
		if (strcmp(status_names[i], name) == 0) {
			*out = (enum trial_status)i;
			return true;
		}
	}
	return false;
}

bool trial_status_measured(enum trial_status status)
{
	return status == TRIAL_OK || status == TRIAL_UNVERIFIED;
}

bool trial_status_counted(enum trial_status status)
{
	return trial_status_measured(status) || status == TRIAL_SAMPLED;
}

bool trial_status_is_failure(enum trial_status status)
{
	return !trial_status_counted(status) && status != TRIAL_SKIPPED && status != TRIAL_PENDING;
}
