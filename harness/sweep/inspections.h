/*
 * inspections: what a worker answered about launches, for further cases with
 * the same launches. Only for a worker that inspects by launch
 * (docs/worker-protocol.md, "Cases that are inspected alike"). Internal to
 * sweep/.
 */
#ifndef HARNESS_SWEEP_INSPECTIONS_H
#define HARNESS_SWEEP_INSPECTIONS_H

#include "kernels/kernels.h"
#include "metrics/metrics.h"

/* The answer to `inspect`. */
struct inspection {
	enum trial_status status;
	bool has_facts;
	struct launch_facts facts;
	char *reason; /* NULL if the status is ok */
};

struct inspections {
	struct inspection_entry *entries;
	size_t count, capacity;
	size_t *slots; /* a hash table of indices, plus 1; 0: empty */
	size_t slot_count;
	struct text key; /* of the case that was looked for last */
};
#define INSPECTIONS_INIT         \
	{                        \
		.key = TEXT_INIT \
	}
void inspections_release(struct inspections *inspections);

/* The answer about a case that such a worker cannot tell from this one; NULL: there is none. */
const struct inspection *inspections_find(struct inspections *inspections,
					  const struct launch_case *work);
/* Keeps a copy of the answer about the case that inspections_find() did not find just now. Does
 * nothing if another case need not get the same one: the worker failed, or a library is called. */
void inspections_add(struct inspections *inspections, const struct inspection *answer);

#endif
