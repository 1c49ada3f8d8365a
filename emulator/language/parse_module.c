/* A whole PTX module: the directives of its head, and the variables and functions at module
 * scope. */
#include "emulator/language/parser.h"

#include <stdlib.h>
#include <string.h>

/* The most memory that a module may use: a fixed amount, and a multiple of the length of its
 * text. */
#define LEAST_LIMIT_BYTES ((size_t)256 << 20)
#define LIMIT_PER_BYTE 64

static void read_version(struct parser *parser)
{
	const struct token *token = &parser->token;

	if (parser->module->version[0])
		parser_error(parser, "a second .version");
	else if (token->kind != TOKEN_F64 || !memchr(token->text, '.', token->length) ||
		 token->text[token->length - 1] == '.' ||
		 token->length >= sizeof(parser->module->version))
		parser_error(parser, "expected a version such as 9.0 after .version");
	else
		memcpy(parser->module->version, token->text, token->length);
	parser_advance(parser);
}

static void read_target(struct parser *parser)
{
	const struct token *token = &parser->token;

	if (token->kind != TOKEN_WORD || token->length >= sizeof(parser->module->target) ||
	    token->length < 5 || memcmp(token->text, "sm_", 3) != 0)
		parser_error(parser, "expected a target such as sm_90 after .target");
	else if (!parser->module->target[0])
		memcpy(parser->module->target, token->text, token->length);
	parser_advance(parser);
	while (parser_accept(parser, ','))
		parser_expect_name(parser, "an option of .target");
}

static void read_address_size(struct parser *parser)
{
	if (parser->token.kind != TOKEN_INTEGER || parser->token.bits != 64)
		parser_error(parser,
			     "only 64-bit addresses are supported: expected .address_size 64");
	parser->module->address_bits = 64;
	parser_advance(parser);
}

/* `.alias new, old;` gives a function a second name. */
static void read_alias(struct parser *parser)
{
	struct name *name = parser_expect_name(parser, "a name after .alias");
	const struct ptx_function *old = NULL;
	struct ptx_function *function;

	parser_expect(parser, ',', "the name of an alias");
	if (parser->token.kind == TOKEN_WORD) {
		char *wanted = xstrndup(parser->token.text, parser->token.length);

		old = ptx_module_function(parser->module, wanted);
		free(wanted);
	}
	if (!old) {
		parser_error(parser, "expected a function declared above in .alias");
		return;
	}
	parser_advance(parser);
	parser_expect(parser, ';', ".alias");
	function = name && name->binding.meaning == NAME_FUNCTION
			   ? &parser->module->functions[name->binding.index]
			   : NULL;
	if (function && function->defined)
		parser_error(parser, "%.60s is defined twice", name->text);
	if (!function) {
		size_t index = (size_t)(old - parser->module->functions);

		function = add_module_function(parser);
		/* The array may have moved. */
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

/* Returns where to store a variable of module scope, which an .extern declaration may have added
 * before. NULL: the declaration adds nothing, or an error is set. */
static struct ptx_variable *find_or_add_variable(struct parser *parser, struct name *name,
						 bool external)
{
	struct ptx_module *module = parser->module;
	struct ptx_variable *place;

	if (name->binding.meaning == NAME_VARIABLE) {
		place = &module->variables[name->binding.index];
		if (!external && !place->external)
			parser_error(parser, "%.60s is defined twice", name->text);
		return external ? NULL : place;
	}
	if (!scope_declare(parser, name, NAME_VARIABLE, module->variable_count))
		return NULL;
	return parser_append(parser, &module->variables, &module->variable_count,
			     &parser->module_variable_capacity, sizeof(*place));
}

static void read_module_variables(struct parser *parser, enum ptx_space space, bool external)
{
	struct ptx_variable variable = {.space = space, .external = external};
	struct name *name = parse_variable(parser, &variable);

	while (name) {
		struct ptx_variable *place = find_or_add_variable(parser, name, external);

		if (place) {
			variable.name = name->text;
			*place = variable;
		}
		name = parser_accept(parser, ',') ? parse_next_variable(parser, &variable) : NULL;
	}
	parser_expect(parser, ';', "a variable");
}

static void read_module_item(struct parser *parser)
{
	bool external = false;
	enum ptx_space space;

	while (parser_at_word(parser, ".visible") || parser_at_word(parser, ".extern") ||
	       parser_at_word(parser, ".weak") || parser_at_word(parser, ".common")) {
		external = external || parser_at_word(parser, ".extern");
		parser_advance(parser);
	}
	if (parser_accept_word(parser, ".entry"))
		parse_function(parser, true);
	else if (parser_accept_word(parser, ".func"))
		parse_function(parser, false);
	else if (parser_accept_word(parser, ".alias"))
		read_alias(parser);
	else if (parser_at_space(parser, &space) && space != PTX_SPACE_LOCAL &&
		 space != PTX_SPACE_PARAM) {
		parser_advance(parser);
		read_module_variables(parser, space, external);
	} else {
		parser_error(parser, "not a directive for module scope");
	}
}

static void read_module(struct parser *parser)
{
	parser_advance(parser);
	if (!parser_at_word(parser, ".version"))
		parser_error(parser, "PTX must begin with .version");
	while (!parser->rc && parser->token.kind != TOKEN_END) {
		if (parser_accept_word(parser, ".version"))
			read_version(parser);
		else if (parser_accept_word(parser, ".target"))
			read_target(parser);
		else if (parser_accept_word(parser, ".address_size"))
			read_address_size(parser);
		else if (!parse_annotation(parser) && !parser_accept(parser, ';'))
			read_module_item(parser);
	}
	if (!parser->module->target[0] || !parser->module->address_bits)
		parser_error(parser, "a module needs .target and .address_size");
}

int ptx_module_parse(struct ptx_module **out, const char *text, size_t length, struct error *err)
{
	struct parser parser = {.err = err};

	/* PTX that was extracted from an executable may end with the terminator of its string. */
	while (length && !text[length - 1])
		length--;
	if (length > PTX_MAX_TEXT_BYTES)
		return error_set(err, PL_EPARSE,
				 "the PTX has %zu bytes, more than the limit of %d MiB", length,
				 PTX_MAX_TEXT_BYTES >> 20);
	parser.lexer = (struct lexer){.at = text, .end = text + length, .line = 1};
	parser.arena = arena_create(LEAST_LIMIT_BYTES + LIMIT_PER_BYTE * length);
	if (!parser.arena)
		return error_set(err, PL_ENOMEM, "no memory for the PTX module");
	parser.module = parser_allocate(&parser, 1, sizeof(*parser.module));
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
