/* Instructions of clusters: barrier.cluster, addresses of shared memory of other blocks, and
 * stores that signal an mbarrier there. */
#include "emulator/program/decode.h"

#include <string.h>

/* Whether all modifiers from number `first` on are among the words, each at most once. */
static bool has_only_words(const struct ptx_statement *at, size_t first, const char *const *words,
			   size_t count)
{
	for (size_t i = first; i < at->modifier_count; i++) {
		size_t word = 0;

		while (word < count && strcmp(words[word], at->modifiers[i]) != 0)
			word++;
		for (size_t k = first; k < i; k++)
			if (strcmp(at->modifiers[k], at->modifiers[i]) == 0)
				return false;
		if (word == count)
			return false;
	}
	return true;
}

/* ---- barrier.cluster ---- */

static void decode_cluster_barrier(struct function_decoding *decoding)
{
	static const char *const of_arrive[] = {"release", "relaxed", "aligned"};
	static const char *const of_wait[] = {"acquire", "aligned"};
	const struct ptx_statement *at = decoding->at;
	const char *step = at->modifier_count > 1 ? at->modifiers[1] : "";
	bool arrives = strcmp(step, "arrive") == 0;

	if (arrives ? !has_only_words(at, 2, of_arrive, ARRAY_SIZE(of_arrive))
		    : strcmp(step, "wait") != 0 ||
			      !has_only_words(at, 2, of_wait, ARRAY_SIZE(of_wait))) {
		decode_unsupported(decoding, "opcode", at->mnemonic);
		return;
	}
	if (statement_has_modifier(at, "release") && statement_has_modifier(at, "relaxed")) {
		decode_invalid(decoding, "both .release and .relaxed");
		return;
	}
	if (require_operands(decoding, 0, 0))
		emit_instruction(decoding, arrives ? OP_CLUSTER_ARRIVE : OP_CLUSTER_WAIT)
			->sync_aligned = statement_has_modifier(at, "aligned");
}

/* ---- addresses ---- */

/* The space of the address: generic or shared::cluster. Returns false for another. */
static bool address_space(const struct ptx_statement *at, enum ptx_space *space)
{
	*space = at->modifier_count > 1 ? PTX_SPACE_SHARED : PTX_SPACE_GENERIC;
	return at->modifier_count == 1 ||
	       (at->modifier_count == 2 && strcmp(at->modifiers[0], "shared::cluster") == 0);
}

/* mapa and getctarank. */
static void decode_cluster_address(struct function_decoding *decoding, bool maps)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *operands = at->operands;
	struct instruction *instruction;
	uint32_t address, rank = 0, dst;
	enum value_type type;
	enum ptx_space space;

	/* Generic addresses have 64 bits. */
	if (!address_space(at, &space) || !statement_type(at, &type) ||
	    (type != TYPE_u64 && (type != TYPE_u32 || space == PTX_SPACE_GENERIC))) {
		decode_unsupported(decoding, "opcode", at->mnemonic);
		return;
	}
	if (!require_operands(decoding, maps ? 3 : 2, maps ? 3 : 2))
		return;
	address = decode_source(decoding, &operands[1], type);
	if (maps)
		rank = decode_source(decoding, &operands[2], TYPE_u32);
	dst = decode_destination(decoding, &operands[0], maps ? type : TYPE_u32);
	instruction = emit_instruction(decoding, OP_CLUSTER_ADDRESS);
	instruction->kind = maps ? CLUSTER_MAP : CLUSTER_RANK;
	instruction->space = (uint8_t)space;
	instruction->width = (uint8_t)(type_bits(type) / 8);
	instruction->a = address;
	instruction->b = rank;
	instruction->dst = dst;
	emit_extensions(decoding);
}

static void decode_is_own(struct function_decoding *decoding)
{
	const struct ptx_operand *operands = decoding->at->operands;
	struct instruction *instruction;
	uint32_t address, dst;

	if (!require_operands(decoding, 2, 2))
		return;
	address = decode_source(decoding, &operands[1], TYPE_u64);
	dst = decode_destination(decoding, &operands[0], TYPE_pred);
	instruction = emit_instruction(decoding, OP_CLUSTER_ADDRESS);
	instruction->kind = CLUSTER_IS_OWN;
	instruction->space = PTX_SPACE_GENERIC;
	instruction->width = 8;
	instruction->a = address;
	instruction->dst = dst;
	emit_extensions(decoding);
}

/* ---- st.async, red.async ---- */

#define SIGNAL "mbarrier::complete_tx::bytes"

/* An address as a row with 64-bit lanes, so that both of an instruction have the same width. */
static uint32_t wide_address(struct function_decoding *decoding,
			     const struct decoded_address *where)
{
	uint32_t wide;

	if (!where->narrow || !where->value)
		return where->value;
	wide = new_temporary(decoding, 64);
	emit_step(decoding, require_operation(decoding, "cvt.u64.u32"), wide, where->value, 0, 0);
	return wide;
}

/* Appends an instruction with the address of its first operand and the mbarrier of its third.
 * NULL: the statement is invalid. */
static struct instruction *emit_async(struct function_decoding *decoding, enum operation operation)
{
	const struct ptx_operand *operands = decoding->at->operands;
	enum ptx_space said = statement_has_modifier(decoding->at, "shared::cluster")
				      ? PTX_SPACE_SHARED
				      : PTX_SPACE_GENERIC;
	struct decoded_address to = decode_address(decoding, &operands[0], said);
	struct decoded_address mbarrier = decode_address(decoding, &operands[2], said);
	struct instruction *instruction;
	uint32_t a, d;

	if (decoding->rc || decoding->unsupported || !check_variable_space(decoding, &to, said) ||
	    !check_variable_space(decoding, &mbarrier, said))
		return NULL;
	if (to.space != mbarrier.space || (said == PTX_SPACE_GENERIC && to.space != said)) {
		decode_unsupported(decoding, "", "a variable beside a generic address");
		return NULL;
	}
	a = wide_address(decoding, &to);
	d = wide_address(decoding, &mbarrier);
	if (!d)
		d = value_bits(decoding, 0, true);
	instruction = emit_instruction(decoding, operation);
	instruction->space = (uint8_t)to.space;
	instruction->of_cluster = true;
	instruction->a = a;
	instruction->offset = to.offset;
	instruction->d = d;
	instruction->from_offset = mbarrier.offset;
	instruction->strong = true;
	return instruction;
}

static void decode_async_store(struct function_decoding *decoding)
{
	static const char *const words[] = {"weak", "shared::cluster",
					    SIGNAL, "v2",
					    "v4",   "b32",
					    "b64",  "u32",
					    "u64",  "s32",
					    "s64",  "f32",
					    "f64"};
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *registers;
	unsigned count = statement_has_modifier(at, "v2")   ? 2
			 : statement_has_modifier(at, "v4") ? 4
							    : 1;
	struct instruction *instruction;
	uint32_t rows[4];
	enum value_type type;

	if (!has_only_words(at, 1, words, ARRAY_SIZE(words)) || !statement_type(at, &type)) {
		decode_unsupported(decoding, "opcode", at->mnemonic);
		return;
	}
	if (!require_operands(decoding, 3, 3))
		return;
	registers = &at->operands[1];
	if (registers->kind == PTX_OPERAND_VECTOR) {
		count = registers->element_count == count ? count : 0;
		registers = registers->elements;
	} else if (count > 1) {
		count = 0;
	}
	if (!count) {
		decode_invalid(decoding, "the number of registers differs from the vector");
		return;
	}
	for (unsigned i = 0; i < count; i++)
		rows[i] = decode_store_source(decoding, &registers[i], type_bits(type) / 8);
	instruction = emit_async(decoding, OP_STORE);
	if (!instruction)
		return;
	memcpy(instruction->rows, rows, count * sizeof(rows[0]));
	instruction->width = (uint8_t)(type_bits(type) / 8);
	instruction->vector = (uint8_t)count;
	instruction->type = (uint8_t)type;
}

static void decode_async_reduction(struct function_decoding *decoding)
{
	static const struct {
		const char *name;
		enum atomic_kind kind;
		enum value_type type;
	} forms[] = {
		{"inc", ATOMIC_INC, TYPE_u32}, {"dec", ATOMIC_DEC, TYPE_u32},
		{"min", ATOMIC_MIN, TYPE_u32}, {"min", ATOMIC_MIN, TYPE_s32},
		{"max", ATOMIC_MAX, TYPE_u32}, {"max", ATOMIC_MAX, TYPE_s32},
		{"add", ATOMIC_ADD, TYPE_u32}, {"add", ATOMIC_ADD, TYPE_s32},
		{"add", ATOMIC_ADD, TYPE_u64}, {"and", ATOMIC_AND, TYPE_b32},
		{"or", ATOMIC_OR, TYPE_b32},   {"xor", ATOMIC_XOR, TYPE_b32},
	};
	static const char *const words[] = {"relaxed", "cluster", "shared::cluster",
					    SIGNAL,    "inc",     "dec",
					    "min",     "max",     "add",
					    "and",     "or",      "xor",
					    "u32",     "s32",     "u64",
					    "b32"};
	const struct ptx_statement *at = decoding->at;
	enum value_type type = TYPE_pred;
	struct instruction *instruction;
	size_t form = 0;
	uint32_t value;

	statement_type(at, &type);
	while (form < ARRAY_SIZE(forms) &&
	       (forms[form].type != type || !statement_has_modifier(at, forms[form].name)))
		form++;
	if (form == ARRAY_SIZE(forms) || !has_only_words(at, 1, words, ARRAY_SIZE(words))) {
		decode_unsupported(decoding, "opcode", at->mnemonic);
		return;
	}
	if (!require_operands(decoding, 3, 3))
		return;
	value = decode_source(decoding, &at->operands[1], type);
	instruction = emit_async(decoding, OP_ATOMIC);
	if (!instruction)
		return;
	instruction->kind = (uint8_t)forms[form].kind;
	instruction->type = (uint8_t)type;
	instruction->width = (uint8_t)(type_bits(type) / 8);
	instruction->vector = 1;
	instruction->b = value;
	instruction->result_unused = true;
}

/* Whether number 0 of the modifiers is this word. */
static bool begins_with(const struct ptx_statement *at, const char *word)
{
	return at->modifier_count > 0 && strcmp(at->modifiers[0], word) == 0;
}

bool decode_cluster(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;

	if (strcmp(at->base, "barrier") == 0 && begins_with(at, "cluster"))
		decode_cluster_barrier(decoding);
	else if (strcmp(at->base, "mapa") == 0)
		decode_cluster_address(decoding, true);
	else if (strcmp(at->base, "getctarank") == 0)
		decode_cluster_address(decoding, false);
	else if (strcmp(at->mnemonic, "isspacep.shared") == 0 ||
		 strcmp(at->mnemonic, "isspacep.shared::cta") == 0)
		decode_is_own(decoding);
	else if (strcmp(at->base, "st") == 0 && begins_with(at, "async"))
		decode_async_store(decoding);
	else if (strcmp(at->base, "red") == 0 && begins_with(at, "async"))
		decode_async_reduction(decoding);
	else
		return false;
	return true;
}
