/* Freeing a decoded program, and looking things up in it. */
#include "emulator/program/program.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/program/decode.h"

void ptx_program_free(struct ptx_program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < program->function_count; i++) {
		struct program_function *function = &program->functions[i];

		for (size_t j = 0; j < function->table_count; j++)
			free(function->tables[j].targets);
		free(function->tables);
		free(function->code);
		free(function->constants);
		free(function->calls);
		free(function->parameter_offsets);
	}
	free(program->functions);
	free(program);
}

int64_t program_shared_static_bytes(const struct ptx_program *program, const char *entry)
{
	for (size_t i = 0; i < program->function_count; i++) {
		const struct program_function *function = &program->functions[i];

		if (function->code && strcmp(function->source->name, entry) == 0)
			return function->shared_bytes;
	}
	return 0;
}

const struct ptx_statement *instruction_statement(const struct program_function *function,
						  const struct instruction *instruction)
{
	static const struct ptx_statement none = {.base = "", .mnemonic = ""};

	return function->source->statement_count
		       ? &function->source->statements[instruction->statement]
		       : &none;
}

void instruction_operands(const struct program_function *function, struct instruction *instruction,
			  struct instruction_operands *out)
{
	*out = (struct instruction_operands){0};
#define READ(field)                                               \
	do {                                                      \
		if (field)                                        \
			out->reads[out->read_count++] = &(field); \
	} while (0)
#define WRITE(field)                                                \
	do {                                                        \
		if (field)                                          \
			out->writes[out->write_count++] = &(field); \
	} while (0)
	READ(instruction->guard);
	READ(instruction->a);
	READ(instruction->b);
	READ(instruction->c);
	READ(instruction->d);
	WRITE(instruction->dst);
	WRITE(instruction->dst2);
	for (int i = 0; i < instruction->vector; i++) {
		if (instruction->operation == OP_LOAD)
			WRITE(instruction->rows[i]);
		else if (instruction->operation == OP_STORE)
			READ(instruction->rows[i]);
	}
	if (instruction->operation == OP_CALL)
		READ(function->calls[instruction->target].pointer);
#undef READ
#undef WRITE
}
