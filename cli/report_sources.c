/* Loads what a report of a run needs besides the run itself. */
#include "cli/report_sources.h"
#include "db/db.h"
#include "metrics/analysis/ceilings.h"

static int load_report_samples(void *context, int64_t trial_id, struct sample **out, size_t *count,
			       struct error *err)
{
	return db_samples_load(context, trial_id, out, count, err);
}

int report_sources_load(struct report_sources *out, const struct invocation *call, struct db *db,
			const struct run *run, struct error *err)
{
	*out = (struct report_sources){
		.options = {.colour = call->terminal.out_colour,
			    .width = call->terminal.out_width,
			    .ascii = call->terminal.out_ascii,
			    .samples = load_report_samples,
			    .samples_context = db},
	};
	out->options.ceilings = &out->ceilings;
	return db_ceilings_load(db, run->id, &out->ceilings, err);
}

void report_sources_release(struct report_sources *sources)
{
	ceiling_list_release(&sources->ceilings);
	*sources = (struct report_sources){0};
}
