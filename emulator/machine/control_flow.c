#include "emulator/machine/control_flow.h"

#include "emulator/program/decode.h"

#include <stdlib.h>
#include <string.h>

static bool ends_function(const struct instruction *at)
{
	return at->operation == OP_RET || at->operation == OP_EXIT || at->operation == OP_TRAP;
}

/* Instructions that may wait for lanes of their warp; they then execute again. */
static bool may_park(const struct instruction *at)
{
	switch (at->operation) {
	case OP_BARRIER:
	case OP_BARRIER_REDUCE:
	case OP_BARRIER_ARRIVE:
	case OP_CLUSTER_ARRIVE:
	case OP_CLUSTER_WAIT:
	case OP_WARP_BARRIER:
	case OP_SHUFFLE:
	case OP_VOTE:
	case OP_MATCH:
	case OP_REDUX:
	case OP_ELECT:
	case OP_MAP_COPY:
	case OP_MATRIX_LOAD:
	case OP_MATRIX_STORE:
	case OP_MATRIX_TRANSPOSE:
	case OP_MATRIX_PRODUCT:
	case OP_GROUP_PRODUCT:
	case OP_GROUP_FENCE:
	case OP_GROUP_COMMIT:
	case OP_GROUP_WAIT:
		return true;
	default:
		return false;
	}
}

static bool changes_lanes(const struct instruction *at)
{
	return ends_function(at) || may_park(at) || at->operation == OP_BRA ||
	       at->operation == OP_BRX || at->operation == OP_CALL;
}

/* Returns true if another thread may change what the instruction reads. */
static bool reads_shared_state(const struct program_function *function,
			       const struct instruction *at)
{
	const struct ptx_statement *statement;

	if (at->operation == OP_ATOMIC || at->operation == OP_CALL || at->operation == OP_FENCE ||
	    at->operation == OP_MBARRIER)
		return true;
	if (at->operation != OP_LOAD)
		return false;
	statement = instruction_statement(function, at);
	return statement_has_modifier(statement, "volatile") ||
	       statement_has_modifier(statement, "relaxed") ||
	       statement_has_modifier(statement, "acquire");
}

static void mark_spinning(const struct program_function *function, struct instruction *code,
			  size_t count)
{
	size_t last_seen = 0; /* the latest instruction that reads shared state, plus 1 */

	for (size_t i = 0; i < count; i++) {
		if (reads_shared_state(function, &code[i]))
			last_seen = i + 1;
		if (code[i].operation == OP_BRA) {
			bool spins = code[i].target <= i && last_seen > code[i].target;

			code[i].kind = spins ? BRANCH_MAY_SPIN : 0;
		}
	}
}

static void mark_leaders(struct control_flow *flow, const struct program_function *function,
			 const struct instruction *code, size_t count)
{
	flow->steps[0].leader = true;
	for (size_t i = 0; i < count; i++) {
		if (code[i].leader || may_park(&code[i]))
			flow->steps[i].leader = true;
		if (code[i].operation == OP_BRA)
			flow->steps[code[i].target].leader = true;
		if (changes_lanes(&code[i]) && i + 1 < count)
			flow->steps[i + 1].leader = true;
	}
	for (size_t table = 0; table < function->table_count; table++)
		for (size_t i = 0; i < function->tables[table].count; i++)
			flow->steps[function->tables[table].targets[i]].leader = true;
}

static enum guard_handling guard_handling(const struct instruction *at)
{
	if (!at->guard || at->operation == OP_BRA)
		return GUARD_NONE;
	return changes_lanes(at) ? GUARD_SPLITS : GUARD_NARROWS;
}

int control_flow_build(struct control_flow *flow, const struct program_function *function,
		       struct instruction *code, struct error *err)
{
	size_t count = function->code_count, leader = 0;
	uint32_t end;

	*flow = (struct control_flow){.function = function};
	flow->steps = calloc(count, sizeof(*flow->steps));
	flow->leads_through = calloc(count, sizeof(*flow->leads_through));
	if (!flow->steps || !flow->leads_through)
		goto no_memory;
	mark_leaders(flow, function, code, count);
	mark_spinning(function, code, count);
	for (size_t i = 0; i < count; i++) {
		flow->steps[i].guard = guard_handling(&code[i]);
		if (flow->steps[i].leader) {
			leader = i;
			flow->block_count++;
		}
		flow->steps[i].block = (uint32_t)flow->block_count - 1;
		flow->steps[leader].length += !code[i].auxiliary;
	}
	end = (uint32_t)count;
	for (size_t i = count; i-- > 0;) {
		flow->steps[i].end = end;
		if (flow->steps[i].leader || flow->steps[i].guard != GUARD_NONE)
			end = (uint32_t)i;
	}
	flow->blocks = calloc(flow->block_count, sizeof(*flow->blocks));
	if (!flow->blocks)
		goto no_memory;
	return 0;
no_memory:
	control_flow_release(flow);
	return error_set(err, PL_ENOMEM, "%zu instructions", count);
}

void control_flow_release(struct control_flow *flow)
{
	if (flow->leads_through)
		for (size_t i = 0; i < flow->function->code_count; i++)
			free(flow->leads_through[i]);
	free(flow->leads_through);
	free(flow->steps);
	free(flow->blocks);
	*flow = (struct control_flow){0};
}

/* ---- paths to the end ---- */

struct walk {
	const struct program_function *function;
	uint32_t *stack;
	size_t depth;
	bool *seen;
	uint32_t avoided;
};

static void walk_to(struct walk *walk, uint32_t to)
{
	if (to == walk->avoided || walk->seen[to])
		return;
	walk->seen[to] = true;
	walk->stack[walk->depth++] = to;
}

/* Returns true if some path from `from` reaches the end without `avoided`. */
static bool end_is_reached(struct walk *walk, uint32_t from)
{
	walk_to(walk, from);
	while (walk->depth > 0) {
		uint32_t pc = walk->stack[--walk->depth];
		const struct instruction *at = &walk->function->code[pc];
		bool goes_on = true;

		if (ends_function(at)) {
			if (!at->guard)
				return true;
		} else if (at->operation == OP_BRA) {
			walk_to(walk, at->target);
			goes_on = at->guard != 0;
		} else if (at->operation == OP_BRX) {
			for (size_t i = 0; i < walk->function->tables[at->target].count; i++)
				walk_to(walk, walk->function->tables[at->target].targets[i]);
			goes_on = at->guard != 0;
		}
		if (goes_on)
			walk_to(walk, pc + 1);
	}
	return false;
}

static bool is_on_every_path(const struct program_function *function, uint32_t from, uint32_t place)
{
	struct walk walk = {.function = function, .avoided = place};
	bool reached;

	if (from == place)
		return false;
	walk.stack = xcalloc(function->code_count, sizeof(*walk.stack));
	walk.seen = xcalloc(function->code_count, sizeof(*walk.seen));
	reached = end_is_reached(&walk, from);
	free(walk.stack);
	free(walk.seen);
	return !reached;
}

bool control_flow_leads_through(const struct control_flow *flow, uint32_t from, uint32_t place)
{
	const struct program_function *function = flow->function;
	enum { UNKNOWN, YES, NO };
	unsigned char *known;
	uint32_t first = place;

	if (!flow->leads_through[from])
		flow->leads_through[from] = xcalloc(function->code_count, 1);
	known = &flow->leads_through[from][place];
	if (*known == UNKNOWN) {
		while (function->code[first].auxiliary && first + 1 < function->code_count)
			first++;
		*known = !ends_function(&function->code[first]) &&
					 is_on_every_path(function, from, place)
				 ? YES
				 : NO;
	}
	return *known == YES;
}
