/*
 * source_facts: the path and the content of each file that the kernels of a user
 * are made of, among the facts of a run: source.1, source.1.hash and so on; and how
 * each variant is verified: source.check.KERNEL/VARIANT.
 * Internal to harness/session.
 */
#ifndef HARNESS_SESSION_SOURCE_FACTS_H
#define HARNESS_SESSION_SOURCE_FACTS_H

#include "kernels/user/kernel_file.h"
#include "metrics/metrics.h"

/* Adds every file that `files` (NULL: none) is made of, and every check. A file that cannot be read
 * has no hash. */
void source_facts_add(struct key_value_list *facts, const struct kernel_file *files);
/* PL_EUNSUPPORTED: the files are not those of the run, or have other contents. */
int source_facts_check(const struct run *run, const struct key_value_list *facts,
		       struct error *err);
/* PL_EIO: the content of a file has changed since the facts were taken. */
int source_facts_check_unchanged(const struct key_value_list *facts, struct error *err);
/* Adds every file of a run, by its path: "" if its content is that of the run, else what happened
 * to it, to follow "the file ". */
void source_facts_compare(struct key_value_list *out, const struct run *run);
/* The first file of the user that a run measured; NULL: it measured built-in kernels. */
const char *source_facts_first(const struct run *run);

#endif
