#include "support_decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const control_names[] = {
#define X(symbol, meaning) #symbol,
	CONTROL_OPERATION_LIST(X)
#undef X
};

struct decoded decode_module(const char *text, const char *name)
{
	struct decoded out = {0};
	struct error err = {0};
	struct unsupported_features unsupported = {0};

	if (ptx_module_parse(&out.module, text, strlen(text), &err))
		fail_msg("parse: %s", err.text);
	if (ptx_program_decode(&out.program, out.module, name, &unsupported, &err))
		fail_msg("decode: %s", err.text);
	assert_int_equal(unsupported.count, 0);
	for (size_t i = 0; i < out.program->function_count; i++) {
		const struct program_function *function = &out.program->functions[i];

		if (!out.function && function->code &&
		    (!name || strcmp(function->source->name, name) == 0))
			out.function = function;
	}
	assert_non_null(out.function);
	return out;
}

static char *body_text(const char *body)
{
	return xasprintf("%s.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
			 ".reg .pred %%p<9>;\n.reg .b16 %%h<9>;\n.reg .b32 %%r<9>;\n"
			 ".reg .f32 %%f<9>;\n.reg .b64 %%rd<9>;\n.reg .f64 %%fd<9>;\n%s\n}\n",
			 PTX_HEADER, body);
}

struct decoded decode_body(const char *body)
{
	char *text = body_text(body);
	struct decoded out = decode_module(text, "k");

	free(text);
	return out;
}

void decoded_release(struct decoded *decoded)
{
	ptx_program_free(decoded->program);
	ptx_module_free(decoded->module);
}

int decode_module_fails(const char *text, const char *name, struct error *err, struct text *words)
{
	struct ptx_module *module;
	struct ptx_program *program = NULL;
	struct unsupported_features unsupported = {0};
	int rc;

	*err = (struct error){0};
	if (ptx_module_parse(&module, text, strlen(text), err))
		fail_msg("parse: %s", err->text);
	rc = ptx_program_decode(&program, module, name, &unsupported, err);
	assert_int_not_equal(rc, 0);
	assert_null(program);
	assert_int_equal(err->code, rc);
	if (words)
		unsupported_features_text(words, &unsupported);
	unsupported_features_release(&unsupported);
	ptx_module_free(module);
	return rc;
}

int decode_body_fails(const char *body, struct error *err, struct text *words)
{
	char *text = body_text(body);
	int rc = decode_module_fails(text, "k", err, words);

	free(text);
	return rc;
}

const char *code_shape(const struct program_function *function)
{
	static char shape[4096];
	size_t used = 0;

	shape[0] = '\0';
	for (size_t i = 0; i < function->code_count; i++) {
		const struct instruction *at = &function->code[i];
		const struct alu_row *row = alu_row_of((enum operation)at->operation);
		const char *name = row ? row->symbol : control_names[at->operation] + 3;

		assert_true(used < sizeof(shape) - 100);
		used += (size_t)snprintf(shape + used, sizeof(shape) - used, "%s%s%s%s%s%s",
					 i ? " " : "", i && at->leader ? "|" : "",
					 !at->guard          ? ""
					 : at->guard_negated ? "@!"
							     : "@",
					 at->auxiliary ? "(" : "", name, at->auxiliary ? ")" : "");
	}
	return shape;
}

const struct instruction *only(const struct program_function *function, int operation)
{
	const struct instruction *found = NULL;

	for (size_t i = 0; i < function->code_count; i++) {
		if (function->code[i].operation != operation)
			continue;
		assert_null(found);
		found = &function->code[i];
	}
	assert_non_null(found);
	return found;
}

const struct program_constant *constant_of(const struct program_function *function, uint32_t row)
{
	for (size_t i = 0; i < function->constant_count; i++) {
		if (function->constants[i].row == row)
			return &function->constants[i];
	}
	fail_msg("row %u is no constant", row);
	return NULL;
}
