/* Freeing a decoded program, looking things up in it, and the list of features that the emulator
 * cannot run: each once per function, with its number of uses. */
#include "base/mangled.h"
#include "emulator/program/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void instruction_operands(const struct program_function *function, struct instruction *instruction,
			  struct instruction_operands *out)
{
	const uint16_t operation = instruction->operation;

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
		if (operation == OP_LOAD || operation == OP_TEXTURE || operation == OP_SURFACE_LOAD)
			WRITE(instruction->rows[i]);
		else if (operation == OP_STORE || operation == OP_SURFACE_STORE ||
			 operation == OP_SURFACE_REDUCE)
			READ(instruction->rows[i]);
	}
	for (int i = 0; operation == OP_ATOMIC && i < instruction->vector; i++) {
		READ(instruction->rows[i]);
		if (instruction->kind == ATOMIC_CAS)
			READ(instruction->rows[instruction->vector + i]);
		WRITE(instruction->rows[ATOMIC_RESULTS + i]);
	}
	if (operation == OP_TEXTURE || operation == OP_SURFACE_LOAD ||
	    operation == OP_SURFACE_STORE || operation == OP_SURFACE_REDUCE)
		for (int i = TEXTURE_COORDINATES; i < 8; i++)
			READ(instruction->rows[i]);
	if (operation == OP_CALL)
		READ(function->calls[instruction->target].pointer);
	for (int i = 0; i < 8; i++) {
		if (operation == OP_MATRIX_LOAD || (operation == OP_MATRIX_STORE && i < 4))
			WRITE(instruction->rows[i]);
		else if (operation == OP_MATRIX_STORE)
			READ(instruction->rows[i]);
	}
	if (operation == OP_MATRIX_PRODUCT) {
		struct program_product *product = &function->products[instruction->target];

		for (int i = 0; i < 8; i++) {
			READ(product->a[i]);
			READ(product->b[i]);
			READ(product->c[i]);
			WRITE(product->d[i]);
		}
	}
	if (operation == OP_GROUP_PRODUCT) {
		struct program_group_product *product =
			&function->group_products[instruction->target];

		for (int i = 0; i < product->a_count; i++)
			READ(product->a[i]);
		for (int i = 0; i < product->sum_count; i++) {
			READ(product->sums[i]);
			WRITE(product->results[i]);
		}
	}
	if (operation == OP_BULK_COPY || operation == OP_BULK_REDUCE) {
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

/* ---- what is not supported ---- */

#define FEATURE_NAME_BYTES 160
#define MAX_FEATURES 200 /* different features that are listed */

void unsupported_features_release(struct unsupported_features *unsupported)
{
	for (size_t i = 0; i < unsupported->count; i++) {
		free(unsupported->items[i].name);
		free(unsupported->items[i].place);
	}
	free(unsupported->items);
	*unsupported = (struct unsupported_features){0};
}

void unsupported_features_text(struct text *out, const struct unsupported_features *unsupported)
{
	for (size_t i = 0; i < unsupported->count; i++) {
		const struct unsupported_feature *feature = &unsupported->items[i];

		text_addf(out, "%s%s%s%s", i ? ", " : "", feature->what, *feature->what ? " " : "",
			  feature->name);
		if (feature->count > 1)
			text_addf(out, " (%s, %u times)", feature->place, feature->count);
		else
			text_addf(out, " (%s)", feature->place);
	}
}

bool unsupported_features_are_undefined(const struct unsupported_features *unsupported)
{
	for (size_t i = 0; i < unsupported->count; i++) {
		if (strncmp(unsupported->items[i].what, UNDEFINED, strlen(UNDEFINED)) != 0)
			return false;
	}
	return unsupported->count > 0;
}

/* Returns the new row of a feature, which has no place yet. NULL: its row was there. */
static struct unsupported_feature *feature_add(struct function_decoding *decoding, const char *what,
					       const char *name)
{
	struct unsupported_features *unsupported = decoding->all->unsupported;
	const char *function = decoding->source->name;
	struct unsupported_feature *feature;
	char shown[FEATURE_NAME_BYTES + 4];

	decoding->unsupported = decoding->any_unsupported = true;
	if (unsupported->count >= MAX_FEATURES) {
		what = "and";
		name = "more";
	}
	snprintf(shown, sizeof(shown), "%.*s%s", FEATURE_NAME_BYTES, name,
		 strlen(name) > FEATURE_NAME_BYTES ? "…" : "");
	for (size_t i = 0; i < unsupported->count; i++) {
		feature = &unsupported->items[i];
		if (feature->function == function && strcmp(feature->what, what) == 0 &&
		    strcmp(feature->name, shown) == 0) {
			feature->count++;
			return NULL;
		}
	}
	unsupported->items = xgrow(unsupported->items, &unsupported->capacity,
				   unsupported->count + 1, sizeof(*unsupported->items));
	feature = &unsupported->items[unsupported->count++];
	*feature = (struct unsupported_feature){
		.function = function,
		.what = what,
		.name = xstrdup(shown),
		.count = 1,
	};
	return feature;
}

uint32_t decode_unsupported(struct function_decoding *decoding, const char *what, const char *name)
{
	struct unsupported_feature *feature;
	struct text place = TEXT_INIT;

	if (!decoding->at)
		return decode_unsupported_at(decoding, what, name, decoding->source->line);
	feature = feature_add(decoding, what, name);
	if (!feature)
		return 0;
	source_place_text(&place, decoding->all->program->module, decoding->at);
	feature->place = text_detach(&place);
	return 0;
}

uint32_t decode_undefined(struct function_decoding *decoding, const char *kind, const char *name)
{
	struct text readable = TEXT_INIT, shown = TEXT_INIT;

	mangled_readable(&readable, name);
	readable_shorten(&shown, readable.data, 60);
	decode_unsupported(decoding, kind, shown.data);
	text_release(&shown);
	text_release(&readable);
	return 0;
}

uint32_t decode_unsupported_at(struct function_decoding *decoding, const char *what,
			       const char *name, uint32_t line)
{
	struct unsupported_feature *feature = feature_add(decoding, what, name);

	if (feature)
		feature->place = xasprintf("line %u of the PTX", line);
	return 0;
}

uint32_t decode_invalid(struct function_decoding *decoding, const char *format, ...)
{
	char words[256];
	va_list args;

	if (decoding->rc || decoding->unsupported)
		return 0;
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	decoding->rc =
		error_set(decoding->all->err, PL_EPARSE, "line %u, %.80s: %s",
			  decoding->at ? decoding->at->line : decoding->source->line,
			  decoding->at ? decoding->at->mnemonic : decoding->source->name, words);
	return 0;
}
