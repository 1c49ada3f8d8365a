/* Compares the counters of all cases of an emulated run over the runs before it. */
#include "harness/runs/counter_grid.h"

#include <stdlib.h>
#include <string.h>

#include "harness/judge/judge.h"

/* The newest trial of each case so far, and the run that it is of. Trials are borrowed from runs.
 */
struct newest_counted {
	const struct trial **trials;
	size_t *runs;
};

/* The runs that were loaded. */
struct loaded_runs {
	struct run *items;
	size_t count;
};

static void take_run(struct history_grid *grid, struct newest_counted *newest,
		     const struct run *head, const struct run *loaded, size_t place)
{
	struct regress_pair *pairs;
	const size_t count = regress_pairs(&pairs, loaded, head);

	/* the pairs begin with the cases of the head, in its order, except those without a name */
	for (size_t i = 0; i < count && pairs[i].head; i++) {
		const size_t at = (size_t)(pairs[i].head - head->trials);
		const struct trial *found = pairs[i].base, *before = newest->trials[at];

		if (!found || !trial_status_counted(found->status) || !found->counters.count)
			continue;
		if (before && grid->runs[newest->runs[at]].seed == grid->runs[place].seed)
			history_grid_compare(grid, at, newest->runs[at], place, before, found);
		newest->trials[at] = found;
		newest->runs[at] = place;
	}
	free(pairs);
}

int counter_grid_load(struct history_grid *grid, struct db *db, const struct run *run,
		      struct error *err)
{
	struct newest_counted newest = {
		.trials = xcalloc(grid->case_count + 1, sizeof(*newest.trials)),
		.runs = xcalloc(grid->case_count + 1, sizeof(*newest.runs)),
	};
	struct loaded_runs loaded = {.items = xcalloc(grid->run_count + 1, sizeof(*loaded.items))};
	int rc = 0;

	for (size_t i = 0; i < grid->run_count && !rc; i++) {
		if (!grid->shown[i])
			continue;
		rc = db_run_load(db, grid->runs[i].id, true, &loaded.items[loaded.count], err);
		if (!rc)
			take_run(grid, &newest, run, &loaded.items[loaded.count++], i);
	}
	for (size_t i = 0; i < loaded.count; i++)
		run_release(&loaded.items[i]);
	free(loaded.items);
	free(newest.runs);
	free(newest.trials);
	return rc;
}
