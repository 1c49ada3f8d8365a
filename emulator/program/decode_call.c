/*
 * Calls. Arguments and results are .param variables of the caller, which are in the local memory of
 * its frame, or registers (decode_register_parameters.c). The callee finds them at the beginning of
 * its own frame. The machine implements vprintf, __assertfail, malloc and free.
 */
#include "emulator/program/decode.h"

#include <stdio.h>
#include <string.h>

/* The operands of a call. */
struct call_parts {
	const struct ptx_operand *results, *arguments; /* lists; NULL: none */
	const struct ptx_operand *target;
};

static bool split_call_operands(const struct ptx_statement *at, struct call_parts *out)
{
	size_t i = 0;

	*out = (struct call_parts){0};
	if (i < at->operand_count && at->operands[i].kind == PTX_OPERAND_LIST)
		out->results = &at->operands[i++];
	if (i == at->operand_count || (at->operands[i].kind != PTX_OPERAND_SYMBOL &&
				       at->operands[i].kind != PTX_OPERAND_REGISTER))
		return false;
	out->target = &at->operands[i++];
	if (i < at->operand_count && at->operands[i].kind == PTX_OPERAND_LIST)
		out->arguments = &at->operands[i++];
	/* The prototype of an indirect call adds nothing to what the arguments say. */
	return i + 1 >= at->operand_count;
}

/* Finds the n-th variable of a list in the frame. */
static bool find_list_variable(struct function_decoding *decoding, const struct ptx_operand *list,
			       size_t n, int64_t *offset, int64_t *bytes)
{
	const struct ptx_operand *operand = &list->elements[n];

	if (operand->kind == PTX_OPERAND_SYMBOL &&
	    find_frame_variable(decoding, operand->name, offset, bytes) && *bytes > 0)
		return true;
	decode_unsupported(decoding, "", "an argument other than a .param variable");
	return false;
}

static uint32_t emit_argument_load(struct function_decoding *decoding,
				   const struct ptx_operand *list, size_t n, int width)
{
	int64_t offset, bytes;
	uint32_t value = new_temporary(decoding, width * 8);
	uint32_t base;
	struct instruction *load;

	if (!list || n >= list->element_count ||
	    !find_list_variable(decoding, list, n, &offset, &bytes) || bytes < width) {
		decode_invalid(decoding, "argument %zu is missing or too small", n + 1);
		return 0;
	}
	base = value_constant(decoding, (struct program_constant){.kind = CONSTANT_LOCAL,
								  .bytes = 4,
								  .bits = (uint64_t)offset});
	load = emit_auxiliary(decoding, OP_LOAD);
	load->space = PTX_SPACE_PARAM;
	load->a = base;
	load->narrow_address = true;
	load->width = (uint8_t)width;
	load->vector = 1;
	load->rows[0] = value;
	return value;
}

/* Stores the result of a function of the machine, unless the call has no result. */
static void emit_result_store(struct function_decoding *decoding, const struct ptx_operand *list,
			      uint32_t result, int width)
{
	struct instruction *store;
	int64_t offset, bytes;
	uint32_t base;

	if (!list || list->element_count != 1 ||
	    !find_list_variable(decoding, list, 0, &offset, &bytes))
		return;
	if (bytes < width) {
		decode_invalid(decoding, "the result must have %d bytes", width);
		return;
	}
	base = value_constant(decoding, (struct program_constant){.kind = CONSTANT_LOCAL,
								  .bytes = 4,
								  .bits = (uint64_t)offset});
	store = emit_instruction(decoding, OP_STORE);
	store->auxiliary = true;
	store->space = PTX_SPACE_PARAM;
	store->a = base;
	store->narrow_address = true;
	store->width = (uint8_t)width;
	store->vector = 1;
	store->rows[0] = result;
}

static void decode_print(struct function_decoding *decoding, const struct call_parts *parts)
{
	uint32_t format = emit_argument_load(decoding, parts->arguments, 0, 8);
	uint32_t arguments = emit_argument_load(decoding, parts->arguments, 1, 8);
	uint32_t result = new_temporary(decoding, 32);
	struct instruction *instruction = emit_instruction(decoding, OP_PRINT);

	instruction->dst = result;
	instruction->a = format;
	instruction->b = arguments;
	emit_result_store(decoding, parts->results, result, 4);
}

static void decode_assertion(struct function_decoding *decoding, const struct call_parts *parts)
{
	uint32_t message = emit_argument_load(decoding, parts->arguments, 0, 8);
	uint32_t file = emit_argument_load(decoding, parts->arguments, 1, 8);
	uint32_t line = emit_argument_load(decoding, parts->arguments, 2, 4);
	uint32_t function = emit_argument_load(decoding, parts->arguments, 3, 8);
	struct instruction *instruction = emit_instruction(decoding, OP_ASSERT_FAIL);

	instruction->a = message;
	instruction->b = file;
	instruction->c = line;
	instruction->d = function;
}

/* malloc and free of device code. Their parameters are 64 bits wide, as size_t and pointers. */
static void decode_heap(struct function_decoding *decoding, const struct call_parts *parts,
			enum operation operation)
{
	uint32_t argument = emit_argument_load(decoding, parts->arguments, 0, 8);
	uint32_t result = operation == OP_MALLOC ? new_temporary(decoding, 64) : 0;
	struct instruction *instruction = emit_instruction(decoding, operation);

	instruction->dst = result;
	instruction->a = argument;
	if (operation == OP_MALLOC)
		emit_result_store(decoding, parts->results, result, 8);
}

/* What an undefined function of the driver needs, as a reader knows it. */
static void refuse_function(struct function_decoding *decoding, const char *name)
{
	static const struct {
		const char *begins, *feature;
	} features[] = {
		{"__cudaCDP2", "dynamic parallelism"},
		{"cudaLaunchDevice", "dynamic parallelism"},
		{"cudaGetParameterBuffer", "dynamic parallelism"},
		{"cudaGraphLaunch", "graph launches of device code"},
		{"cudaGraphSetConditional", "conditional nodes of graphs"},
	};
	char words[160];

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		if (strncmp(name, features[i].begins, strlen(features[i].begins)) != 0)
			continue;
		snprintf(words, sizeof(words), "%s of %s", name, features[i].feature);
		decode_unsupported(decoding, "function", words);
		return;
	}
	decode_undefined(decoding, UNDEFINED "function", name);
}

/* The n-th result or parameter of a function; NULL: it has none, or the function is unknown. */
static const struct ptx_variable *formal_of(const struct ptx_function *callee, size_t n)
{
	return callee && n < callee->parameter_count ? &callee->parameters[n] : NULL;
}

/* Finds the place of the n-th element of a list in the frame, for a formal parameter. */
static bool find_argument(struct function_decoding *decoding, const struct ptx_operand *list,
			  size_t n, const struct ptx_variable *formal, size_t slot, int64_t *offset,
			  int64_t *bytes)
{
	if (!find_register_argument(decoding, formal, slot, offset))
		return find_list_variable(decoding, list, n, offset, bytes);
	*bytes = formal->bytes;
	return true;
}

static void refuse_arguments(struct function_decoding *decoding, const struct ptx_function *callee)
{
	decode_invalid(decoding, "the arguments do not match those of %.60s", callee->name);
}

/* Whether a direct call has as many results and arguments as the callee. */
static bool counts_match(const struct call_parts *parts, const struct ptx_function *callee)
{
	size_t results = parts->results ? parts->results->element_count : 0;
	size_t arguments = parts->arguments ? parts->arguments->element_count : 0;

	return results == callee->result_count && results + arguments == callee->parameter_count;
}

/* Sets where each argument and result is in the caller's frame, and its slot in the callee's. */
static void read_call_arguments(struct function_decoding *decoding, const struct call_parts *parts,
				const struct ptx_function *callee, struct program_call *call)
{
	int64_t slot = 0, offset, bytes;

	for (size_t i = 0; parts->results && i < parts->results->element_count; i++) {
		if (!find_argument(decoding, parts->results, i, formal_of(callee, i), i, &offset,
				   &bytes))
			return;
		call->results[i].from = (uint32_t)slot;
		call->results[i].to = (uint32_t)offset;
		call->results[i].bytes = (uint32_t)bytes;
		call->result_count++;
		slot += (bytes + PARAMETER_SLOT_BYTES - 1) & -(int64_t)PARAMETER_SLOT_BYTES;
	}
	for (size_t i = 0; parts->arguments && i < parts->arguments->element_count; i++) {
		const size_t n = call->result_count + i;
		const struct ptx_variable *formal = formal_of(callee, n);

		if (!find_argument(decoding, parts->arguments, i, formal, n, &offset, &bytes))
			return;
		if (formal && formal->in_register)
			store_register_argument(decoding, &parts->arguments->elements[i], callee,
						formal, offset);
		call->arguments[i].from = (uint32_t)offset;
		call->arguments[i].to = (uint32_t)slot;
		call->arguments[i].bytes = (uint32_t)bytes;
		call->argument_count++;
		slot += (bytes + PARAMETER_SLOT_BYTES - 1) & -(int64_t)PARAMETER_SLOT_BYTES;
	}
}

/* Checks that a direct call matches the callee's declaration, since sizes determine the slots. */
static bool signature_matches(struct function_decoding *decoding, const struct program_call *call,
			      const struct ptx_function *callee)
{
	bool matches = true;

	for (size_t i = 0; matches && i < callee->parameter_count; i++) {
		int64_t bytes = i < call->result_count
					? call->results[i].bytes
					: call->arguments[i - call->result_count].bytes;

		matches = bytes == callee->parameters[i].bytes;
	}
	if (!matches)
		refuse_arguments(decoding, callee);
	return matches;
}

bool decode_call(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_module *module = decoding->all->module;
	const struct ptx_function *callee = NULL;
	struct program_function *out = decoding->out;
	struct program_call call = {.function = UINT32_MAX};
	struct call_parts parts;
	uint32_t index = 0;

	if (strcmp(at->base, "call") != 0)
		return false;
	if (!split_call_operands(at, &parts)) {
		decode_invalid(decoding, "not a valid call");
		return true;
	}
	if ((parts.results && parts.results->element_count > ARRAY_SIZE(call.results)) ||
	    (parts.arguments && parts.arguments->element_count > ARRAY_SIZE(call.arguments))) {
		decode_unsupported(decoding, "", "a call with more than 16 arguments or 4 results");
		return true;
	}
	if (parts.target->kind == PTX_OPERAND_SYMBOL) {
		const char *name = parts.target->name;

		if (!name_table_find(&decoding->all->functions, name, &index) ||
		    !module->functions[index].defined) {
			if (strcmp(name, "vprintf") == 0)
				decode_print(decoding, &parts);
			else if (strcmp(name, "__assertfail") == 0)
				decode_assertion(decoding, &parts);
			else if (strcmp(name, "malloc") == 0)
				decode_heap(decoding, &parts, OP_MALLOC);
			else if (strcmp(name, "free") == 0)
				decode_heap(decoding, &parts, OP_FREE);
			else
				refuse_function(decoding, name);
			return true;
		}
		if (module->functions[index].entry) {
			decode_unsupported(decoding, "call of entry", name);
			return true;
		}
		call.function = index;
		callee = &module->functions[index];
		if (!counts_match(&parts, callee)) {
			refuse_arguments(decoding, callee);
			return true;
		}
	} else {
		call.pointer = decode_source(decoding, parts.target, TYPE_u64);
	}
	read_call_arguments(decoding, &parts, callee, &call);
	if (decoding->unsupported || decoding->rc)
		return true;
	if (callee && !signature_matches(decoding, &call, callee))
		return true;
	out->calls = xgrow(out->calls, &decoding->call_capacity, out->call_count + 1,
			   sizeof(*out->calls));
	out->calls[out->call_count] = call;
	emit_instruction(decoding, OP_CALL)->target = (uint32_t)out->call_count++;
	for (size_t i = 0; callee && i < callee->result_count; i++)
		if (callee->parameters[i].in_register)
			load_register_result(decoding, &parts.results->elements[i], callee,
					     &callee->parameters[i], call.results[i].to);
	return true;
}
