/*
 * lexer: splits PTX text into tokens and skips blanks and comments. Internal to emulator/language/.
 *
 * Tokens point into the text, which the caller keeps.
 */
#ifndef EMULATOR_LANGUAGE_LEXER_H
#define EMULATOR_LANGUAGE_LEXER_H

#include "base/base.h"

enum token_kind {
	TOKEN_END,     /* the text has ended */
	TOKEN_WORD,    /* "ld", "%rd4", "$L__BB0_2" */
	TOKEN_DOTTED,  /* ".global", ".L1::no_allocate" */
	TOKEN_INTEGER, /* bits: 64-bit two's complement */
	TOKEN_F32,     /* 0f3F800000; bits: its 32 bits */
	TOKEN_F64,     /* 0d3FF0000000000000, 1.0, 1e-3; bits: its 64 bits */
	TOKEN_STRING,  /* text includes the quotes */
	TOKEN_MARK,    /* one character, in `mark` */
};

struct token {
	enum token_kind kind;
	char mark;
	bool adjacent; /* no blank or comment is between it and the token before */
	const char *text;
	size_t length;
	uint32_t line;
	uint64_t bits;
};

struct lexer {
	const char *at, *end;
	uint32_t line;
};

/* Reads the next token. PL_EPARSE: an invalid character or number, or a string or comment that does
 * not end. */
int lexer_next(struct lexer *lexer, struct token *out, struct error *err);

#endif
