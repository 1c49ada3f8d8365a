/* Which cases a process of a sweep on several GPUs measures: claims them, and leaves out those of
 * others. */
#include <stdlib.h>

#include "harness/sweep/gpus/gpu_part.h"

void gpu_part_begin_cases(struct sweep *sweep)
{
	struct gpu_part *part = sweep->gpu;

	if (!gpu_part_splits(sweep))
		return;
	part->left = xcalloc(sweep->plan->count + 1, sizeof(*part->left));
	for (size_t i = 0; i < sweep->plan->count; i++)
		part->left[part->share->cases[i].unit] += !sweep->cases[i].ended;
	/* of a unit without a case that can run one process keeps the reasons */
	for (size_t i = 0; i < sweep->plan->count; i++)
		if (!part->left[part->share->cases[i].unit] &&
		    gpu_share_claim(part->share, part->slot, i))
			gpu_share_set_done(part->share, part->slot, i, true);
}

static void leave_out(struct sweep *sweep, size_t index)
{
	struct case_state *state = &sweep->cases[index];

	if (state->ended)
		return;
	sweep->steps_total -= case_steps_left(sweep, index);
	state->ended = state->elsewhere = true;
}

bool gpu_part_take(struct sweep *sweep, size_t index)
{
	if (!gpu_part_splits(sweep) || gpu_share_claim(sweep->gpu->share, sweep->gpu->slot, index))
		return true;
	leave_out(sweep, index);
	return false;
}

static atomic_bool *exclusion_of(const struct sweep *sweep, size_t index, bool measuring)
{
	struct gpu_case *excluded = &sweep->gpu->share->cases[index];

	return measuring ? &excluded->unmeasured : &excluded->uncounted;
}

void gpu_part_exclude(struct sweep *sweep, size_t index, bool measuring)
{
	if (sweep->gpu)
		atomic_store(exclusion_of(sweep, index, measuring), true);
}

bool gpu_part_excludes(const struct sweep *sweep, size_t index, bool measuring)
{
	return sweep->gpu && atomic_load(exclusion_of(sweep, index, measuring));
}

void gpu_part_reclaim(struct sweep *sweep, bool all)
{
	struct gpu_part *part = sweep->gpu;

	for (size_t i = 0; gpu_part_splits(sweep) && i < sweep->plan->count; i++) {
		struct case_state *state = &sweep->cases[i];
		const int owner = gpu_share_owner(part->share, i);

		if (owner != part->slot && (owner >= 0 || !all)) {
			leave_out(sweep, i);
		} else if (state->elsewhere) {
			state->ended = state->elsewhere = false;
			sweep->steps_total += case_steps_left(sweep, i);
		}
	}
}
