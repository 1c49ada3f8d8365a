/*
 * expression_text: how messages show an expression. Both expression languages
 * use it. Texts can be as long as ANNOTATION_MAX_BYTES, and messages cannot.
 */
#ifndef KERNELS_EXPRESSION_TEXT_H
#define KERNELS_EXPRESSION_TEXT_H

#include "base/base.h"

/*
 * Adds `"TEXT", character N`. Of a long text only the surroundings of the
 * character, which counts from 1 in bytes, and `at "…"` after them, since the
 * reader cannot count.
 */
void expression_add_place(struct text *out, const char *text, size_t character);

/* Sets the PL_EPARSE error `KIND "TEXT", character N: CAUSE`, where N is that of `at`. */
int expression_refuse(struct error *err, const char *kind, const char *text, const char *at,
		      const char *cause);

/* The character of an error that expression_refuse() set. */
size_t expression_refused_character(const struct error *err);

#endif
