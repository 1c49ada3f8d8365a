/* A whole PTX module: the directives of its head, and the variables and functions at module scope,
 * with the heads and bodies of functions. */
#include "emulator/language/parser.h"

#include <stdlib.h>
#include <string.h>

/* The most memory that a module may use: a fixed amount, and a multiple of the length of its
 * text. */
#define LEAST_LIMIT_BYTES ((size_t)256 << 20)
#define LIMIT_PER_BYTE 64

/* ---- functions ---- */

static void add_directive(struct parser *parser)
{
	struct ptx_directive directive = {.line = parser->token.line};
	struct name *name = parser_intern(parser, parser->token.text, parser->token.length);

	directive.name = name ? name->text : NULL;
	parser_add(parser, &parser->function.directives, &parser->function.directive_count,
		   &parser->directive_capacity, &directive, sizeof(directive));
	parser_advance(parser);
}

/* ---- heads ---- */

/* Reads an optional "( .param … , .param … )". */
static void read_parameters(struct parser *parser)
{
	struct ptx_function *function = &parser->function;

	if (!parser_accept(parser, '(') || parser_accept(parser, ')'))
		return;
	do {
		struct ptx_variable variable = {.space = PTX_SPACE_PARAM};
		struct name *name;

		bool in_register = !function->entry && parser_accept_word(parser, ".reg");

		if (!in_register && !parser_accept_word(parser, ".param"))
			parser_error(parser, "expected .param");
		name = in_register ? parse_register_parameter(parser, &variable)
				   : parse_variable(parser, &variable);
		if (!name)
			continue;
		/* In a declaration without a body, all parameters may be called "_". */
		variable.name = in_register || strcmp(name->text, "_") == 0
					? name->text
					: scope_declare(parser, name, NAME_VARIABLE, 0);
		parser_add(parser, &function->parameters, &function->parameter_count,
			   &parser->parameter_capacity, &variable, sizeof(variable));
	} while (parser_accept(parser, ','));
	parser_expect(parser, ')', "parameters");
}

/* Reads a directive with up to three numbers, such as `.maxntid 256, 1`. */
static void read_dimensions(struct parser *parser, int64_t out[3])
{
	size_t dimension = 0;

	parser_advance(parser);
	out[0] = out[1] = out[2] = 1;
	do
		out[dimension] = parser_expect_number(parser, "a dimension", INT32_MAX);
	while (parser_accept(parser, ',') && ++dimension < 3);
}

/* Reads the directives between the parameters and the body, such as `.maxntid 256, 1, 1`. */
static void read_head_directives(struct parser *parser)
{
	while (!parser->rc && parser->token.kind == TOKEN_DOTTED) {
		struct ptx_function *function = &parser->function;

		if (parse_annotation(parser)) {
			continue;
		} else if (parser_at_word(parser, ".maxntid") ||
			   parser_at_word(parser, ".reqntid")) {
			function->exact_threads = parser_at_word(parser, ".reqntid");
			read_dimensions(parser, function->max_threads);
		} else if (parser_at_word(parser, ".reqnctapercluster")) {
			read_dimensions(parser, function->cluster);
		} else if (parser_accept_word(parser, ".maxclusterrank")) {
			function->most_cluster =
				parser_expect_number(parser, "a number of blocks", INT32_MAX);
		} else if (parser_accept_word(parser, ".explicitcluster")) {
			function->explicit_cluster = true;
		} else if (parser_at_word(parser, ".attribute")) {
			add_directive(parser);
			parser_skip_nested(parser, '(', ')', "the directive");
		} else {
			add_directive(parser);
			while (parser->token.kind == TOKEN_INTEGER) {
				parser_advance(parser);
				parser_accept(parser, ',');
			}
		}
	}
}

/* ---- bodies ---- */

/* Reads `.branchtargets $L1, $L2;` or `.callprototype (…) _ (…);`, which follow a label. Returns
 * false if neither is there. */
static bool read_target_list(struct parser *parser, struct name *name)
{
	bool branches = parser_at_word(parser, ".branchtargets");
	struct ptx_function *function = &parser->function;
	struct ptx_targets *place;
	size_t capacity = 0;

	if (!branches && !parser_at_word(parser, ".callprototype") &&
	    !parser_at_word(parser, ".calltargets"))
		return false;
	parser_advance(parser);
	place = parser_append(parser, &function->targets, &function->target_count,
			      &parser->target_capacity, sizeof(*place));
	if (place)
		place->name = scope_declare(parser, name, NAME_LABEL, 0);
	while (!parser->rc && !parser_at(parser, ';')) {
		if (parser->token.kind == TOKEN_END || parser_at(parser, '{'))
			parser_error(parser, "expected ';' after a list of targets");
		if (!branches) {
			parser_advance(parser);
			continue;
		}
		name = parser_expect_name(parser, "a label");
		if (name && place)
			parser_append(parser, &place->labels, &place->count, &capacity,
				      sizeof(*place->labels));
		if (!parser->rc && place)
			place->labels[place->count - 1] = name->text;
		if (!parser_accept(parser, ','))
			break;
	}
	/* The array is complete, so scope_use() may keep pointers to its elements. */
	for (size_t i = 0; branches && !parser->rc && i < place->count; i++) {
		name = parser_intern(parser, place->labels[i], strlen(place->labels[i]));
		if (name)
			scope_use(parser, &place->labels[i], name);
	}
	parser_expect(parser, ';', "a list of targets");
	return true;
}

static void read_label(struct parser *parser, const struct token *word)
{
	struct ptx_function *function = &parser->function;
	struct name *name = parser_intern(parser, word->text, word->length);
	struct ptx_label label = {.statement = (uint32_t)function->statement_count};

	if (!name || read_target_list(parser, name))
		return;
	label.name = scope_declare(parser, name, NAME_LABEL, 0);
	parser_add(parser, &function->labels, &function->label_count, &parser->label_capacity,
		   &label, sizeof(label));
}

static void read_body_directive(struct parser *parser)
{
	enum ptx_space space;

	if (parse_annotation(parser))
		return;
	if (parser_accept_word(parser, ".reg")) {
		parse_registers(parser);
	} else if (parser_at_space(parser, &space)) {
		parser_advance(parser);
		parse_local_variables(parser, space);
	} else {
		add_directive(parser);
		while (!parser->rc && !parser_at(parser, ';')) {
			if (parser->token.kind == TOKEN_END || parser_at(parser, '}'))
				parser_error(parser, "expected ';' after a directive");
			parser_advance(parser);
		}
		parser_advance(parser);
	}
}

/* Reads from after the '{' to after the '}' that closes it. */
static void read_body(struct parser *parser)
{
	size_t outside = parser->depth;

	while (!parser->rc) {
		struct token word = parser->token;

		if (parser_accept(parser, '{')) {
			scope_enter(parser);
		} else if (parser_at(parser, '}')) {
			if (parser->depth == outside)
				break;
			scope_leave(parser);
			parser_advance(parser);
		} else if (parser->token.kind == TOKEN_DOTTED) {
			read_body_directive(parser);
		} else if (parser_at(parser, '@')) {
			parse_guarded_instruction(parser);
		} else if (parser->token.kind == TOKEN_WORD) {
			parser_advance(parser);
			if (parser_accept(parser, ':'))
				read_label(parser, &word);
			else
				parse_instruction(parser, &word, &(struct ptx_statement){0});
		} else if (!parser_accept(parser, ';')) {
			parser_error(parser, "not a statement");
		}
	}
	parser_expect(parser, '}', "a function's body");
}

/* Appends a zeroed function to the module. */
static struct ptx_function *add_module_function(struct parser *parser)
{
	struct ptx_module *module = parser->module;

	if (module->function_count == PTX_MAX_FUNCTIONS) {
		parser_error(parser, "more than %d functions", PTX_MAX_FUNCTIONS);
		return NULL;
	}
	return parser_append(parser, &module->functions, &module->function_count,
			     &parser->function_capacity, sizeof(*module->functions));
}

/* Returns the function of that name, which a declaration may have added before. */
static struct ptx_function *find_or_add_function(struct parser *parser, struct name *name)
{
	struct ptx_module *module = parser->module;
	struct ptx_function *place;

	if (name->binding.meaning == NAME_FUNCTION)
		return &module->functions[name->binding.index];
	if (name->binding.meaning != NAME_FREE) {
		parser_error(parser, "%.60s is declared twice", name->text);
		return NULL;
	}
	scope_declare(parser, name, NAME_FUNCTION, module->function_count);
	place = add_module_function(parser);
	if (place)
		place->name = name->text;
	return place;
}

static void begin_function(struct parser *parser, bool entry)
{
	parser->function = (struct ptx_function){.entry = entry, .line = parser->token.line};
	parser->parameter_capacity = parser->register_capacity = parser->variable_capacity =
		parser->label_capacity = parser->target_capacity = parser->statement_capacity =
			parser->directive_capacity = 0;
	parser->location = (struct location){0};
	parser->unplaced = false;
	parser->function_serial++;
	scope_enter(parser);
}

/* Reads a function from after ".entry" or ".func" and adds it to the module. */
static void read_whole_function(struct parser *parser, bool entry)
{
	struct ptx_function *function = &parser->function, *place = NULL;
	struct name *name;

	begin_function(parser, entry);
	while (parser_at_word(parser, ".attribute")) {
		add_directive(parser);
		parser_skip_nested(parser, '(', ')', "the directive");
	}
	if (!entry) {
		read_parameters(parser);
		function->result_count = function->parameter_count;
	}
	name = parser_expect_name(parser, "a function name");
	read_parameters(parser);
	read_head_directives(parser);
	if (name) {
		/* The function's own name belongs to module scope, even if a parameter has the same
		 * name. */
		size_t depth = parser->depth;

		parser->depth = 0;
		place = find_or_add_function(parser, name);
		parser->depth = depth;
		function->name = name->text;
	}
	if (parser_accept(parser, '{')) {
		function->defined = true;
		if (place && place->defined)
			parser_error(parser, "%.60s is defined twice", function->name);
		read_body(parser);
	} else {
		parser_expect(parser, ';', "a function declaration");
	}
	if (parser->rc)
		return;
	scope_leave(parser);
	if (!place->defined)
		*place = *function;
}

/* ---- module scope ---- */

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
		read_whole_function(parser, true);
	else if (parser_accept_word(parser, ".func"))
		read_whole_function(parser, false);
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
