/* Counts how the trials of a run ended. */
#include "harness/runs/runs.h"

#include "metrics/against.h"
#include "metrics/shards.h"

struct run_ends run_ends_count(const struct run *run)
{
	struct run_ends ends = {0};
	size_t failures = 0, skipped = 0;

	for (size_t i = 0; i < run->trial_count; i++) {
		enum trial_status status = run->trials[i].status;

		ends.mismatches += status == TRIAL_MISMATCH;
		ends.faults += status == TRIAL_FAULT;
		failures += trial_status_is_failure(status);
		ends.unverified += status == TRIAL_UNVERIFIED;
		ends.sampled += status == TRIAL_SAMPLED;
		skipped += status == TRIAL_SKIPPED;
	}
	ends.others = failures - ends.mismatches - ends.faults;
	ends.nothing_ran = skipped == run->trial_count && !against_same_count(run) &&
			   !key_value_get(&run->environment, SHARDS_KEY);
	return ends;
}
