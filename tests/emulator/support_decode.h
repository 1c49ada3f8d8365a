/* Shared by the tests of the decoder: they decode PTX text and describe the resulting code. */
#ifndef TESTS_EMULATOR_SUPPORT_DECODE_H
#define TESTS_EMULATOR_SUPPORT_DECODE_H

#include "emulator/program/program.h"

/* cmocka.h needs these headers first. */
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

/* Parses and decodes a module, which must succeed. `name` NULL: every function; the first is
 * returned. */
struct decoded decode_module(const char *text, const char *name);
/*
 * Decodes an entry k(.param .u64 p, .param .u32 n) with the given statements. It declares
 * %p<9>, %h<9> (16 bits), %r<9>, %f<9>, %rd<9>, %fd<9>.
 */
struct decoded decode_body(const char *body);
void decoded_release(struct decoded *decoded);

/* Decodes a body or module that must fail. Returns the error code and sets *err. Unsupported
 * features are written to `unsupported`, if it is not NULL. */
int decode_body_fails(const char *body, struct error *err, struct text *unsupported);
int decode_module_fails(const char *text, const char *name, struct error *err,
			struct text *unsupported);

/*
 * Describes the code as words: "SETP_LT_S32 @BRA |ADD_S32 (PACK) RET". @ means guarded, @! guarded
 * by the negated predicate, | a leader, () auxiliary. The first instruction has no |, since it
 * always is a leader.
 */
const char *code_shape(const struct program_function *function);
/* Returns the only instruction with this operation. */
const struct instruction *only(const struct program_function *function, int operation);
/* Returns the constant of a row. Fails if the row is not a constant. */
const struct program_constant *constant_of(const struct program_function *function, uint32_t row);

#endif
