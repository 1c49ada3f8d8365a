/*
 * What the modifiers of accesses say: spaces, orders and cache hints. Hints, and the instructions
 * that only move data between memory and caches, have no effect on values. What PTX lacks is
 * refused, as ptxas does.
 */
#include "emulator/program/decode.h"

#include <string.h>

/* ---- cache hints ---- */

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

bool modifier_is_cache_hint(const char *word)
{
	return strncmp(word, "L1::", 4) == 0 || strncmp(word, "L2::", 4) == 0;
}

/* The hints that fit the other modifiers. volatile allows no cache hint but the size of a prefetch,
 * and an eviction priority of the L1 takes the place of a cache operator. */
static unsigned fitting_hints(const struct ptx_statement *at, unsigned allowed)
{
	static const char *const direct[] = {"volatile", "mmio"};
	static const char *const operators[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt"};

	if (MODIFIER_INDEX(direct, at) < ARRAY_SIZE(direct))
		return allowed & HINT_PREFETCH;
	if (MODIFIER_INDEX(operators, at) < ARRAY_SIZE(operators))
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
		const size_t row = WORD_INDEX(hints, at->modifiers[i]);
		const unsigned hint = row < ARRAY_SIZE(hints) ? hints[row].hint : 0;

		if (!modifier_is_cache_hint(at->modifiers[i]))
			continue;
		if (!(hint & allowed) || (hint & seen))
			return decode_invalid(decoding,
					      hint & seen
						      ? "a second hint of the kind of .%s"
						      : "there is no hint .%s for such an access",
					      at->modifiers[i]);
		seen |= hint;
	}
	policy = seen & HINT_POLICY ? 1 : 0;
	if (!require_operands(decoding, least + policy, most + policy))
		return false;
	if (policy)
		decode_source(decoding, &at->operands[at->operand_count - 1], TYPE_b64);
	return !decoding->rc && !decoding->unsupported;
}

/* ---- modifiers, addresses, registers ---- */

static const struct {
	const char *word;
	enum ptx_space space;
} spaces[] = {
	{"global", PTX_SPACE_GLOBAL},      {"shared", PTX_SPACE_SHARED},
	{"shared::cta", PTX_SPACE_SHARED}, {"shared::cluster", PTX_SPACE_SHARED},
	{"local", PTX_SPACE_LOCAL},        {"const", PTX_SPACE_CONST},
	{"param", PTX_SPACE_PARAM},        {"param::entry", PTX_SPACE_PARAM},
	{"param::func", PTX_SPACE_PARAM},
};

/* Modifiers that have no effect in the emulator. */
static const char *const without_effect[] = {
	"weak", "volatile", "sc", "mmio", "cta", "cluster", "gpu", "sys", "gl",
	"nc",   "ca",       "cg", "cs",   "lu",  "cv",      "wb",  "wt",  "noftz",
};

/* The orders of an access. Such a load or store is atomic. volatile is not an order: code that
 * relies on it to order the lanes of a warp is a finding. */
static const struct {
	const char *word;
	bool releases, acquires;
} orders[] = {
	{"relaxed", false, false},
	{"acquire", false, true},
	{"release", true, false},
	{"acq_rel", true, true},
};

static const char *const atomic_kinds[] = {
	[ATOMIC_ADD] = "add", [ATOMIC_MIN] = "min", [ATOMIC_MAX] = "max",   [ATOMIC_AND] = "and",
	[ATOMIC_OR] = "or",   [ATOMIC_XOR] = "xor", [ATOMIC_EXCH] = "exch", [ATOMIC_CAS] = "cas",
	[ATOMIC_INC] = "inc", [ATOMIC_DEC] = "dec",
};

bool read_access_modifiers(const struct ptx_statement *at, struct access_modifiers *out)
{
	bool typed = false;

	*out = (struct access_modifiers){.space = PTX_SPACE_GENERIC, .vector = 1, .kind = -1};
	for (size_t i = 0; i < at->modifier_count; i++) {
		const char *word = at->modifiers[i];
		const size_t order = WORD_INDEX(orders, word), space = WORD_INDEX(spaces, word);
		const size_t kind = WORD_INDEX(atomic_kinds, word);

		if (order < ARRAY_SIZE(orders)) {
			out->strong = true;
			out->releases |= orders[order].releases;
			out->acquires |= orders[order].acquires;
			continue;
		}
		out->is_volatile |= strcmp(word, "volatile") == 0 || strcmp(word, "mmio") == 0;
		out->of_block |= strcmp(word, "cta") == 0;
		out->of_cluster |= strcmp(word, "shared::cluster") == 0;
		if (space < ARRAY_SIZE(spaces))
			out->space = spaces[space].space;
		if (space < ARRAY_SIZE(spaces) ||
		    WORD_INDEX(without_effect, word) < ARRAY_SIZE(without_effect) ||
		    modifier_is_cache_hint(word))
			continue;
		if (word[0] == 'v' && (word[1] == '2' || word[1] == '4' || word[1] == '8') &&
		    !word[2]) {
			out->vector = word[1] - '0';
			continue;
		}
		if (kind < ARRAY_SIZE(atomic_kinds) && out->kind < 0) {
			out->kind = (int)kind;
			continue;
		}
		if (!typed && out->vector == 1 && strcmp(word, "b128") == 0) {
			out->type = TYPE_b64;
			out->vector = 2;
			out->whole = typed = true;
			continue;
		}
		if (typed || !type_of_name(word, &out->type) || out->type == TYPE_pred)
			return false;
		typed = true;
		out->is_signed = word[0] == 's';
	}
	if (out->whole && out->vector != 2)
		return false;
	/* v8 takes 32-bit values, or halves of an atomic; 64-bit values are at most v4. */
	return typed && (out->vector < 8 || type_bits(out->type) == 32 ||
			 (out->kind >= 0 && type_bits(out->type) == 16));
}

void emit_order(struct function_decoding *decoding, enum fence_kind kind)
{
	struct instruction *fence = emit_instruction(decoding, OP_FENCE);

	fence->auxiliary = true;
	fence->kind = (uint8_t)kind;
}

void set_access_address(struct instruction *instruction, const struct decoded_address *where)
{
	instruction->space = (uint8_t)where->space;
	instruction->a = where->value;
	instruction->narrow_address = where->narrow;
	instruction->offset = where->offset;
}

bool check_variable_space(struct function_decoding *decoding, const struct decoded_address *where,
			  enum ptx_space said)
{
	bool frame = where->space == PTX_SPACE_PARAM || where->space == PTX_SPACE_LOCAL;

	if (!where->symbolic || said == PTX_SPACE_GENERIC || said == where->space ||
	    (frame && (said == PTX_SPACE_PARAM || said == PTX_SPACE_LOCAL)))
		return true;
	return decode_invalid(decoding, "a %s variable accessed as %s",
			      ptx_space_name(where->space), ptx_space_name(said));
}

const struct ptx_operand *operand_registers(struct function_decoding *decoding,
					    const struct ptx_operand *operand, size_t count)
{
	if (count == 1 && operand->kind != PTX_OPERAND_VECTOR)
		return operand;
	if (operand->kind == PTX_OPERAND_VECTOR && operand->element_count == count)
		return operand->elements;
	decode_invalid(decoding, "expected %zu registers", count);
	return NULL;
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
		if (WORD_INDEX(priorities, statement->modifiers[i]) >=
		    (i == at ? ARRAY_SIZE(priorities) : 2))
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

static bool decode_policy(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	uint32_t dst;

	if (strcmp(at->mnemonic, "createpolicy.cvt.L2.b64") == 0) {
		if (!require_operands(decoding, 2, 2))
			return false;
		decode_source(decoding, &at->operands[1], TYPE_b64);
	} else if (!at->modifier_count || !decode_priority_policy(decoding)) {
		return true;
	}
	if (decoding->rc || decoding->unsupported)
		return false;
	dst = decode_destination(decoding, &at->operands[0], TYPE_b64);
	emit_result(decoding, ALU_MOV_B64, dst, value_bits(decoding, 0, true), 0, 0);
	return false;
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

/* prefetch, prefetchu, applypriority and discard. */
static bool decode_cache_control(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const size_t i = WORD_INDEX(cache_controls, at->mnemonic);
	struct decoded_address where;
	size_t wanted;

	if (i == ARRAY_SIZE(cache_controls))
		return true;
	wanted = cache_controls[i].sized ? 2 : 1;
	if (!require_operands(decoding, wanted, wanted))
		return false;
	if (at->operands[0].kind != PTX_OPERAND_ADDRESS)
		return decode_invalid(decoding, "needs an address in []");
	if (cache_controls[i].sized &&
	    (at->operands[1].kind != PTX_OPERAND_INTEGER || at->operands[1].bits != 128))
		return decode_invalid(decoding, "the size must be 128");
	if (strcmp(at->base, "discard") != 0)
		return decode_plain(decoding);
	where = decode_address(decoding, &at->operands[0], PTX_SPACE_GLOBAL);
	if (!decoding->rc && !decoding->unsupported &&
	    check_variable_space(decoding, &where, PTX_SPACE_GLOBAL))
		set_access_address(emit_instruction(decoding, OP_DISCARD), &where);
	return false;
}

const struct statement_form cache_forms[] = {
	{"createpolicy", decode_policy, 0},
	{"prefetch", decode_cache_control, OP_NOTHING},
	{"prefetchu", decode_cache_control, OP_NOTHING},
	{"applypriority", decode_cache_control, OP_NOTHING},
	{"discard", decode_cache_control, 0},
	{0},
};
