/* Words, memory, and what stands at module scope. */
#include "emulator/language/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As much of a word as an error shows. */
#define SHOWN_BYTES 60
/* What a module may take, beside so much for each byte of its text. */
#define LEAST_LIMIT_BYTES ((size_t)256 << 20)
#define LIMIT_PER_BYTE 64

void parser_complain(struct parser *parser, const char *format, ...)
{
	size_t length =
		parser->token.length < SHOWN_BYTES ? parser->token.length : (size_t)SHOWN_BYTES;
	struct text what = TEXT_INIT;
	char formatted[256];
	va_list arguments;

	if (parser->rc)
		return;
	va_start(arguments, format);
	vsnprintf(formatted, sizeof(formatted), format, arguments);
	va_end(arguments);
	text_add(&what, formatted);
	if (parser->token.kind == TOKEN_END)
		text_add(&what, ", but the text ends");
	else
		text_addf(&what, ", at \"%.*s\"", (int)length, parser->token.text);
	parser->rc =
		error_set(parser->err, PL_EPARSE, "line %u: %s", parser->token.line, what.data);
	parser->token.kind = TOKEN_END;
	text_release(&what);
}

void parser_advance(struct parser *parser)
{
	if (!parser->rc)
		parser->rc = lexer_next(&parser->lexer, &parser->token, parser->err);
	if (parser->rc)
		parser->token.kind = TOKEN_END;
}

bool parser_sees(const struct parser *parser, char mark)
{
	return parser->token.kind == TOKEN_MARK && parser->token.mark == mark;
}

bool parser_sees_word(const struct parser *parser, const char *word)
{
	return (parser->token.kind == TOKEN_WORD || parser->token.kind == TOKEN_DOTTED) &&
	       strlen(word) == parser->token.length &&
	       memcmp(parser->token.text, word, parser->token.length) == 0;
}

bool parser_takes(struct parser *parser, char mark)
{
	if (!parser_sees(parser, mark))
		return false;
	parser_advance(parser);
	return true;
}

bool parser_takes_word(struct parser *parser, const char *word)
{
	if (!parser_sees_word(parser, word))
		return false;
	parser_advance(parser);
	return true;
}

void parser_wants(struct parser *parser, char mark, const char *after)
{
	if (!parser_takes(parser, mark))
		parser_complain(parser, "'%c' is wanted after %s", mark, after);
}

struct name *parser_name(struct parser *parser, const char *what)
{
	struct name *name;

	if (parser->token.kind != TOKEN_WORD) {
		parser_complain(parser, "%s is wanted", what);
		return NULL;
	}
	name = parser_intern(parser, parser->token.text, parser->token.length);
	parser_advance(parser);
	return parser->rc ? NULL : name;
}

int64_t parser_number(struct parser *parser, const char *what, int64_t most)
{
	int64_t number = 0;

	if (parser->token.kind != TOKEN_INTEGER) {
		parser_complain(parser, "a number is wanted for %s", what);
	} else if (parser->token.bits > (uint64_t)most) {
		parser_complain(parser, "%s is more than %lld", what, (long long)most);
	} else {
		number = (int64_t)parser->token.bits;
		parser_advance(parser);
	}
	return number;
}

void parser_skip_braces(struct parser *parser)
{
	size_t open = 0;

	do {
		open += parser_sees(parser, '{');
		open -= parser_sees(parser, '}');
		if (parser->token.kind == TOKEN_END)
			parser_complain(parser, "'}' is wanted");
		parser_advance(parser);
	} while (open && !parser->rc);
}

void parser_skip_parentheses(struct parser *parser)
{
	parser_wants(parser, '(', "this directive");
	for (size_t open = 1; open && !parser->rc; parser_advance(parser)) {
		open += parser_sees(parser, '(');
		open -= parser_sees(parser, ')');
		if (parser->token.kind == TOKEN_END)
			parser_complain(parser, "')' is wanted");
	}
}

void *parser_take(struct parser *parser, size_t count, size_t size)
{
	void *memory = NULL;

	if (!parser->rc)
		parser->rc = arena_take(parser->arena, &memory, count, size, parser->err);
	if (parser->rc)
		parser->token.kind = TOKEN_END;
	return memory;
}

void *parser_append(struct parser *parser, void *array, size_t *count, size_t *capacity,
		    size_t size)
{
	void *items;

	if (parser->rc)
		return NULL;
	/* a pointer to a pointer of some type; void ** would not be one */
	memcpy(&items, array, sizeof(items));
	parser->rc = arena_grow(parser->arena, &items, capacity, *count, size, parser->err);
	if (parser->rc) {
		parser->token.kind = TOKEN_END;
		return NULL;
	}
	memcpy(array, &items, sizeof(items));
	items = (char *)items + (*count)++ * size;
	memset(items, 0, size);
	return items;
}

struct name *parser_intern(struct parser *parser, const char *text, size_t length)
{
	struct name *name = NULL;

	if (!parser->rc)
		parser->rc = arena_name(parser->arena, &name, text, length, parser->err);
	if (parser->rc)
		parser->token.kind = TOKEN_END;
	return name;
}

/* ---- module scope ---- */

static void read_version(struct parser *parser)
{
	const struct token *token = &parser->token;

	if (parser->module->version[0])
		parser_complain(parser, ".version stands twice");
	else if (token->kind != TOKEN_F64 || !memchr(token->text, '.', token->length) ||
		 token->text[token->length - 1] == '.' ||
		 token->length >= sizeof(parser->module->version))
		parser_complain(parser, "a version such as 9.0 is wanted after .version");
	else
		memcpy(parser->module->version, token->text, token->length);
	parser_advance(parser);
}

static void read_target(struct parser *parser)
{
	const struct token *token = &parser->token;

	if (token->kind != TOKEN_WORD || token->length >= sizeof(parser->module->target) ||
	    token->length < 5 || memcmp(token->text, "sm_", 3) != 0)
		parser_complain(parser, "a target such as sm_90 is wanted after .target");
	else if (!parser->module->target[0])
		memcpy(parser->module->target, token->text, token->length);
	parser_advance(parser);
	while (parser_takes(parser, ','))
		parser_name(parser, "an option of .target");
}

static void read_address_size(struct parser *parser)
{
	if (parser->token.kind != TOKEN_INTEGER || parser->token.bits != 64)
		parser_complain(parser, "addresses of 64 bits only: .address_size 64 is wanted");
	parser->module->address_bits = 64;
	parser_advance(parser);
}

/* `.alias new, old;`: a function by two names. */
static void read_alias(struct parser *parser)
{
	struct name *name = parser_name(parser, "a name after .alias");
	const struct ptx_function *old = NULL;
	struct ptx_function *function;

	parser_wants(parser, ',', "the name of an alias");
	if (parser->token.kind == TOKEN_WORD) {
		char *wanted = xstrndup(parser->token.text, parser->token.length);

		old = ptx_module_function(parser->module, wanted);
		free(wanted);
	}
	if (!old) {
		parser_complain(parser, "a function that was read is wanted in .alias");
		return;
	}
	parser_advance(parser);
	parser_wants(parser, ';', ".alias");
	function = name && name->binding.meaning == NAME_FUNCTION
			   ? &parser->module->functions[name->binding.index]
			   : NULL;
	if (function && function->defined)
		parser_complain(parser, "%.60s is defined twice", name->text);
	if (!function) {
		size_t index = (size_t)(old - parser->module->functions);

		function = parser_add_function(parser);
		/* the array may have moved */
		old = &parser->module->functions[index];
	}
	if (parser->rc || !function || !name)
		return;
	*function = *old;
	function->name = name->text;
	name->binding.meaning = NAME_FUNCTION;
	name->binding.index = (uint32_t)(function - parser->module->functions);
	name->binding.text = name->text;
}

/* Where a variable of module scope goes: it may have been declared as external before. */
static struct ptx_variable *place_of(struct parser *parser, struct name *name, bool external)
{
	struct ptx_module *module = parser->module;
	struct ptx_variable *place;

	if (name->binding.meaning == NAME_VARIABLE) {
		place = &module->variables[name->binding.index];
		if (!external && !place->external)
			parser_complain(parser, "%.60s is defined twice", name->text);
		return external ? NULL : place;
	}
	if (!scope_declare(parser, name, NAME_VARIABLE, module->variable_count))
		return NULL;
	return parser_append(parser, &module->variables, &module->variable_count,
			     &parser->module_variable_capacity, sizeof(*place));
}

static void read_variables(struct parser *parser, enum ptx_space space, bool external)
{
	struct ptx_variable variable = {.space = space, .external = external};
	struct name *name = declare_variable(parser, &variable);

	while (name) {
		struct ptx_variable *place = place_of(parser, name, external);

		if (place) {
			variable.name = name->text;
			*place = variable;
		}
		name = parser_takes(parser, ',') ? declare_next_variable(parser, &variable) : NULL;
	}
	parser_wants(parser, ';', "a variable");
}

static void read_item(struct parser *parser)
{
	bool external = false;
	enum ptx_space space;

	while (parser_sees_word(parser, ".visible") || parser_sees_word(parser, ".extern") ||
	       parser_sees_word(parser, ".weak") || parser_sees_word(parser, ".common")) {
		external = external || parser_sees_word(parser, ".extern");
		parser_advance(parser);
	}
	if (parser_takes_word(parser, ".entry"))
		parse_function(parser, true);
	else if (parser_takes_word(parser, ".func"))
		parse_function(parser, false);
	else if (parser_takes_word(parser, ".alias"))
		read_alias(parser);
	else if (parser->token.kind == TOKEN_DOTTED && space_of(&parser->token, &space) &&
		 space != PTX_SPACE_LOCAL && space != PTX_SPACE_PARAM) {
		parser_advance(parser);
		read_variables(parser, space, external);
	} else {
		parser_complain(parser, "not a directive of a module");
	}
}

static void read_module(struct parser *parser)
{
	parser_advance(parser);
	if (!parser_sees_word(parser, ".version"))
		parser_complain(parser, "a PTX text begins with .version");
	while (!parser->rc && parser->token.kind != TOKEN_END) {
		if (parser_takes_word(parser, ".version"))
			read_version(parser);
		else if (parser_takes_word(parser, ".target"))
			read_target(parser);
		else if (parser_takes_word(parser, ".address_size"))
			read_address_size(parser);
		else if (!parse_annotation(parser) && !parser_takes(parser, ';'))
			read_item(parser);
	}
	if (!parser->module->target[0] || !parser->module->address_bits)
		parser_complain(parser, "a module needs .target and .address_size");
}

int ptx_module_parse(struct ptx_module **out, const char *text, size_t length, struct error *err)
{
	struct parser parser = {.err = err};

	/* PTX out of an executable ends with the terminator of its string */
	while (length && !text[length - 1])
		length--;
	if (length > PTX_MAX_TEXT_BYTES)
		return error_set(err, PL_EPARSE, "%zu bytes of PTX are more than %d MiB", length,
				 PTX_MAX_TEXT_BYTES >> 20);
	parser.lexer = (struct lexer){.at = text, .end = text + length, .line = 1};
	parser.arena = arena_create(LEAST_LIMIT_BYTES + LIMIT_PER_BYTE * length);
	if (!parser.arena)
		return error_set(err, PL_ENOMEM, "no memory for a module");
	parser.module = parser_take(&parser, 1, sizeof(*parser.module));
	if (parser.module) {
		parser.module->arena = parser.arena;
		read_module(&parser);
	}
	if (parser.rc) {
		arena_destroy(parser.arena);
		return parser.rc;
	}
	*out = parser.module;
	return 0;
}

void ptx_module_free(struct ptx_module *module)
{
	if (module)
		arena_destroy(module->arena);
}

const struct ptx_function *ptx_module_function(const struct ptx_module *module, const char *name)
{
	for (size_t i = 0; i < module->function_count; i++) {
		if (strcmp(module->functions[i].name, name) == 0)
			return &module->functions[i];
	}
	return NULL;
}

const char *ptx_space_name(enum ptx_space space)
{
	static const char *const names[] = {
		[PTX_SPACE_GENERIC] = "",      [PTX_SPACE_GLOBAL] = "global",
		[PTX_SPACE_SHARED] = "shared", [PTX_SPACE_LOCAL] = "local",
		[PTX_SPACE_CONST] = "const",   [PTX_SPACE_PARAM] = "param",
	};

	return names[space];
}
