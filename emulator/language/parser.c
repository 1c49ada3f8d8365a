/* Characters to tokens, and the current token. */
#include "emulator/language/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest decimal number with a point. It is copied, because strtod() needs a terminator. */
#define DECIMAL_BYTES 128
/* Error messages show at most this much of a token. */
#define LEXER_SHOWN_BYTES 40
#define SHOWN_BYTES 60

/* PTX is ASCII, so the locale does not matter. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool begins_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool continues_word(char c)
{
	return c != '%' && (begins_word(c) || is_digit(c));
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static int lexer_error(const struct lexer *lexer, const struct token *at, const char *what,
		       struct error *err)
{
	size_t length = (size_t)(lexer->at - at->text);

	return error_set(err, PL_EPARSE, "line %u: %s: \"%.*s\"", at->line, what,
			 (int)(length < LEXER_SHOWN_BYTES ? length : LEXER_SHOWN_BYTES), at->text);
}

static int skip_blanks_and_comments(struct lexer *lexer, struct error *err)
{
	while (lexer->at < lexer->end) {
		size_t left = (size_t)(lexer->end - lexer->at);
		const char *stop;
		uint32_t line = lexer->line;

		if (*lexer->at == '\n')
			lexer->line++;
		if (memchr(" \t\r\n\f\v", *lexer->at, 6)) {
			lexer->at++;
			continue;
		}
		if (left < 2 || lexer->at[0] != '/' || (lexer->at[1] != '/' && lexer->at[1] != '*'))
			return 0;
		if (lexer->at[1] == '/') {
			stop = memchr(lexer->at, '\n', left);
			lexer->at = stop ? stop : lexer->end;
			continue;
		}
		for (lexer->at += 2;; lexer->at++) {
			if (lexer->end - lexer->at < 2)
				return error_set(err, PL_EPARSE,
						 "line %u: this comment does not end", line);
			if (lexer->at[0] == '*' && lexer->at[1] == '/')
				break;
			lexer->line += *lexer->at == '\n';
		}
		lexer->at += 2;
	}
	return 0;
}

/* Reads 0f or 0d and the hexadecimal digits of the float's bits. */
static int lex_float_bits(struct lexer *lexer, struct token *out, struct error *err)
{
	bool single = out->text[1] == 'f' || out->text[1] == 'F';
	int digits = 0;

	for (lexer->at += 2; lexer->at < lexer->end && digit_value(*lexer->at) < 16; lexer->at++) {
		if (++digits <= 16)
			out->bits = out->bits << 4 | (uint64_t)digit_value(*lexer->at);
	}
	out->kind = single ? TOKEN_F32 : TOKEN_F64;
	if (digits != (single ? 8 : 16))
		return lexer_error(lexer, out,
				   single ? "0f needs 8 hexadecimal digits"
					  : "0d needs 16 hexadecimal digits",
				   err);
	return 0;
}

static int lex_decimal(struct lexer *lexer, struct token *out, struct error *err)
{
	char copy[DECIMAL_BYTES];
	size_t length;
	double value;

	if (lexer->at < lexer->end && *lexer->at == '.') {
		lexer->at++;
		while (lexer->at < lexer->end && is_digit(*lexer->at))
			lexer->at++;
	}
	if (lexer->at < lexer->end && (*lexer->at == 'e' || *lexer->at == 'E')) {
		const char *digits = lexer->at + 1;

		if (digits < lexer->end && (*digits == '+' || *digits == '-'))
			digits++;
		if (digits == lexer->end || !is_digit(*digits))
			return lexer_error(lexer, out, "an exponent without digits", err);
		for (lexer->at = digits; lexer->at < lexer->end && is_digit(*lexer->at);)
			lexer->at++;
	}
	length = (size_t)(lexer->at - out->text);
	if (length >= sizeof(copy))
		return lexer_error(lexer, out, "a number with too many digits", err);
	memcpy(copy, out->text, length);
	copy[length] = '\0';
	value = strtod(copy, NULL);
	memcpy(&out->bits, &value, sizeof(value));
	out->kind = TOKEN_F64;
	return 0;
}

static int lex_number(struct lexer *lexer, struct token *out, struct error *err)
{
	const char *text = lexer->at;
	char second = lexer->end - text > 1 ? text[1] : '\0';
	uint64_t base = 10;
	bool fits = true;
	int digits = 0, value;

	if (*text == '0' && second && strchr("fFdD", second))
		return lex_float_bits(lexer, out, err);
	if (*text == '0' && second && strchr("xX", second))
		base = 16;
	else if (*text == '0' && second && strchr("bB", second))
		base = 2;
	if (base == 10) {
		size_t length = 0;

		while (text + length < lexer->end && is_digit(text[length]))
			length++;
		if (text + length < lexer->end && strchr(".eE", text[length]) && text[length]) {
			lexer->at += length;
			return lex_decimal(lexer, out, err);
		}
		base = *text == '0' ? 8 : 10;
	} else {
		lexer->at += 2;
	}
	for (; lexer->at < lexer->end && (value = digit_value(*lexer->at)) < (int)base;
	     lexer->at++, digits++) {
		fits = fits && out->bits <= (UINT64_MAX - (uint64_t)value) / base;
		out->bits = out->bits * base + (uint64_t)value;
	}
	if (lexer->at < lexer->end && *lexer->at == 'U')
		lexer->at++;
	out->kind = TOKEN_INTEGER;
	if (!fits)
		return lexer_error(lexer, out, "a number with more than 64 bits", err);
	if (!digits || (lexer->at < lexer->end && continues_word(*lexer->at))) {
		lexer->at += lexer->at < lexer->end;
		return lexer_error(lexer, out, "not a number", err);
	}
	return 0;
}

/* Dotted words may contain "::". */
static void lex_dotted_word(struct lexer *lexer)
{
	while (lexer->at < lexer->end) {
		if (continues_word(*lexer->at))
			lexer->at++;
		else if (lexer->end - lexer->at > 2 && lexer->at[0] == ':' && lexer->at[1] == ':' &&
			 continues_word(lexer->at[2]))
			lexer->at += 2;
		else
			break;
	}
}

static int lex_string(struct lexer *lexer, struct token *out, struct error *err)
{
	for (lexer->at++; lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n';) {
		lexer->at += *lexer->at == '\\' ? 2 : 1;
		if (lexer->at > lexer->end)
			lexer->at = lexer->end;
	}
	if (lexer->at == lexer->end || *lexer->at != '"')
		return lexer_error(lexer, out, "a string that does not end", err);
	lexer->at++;
	out->kind = TOKEN_STRING;
	return 0;
}

/* Reads the next token. PL_EPARSE: an invalid character or number, or a string or comment that does
 * not end. */
static int lexer_next(struct lexer *lexer, struct token *out, struct error *err)
{
	const char *before = lexer->at;
	int rc = skip_blanks_and_comments(lexer, err);

	*out = (struct token){.kind = TOKEN_END,
			      .text = lexer->at,
			      .line = lexer->line,
			      .adjacent = lexer->at == before};
	if (rc || lexer->at == lexer->end)
		return rc;
	if (is_digit(*lexer->at)) {
		rc = lex_number(lexer, out, err);
	} else if (begins_word(*lexer->at)) {
		out->kind = TOKEN_WORD;
		for (lexer->at++; lexer->at < lexer->end && continues_word(*lexer->at);)
			lexer->at++;
	} else if (*lexer->at == '.' && lexer->end - lexer->at > 1 &&
		   continues_word(lexer->at[1])) {
		out->kind = TOKEN_DOTTED;
		lexer->at++;
		lex_dotted_word(lexer);
	} else if (*lexer->at == '"') {
		rc = lex_string(lexer, out, err);
	} else {
		out->kind = TOKEN_MARK;
		out->mark = *lexer->at++;
		if (!out->mark || !strchr("{}()[]<>,;:|!@+-=*/~&^.?", out->mark))
			rc = error_set(err, PL_EPARSE, "line %u: invalid character 0x%02x",
				       out->line, (unsigned)(unsigned char)out->mark);
	}
	out->length = (size_t)(lexer->at - out->text);
	return rc;
}

/* ---- the current token ---- */

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

const char *ptx_space_name(enum ptx_space space)
{
	static const char *const names[] = {
		[PTX_SPACE_GENERIC] = "",      [PTX_SPACE_GLOBAL] = "global",
		[PTX_SPACE_SHARED] = "shared", [PTX_SPACE_LOCAL] = "local",
		[PTX_SPACE_CONST] = "const",   [PTX_SPACE_PARAM] = "param",
	};

	return names[space];
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

void parser_skip_nested(struct parser *parser, char opening, char closing, const char *after)
{
	size_t open = 0;

	if (!parser_at(parser, opening))
		parser_error(parser, "expected '%c' after %s", opening, after);
	do {
		open += parser_at(parser, opening);
		open -= parser_at(parser, closing);
		if (parser->token.kind == TOKEN_END)
			parser_error(parser, "expected '%c'", closing);
		parser_advance(parser);
	} while (open && !parser->rc);
}
