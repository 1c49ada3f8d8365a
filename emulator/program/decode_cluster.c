/*
 * mbarrier.* and cp.async.mbarrier.arrive, and the instructions of clusters: barrier.cluster,
 * addresses of shared memory of other blocks, and stores and reductions that signal an mbarrier
 * there.
 */
#include "emulator/program/decode.h"

#include <string.h>

/* The modifiers of a statement, as far as they are known. */
struct mbarrier_words {
	bool expects, no_complete, parity, no_increment;
	bool relaxed, ordered; /* .relaxed; .release or .acquire */
	bool scoped, shared, cluster, typed;
};

/* Reads the modifiers from number `first` on. Returns false if one is unknown or comes twice. */
static bool read_mbarrier_words(const struct ptx_statement *at, size_t first,
				struct mbarrier_words *out)
{
	const struct word_flag flags[] = {
		{"expect_tx", &out->expects},  {"noComplete", &out->no_complete},
		{"parity", &out->parity},      {"noinc", &out->no_increment},
		{"relaxed", &out->relaxed},    {"release", &out->ordered},
		{"acquire", &out->ordered},    {"cta", &out->scoped},
		{"cluster", &out->scoped},     {"shared", &out->shared},
		{"shared::cta", &out->shared}, {"shared::cluster", &out->cluster},
		{"b64", &out->typed},
	};

	*out = (struct mbarrier_words){0};
	for (size_t i = first; i < at->modifier_count; i++)
		if (!see_flag(flags, ARRAY_SIZE(flags), at->modifiers[i]))
			return false;
	return out->typed && !(out->relaxed && out->ordered) && !(out->shared && out->cluster);
}

/* What the forms of an instruction have in common. */
struct mbarrier_form {
	const char *name;
	uint8_t kind;                /* enum mbarrier_kind, with flags */
	bool result;                 /* the first operand is a result */
	bool expects, waits, orders; /* may have .expect_tx; .parity; .relaxed and so on */
	uint8_t least, most;         /* operands */
};

static const struct mbarrier_form mbarrier_forms[] = {
	{"init", MBARRIER_INIT, false, false, false, false, 2, 2},
	{"inval", MBARRIER_INVAL, false, false, false, false, 1, 1},
	{"expect_tx", MBARRIER_EXPECT, false, false, false, true, 2, 2},
	{"complete_tx", MBARRIER_COMPLETE, false, false, false, true, 2, 2},
	{"arrive", MBARRIER_ARRIVE, true, true, false, true, 2, 3},
	{"arrive_drop", MBARRIER_ARRIVE | MBARRIER_DROP, true, true, false, true, 2, 3},
	{"test_wait", MBARRIER_TEST, true, false, true, true, 3, 3},
	{"try_wait", MBARRIER_TEST, true, false, true, true, 3, 4},
	{"pending_count", MBARRIER_PENDING, true, false, false, false, 2, 2},
};

static bool words_fit(const struct mbarrier_form *form, const struct mbarrier_words *words)
{
	unsigned kind = form->kind & MBARRIER_KINDS;

	if ((words->expects || words->no_complete) && !form->expects)
		return false;
	if (words->expects && words->no_complete)
		return false;
	if (words->parity && !form->waits)
		return false;
	if ((words->relaxed || words->ordered || words->scoped) && !form->orders)
		return false;
	if (words->cluster && (form->waits || !form->orders || words->no_complete))
		return false;
	return !words->no_increment && !(kind == MBARRIER_PENDING && words->shared);
}

/* Emits an instruction on the object at an address. */
static void emit_operation(struct function_decoding *decoding, unsigned kind,
			   const struct ptx_operand *address, const struct mbarrier_words *words,
			   const struct instruction *operands)
{
	bool shared = words->shared || words->cluster;
	struct decoded_address where =
		decode_address(decoding, address, shared ? PTX_SPACE_SHARED : PTX_SPACE_GENERIC);
	struct instruction *instruction;

	if (decoding->rc || decoding->unsupported)
		return;
	if (where.symbolic && where.space != PTX_SPACE_SHARED) {
		decode_invalid(decoding, "an mbarrier is in shared memory, not in %s memory",
			       ptx_space_name(where.space));
		return;
	}
	instruction = emit_instruction(decoding, OP_MBARRIER);
	set_access_address(instruction, &where);
	instruction->kind = (uint8_t)kind;
	instruction->of_cluster = words->cluster;
	instruction->b = operands->b;
	instruction->width = operands->width;
	instruction->dst = operands->dst;
	instruction->type = operands->type;
	instruction->strong = !words->relaxed && kind != MBARRIER_INIT && kind != MBARRIER_INVAL;
	emit_extensions(decoding);
}

static bool decode_pending_count(struct function_decoding *decoding)
{
	const struct ptx_operand *operands = decoding->at->operands;
	uint32_t state = decode_source(decoding, &operands[1], TYPE_b64);
	uint32_t dst = decode_destination(decoding, &operands[0], TYPE_u32);
	struct instruction *instruction = emit_instruction(decoding, OP_MBARRIER);

	instruction->kind = MBARRIER_PENDING;
	instruction->b = state;
	instruction->width = 8;
	instruction->dst = dst;
	instruction->type = TYPE_u32;
	emit_extensions(decoding);
	return false;
}

static bool decode_form(struct function_decoding *decoding, const struct mbarrier_form *form,
			const struct mbarrier_words *words)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *operands = at->operands;
	bool needs_count = words->expects || words->no_complete;
	unsigned kind = form->kind;
	struct instruction out = {.type = TYPE_pred};
	enum value_type type;

	if (!require_operands(decoding, needs_count ? form->most : form->least, form->most))
		return false;
	if (kind == MBARRIER_PENDING)
		return decode_pending_count(decoding);
	if (words->cluster && form->result && operands[0].kind != PTX_OPERAND_SINK)
		return decode_invalid(decoding,
				      "an arrival at a shared::cluster address has the result "
				      "_, since no state is returned");
	if (words->expects)
		kind += MBARRIER_ARRIVE_EXPECT - MBARRIER_ARRIVE;
	kind |= words->no_complete ? MBARRIER_NO_COMPLETE : 0;
	kind |= words->parity ? MBARRIER_PARITY : 0;
	/* The operand after the address is a state or another number. */
	type = (kind & MBARRIER_KINDS) == MBARRIER_TEST && !words->parity ? TYPE_b64 : TYPE_u32;
	if (form->result) {
		if ((kind & MBARRIER_KINDS) != MBARRIER_TEST)
			out.type = TYPE_b64;
		if (operands[0].kind != PTX_OPERAND_SINK)
			out.dst = decode_destination(decoding, operands, out.type);
		operands++;
	}
	out.width = type == TYPE_b64 ? 8 : 4;
	if (at->operand_count > (size_t)form->result + 1)
		out.b = decode_source(decoding, &operands[1], type);
	/* The time that try_wait may suspend a thread: it never does here. */
	if (form->waits && at->operand_count == 4)
		decode_source(decoding, &operands[2], TYPE_u32);
	emit_operation(decoding, kind, operands, words, &out);
	return false;
}

static bool decode_copies_arrive(struct function_decoding *decoding)
{
	const struct instruction none = {.width = 4};
	struct mbarrier_words words;

	/* After async, mbarrier, arrive. */
	if (!read_mbarrier_words(decoding->at, 3, &words) || words.expects || words.no_complete ||
	    words.parity || words.relaxed || words.ordered || words.scoped || words.cluster)
		return true;
	if (require_operands(decoding, 1, 1))
		emit_operation(decoding,
			       MBARRIER_COPIES | (words.no_increment ? MBARRIER_NO_INCREMENT : 0u),
			       decoding->at->operands, &words, &none);
	return false;
}

static bool decode_mbarrier(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const size_t i = at->modifier_count ? WORD_INDEX(mbarrier_forms, at->modifiers[0])
					    : ARRAY_SIZE(mbarrier_forms);
	struct mbarrier_words words;

	if (i == ARRAY_SIZE(mbarrier_forms) || !read_mbarrier_words(at, 1, &words) ||
	    !words_fit(&mbarrier_forms[i], &words))
		return true;
	return decode_form(decoding, &mbarrier_forms[i], &words);
}

/* Whether all modifiers from number `first` on are among the words, each at most once. */
static bool has_each_once(const struct ptx_statement *at, size_t first, const char *const *words,
			  size_t count)
{
	for (size_t i = first; i < at->modifier_count; i++)
		for (size_t k = first; k < i; k++)
			if (strcmp(at->modifiers[k], at->modifiers[i]) == 0)
				return false;
	return has_only_words(at, first, words, count);
}

/* ---- barrier.cluster ---- */

static bool decode_cluster_barrier(struct function_decoding *decoding)
{
	static const char *const of_arrive[] = {"release", "relaxed", "aligned"};
	static const char *const of_wait[] = {"acquire", "aligned"};
	const struct ptx_statement *at = decoding->at;
	const char *step = at->modifier_count > 1 ? at->modifiers[1] : "";
	bool arrives = strcmp(step, "arrive") == 0;

	if (arrives ? !has_each_once(at, 2, of_arrive, ARRAY_SIZE(of_arrive))
		    : strcmp(step, "wait") != 0 ||
			      !has_each_once(at, 2, of_wait, ARRAY_SIZE(of_wait)))
		return true;
	if (statement_has_modifier(at, "release") && statement_has_modifier(at, "relaxed"))
		return decode_invalid(decoding, "both .release and .relaxed");
	if (require_operands(decoding, 0, 0))
		emit_instruction(decoding, arrives ? OP_CLUSTER_ARRIVE : OP_CLUSTER_WAIT)
			->sync_aligned = statement_has_modifier(at, "aligned");
	return false;
}

/* ---- addresses ---- */

/* mapa and getctarank. Their addresses are generic or shared::cluster. */
static bool decode_cluster_address(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const bool maps = strcmp(at->base, "mapa") == 0;
	const struct ptx_operand *operands = at->operands;
	struct instruction *instruction;
	uint32_t address, rank = 0, dst;
	enum value_type type;
	const enum ptx_space space = at->modifier_count > 1 ? PTX_SPACE_SHARED : PTX_SPACE_GENERIC;

	/* Generic addresses have 64 bits. */
	if (!at->modifier_count || at->modifier_count > 2 ||
	    (at->modifier_count == 2 && strcmp(at->modifiers[0], "shared::cluster") != 0) ||
	    !statement_type(at, &type) ||
	    (type != TYPE_u64 && (type != TYPE_u32 || space == PTX_SPACE_GENERIC)))
		return true;
	if (!require_operands(decoding, maps ? 3 : 2, maps ? 3 : 2))
		return false;
	address = decode_source(decoding, &operands[1], type);
	if (maps)
		rank = decode_source(decoding, &operands[2], TYPE_u32);
	dst = decode_destination(decoding, &operands[0], maps ? type : TYPE_u32);
	instruction = emit_result(decoding, OP_CLUSTER_ADDRESS, dst, address, rank, 0);
	instruction->kind = maps ? CLUSTER_MAP : CLUSTER_RANK;
	instruction->space = (uint8_t)space;
	instruction->width = (uint8_t)(type_bits(type) / 8);
	emit_extensions(decoding);
	return false;
}

static bool decode_is_own(struct function_decoding *decoding)
{
	const struct ptx_operand *operands = decoding->at->operands;
	struct instruction *instruction;
	uint32_t address, dst;

	if (!require_operands(decoding, 2, 2))
		return false;
	address = decode_source(decoding, &operands[1], TYPE_u64);
	dst = decode_destination(decoding, &operands[0], TYPE_pred);
	instruction = emit_result(decoding, OP_CLUSTER_ADDRESS, dst, address, 0, 0);
	instruction->kind = CLUSTER_IS_OWN;
	instruction->space = PTX_SPACE_GENERIC;
	instruction->width = 8;
	emit_extensions(decoding);
	return false;
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

static bool decode_async_store(struct function_decoding *decoding)
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
	size_t count = statement_has_modifier(at, "v2")   ? 2
		       : statement_has_modifier(at, "v4") ? 4
							  : 1;
	struct instruction *instruction;
	uint32_t rows[4];
	enum value_type type;

	if (!has_each_once(at, 1, words, ARRAY_SIZE(words)) || !statement_type(at, &type))
		return true;
	if (!require_operands(decoding, 3, 3))
		return false;
	registers = &at->operands[1];
	if (registers->kind == PTX_OPERAND_VECTOR) {
		count = registers->element_count == count ? count : 0;
		registers = registers->elements;
	} else if (count > 1) {
		count = 0;
	}
	if (!count)
		return decode_invalid(decoding, "the number of registers differs from the vector");
	for (size_t i = 0; i < count; i++)
		rows[i] = decode_store_source(decoding, &registers[i], type_bits(type) / 8);
	instruction = emit_async(decoding, OP_STORE);
	if (!instruction)
		return false;
	memcpy(instruction->rows, rows, count * sizeof(rows[0]));
	instruction->width = (uint8_t)(type_bits(type) / 8);
	instruction->vector = (uint8_t)count;
	instruction->type = (uint8_t)type;
	return false;
}

static bool decode_async_reduction(struct function_decoding *decoding)
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
	if (form == ARRAY_SIZE(forms) || !has_each_once(at, 1, words, ARRAY_SIZE(words)))
		return true;
	if (!require_operands(decoding, 3, 3))
		return false;
	value = decode_source(decoding, &at->operands[1], type);
	instruction = emit_async(decoding, OP_ATOMIC);
	if (!instruction)
		return false;
	instruction->kind = (uint8_t)forms[form].kind;
	instruction->type = (uint8_t)type;
	instruction->width = (uint8_t)(type_bits(type) / 8);
	instruction->vector = 1;
	instruction->b = value;
	instruction->result_unused = true;
	return false;
}

const struct statement_form cluster_forms[] = {
	{"mbarrier", decode_mbarrier, 0},
	{"cp.async.mbarrier.arrive.", decode_copies_arrive, 0},
	{"barrier.cluster.", decode_cluster_barrier, 0},
	{"mapa", decode_cluster_address, 0},
	{"getctarank", decode_cluster_address, 0},
	{"isspacep.shared", decode_is_own, 0},
	{"isspacep.shared::cta", decode_is_own, 0},
	{"st.async.", decode_async_store, 0},
	{"red.async.", decode_async_reduction, 0},
	{0},
};
