/* The place of a trial under the roofline; see the header. */
#include "reports/derived/derived.h"

const char *emulated_level_name(enum memory_level level)
{
	static const char *const names[MEMORY_LEVEL_COUNT] = {
		[LEVEL_DRAM] = "ptx_compulsory",
		[LEVEL_L1] = "ptx_global_sectors",
		[LEVEL_SHARED] = "ptx_shared_wavefronts",
	};

	return names[level];
}

void trial_roofline_init(struct trial_roofline *out, const struct run *run,
			 const struct trial *trial, const struct ceiling_list *ceilings)
{
	const struct verdict_context context = verdict_context_of(run, ceilings);

	roofline_point_of(&out->point, trial, run->traits.emulated, ceilings);
	verdict_of(&out->verdict, trial, &out->point, &context);
}

void trial_roofline_release(struct trial_roofline *roofline)
{
	verdict_release(&roofline->verdict);
}

bool trial_is_above_roof(const struct run *run, const struct trial *trial,
			 const struct ceiling_list *ceilings)
{
	const struct verdict_context context = verdict_context_of(run, ceilings);
	struct roofline_point point;

	roofline_point_of(&point, trial, run->traits.emulated, ceilings);
	return verdict_is_above_roof(trial, &point, &context);
}
