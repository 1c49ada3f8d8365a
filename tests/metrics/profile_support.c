#include "profile_support.h"

struct profile_instruction *sampled_instruction(struct profile *profile, int64_t frame,
						const char *reason, int64_t samples, int64_t first)
{
	const int64_t number = (int64_t)profile->instruction_count;
	struct profile_instruction *added = profile_instruction_add(profile, 0, 16 * number);

	profile_function_add(profile, "kernel", "");
	added->frame = frame;
	added->samples = samples;
	added->first_samples = first;
	profile_stall_add(profile, number, reason)->samples = samples;
	profile->samples = (profile->samples < 0 ? 0 : profile->samples) + samples;
	return added;
}
