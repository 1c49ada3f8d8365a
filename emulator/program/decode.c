/* Decodes all functions that an entry reaches, statement by statement. */
#include "emulator/program/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most local memory of a thread on any device. */
#define MAX_LOCAL_BYTES (512 * 1024)
#define MAX_PARAMETER_BYTES (64 * 1024)

/* In this order: some forms of one file are for others of a later one. */
static const struct statement_form *const all_forms[] = {
	alu_forms,     compare_forms, cluster_forms, memory_forms, cache_forms,
	tensor_forms,  copy_forms,    control_forms, call_forms,   warp_forms,
	texture_forms, video_forms,   matrix_forms,  wmma_forms,   wgmma_forms,
};

static bool form_is_of(const struct statement_form *form, const struct ptx_statement *at)
{
	const size_t length = strlen(form->name);

	if (!length || form->name[length - 1] == '.')
		return strncmp(form->name, at->mnemonic, length) == 0;
	return strcmp(form->name, at->base) == 0 || strcmp(form->name, at->mnemonic) == 0;
}

static void decode_opcode(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	enum operation operation;

	for (size_t i = 0; i < ARRAY_SIZE(all_forms); i++) {
		for (decoding->form = all_forms[i]; decoding->form->name; decoding->form++)
			if (form_is_of(decoding->form, at) && !decoding->form->decode(decoding))
				return;
	}
	operation = alu_find(at->mnemonic);
	if (operation == OPERATION_COUNT)
		decode_unsupported(decoding, "opcode", at->mnemonic);
	else
		decode_alu(decoding, operation);
}

/* The first of these operands, or of their elements, that is a register of 128 bits, or NULL. */
static const struct ptx_operand *find_whole(const struct ptx_operand *operands, size_t count)
{
	const struct ptx_operand *found = NULL;

	for (size_t i = 0; i < count && !found; i++)
		found = operands[i].whole
				? &operands[i]
				: find_whole(operands[i].elements, operands[i].element_count);
	return found;
}

/* Loads, stores and conversions may have registers that are wider than the type, but no such
 * register is a vector or an address. */
static bool may_be_wider(const struct ptx_statement *at)
{
	static const char *const bases[] = {"ld", "ldu", "st", "cvt"};
	const bool vector = statement_has_modifier(at, "v2") || statement_has_modifier(at, "v4") ||
			    statement_has_modifier(at, "v8");

	for (size_t i = 0; i < at->operand_count; i++)
		if ((vector && at->operands[i].whole) ||
		    (at->operands[i].kind == PTX_OPERAND_ADDRESS &&
		     find_whole(&at->operands[i], 1)))
			return false;
	return WORD_INDEX(bases, at->base) < ARRAY_SIZE(bases);
}

static void decode_statement(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_operand *whole = NULL;

	/* The decoder of a call compares the bytes of what it passes, as ptxas does. */
	if (strcmp(at->base, "call") != 0 && !statement_has_modifier(at, "b128"))
		whole = find_whole(at->operands, at->operand_count);
	if (whole && may_be_wider(at))
		decode_unsupported(decoding, "", "a register of 128 bits for a smaller type");
	else
		decode_opcode(decoding);
	/* Other decoders take the halves for a vector of two. */
	if (whole)
		decode_invalid(decoding, "%s has 128 bits, but no operand of this instruction has",
			       decoding->source->registers[whole->elements[0].index].name);
}

/* ---- the frame ---- */

/* Reserves `bytes` at *end. Returns false if they exceed the limit. */
static bool reserve_bytes(int64_t *end, int64_t bytes, int64_t align, int64_t most, int64_t *offset)
{
	if (bytes < 0 || bytes > most || align > most)
		return false;
	if (align > 1)
		*end = (*end + align - 1) / align * align;
	*offset = *end;
	*end += bytes;
	return *end <= most;
}

/* A size is over the limit of every device. */
static void decode_size_unsupported(struct function_decoding *decoding, const char *what,
				    int64_t most)
{
	char words[80];

	snprintf(words, sizeof(words), "%s over %lld bytes", what, (long long)most);
	decode_unsupported(decoding, "size of", words);
}

static void lay_out_parameters(struct function_decoding *decoding, int64_t *frame_end)
{
	const struct ptx_function *source = decoding->source;
	struct program_function *out = decoding->out;
	int64_t block_end = 0, offset = 0;
	bool fits = true;

	for (size_t i = 0; i < source->parameter_count; i++) {
		const struct ptx_variable *parameter = &source->parameters[i];

		if (source->entry) {
			fits = reserve_bytes(&block_end, parameter->bytes, parameter->align,
					     MAX_PARAMETER_BYTES, &offset);
		} else {
			fits = reserve_bytes(frame_end, parameter->bytes, PARAMETER_SLOT_BYTES,
					     MAX_LOCAL_BYTES, &offset);
		}
		if (!fits)
			break;
		out->parameter_offsets[i] = (uint32_t)offset;
	}
	*frame_end = (*frame_end + PARAMETER_SLOT_BYTES - 1) & -(int64_t)PARAMETER_SLOT_BYTES;
	for (size_t i = 0; fits && source->entry && i < source->parameter_count; i++) {
		decoding->parameter_copy_offsets[i] = -1;
		if (decoding->reach->address_taken[i])
			fits = reserve_bytes(frame_end, source->parameters[i].bytes,
					     source->parameters[i].align, MAX_LOCAL_BYTES,
					     &decoding->parameter_copy_offsets[i]);
	}
	out->parameter_bytes = block_end;
	if (!fits)
		decode_size_unsupported(decoding, "parameters", MAX_PARAMETER_BYTES);
}

static void lay_out_frame(struct function_decoding *decoding)
{
	const struct ptx_function *source = decoding->source;
	struct program_function *out = decoding->out;
	int64_t end = 0;

	lay_out_parameters(decoding, &end);
	for (size_t i = 0; i < source->variable_count; i++) {
		const struct ptx_variable *variable = &source->variables[i];

		if (variable->space != PTX_SPACE_LOCAL && variable->space != PTX_SPACE_PARAM)
			continue;
		if (!reserve_bytes(&end, variable->bytes, variable->align, MAX_LOCAL_BYTES,
				   &decoding->variable_offsets[i])) {
			decode_size_unsupported(decoding, "a thread's local memory",
						MAX_LOCAL_BYTES);
			break;
		}
	}
	out->local_bytes = (end + 15) & ~INT64_C(15);
	out->shared_bytes = decoding->reach->shared_bytes;
	if (out->shared_bytes > MAX_SHARED_BYTES)
		decode_size_unsupported(decoding, "a block's shared memory", MAX_SHARED_BYTES);
}

/* Reports directives other than those that do not affect the results. An unknown directive may
 * change what the code means. */
static void check_directives(struct function_decoding *decoding)
{
	static const char *const harmless[] = {
		".maxntid",  ".reqntid", ".minnctapersm", ".maxnctapersm", ".maxnreg",
		".noreturn", ".pragma",  ".section",      ".abi_preserve", ".abi_preserve_control",
	};
	const struct ptx_function *source = decoding->source;

	for (size_t i = 0; i < source->directive_count; i++) {
		if (WORD_INDEX(harmless, source->directives[i].name) == ARRAY_SIZE(harmless))
			decode_unsupported_at(decoding, "directive", source->directives[i].name,
					      source->directives[i].line);
	}
}

/* ---- code ---- */

static void decode_statements(struct function_decoding *decoding)
{
	const struct ptx_function *source = decoding->source;
	struct program_function *out = decoding->out;

	for (size_t i = 0; i < source->statement_count && !decoding->rc; i++) {
		decoding->at = &source->statements[i];
		decoding->statement = (uint32_t)i;
		decoding->first[i] = (uint32_t)out->code_count;
		decoding->unsupported = false;
		decoding->extension_count = 0;
		decode_statement(decoding);
		if (decoding->unsupported)
			out->code_count = decoding->first[i];
	}
	decoding->at = NULL;
	decoding->first[source->statement_count] = (uint32_t)out->code_count;
}

static bool operation_ends(const struct instruction *instruction)
{
	return !instruction->guard &&
	       (instruction->operation == OP_BRA || instruction->operation == OP_BRX ||
		instruction->operation == OP_RET || instruction->operation == OP_EXIT);
}

/* Appends a return if control can reach the end of the code, by running past it or through a
 * label. */
static void append_final_return(struct function_decoding *decoding)
{
	const struct ptx_function *source = decoding->source;
	struct program_function *out = decoding->out;
	bool needed = out->code_count == 0 || !operation_ends(&out->code[out->code_count - 1]);

	for (size_t i = 0; i < source->label_count && !needed; i++)
		needed = decoding->first[source->labels[i].statement] == out->code_count;
	if (!needed)
		return;
	store_register_results(decoding);
	emit_auxiliary(decoding, OP_RET);
}

static bool begins_block_after(uint16_t operation)
{
	switch (operation) {
	case OP_BRA:
	case OP_BRX:
	case OP_CALL:
	case OP_RET:
	case OP_EXIT:
	case OP_TRAP:
	case OP_BARRIER:
	case OP_BARRIER_REDUCE:
	case OP_BARRIER_ARRIVE:
	case OP_CLUSTER_ARRIVE:
	case OP_CLUSTER_WAIT:
	case OP_WARP_BARRIER:
	case OP_ASSERT_FAIL:
		return true;
	default:
		return false;
	}
}

/* Replaces branch targets, which are statements so far, by instructions. */
static void resolve_targets(struct function_decoding *decoding)
{
	struct program_function *out = decoding->out;

	out->code[0].leader = true;
	for (size_t i = 0; i < out->table_count; i++) {
		for (size_t j = 0; j < out->tables[i].count; j++) {
			uint32_t *target = &out->tables[i].targets[j];

			*target = decoding->first[*target];
			out->code[*target].leader = true;
		}
	}
	for (size_t i = 0; i < out->code_count; i++) {
		struct instruction *instruction = &out->code[i];

		if (instruction->operation == OP_BRA) {
			instruction->target = decoding->first[instruction->target];
			out->code[instruction->target].leader = true;
		}
		if (i + 1 < out->code_count && begins_block_after(instruction->operation))
			out->code[i + 1].leader = true;
	}
}

static void collect_names(struct function_decoding *decoding)
{
	const struct ptx_function *source = decoding->source;

	for (size_t i = 0; i < source->label_count; i++)
		name_add(&decoding->labels, source->labels[i].name, source->labels[i].statement);
	for (size_t i = 0; i < source->variable_count; i++)
		name_add(&decoding->variables, source->variables[i].name, (uint32_t)i);
	for (size_t i = 0; i < source->parameter_count; i++)
		name_add(&decoding->parameters, source->parameters[i].name, (uint32_t)i);
	for (size_t i = 0; i < source->target_count; i++)
		name_add(&decoding->tables, source->targets[i].name, (uint32_t)i);
	new_temporary(decoding, 0); /* value 0: none */
	for (size_t i = 0; i < source->register_count; i++) {
		new_temporary(decoding, source->registers[i].width_bits);
	}
}

static int decode_function(struct program_decoding *all, uint32_t index)
{
	const struct ptx_function *source = &all->module->functions[index];
	struct function_decoding decoding = {
		.all = all,
		.source = source,
		.reach = &all->reach[index],
		.out = &all->program->functions[index],
		.index = index,
		.variable_offsets = xcalloc(source->variable_count + 1, sizeof(int64_t)),
		.parameter_copy_offsets = xcalloc(source->parameter_count + 1, sizeof(int64_t)),
		.first = xcalloc(source->statement_count + 1, sizeof(uint32_t)),
	};

	decoding.out->parameter_offsets = xcalloc(source->parameter_count + 1, sizeof(uint32_t));
	collect_names(&decoding);
	check_directives(&decoding);
	check_initial_addresses(&decoding);
	lay_out_frame(&decoding);
	if (!decoding.any_unsupported)
		decode_parameter_copies(&decoding);
	if (!decoding.any_unsupported)
		load_register_parameters(&decoding);
	decode_statements(&decoding);
	if (!decoding.rc && !decoding.any_unsupported) {
		append_final_return(&decoding);
		resolve_targets(&decoding);
		find_dependence(&decoding);
		mark_fragment_writes(&decoding);
		mark_guessed_loads(&decoding);
		mark_shared_variables(&decoding);
		allocate_rows(&decoding);
	}
	free(decoding.variable_offsets);
	free(decoding.parameter_copy_offsets);
	free(decoding.first);
	free(decoding.widths);
	free(decoding.constant_slots);
	name_index_release(&decoding.labels);
	name_index_release(&decoding.variables);
	name_index_release(&decoding.parameters);
	name_index_release(&decoding.tables);
	return error_context(all->err, decoding.rc, "%s", source->name);
}

/* ---- the module ---- */

static int find_root(const struct program_decoding *all, const char *name, uint32_t *root)
{
	struct text entries = TEXT_INIT;
	int rc;

	*root = UINT32_MAX;
	if (!name)
		return 0;
	if (name_find(&all->functions, name, root) && all->module->functions[*root].defined)
		return 0;
	for (size_t i = 0; i < all->module->function_count; i++) {
		const struct ptx_function *function = &all->module->functions[i];

		if (function->entry && function->defined)
			text_addf(&entries, "%s%s", entries.length ? ", " : "", function->name);
	}
	rc = error_set(all->err, PL_ENOENT, "no entry %s; the module has %s", name,
		       entries.length ? entries.data : "none");
	text_release(&entries);
	return rc;
}

/* A definition takes precedence over declarations of the same name. */
static void collect_module_names(struct program_decoding *all)
{
	const struct ptx_module *module = all->module;

	for (int defined = 1; defined >= 0; defined--) {
		for (size_t i = 0; i < module->function_count; i++) {
			if (module->functions[i].defined == (defined == 1))
				name_add(&all->functions, module->functions[i].name, (uint32_t)i);
		}
		for (size_t i = 0; i < module->variable_count; i++) {
			if (module->variables[i].external == (defined == 0))
				name_add(&all->variables, module->variables[i].name, (uint32_t)i);
		}
	}
}

static int decode_reached(struct program_decoding *all, uint32_t root)
{
	struct text words = TEXT_INIT;
	int rc = 0;

	find_reachable(all, root);
	for (size_t i = 0; i < all->module->function_count && !rc; i++) {
		if (all->reach[i].reached && all->module->functions[i].defined)
			rc = decode_function(all, (uint32_t)i);
	}
	if (!rc && all->unsupported->count) {
		unsupported_features_text(&words, all->unsupported);
		rc = error_set(all->err, PL_EUNSUPPORTED, "the emulator does not support %s",
			       words.data);
		text_release(&words);
	}
	return rc;
}

int ptx_program_decode(struct ptx_program **out, const struct ptx_module *module, const char *name,
		       struct unsupported_features *unsupported, struct error *err)
{
	struct program_decoding all = {.module = module, .unsupported = unsupported, .err = err};
	uint32_t root;
	int rc;

	collect_module_names(&all);
	all.reach = xcalloc(module->function_count + 1, sizeof(*all.reach));
	all.program = xcalloc(1, sizeof(*all.program));
	all.program->module = module;
	all.program->functions =
		xcalloc(module->function_count + 1, sizeof(*all.program->functions));
	all.program->function_count = module->function_count;
	for (size_t i = 0; i < module->function_count; i++)
		all.program->functions[i].source = &module->functions[i];
	rc = find_root(&all, name, &root);
	if (!rc)
		rc = decode_reached(&all, root);
	if (!rc)
		resolve_initial_addresses(&all);
	reachable_release(&all);
	name_index_release(&all.variables);
	name_index_release(&all.functions);
	if (rc) {
		ptx_program_free(all.program);
		return rc;
	}
	*out = all.program;
	return 0;
}
