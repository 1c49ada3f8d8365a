/*
 * annotation_words: one function per group of words. Each parses what follows
 * its word in the annotation and adds it to a scope.
 */
#ifndef KERNELS_USER_ANNOTATION_WORDS_H
#define KERNELS_USER_ANNOTATION_WORDS_H

#include "kernels/user/annotation_scan.h"

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
