/*
 * demangle: reads mangled names (Itanium C++ ABI) into trees of parts, and writes the trees as C++
 * does. Internal to base/.
 *
 * The grammar is recursive: names hold types, types hold expressions, and expressions hold both.
 * Source files may not call each other in a circle, so the readers of types and expressions call
 * those of names through the demangler. A reader returns NULL for what it cannot read, and so does
 * what makes a part of NULL; then the whole name is not readable.
 */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include "base/mangled.h"

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

struct demangler {
	const char *at; /* what is not read yet */
	/* `tags`: the template arguments of this name are those that T_ means. */
	const struct part *(*name)(struct demangler *d, bool tags);
	/* `scope`: what is before "::"; a constructor has the name of its class. */
	const struct part *(*unqualified)(struct demangler *d, const struct part *scope);
	const struct part *(*encoding)(struct demangler *d);
	struct part *parts;
	size_t part_count, part_capacity;
	const struct part **substitutions; /* S_, S0_ … */
	size_t substitution_count, substitution_capacity;
	const struct part **arguments; /* T_, T0_ … */
	size_t argument_count, argument_capacity;
	int depth;  /* of nested types, names and expressions */
	int lambda; /* more than 0: T_ is a parameter of a generic lambda */
};

/* ---- demangle_parts.c: makes parts and reads words ---- */

struct part *part_new(struct demangler *d, enum part_kind kind, const struct part *left,
		      const struct part *right);
/* Makes a part of `left`, which must have been read. */
struct part *part_if_read(struct demangler *d, enum part_kind kind, const struct part *left,
			  const struct part *right);
/* Makes a part with a text, of `left`, which must have been read. */
struct part *part_with_text(struct demangler *d, enum part_kind kind, const char *text,
			    const struct part *left);
/* Makes a part with the number of a sequence, from 1. */
struct part *part_numbered(struct demangler *d, enum part_kind kind, const struct part *left);
struct part *part_text(struct demangler *d, const char *text);
/* "12": digits as a text. */
const struct part *part_digits(struct demangler *d);
/* Makes *part what the next S_ means. Returns it. */
const struct part *part_remember(struct demangler *d, const struct part *part);
/* Appends an item to a list whose last link is *tail; NULL: the list is empty. */
bool part_append(struct demangler *d, const struct part **list, struct part **tail,
		 const struct part *item);
/* The item of a list at an index from 0, or NULL. */
const struct part *part_item(const struct part *list, int64_t index);
/* The first pack in the pattern of an expansion, or NULL, and how many items a pack has. */
const struct part *part_pack(const struct part *pattern);
int64_t part_pack_length(const struct part *pack);
/* The last component of a name, without the qualifiers of a member function. */
const struct part *part_last_component(const struct part *name);

bool demangle_take(struct demangler *d, const char *word);
/* Digits; false if there are none or they mean more than INT32_MAX. */
bool demangle_number(struct demangler *d, int64_t *out);
/* "_" is 0, "0_" is 1, and so on, in this base. */
bool demangle_sequence(struct demangler *d, int base, int64_t *out);
/* Every recursive reader calls this before its work, and lowers d->depth behind it. */
bool demangle_enter(struct demangler *d);
/* "4name" */
const struct part *demangle_source_name(struct demangler *d);
/* "T_": what it stands for. */
const struct part *demangle_template_parameter(struct demangler *d);
/* What follows "S": an earlier part, or an abbreviation of the standard library. */
const struct part *demangle_substitution(struct demangler *d);
/* What an operator is written as; NULL: none begins here. *operands: in an expression. */
const char *demangle_operator(const char *at, int *operands);

/* ---- demangle_types.c: reads types, template arguments and expressions ---- */

const struct part *demangle_type(struct demangler *d);
/* What follows "I" or "J", to its "E", as a pack. */
const struct part *demangle_arguments(struct demangler *d, bool tags);
/* The template with the arguments that follow, if there are some. */
const struct part *demangle_with_arguments(struct demangler *d, const struct part *name, bool tags);
/* The builtin type that a part is; NULL: it is none with a size that every kernel knows. */
const struct builtin_type *demangled_builtin(const struct part *part);

/* ---- demangle_names.c: reads names, functions and whole mangled names ---- */

/* Where the name of the ABI begins: behind what nvcc writes before that of a static function. */
const char *mangled_start(const char *name);
/* The tree of a name, which belongs to *d, or NULL if it cannot be read. d->at is then at what
 * follows the name. The caller releases *d in both cases. */
const struct part *demangle_read(struct demangler *d, const char *name);
void demangle_release(struct demangler *d);

/* ---- demangle_print.c ---- */

/* Writes the tree. False: it would be longer than DEMANGLED_MOST, or too deep. */
#define DEMANGLED_MOST (1 << 20)
bool demangle_print(struct text *out, const struct part *part);

#endif
