#include "emulator/machine/undefined.h"

#include "emulator/machine/load_uses.h"

#include <stdlib.h>
#include <string.h>

/* The first rows of a register file are those of 32-bit lanes; no row is smaller. */
#define ROW_BYTES 128
/* Shuffles of one kernel that are told apart. Those beyond share the last place. Origins with this
 * number and above are executions of loads. */
#define ORIGINS 64

/* A shuffle that read an absent lane, when it last did. */
struct origin {
	const struct instruction *at;
	struct frame *frame;
	uint32_t lane, source, members;
	const char *why, *value;
};

struct warp_undefined {
	struct origin origins[ORIGINS];
	uint32_t count;
};

static size_t slot_count(const struct frame *frame)
{
	return frame->function->file_bytes / ROW_BYTES + 1;
}

static uint32_t lanes_of(const struct frame *frame, uint32_t row)
{
	return frame->undefined ? frame->undefined[row / ROW_BYTES].lanes : 0;
}

/* The value of an origin, in these lanes, is used; of a shuffle it is not reported. */
static void use_load(struct warp *warp, uint32_t origin, uint32_t lanes)
{
	if (origin >= ORIGINS && lanes)
		load_uses_used(warp->block->launch->uses, origin - ORIGINS, lanes);
}

/* Sets which of the lanes `written` of a row are undefined. A row has one origin: that of other
 * lanes counts as used if it is another one. */
static void note_row(struct warp *warp, struct frame *frame, uint32_t row, uint32_t written,
		     uint32_t undefined, uint32_t origin)
{
	struct undefined_row *note;
	bool was;

	if (!row || (!frame->undefined && !undefined))
		return;
	if (!frame->undefined)
		frame->undefined = xcalloc(slot_count(frame), sizeof(*frame->undefined));
	note = &frame->undefined[row / ROW_BYTES];
	was = note->lanes != 0;
	note->lanes &= ~written;
	if (undefined && note->origin != origin)
		use_load(warp, note->origin, note->lanes);
	note->lanes |= undefined;
	if (undefined)
		note->origin = origin;
	warp->undefined_rows += (uint32_t)(note->lanes != 0) - (uint32_t)was;
}

void undefined_frame_begin(struct warp *warp, struct frame *frame)
{
	if (!frame->undefined)
		return;
	for (size_t i = 0; i < slot_count(frame); i++)
		warp->undefined_rows -= frame->undefined[i].lanes != 0;
	memset(frame->undefined, 0, slot_count(frame) * sizeof(*frame->undefined));
}

void undefined_free(struct warp *warp)
{
	free(warp->undefined);
	warp->undefined = NULL;
}

/* ---- findings ---- */

static void report_use(struct warp *warp, uint32_t number, const struct frame *user,
		       const struct instruction *use)
{
	const struct origin *origin = &warp->undefined->origins[number];
	struct frame *frame = warp->frame;
	struct text place = TEXT_INIT;

	source_place_text(&place, warp->block->launch->program->module,
			  instruction_statement(user->function, use));
	warp->frame = origin->frame;
	warp_finding(
		warp, origin->at, (int)origin->lane, FINDING_ABSENT_SOURCE,
		"lane %u of warp %u, with the mask 0x%08x, reads lane %u, which %s; the value is "
		"undefined (an H200 gives %s) and used at %s; read only lanes that execute the "
		"shuffle, or drop the value",
		origin->lane, warp->index, origin->members, origin->source, origin->why,
		origin->value, place.data);
	warp->frame = frame;
	text_release(&place);
}

void undefined_used(struct warp *warp, struct frame *frame, const struct instruction *at,
		    uint32_t row, uint32_t lanes)
{
	const uint32_t used = row ? lanes_of(frame, row) & lanes : 0;
	uint32_t origin;

	if (!used)
		return;
	origin = frame->undefined[row / ROW_BYTES].origin;
	if (origin < ORIGINS)
		report_use(warp, origin, frame, at);
	use_load(warp, origin, used);
}

/* ---- shuffles ---- */

static uint32_t origin_add(struct warp *warp, const struct instruction *at, uint32_t lane,
			   uint32_t source)
{
	struct warp_undefined *all;
	uint32_t number = 0;
	const char *why = "is not in its member mask";

	if (!warp->undefined)
		warp->undefined = xcalloc(1, sizeof(*warp->undefined));
	all = warp->undefined;
	while (number < all->count && all->origins[number].at != at)
		number++;
	if (number == ORIGINS)
		number--;
	else if (number == all->count)
		all->count++;
	if (!(warp->present >> source & 1))
		why = "does not exist in this block";
	else if (warp->exited >> source & 1)
		why = "has ended";
	else if (!(warp->active >> source & 1))
		why = "does not execute the shuffle";
	all->origins[number] = (struct origin){
		.at = at,
		.frame = warp->frame,
		.lane = lane,
		.source = source,
		.members = ((const uint32_t *)row_of(warp, at->d))[lane],
		.why = why,
		.value = warp->active >> source & 1 ? "its value" : "0",
	};
	return number;
}

void undefined_shuffled(struct warp *warp, const struct instruction *at, const uint32_t *from,
			uint32_t absent)
{
	struct frame *frame = warp->frame;
	bool joint = warp->file != frame->file;
	uint32_t sources, undefined = absent, origin = 0;

	if (!joint) {
		undefined_used(warp, frame, at, at->b, warp->active);
		undefined_used(warp, frame, at, at->c, warp->active);
		undefined_used(warp, frame, at, at->d, warp->active);
		sources = lanes_of(frame, at->a);
		if (sources && frame->undefined[at->a / ROW_BYTES].origin >= ORIGINS) {
			use_load(warp, frame->undefined[at->a / ROW_BYTES].origin, sources);
			sources = 0;
		}
		for (uint32_t rest = sources ? warp->active & ~absent : 0; rest; rest &= rest - 1)
			if (sources >> from[__builtin_ctz(rest)] & 1)
				undefined |= rest & -rest;
		if (sources)
			origin = frame->undefined[at->a / ROW_BYTES].origin;
	}
	if (absent) {
		uint32_t lane = (uint32_t)__builtin_ctz(absent);

		origin = origin_add(warp, at, lane, from[lane]);
	}
	/* Lanes at several instructions have a register file of their own, without notes. */
	if (joint && absent)
		report_use(warp, origin, frame, at);
	if (joint)
		return;
	note_row(warp, frame, at->dst, warp->active, undefined, origin);
	note_row(warp, frame, at->dst2, warp->active, 0, 0);
}

/* ---- loads ---- */

void undefined_loaded(struct warp *warp, const struct instruction *at, uint32_t execution)
{
	for (unsigned i = 0; i < at->vector; i++)
		note_row(warp, warp->frame, at->rows[i], warp->active, warp->active,
			 ORIGINS + execution);
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

static uint32_t undefined_result(const struct warp *warp, const struct instruction *at)
{
	const struct frame *frame = warp->frame;
	uint32_t a = at->a ? lanes_of(frame, at->a) : 0, b = at->b ? lanes_of(frame, at->b) : 0;
	uint32_t c = at->c ? lanes_of(frame, at->c) : 0, d = at->d ? lanes_of(frame, at->d) : 0;
	uint32_t chosen;

	switch (at->operation) {
	case ALU_SELP_B16:
	case ALU_SELP_B32:
	case ALU_SELP_B64:
		chosen = predicate_mask(row_of(warp, at->c));
		return (chosen & a) | (~chosen & b) | c;
	case ALU_AND_PRED:
	case ALU_OR_PRED:
		return (a & ~decided_by(warp, at, at->b)) | (b & ~decided_by(warp, at, at->a));
	default:
		return a | b | c | d;
	}
}

/* The origin of a result: that of the first operand. Those of others count as used. */
static uint32_t origin_of(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const struct frame *frame = warp->frame;
	const uint32_t rows[] = {at->a, at->b, at->c, at->d};
	uint32_t first = 0;
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint32_t of = rows[i] ? lanes_of(frame, rows[i]) & lanes : 0;
		const uint32_t origin = of ? frame->undefined[rows[i] / ROW_BYTES].origin : 0;

		if (of && found && origin != first)
			use_load(warp, origin, of);
		if (of && !found)
			first = origin;
		found |= of != 0;
	}
	return first;
}

void undefined_follow(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	struct frame *frame = warp->frame;
	struct operands operands;
	uint32_t undefined, origin;

	undefined_used(warp, frame, at, at->guard, warp->active);
	if (!lanes || at->operation == OP_SHUFFLE) /* see undefined_shuffled() */
		return;
	if (alu_row_of(at->operation)) {
		undefined = undefined_result(warp, at) & lanes;
		origin = origin_of(warp, at, undefined);
		note_row(warp, frame, at->dst, lanes, undefined, origin);
		note_row(warp, frame, at->dst2, lanes, undefined, origin);
		return;
	}
	find_operands(&operands, frame, at);
	for (size_t i = 0; i < operands.of.read_count; i++)
		undefined_used(warp, frame, at, *operands.of.reads[i], lanes);
	for (size_t i = 0; i < operands.of.write_count; i++)
		note_row(warp, frame, *operands.of.writes[i], lanes, 0, 0);
}
