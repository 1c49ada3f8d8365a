#include "emulator/machine/races/load_values.h"

#include "emulator/machine/races/dead_loads.h"

#include <stdlib.h>
#include <string.h>

/* The first rows of a register file are those of 32-bit lanes; no row is smaller. */
#define ROW_BYTES 128

static size_t slot_count(const struct frame *frame)
{
	return frame->function->file_bytes / ROW_BYTES + 1;
}

static uint32_t lanes_of(const struct frame *frame, uint32_t row)
{
	return frame->undefined ? frame->undefined[row / ROW_BYTES].lanes : 0;
}

/* ---- loads that are followed ---- */

static struct value_origins *origins_of(const struct warp *warp)
{
	return &warp->block->launch->uses->origins;
}

/* Sets which of the lanes `written` of a row are undefined. */
static void note_row(struct warp *warp, struct frame *frame, uint32_t row, uint32_t written,
		     uint32_t undefined, uint32_t origin)
{
	struct load_value_row *note;
	bool was;

	if (!row || (!frame->undefined && !undefined))
		return;
	if (!frame->undefined)
		frame->undefined = xcalloc(slot_count(frame), sizeof(*frame->undefined));
	note = &frame->undefined[row / ROW_BYTES];
	was = note->lanes != 0;
	note->lanes &= ~written;
	if (undefined && note->lanes)
		origin =
			origin_join(origins_of(warp), origin, undefined, note->origin, note->lanes);
	note->lanes |= undefined;
	if (undefined)
		note->origin = origin;
	warp->load_value_rows += (uint32_t)(note->lanes != 0) - (uint32_t)was;
}

void load_values_frame_begin(struct warp *warp, struct frame *frame)
{
	if (!frame->undefined)
		return;
	for (size_t i = 0; i < slot_count(frame); i++)
		warp->load_value_rows -= frame->undefined[i].lanes != 0;
	memset(frame->undefined, 0, slot_count(frame) * sizeof(*frame->undefined));
}

/* ---- uses ---- */

void load_values_used(struct warp *warp, struct frame *frame, uint32_t row, uint32_t lanes)
{
	const uint32_t used = row ? lanes_of(frame, row) & lanes : 0;

	if (used)
		origin_use(origins_of(warp), frame->undefined[row / ROW_BYTES].origin, used);
}

/* ---- shuffles ---- */

/* The origin of what lanes `lanes` get from the lanes `sources`. With absent lanes, which may get
 * the value as well, it counts as used. */
static uint32_t shuffled_origin(const struct warp *warp, uint32_t origin, uint32_t sources,
				uint32_t lanes, bool has_absent, const uint32_t *from)
{
	if (has_absent)
		origin_use(origins_of(warp), origin, sources);
	if (has_absent || !lanes || origin == NO_ORIGIN)
		return NO_ORIGIN;
	return origin_shuffle(origins_of(warp), origin, lanes, from);
}

void load_values_shuffled(struct warp *warp, const struct instruction *at, const uint32_t *from,
			  uint32_t absent)
{
	struct frame *frame = warp->frame;
	uint32_t sources, followed = 0, origin = NO_ORIGIN;

	/* Lanes at several instructions have a register file of their own, without notes. */
	if (warp->file != frame->file)
		return;
	load_values_used(warp, frame, at->b, warp->active);
	load_values_used(warp, frame, at->c, warp->active);
	load_values_used(warp, frame, at->d, warp->active);
	sources = lanes_of(frame, at->a);
	for (uint32_t rest = sources ? warp->active & ~absent : 0; rest; rest &= rest - 1)
		if (sources >> from[__builtin_ctz(rest)] & 1)
			followed |= rest & -rest;
	if (sources)
		origin = shuffled_origin(warp, frame->undefined[at->a / ROW_BYTES].origin, sources,
					 followed, absent != 0, from);
	note_row(warp, frame, at->dst, warp->active, followed, origin);
	note_row(warp, frame, at->dst2, warp->active, 0, NO_ORIGIN);
}

/* ---- loads ---- */

void load_values_loaded(struct warp *warp, const struct instruction *at, uint32_t node)
{
	for (unsigned i = 0; i < at->vector; i++)
		note_row(warp, warp->frame, at->rows[i], warp->active, warp->active, node);
}

/* ---- other instructions ---- */

struct operands {
	struct instruction copy;
	struct instruction_operands of;
};

static void find_operands(struct operands *out, const struct frame *frame,
			  const struct instruction *at)
{
	out->copy = *at;
	out->copy.guard = 0;
	instruction_operands(frame->function, &out->copy, &out->of);
}

/* The lanes in which this operand alone decides an AND or OR of two predicates. */
static uint32_t decided_by(const struct warp *warp, const struct instruction *at, uint32_t row)
{
	uint32_t holds = predicate_mask(row_of(warp, row));

	return (at->operation == ALU_OR_PRED ? holds : ~holds) & ~lanes_of(warp->frame, row);
}

#define ALU_OPERANDS 4

/* The lanes in which the result depends on an undefined value, by operand. */
static void undefined_operands(uint32_t out[ALU_OPERANDS], const struct warp *warp,
			       const struct instruction *at)
{
	const uint32_t rows[ALU_OPERANDS] = {at->a, at->b, at->c, at->d};
	uint32_t chosen;

	for (size_t i = 0; i < ALU_OPERANDS; i++)
		out[i] = rows[i] ? lanes_of(warp->frame, rows[i]) : 0;
	switch (at->operation) {
	case ALU_SELP_B16:
	case ALU_SELP_B32:
	case ALU_SELP_B64:
		/* with an undefined choice it depends on the choice, and on one of the two */
		chosen = predicate_mask(row_of(warp, at->c));
		out[0] &= chosen;
		out[1] &= ~chosen;
		break;
	case ALU_AND_PRED:
	case ALU_OR_PRED:
		chosen = decided_by(warp, at, at->b);
		out[1] &= ~decided_by(warp, at, at->a);
		out[0] &= ~chosen;
		break;
	default:
		break;
	}
}

/* Notes the result of an ALU instruction: where it is undefined, and where the value is from. */
static void follow_alu(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const uint32_t rows[ALU_OPERANDS] = {at->a, at->b, at->c, at->d};
	struct frame *frame = warp->frame;
	uint32_t of[ALU_OPERANDS], undefined = 0, origin = 0;

	undefined_operands(of, warp, at);
	for (size_t i = 0; i < ALU_OPERANDS; i++) {
		const uint32_t more = of[i] & lanes;
		uint32_t next;

		if (!more)
			continue;
		next = frame->undefined[rows[i] / ROW_BYTES].origin;
		origin = undefined ? origin_join(origins_of(warp), origin, undefined, next, more)
				   : next;
		undefined |= more;
	}
	note_row(warp, frame, at->dst, lanes, undefined, origin);
	note_row(warp, frame, at->dst2, lanes, undefined, origin);
}

void load_values_follow(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	struct frame *frame = warp->frame;
	struct operands operands;

	load_values_used(warp, frame, at->guard, warp->active);
	if (!lanes || at->operation == OP_SHUFFLE) /* see load_values_shuffled() */
		return;
	if (alu_row_of(at->operation)) {
		follow_alu(warp, at, lanes);
		return;
	}
	find_operands(&operands, frame, at);
	for (size_t i = 0; i < operands.of.read_count; i++)
		load_values_used(warp, frame, *operands.of.reads[i], lanes);
	for (size_t i = 0; i < operands.of.write_count; i++)
		note_row(warp, frame, *operands.of.writes[i], lanes, 0, 0);
}
