/* Heads and bodies of functions. */
#include "emulator/language/parser.h"

#include <string.h>

static void add_directive(struct parser *parser)
{
	struct ptx_directive *place;
	struct name *name = parser_intern(parser, parser->token.text, parser->token.length);

	place = parser_append(parser, &parser->function.directives,
			      &parser->function.directive_count, &parser->directive_capacity,
			      sizeof(*place));
	if (place && name)
		*place = (struct ptx_directive){.name = name->text, .line = parser->token.line};
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
		struct ptx_variable *place;
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
		place = parser_append(parser, &function->parameters, &function->parameter_count,
				      &parser->parameter_capacity, sizeof(*place));
		if (place)
			*place = variable;
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

		if (parse_annotation(parser))
			continue;
		if (parser_at_word(parser, ".maxntid") || parser_at_word(parser, ".reqntid")) {
			function->exact_threads = parser_at_word(parser, ".reqntid");
			read_dimensions(parser, function->max_threads);
			continue;
		}
		if (parser_at_word(parser, ".reqnctapercluster")) {
			read_dimensions(parser, function->cluster);
			continue;
		}
		if (parser_accept_word(parser, ".maxclusterrank")) {
			function->most_cluster =
				parser_expect_number(parser, "a number of blocks", INT32_MAX);
			continue;
		}
		if (parser_accept_word(parser, ".explicitcluster")) {
			function->explicit_cluster = true;
			continue;
		}
		if (parser_at_word(parser, ".attribute")) {
			add_directive(parser);
			parser_skip_parentheses(parser);
			continue;
		}
		add_directive(parser);
		while (parser->token.kind == TOKEN_INTEGER) {
			parser_advance(parser);
			parser_accept(parser, ',');
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
	struct ptx_label *place;
	const char *text;

	if (!name || read_target_list(parser, name))
		return;
	text = scope_declare(parser, name, NAME_LABEL, 0);
	place = parser_append(parser, &function->labels, &function->label_count,
			      &parser->label_capacity, sizeof(*place));
	if (place)
		*place = (struct ptx_label){.name = text,
					    .statement = (uint32_t)function->statement_count};
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
				parse_instruction(parser, &word);
		} else if (!parser_accept(parser, ';')) {
			parser_error(parser, "not a statement");
		}
	}
	parser_expect(parser, '}', "a function's body");
}

/* Returns the function of that name, which a declaration may have added before. */
struct ptx_function *add_module_function(struct parser *parser)
{
	struct ptx_module *module = parser->module;

	if (module->function_count == PTX_MAX_FUNCTIONS) {
		parser_error(parser, "more than %d functions", PTX_MAX_FUNCTIONS);
		return NULL;
	}
	return parser_append(parser, &module->functions, &module->function_count,
			     &parser->function_capacity, sizeof(*module->functions));
}

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

void parse_function(struct parser *parser, bool entry)
{
	struct ptx_function *function = &parser->function, *place = NULL;
	struct name *name;

	begin_function(parser, entry);
	while (parser_at_word(parser, ".attribute")) {
		add_directive(parser);
		parser_skip_parentheses(parser);
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
