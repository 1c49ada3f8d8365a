/* Annotations: directives that describe where the code comes from (.file, .loc) or that the parser
 * skips (.section, .pragma). */
#include "emulator/language/parser.h"

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

/* Sets the caller of a location to the call at which it was inlined. If that call was itself
 * inlined, the caller is the outermost call. */
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
	parser->location = location;
	parser->recent[parser->location_count++ % RECENT_LOCATIONS] = location;
}

static void read_section(struct parser *parser)
{
	while (!parser->rc && !parser_at(parser, '{')) {
		if (parser->token.kind != TOKEN_DOTTED && parser->token.kind != TOKEN_WORD)
			parser_error(parser, "expected '{' after the name of a section");
		parser_advance(parser);
	}
	if (!parser->rc)
		parser_skip_braces(parser);
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
