/* Check expressions: what the parser builds on: symbols of the text and nodes of the tree. */
#include <ctype.h>
#include <string.h>

#include "kernels/check_expression_tree.h"
#include "kernels/expression.h"

int check_parse_fail(struct check_parse *p, const char *at, const char *cause)
{
	return expression_refuse(p->err, p->names->of_fill ? "fill expression" : "check expression",
				 p->text, at, cause);
}

bool check_accept(struct check_parse *p, const char *symbol)
{
	size_t length = strlen(symbol);

	while (isspace((unsigned char)*p->at))
		p->at++;
	if (strncmp(p->at, symbol, length))
		return false;
	p->at += length;
	return true;
}

const char *check_next(struct check_parse *p)
{
	check_accept(p, "");
	return p->at;
}

int check_expect(struct check_parse *p, const char *symbol, const char *cause)
{
	return check_accept(p, symbol) ? 0 : check_parse_fail(p, p->at, cause);
}

/* ---- nodes ---- */

int check_add(struct check_parse *p, int *out, struct tree_node node, const char *at)
{
	struct check_expression *tree = p->tree;

	if (tree->node_count == TREE_NODES)
		return check_parse_fail(p, at, "the expression has too many parts");
	node.character = (size_t)(at - p->text) + 1;
	for (int i = 0; i < 3; i++) {
		const struct tree_node *operand;

		if (node.operands[i] < 0)
			continue;
		operand = &tree->nodes[node.operands[i]];
		node.depends |= operand->depends;
		if (operand->depth >= node.depth)
			node.depth = operand->depth + 1;
	}
	if (tree_is_reduction(&node))
		node.depends &= ~(1u << node.slot);
	if (node.depth > TREE_DEPTH)
		return check_parse_fail(p, at, "the expression is nested too deep");
	*out = tree->node_count;
	tree->nodes = xgrow(tree->nodes, &tree->node_capacity, (size_t)tree->node_count + 1,
			    sizeof(*tree->nodes));
	tree->nodes[tree->node_count++] = node;
	return 0;
}

int check_add_operation(struct check_parse *p, int *out, enum tree_operation operation,
			enum tree_type type, int left, int right, const char *at)
{
	return check_add(p, out,
			 (struct tree_node){.operation = operation,
					    .type = type,
					    .operands = {left, right, -1}},
			 at);
}

enum tree_type check_type_of(const struct check_parse *p, int node)
{
	return p->tree->nodes[node].type;
}

int check_convert(struct check_parse *p, int *node, enum tree_type type, const char *at)
{
	if (check_type_of(p, *node) == type)
		return 0;
	return check_add_operation(p, node, TREE_CONVERT, type, *node, -1, at);
}

int check_unify(struct check_parse *p, int *left, int *right, const char *at)
{
	enum tree_type type = check_type_of(p, *left);
	int rc;

	if (check_type_of(p, *right) > type)
		type = check_type_of(p, *right);
	rc = check_convert(p, left, type, at);
	return rc ? rc : check_convert(p, right, type, at);
}
