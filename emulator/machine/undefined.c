#include "emulator/machine/undefined.h"

#include "emulator/machine/load_uses.h"

#include <stdlib.h>
#include <string.h>

/* The first rows of a register file are those of 32-bit lanes; no row is smaller. */
#define ROW_BYTES 128
/* Shuffles of one kernel that are told apart. Those beyond share the last place. Origins with this
 * number and above are nodes of value_origins.h; with the last number, values that are known to be
 * used. */
#define ORIGINS 64
#define USED_ORIGIN UINT32_MAX

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

/* ---- loads that are followed ---- */

static struct value_origins *origins_of(const struct warp *warp)
{
	return &warp->block->launch->uses->origins;
}

static uint32_t node_of(uint32_t origin)
{
	return origin == USED_ORIGIN ? NO_ORIGIN : origin - ORIGINS;
}

static uint32_t origin_of_node(uint32_t node)
{
	return node == NO_ORIGIN ? USED_ORIGIN : ORIGINS + node;
}

/* The origin of a value with two. That of a shuffle goes: its findings are those of another run. */
static uint32_t join_origins(const struct warp *warp, uint32_t a, uint32_t a_lanes, uint32_t b,
			     uint32_t b_lanes)
{
	if (a < ORIGINS || b < ORIGINS)
		return a < ORIGINS && b >= ORIGINS ? b : a;
	return origin_of_node(
		origin_join(origins_of(warp), node_of(a), a_lanes, node_of(b), b_lanes));
}

/* Sets which of the lanes `written` of a row are undefined. */
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
	if (undefined && note->lanes)
		origin = join_origins(warp, origin, undefined, note->origin, note->lanes);
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
	else
		origin_use(origins_of(warp), node_of(origin), used);
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

/* The origin of what lanes `lanes` get from the lanes `sources`. With absent lanes, which may get
 * the value as well, a load counts as used. */
static uint32_t shuffled_origin(const struct warp *warp, uint32_t origin, uint32_t sources,
				uint32_t lanes, bool has_absent, const uint32_t *from)
{
	if (origin < ORIGINS)
		return origin;
	if (has_absent) {
		origin_use(origins_of(warp), node_of(origin), sources);
		return USED_ORIGIN;
	}
	if (!lanes || origin == USED_ORIGIN)
		return USED_ORIGIN;
	return origin_of_node(origin_shuffle(origins_of(warp), node_of(origin), lanes, from));
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
		for (uint32_t rest = sources ? warp->active & ~absent : 0; rest; rest &= rest - 1)
			if (sources >> from[__builtin_ctz(rest)] & 1)
				undefined |= rest & -rest;
		if (sources)
			origin = shuffled_origin(warp, frame->undefined[at->a / ROW_BYTES].origin,
						 sources, undefined & ~absent, absent != 0, from);
	}
	if (absent && origin < ORIGINS) {
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

void undefined_loaded(struct warp *warp, const struct instruction *at, uint32_t node)
{
	for (unsigned i = 0; i < at->vector; i++)
		note_row(warp, warp->frame, at->rows[i], warp->active, warp->active,
			 ORIGINS + node);
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
		origin = undefined ? join_origins(warp, origin, undefined, next, more) : next;
		undefined |= more;
	}
	note_row(warp, frame, at->dst, lanes, undefined, origin);
	note_row(warp, frame, at->dst2, lanes, undefined, origin);
}

void undefined_follow(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	struct frame *frame = warp->frame;
	struct operands operands;

	undefined_used(warp, frame, at, at->guard, warp->active);
	if (!lanes || at->operation == OP_SHUFFLE) /* see undefined_shuffled() */
		return;
	if (alu_row_of(at->operation)) {
		follow_alu(warp, at, lanes);
		return;
	}
	find_operands(&operands, frame, at);
	for (size_t i = 0; i < operands.of.read_count; i++)
		undefined_used(warp, frame, at, *operands.of.reads[i], lanes);
	for (size_t i = 0; i < operands.of.write_count; i++)
		note_row(warp, frame, *operands.of.writes[i], lanes, 0, 0);
}
