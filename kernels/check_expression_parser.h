/*
 * What the files of the parser of check expressions share. Functions return 0
 * or PL_EPARSE, and set the error at a character of the text.
 */
#ifndef KERNELS_CHECK_EXPRESSION_PARSER_H
#define KERNELS_CHECK_EXPRESSION_PARSER_H

#include "kernels/check_expression.h"
#include "kernels/check_expression_tree.h"

/* An index that the text may name, from the outermost one. */
struct parse_scope {
	const char *name; /* into the text, or "i" */
	size_t length;
	bool of_elements; /* buffers without an index use it */
	int like;         /* of_elements: the buffer that gives the length, or LIKE_RESULT */
};

struct check_parse {
	struct check_expression *tree;
	const struct check_names *names;
	const char *text;
	const char *at;
	/* The first rule of the grammar: any expression. */
	int (*parse_any)(struct check_parse *p, int *out);
	struct parse_scope scopes[TREE_SLOTS];
	int scope_count;
	int nesting;
	struct error *err;
};

int check_parse_fail(struct check_parse *p, const char *at, const char *cause);

/* Skips blanks, then consumes `symbol` if it comes next. */
bool check_accept(struct check_parse *p, const char *symbol);
/* The position of the next symbol. */
const char *check_next(struct check_parse *p);
int check_expect(struct check_parse *p, const char *symbol, const char *cause);

/* Adds a node with up to three operands. Its depth and what it depends on come from them. */
int check_add(struct check_parse *p, int *out, struct tree_node node, const char *at);
int check_add_operation(struct check_parse *p, int *out, enum tree_operation operation,
			enum tree_type type, int left, int right, const char *at);
enum tree_type check_type_of(const struct check_parse *p, int node);
int check_convert(struct check_parse *p, int *node, enum tree_type type, const char *at);
/* Gives both the type that C's rules choose. */
int check_unify(struct check_parse *p, int *left, int *right, const char *at);

/* A name, with the index or the arguments that follow it. */
int check_parse_name(struct check_parse *p, int *out);

#endif
