/*
 * built_in: the code of built-in kernels for the device of a sweep. Internal to sweep/.
 *
 * A worker that loads machine code gets it from the cache of compiled files; ptxas makes it of the
 * PTX that perflab ships when a device first needs it. Without ptxas the worker gets PTX.
 */
#ifndef HARNESS_SWEEP_BUILT_IN_H
#define HARNESS_SWEEP_BUILT_IN_H

#include "harness/sweep/sweep_state.h"

/*
 * Compiles the images of the cases of a plan that a worker may execute. *out stays NULL if the
 * worker loads no code or the plan has no such image. An image that does not compile is left to the
 * driver, which gives the reason. The errors of compile_cache_enter(), and PL_EINTERRUPTED.
 */
int built_in_compile(struct built_in_code **out, struct sweep *sweep, const struct plan *plan,
		     struct error *err);
/* Gives a case the code of its image. `code` may be NULL. */
void built_in_bind(const struct built_in_code *code, struct launch_case *launch);
void built_in_free(struct built_in_code *code); /* accepts NULL */

#endif
