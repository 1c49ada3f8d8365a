/*
 * The table of arithmetic operations, and the lookup of a mnemonic in it. Compilers differ in the
 * order of modifiers. So two mnemonics are equal if they have the same base, the same set of
 * modifiers, and the same types in the same order ("cvt.rn.f32.s32" converts to f32).
 */
#include "emulator/program/operations.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
#define X(symbol, meaning) CONTROL_##symbol,
	CONTROL_OPERATION_LIST(X)
#undef X
		CONTROL_OPERATION_COUNT
};

static const struct alu_row alu_table[] = {
#define UNARY(symbol, mnemonic, d, a, expression) {#symbol, mnemonic, 1, {TYPE_##d, TYPE_##a}},
#define BINARY(symbol, mnemonic, d, a, b, expression) \
	{#symbol, mnemonic, 2, {TYPE_##d, TYPE_##a, TYPE_##b}},
#define TERNARY(symbol, mnemonic, d, a, b, c, expression) \
	{#symbol, mnemonic, 3, {TYPE_##d, TYPE_##a, TYPE_##b, TYPE_##c}},
#define QUATERNARY(symbol, mnemonic, result, a, b, c, d, expression) \
	{#symbol, mnemonic, 4, {TYPE_##result, TYPE_##a, TYPE_##b, TYPE_##c, TYPE_##d}},
#include "emulator/program/alu.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#undef QUATERNARY
};
#define ALU_ROWS (sizeof(alu_table) / sizeof(alu_table[0]))

static const struct {
	const char *mnemonic, *as;
} alias_table[] = {
#define ALIAS(mnemonic, as) {mnemonic, as},
#include "emulator/program/alu_aliases.def"
#undef ALIAS
};

const struct alu_row *alu_row_of(enum operation operation)
{
	if ((size_t)operation < CONTROL_OPERATION_COUNT || operation >= OPERATION_COUNT)
		return NULL;
	return &alu_table[(size_t)operation - CONTROL_OPERATION_COUNT];
}

struct mnemonic_part {
	const char *start;
	size_t length;
};
#define MNEMONIC_PARTS 16

/* Splits a mnemonic into base and modifiers. Returns 0 if there are too many. */
static size_t mnemonic_split(struct mnemonic_part parts[MNEMONIC_PARTS], const char *mnemonic)
{
	size_t count = 0;

	for (const char *at = mnemonic;; at++) {
		size_t length = strcspn(at, ".");

		if (count == MNEMONIC_PARTS)
			return 0;
		parts[count++] = (struct mnemonic_part){at, length};
		at += length;
		if (!*at)
			return count;
	}
}

/* "f32", "b64", "bf16x2", "pred", "tf32", "e4m3x2". "b4e" of prmt looks like a type, too, which
 * does no harm. */
static bool part_is_type(struct mnemonic_part part)
{
	const char *at = part.start;

	if (part.length == 4 && memcmp(at, "pred", 4) == 0)
		return true;
	if (part.length > 2 && (memcmp(at, "bf", 2) == 0 || memcmp(at, "tf", 2) == 0))
		at++;
	return part.length > 1 && strchr("bsufe", *at) && at[1] >= '0' && at[1] <= '9';
}

static bool parts_equal(struct mnemonic_part left, struct mnemonic_part right)
{
	return left.length == right.length && memcmp(left.start, right.start, left.length) == 0;
}

static bool mnemonic_matches(const struct mnemonic_part *parts, size_t count, const char *candidate)
{
	struct mnemonic_part others[MNEMONIC_PARTS];
	size_t type = 1; /* index in `others` from which to look for the next type */
	unsigned used = 0;

	if (mnemonic_split(others, candidate) != count || !parts_equal(parts[0], others[0]))
		return false;
	for (size_t i = 1; i < count; i++) {
		size_t at = 1;

		if (part_is_type(parts[i])) {
			while (type < count && !part_is_type(others[type]))
				type++;
			at = type++;
			if (at >= count || !parts_equal(parts[i], others[at]))
				return false;
		} else {
			while (at < count && (used >> at & 1 || !parts_equal(parts[i], others[at])))
				at++;
			if (at == count)
				return false;
		}
		used |= 1u << at;
	}
	return true;
}

static enum operation row_find(const char *mnemonic)
{
	struct mnemonic_part parts[MNEMONIC_PARTS];
	size_t length = strlen(mnemonic);
	size_t count = mnemonic_split(parts, mnemonic);

	if (length == 0 || count == 0)
		return OPERATION_COUNT;
	for (size_t i = 0; i < ALU_ROWS; i++) {
		const char *candidate = alu_table[i].mnemonic;

		/* A name with the parts in another order has the same length. This rules out most
		 * rows. */
		if (candidate[0] == mnemonic[0] && strlen(candidate) == length &&
		    mnemonic_matches(parts, count, candidate))
			return (enum operation)(CONTROL_OPERATION_COUNT + i);
	}
	return OPERATION_COUNT;
}

enum operation alu_find(const char *mnemonic)
{
	enum operation found = row_find(mnemonic);
	struct mnemonic_part parts[MNEMONIC_PARTS];
	size_t length, count;

	if (found != OPERATION_COUNT)
		return found;
	length = strlen(mnemonic);
	count = mnemonic_split(parts, mnemonic);
	if (count == 0)
		return OPERATION_COUNT;
	for (size_t i = 0; i < sizeof(alias_table) / sizeof(alias_table[0]); i++) {
		const char *candidate = alias_table[i].mnemonic;

		if (candidate[0] == mnemonic[0] && strlen(candidate) == length &&
		    mnemonic_matches(parts, count, candidate))
			return row_find(alias_table[i].as);
	}
	return OPERATION_COUNT;
}
