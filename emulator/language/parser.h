/*
 * parser: the state that all files of the PTX parser share, and the functions that they call in
 * each other. Internal to emulator/language/.
 *
 * The files form layers, lowest first; each calls only the ones before it:
 *   parser               characters to tokens, the current token, errors
 *   names                memory, names, and what each means in the current scope
 *   parse_variable, parse_annotation, parse_instruction
 *   parse_module         module scope and functions; ptx_module_parse() is here
 *
 * Errors are sticky. The first error is kept in `rc` and `err`; from then on every token is
 * TOKEN_END, so that each loop over the text ends without a check of its own. A function that
 * returns a pointer returns NULL once an error is set.
 *
 * Ownership: everything is allocated in the module's arena and freed with it.
 */
#ifndef EMULATOR_LANGUAGE_PARSER_H
#define EMULATOR_LANGUAGE_PARSER_H

#include "emulator/language/module.h"

/* Tokens point into the text. */
enum token_kind {
	TOKEN_END,     /* the text has ended */
	TOKEN_WORD,    /* "ld", "%rd4", "$L__BB0_2" */
	TOKEN_DOTTED,  /* ".global", ".L1::no_allocate" */
	TOKEN_INTEGER, /* bits: 64-bit two's complement */
	TOKEN_F32,     /* 0f3F800000; bits: its 32 bits */
	TOKEN_F64,     /* 0d3FF0000000000000, 1.0, 1e-3; bits: its 64 bits */
	TOKEN_STRING,  /* text includes the quotes */
	TOKEN_MARK,    /* one character, in `mark` */
};

struct token {
	enum token_kind kind;
	char mark;
	bool adjacent; /* no blank or comment is between it and the token before */
	const char *text;
	size_t length;
	uint32_t line;
	uint64_t bits;
};

struct lexer {
	const char *at, *end;
	uint32_t line;
};

/* The current meaning of a name. */
enum name_meaning { NAME_FREE, NAME_REGISTER, NAME_VARIABLE, NAME_LABEL, NAME_FUNCTION };
struct name_binding {
	enum name_meaning meaning;
	uint32_t index;   /* of a register or a function */
	uint32_t scope;   /* serial number of the scope that declares it */
	const char *text; /* its name in the module, which is unique in its function */
};

/* Equal names are one struct name: comparing names is comparing pointers. */
struct name {
	struct name *next; /* in the hash bucket */
	uint64_t hash;
	struct name_binding binding;
	uint32_t used_in; /* serial number of the last function that declared it */
	/* The parts of a mnemonic, once it is split. */
	const char *base;
	const char *const *modifiers;
	size_t modifier_count;
	/* For the name of a source position: the function in which a .loc last set the outermost
	 * call at which the position is inlined, and that call; 0 and 0: it is not inlined. */
	uint32_t located_in, caller_file, caller_line;
	size_t length;
	char text[];
};

/* A use of a name that is resolved when its scope ends. Labels may follow the branches to them. */
struct name_use {
	const char **where; /* the text in the module, to be replaced */
	struct name *name;
};

/* The meaning that a name had before a declaration in the current scope. */
struct name_change {
	struct name *name;
	struct name_binding before;
};

struct scope {
	uint32_t serial;
	size_t changes, uses; /* index of its first entry in parser.changes and parser.uses */
};

/* A .loc directive. The caller is the outermost call at which the code was inlined; its line is 0
 * for code that was not inlined. */
struct location {
	uint32_t file, line, column;
	uint32_t caller_file, caller_line;
};

struct parser {
	struct lexer lexer;
	struct token token; /* the current token: not yet consumed */
	struct ptx_module *module;
	struct ptx_arena *arena;
	struct error *err;
	int rc;
	size_t module_variable_capacity, function_capacity, file_capacity;

	/* The function being parsed. */
	struct ptx_function function;
	size_t parameter_capacity, register_capacity, variable_capacity, label_capacity,
		target_capacity, statement_capacity, directive_capacity;
	uint32_t function_serial;
	struct location location; /* of the latest .loc that names a line */
	bool unplaced;            /* a .loc with line 0 came after it */
	size_t unplaced_from;     /* the first statement after that one */

	/* scopes[0] is module scope. */
	struct scope scopes[PTX_MAX_SCOPES + 1];
	size_t depth;
	uint32_t scope_serial, unique_serial;
	struct name_change *changes;
	size_t change_count, change_capacity;
	struct name_use *uses;
	size_t use_count, use_capacity;

	/* A stack of the operands of the current statement and of the lists in it. They move to an
	 * array of the module when their list is complete and their number is known. */
	struct open_operand {
		struct ptx_operand operand;
		struct name *name; /* of a symbol */
	} * open;
	size_t open_count, open_capacity;
};

/* ---- tokens (parser.c) ---- */

/* Sets the error to the line, the message and the current token, unless an error is set already.
 * A message has no full stop. */
void parser_error(struct parser *parser, const char *format, ...) PRINTF_LIKE(2, 3);
/* Sets the error for a form of PTX that the emulator lacks: PL_EUNSUPPORTED. */
void parser_unsupported(struct parser *parser, const char *what);
/* Moves to the next token. */
void parser_advance(struct parser *parser);
/* Whether the current token is this mark or word, or names a space of variables (".global"). */
bool parser_at(const struct parser *parser, char mark);
bool parser_at_word(const struct parser *parser, const char *word);
bool parser_at_space(const struct parser *parser, enum ptx_space *out);
/* Consumes the mark or word if it is the current token. Returns whether it was. */
bool parser_accept(struct parser *parser, char mark);
bool parser_accept_word(struct parser *parser, const char *word);
/* Consumes the mark. Any other token is an error: the message says what must follow `after`. */
void parser_expect(struct parser *parser, char mark, const char *after);
/* Consume a name or an integer from 0 to `most`; `what` names it in the error message. */
struct name *parser_expect_name(struct parser *parser, const char *what);
int64_t parser_expect_number(struct parser *parser, const char *what, int64_t most);
/* Skips from the current '{' or '(' to after the mark that closes it. Any other current token is an
 * error, as of parser_expect(). */
void parser_skip_nested(struct parser *parser, char opening, char closing, const char *after);

/* ---- memory, names, scopes (names.c) ---- */

/* Creates an arena that hands out at most limit_bytes. Returns NULL without memory. */
struct ptx_arena *arena_create(size_t limit_bytes);
void arena_destroy(struct ptx_arena *arena);
/* Allocates zeroed memory in the module's arena, aligned for any type. PL_ENOMEM: over the limit,
 * or the host has none. */
void *parser_allocate(struct parser *parser, size_t count, size_t size);
/* Appends a zeroed element to an array in the module's arena; `array` points to the array's
 * pointer. Returns the element. */
void *parser_append(struct parser *parser, void *array, size_t *count, size_t *capacity,
		    size_t size);
/* Appends a copy of an element. */
void parser_add(struct parser *parser, void *array, size_t *count, size_t *capacity,
		const void *element, size_t size);
/* Returns the one struct name of this text. */
struct name *parser_intern(struct parser *parser, const char *text, size_t length);

void scope_enter(struct parser *parser);
/* Resolves the uses of labels that the scope declares, and restores the names that it hid. */
void scope_leave(struct parser *parser);
/*
 * Declares a name in the current scope. Returns the name to use in the module, which is unique in
 * the function (registers keep theirs). A second declaration in one scope is an error.
 */
const char *scope_declare(struct parser *parser, struct name *name, enum name_meaning meaning,
			  size_t index);
/* Gives a name that was just declared another text, which is unique in the module. Returns it. */
const char *scope_rename(struct parser *parser, struct name *name);
/* Sets *where to the unique name that `name` stands for: immediately, or when the scope that
 * declares it ends. `where` must stay valid until then. */
void scope_use(struct parser *parser, const char **where, struct name *name);

/* ---- variables and registers (parse_variable.c) ---- */

/* Parses type, name, dimensions and initial value, which follow the space (".global"). The caller
 * sets out->space before, and declares the returned name. */
struct name *parse_variable(struct parser *parser, struct ptx_variable *out);
/* Parses one more variable of the same type, after a comma. */
struct name *parse_next_variable(struct parser *parser, struct ptx_variable *out);
/* Parses and declares variables of the current function, from after the space to the semicolon. */
void parse_local_variables(struct parser *parser, enum ptx_space space);
/* Parses and declares registers, from after ".reg" to the semicolon. */
void parse_registers(struct parser *parser);
/* Parses a parameter of a function behind ".reg", and declares its register. Sets what a variable
 * of .param space would have, but for its name. Returns its name, or NULL. */
struct name *parse_register_parameter(struct parser *parser, struct ptx_variable *out);

/* ---- statements (parse_annotation.c, parse_instruction.c) ---- */

/* Gives a statement the place of the latest .loc. */
void parser_place(const struct parser *parser, struct ptx_statement *statement);
/* Consumes ".file", ".loc", ".section" or ".pragma". Returns false if the current token is none of
 * them. */
bool parse_annotation(struct parser *parser);
/* Parses an instruction from its guard, or from after its first word; *statement has the guard. */
void parse_guarded_instruction(struct parser *parser);
void parse_instruction(struct parser *parser, const struct token *word,
		       struct ptx_statement *statement);

#endif
