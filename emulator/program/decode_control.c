/* Branches, returns, barriers, fences, instructions that have no effect in the emulator, and
 * alloca, stacksave and stackrestore: local memory that a thread takes while it runs. */
#include "emulator/program/decode.h"

#include <string.h>

/* The target is the label's statement. resolve_targets() replaces it by an instruction. */
static bool decode_branch(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	uint32_t label = 0;

	if (!require_operands(decoding, 1, 1))
		return false;
	if (at->operands[0].kind != PTX_OPERAND_SYMBOL ||
	    !name_find(&decoding->labels, at->operands[0].name, &label))
		return decode_invalid(decoding, "unknown label");
	emit_instruction(decoding, OP_BRA)->target = label;
	return false;
}

static bool decode_indexed_branch(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_targets *targets;
	struct program_function *out = decoding->out;
	struct instruction *instruction;
	uint32_t table, index, label = 0;

	if (!require_operands(decoding, 2, 2))
		return false;
	if (at->operands[1].kind != PTX_OPERAND_SYMBOL ||
	    !name_find(&decoding->tables, at->operands[1].name, &table) ||
	    !decoding->source->targets[table].count)
		return decode_invalid(decoding, "unknown list of targets");
	targets = &decoding->source->targets[table];
	index = decode_source(decoding, &at->operands[0], TYPE_u32);
	out->tables = xgrow(out->tables, &decoding->table_capacity, out->table_count + 1,
			    sizeof(*out->tables));
	out->tables[out->table_count].targets = xcalloc(targets->count, sizeof(uint32_t));
	out->tables[out->table_count].count = targets->count;
	for (size_t i = 0; i < targets->count; i++) {
		if (!name_find(&decoding->labels, targets->labels[i], &label)) {
			decode_invalid(decoding, "unknown label %.60s", targets->labels[i]);
			label = 0;
		}
		out->tables[out->table_count].targets[i] = label;
	}
	instruction = emit_instruction(decoding, OP_BRX);
	instruction->a = index;
	instruction->target = (uint32_t)out->table_count++;
	return false;
}

static bool decode_warp_barrier(struct function_decoding *decoding)
{
	uint32_t members;

	if (!require_operands(decoding, 1, 1))
		return false;
	members = decode_source(decoding, &decoding->at->operands[0], TYPE_u32);
	emit_instruction(decoding, OP_WARP_BARRIER)->a = members;
	return false;
}

static bool decode_barrier_reduce(struct function_decoding *decoding, bool aligned)
{
	static const char *const kinds[] = {
		[BARRIER_POPC] = "popc", [BARRIER_AND] = "and", [BARRIER_OR] = "or"};
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *operands = at->operands;
	struct instruction *instruction;
	uint32_t dst, id, threads = 0, predicate;
	size_t kind = 0;
	enum value_type type;

	kind = MODIFIER_INDEX(kinds, at);
	type = kind == BARRIER_POPC ? TYPE_u32 : TYPE_pred;
	if (kind == ARRAY_SIZE(kinds) ||
	    !statement_has_modifier(at, type == TYPE_u32 ? "u32" : "pred"))
		return true;
	if (!require_operands(decoding, 3, 4))
		return false;
	id = decode_source(decoding, &operands[1], TYPE_u32);
	if (at->operand_count == 4)
		threads = decode_source(decoding, &operands[2], TYPE_u32);
	predicate = decode_source(decoding, &operands[at->operand_count - 1], TYPE_pred);
	dst = decode_destination(decoding, &operands[0], type);
	instruction = emit_result(decoding, OP_BARRIER_REDUCE, dst, id, threads, predicate);
	instruction->kind = (uint8_t)kind;
	instruction->type = (uint8_t)type;
	instruction->sync_aligned = aligned;
	emit_extensions(decoding);
	return false;
}

static bool decode_barrier(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	bool aligned = strcmp(at->base, "bar") == 0 || statement_has_modifier(at, "aligned");
	bool arrives = statement_has_modifier(at, "arrive");
	uint32_t id, threads = 0;

	if (statement_has_modifier(at, "cluster") ||
	    (!arrives && !statement_has_modifier(at, "sync") && !statement_has_modifier(at, "red")))
		return true;
	if (statement_has_modifier(at, "warp"))
		return decode_warp_barrier(decoding);
	if (statement_has_modifier(at, "red"))
		return decode_barrier_reduce(decoding, aligned);
	if (!require_operands(decoding, arrives ? 2 : 1, 2))
		return false;
	id = decode_source(decoding, &at->operands[0], TYPE_u32);
	if (at->operand_count == 2)
		threads = decode_source(decoding, &at->operands[1], TYPE_u32);
	emit_result(decoding, arrives ? OP_BARRIER_ARRIVE : OP_BARRIER, 0, id, threads, 0)
		->sync_aligned = aligned;
	return false;
}

static bool decode_fence(struct function_decoding *decoding)
{
	/* What orders only what the emulator executes in order anyway, or what its checks look for.
	 */
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
	const struct ptx_statement *at = decoding->at;
	enum fence_kind kind = statement_has_modifier(at, "cta") ? FENCE_BLOCK : FENCE_DEVICE;

	if (!has_only_words(at, 0, words, ARRAY_SIZE(words)))
		return true;
	/* A fence between the generic and the async proxy orders what threads store before what
	 * wgmma and bulk copies read. */
	if (statement_has_modifier(at, "proxy"))
		kind = statement_has_modifier(at, "async") ||
				       statement_has_modifier(at, "async::generic")
			       ? FENCE_ASYNC_PROXY
			       : FENCE_NONE;
	emit_instruction(decoding, OP_FENCE)->kind = (uint8_t)kind;
	return false;
}

static bool decode_return(struct function_decoding *decoding)
{
	store_register_results(decoding);
	return decode_plain(decoding);
}

/* ---- the stack ---- */

#define DEFAULT_ALIGN 8
#define MOST_ALIGN (UINT64_C(1) << 23)

/* The type of addresses and sizes. */
static bool stack_type(const struct ptx_statement *at, enum value_type *type)
{
	if (at->modifier_count != 1)
		return false;
	*type = strcmp(at->modifiers[0], "u64") == 0 ? TYPE_u64 : TYPE_u32;
	return *type == TYPE_u64 || strcmp(at->modifiers[0], "u32") == 0;
}

static bool read_align(struct function_decoding *decoding, uint64_t *out)
{
	const struct ptx_operand *operands = decoding->at->operands;

	*out = DEFAULT_ALIGN;
	if (decoding->at->operand_count < 3)
		return true;
	*out = operands[2].bits;
	if (operands[2].kind == PTX_OPERAND_INTEGER && *out && !(*out & (*out - 1)) &&
	    *out <= MOST_ALIGN)
		return true;
	return decode_invalid(decoding,
			      "alloca needs an immediate alignment: a power of 2 up to 2^23");
}

static bool decode_stack(struct function_decoding *decoding)
{
	const enum operation operation = decoding->form->operation;
	const struct ptx_operand *operands = decoding->at->operands;
	const bool writes = operation != OP_STACK_RESTORE;
	struct instruction *instruction;
	uint32_t a = 0, dst = 0;
	uint64_t align = 0;
	enum value_type type;

	if (!stack_type(decoding->at, &type))
		return true;
	if (!require_operands(decoding, operation == OP_ALLOCA ? 2 : 1,
			      operation == OP_ALLOCA ? 3 : 1))
		return false;
	if (operation == OP_ALLOCA && !read_align(decoding, &align))
		return false;
	if (operation != OP_STACK_SAVE)
		a = decode_source(decoding, &operands[writes], type);
	if (writes)
		dst = decode_destination(decoding, &operands[0], type);
	decoding->out->allocates = true;
	instruction = emit_result(decoding, operation, dst, a, 0, 0);
	instruction->offset = (int64_t)align;
	instruction->width = (uint8_t)(type_bits(type) / 8);
	if (writes)
		emit_extensions(decoding);
	return false;
}

const struct statement_form control_forms[] = {
	{"nanosleep", decode_plain, OP_NOTHING},
	{"pmevent", decode_plain, OP_NOTHING},
	{"griddepcontrol", decode_plain, OP_NOTHING},
	{"setmaxnreg", decode_plain, OP_NOTHING},
	{"bra", decode_branch, 0},
	{"brx.idx", decode_indexed_branch, 0},
	{"brx.idx.uni", decode_indexed_branch, 0},
	{"ret", decode_return, OP_RET},
	{"exit", decode_plain, OP_EXIT},
	{"trap", decode_plain, OP_TRAP},
	{"brkpt", decode_plain, OP_TRAP},
	{"bar", decode_barrier, 0},
	{"barrier", decode_barrier, 0},
	{"membar", decode_fence, 0},
	{"fence", decode_fence, 0},
	{"alloca", decode_stack, OP_ALLOCA},
	{"stacksave", decode_stack, OP_STACK_SAVE},
	{"stackrestore", decode_stack, OP_STACK_RESTORE},
	{0},
};
