/* demangle_names: reads names and functions. Internal to base/. */
#ifndef BASE_DEMANGLE_NAMES_H
#define BASE_DEMANGLE_NAMES_H

#include "base/demangle_parts.h"

const struct part *demangle_name(struct demangler *d, bool tags);
/* `scope`: what is before "::"; a constructor has the name of its class. */
const struct part *demangle_unqualified(struct demangler *d, const struct part *scope);
/* What follows "S": an earlier part, or an abbreviation of the standard library. */
const struct part *demangle_substitution(struct demangler *d);
const struct part *demangle_encoding(struct demangler *d);

#endif
