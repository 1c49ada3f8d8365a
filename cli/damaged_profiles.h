/* damaged_profiles: what is said of a case whose profile cannot be read while the others are shown.
 */
#ifndef CLI_DAMAGED_PROFILES_H
#define CLI_DAMAGED_PROFILES_H

#include "cli/command.h"
#include "db/db.h"

/* Names the case, why its profile cannot be read, and the remedy. `what` follows "its lines". */
void say_damaged_profile(const char *name, const char *what, const char *why);
/* Says it of a trial of a run whose lines are left out. */
void say_profile_left_out(const struct run *run, int64_t trial_id, const char *why);

/* What a page reads of the cases of a run. Borrows; `damaged` counts those that it was told of. */
struct page_profiles {
	struct db *db;
	const struct run *run;
	size_t damaged;
};
/* The callbacks of struct report_profile_reader; `profiles` is a struct page_profiles. */
int page_profiles_read(void *profiles, int64_t trial_id, struct profile **out, struct error *err);
int page_profiles_source(void *profiles, int64_t run_id, const char *file, char **hash, char **text,
			 char **why, struct error *err);

#endif
