/* Annotations: directives that describe where the code comes from (.file, .loc) or that the parser
 * skips (.section, .pragma). */
#include "emulator/language/parser.h"

#include <stdio.h>
#include <string.h>

/* Returns the name of a source file in a form that a report can print on one line: each control
 * character becomes '?', and so does an empty name. */
static struct name *printable_file_name(struct parser *parser)
{
	struct text text = TEXT_INIT;
	struct name *name;

	text_add_bytes(&text, parser->token.text + 1, parser->token.length - 2);
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f)
			text.data[i] = '?';
	if (text.length > PTX_MAX_FILE_NAME)
		parser_error(parser, "a file name of more than %d bytes", PTX_MAX_FILE_NAME);
	name = text.length ? parser_intern(parser, text.data, text.length)
			   : parser_intern(parser, "?", 1);
	text_release(&text);
	return name;
}

/* `.file 1 "kernels/reduce/reduce.cuh"`, optionally followed by a time and a size. */
static void read_file_name(struct parser *parser)
{
	struct ptx_module *module = parser->module;
	size_t index = (size_t)parser_expect_number(parser, "a file number", PTX_MAX_FILES - 1);
	struct name *name = NULL;

	if (parser->token.kind != TOKEN_STRING)
		parser_error(parser, "expected a file name after .file");
	else
		name = printable_file_name(parser);
	parser_advance(parser);
	while (parser_accept(parser, ','))
		parser_expect_number(parser, "a time or size of .file", INT64_MAX);
	while (!parser->rc && module->file_count <= index)
		parser_append(parser, &module->files, &module->file_count, &parser->file_capacity,
			      sizeof(*module->files));
	if (!parser->rc && name)
		module->files[index] = name->text;
}

static struct location read_source_position(struct parser *parser)
{
	struct location place = {0};

	place.file = (uint32_t)parser_expect_number(parser, "a file number", PTX_MAX_FILES - 1);
	place.line = (uint32_t)parser_expect_number(parser, "a line number", UINT32_MAX);
	place.column = (uint32_t)parser_expect_number(parser, "a column number", UINT32_MAX);
	return place;
}

/* The name of a position in the source, at which the parser keeps its caller. */
static struct name *position_name(struct parser *parser, const struct location *at)
{
	char text[40];
	const int length = snprintf(text, sizeof(text), "%u %u %u", at->file, at->line, at->column);

	return parser_intern(parser, text, (size_t)length);
}

/* Sets the caller of a location to the call at which it was inlined. If that call was itself
 * inlined, the caller is the outermost call. The .loc of an inlined call may stand anywhere before
 * in the function: compilers write it once. */
static void set_caller(struct parser *parser, struct location *location,
		       const struct location *call)
{
	const struct location *latest = &parser->location;
	const struct name *name = position_name(parser, call);

	location->caller_file = call->file;
	location->caller_line = call->line;
	if (name && name->located_in == parser->function_serial && name->caller_line) {
		location->caller_file = name->caller_file;
		location->caller_line = name->caller_line;
	} else if (!call->line) {
		location->caller_file = latest->caller_line ? latest->caller_file : latest->file;
		location->caller_line = latest->caller_line ? latest->caller_line : latest->line;
	}
}

static void keep_caller(struct parser *parser, const struct location *location)
{
	struct name *name = position_name(parser, location);

	if (!name)
		return;
	name->located_in = parser->function_serial;
	name->caller_file = location->caller_file;
	name->caller_line = location->caller_line;
}

void parser_place(const struct parser *parser, struct ptx_statement *statement)
{
	statement->file = parser->location.file;
	statement->source_line = parser->location.line;
	statement->caller_file = parser->location.caller_file;
	statement->caller_line = parser->location.caller_line;
}

/*
 * Line 0 stands for code that the compiler has moved or merged: mostly out of the loop that comes
 * next. It counts as the next line, or at the end of a function as the line before.
 */
static void set_location(struct parser *parser, const struct location *location)
{
	struct ptx_function *function = &parser->function;

	if (!location->line) {
		if (!parser->unplaced)
			parser->unplaced_from = function->statement_count;
		parser->unplaced = true;
		return;
	}
	parser->location = *location;
	for (size_t i = parser->unplaced_from; parser->unplaced && i < function->statement_count;
	     i++)
		parser_place(parser, &function->statements[i]);
	parser->unplaced = false;
}

/* `.loc 1 108 0`, optionally followed by `, function_name $L__info_string3, inlined_at 1 61 2`. */
static void read_location(struct parser *parser)
{
	struct location location = read_source_position(parser);

	while (parser_accept(parser, ',')) {
		if (parser_accept_word(parser, "inlined_at")) {
			struct location call = read_source_position(parser);

			set_caller(parser, &location, &call);
		} else if (parser_accept_word(parser, "function_name")) {
			parser_expect_name(parser, "a function name");
			if (parser_accept(parser, '+'))
				parser_expect_number(parser, "an offset", INT64_MAX);
		} else {
			parser_error(parser, "expected function_name or inlined_at");
		}
	}
	keep_caller(parser, &location);
	if (!location.line && location.caller_line)
		location = (struct location){.file = location.caller_file,
					     .line = location.caller_line};
	set_location(parser, &location);
}

static void read_section(struct parser *parser)
{
	while (!parser->rc && !parser_at(parser, '{')) {
		if (parser->token.kind != TOKEN_DOTTED && parser->token.kind != TOKEN_WORD)
			parser_error(parser, "expected '{' after the name of a section");
		parser_advance(parser);
	}
	parser_skip_nested(parser, '{', '}', "the name of a section");
}

static void read_pragma(struct parser *parser)
{
	do {
		if (parser->token.kind != TOKEN_STRING)
			parser_error(parser, "expected a string after .pragma");
		parser_advance(parser);
	} while (parser_accept(parser, ','));
	parser_expect(parser, ';', ".pragma");
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
		if (parser_accept_word(parser, annotations[i].word)) {
			annotations[i].read(parser);
			return true;
		}
	}
	return false;
}
