#include "metrics/against.h"

#include <string.h>

static bool is_skipped_for(const struct trial *trial, const char *reason)
{
	return trial->status == TRIAL_SKIPPED && trial->reason &&
	       !strncmp(trial->reason, reason, strlen(reason));
}

bool against_is_same(const struct trial *trial)
{
	return is_skipped_for(trial, AGAINST_SAME_REASON);
}

bool against_is_gone(const struct trial *trial)
{
	return is_skipped_for(trial, AGAINST_GONE_REASON);
}

bool against_is_of_then(const struct run *run, const struct trial *trial)
{
	const char *mark = run->settings.base_variant;

	return mark && *mark == '@' && has_suffix(trial->variant, mark);
}

size_t against_same_count(const struct run *run)
{
	size_t count = 0;

	for (size_t i = 0; i < run->trial_count; i++)
		count += against_is_same(&run->trials[i]) &&
			 !against_is_of_then(run, &run->trials[i]);
	return count;
}
