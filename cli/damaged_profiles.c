/* Says which profiles of a report cannot be read, because a report shows the other ones. */
#include "cli/damaged_profiles.h"

#include <stdlib.h>

#include "harness/judge/judge.h"
#include "harness/runs/runs.h"

void say_damaged_profile(const char *name, const char *what, const char *why)
{
	say("%s: its lines %s: %s; restore a copy of the database, or take a new profile with "
	    "perflab sweep --lines",
	    name, what, why);
}

void say_profile_left_out(const struct run *run, int64_t trial_id, const char *why)
{
	const struct trial *trial = run_trial(run, trial_id);
	char *name = trial ? trial_case_name(trial) : xasprintf("trial %lld", (long long)trial_id);

	say_damaged_profile(name, "are left out, because its profile is damaged", why);
	free(name);
}

int page_profiles_read(void *profiles, int64_t trial_id, struct profile **out, struct error *err)
{
	struct page_profiles *page = profiles;
	int rc = report_data_profile(page->db, trial_id, out, err);

	if (rc) {
		page->damaged++;
		say_profile_left_out(page->run, trial_id, err->text);
	}
	return rc;
}

int page_profiles_source(void *profiles, int64_t run_id, const char *file, char **hash, char **text,
			 char **why, struct error *err)
{
	struct page_profiles *page = profiles;

	return run_source_load(page->db, run_id, file, hash, text, why, err);
}
