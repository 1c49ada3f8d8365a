/* Tokens, errors and memory of the parser. */
#include "emulator/language/parser.h"

#include <stdio.h>
#include <string.h>

/* An error message shows at most this much of a token. */
#define SHOWN_BYTES 60

void parser_unsupported(struct parser *parser, const char *what)
{
	if (parser->rc)
		return;
	parser->rc =
		error_set(parser->err, PL_EUNSUPPORTED, "line %u: the emulator does not support %s",
			  parser->token.line, what);
	parser->token.kind = TOKEN_END;
}

void parser_error(struct parser *parser, const char *format, ...)
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
		text_add(&what, ", at the end of the text");
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

bool parser_at(const struct parser *parser, char mark)
{
	return parser->token.kind == TOKEN_MARK && parser->token.mark == mark;
}

bool parser_at_word(const struct parser *parser, const char *word)
{
	return (parser->token.kind == TOKEN_WORD || parser->token.kind == TOKEN_DOTTED) &&
	       strlen(word) == parser->token.length &&
	       memcmp(parser->token.text, word, parser->token.length) == 0;
}

bool parser_at_space(const struct parser *parser, enum ptx_space *out)
{
	const struct token *token = &parser->token;

	for (enum ptx_space space = PTX_SPACE_GLOBAL; space <= PTX_SPACE_PARAM; space++) {
		const char *name = ptx_space_name(space);

		if (token->kind == TOKEN_DOTTED && token->length == strlen(name) + 1 &&
		    memcmp(token->text + 1, name, token->length - 1) == 0) {
			*out = space;
			return true;
		}
	}
	return false;
}

bool parser_accept(struct parser *parser, char mark)
{
	if (!parser_at(parser, mark))
		return false;
	parser_advance(parser);
	return true;
}

bool parser_accept_word(struct parser *parser, const char *word)
{
	if (!parser_at_word(parser, word))
		return false;
	parser_advance(parser);
	return true;
}

void parser_expect(struct parser *parser, char mark, const char *after)
{
	if (!parser_accept(parser, mark))
		parser_error(parser, "expected '%c' after %s", mark, after);
}

struct name *parser_expect_name(struct parser *parser, const char *what)
{
	struct name *name;

	if (parser->token.kind != TOKEN_WORD) {
		parser_error(parser, "expected %s", what);
		return NULL;
	}
	name = parser_intern(parser, parser->token.text, parser->token.length);
	parser_advance(parser);
	return parser->rc ? NULL : name;
}

int64_t parser_expect_number(struct parser *parser, const char *what, int64_t most)
{
	int64_t number = 0;

	if (parser->token.kind != TOKEN_INTEGER) {
		parser_error(parser, "expected a number for %s", what);
	} else if (parser->token.bits > (uint64_t)most) {
		parser_error(parser, "%s is greater than %lld", what, (long long)most);
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
		open += parser_at(parser, '{');
		open -= parser_at(parser, '}');
		if (parser->token.kind == TOKEN_END)
			parser_error(parser, "expected '}'");
		parser_advance(parser);
	} while (open && !parser->rc);
}

void parser_skip_parentheses(struct parser *parser)
{
	parser_expect(parser, '(', "the directive");
	for (size_t open = 1; open && !parser->rc; parser_advance(parser)) {
		open += parser_at(parser, '(');
		open -= parser_at(parser, ')');
		if (parser->token.kind == TOKEN_END)
			parser_error(parser, "expected ')'");
	}
}

void *parser_allocate(struct parser *parser, size_t count, size_t size)
{
	void *memory = NULL;

	if (!parser->rc)
		parser->rc = arena_allocate(parser->arena, &memory, count, size, parser->err);
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
	/* `array` points to a pointer of some element type, which may not be read as a void *. */
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
		parser->rc = arena_intern(parser->arena, &name, text, length, parser->err);
	if (parser->rc)
		parser->token.kind = TOKEN_END;
	return name;
}
