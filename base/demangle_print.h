/* demangle_print: writes the parts of a name as C++ does. Internal to base/. */
#ifndef BASE_DEMANGLE_PRINT_H
#define BASE_DEMANGLE_PRINT_H

#include "base/demangle_parts.h"

/* Writes the tree. False: it would be longer than DEMANGLED_MOST, or too deep. */
#define DEMANGLED_MOST (1 << 20)
bool demangle_print(struct text *out, const struct part *part);

#endif
