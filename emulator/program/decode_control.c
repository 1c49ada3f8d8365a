/* Branches, returns, barriers, fences, and instructions that have no effect in the emulator. */
#include "emulator/program/decode.h"

#include <string.h>

/* The target is the label's statement. resolve_targets() replaces it by an instruction. */
static void decode_branch(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	uint32_t label = 0;

	if (!require_operands(decoding, 1, 1))
		return;
	if (at->operands[0].kind != PTX_OPERAND_SYMBOL ||
	    !name_table_find(&decoding->labels, at->operands[0].name, &label)) {
		decode_invalid(decoding, "unknown label");
		return;
	}
	emit_instruction(decoding, OP_BRA)->target = label;
}

static void decode_indexed_branch(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_targets *targets;
	struct program_function *out = decoding->out;
	struct instruction *instruction;
	uint32_t table, index, label = 0;

	if (!require_operands(decoding, 2, 2))
		return;
	if (at->operands[1].kind != PTX_OPERAND_SYMBOL ||
	    !name_table_find(&decoding->tables, at->operands[1].name, &table) ||
	    !decoding->source->targets[table].count) {
		decode_invalid(decoding, "unknown list of targets");
		return;
	}
	targets = &decoding->source->targets[table];
	index = decode_source(decoding, &at->operands[0], TYPE_u32);
	out->tables = xgrow(out->tables, &decoding->table_capacity, out->table_count + 1,
			    sizeof(*out->tables));
	out->tables[out->table_count].targets = xcalloc(targets->count, sizeof(uint32_t));
	out->tables[out->table_count].count = targets->count;
	for (size_t i = 0; i < targets->count; i++) {
		if (!name_table_find(&decoding->labels, targets->labels[i], &label)) {
			decode_invalid(decoding, "unknown label %.60s", targets->labels[i]);
			label = 0;
		}
		out->tables[out->table_count].targets[i] = label;
	}
	instruction = emit_instruction(decoding, OP_BRX);
	instruction->a = index;
	instruction->target = (uint32_t)out->table_count++;
}

static void decode_warp_barrier(struct function_decoding *decoding)
{
	uint32_t members;

	if (!require_operands(decoding, 1, 1))
		return;
	members = decode_source(decoding, &decoding->at->operands[0], TYPE_u32);
	emit_instruction(decoding, OP_WARP_BARRIER)->a = members;
}

static void decode_barrier_reduce(struct function_decoding *decoding, bool aligned)
{
	static const char *const kinds[] = {
		[BARRIER_POPC] = "popc", [BARRIER_AND] = "and", [BARRIER_OR] = "or"};
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *operands = at->operands;
	struct instruction *instruction;
	uint32_t dst, id, threads = 0, predicate;
	size_t kind = 0;
	enum value_type type;

	while (kind < ARRAY_SIZE(kinds) && !statement_has_modifier(at, kinds[kind]))
		kind++;
	type = kind == BARRIER_POPC ? TYPE_u32 : TYPE_pred;
	if (kind == ARRAY_SIZE(kinds) ||
	    !statement_has_modifier(at, type == TYPE_u32 ? "u32" : "pred")) {
		decode_unsupported(decoding, "opcode", at->mnemonic);
		return;
	}
	if (!require_operands(decoding, 3, 4))
		return;
	id = decode_source(decoding, &operands[1], TYPE_u32);
	if (at->operand_count == 4)
		threads = decode_source(decoding, &operands[2], TYPE_u32);
	predicate = decode_source(decoding, &operands[at->operand_count - 1], TYPE_pred);
	dst = decode_destination(decoding, &operands[0], type);
	instruction = emit_instruction(decoding, OP_BARRIER_REDUCE);
	instruction->kind = (uint8_t)kind;
	instruction->type = (uint8_t)type;
	instruction->sync_aligned = aligned;
	instruction->dst = dst;
	instruction->a = id;
	instruction->b = threads;
	instruction->c = predicate;
	emit_extensions(decoding);
}

static void decode_barrier(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	bool aligned = strcmp(at->base, "bar") == 0 || statement_has_modifier(at, "aligned");
	bool arrives = statement_has_modifier(at, "arrive");
	struct instruction *instruction;
	uint32_t id, threads = 0;

	if (statement_has_modifier(at, "cluster") ||
	    (!arrives && !statement_has_modifier(at, "sync") &&
	     !statement_has_modifier(at, "red"))) {
		decode_unsupported(decoding, "opcode", at->mnemonic);
		return;
	}
	if (statement_has_modifier(at, "warp")) {
		decode_warp_barrier(decoding);
		return;
	}
	if (statement_has_modifier(at, "red")) {
		decode_barrier_reduce(decoding, aligned);
		return;
	}
	if (!require_operands(decoding, arrives ? 2 : 1, 2))
		return;
	id = decode_source(decoding, &at->operands[0], TYPE_u32);
	if (at->operand_count == 2)
		threads = decode_source(decoding, &at->operands[1], TYPE_u32);
	instruction = emit_instruction(decoding, arrives ? OP_BARRIER_ARRIVE : OP_BARRIER);
	instruction->sync_aligned = aligned;
	instruction->a = id;
	instruction->b = threads;
}

/* Whether a fence orders only what the emulator executes in order anyway, or what its checks look
 * for. */
static bool fence_is_known(const struct ptx_statement *at)
{
	static const char *const words[] = {
		"sc",
		"acq_rel",
		"acquire",
		"release",
		"cta",
		"gpu",
		"sys",
		"cluster",
		"gl",
		"proxy",
		"alias",
		"async",
		"global",
		"shared::cta",
		"shared::cluster",
		"mbarrier_init",
		"async::generic",
		"sync_restrict::shared::cta",
		"sync_restrict::shared::cluster",
	};

	for (size_t i = 0; i < at->modifier_count; i++) {
		size_t word = 0;

		while (word < ARRAY_SIZE(words) && strcmp(words[word], at->modifiers[i]) != 0)
			word++;
		if (word == ARRAY_SIZE(words))
			return false;
	}
	return true;
}

/* A fence between the generic and the async proxy orders what threads store before what wgmma
 * and bulk copies read. */
static enum fence_kind fence_kind(const struct ptx_statement *at)
{
	if (statement_has_modifier(at, "proxy"))
		return statement_has_modifier(at, "async") ||
				       statement_has_modifier(at, "async::generic")
			       ? FENCE_ASYNC_PROXY
			       : FENCE_NONE;
	return statement_has_modifier(at, "cta") ? FENCE_BLOCK : FENCE_DEVICE;
}

static void decode_discard(struct function_decoding *decoding)
{
	const struct decoded_address where =
		decode_address(decoding, &decoding->at->operands[0], PTX_SPACE_GLOBAL);
	struct instruction *instruction;

	if (decoding->rc || decoding->unsupported ||
	    !check_variable_space(decoding, &where, PTX_SPACE_GLOBAL))
		return;
	instruction = emit_instruction(decoding, OP_DISCARD);
	instruction->space = PTX_SPACE_GLOBAL;
	instruction->a = where.value;
	instruction->offset = where.offset;
}

bool decode_control(struct function_decoding *decoding)
{
	static const char *const without_effect[] = {"nanosleep",     "prefetch", "prefetchu",
						     "applypriority", "pmevent",  "griddepcontrol",
						     "setmaxnreg"};
	const struct ptx_statement *at = decoding->at;
	const char *base = at->base;

	if (refuse_cache_control(decoding))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(without_effect); i++) {
		if (strcmp(base, without_effect[i]) == 0) {
			emit_instruction(decoding, OP_NOTHING);
			return true;
		}
	}
	if (strcmp(base, "discard") == 0)
		decode_discard(decoding);
	else if (strcmp(base, "bra") == 0)
		decode_branch(decoding);
	else if (strcmp(at->mnemonic, "brx.idx") == 0 || strcmp(at->mnemonic, "brx.idx.uni") == 0)
		decode_indexed_branch(decoding);
	else if (strcmp(base, "ret") == 0) {
		store_register_results(decoding);
		emit_instruction(decoding, OP_RET);
	} else if (strcmp(base, "exit") == 0)
		emit_instruction(decoding, OP_EXIT);
	else if (strcmp(base, "trap") == 0 || strcmp(base, "brkpt") == 0)
		emit_instruction(decoding, OP_TRAP);
	else if (strcmp(base, "bar") == 0 || strcmp(base, "barrier") == 0)
		decode_barrier(decoding);
	else if ((strcmp(base, "membar") == 0 || strcmp(base, "fence") == 0) && fence_is_known(at))
		emit_instruction(decoding, OP_FENCE)->kind = (uint8_t)fence_kind(at);
	else
		return false;
	return true;
}
