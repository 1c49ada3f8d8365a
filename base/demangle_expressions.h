/* demangle_expressions: reads operators, literals and expressions. Internal to base/. */
#ifndef BASE_DEMANGLE_EXPRESSIONS_H
#define BASE_DEMANGLE_EXPRESSIONS_H

#include "base/demangle_parts.h"

const struct part *demangle_expression(struct demangler *d);
const struct part *demangle_literal(struct demangler *d);

/* An operator: its two letters in the ABI, how it is written, its operands in an expression. */
struct operator_row {
	const char *letters, *text;
	int operands;
};
/* NULL: none begins here. */
const struct operator_row *demangle_operator(const char *at);

#endif
