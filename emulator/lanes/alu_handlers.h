/*
 * alu_handlers: turns the rows of alu.def that are included after it into
 * handlers, run_SYMBOL(). alu_cases.h turns them into the cases of a switch that
 * finds the handler. Each part of alu.def has a file of its own that includes
 * both, so the parts compile in parallel.
 */
#ifndef EMULATOR_LANES_ALU_HANDLERS_H
#define EMULATOR_LANES_ALU_HANDLERS_H

#include "emulator/lanes/alu_convert.h"
#include "emulator/lanes/lanes.h"

#define ROW_BYTES(type) sizeof(((struct row_##type *)NULL)->lane)
#define SAME(left, right) (ROW_BYTES(left) == ROW_BYTES(right))
#define OPERAND(type, name) const struct row_##type *row_##name = row_of(warp, at->name)
#define VALUE(type, name)                                       \
	const __typeof__(type##_of(row_##name->lane[0])) name = \
		type##_of(type##_where(runs, row_##name->lane[lane]))

/* `same`: all rows have one width, so no operand is read after a part of it was overwritten. */
#define HANDLER(symbol, result, same, operands, values, expression)                           \
	static enum step run_##symbol(struct warp *warp, const struct instruction *at)        \
	{                                                                                     \
		struct row_##result *out = row_of(warp, at->dst);                             \
		struct row_##result aside;                                                    \
		operands;                                                                     \
                                                                                              \
		if (warp->active == ALL_LANES && (same)) {                                    \
			EACH_LANE                                                             \
			{                                                                     \
				const int32_t runs = -1;                                      \
                                                                                              \
				(void)runs;                                                   \
				values;                                                       \
				out->lane[lane] = of_##result(expression);                    \
			}                                                                     \
			return STEP_NEXT;                                                     \
		}                                                                             \
		if (same) {                                                                   \
			EACH_LANE                                                             \
			{                                                                     \
				const int32_t runs = warp->lanes[lane];                       \
				const __typeof__(out->lane[0]) old = out->lane[lane];         \
				values;                                                       \
				const __typeof__(out->lane[0]) new = of_##result(expression); \
                                                                                              \
				out->lane[lane] = result##_select(runs, new, old);            \
			}                                                                     \
			return STEP_NEXT;                                                     \
		}                                                                             \
		EACH_LANE                                                                     \
		{                                                                             \
			const int32_t runs = warp->lanes[lane];                               \
                                                                                              \
			(void)runs;                                                           \
			values;                                                               \
			aside.lane[lane] = of_##result(expression);                           \
		}                                                                             \
		if (warp->active == ALL_LANES)                                                \
			*out = aside;                                                         \
		else                                                                          \
			result##_blend(out, warp, &aside);                                    \
		return STEP_NEXT;                                                             \
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

#endif
