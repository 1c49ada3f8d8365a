/* Ranks the speed-ups of a run over its base variant; see the header. */
#include <stdlib.h>

#include "reports/derived/derived.h"

static bool may_be_wrong(const struct trial *trial)
{
	return trial && trial->status == TRIAL_UNVERIFIED;
}

/* A case that may be wrong ranks after those that are right, and one that cannot be right last. */
static int distrust_of(const struct ranked_speedup *item)
{
	if (item->above_roof)
		return 2;
	return may_be_wrong(item->trial) || may_be_wrong(item->base);
}

static int compare_speedups(const void *left, const void *right)
{
	static const int places[SPEEDUP_VERDICT_COUNT] = {
		[SPEEDUP_FASTER] = 0,
		[SPEEDUP_SAME] = 1,
		[SPEEDUP_INCONCLUSIVE] = 2,
		[SPEEDUP_SLOWER] = 3,
	};
	const struct ranked_speedup *a = left, *b = right;
	int order = distrust_of(a) - distrust_of(b);

	if (!order)
		order = places[a->trial->speedup.verdict] - places[b->trial->speedup.verdict];
	if (order)
		return order;
	if (a->trial->speedup.speedup != b->trial->speedup.speedup)
		return a->trial->speedup.speedup > b->trial->speedup.speedup ? -1 : 1;
	return a->trial < b->trial ? -1 : 1;
}

size_t run_speedups(struct ranked_speedup **out, const struct run *run, const struct run *whole,
		    const struct ceiling_list *ceilings)
{
	size_t count = 0;

	*out = xcalloc(run->trial_count + 1, sizeof(**out));
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		const struct trial *base;

		if (!trial->speedup.base_variant || trial->speedup.verdict == SPEEDUP_NOT_MEASURED)
			continue;
		base = run_trial(whole ? whole : run, trial->speedup.base_trial_id);
		(*out)[count++] = (struct ranked_speedup){
			.trial = trial,
			.base = base,
			.above_roof = trial_is_above_roof(run, trial, ceilings) ||
				      (base && trial_is_above_roof(run, base, ceilings)),
		};
	}
	qsort(*out, count, sizeof(**out), compare_speedups);
	return count;
}

void speedup_remarks(struct text *out, const struct ranked_speedup *item)
{
	const struct trial_speedup *speedup = &item->trial->speedup;

	if (item->above_roof)
		text_add(out, "above a measured roof");
	if (may_be_wrong(item->trial))
		text_addf(out, "%sunverified", out->length ? "; " : "");
	if (may_be_wrong(item->base))
		text_addf(out, "%s%s is unverified", out->length ? "; " : "",
			  speedup->base_variant);
	if (speedup->same_buffers == 0)
		text_addf(out, "%son other buffers", out->length ? "; " : "");
	if (speedup->why)
		text_addf(out, "%s%s", out->length ? "; " : "", speedup->why);
}
