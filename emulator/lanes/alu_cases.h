/* alu_cases: turns the rows of alu.def that are included after it into cases; see alu_handlers.h.
 */
#undef UNARY
#undef BINARY
#undef TERNARY
#undef QUATERNARY
#define UNARY(symbol, mnemonic, r, a, expression) \
	case ALU_##symbol:                        \
		return run_##symbol;
#define BINARY(symbol, mnemonic, r, a, b, expression) UNARY(symbol, mnemonic, r, a, expression)
#define TERNARY(symbol, mnemonic, r, a, b, c, expression) UNARY(symbol, mnemonic, r, a, expression)
#define QUATERNARY(symbol, mnemonic, r, a, b, c, d, expression) \
	UNARY(symbol, mnemonic, r, a, expression)
