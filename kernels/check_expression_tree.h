/*
 * The tree of a check expression, and the evaluation of its nodes for a block
 * of elements. Internal to check_expression_*.c.
 *
 * Invariants: a node's operands come before it in `nodes`; the operands of an
 * arithmetic node and of a comparison have the same type, as CONVERT nodes are
 * inserted; indices and bounds of reductions are integers. Slot 0 is the index
 * of the element; each enclosing reduction has the next slot.
 */
#ifndef KERNELS_CHECK_EXPRESSION_TREE_H
#define KERNELS_CHECK_EXPRESSION_TREE_H

#include "kernels/check_expression.h"
#include "kernels/expression.h"
#include "kernels/kernels.h"

enum {
	TREE_NODES = 16384, /* bounds the memory of an expression, 17 MB with its constants */
	TREE_DEPTH = 200,
	TREE_SLOTS = 8,
	TREE_LANES = 64, /* elements that are evaluated together */
};

enum tree_type { TREE_SIGNED, TREE_UNSIGNED, TREE_REAL };

enum tree_operation {
	TREE_INTEGER, /* a literal */
	TREE_DOUBLE,  /* a literal */
	TREE_AXIS,
	TREE_SLOT,
	TREE_RANDOM,  /* operands: first, last */
	TREE_LENGTH,  /* of a buffer */
	TREE_ELEMENT, /* operand: the index */
	TREE_CONVERT,
	TREE_NEGATE,
	TREE_NOT,
	TREE_BIT_NOT,
	TREE_ABS,
	TREE_FUNCTION,
	TREE_CALL, /* of integers; operands: as many as the function takes */
	TREE_ADD,
	TREE_SUBTRACT,
	TREE_MULTIPLY,
	TREE_DIVIDE,
	TREE_REMAINDER,
	TREE_BIT_AND,
	TREE_BIT_OR,
	TREE_BIT_XOR,
	TREE_SHIFT_LEFT,
	TREE_SHIFT_RIGHT,
	TREE_FUNCTION_OF_TWO,
	TREE_LEAST,
	TREE_MOST,
	TREE_EQUAL,
	TREE_UNEQUAL,
	TREE_LESS,
	TREE_LESS_EQUAL,
	TREE_AND,
	TREE_OR,
	TREE_CHOOSE, /* operands: condition, then, else */
	TREE_SUM,    /* from here: reductions; operands: first, end, body */
	TREE_MINIMUM,
	TREE_MAXIMUM,
	TREE_ARGMIN, /* the index of the first least body */
	TREE_ARGMAX,
};

union tree_value {
	int64_t integer; /* TREE_UNSIGNED: modulo 2^64 */
	double real;
};

struct tree_node {
	enum tree_operation operation;
	enum tree_type type;
	union tree_value literal;
	double (*function)(double);                /* FUNCTION */
	double (*function_of_two)(double, double); /* FUNCTION_OF_TWO */
	const struct expression_function *call;    /* CALL */
	size_t name;         /* AXIS, LENGTH, ELEMENT: index into axes or buffers */
	enum tree_type body; /* reductions: the type of the body */
	uint64_t which;      /* RANDOM: counts those of the text from 0 */
	int slot;            /* SLOT, and the slot of a reduction */
	int operands[3];     /* indices of nodes; -1: none */
	int depth;
	unsigned depends; /* bit s: the value depends on slot s */
	size_t character; /* position in the text, from 1 */
	/* ELEMENT without an index: the buffer whose length it must have, LIKE_RESULT for the
	 * result; INDEXED for the others. */
	int like;
};
enum { LIKE_RESULT = -1, INDEXED = -2 };

struct tree_buffer {
	char *name;
	enum element_type type;
};

struct check_expression {
	char *text;
	struct tree_node *nodes;
	size_t node_capacity;
	int node_count;
	int root;
	struct tree_buffer *buffers; /* those that the text names */
	size_t buffer_count;
	struct string_list axes; /* those that the text names */
	bool of_fill;
	uint64_t randoms; /* the number of RANDOM nodes */
};

/* A reduction that depends on no slot. */
struct tree_constant {
	union tree_value value;
	int rc; /* nonzero: it could not be computed, which matters only where it is needed */
	struct error err;
};

/* What the names stand for in one case. */
struct tree_binding {
	const struct check_expression *expression;
	const char *result; /* name of the buffer */
	const void **data;  /* per buffer of the expression */
	int64_t *lengths;
	int64_t *axes;
	struct tree_constant *constants; /* per node; used by constant reductions */
	uint64_t random_key;
};

/* The indices of a block: slots[s][lane]. */
struct tree_block {
	const int64_t *slots[TREE_SLOTS];
	int slot_count; /* those in use */
	int lanes;
	bool of_result; /* false: a constant reduction, which has no slot 0 */
};

/* A reduction in progress. All zeroes is the empty one. */
struct tree_total {
	union tree_value value;
	int64_t index; /* ARGMIN, ARGMAX: that of the value */
	double carry;  /* what the additions of doubles lost */
	bool any;
};
/* Adds the body at `index`. Indices come in ascending order. */
void tree_total_add(struct tree_total *total, const struct tree_node *node, union tree_value value,
		    int64_t index);
/* Adds a part to the total of the parts before it. */
void tree_total_join(struct tree_total *total, const struct tree_node *node,
		     const struct tree_total *part);
/* Sets *out; fails for the minimum and the maximum of nothing. */
int tree_total_end(union tree_value *out, const struct tree_total *total,
		   const struct tree_binding *binding, const struct tree_node *node,
		   struct error *err);

bool tree_is_reduction(const struct tree_node *node);

bool tree_value_less(enum tree_type type, union tree_value a, union tree_value b);
union tree_value tree_value_extreme(enum tree_type type, bool most, union tree_value a,
				    union tree_value b);

/* Divisions, shifts, bits and functions of integers: out[lane] has the left operand, or the only
 * one, and gets the result. */
int tree_compute_integers(union tree_value *out, const union tree_value *right,
			  const struct tree_binding *binding, const struct tree_block *block,
			  const struct tree_node *node, struct error *err);

/* Evaluates a node for every lane. */
int tree_evaluate(union tree_value *out, const struct tree_binding *binding,
		  const struct tree_block *block, int node, struct error *err);

/* The values of a RANDOM node between out[lane] and last[lane], which replace those of `out`.
 * Returns -1, or a lane for which there are none and whose out[lane] is unchanged. */
int tree_random(union tree_value *out, const union tree_value *last,
		const struct tree_binding *binding, const struct tree_block *block,
		const struct tree_node *node);

/* Sets a PL_EUSAGE error at the character of a node. `lane` -1: of no element. */
int tree_fail(const struct tree_binding *binding, const struct tree_block *block, int lane,
	      const struct tree_node *node, struct error *err, const char *format, ...)
	PRINTF_LIKE(6, 7);

/* ---- parsing: functions return 0 or PL_EPARSE, and set the error at a character of the text ----
 */

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
