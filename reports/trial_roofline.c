/* Where a trial of a run stands; see the header. */
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "reports/report_parts.h"

bool trial_roofline_is_known(const struct trial *trial)
{
	return trial->status == TRIAL_OK || trial->status == TRIAL_SAMPLED;
}

void trial_roofline_init(struct trial_roofline *out, const struct run *run,
			 const struct trial *trial, const struct ceiling_list *ceilings)
{
	roofline_point_of(&out->point, trial, run_is_emulated(run), ceilings);
	verdict_of(&out->verdict, trial, &out->point, ceilings, &run->device);
}

void trial_roofline_release(struct trial_roofline *roofline)
{
	verdict_release(&roofline->verdict);
}
