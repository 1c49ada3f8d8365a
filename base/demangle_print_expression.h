/* demangle_print_expression: writes lists, literals and expressions of a name. Internal to base/.
 */
#ifndef BASE_DEMANGLE_PRINT_EXPRESSION_H
#define BASE_DEMANGLE_PRINT_EXPRESSION_H

#include "base/demangle_parts.h"

struct printer {
	struct text *out;
	/* Writes any part: source files may not call each other in a circle. */
	void (*part)(struct printer *p, const struct part *part);
	int depth;
	int64_t steps;
	int64_t index; /* of the item of a pack that an expansion is at; -1: not in one */
	bool failed;
};

void demangled_text(struct printer *p, const char *text);
/* Items with ", " between them. */
void demangled_list(struct printer *p, const struct part *list);
/* What a pack stands for at this place of an expansion; another part is itself. */
const struct part *demangled_resolve(const struct printer *p, const struct part *part);
void demangled_expression(struct printer *p, const struct part *part);

#endif
