/*
 * source_facts: the files of the user that a run measures, among the facts of
 * its environment: source.1, source.1.hash and so on. Internal to
 * harness/session.
 */
#ifndef HARNESS_SESSION_SOURCE_FACTS_H
#define HARNESS_SESSION_SOURCE_FACTS_H

#include "harness/plan/plan.h"

/* Adds the path and the hash of the content of every source of the plan, in the order of the plan.
 * A file that cannot be read has no hash. */
void source_facts_add(struct key_value_list *environment, const struct plan *plan);
/*
 * Checks that a plan has the sources of a stored run, with the same content.
 * PL_EUSAGE: the run measured files of the user, and the plan has none.
 * PL_EUNSUPPORTED: other files, or a file that changed.
 */
int source_facts_check(const struct run *run, const struct plan *plan, struct error *err);
/* The first file of the user that a run measured; NULL: it measured built-in kernels. */
const char *source_facts_first(const struct run *run);

#endif
