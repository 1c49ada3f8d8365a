/* demangle_types: reads types and template arguments. Internal to base/. */
#ifndef BASE_DEMANGLE_TYPES_H
#define BASE_DEMANGLE_TYPES_H

#include "base/demangle_parts.h"

const struct part *demangle_type(struct demangler *d);
const struct part *demangle_arguments(struct demangler *d, bool tags);

#endif
