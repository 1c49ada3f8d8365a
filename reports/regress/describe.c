/* Phrases that every format of a comparison shares; see the header. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/derived/derived.h"
#include "reports/regress/regress.h"

void regress_describe_run(struct text *out, const struct run *run)
{
	char when[21];

	format_utc(when, run->started_ns);
	text_addf(out, "%lld (%s%s%s", (long long)run->id, run->label ? run->label : "",
		  run->label ? ", " : "", when);
	if (run->source_revision) {
		char *revision = report_revision(run->source_revision);

		text_addf(out, ", revision %s", revision);
		free(revision);
	}
	if (run->state && strcmp(run->state, "finished") != 0)
		text_addf(out, ", %s", run->state);
	text_add_char(out, ')');
}

void regress_summarise(struct text *out, const struct regress *regress)
{
	for (int i = 0; i < CHANGE_COUNT; i++)
		if (regress->tally[i])
			text_addf(out, "%s%zu %s", out->length ? ", " : "", regress->tally[i],
				  change_name((enum change)i));
	if (regress->ignored)
		text_addf(out, "%s%zu ignored", out->length ? ", " : "", regress->ignored);
	if (!out->length)
		text_add(out, "no cases");
	if (regress->unverified)
		text_addf(out, "; %zu unverified", regress->unverified);
}

void regress_describe_change(struct text *out, double change)
{
	if (isfinite(change))
		text_addf(out, "%+.2f %%", 100 * change);
}

void regress_describe_counters(struct text *out, const struct regress_case *item)
{
	static const struct {
		int verdict;
		const char *word;
	} groups[] = {{1, " (worse)"}, {-1, " (better)"}, {0, ""}};

	for (size_t g = 0; g < ARRAY_SIZE(groups); g++)
		for (size_t i = 0; i < item->counter_count; i++) {
			const struct counter_change *change = &item->counters[i];

			if (change->verdict == groups[g].verdict)
				text_addf(out, "%s%s %.15g to %.15g%s", out->length ? ", " : "",
					  change->metric, change->base, change->head,
					  groups[g].word);
		}
}
