/* Check expressions: names of buffers, axes and indices, and calls of functions. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/check_expression_tree.h"
#include "kernels/expression.h"

static bool name_is(const char *name, const char *start, size_t length)
{
	return strlen(name) == length && !memcmp(name, start, length);
}

static bool check_has_name(const struct check_names *names, const char *start, size_t length)
{
	for (size_t i = 0; i < names->buffer_count; i++)
		if (name_is(names->buffers[i].name, start, length))
			return true;
	for (size_t i = 0; i < names->axis_count; i++)
		if (name_is(names->axes[i], start, length))
			return true;
	return false;
}

static int find_scope(const struct check_parse *p, const char *start, size_t length)
{
	for (int i = p->scope_count - 1; i >= 0; i--)
		if (p->scopes[i].length == length && !memcmp(p->scopes[i].name, start, length))
			return i;
	return -1;
}

/* The index of a buffer or an axis among those that the expression uses. */
static size_t use_buffer(struct check_expression *tree, const struct check_buffer_name *buffer)
{
	for (size_t i = 0; i < tree->buffer_count; i++)
		if (!strcmp(tree->buffers[i].name, buffer->name))
			return i;
	tree->buffers = xrealloc(tree->buffers, (tree->buffer_count + 1) * sizeof(*tree->buffers));
	tree->buffers[tree->buffer_count] =
		(struct tree_buffer){xstrdup(buffer->name), buffer->type};
	return tree->buffer_count++;
}

static size_t use_axis(struct check_expression *tree, const char *name)
{
	for (size_t i = 0; i < tree->axes.count; i++)
		if (!strcmp(tree->axes.items[i], name))
			return i;
	string_list_add(&tree->axes, name);
	return tree->axes.count - 1;
}

static int parse_check_buffer(struct check_parse *p, int *out,
			      const struct check_buffer_name *buffer, const char *start)
{
	struct tree_node node = {
		.operation = TREE_ELEMENT, .like = INDEXED, .operands = {-1, -1, -1}};
	const char *at;
	int rc;

	node.name = use_buffer(p->tree, buffer);
	node.type = buffer->type == ELEMENT_U64        ? TREE_UNSIGNED
		    : element_is_integer(buffer->type) ? TREE_SIGNED
						       : TREE_REAL;
	if (check_accept(p, "[")) {
		at = check_next(p);
		rc = p->parse_any(p, &node.operands[0]);
		if (!rc)
			rc = check_expect(p, "]", "\"]\" expected after the index");
		if (!rc && check_type_of(p, node.operands[0]) == TREE_REAL)
			rc = check_parse_fail(p, at,
					      "an index must be an integer: int(...) makes one");
	} else {
		int scope = p->scope_count - 1;

		while (!p->scopes[scope].of_elements)
			scope--;
		if (p->scopes[scope].like == INDEXED)
			p->scopes[scope].like = (int)node.name;
		node.like = p->scopes[scope].like;
		rc = check_add(p, &node.operands[0],
			       (struct tree_node){.operation = TREE_SLOT,
						  .slot = scope,
						  .depends = 1u << scope,
						  .operands = {-1, -1, -1}},
			       start);
	}
	return rc ? rc : check_add(p, out, node, start);
}

/* What such a buffer holds before the launch is what perflab put there, so a kernel that writes
 * nothing would be right. */
static int refuse_no_input(struct check_parse *p, const struct check_buffer_name *buffer,
			   const char *at)
{
	char cause[256];

	snprintf(cause, sizeof(cause),
		 "\"%.60s\" has the role %s and nothing in it before the launch, and an expression "
		 "reads what was there then; give it the role inout if the kernel reads it, else "
		 "write what the element must be",
		 buffer->name, buffer_role_name(buffer->role));
	return check_parse_fail(p, at, cause);
}

static int parse_check_variable(struct check_parse *p, int *out, const char *start, size_t length)
{
	struct tree_node node = {.type = TREE_SIGNED, .operands = {-1, -1, -1}};
	const struct check_names *names = p->names;
	int scope = find_scope(p, start, length);

	if (scope >= 0) {
		if (check_has_name(names, start, length))
			return check_parse_fail(p, start,
						"an axis or a buffer has the name of the index; "
						"rename it");
		node.operation = TREE_SLOT;
		node.slot = scope;
		node.depends = 1u << scope;
		return check_add(p, out, node, start);
	}
	for (size_t i = 0; i < names->buffer_count; i++)
		if (name_is(names->buffers[i].name, start, length))
			return names->buffers[i].role == BUFFER_IN ||
					       names->buffers[i].role == BUFFER_INOUT
				       ? parse_check_buffer(p, out, &names->buffers[i], start)
				       : refuse_no_input(p, &names->buffers[i], start);
	for (size_t i = 0; i < names->axis_count; i++)
		if (name_is(names->axes[i], start, length)) {
			node.operation = TREE_AXIS;
			node.name = use_axis(p->tree, names->axes[i]);
			return check_add(p, out, node, start);
		}
	return check_parse_fail(p, start,
				names->of_fill ? "no axis, limit of the device or index has this "
						 "name, and a fill cannot read buffers"
					       : "no buffer, axis or index has this name");
}

/* ---- calls ---- */

static int check_need_integer(struct check_parse *p, int *node, const char *at, const char *cause)
{
	if (check_type_of(p, *node) == TREE_REAL)
		return check_parse_fail(p, at, cause);
	return check_convert(p, node, TREE_SIGNED, at);
}

static const struct real_function {
	const char *name;
	double (*of_one)(double);
	double (*of_two)(double, double);
	bool keeps_integers;
} real_functions[] = {
	{"sqrt", .of_one = sqrt},
	{"exp", .of_one = exp},
	{"exp2", .of_one = exp2},
	{"log", .of_one = log},
	{"log2", .of_one = log2},
	{"sin", .of_one = sin},
	{"cos", .of_one = cos},
	{"tan", .of_one = tan},
	{"asin", .of_one = asin},
	{"acos", .of_one = acos},
	{"atan", .of_one = atan},
	{"sinh", .of_one = sinh},
	{"cosh", .of_one = cosh},
	{"tanh", .of_one = tanh},
	{"erf", .of_one = erf},
	{"floor", .of_one = floor, .keeps_integers = true},
	{"ceil", .of_one = ceil, .keeps_integers = true},
	{"pow", .of_two = pow},
	{"atan2", .of_two = atan2},
};

static const struct real_function *find_real_function(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(real_functions); i++)
		if (name_is(real_functions[i].name, name, length))
			return &real_functions[i];
	return NULL;
}

/* The number of arguments of the call whose parenthesis was just read. */
static int count_arguments(const char *at)
{
	int depth = 0, count = 1;

	for (; *at && depth >= 0; at++) {
		if (*at == '(' || *at == '[')
			depth++;
		else if (*at == ')' || *at == ']')
			depth--;
		else if (*at == ',' && depth == 0)
			count++;
	}
	return count;
}

/* Reads `count` arguments and the parenthesis after them. */
static int parse_check_arguments(struct check_parse *p, int *out, int count)
{
	int rc = 0;

	for (int i = 0; !rc && i < count; i++) {
		if (i)
			rc = check_expect(p, ",", "a second argument is missing: \",\" expected");
		if (!rc)
			rc = p->parse_any(p, &out[i]);
	}
	return rc ? rc : check_expect(p, ")", "\")\" expected after the arguments");
}

static int push_scope(struct check_parse *p, struct parse_scope scope, const char *at)
{
	if (p->scope_count == TREE_SLOTS)
		return check_parse_fail(p, at, "too many nested reductions");
	p->scopes[p->scope_count++] = scope;
	return 0;
}

/* BODY: the index runs over the elements of the buffers in it. */
static int parse_reduction_of_elements(struct check_parse *p, struct tree_node *node,
				       const char *start)
{
	struct parse_scope *scope = &p->scopes[p->scope_count];
	int rc = push_scope(p, (struct parse_scope){"i", 1, true, INDEXED}, start);

	if (rc)
		return rc;
	rc = p->parse_any(p, &node->operands[2]);
	p->scope_count--;
	if (rc)
		return rc;
	if (scope->like == INDEXED)
		return check_parse_fail(p, start,
					"no buffer without an index gives the number of terms; "
					"write sum(j, 0, n, ...)");
	rc = check_add(p, &node->operands[0],
		       (struct tree_node){.operation = TREE_INTEGER, .operands = {-1, -1, -1}},
		       start);
	if (rc)
		return rc;
	return check_add(p, &node->operands[1],
			 (struct tree_node){.operation = TREE_LENGTH,
					    .name = (size_t)scope->like,
					    .operands = {-1, -1, -1}},
			 start);
}

/* NAME, FROM, TO, BODY */
static int parse_reduction_of_range(struct check_parse *p, struct tree_node *node)
{
	const char *name = check_next(p), *at;
	size_t length;
	int rc;

	while (isalnum((unsigned char)*p->at) || *p->at == '_')
		p->at++;
	length = (size_t)(p->at - name);
	if (!length || isdigit((unsigned char)*name))
		return check_parse_fail(p, name, "the name of an index expected");
	if (find_scope(p, name, length) >= 0 || check_has_name(p->names, name, length))
		return check_parse_fail(p, name,
					"the index has the name of something else; choose another");
	for (int bound = 0; bound < 2; bound++) {
		rc = check_expect(p, ",", "\",\" expected: NAME, FROM, TO, BODY");
		at = check_next(p);
		if (!rc)
			rc = p->parse_any(p, &node->operands[bound]);
		if (!rc)
			rc = check_need_integer(p, &node->operands[bound], at,
						"FROM and TO must be integers");
		if (rc)
			return rc;
	}
	rc = check_expect(p, ",", "\",\" expected: NAME, FROM, TO, BODY");
	if (!rc)
		rc = push_scope(p, (struct parse_scope){name, length, false, INDEXED}, name);
	if (rc)
		return rc;
	rc = p->parse_any(p, &node->operands[2]);
	p->scope_count--;
	return rc;
}

static int parse_check_reduction(struct check_parse *p, int *out, enum tree_operation operation,
				 int arguments, const char *start)
{
	struct tree_node node = {
		.operation = operation, .slot = p->scope_count, .operands = {-1, -1, -1}};
	int rc = arguments == 1 ? parse_reduction_of_elements(p, &node, start)
				: parse_reduction_of_range(p, &node);

	if (!rc)
		rc = check_expect(p, ")", "\")\" expected after the arguments");
	if (rc)
		return rc;
	node.body = check_type_of(p, node.operands[2]);
	node.type = operation == TREE_ARGMIN || operation == TREE_ARGMAX ? TREE_SIGNED : node.body;
	return check_add(p, out, node, start);
}

static const struct check_reduction {
	const char *name;
	enum tree_operation operation;
	bool of_two; /* with two arguments it is a function of them */
	const char *takes;
} reductions[] = {
	{"sum", TREE_SUM, false, "sum takes (BODY) or (NAME, FROM, TO, BODY)"},
	{"min", TREE_MINIMUM, true, "min and max take (a, b), (BODY) or (NAME, FROM, TO, BODY)"},
	{"max", TREE_MAXIMUM, true, "min and max take (a, b), (BODY) or (NAME, FROM, TO, BODY)"},
	{"argmin", TREE_ARGMIN, false, "argmin takes (BODY) or (NAME, FROM, TO, BODY)"},
	{"argmax", TREE_ARGMAX, false, "argmax takes (BODY) or (NAME, FROM, TO, BODY)"},
};

static const struct check_reduction *find_reduction(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(reductions); i++)
		if (name_is(reductions[i].name, name, length))
			return &reductions[i];
	return NULL;
}

bool check_expression_is_reduction(const char *name, size_t length)
{
	return find_reduction(name, length) != NULL;
}

bool check_expression_has_function(const char *name, size_t length)
{
	static const char *const others[] = {"abs", "int", "random"};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (name_is(others[i], name, length))
			return true;
	return find_real_function(name, length) || find_reduction(name, length) ||
	       expression_function_find(name, length);
}

/* By the number of arguments: a reduction, or the extreme of two values. */
static int parse_reduction_or_extreme(struct check_parse *p, int *out,
				      const struct check_reduction *reduction, const char *start)
{
	int count = count_arguments(p->at);
	int arguments[2], rc;

	if (count == 1 || count == 4)
		return parse_check_reduction(p, out, reduction->operation, count, start);
	if (!reduction->of_two || count != 2)
		return check_parse_fail(p, start, reduction->takes);
	rc = parse_check_arguments(p, arguments, 2);
	if (!rc)
		rc = check_unify(p, &arguments[0], &arguments[1], start);
	return rc ? rc
		  : check_add_operation(
			    p, out, reduction->operation == TREE_MINIMUM ? TREE_LEAST : TREE_MOST,
			    check_type_of(p, arguments[0]), arguments[0], arguments[1], start);
}

static int parse_check_real_call(struct check_parse *p, int *out,
				 const struct real_function *function, const char *start)
{
	const int count = function->of_two ? 2 : 1;
	struct tree_node node = {.operation = count == 2 ? TREE_FUNCTION_OF_TWO : TREE_FUNCTION,
				 .type = TREE_REAL,
				 .function = function->of_one,
				 .function_of_two = function->of_two,
				 .operands = {-1, -1, -1}};
	int rc = parse_check_arguments(p, node.operands, count);

	if (rc)
		return rc;
	if (function->keeps_integers && check_type_of(p, node.operands[0]) != TREE_REAL) {
		*out = node.operands[0];
		return 0;
	}
	for (int i = 0; !rc && i < count; i++)
		rc = check_convert(p, &node.operands[i], TREE_REAL, start);
	return rc ? rc : check_add(p, out, node, start);
}

/* A random integer, which only inputs have. */
static int parse_check_random(struct check_parse *p, int *out, const char *start)
{
	struct tree_node node = {.operation = TREE_RANDOM,
				 .type = TREE_SIGNED,
				 .which = p->tree->randoms,
				 .depends = 1u, /* on the element */
				 .operands = {-1, -1, -1}};
	int rc;

	if (!p->names->of_fill)
		return check_parse_fail(p, start,
					"random() belongs to the fill of a buffer; name the buffer "
					"to get its elements");
	if (p->scope_count > 1)
		return check_parse_fail(p, start,
					"random() gives one value for each element, and cannot "
					"stand in a sum, min or max over others");
	p->tree->randoms++;
	rc = parse_check_arguments(p, node.operands, 2);
	for (int i = 0; i < 2 && !rc; i++)
		rc = check_need_integer(p, &node.operands[i], start,
					"random(a, b) takes integers: int(...) makes one");
	return rc ? rc : check_add(p, out, node, start);
}

/* A function that expressions over the axes have, too. */
static int parse_integer_call(struct check_parse *p, int *out,
			      const struct expression_function *function, const char *start)
{
	struct tree_node node = {.operation = TREE_CALL,
				 .type = TREE_SIGNED,
				 .call = function,
				 .operands = {-1, -1, -1}};
	int rc = parse_check_arguments(p, node.operands, function->argument_count);

	for (int i = 0; !rc && i < function->argument_count; i++)
		if (check_type_of(p, node.operands[i]) == TREE_REAL)
			rc = check_parse_fail(p, start,
					      "this function takes integers: int(...) makes one of "
					      "a double");
	if (rc)
		return rc;
	if (strcmp(function->name, "xor") != 0)
		return check_add(p, out, node, start);
	/* the result is that of the arguments' 64 bits, so it has their type */
	rc = check_unify(p, &node.operands[0], &node.operands[1], start);
	return rc ? rc
		  : check_add_operation(p, out, TREE_BIT_XOR, check_type_of(p, node.operands[0]),
					node.operands[0], node.operands[1], start);
}

static int parse_check_call(struct check_parse *p, int *out, const char *start, size_t length)
{
	const struct check_reduction *reduction = find_reduction(start, length);
	const struct expression_function *function;
	const struct real_function *real;
	int a[2], rc;

	if (reduction)
		return parse_reduction_or_extreme(p, out, reduction, start);
	if (name_is("abs", start, length)) {
		rc = parse_check_arguments(p, a, 1);
		return rc ? rc
			  : check_add_operation(p, out, TREE_ABS, check_type_of(p, a[0]), a[0], -1,
						start);
	}
	if (name_is("int", start, length)) {
		rc = parse_check_arguments(p, out, 1);
		return rc || check_type_of(p, *out) != TREE_REAL
			       ? rc
			       : check_convert(p, out, TREE_SIGNED, start);
	}
	if (name_is("random", start, length))
		return parse_check_random(p, out, start);
	real = find_real_function(start, length);
	if (real)
		return parse_check_real_call(p, out, real, start);
	function = expression_function_find(start, length);
	return function ? parse_integer_call(p, out, function, start)
			: check_parse_fail(p, start, "no function has this name");
}

int check_parse_name(struct check_parse *p, int *out)
{
	const char *start = p->at;
	size_t length;

	while (isalnum((unsigned char)*p->at) || *p->at == '_')
		p->at++;
	length = (size_t)(p->at - start);
	return check_accept(p, "(") ? parse_check_call(p, out, start, length)
				    : parse_check_variable(p, out, start, length);
}
