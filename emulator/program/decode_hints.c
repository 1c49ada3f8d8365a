/*
 * Cache hints: modifiers and policies of accesses, and the instructions that only move data between
 * memory and caches. They have no effect on values. What PTX lacks is refused, as ptxas does.
 */
#include <string.h>

#include "emulator/program/decode_access.h"

static const struct {
	const char *word;
	enum cache_hint hint;
} hints[] = {
	{"L1::evict_normal", HINT_L1_PRIORITY},
	{"L1::evict_unchanged", HINT_L1_PRIORITY},
	{"L1::evict_first", HINT_L1_PRIORITY},
	{"L1::evict_last", HINT_L1_PRIORITY},
	{"L1::no_allocate", HINT_L1_PRIORITY},
	{"L2::evict_normal", HINT_L2_PRIORITY},
	{"L2::evict_first", HINT_L2_PRIORITY},
	{"L2::evict_last", HINT_L2_PRIORITY},
	{"L2::64B", HINT_PREFETCH},
	{"L2::128B", HINT_PREFETCH},
	{"L2::256B", HINT_PREFETCH},
	{"L2::cache_hint", HINT_POLICY},
};

static unsigned hint_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
		if (strcmp(hints[i].word, word) == 0)
			return hints[i].hint;
	return 0;
}

bool modifier_is_cache_hint(const char *word)
{
	return strncmp(word, "L1::", 4) == 0 || strncmp(word, "L2::", 4) == 0;
}

static bool has_one_of(const struct ptx_statement *at, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (statement_has_modifier(at, words[i]))
			return true;
	return false;
}

/* The hints that fit the other modifiers. volatile allows no cache hint but the size of a prefetch,
 * and an eviction priority of the L1 takes the place of a cache operator. */
static unsigned fitting_hints(const struct ptx_statement *at, unsigned allowed)
{
	static const char *const direct[] = {"volatile", "mmio"};
	static const char *const operators[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt"};

	if (has_one_of(at, direct, ARRAY_SIZE(direct)))
		return allowed & HINT_PREFETCH;
	if (has_one_of(at, operators, ARRAY_SIZE(operators)))
		return allowed & ~(unsigned)HINT_L1_PRIORITY;
	return allowed;
}

bool decode_cache_hints(struct function_decoding *decoding, unsigned allowed, size_t least,
			size_t most)
{
	const struct ptx_statement *at = decoding->at;
	unsigned seen = 0;
	size_t policy;

	allowed = fitting_hints(at, allowed);
	for (size_t i = 0; i < at->modifier_count; i++) {
		const unsigned hint = hint_of(at->modifiers[i]);

		if (!modifier_is_cache_hint(at->modifiers[i]))
			continue;
		if (!(hint & allowed) || (hint & seen)) {
			decode_invalid(decoding,
				       hint & seen ? "a second hint of the kind of .%s"
						   : "there is no hint .%s for such an access",
				       at->modifiers[i]);
			return false;
		}
		seen |= hint;
	}
	policy = seen & HINT_POLICY ? 1 : 0;
	if (!require_operands(decoding, least + policy, most + policy))
		return false;
	if (policy)
		decode_source(decoding, &at->operands[at->operand_count - 1], TYPE_b64);
	return !decoding->rc && !decoding->unsupported;
}

/* ---- instructions on caches ---- */

static bool is_u32(struct function_decoding *decoding, const struct ptx_operand *operand)
{
	return operand->kind == PTX_OPERAND_INTEGER ||
	       (operand->kind == PTX_OPERAND_REGISTER &&
		value_width(decoding, operand->index + 1) == 32);
}

/* From more than 0 to 1. */
static bool is_fraction(struct function_decoding *decoding, const struct ptx_operand *operand)
{
	double value = 0;
	float narrow;

	if (operand->kind == PTX_OPERAND_REGISTER)
		return value_width(decoding, operand->index + 1) == 32;
	if (operand->kind == PTX_OPERAND_F64) {
		memcpy(&value, &operand->bits, sizeof(value));
	} else if (operand->kind == PTX_OPERAND_F32) {
		memcpy(&narrow, &operand->bits, sizeof(narrow));
		value = (double)narrow;
	}
	return value > 0 && value <= 1;
}

/* Reads "L2::evict_first" and, if there is one, a second priority, from the modifier `at` on.
 * Returns whether only the type follows. */
static bool are_priorities(const struct ptx_statement *statement, size_t at)
{
	static const char *const priorities[] = {"L2::evict_first", "L2::evict_unchanged",
						 "L2::evict_last", "L2::evict_normal"};
	const size_t count = statement->modifier_count;

	if (count < at + 2 || count > at + 3 || strcmp(statement->modifiers[count - 1], "b64") != 0)
		return false;
	for (size_t i = at; i < count - 1; i++) {
		/* Only the first two can be the second one. */
		size_t k = 0, most = i == at ? ARRAY_SIZE(priorities) : 2;

		while (k < most && strcmp(priorities[k], statement->modifiers[i]) != 0)
			k++;
		if (k == most)
			return false;
	}
	return true;
}

/* Checks the operands of a policy of priorities: a fraction, or a range of memory. */
static bool decode_priority_policy(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *operands = at->operands;
	const bool fractional = strcmp(at->modifiers[0], "fractional") == 0;
	const bool global = at->modifier_count > 1 && strcmp(at->modifiers[1], "global") == 0;

	if ((!fractional && strcmp(at->modifiers[0], "range") != 0) || (fractional && global) ||
	    !are_priorities(at, 1 + (size_t)global))
		return false;
	if (!require_operands(decoding, fractional ? 1 : 4, fractional ? 2 : 4))
		return true;
	if (fractional && at->operand_count == 2 && !is_fraction(decoding, &operands[1]))
		decode_invalid(decoding, "a fraction is greater than 0 and at most 1");
	if (!fractional) {
		decode_address(decoding, &operands[1], PTX_SPACE_GLOBAL);
		if (!is_u32(decoding, &operands[2]) || !is_u32(decoding, &operands[3]))
			decode_invalid(decoding, "the sizes of a range have 32 bits");
	}
	return true;
}

static void decode_policy(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	struct instruction *instruction;
	uint32_t dst;

	if (strcmp(at->mnemonic, "createpolicy.cvt.L2.b64") == 0) {
		if (!require_operands(decoding, 2, 2))
			return;
		decode_source(decoding, &at->operands[1], TYPE_b64);
	} else if (!at->modifier_count || !decode_priority_policy(decoding)) {
		decode_unsupported(decoding, "opcode", at->mnemonic);
	}
	if (decoding->rc || decoding->unsupported)
		return;
	dst = decode_destination(decoding, &at->operands[0], TYPE_b64);
	instruction = emit_instruction(decoding, ALU_MOV_B64);
	instruction->dst = dst;
	instruction->a = value_bits(decoding, 0, true);
}

/* All forms that PTX has. Those with a size have the operand 128. */
static const struct {
	const char *mnemonic;
	bool sized;
} cache_controls[] = {
	{"prefetch.L1", false},
	{"prefetch.L2", false},
	{"prefetch.global.L1", false},
	{"prefetch.global.L2", false},
	{"prefetch.local.L1", false},
	{"prefetch.local.L2", false},
	{"prefetch.L2::evict_last", false},
	{"prefetch.L2::evict_normal", false},
	{"prefetch.global.L2::evict_last", false},
	{"prefetch.global.L2::evict_normal", false},
	{"prefetch.tensormap", false},
	{"prefetch.const.tensormap", false},
	{"prefetch.param.tensormap", false},
	{"prefetchu.L1", false},
	{"applypriority.L2::evict_normal", true},
	{"applypriority.global.L2::evict_normal", true},
	{"discard.L2", true},
	{"discard.global.L2", true},
};

static bool is_cache_control(const char *base)
{
	static const char *const bases[] = {"prefetch", "prefetchu", "applypriority", "discard"};

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++)
		if (strcmp(bases[i], base) == 0)
			return true;
	return false;
}

bool refuse_cache_control(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	size_t i = 0;

	if (!is_cache_control(at->base))
		return false;
	while (i < ARRAY_SIZE(cache_controls) &&
	       strcmp(cache_controls[i].mnemonic, at->mnemonic) != 0)
		i++;
	if (i == ARRAY_SIZE(cache_controls)) {
		decode_unsupported(decoding, "opcode", at->mnemonic);
		return true;
	}
	if (!require_operands(decoding, 1 + (size_t)cache_controls[i].sized,
			      1 + (size_t)cache_controls[i].sized))
		return true;
	if (at->operands[0].kind != PTX_OPERAND_ADDRESS)
		decode_invalid(decoding, "needs an address in []");
	else if (cache_controls[i].sized &&
		 (at->operands[1].kind != PTX_OPERAND_INTEGER || at->operands[1].bits != 128))
		decode_invalid(decoding, "the size must be 128");
	return decoding->rc != 0;
}

bool decode_cache_policy(struct function_decoding *decoding)
{
	if (strcmp(decoding->at->base, "createpolicy") != 0)
		return false;
	decode_policy(decoding);
	return true;
}
