/* Heads and bodies of functions, and annotations: what tells of the text's origin. */
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

/* ---- annotations ---- */

/* A string as a file's name: reports show it on a line, so one without a name or with control
 * characters is not taken as it is. */
static struct name *shown_name(struct parser *parser)
{
	struct text text = TEXT_INIT;
	struct name *name;

	text_add_bytes(&text, parser->token.text + 1, parser->token.length - 2);
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f)
			text.data[i] = '?';
	if (text.length > PTX_MAX_FILE_NAME)
		parser_complain(parser, "a file's name of more than %d bytes", PTX_MAX_FILE_NAME);
	name = text.length ? parser_intern(parser, text.data, text.length)
			   : parser_intern(parser, "?", 1);
	text_release(&text);
	return name;
}

/* `.file 1 "kernels/reduce/reduce.cuh"`, with a time and a size, or without. */
static void read_file_name(struct parser *parser)
{
	struct ptx_module *module = parser->module;
	size_t index = (size_t)parser_number(parser, "a file", PTX_MAX_FILES - 1);
	struct name *name = NULL;

	if (parser->token.kind != TOKEN_STRING)
		parser_complain(parser, "a name is wanted after .file");
	else
		name = shown_name(parser);
	parser_advance(parser);
	while (parser_takes(parser, ','))
		parser_number(parser, "a time or size of .file", INT64_MAX);
	while (!parser->rc && module->file_count <= index)
		parser_append(parser, &module->files, &module->file_count, &parser->file_capacity,
			      sizeof(*module->files));
	if (!parser->rc && name)
		module->files[index] = name->text;
}

static struct location read_place(struct parser *parser)
{
	struct location place = {0};

	place.file = (uint32_t)parser_number(parser, "a file", PTX_MAX_FILES - 1);
	place.line = (uint32_t)parser_number(parser, "a line", UINT32_MAX);
	place.column = (uint32_t)parser_number(parser, "a column", UINT32_MAX);
	return place;
}

/* The call that a location was inlined at; where that was inlined itself, the one it was at. */
static void set_caller(struct parser *parser, struct location *location,
		       const struct location *call)
{
	size_t count = parser->location_count < RECENT_LOCATIONS ? parser->location_count
								 : RECENT_LOCATIONS;

	location->caller_file = call->file;
	location->caller_line = call->line;
	for (size_t back = 1; back <= count; back++) {
		const struct location *before =
			&parser->recent[(parser->location_count - back) % RECENT_LOCATIONS];

		if (before->file != call->file || before->line != call->line ||
		    before->column != call->column)
			continue;
		if (before->caller_line) {
			location->caller_file = before->caller_file;
			location->caller_line = before->caller_line;
		}
		return;
	}
}

/* `.loc 1 108 0`; behind it `, function_name $L__info_string3, inlined_at 1 61 2`. */
static void read_location(struct parser *parser)
{
	struct location location = read_place(parser);

	while (parser_takes(parser, ',')) {
		if (parser_takes_word(parser, "inlined_at")) {
			struct location call = read_place(parser);

			set_caller(parser, &location, &call);
		} else if (parser_takes_word(parser, "function_name")) {
			parser_name(parser, "a function's name");
			if (parser_takes(parser, '+'))
				parser_number(parser, "an offset", INT64_MAX);
		} else {
			parser_complain(parser, "function_name or inlined_at is wanted");
		}
	}
	parser->location = location;
	parser->recent[parser->location_count++ % RECENT_LOCATIONS] = location;
}

static void read_section(struct parser *parser)
{
	while (!parser->rc && !parser_sees(parser, '{')) {
		if (parser->token.kind != TOKEN_DOTTED && parser->token.kind != TOKEN_WORD)
			parser_complain(parser, "'{' is wanted after the name of a section");
		parser_advance(parser);
	}
	if (!parser->rc)
		parser_skip_braces(parser);
}

static void read_pragma(struct parser *parser)
{
	do {
		if (parser->token.kind != TOKEN_STRING)
			parser_complain(parser, "a string is wanted after .pragma");
		parser_advance(parser);
	} while (parser_takes(parser, ','));
	parser_wants(parser, ';', ".pragma");
}

bool parse_annotation(struct parser *parser)
{
	static const struct {
		const char *word;
		void (*read)(struct parser *parser);
	} annotations[] = {
		{".loc", read_location},
		{".file", read_file_name},
		{".section", read_section},
		{".pragma", read_pragma},
	};

	for (size_t i = 0; i < ARRAY_SIZE(annotations); i++) {
		if (parser_takes_word(parser, annotations[i].word)) {
			annotations[i].read(parser);
			return true;
		}
	}
	return false;
}

/* ---- heads ---- */

/* "( .param … , .param … )", if it is there. */
static void read_parameters(struct parser *parser)
{
	struct ptx_function *function = &parser->function;

	if (!parser_takes(parser, '(') || parser_takes(parser, ')'))
		return;
	do {
		struct ptx_variable variable = {.space = PTX_SPACE_PARAM};
		struct ptx_variable *place;
		struct name *name;

		if (!parser_takes_word(parser, ".param"))
			parser_complain(parser, ".param is wanted");
		name = declare_variable(parser, &variable);
		if (!name)
			continue;
		/* in a mere declaration all may be called "_" */
		variable.name = strcmp(name->text, "_") == 0
					? name->text
					: scope_declare(parser, name, NAME_VARIABLE, 0);
		place = parser_append(parser, &function->parameters, &function->parameter_count,
				      &parser->parameter_capacity, sizeof(*place));
		if (place)
			*place = variable;
	} while (parser_takes(parser, ','));
	parser_wants(parser, ')', "parameters");
}

/* What stands between the parameters and the body: `.maxntid 256, 1, 1`. */
static void read_head_directives(struct parser *parser)
{
	while (!parser->rc && parser->token.kind == TOKEN_DOTTED) {
		int64_t *threads = parser->function.max_threads;
		size_t dimension = 0;

		if (parse_annotation(parser))
			continue;
		if (parser_takes_word(parser, ".maxntid") ||
		    parser_takes_word(parser, ".reqntid")) {
			threads[0] = threads[1] = threads[2] = 1;
			do
				threads[dimension] =
					parser_number(parser, "a dimension", INT32_MAX);
			while (parser_takes(parser, ',') && ++dimension < 3);
			continue;
		}
		if (parser_sees_word(parser, ".attribute")) {
			add_directive(parser);
			parser_skip_parentheses(parser);
			continue;
		}
		add_directive(parser);
		while (parser->token.kind == TOKEN_INTEGER) {
			parser_advance(parser);
			parser_takes(parser, ',');
		}
	}
}

/* ---- bodies ---- */

/* `.branchtargets $L1, $L2;` and `.callprototype (…) _ (…);` behind their label. */
static bool read_targets(struct parser *parser, struct name *name)
{
	bool branches = parser_sees_word(parser, ".branchtargets");
	struct ptx_function *function = &parser->function;
	struct ptx_targets *place;
	size_t capacity = 0;

	if (!branches && !parser_sees_word(parser, ".callprototype") &&
	    !parser_sees_word(parser, ".calltargets"))
		return false;
	parser_advance(parser);
	place = parser_append(parser, &function->targets, &function->target_count,
			      &parser->target_capacity, sizeof(*place));
	if (place)
		place->name = scope_declare(parser, name, NAME_LABEL, 0);
	while (!parser->rc && !parser_sees(parser, ';')) {
		if (parser->token.kind == TOKEN_END || parser_sees(parser, '{'))
			parser_complain(parser, "';' is wanted after a list of targets");
		if (!branches) {
			parser_advance(parser);
			continue;
		}
		name = parser_name(parser, "a label");
		if (name && place)
			parser_append(parser, &place->labels, &place->count, &capacity,
				      sizeof(*place->labels));
		if (!parser->rc && place)
			place->labels[place->count - 1] = name->text;
		if (!parser_takes(parser, ','))
			break;
	}
	/* they stay where they are now */
	for (size_t i = 0; branches && !parser->rc && i < place->count; i++) {
		name = parser_intern(parser, place->labels[i], strlen(place->labels[i]));
		if (name)
			scope_use(parser, &place->labels[i], name);
	}
	parser_wants(parser, ';', "a list of targets");
	return true;
}

static void read_label(struct parser *parser, const struct token *word)
{
	struct ptx_function *function = &parser->function;
	struct name *name = parser_intern(parser, word->text, word->length);
	struct ptx_label *place;
	const char *text;

	if (!name || read_targets(parser, name))
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
	if (parser_takes_word(parser, ".reg")) {
		declare_registers(parser);
	} else if (space_of(&parser->token, &space)) {
		parser_advance(parser);
		declare_local_variables(parser, space);
	} else {
		add_directive(parser);
		while (!parser->rc && !parser_sees(parser, ';')) {
			if (parser->token.kind == TOKEN_END || parser_sees(parser, '}'))
				parser_complain(parser, "';' is wanted after a directive");
			parser_advance(parser);
		}
		parser_advance(parser);
	}
}

/* After the '{', to its '}'. */
static void read_body(struct parser *parser)
{
	size_t outside = parser->depth;

	while (!parser->rc) {
		struct token word = parser->token;

		if (parser_takes(parser, '{')) {
			scope_enter(parser);
		} else if (parser_sees(parser, '}')) {
			if (parser->depth == outside)
				break;
			scope_leave(parser);
			parser_advance(parser);
		} else if (parser->token.kind == TOKEN_DOTTED) {
			read_body_directive(parser);
		} else if (parser_sees(parser, '@')) {
			parse_guarded(parser);
		} else if (parser->token.kind == TOKEN_WORD) {
			parser_advance(parser);
			if (parser_takes(parser, ':'))
				read_label(parser, &word);
			else
				parse_instruction(parser, &word);
		} else if (!parser_takes(parser, ';')) {
			parser_complain(parser, "not a statement");
		}
	}
	parser_wants(parser, '}', "a function's body");
}

/* Where a function goes: it may have been declared before. */
struct ptx_function *parser_add_function(struct parser *parser)
{
	struct ptx_module *module = parser->module;

	if (module->function_count == PTX_MAX_FUNCTIONS) {
		parser_complain(parser, "more than %d functions", PTX_MAX_FUNCTIONS);
		return NULL;
	}
	return parser_append(parser, &module->functions, &module->function_count,
			     &parser->function_capacity, sizeof(*module->functions));
}

static struct ptx_function *place_of(struct parser *parser, struct name *name)
{
	struct ptx_module *module = parser->module;
	struct ptx_function *place;

	if (name->binding.meaning == NAME_FUNCTION)
		return &module->functions[name->binding.index];
	if (name->binding.meaning != NAME_FREE) {
		parser_complain(parser, "%.60s is declared twice", name->text);
		return NULL;
	}
	scope_declare(parser, name, NAME_FUNCTION, module->function_count);
	place = parser_add_function(parser);
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
	parser->location_count = 0;
	parser->function_serial++;
	scope_enter(parser);
}

void parse_function(struct parser *parser, bool entry)
{
	struct ptx_function *function = &parser->function, *place = NULL;
	struct name *name;

	begin_function(parser, entry);
	while (parser_sees_word(parser, ".attribute")) {
		add_directive(parser);
		parser_skip_parentheses(parser);
	}
	if (!entry) {
		read_parameters(parser);
		function->result_count = function->parameter_count;
	}
	name = parser_name(parser, "a function's name");
	read_parameters(parser);
	read_head_directives(parser);
	if (name) {
		/* of the module, whatever it is called inside */
		size_t depth = parser->depth;

		parser->depth = 0;
		place = place_of(parser, name);
		parser->depth = depth;
		function->name = name->text;
	}
	if (parser_takes(parser, '{')) {
		function->defined = true;
		if (place && place->defined)
			parser_complain(parser, "%.60s is defined twice", function->name);
		read_body(parser);
	} else {
		parser_wants(parser, ';', "the head of a function");
	}
	if (parser->rc)
		return;
	scope_leave(parser);
	if (!place->defined)
		*place = *function;
}
