/*
 * alu_handlers: the rows of a part of alu.def as functions. A file that defines
 * ALU_PART, the part's path, and ALU_PART_NAME, and includes this, exports
 * ALU_PART_NAME(operation): the handler of a row, NULL for those of other
 * parts. Parts are files of their own so that they compile side by side.
 */
#include "harness/ptx/lanes/alu_convert.h"
#include "harness/ptx/lanes/alu_parts.h"
#include "harness/ptx/lanes/lanes.h"

#define ROW_BYTES(type) sizeof(((struct row_##type *)NULL)->lane)
#define SAME(left, right) (ROW_BYTES(left) == ROW_BYTES(right))
#define OPERAND(type, name) const struct row_##type *row_##name = row_of(warp, at->name)
#define VALUE(type, name) \
	const __typeof__(type##_of(row_##name->lane[0])) name = type##_of(row_##name->lane[lane])

/* `same`: all rows are of one width, so that none is read after a part of it was written. */
#define HANDLER(symbol, result, same, operands, values, expression)                    \
	static enum step run_##symbol(struct warp *warp, const struct instruction *at) \
	{                                                                              \
		struct row_##result *out = row_of(warp, at->dst);                      \
		struct row_##result aside;                                             \
		operands;                                                              \
                                                                                       \
		if (warp->active == ALL_LANES && (same)) {                             \
			EACH_LANE                                                      \
			{                                                              \
				values;                                                \
				out->lane[lane] = of_##result(expression);             \
			}                                                              \
			return STEP_NEXT;                                              \
		}                                                                      \
		EACH_LANE                                                              \
		{                                                                      \
			values;                                                        \
			aside.lane[lane] = of_##result(expression);                    \
		}                                                                      \
		if (warp->active == ALL_LANES)                                         \
			*out = aside;                                                  \
		else                                                                   \
			result##_blend(out, warp, &aside);                             \
		return STEP_NEXT;                                                      \
	}

#define UNARY(symbol, mnemonic, r, ta, expression) \
	HANDLER(symbol, r, SAME(r, ta), OPERAND(ta, a), VALUE(ta, a), expression)
#define BINARY(symbol, mnemonic, r, ta, tb, expression)                \
	HANDLER(symbol, r, SAME(r, ta) && SAME(r, tb), OPERAND(ta, a); \
		OPERAND(tb, b), VALUE(ta, a); VALUE(tb, b), expression)
#define TERNARY(symbol, mnemonic, r, ta, tb, tc, expression)                          \
	HANDLER(symbol, r, SAME(r, ta) && SAME(r, tb) && SAME(r, tc), OPERAND(ta, a); \
		OPERAND(tb, b); OPERAND(tc, c), VALUE(ta, a); VALUE(tb, b);           \
		VALUE(tc, c), expression)
#define QUATERNARY(symbol, mnemonic, r, ta, tb, tc, td, expression)                         \
	HANDLER(symbol, r, SAME(r, ta) && SAME(r, tb) && SAME(r, tc) && SAME(r, td),        \
		OPERAND(ta, a);                                                             \
		OPERAND(tb, b); OPERAND(tc, c); OPERAND(td, d), VALUE(ta, a); VALUE(tb, b); \
		VALUE(tc, c); VALUE(td, d), expression)
#include ALU_PART
#undef UNARY
#undef BINARY
#undef TERNARY
#undef QUATERNARY

instruction_handler *LANES_NAME(ALU_PART_NAME)(enum operation operation)
{
	switch ((int)operation) {
#define UNARY(symbol, mnemonic, r, a, expression) \
	case ALU_##symbol:                        \
		return run_##symbol;
#define BINARY(symbol, mnemonic, r, a, b, expression) UNARY(symbol, mnemonic, r, a, expression)
#define TERNARY(symbol, mnemonic, r, a, b, c, expression) UNARY(symbol, mnemonic, r, a, expression)
#define QUATERNARY(symbol, mnemonic, r, a, b, c, d, expression) \
	UNARY(symbol, mnemonic, r, a, expression)
#include ALU_PART
#undef UNARY
#undef BINARY
#undef TERNARY
#undef QUATERNARY
	default:
		return NULL;
	}
}
