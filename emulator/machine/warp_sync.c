/*
 * Instructions that several lanes of a warp execute together. Lanes that arrive
 * first are parked. Lanes that arrive at the same instruction merge with them.
 * Lanes that wait for each other at different instructions execute together if
 * PTX allows it.
 */
#include "emulator/machine/warp_sync.h"

#include "emulator/machine/control_flow.h"
#include "emulator/machine/races/dead_loads.h"
#include "emulator/machine/warp_splits.h"

#include <string.h>

static const struct instruction *parked_instruction(const struct split *split)
{
	return &split->frame->function->code[split->pc];
}

/* Without source lines, each statement is a place. */
static bool is_same_place(const struct ptx_statement *a, const struct ptx_statement *b)
{
	return a == b ||
	       (a->source_line && a->file == b->file && a->source_line == b->source_line &&
		a->caller_file == b->caller_file && a->caller_line == b->caller_line);
}

void note_barrier_place(struct warp *warp, const struct instruction *at, unsigned number,
			struct barrier *barrier)
{
	const struct ptx_statement *here = instruction_statement(warp->frame->function, at);
	struct text text = TEXT_INIT;

	if (!barrier->place) {
		barrier->first_at = at;
		barrier->place = here;
		barrier->first_warp = warp->index;
	}
	if (is_same_place(barrier->place, here))
		return;
	source_place_text(&text, warp->block->launch->program->module, barrier->place);
	warp_finding(
		warp, at, -1, FINDING_PLACES,
		"warp %u comes to barrier %u here, and warp %u at %s; a GPU lets them pass, but "
		"CUDA does not define it: move the barrier out of the branch or loop",
		warp->index, number, barrier->first_warp, text.data);
	text_release(&text);
}

static void note_warp_barrier_place(struct warp *warp, const struct instruction *at,
				    const struct split *split)
{
	const struct ptx_statement *other =
		instruction_statement(split->frame->function, parked_instruction(split));
	struct text text = TEXT_INIT;

	if (is_same_place(other, instruction_statement(warp->frame->function, at)))
		return;
	source_place_text(&text, warp->block->launch->program->module, other);
	warp_finding(
		warp, at, -1, FINDING_PLACES,
		"lanes of warp %u come to __syncwarp() here, and others at %s; a GPU lets them "
		"pass, but each call may be there for other accesses: move it out of the branch",
		warp->index, text.data);
	text_release(&text);
}

static bool is_barrier(const struct instruction *at)
{
	return at->operation == OP_BARRIER || at->operation == OP_BARRIER_REDUCE ||
	       at->operation == OP_BARRIER_ARRIVE || at->operation == OP_CLUSTER_ARRIVE ||
	       at->operation == OP_CLUSTER_WAIT;
}

/* Whether lanes may execute it together from different places. PTX demands one instruction for
 * barriers that are aligned, for those on matrices and for tensormap.cp_fenceproxy. */
static bool is_exchange(const struct instruction *at)
{
	return at->operation == OP_WARP_BARRIER || at->operation == OP_SHUFFLE ||
	       at->operation == OP_VOTE || at->operation == OP_MATCH || at->operation == OP_REDUX ||
	       at->operation == OP_ELECT;
}

/* Corrects the count of an instruction that can park, which is a basic block of its own. */
static void recount(const struct frame *frame, struct warp *warp, const struct instruction *at,
		    int warps, int lanes)
{
	uint32_t pc = (uint32_t)(at - frame->function->code);
	struct block_count *count = &frame->flow->blocks[frame->flow->steps[pc].block];

	count->warps += (uint64_t)(int64_t)warps;
	count->lanes += (uint64_t)(int64_t)lanes;
	if (at->guard)
		warp->block->launch->counts[frame->function_index][pc].guarded_lanes +=
			(uint64_t)(int64_t)lanes;
}

/* Returns the lanes that the active ones name. *unnamed: lanes that do not name themselves. */
static uint32_t named_lanes(const struct warp *warp, uint32_t members, uint32_t *unnamed)
{
	const uint32_t *row;
	uint32_t named = 0, common = ALL_LANES;

	*unnamed = 0;
	if (!members)
		return ALL_LANES;
	row = row_of(warp, members);
	for (int lane = 0; lane < LANES; lane++) {
		named |= row[lane] & (uint32_t)warp->lanes[lane];
		common &= row[lane] | ~(uint32_t)warp->lanes[lane];
	}
	if (warp->active & ~common)
		for (int lane = 0; lane < LANES; lane++)
			*unnamed |= ~row[lane] & UINT32_C(1) << lane & warp->active;
	return named;
}

static void merge_parked(struct warp *warp, const struct instruction *at)
{
	uint32_t pc = pc_of(warp, at);

	for (unsigned i = 0; i < warp->waiting_count;) {
		struct split *split = &warp->waiting[i];

		if (split->state == SPLIT_PARKED && split->frame == warp->frame &&
		    split->pc == pc) {
			recount(warp->frame, warp, at, 0, (int)lanes_in(split->mask));
			warp_set_active(warp, warp->active | split->mask);
			warp->parked_count--;
			*split = warp->waiting[--warp->waiting_count];
		} else {
			i++;
		}
	}
}

enum step warp_gather(struct warp *warp, const struct instruction *at, uint32_t members)
{
	uint32_t unnamed, named = named_lanes(warp, members, &unnamed);
	struct split *split;

	if (named & warp_alive(warp) & ~warp->active && warp->parked_count) {
		merge_parked(warp, at);
		named = named_lanes(warp, members, &unnamed);
	}
	if (!(named & warp_alive(warp) & ~warp->active)) {
		if (!unnamed)
			return STEP_NEXT;
		/* An H200 executes it with all lanes that are here, whatever the masks say. */
		return warp_finding(
			warp, at, __builtin_ctz(unnamed), FINDING_ABSENT_LANES,
			"the mask 0x%08x does not name the lane that executes it, which PTX "
			"leaves undefined (on an H200 the lane takes part); add the lane to the "
			"mask",
			((const uint32_t *)row_of(warp, members))[__builtin_ctz(unnamed)]);
	}
	recount(warp->frame, warp, at, -1, -(int)warp->active_count);
	split = warp_suspend(warp, pc_of(warp, at), SPLIT_PARKED);
	split->named = named;
	return STEP_WAITING;
}

enum step warp_gather_whole(struct warp *warp, const struct instruction *at)
{
	enum step step = warp_gather(warp, at, 0);

	if (step != STEP_NEXT)
		return step;
	if (warp->active != ALL_LANES)
		return warp_finding(warp, at, -1, FINDING_ABSENT_LANES,
				    "lanes 0x%08x of warp %u execute it, but it needs all 32; "
				    "start whole warps, and let no lane end before",
				    warp->active, warp->index);
	return STEP_NEXT;
}

/* ---- lanes that never arrive ---- */

/* Reports that the lanes `absent` do not arrive at a parked split. No split may run. */
static enum step absent_finding(struct warp *warp, const struct split *split, uint32_t absent,
				enum finding_kind kind, const char *where)
{
	const struct instruction *at = parked_instruction(split);
	uint32_t came = split->mask;

	warp->frame = split->frame;
	warp->file = split->frame->file;
	if (is_barrier(at))
		return warp_finding(
			warp, at, -1, FINDING_DIVERGENT_BARRIER,
			"lanes 0x%08x of warp %u wait here, but lanes 0x%08x %s; move the "
			"barrier out of the branch",
			came, warp->index, absent, where);
	return warp_finding(warp, at, -1, kind,
			    "lanes 0x%08x of warp %u name lanes 0x%08x, which %s; name only lanes "
			    "that execute the instruction",
			    came, warp->index, absent, where);
}

enum step warp_lanes_ended(struct warp *warp, uint32_t lanes)
{
	for (unsigned i = 0; i < warp->waiting_count; i++) {
		struct split *split = &warp->waiting[i];

		if (split->state != SPLIT_PARKED)
			continue;
		if (split->named & split->passed & lanes &&
		    absent_finding(warp, split, split->named & split->passed & lanes,
				   FINDING_ABSENT_LANES, "went past it and ended") == STEP_STOPPED)
			return STEP_STOPPED;
		if (!(split->named & warp_alive(warp) & ~split->mask)) {
			split->state = SPLIT_READY;
			warp->parked_count--;
		}
	}
	return STEP_NEXT;
}

enum step warp_parked_forever(struct warp *warp)
{
	const struct split *first = NULL;

	for (unsigned i = 0; i < warp->waiting_count; i++) {
		const struct split *split = &warp->waiting[i];

		if (split->state == SPLIT_PARKED &&
		    (!first || split_precedes(split->frame, split->pc, first->frame, first->pc)))
			first = split;
	}
	if (!first)
		return STEP_NEXT;
	return absent_finding(warp, first, first->named & warp_alive(warp) & ~first->mask,
			      FINDING_DEADLOCK, "wait elsewhere");
}

/* ---- executing together at different instructions ---- */

/* A register file and an instruction for splits that execute together. */
enum { JOINT_ROWS = 7, JOINT_ROW_BYTES = 256 };
#define JOINT_ROW(index) ((uint32_t)(((index) + 1) * JOINT_ROW_BYTES))

struct joint {
	_Alignas(64) unsigned char file[(JOINT_ROWS + 1) * JOINT_ROW_BYTES];
	unsigned char bits[(JOINT_ROWS + 1) * JOINT_ROW_BYTES];
	undefined_origin origins[(JOINT_ROWS + 1) * JOINT_ROW_BYTES / 4];
	struct undefined_file undefined;
	struct instruction instruction;
};

static void copy_lanes(unsigned char *to, const unsigned char *from, size_t width, uint32_t mask)
{
	for (size_t lane = 0; lane < LANES; lane++)
		if (mask >> lane & 1)
			memcpy(to + lane * width, from + lane * width, width);
}

/* What is known of a value of 32 bits. */
static void copy_undefined(const struct undefined_file *to, uint32_t to_row,
			   const struct undefined_file *from, uint32_t from_row, uint32_t mask)
{
	if (!to->bits || !from->bits)
		return;
	copy_lanes(to->bits + to_row, from->bits + from_row, 4, mask);
	copy_lanes((unsigned char *)(to->origins + to_row / 4),
		   (const unsigned char *)(from->origins + from_row / 4), 4, mask);
}

/* The joint registers have no notes of values that dead_loads.h follows: these are used here. */
static void joint_take(struct joint *joint, struct warp *warp, const struct split *split)
{
	const struct instruction *at = parked_instruction(split);
	const uint32_t rows[] = {at->a, at->b, at->c, at->d};
	const bool wide = at->operation == OP_MATCH &&
			  (at->type == TYPE_u64 || at->type == TYPE_s64 || at->type == TYPE_b64);

	for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
		load_values_used(warp, split->frame, rows[i], split->mask);
		if (!rows[i])
			continue;
		copy_lanes(joint->file + JOINT_ROW(i), split->frame->file + rows[i],
			   i == 0 && wide ? 8 : 4, split->mask);
		copy_undefined(&joint->undefined, JOINT_ROW(i), &split->frame->undefined_bits,
			       rows[i], split->mask);
	}
}

static void joint_give(const struct joint *joint, const struct split *split)
{
	const struct instruction *at = parked_instruction(split);
	const uint32_t rows[] = {at->dst, at->dst2};

	for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i]) {
			copy_lanes(split->frame->file + rows[i], joint->file + JOINT_ROW(4 + i), 4,
				   split->mask);
			copy_undefined(&split->frame->undefined_bits, rows[i], &joint->undefined,
				       JOINT_ROW(4 + i), split->mask);
		}
}

static bool is_partner(const struct split *first, const struct split *other)
{
	const struct instruction *a = parked_instruction(first), *b = parked_instruction(other);

	return other->state == SPLIT_PARKED && other->named == first->named &&
	       a->operation == b->operation && a->kind == b->kind && a->type == b->type;
}

static enum step execute_together(struct warp *warp, const struct split *first, uint32_t lanes)
{
	const struct instruction *at = parked_instruction(first);
	struct joint joint = {.instruction = *at};
	struct split like = *first;
	enum step step;

	joint.instruction.guard = 0;
	joint.instruction.a = at->a ? JOINT_ROW(0) : 0;
	joint.instruction.b = at->b ? JOINT_ROW(1) : 0;
	joint.instruction.c = at->c ? JOINT_ROW(2) : 0;
	joint.instruction.d = at->d ? JOINT_ROW(3) : 0;
	joint.instruction.dst = JOINT_ROW(4);
	joint.instruction.dst2 = JOINT_ROW(5);
	joint.undefined = (struct undefined_file){joint.bits, joint.origins};
	for (unsigned i = 0; i < warp->waiting_count; i++)
		if (is_partner(&like, &warp->waiting[i]))
			joint_take(&joint, warp, &warp->waiting[i]);
	warp->frame = first->frame;
	for (unsigned i = 0; i < warp->waiting_count && at->operation == OP_WARP_BARRIER; i++)
		if (is_partner(&like, &warp->waiting[i]))
			note_warp_barrier_place(warp, at, &warp->waiting[i]);
	warp->file = joint.file;
	warp->joint_undefined = &joint.undefined;
	warp_set_active(warp, lanes);
	step = at->run(warp, &joint.instruction);
	warp_set_active(warp, 0);
	warp->file = warp->frame->file;
	warp->joint_undefined = NULL;
	if (step == STEP_STOPPED)
		return step;
	for (unsigned i = 0; i < warp->waiting_count; i++) {
		struct split *split = &warp->waiting[i];

		if (!is_partner(&like, split))
			continue;
		joint_give(&joint, split);
		recount(split->frame, warp, parked_instruction(split), 1,
			(int)lanes_in(split->mask));
		split->state = SPLIT_READY;
		split->pc++;
		warp->parked_count--;
	}
	return STEP_CHANGED;
}

enum step warp_parked_meet(struct warp *warp)
{
	bool others = false; /* some lanes wait for threads of other warps */

	for (unsigned i = 0; i < warp->waiting_count; i++) {
		const struct split *first = &warp->waiting[i];
		uint32_t lanes = 0;

		if (first->state == SPLIT_AT_BARRIER)
			others |= warp->block->barriers[first->barrier].threads != 0;
		others |= first->state == SPLIT_AT_CLUSTER_BARRIER;
		if (first->state != SPLIT_PARKED || !is_exchange(parked_instruction(first)))
			continue;
		for (unsigned k = 0; k < warp->waiting_count; k++)
			if (is_partner(first, &warp->waiting[k]))
				lanes |= warp->waiting[k].mask;
		if (!(first->named & warp_alive(warp) & ~lanes))
			return execute_together(warp, first, lanes);
	}
	if (others || !warp->parked_count)
		return STEP_WAITING;
	return warp_parked_forever(warp) == STEP_STOPPED ? STEP_STOPPED : STEP_WAITING;
}
