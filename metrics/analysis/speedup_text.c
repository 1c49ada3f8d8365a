/* The speed-ups of a run in words; see the header. */
#include "metrics/analysis/speedup_text.h"

#include <math.h>

/* Shows the first digit of the interval's width and one more, but at least two decimals. */
static int decimals_of(const struct trial_speedup *speedup)
{
	double width = speedup->high - speedup->low;

	if (!isfinite(width) || width >= 0.1)
		return 2;
	return width >= 0.002 ? 3 : 4;
}

void speedup_number_text(struct text *out, const struct trial_speedup *speedup)
{
	text_addf(out, "%.*f", decimals_of(speedup), speedup->speedup);
}

const char *speedup_refusal_text(const struct trial_speedup *speedup)
{
	return speedup->why ? speedup->why : "the run did not get there";
}

void speedup_text(struct text *out, const struct trial *trial)
{
	const struct trial_speedup *speedup = &trial->speedup;
	const char *verdict = speedup_verdict_name(speedup->verdict);
	int decimals = decimals_of(speedup);

	if (speedup->verdict == SPEEDUP_NOT_MEASURED) {
		text_addf(out, "%s: %s: %s", trial->variant, verdict,
			  speedup_refusal_text(speedup));
		return;
	}
	text_addf(out, "%s is ", trial->variant);
	speedup_number_text(out, speedup);
	text_addf(out, " times as fast as %s ", speedup->base_variant);
	if (isfinite(speedup->low) && isfinite(speedup->high))
		text_addf(out, "(%.*f to %.*f)", decimals, speedup->low, decimals, speedup->high);
	else
		text_add(out, "(no interval)");
	text_addf(out, ": %s", verdict);
}

void speedups_text(struct text *out, const struct run *run)
{
	static const enum speedup_verdict order[] = {SPEEDUP_FASTER, SPEEDUP_SLOWER, SPEEDUP_SAME,
						     SPEEDUP_INCONCLUSIVE, SPEEDUP_NOT_MEASURED};
	size_t counts[SPEEDUP_VERDICT_COUNT] = {0}, pairs = 0;
	const struct trial *first = NULL;

	if (run->traits.emulated)
		return;
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		if (!trial->speedup.base_variant)
			continue;
		counts[trial->speedup.verdict]++;
		pairs++;
		if (!first)
			first = trial;
	}
	if (pairs == 1) {
		speedup_text(out, first);
		return;
	}
	for (size_t i = 0, shown = 0; i < ARRAY_SIZE(order); i++) {
		if (counts[order[i]])
			text_addf(out, "%s%zu %s", shown++ ? ", " : "", counts[order[i]],
				  speedup_verdict_name(order[i]));
	}
}
