/*
 * parser: what the parts of the parser share: the text's current word, the
 * function being read, and what names mean in its scopes. Internal to
 * emulator/language/.
 *
 * An error sticks: after the first one every word is the end of the text, so
 * that whoever reads on stops by itself; `rc` says what became of it.
 */
#ifndef EMULATOR_LANGUAGE_PARSER_H
#define EMULATOR_LANGUAGE_PARSER_H

#include "emulator/language/arena.h"
#include "emulator/language/lexer.h"
#include "emulator/language/module.h"

/* A name that an outer or later binding may explain: a label, mostly. */
struct name_use {
	const char **where; /* the text in the module, to be replaced */
	struct name *name;
};

struct name_change {
	struct name *name;
	struct name_binding before;
};

struct scope {
	uint32_t serial;
	size_t changes, uses; /* where its own begin */
};

/* A .loc: what is there, and which call it was inlined at, of the outermost (line 0: none). */
struct location {
	uint32_t file, line, column;
	uint32_t caller_file, caller_line;
};
/* A call that was inlined is told shortly before what was inlined there. */
#define RECENT_LOCATIONS 16

struct parser {
	struct lexer lexer;
	struct token token;
	struct ptx_module *module;
	struct ptx_arena *arena;
	struct error *err;
	int rc;
	size_t module_variable_capacity, function_capacity, file_capacity;

	/* The function being read. */
	struct ptx_function function;
	size_t parameter_capacity, register_capacity, variable_capacity, label_capacity,
		target_capacity, statement_capacity, directive_capacity;
	uint32_t function_serial;
	struct location location, recent[RECENT_LOCATIONS];
	size_t location_count;

	/* scopes[0] is the module's. */
	struct scope scopes[PTX_MAX_SCOPES + 1];
	size_t depth;
	uint32_t scope_serial, unique_serial;
	struct name_change *changes;
	size_t change_count, change_capacity;
	struct name_use *uses;
	size_t use_count, use_capacity;

	/* Operands of the statement and of the lists in it, until their number is known. */
	struct open_operand {
		struct ptx_operand operand;
		struct name *name; /* of a symbol */
	} * open;
	size_t open_count, open_capacity;
};

/* ---- words (parser.c) ---- */

/* Sets the error, with the line and the word that is there. */
void parser_complain(struct parser *parser, const char *format, ...) PRINTF_LIKE(2, 3);
void parser_advance(struct parser *parser);
bool parser_sees(const struct parser *parser, char mark);
bool parser_sees_word(const struct parser *parser, const char *word);
/* True and past it, if the mark is there. */
bool parser_takes(struct parser *parser, char mark);
bool parser_takes_word(struct parser *parser, const char *word);
/* `what` is wanted here: an error if it is not. */
void parser_wants(struct parser *parser, char mark, const char *after);
/* A name; NULL with the error set. */
struct name *parser_name(struct parser *parser, const char *what);
int64_t parser_number(struct parser *parser, const char *what, int64_t most);
/* Past everything up to the brace that closes the one that is there. */
void parser_skip_braces(struct parser *parser);
/* Past "( … )", which must be there. */
void parser_skip_parentheses(struct parser *parser);

/* Memory of the module; NULL with the error set. */
void *parser_take(struct parser *parser, size_t count, size_t size);
/* One more zeroed element in an array of the module: a pointer to it; NULL with the error set. */
void *parser_append(struct parser *parser, void *array, size_t *count, size_t *capacity,
		    size_t size);
struct name *parser_intern(struct parser *parser, const char *text, size_t length);

/* ---- scopes (scope.c) ---- */

void scope_enter(struct parser *parser);
void scope_leave(struct parser *parser);
/*
 * Declares a name in the present scope; its text in the module, unique in
 * its function (registers keep theirs). NULL: declared twice there.
 */
const char *scope_declare(struct parser *parser, struct name *name, enum name_meaning meaning,
			  size_t index);
/* *where is to be what the name means here: at once, or when its scope has been read. */
void scope_use(struct parser *parser, const char **where, struct name *name);

/* ---- declarations (declare.c) ---- */

/* After ".global" and the like, with out->space set: type, name, size, initialiser. NULL with the
 * error set. The name is the caller's to declare. */
struct name *declare_variable(struct parser *parser, struct ptx_variable *out);
/* One more of the same type, after a comma. */
struct name *declare_next_variable(struct parser *parser, struct ptx_variable *out);
/* The same, of function scope, declared there; after the space's word, to the semicolon. */
void declare_local_variables(struct parser *parser, enum ptx_space space);
void declare_registers(struct parser *parser); /* after ".reg" */
/* ".global" …; false: not a word for a space that variables may be in. */
bool space_of(const struct token *token, enum ptx_space *out);
#define MAX_DIMENSIONS 8
/* After '=': what a variable begins as. count 0: as many elements as there are. */
void declare_initial(struct parser *parser, struct ptx_variable *variable,
		     const int64_t *dimensions, size_t dimension_count);

/* ---- functions (function.c, statement.c) ---- */

/* After ".entry" or ".func". */
void parse_function(struct parser *parser, bool entry);
/* One more function of the module, zeroed; NULL with the error set. */
struct ptx_function *parser_add_function(struct parser *parser);
/* ".file", ".loc", ".section", ".pragma": true and past it, if one of them is there. */
bool parse_annotation(struct parser *parser);
/* A statement of a function: with its guard, or after its first word. */
void parse_guarded(struct parser *parser);
void parse_instruction(struct parser *parser, const struct token *word);

#endif
