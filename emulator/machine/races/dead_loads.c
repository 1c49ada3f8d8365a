#include "emulator/machine/races/dead_loads.h"

#include <stdlib.h>
#include <string.h>

/* ---- origins ---- */

#define NO_ORIGIN UINT32_MAX

/*
 * Where a value comes from: an execution of a load, or what an instruction made of the values of
 * other origins. Nodes are numbered in the order in which they come up, so operands have lower
 * numbers. A use is noted at the node of the value; origins_settle() passes all uses on to the
 * loads.
 */
struct origin_node {
	const struct instruction *load; /* NULL: operands have the value */
	uint32_t active;                /* lanes that execute the load */
	uint32_t used;                  /* lanes whose value is used */
	uint32_t operand[2];            /* numbers; NO_ORIGIN: none */
	uint32_t lanes[2];              /* those in which the value depends on the operand */
	uint32_t map; /* of a shuffle: index in maps of the lanes that operand[0] comes from */
};

struct value_origins {
	struct origin_node *nodes;
	size_t count, capacity;
	uint8_t (*maps)[LANES];
	size_t map_count, map_capacity;
	size_t next; /* where origins_take_load() goes on */
};

enum use_phase { PHASE_FIRST_RUN, PHASE_FOLLOW, PHASE_JUDGE };

struct suspect_load {
	const struct instruction *at;
	uint32_t function;
	instruction_handler *run; /* NULL: it is not followed yet */
};

struct dead_loads {
	enum use_phase phase;
	struct suspect_load *loads;
	size_t load_count, load_capacity;
	struct value_origins origins;
};

/* The lanes of a row that hold a value that is followed, and where it comes from. Each frame has
 * them for its rows. */
struct load_value_row {
	uint32_t lanes;
	uint32_t origin; /* NO_ORIGIN: it is known to be used */
};

/* About 100 MB. */
#define NODES_MOST ((size_t)1 << 21)
#define MAPS_MOST ((size_t)1 << 19)
#define NO_MAP UINT32_MAX

static void value_origins_release(struct value_origins *origins)
{
	free(origins->nodes);
	free(origins->maps);
	*origins = (struct value_origins){0};
}

static void origin_use(struct value_origins *origins, uint32_t origin, uint32_t lanes)
{
	if (origin != NO_ORIGIN)
		origins->nodes[origin].used |= lanes;
}

static uint32_t add_node(struct value_origins *origins, const struct origin_node *node)
{
	if (origins->count == NODES_MOST) {
		origin_use(origins, node->operand[0], ALL_LANES);
		origin_use(origins, node->operand[1], ALL_LANES);
		return NO_ORIGIN;
	}
	origins->nodes = xgrow(origins->nodes, &origins->capacity, origins->count + 1,
			       sizeof(*origins->nodes));
	origins->nodes[origins->count] = *node;
	return (uint32_t)origins->count++;
}

static uint32_t origin_load(struct value_origins *origins, const struct instruction *at,
			    uint32_t active)
{
	return add_node(origins, &(struct origin_node){.load = at,
						       .active = active,
						       .operand = {NO_ORIGIN, NO_ORIGIN},
						       .map = NO_MAP});
}

static uint32_t origin_join(struct value_origins *origins, uint32_t a, uint32_t a_lanes, uint32_t b,
			    uint32_t b_lanes)
{
	if (a == NO_ORIGIN || b == NO_ORIGIN || a == b)
		return a == NO_ORIGIN ? b : a;
	return add_node(origins, &(struct origin_node){.operand = {a, b},
						       .lanes = {a_lanes, b_lanes},
						       .map = NO_MAP});
}

static uint32_t origin_shuffle(struct value_origins *origins, uint32_t a, uint32_t lanes,
			       const uint32_t from[LANES])
{
	const size_t map = origins->map_count;

	if (map == MAPS_MOST) {
		origin_use(origins, a, ALL_LANES);
		return NO_ORIGIN;
	}
	origins->maps =
		xgrow(origins->maps, &origins->map_capacity, map + 1, sizeof(*origins->maps));
	for (int lane = 0; lane < LANES; lane++)
		origins->maps[map][lane] = from[lane] % LANES;
	origins->map_count++;
	return add_node(origins, &(struct origin_node){.operand = {a, NO_ORIGIN},
						       .lanes = {lanes, 0},
						       .map = (uint32_t)map});
}

/* The lanes of an operand that these lanes of a node have their value from. */
static uint32_t lanes_from(const struct value_origins *origins, const struct origin_node *node,
			   uint32_t lanes)
{
	uint32_t from = 0;

	if (node->map == NO_MAP)
		return lanes;
	for (; lanes; lanes &= lanes - 1)
		from |= UINT32_C(1) << origins->maps[node->map][__builtin_ctz(lanes)];
	return from;
}

static void origins_settle(struct value_origins *origins)
{
	for (size_t i = origins->count; i-- > 0;) {
		const struct origin_node *node = &origins->nodes[i];

		for (int k = 0; k < 2; k++)
			origin_use(origins, node->operand[k],
				   lanes_from(origins, node, node->used & node->lanes[k]));
	}
	origins->next = 0;
}

static uint32_t origins_take_load(struct value_origins *origins, const struct instruction *at,
				  uint32_t active)
{
	const struct origin_node *node;

	while (origins->next < origins->count && !origins->nodes[origins->next].load)
		origins->next++;
	if (origins->next == origins->count)
		return 0;
	node = &origins->nodes[origins->next++];
	return node->load == at && node->active == active ? active & ~node->used : 0;
}

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
	EACH_BIT(lane, sources ? warp->active & ~absent : 0)
		if (sources >> from[lane] & 1)
			followed |= UINT32_C(1) << lane;
	if (sources)
		origin = frame->undefined[at->a / ROW_BYTES].origin;
	/* Absent lanes may get the value as well, so it counts as used. */
	if (absent)
		origin_use(origins_of(warp), origin, sources);
	if (absent || !followed)
		origin = NO_ORIGIN;
	else if (origin != NO_ORIGIN)
		origin = origin_shuffle(origins_of(warp), origin, followed, from);
	note_row(warp, frame, at->dst, warp->active, followed, origin);
	note_row(warp, frame, at->dst2, warp->active, 0, NO_ORIGIN);
}

/* ---- loads ---- */

/* ---- other instructions ---- */

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
	struct instruction copy = *at;
	struct instruction_operands operands;

	load_values_used(warp, frame, at->guard, warp->active);
	if (!lanes || at->operation == OP_SHUFFLE) /* see load_values_shuffled() */
		return;
	if (alu_row_of(at->operation)) {
		follow_alu(warp, at, lanes);
		return;
	}
	copy.guard = 0;
	instruction_operands(frame->function, &copy, &operands);
	for (size_t i = 0; i < operands.read_count; i++)
		load_values_used(warp, frame, *operands.reads[i], lanes);
	for (size_t i = 0; i < operands.write_count; i++)
		note_row(warp, frame, *operands.writes[i], lanes, 0, 0);
}

struct dead_loads *dead_loads_create(void)
{
	return xcalloc(1, sizeof(struct dead_loads));
}

void dead_loads_free(struct dead_loads *uses)
{
	if (!uses)
		return;
	free(uses->loads);
	value_origins_release(&uses->origins);
	free(uses);
}

/* ---- suspects ---- */

static struct suspect_load *find_suspect(const struct dead_loads *uses,
					 const struct instruction *at)
{
	for (size_t i = 0; i < uses->load_count; i++)
		if (uses->loads[i].at == at)
			return &uses->loads[i];
	return NULL;
}

/* Others order memory, whatever happens to their value. */
static bool is_plain_load(const struct instruction *at)
{
	return at->operation == OP_LOAD && !at->strong &&
	       (at->space == PTX_SPACE_GLOBAL || at->space == PTX_SPACE_SHARED ||
		at->space == PTX_SPACE_GENERIC);
}

static bool is_of_same_line(const struct program_function *function, const struct instruction *a,
			    const struct instruction *b)
{
	const struct ptx_statement *first = instruction_statement(function, a);
	const struct ptx_statement *second = instruction_statement(function, b);

	return first->source_line && first->source_line == second->source_line &&
	       first->file == second->file;
}

void dead_loads_suspect(struct dead_loads *uses, const struct ptx_program *program,
			uint32_t function, const struct instruction *at)
{
	const struct program_function *of = &program->functions[function];

	if (!is_plain_load(at) || find_suspect(uses, at))
		return;
	for (const struct instruction *load = of->code; load < of->code + of->code_count; load++) {
		if (load != at && (!is_plain_load(load) || find_suspect(uses, load) ||
				   !is_of_same_line(of, at, load)))
			continue;
		uses->loads = xgrow(uses->loads, &uses->load_capacity, uses->load_count + 1,
				    sizeof(*uses->loads));
		uses->loads[uses->load_count++] =
			(struct suspect_load){.at = load, .function = function};
	}
}

bool dead_loads_has_suspects(const struct dead_loads *uses)
{
	for (size_t i = 0; i < uses->load_count; i++)
		if (!uses->loads[i].run)
			return true;
	return false;
}

/* ---- the handler of a suspect ---- */

static enum step follow_load(struct warp *warp, const struct instruction *at,
			     struct dead_loads *uses, instruction_handler *run)
{
	enum step step = run(warp, at);
	uint32_t origin;

	if (step != STEP_NEXT)
		return step;
	origin = origin_load(&uses->origins, at, warp->active);
	for (unsigned i = 0; origin != NO_ORIGIN && i < at->vector; i++)
		note_row(warp, warp->frame, at->rows[i], warp->active, warp->active, origin);
	/* The loop must look again whether it is to follow values. */
	warp->pc = (uint32_t)(at - warp->frame->function->code) + 1;
	return STEP_CHANGED;
}

static enum step run_suspect(struct warp *warp, const struct instruction *at)
{
	struct dead_loads *uses = warp->block->launch->uses;
	instruction_handler *run = find_suspect(uses, at)->run;
	enum step step;

	if (uses->phase == PHASE_FOLLOW)
		return follow_load(warp, at, uses, run);
	if (uses->phase == PHASE_JUDGE)
		warp->dropped = origins_take_load(&uses->origins, at, warp->active);
	step = run(warp, at);
	warp->dropped = 0;
	return step;
}

/* ---- runs ---- */

void dead_loads_follow(struct dead_loads *uses, struct ptx_program *program)
{
	for (size_t i = 0; i < uses->load_count; i++) {
		struct suspect_load *suspect = &uses->loads[i];
		struct instruction *code = program->functions[suspect->function].code;
		struct instruction *load = code + (suspect->at - code);

		if (suspect->run)
			continue;
		suspect->run = load->run;
		load->run = load->run_series = run_suspect;
	}
	uses->phase = PHASE_FOLLOW;
	value_origins_release(&uses->origins);
}

void dead_loads_judge(struct dead_loads *uses)
{
	uses->phase = PHASE_JUDGE;
	origins_settle(&uses->origins);
}
