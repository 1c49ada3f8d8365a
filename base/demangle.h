/* demangle: reads a whole mangled name. Internal to base/. */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include "base/demangle_parts.h"

/* The tree of a name, which belongs to *d, or NULL if it cannot be read. d->at is then at what
 * follows the name. The caller releases *d in both cases. */
const struct part *demangle_read(struct demangler *d, const char *name);
void demangle_release(struct demangler *d);

/* Where the name of the ABI begins: behind what nvcc writes before that of a static function. */
const char *mangled_start(const char *name);

#endif
