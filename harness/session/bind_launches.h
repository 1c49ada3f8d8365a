/*
 * bind_launches: matches the launches and symbols of a case with the entries and
 * variables of a compiled image. Internal to harness/session.
 */
#ifndef HARNESS_SESSION_BIND_LAUNCHES_H
#define HARNESS_SESSION_BIND_LAUNCHES_H

#include "compile/compile.h"
#include "kernels/kernels.h"

/*
 * Replaces the name of each entry by its name in the image, and gives each
 * argument without a type the type of its parameter. PL_EUSAGE, with the entry
 * and the parameter, if the number, size or kind of the arguments does not
 * match: a launch with such arguments would read other memory. The types in the
 * mangled name of an entry count, too: an int holds no 2^31.
 */
int bind_launches(struct case_launch *launches, size_t count, const struct case_buffer *buffers,
		  const struct compiled *compiled, struct error *err);
/*
 * Finds the variables that the symbols of a case name, in its image and in that of its check's
 * launches (NULL: it is the same). A variable that the latter lacks is not set there. PL_ENOENT,
 * PL_EUSAGE: see compiled_variable_find(); also the errors of compiled_variables_read().
 */
int bind_symbols(struct launch_case *launch, struct compiled *own, struct compiled *of_check,
		 struct error *err);
/*
 * The first entry of the launches, not yet bound, that gets a texture or surface (`passed`), or
 * that has instructions for them but gets none, so that any number that its launch gives as a
 * handle is made up; NULL: none.
 */
const char *launches_with_textures(const struct case_launch *launches, size_t count,
				   const struct compiled *compiled, bool passed);

#endif
