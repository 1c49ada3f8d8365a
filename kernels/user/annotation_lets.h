/*
 * annotation_lets: names for parts of expressions. They are expanded where a
 * line is read, so that everything else sees plain expressions.
 *
 * A name means the let of the variant, else of the file, else of the first
 * file. That holds for the names in a let, too: it is read as if its text stood
 * at the use. Two things are not as in that text. A let and an argument are one
 * operand, with brackets if needed. And an argument is that of its own line: a
 * name in it becomes neither a parameter nor the NAME of a reduction of the let.
 */
#ifndef KERNELS_USER_ANNOTATION_LETS_H
#define KERNELS_USER_ANNOTATION_LETS_H

#include "kernels/user/annotation_words.h"

#define LETS_PER_SCOPE 512
#define LET_PARAMETERS 8
#define LET_EXPANDED_BYTES 65536
/* What the expansion of one expression, and of all of a file, may write, with the parts that are
 * only copied on. It bounds the time. */
#define LET_WORK_BYTES (1 << 20)
#define LET_FILE_BYTES (16 << 20)

struct annotation_let {
	struct annotation_place place;
	const char *name;
	const char **parameters;
	size_t parameter_count;
	const char *body;
};

/* What a line may use. */
struct annotation_lets {
	/* From the innermost; NULL: none. */
	const struct annotation_scope *scopes[3];
	size_t written_bytes; /* of the file so far */
};

/* Which let each part of an expression comes from, for the expressions of one line; and the lets
 * that the line may use. */
struct let_expansion;
struct let_expansions {
	const struct let_expansion *first;
	struct annotation_lets lets;
};

#define LETS_PER_LINE ((size_t)3 * LETS_PER_SCOPE)
/* Adds the names of the lets that the line may use, at most LETS_PER_LINE. */
void lets_add_names(const char **names, size_t *count, struct annotation_place place);

/* NULL: no let has this name. */
const struct annotation_let *lets_find(const struct annotation_lets *lets, const char *name,
				       size_t length);

/* Whether a line of a file names a let that only variants of the file have, itself or through lets
 * of the file. */
bool lets_are_of_variants(const struct annotated_file *file, const char *text);

/* Expands the lets of a scope, so that a mistake in one that nothing uses is found. */
int lets_check_scope(const struct annotation_scan *scan, const struct annotation_scope *scope);

/* Refuses a let that has the name of an axis or a buffer, or is on the command line and in a file.
 * `given` has the lines of the command line. */
int lets_check_names(struct annotation_pool *pool, const struct annotated_file *files, size_t count,
		     const struct annotated_file *given, struct error *err);

/* Adds " (in the let "NAME" of FILE:LINE)" if that character (from 1) of an expression of a line
 * comes from a let. */
void lets_add_origin(struct text *out, struct annotation_place place, const char *expression,
		     size_t character);

/* ---- text that lets were expanded into, with the let that each part of it comes from ---- */

/* Ends before `end`; the text before it back to the segment before comes from `let`. */
struct let_segment {
	size_t end;
	const struct annotation_let *let; /* NULL: the line itself */
};

/* Text and where it comes from. All zeroes is none. */
struct let_text {
	struct text text;
	struct let_segment *segments;
	size_t count, capacity;
};
void let_text_add(struct let_text *out, const char *bytes, size_t length,
		  const struct annotation_let *let);
void let_text_release(struct let_text *text);

/* Keeps the text in the pool, and where it comes from in the place of the line, for
 * lets_add_origin(). Returns the text that the pool owns. */
const char *let_text_keep(const struct annotation_scan *scan, const struct let_text *from);

#endif
