/*
 * source_words: the words with which a user gave the files of a sweep, among the
 * facts of the run, so that the run alone says how to measure them again:
 * files.1, files.annotation.1, files.compile_flag.1, files.standard,
 * files.compiler, files.axis.1, and files.folder, the current folder. Internal
 * to harness/session.
 */
#ifndef HARNESS_SESSION_SOURCE_WORDS_H
#define HARNESS_SESSION_SOURCE_WORDS_H

#include "harness/session/session.h"

/* Adds the words of a request with files. */
void source_words_add(struct key_value_list *facts, const struct sweep_request *request);
/*
 * Adds the words of a run to *out, which has none yet; a run of built-in kernels
 * has none. The lists of *out are owned, its other strings are borrowed from the
 * run. PL_EUSAGE: the words were given in another folder, which relative paths
 * need. PL_EUNSUPPORTED: the run measured files and does not have the words.
 */
int source_words_take(struct sweep_request *out, const struct run *run, struct error *err);
/* Adds the words of a request with files as arguments of `perflab sweep`. */
void source_words_add_arguments(struct string_list *argv, const struct sweep_request *request);
/* PL_EUSAGE: a request has words that those of the run lack. */
int source_words_check(const struct sweep_request *request, const struct sweep_request *of_run,
		       const struct run *run, struct error *err);

#endif
