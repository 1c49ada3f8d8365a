/*
 * lexer: words of a PTX text, one at a time, comments left out. Internal to
 * emulator/language/.
 */
#ifndef EMULATOR_LANGUAGE_LEXER_H
#define EMULATOR_LANGUAGE_LEXER_H

#include "base/base.h"

enum token_kind {
	TOKEN_END,     /* of the text */
	TOKEN_WORD,    /* "ld", "%rd4", "$L__BB0_2" */
	TOKEN_DOTTED,  /* ".global", ".L1::no_allocate" */
	TOKEN_INTEGER, /* bits: 64-bit two's complement */
	TOKEN_F32,     /* bits of 0f3F800000 */
	TOKEN_F64,     /* bits of 0d3FF0000000000000, 1.0, 1e-3 */
	TOKEN_STRING,  /* with its quotes */
	TOKEN_MARK,    /* one character */
};

struct token {
	enum token_kind kind;
	char mark;
	bool adjacent; /* nothing stands between it and the token before */
	const char *text;
	size_t length;
	uint32_t line;
	uint64_t bits;
};

struct lexer {
	const char *at, *end;
	uint32_t line;
};

/* PL_EPARSE: a character, number, string or comment that cannot be. */
int lexer_next(struct lexer *lexer, struct token *out, struct error *err);

#endif
