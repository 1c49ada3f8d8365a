/*
 * demangle_parts: the parts of a mangled name (Itanium C++ ABI) as a tree, and what all of its
 * readers use. Internal to base/.
 *
 * The grammar is recursive: names hold types, types hold expressions, and expressions hold both.
 * Source files may not call each other in a circle, so they call through the table `readers` of
 * the demangler. A reader returns NULL for what it cannot read; then the whole name is not
 * readable.
 */
#ifndef BASE_DEMANGLE_PARTS_H
#define BASE_DEMANGLE_PARTS_H

#include "base/base.h"

enum part_kind {
	PART_TEXT,           /* text; number: 1 if the program has this name */
	PART_NESTED,         /* left::right */
	PART_TEMPLATE,       /* left<right>; right: list or NULL */
	PART_TAGGED,         /* left[abi:text] */
	PART_LIST,           /* item left, rest right */
	PART_PACK,           /* arguments of a template pack; left: list or NULL */
	PART_EXPANSION,      /* left, once for each item of the pack in it */
	PART_AUTO,           /* parameter `number` of a generic lambda */
	PART_LAMBDA,         /* left: list of parameters or NULL; number */
	PART_UNNAMED,        /* an unnamed type; number */
	PART_DEFAULT,        /* a default argument; number */
	PART_CONSTRUCTOR,    /* of the class left */
	PART_DESTRUCTOR,     /* the same */
	PART_CONVERSION,     /* operator left */
	PART_ENCODING,       /* the function left of type right */
	PART_FUNCTION,       /* result left or NULL, list of parameters right; text: " const" … */
	PART_POINTER,        /* to left */
	PART_REFERENCE,      /* to left */
	PART_RVALUE,         /* reference to left */
	PART_MEMBER_POINTER, /* to a member of type right of the class left */
	PART_ARRAY,          /* of left; right: its size or NULL; text: " __vector" or NULL */
	PART_QUALIFIED,      /* left, then text: " const" */
	PART_WRAPPED,        /* text, then left, then ")": "decltype (x)" */
	PART_LITERAL,        /* text, of type left; number: it is negative */
	PART_UNARY,          /* operator text, operand left */
	PART_BINARY,         /* operator text, operands left and right */
	PART_CALL,           /* left(right) */
	PART_CAST,           /* (left)(right) */
	PART_BRACES,         /* left{right}; left may be NULL */
	PART_CONDITION,      /* left ? right->left : right->right */
	PART_PARAMETER,      /* parameter `number` of the function in its own type */
	PART_PACK_SIZE,      /* the number of items of the pack left */
};

struct part {
	enum part_kind kind;
	const char *text; /* borrowed: from the name, or a constant */
	size_t length;
	int64_t number;
	const struct part *left, *right;
};

struct demangler;
struct demangle_readers {
	/* `tags`: the template arguments of this name are those that T_ means. */
	const struct part *(*name)(struct demangler *d, bool tags);
	const struct part *(*unqualified)(struct demangler *d, const struct part *scope);
	const struct part *(*encoding)(struct demangler *d);
	const struct part *(*type)(struct demangler *d);
	const struct part *(*arguments)(struct demangler *d, bool tags);
	const struct part *(*expression)(struct demangler *d);
	const struct part *(*literal)(struct demangler *d); /* what follows "L" */
};

struct demangler {
	const char *at; /* what is not read yet */
	const struct demangle_readers *readers;
	struct part *parts;
	size_t part_count, part_capacity;
	const struct part **substitutions; /* S_, S0_ … */
	size_t substitution_count, substitution_capacity;
	const struct part **arguments; /* T_, T0_ … */
	size_t argument_count, argument_capacity;
	int depth;  /* of nested types, names and expressions */
	int lambda; /* more than 0: T_ is a parameter of a generic lambda */
};

struct part *part_new(struct demangler *d, enum part_kind kind, const struct part *left,
		      const struct part *right);
struct part *part_text(struct demangler *d, const char *text);
/* Makes *part what the next S_ means. Returns it. */
const struct part *part_remember(struct demangler *d, const struct part *part);
/* Appends an item to a list whose last link is *tail; NULL: the list is empty. */
bool part_append(struct demangler *d, const struct part **list, struct part **tail,
		 const struct part *item);
/* The first pack in the pattern of an expansion, or NULL, and how many items a pack has. */
const struct part *part_pack(const struct part *pattern);
int64_t part_pack_length(const struct part *pack);
bool demangle_take(struct demangler *d, const char *word);
/* Digits; false if there are none or they mean more than INT32_MAX. */
bool demangle_number(struct demangler *d, int64_t *out);
/* "_" is 0, "0_" is 1, and so on, in this base. */
bool demangle_sequence(struct demangler *d, int base, int64_t *out);
/* Every recursive reader calls these around its work. */
bool demangle_enter(struct demangler *d);
void demangle_leave(struct demangler *d);
/* "4name" */
const struct part *demangle_source_name(struct demangler *d);
/* Argument `index` of the template, from 0. */
const struct part *demangle_template_argument(const struct demangler *d, int64_t index);
/* "T_": what it stands for. */
const struct part *demangle_template_parameter(struct demangler *d);

#endif
