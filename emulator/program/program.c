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
		free(function->wide_rows);
		free(function->constants);
		free(function->calls);
		free(function->products);
		free(function->group_products);
		free(function->bulk_copies);
		free(function->shared_variables);
		free(function->parameter_offsets);
	}
	free(program->initial_addresses);
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

static bool operation_fills_rows(uint16_t operation)
{
	return operation == OP_LOAD || operation == OP_TEXTURE || operation == OP_SURFACE_LOAD;
}

static bool operation_reads_rows(uint16_t operation)
{
	return operation == OP_STORE || operation == OP_SURFACE_STORE ||
	       operation == OP_SURFACE_REDUCE;
}

static bool operation_has_coordinates(uint16_t operation)
{
	return operation == OP_TEXTURE || operation == OP_SURFACE_LOAD ||
	       operation == OP_SURFACE_STORE || operation == OP_SURFACE_REDUCE;
}

void instruction_operands(const struct program_function *function, struct instruction *instruction,
			  struct instruction_operands *out)
{
	out->read_count = out->write_count = 0;
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
		if (operation_fills_rows(instruction->operation))
			WRITE(instruction->rows[i]);
		else if (operation_reads_rows(instruction->operation))
			READ(instruction->rows[i]);
	}
	for (int i = 0; instruction->operation == OP_ATOMIC && i < instruction->vector; i++) {
		READ(instruction->rows[i]);
		if (instruction->kind == ATOMIC_CAS)
			READ(instruction->rows[instruction->vector + i]);
		WRITE(instruction->rows[ATOMIC_RESULTS + i]);
	}
	for (int i = TEXTURE_COORDINATES;
	     operation_has_coordinates(instruction->operation) && i < 8; i++)
		READ(instruction->rows[i]);
	if (instruction->operation == OP_CALL)
		READ(function->calls[instruction->target].pointer);
	for (int i = 0; i < 8; i++) {
		if (instruction->operation == OP_MATRIX_LOAD ||
		    (instruction->operation == OP_MATRIX_STORE && i < 4))
			WRITE(instruction->rows[i]);
		else if (instruction->operation == OP_MATRIX_STORE)
			READ(instruction->rows[i]);
	}
	if (instruction->operation == OP_MATRIX_PRODUCT) {
		struct program_product *product = &function->products[instruction->target];

		for (int i = 0; i < 8; i++) {
			READ(product->a[i]);
			READ(product->b[i]);
			READ(product->c[i]);
			WRITE(product->d[i]);
		}
	}
	if (instruction->operation == OP_GROUP_PRODUCT) {
		struct program_group_product *product =
			&function->group_products[instruction->target];

		for (int i = 0; i < product->a_count; i++)
			READ(product->a[i]);
		for (int i = 0; i < product->sum_count; i++) {
			READ(product->sums[i]);
			WRITE(product->results[i]);
		}
	}
	if (instruction->operation == OP_BULK_COPY || instruction->operation == OP_BULK_REDUCE) {
		struct program_bulk_copy *copy = &function->bulk_copies[instruction->target];

		READ(copy->to.row);
		READ(copy->from.row);
		READ(copy->mbarrier.row);
		READ(copy->bytes);
		READ(copy->byte_mask);
		READ(copy->multicast);
		for (int i = 0; i < copy->rank; i++)
			READ(copy->coordinates[i]);
		for (int i = 0; i < 3; i++)
			READ(copy->offsets[i]);
	}
#undef READ
#undef WRITE
}
