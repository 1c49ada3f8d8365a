/* What the decoder's tests share: PTX texts in, the shape of the decoded code out. */
#ifndef TESTS_EMULATOR_SUPPORT_DECODE_H
#define TESTS_EMULATOR_SUPPORT_DECODE_H

#include "emulator/program/program.h"

/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define PTX_HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"

struct decoded {
	struct ptx_module *module;
	struct ptx_program *program;
	const struct program_function *function; /* the entry that was asked for */
};

/* Parses and decodes a module, which must succeed; `name` NULL: every function, and its first. */
struct decoded decode_module(const char *text, const char *name);
/*
 * The same of one entry k(.param .u64 p, .param .u32 n) with the given statements. Declared are
 * %p<9>, %h<9> (16 bits), %r<9>, %f<9>, %rd<9>, %fd<9>.
 */
struct decoded decode_body(const char *body);
void decoded_release(struct decoded *decoded);

/* Decoding `body` fails; the code, and *err. Gaps' text goes to `gaps`, when it is not NULL. */
int decode_body_fails(const char *body, struct error *err, struct text *gaps);
int decode_module_fails(const char *text, const char *name, struct error *err, struct text *gaps);

/*
 * The code as words: "SETP_LT_S32 @BRA |ADD_S32 (PACK) RET": @ guarded, @! negated, | a leader, ()
 * auxiliary. The first instruction, which always is a leader, has no |.
 */
const char *code_shape(const struct program_function *function);
/* The only instruction of the operation. */
const struct instruction *only(const struct program_function *function, int operation);
/* The constant of a row; fails when it is no constant. */
const struct program_constant *constant_of(const struct program_function *function, uint32_t row);

#endif
