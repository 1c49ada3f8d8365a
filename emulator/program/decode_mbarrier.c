/* mbarrier.*, and cp.async.mbarrier.arrive. */
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
	const struct {
		const char *word;
		bool *seen;
	} words[] = {
		{"expect_tx", &out->expects},  {"noComplete", &out->no_complete},
		{"parity", &out->parity},      {"noinc", &out->no_increment},
		{"relaxed", &out->relaxed},    {"release", &out->ordered},
		{"acquire", &out->ordered},    {"cta", &out->scoped},
		{"cluster", &out->scoped},     {"shared", &out->shared},
		{"shared::cta", &out->shared}, {"shared::cluster", &out->cluster},
		{"b64", &out->typed},
	};

	*out = (struct mbarrier_words){0};
	for (size_t i = first; i < at->modifier_count; i++) {
		size_t word = 0;

		while (word < ARRAY_SIZE(words) && strcmp(words[word].word, at->modifiers[i]) != 0)
			word++;
		if (word == ARRAY_SIZE(words) || *words[word].seen)
			return false;
		*words[word].seen = true;
	}
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

static const struct mbarrier_form forms[] = {
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
	instruction->kind = (uint8_t)kind;
	instruction->space = (uint8_t)where.space;
	instruction->of_cluster = words->cluster;
	instruction->a = where.value;
	instruction->narrow_address = where.narrow;
	instruction->offset = where.offset;
	instruction->b = operands->b;
	instruction->width = operands->width;
	instruction->dst = operands->dst;
	instruction->type = operands->type;
	instruction->strong = !words->relaxed && kind != MBARRIER_INIT && kind != MBARRIER_INVAL;
	emit_extensions(decoding);
}

/* The type of the operand after the address. */
static enum value_type operand_type(unsigned kind)
{
	return (kind & MBARRIER_KINDS) == MBARRIER_TEST && !(kind & MBARRIER_PARITY) ? TYPE_b64
										     : TYPE_u32;
}

static void decode_pending_count(struct function_decoding *decoding)
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
}

static void decode_form(struct function_decoding *decoding, const struct mbarrier_form *form,
			const struct mbarrier_words *words)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *operands = at->operands;
	bool needs_count = words->expects || words->no_complete;
	unsigned kind = form->kind;
	struct instruction out = {.type = TYPE_pred};
	enum value_type type;

	if (!require_operands(decoding, needs_count ? form->most : form->least, form->most))
		return;
	if (kind == MBARRIER_PENDING) {
		decode_pending_count(decoding);
		return;
	}
	if (words->cluster && form->result && operands[0].kind != PTX_OPERAND_SINK) {
		decode_invalid(decoding, "an arrival at a shared::cluster address has the result "
					 "_, since no state is returned");
		return;
	}
	if (words->expects)
		kind += MBARRIER_ARRIVE_EXPECT - MBARRIER_ARRIVE;
	kind |= words->no_complete ? MBARRIER_NO_COMPLETE : 0;
	kind |= words->parity ? MBARRIER_PARITY : 0;
	type = operand_type(kind);
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
}

static void decode_copies_arrive(struct function_decoding *decoding)
{
	const struct instruction none = {.width = 4};
	struct mbarrier_words words;

	/* After async, mbarrier, arrive. */
	if (!read_mbarrier_words(decoding->at, 3, &words) || words.expects || words.no_complete ||
	    words.parity || words.relaxed || words.ordered || words.scoped || words.cluster) {
		decode_unsupported(decoding, "opcode", decoding->at->mnemonic);
		return;
	}
	if (require_operands(decoding, 1, 1))
		emit_operation(decoding,
			       MBARRIER_COPIES | (words.no_increment ? MBARRIER_NO_INCREMENT : 0u),
			       decoding->at->operands, &words, &none);
}

bool decode_mbarrier(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct mbarrier_words words;

	if (strncmp(at->mnemonic, "cp.async.mbarrier.arrive.", 25) == 0) {
		decode_copies_arrive(decoding);
		return true;
	}
	if (strcmp(at->base, "mbarrier") != 0 || at->modifier_count == 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (strcmp(forms[i].name, at->modifiers[0]) != 0)
			continue;
		if (!read_mbarrier_words(at, 1, &words) || !words_fit(&forms[i], &words))
			return false;
		decode_form(decoding, &forms[i], &words);
		return true;
	}
	return false;
}
