/*
 * Asynchronous copies from global to shared memory: cp.async, its groups and waits. decode_bulk.c
 * has bulk copies (cp.async.bulk), decode_mbarrier.c has cp.async.mbarrier.arrive.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/program/decode_access.h"

/* Reads the modifiers of a copy. Returns false if one is not supported. */
static bool read_copy_modifiers(const struct ptx_statement *at, bool *past_l1)
{
	bool cached = false, shared = false, global = false;

	*past_l1 = false;
	for (size_t i = 0; i < at->modifier_count; i++) {
		const char *word = at->modifiers[i];

		if (strcmp(word, "ca") == 0)
			cached = true;
		else if (strcmp(word, "cg") == 0)
			*past_l1 = true;
		else if (strcmp(word, "shared") == 0 || strcmp(word, "shared::cta") == 0)
			shared = true;
		else if (strcmp(word, "global") == 0)
			global = true;
		else if (strcmp(word, "async") != 0 && !modifier_is_cache_hint(word))
			return false;
	}
	return cached != *past_l1 && shared && global;
}

/* Returns the size of the copy: 4, 8 or 16 bytes, only 16 if it bypasses the L1. 0: invalid. */
static unsigned copy_bytes(struct function_decoding *decoding, bool past_l1)
{
	const struct ptx_operand *size = &decoding->at->operands[2];
	uint64_t bytes = size->kind == PTX_OPERAND_INTEGER ? size->bits : 0;

	if (bytes == 16 || (!past_l1 && (bytes == 4 || bytes == 8)))
		return (unsigned)bytes;
	decode_invalid(decoding, past_l1 ? "a copy that bypasses the L1 must have 16 bytes"
					 : "a copy must have 4, 8 or 16 bytes");
	return 0;
}

/* Decodes how much of the source is read: a size, or a predicate that ignores the source. */
static void decode_copy_amount(struct function_decoding *decoding, unsigned bytes, uint32_t *size,
			       uint32_t *ignore)
{
	const struct ptx_operand *amount = &decoding->at->operands[3];

	if (amount->kind == PTX_OPERAND_REGISTER && value_width(decoding, amount->index + 1) == 1) {
		*ignore = decode_source(decoding, amount, TYPE_pred);
		return;
	}
	if (amount->kind == PTX_OPERAND_REGISTER && value_width(decoding, amount->index + 1) > 32) {
		decode_invalid(decoding, "the source size must have 32 bits");
		return;
	}
	if (amount->kind == PTX_OPERAND_INTEGER && amount->bits > bytes) {
		decode_invalid(decoding, "the source size is greater than the %u bytes of the copy",
			       bytes);
		return;
	}
	*size = decode_source(decoding, amount, TYPE_u32);
}

static bool decode_copy(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct decoded_address to, from;
	struct instruction *instruction;
	uint32_t size = 0, ignore = 0;
	unsigned bytes;
	size_t operands; /* without the cache policy */
	bool past_l1;

	if (!read_copy_modifiers(at, &past_l1))
		return false;
	if (!decode_cache_hints(decoding, HINT_POLICY | HINT_PREFETCH, 3, 4))
		return true;
	operands = at->operand_count - statement_has_modifier(at, "L2::cache_hint");
	to = decode_address(decoding, &at->operands[0], PTX_SPACE_SHARED);
	from = decode_address(decoding, &at->operands[1], PTX_SPACE_GLOBAL);
	bytes = copy_bytes(decoding, past_l1);
	if (bytes && operands == 4)
		decode_copy_amount(decoding, bytes, &size, &ignore);
	if (decoding->rc || decoding->unsupported ||
	    !check_variable_space(decoding, &to, PTX_SPACE_SHARED) ||
	    !check_variable_space(decoding, &from, PTX_SPACE_GLOBAL))
		return true;
	instruction = emit_instruction(decoding, OP_COPY);
	instruction->space = PTX_SPACE_SHARED;
	instruction->a = to.value;
	instruction->narrow_address = to.narrow;
	instruction->offset = to.offset;
	instruction->b = from.value;
	instruction->from_offset = from.offset;
	instruction->kind = past_l1 ? COPY_PAST_L1 : COPY_THROUGH_L1;
	instruction->c = size;
	instruction->d = ignore;
	instruction->width = bytes == 4 ? 4 : 8;
	instruction->vector = bytes == 16 ? 2 : 1;
	return true;
}

static void decode_copy_wait(struct function_decoding *decoding)
{
	const struct ptx_operand *left = decoding->at->operands;

	if (!require_operands(decoding, 1, 1))
		return;
	if (left->kind != PTX_OPERAND_INTEGER || left->bits > INT32_MAX) {
		decode_invalid(decoding, "cp.async.wait_group needs a number of groups");
		return;
	}
	emit_instruction(decoding, OP_COPY_WAIT)->offset = (int64_t)left->bits;
}

bool decode_async_copy(struct function_decoding *decoding)
{
	const char *mnemonic = decoding->at->mnemonic;

	if (strcmp(decoding->at->base, "cp") != 0)
		return false;
	if (strcmp(mnemonic, "cp.async.commit_group") == 0) {
		if (require_operands(decoding, 0, 0))
			emit_instruction(decoding, OP_COPY_COMMIT);
		return true;
	}
	if (strcmp(mnemonic, "cp.async.wait_all") == 0) {
		if (require_operands(decoding, 0, 0))
			emit_instruction(decoding, OP_COPY_WAIT)->offset = -1;
		return true;
	}
	if (strcmp(mnemonic, "cp.async.wait_group") == 0) {
		decode_copy_wait(decoding);
		return true;
	}
	return strncmp(mnemonic, "cp.async.c", 10) == 0 && decode_copy(decoding);
}
