/*
 * annotation_words: reads one annotation from left to right. Every function that returns an int
 * returns 0, or sets the error with the place of the annotation.
 */
#ifndef KERNELS_USER_ANNOTATION_WORDS_H
#define KERNELS_USER_ANNOTATION_WORDS_H

#include "kernels/user/annotations.h"

/* Names become fields of struct axis_value, case_buffer and launch_case, and parts of selectors. */
#define AXIS_NAME_BYTES 32

struct annotation_scan {
	struct annotation_pool *pool;
	struct annotation_place place;
	const char *folder;           /* paths are relative to it */
	const char *at;               /* what is left of the annotation */
	struct annotation_lets *lets; /* that it may use */
	struct error *err;
};

#define scan_error(scan, ...) annotation_error((scan)->err, (scan)->place, __VA_ARGS__)

/* Sets the error that `what` is declared a second time. */
int scan_twice(struct annotation_scan *scan, const char *what, struct annotation_place first);
void scan_blanks(struct annotation_scan *scan);
/* Consumes `symbol` if it comes next. */
bool scan_accept(struct annotation_scan *scan, const char *symbol);
/* Consumes `word` if it comes next as a whole word. */
bool scan_accept_word(struct annotation_scan *scan, const char *word);
/* Refuses what is left, if anything is. */
int scan_end(struct annotation_scan *scan);
/* Everything that is left, without blanks at the ends; "" for nothing. */
char *scan_rest(struct annotation_scan *scan);
/* A C identifier. `what` says what it names, for the error. */
int scan_identifier(struct annotation_scan *scan, const char **out, const char *what);
/* "text", in which \" and \\ stand for a quote and a backslash. */
int scan_quoted(struct annotation_scan *scan, const char **out, const char *what);
/* A quoted path; *out is absolute and the path of a file that exists. */
int scan_path(struct annotation_scan *scan, const char **out, const char *what, bool is_data);
/* Everything up to the bracket that closes, which is consumed. The open one has been consumed. */
int scan_until(struct annotation_scan *scan, char close, char **out);
/* Everything up to `symbol` outside brackets and quotes, which is consumed. False: there is none,
 * and nothing is consumed. */
bool scan_before(struct annotation_scan *scan, const char *symbol, char **out);

/* Expands the lets of an expression. The pool owns the new text. */
int scan_expand(const struct annotation_scan *scan, const char **expression);

struct annotation_list {
	char **items;
	size_t count;
};
/* Splits at commas outside brackets and quotes. An empty text has no items; an empty item is an
 * error. */
int scan_split(struct annotation_scan *scan, struct annotation_list *out, const char *text);
/* Splits everything up to the bracket that closes, as scan_until() finds it; *inside is that text.
 */
int scan_items(struct annotation_scan *scan, char close, struct annotation_list *out,
	       char **inside);
/* Expands the items into out[], which has room for them. */
int scan_expand_items(const struct annotation_scan *scan, const struct annotation_list *items,
		      const char **out);
bool is_c_identifier(const char *text);
bool is_device_limit(const char *name);
/* Refuses a name that has `limit` bytes or more. `what` says what it names: "the axis". */
int scan_check_length(const struct annotation_scan *scan, const char *what, const char *name,
		      size_t limit);
/* Absolute: `path` itself, or below `folder`. */
const char *annotation_path(struct annotation_pool *pool, const char *folder, const char *path);

/* ---- words ---- */

/* Each parses what follows its word in the annotation and adds it to a scope. */
int let_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int axis_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int define_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int buffer_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int symbol_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int launch_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int compare_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int verify_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int skip_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int needs_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int work_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int tolerance_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int flags_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int standard_annotation(struct annotation_scan *scan, struct annotation_scope *scope);
int compiler_annotation(struct annotation_scan *scan, struct annotation_scope *scope);

/* Whether the text, a comment behind "perflab", was meant as an annotation. With a colon the first
 * word decides; without one also the form of what follows, so that prose stays a comment. */
bool begins_as_annotation(const char *text, bool colon);

/* Whether the value of a flag is a folder or a file: what follows *length bytes of it, or the next
 * flag. Otherwise *length is as before. */
bool flag_is_path(const char *flag, size_t *length);
/* A flag of the compiler. A relative path in it is one from `folder`; if the path is the next flag,
 * *path_next is set for the next call, and it is false for the first. The pool owns the result, or
 * it is `flag`. */
const char *flag_in_folder(struct annotation_pool *pool, const char *folder, const char *flag,
			   bool *path_next);

/* The name of an element type. `of` is the buffer that has it. */
int scan_element_type(struct annotation_scan *scan, enum element_type *out, const char *of);
/* What is inside texture(…) or surface(…); `text` is all of it, for messages. */
int scan_texture(struct annotation_scan *scan, struct kernel_arg *out, const char *text,
		 const char *inside, bool surface);
/* What is inside tensormap(…). */
int scan_tensor_map(struct annotation_scan *scan, struct kernel_arg *out, const char *text,
		    const char *inside);
/* The arguments of a launch in brackets; without brackets, those of a recorded launch. */
int scan_arguments(struct annotation_scan *scan, struct kernel_launch *out);
/* A launch, up to the closing bracket of its arguments; then repeat, cluster, carveout and
 * cooperative. */
int scan_launch(struct annotation_scan *scan, struct kernel_launch *out);

#endif
