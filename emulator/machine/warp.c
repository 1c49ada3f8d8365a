#include "emulator/machine/warp_splits.h"

#include "emulator/machine/control_flow.h"
#include "emulator/machine/races/dead_loads.h"
#include "emulator/machine/undefined/undefined.h"
#include "emulator/machine/warpgroups/warpgroup.h"

#include <string.h>

/* Whether follow() must see every instruction. */
static bool is_followed(const struct warp *warp)
{
	return warp->load_value_rows || warpgroup_is_pending(warp) || warp->block->launch->follower;
}

static void follow(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	if (warp->block->launch->follower)
		undefined_follow(warp, at, lanes);
	if (warp->load_value_rows)
		load_values_follow(warp, at, lanes);
	if (warpgroup_is_pending(warp))
		warpgroup_follow(warp, at, lanes);
}

/* Runs the active split until the turn is over, or the split waits or ends. */
static enum step run_split(struct warp *warp)
{
	const struct frame *frame;
	const struct flow_step *here;
	const struct instruction *at, *end;
	uint32_t pc, lanes;
	enum step step;

	do {
		frame = warp->frame;
		pc = warp->pc;
		here = &frame->flow->steps[pc];
		if (here->leader) {
			struct block_count *count;

			if (pc >= warp->merge_pc) {
				warp_merge_splits(warp);
				frame = warp->frame;
				pc = warp->pc;
				here = &frame->flow->steps[pc];
			}
			if (warp->turn_left <= 0)
				return STEP_NEXT;
			warp->turn_left -= here->length;
			count = &frame->flow->blocks[here->block];
			count->warps++;
			count->lanes += warp->active_count;
		}
		at = frame->function->code + pc;
		if (here->guard == GUARD_NONE) {
			end = frame->function->code + here->end;
			if (is_followed(warp)) {
				do {
					follow(warp, at, warp->active);
					step = at->run(warp, at);
				} while (step == STEP_NEXT && ++at != end);
			} else {
				const struct instruction *next;

				do {
					/* Read after the call, it costs short handlers 3 %. */
					next = at->next;
					step = at->run_series(warp, at);
					at = next;
				} while (step == STEP_NEXT && at != end);
			}
			warp->pc = step == STEP_NEXT ? here->end : warp->pc;
			continue;
		}
		lanes = predicate_mask(row_of(warp, at->guard));
		lanes = (at->guard_negated ? ~lanes : lanes) & warp->active;
		count_at(warp, at)->guarded_lanes += lanes_in(lanes);
		if (is_followed(warp))
			follow(warp, at, lanes);
		step = STEP_NEXT;
		if (lanes && here->guard == GUARD_NARROWS) {
			const uint32_t active = warp->active;

			if (lanes != active)
				warp_set_active(warp, lanes);
			step = at->run(warp, at);
			if (lanes != active)
				warp_set_active(warp, active);
		} else if (lanes) {
			if (lanes != warp->active)
				warp_part(warp, pc + 1, lanes);
			step = at->run(warp, at);
		}
		if (step == STEP_NEXT)
			warp->pc = pc + 1;
	} while (step == STEP_NEXT || step == STEP_CHANGED);
	return step;
}

enum turn warp_run(struct warp *warp, int64_t instructions, int64_t *used)
{
	enum turn turn = TURN_OVER;

	warp->turn_size = warp->turn_left = instructions;
	warp->turn_charged = 0;
	while (warp->turn_left > 0) {
		if (!warp->active && !warp_select_first(warp)) {
			turn = TURN_BLOCKED;
			break;
		}
		if (run_split(warp) == STEP_STOPPED) {
			turn = TURN_STOPPED;
			break;
		}
	}
	if (turn != TURN_STOPPED && !warp_alive(warp))
		turn = TURN_ENDED;
	*used = instructions - warp->turn_left - warp->turn_charged;
	return turn;
}
