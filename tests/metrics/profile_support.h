/* profile_support: profiles for tests, made by hand. */
#ifndef TESTS_METRICS_PROFILE_SUPPORT_H
#define TESTS_METRICS_PROFILE_SUPPORT_H

#include "metrics/profile.h"

/* Appends an instruction with one stall, to the first function, and to the samples of the profile.
 * Returns it; it moves with the next. */
struct profile_instruction *sampled_instruction(struct profile *profile, int64_t frame,
						const char *reason, int64_t samples, int64_t first);

#endif
