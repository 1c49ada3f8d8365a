/*
 * Calls. Arguments and results are .param variables of the caller, which are in the local memory of
 * its frame, or registers. The callee finds them at the beginning of its own frame. The machine
 * implements vprintf, __assertfail, malloc and free.
 *
 * PTX of old compilers has parameters and results in registers (.reg). They have slots in the
 * frames like those in .param space. A call stores the arguments behind the variables of its own
 * frame, from where the machine copies them, and loads the results from there; the callee loads its
 * parameters when it begins, and stores its results when it returns.
 */
#include "emulator/program/decode.h"

#include <stdio.h>
#include <string.h>

/* ---- parameters in registers ---- */

/* Loads or stores predicate `value`, which is a byte in memory. */
static void emit_predicate_load(struct function_decoding *decoding, uint32_t value, int64_t offset,
				const struct ptx_variable *formal)
{
	uint32_t byte = new_temporary(decoding, 32);

	emit_frame_access(decoding, OP_LOAD, offset, (int)formal->element_bytes, byte);
	emit_step(decoding, ALU_SETP_NE_U32, value, byte, value_bits(decoding, 0, false), 0);
}

static void emit_predicate_store(struct function_decoding *decoding, uint32_t value, int64_t offset,
				 const struct ptx_variable *formal)
{
	uint32_t byte = new_temporary(decoding, 32);

	emit_step(decoding, require_operation(decoding, "selp.b32"), byte,
		  value_bits(decoding, 1, false), value_bits(decoding, 0, false), value);
	emit_frame_access(decoding, OP_STORE, offset, (int)formal->element_bytes, byte);
}

static bool is_predicate(const struct ptx_function *function, const struct ptx_variable *formal)
{
	return function->registers[formal->in_register - 1].width_bits == 1;
}

/* Loads or stores the parameters of the function from number `first` on that are registers. */
static void move_register_parameters(struct function_decoding *decoding, enum operation operation,
				     size_t first, size_t end)
{
	const struct ptx_function *source = decoding->source;

	for (size_t i = first; i < end; i++) {
		const struct ptx_variable *parameter = &source->parameters[i];
		const uint32_t value = parameter->in_register;
		int64_t offset = decoding->out->parameter_offsets[i];
		struct instruction *access;

		if (!value)
			continue;
		if (is_predicate(source, parameter)) {
			if (operation == OP_LOAD)
				emit_predicate_load(decoding, value, offset, parameter);
			else
				emit_predicate_store(decoding, value, offset, parameter);
			continue;
		}
		access = emit_frame_access(decoding, operation, offset,
					   (int)parameter->element_bytes, value);
		access->vector = (uint8_t)parameter->count;
		for (uint32_t k = 1; k < access->vector; k++)
			access->rows[k] = value + k;
	}
}

void load_register_parameters(struct function_decoding *decoding)
{
	move_register_parameters(decoding, OP_LOAD, decoding->source->result_count,
				 decoding->source->parameter_count);
}

void store_register_results(struct function_decoding *decoding)
{
	move_register_parameters(decoding, OP_STORE, 0, decoding->source->result_count);
}

/* Whether a call passes this argument or result in a register: then it has the place *offset of the
 * caller's frame. `slot` counts arguments and results. */
static bool find_register_argument(struct function_decoding *decoding,
				   const struct ptx_variable *formal, size_t slot, int64_t *offset)
{
	int64_t end;

	if (!formal || !formal->in_register)
		return false;
	if (!decoding->register_arguments)
		decoding->register_arguments = decoding->out->local_bytes + 1;
	*offset = decoding->register_arguments - 1 + (int64_t)slot * PARAMETER_SLOT_BYTES;
	end = *offset + PARAMETER_SLOT_BYTES;
	if (decoding->out->local_bytes < end)
		decoding->out->local_bytes = end;
	return true;
}

static void store_register_argument(struct function_decoding *decoding,
				    const struct ptx_operand *operand,
				    const struct ptx_function *callee,
				    const struct ptx_variable *formal, int64_t offset)
{
	const struct ptx_operand *elements =
		operand_registers(decoding, operand, (size_t)formal->count);
	uint32_t rows[ARRAY_SIZE(((struct instruction *)NULL)->rows)] = {0};
	struct instruction *store;

	if (!elements)
		return;
	if (is_predicate(callee, formal)) {
		emit_predicate_store(decoding, decode_source(decoding, elements, TYPE_pred), offset,
				     formal);
		return;
	}
	for (int64_t i = 0; i < formal->count; i++)
		rows[i] = decode_store_source(decoding, &elements[i], (int)formal->element_bytes);
	if (decoding->rc || decoding->unsupported)
		return;
	store = emit_frame_access(decoding, OP_STORE, offset, (int)formal->element_bytes, 0);
	store->vector = (uint8_t)formal->count;
	memcpy(store->rows, rows, sizeof(rows));
}

static void load_register_result(struct function_decoding *decoding,
				 const struct ptx_operand *operand,
				 const struct ptx_function *callee,
				 const struct ptx_variable *formal, int64_t offset)
{
	const struct ptx_operand *elements =
		operand_registers(decoding, operand, (size_t)formal->count);
	uint32_t rows[ARRAY_SIZE(((struct instruction *)NULL)->rows)] = {0};
	enum extension extension = EXTEND_ZERO;
	struct instruction *load;

	if (!elements)
		return;
	if (is_predicate(callee, formal)) {
		emit_predicate_load(decoding, decode_destination(decoding, elements, TYPE_pred),
				    offset, formal);
		return;
	}
	for (int64_t i = 0; i < formal->count; i++)
		rows[i] = decode_load_destination(decoding, &elements[i],
						  (int)formal->element_bytes, false, &extension);
	if (decoding->rc || decoding->unsupported)
		return;
	load = emit_frame_access(decoding, OP_LOAD, offset, (int)formal->element_bytes, 0);
	load->vector = (uint8_t)formal->count;
	memcpy(load->rows, rows, sizeof(rows));
	load->extension = (uint8_t)extension;
	emit_extensions(decoding);
}

/* ---- calls ---- */

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
	return decode_unsupported(decoding, "", "an argument other than a .param variable");
}

static uint32_t emit_argument_load(struct function_decoding *decoding,
				   const struct ptx_operand *list, size_t n, int width)
{
	int64_t offset, bytes;
	uint32_t value = new_temporary(decoding, width * 8);
	struct instruction *load;

	if (!list || n >= list->element_count ||
	    !find_list_variable(decoding, list, n, &offset, &bytes) || bytes < width)
		return decode_invalid(decoding, "argument %zu is missing or too small", n + 1);
	load = emit_frame_access(decoding, OP_LOAD, offset, width, value);
	load->guard = 0;
	load->guard_negated = false;
	return value;
}

/* Stores the result of a function of the machine, unless the call has no result. */
static void emit_result_store(struct function_decoding *decoding, const struct ptx_operand *list,
			      uint32_t result, int width)
{
	int64_t offset, bytes;

	if (!list || list->element_count != 1 ||
	    !find_list_variable(decoding, list, 0, &offset, &bytes))
		return;
	if (bytes < width)
		decode_invalid(decoding, "the result must have %d bytes", width);
	else
		emit_frame_access(decoding, OP_STORE, offset, width, result);
}

static void decode_print(struct function_decoding *decoding, const struct call_parts *parts)
{
	uint32_t format = emit_argument_load(decoding, parts->arguments, 0, 8);
	uint32_t arguments = emit_argument_load(decoding, parts->arguments, 1, 8);
	uint32_t result = new_temporary(decoding, 32);

	emit_result(decoding, OP_PRINT, result, format, arguments, 0);
	emit_result_store(decoding, parts->results, result, 4);
}

static void decode_assertion(struct function_decoding *decoding, const struct call_parts *parts)
{
	uint32_t message = emit_argument_load(decoding, parts->arguments, 0, 8);
	uint32_t file = emit_argument_load(decoding, parts->arguments, 1, 8);
	uint32_t line = emit_argument_load(decoding, parts->arguments, 2, 4);
	uint32_t function = emit_argument_load(decoding, parts->arguments, 3, 8);

	emit_result(decoding, OP_ASSERT_FAIL, 0, message, file, line)->d = function;
}

/* malloc and free of device code. Their parameters are 64 bits wide, as size_t and pointers. */
static void decode_heap(struct function_decoding *decoding, const struct call_parts *parts,
			enum operation operation)
{
	uint32_t argument = emit_argument_load(decoding, parts->arguments, 0, 8);
	uint32_t result = operation == OP_MALLOC ? new_temporary(decoding, 64) : 0;

	emit_result(decoding, operation, result, argument, 0, 0);
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

/* Finds the place of the n-th element of a list in the frame, for a result or parameter of the
 * callee, if that is known. */
static bool find_argument(struct function_decoding *decoding, const struct ptx_operand *list,
			  size_t n, const struct ptx_function *callee, size_t slot, int64_t *offset,
			  int64_t *bytes)
{
	const struct ptx_variable *formal = callee ? &callee->parameters[slot] : NULL;

	if (!find_register_argument(decoding, formal, slot, offset))
		return find_list_variable(decoding, list, n, offset, bytes);
	*bytes = formal->bytes;
	return true;
}

#define MISMATCH "the arguments do not match those of %.60s"

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
		if (!find_argument(decoding, parts->results, i, callee, i, &offset, &bytes))
			return;
		call->results[i].from = (uint32_t)slot;
		call->results[i].to = (uint32_t)offset;
		call->results[i].bytes = (uint32_t)bytes;
		call->result_count++;
		slot += (bytes + PARAMETER_SLOT_BYTES - 1) & -(int64_t)PARAMETER_SLOT_BYTES;
	}
	for (size_t i = 0; parts->arguments && i < parts->arguments->element_count; i++) {
		const size_t n = call->result_count + i;

		if (!find_argument(decoding, parts->arguments, i, callee, n, &offset, &bytes))
			return;
		if (callee && callee->parameters[n].in_register)
			store_register_argument(decoding, &parts->arguments->elements[i], callee,
						&callee->parameters[n], offset);
		call->arguments[i].from = (uint32_t)offset;
		call->arguments[i].to = (uint32_t)slot;
		call->arguments[i].bytes = (uint32_t)bytes;
		call->argument_count++;
		slot += (bytes + PARAMETER_SLOT_BYTES - 1) & -(int64_t)PARAMETER_SLOT_BYTES;
	}
}

/* Whether a direct call matches the callee's declaration: sizes determine the slots. */
static bool signature_matches(const struct program_call *call, const struct ptx_function *callee)
{
	for (size_t i = 0; i < callee->parameter_count; i++) {
		int64_t bytes = i < call->result_count
					? call->results[i].bytes
					: call->arguments[i - call->result_count].bytes;

		if (bytes != callee->parameters[i].bytes)
			return false;
	}
	return true;
}

/* A call of a function that the machine implements, or of one that nobody defines. */
static void decode_undefined_call(struct function_decoding *decoding, const char *name,
				  const struct call_parts *parts)
{
	if (strcmp(name, "vprintf") == 0)
		decode_print(decoding, parts);
	else if (strcmp(name, "__assertfail") == 0)
		decode_assertion(decoding, parts);
	else if (strcmp(name, "malloc") == 0)
		decode_heap(decoding, parts, OP_MALLOC);
	else if (strcmp(name, "free") == 0)
		decode_heap(decoding, parts, OP_FREE);
	else
		refuse_function(decoding, name);
}

static bool decode_call(struct function_decoding *decoding)
{
	const struct ptx_statement *at = decoding->at;
	const struct ptx_module *module = decoding->all->module;
	const struct ptx_function *callee = NULL;
	struct program_function *out = decoding->out;
	struct program_call call = {.function = UINT32_MAX};
	struct call_parts parts;
	uint32_t index = 0;

	if (!split_call_operands(at, &parts))
		return decode_invalid(decoding, "not a valid call");
	if ((parts.results && parts.results->element_count > ARRAY_SIZE(call.results)) ||
	    (parts.arguments && parts.arguments->element_count > ARRAY_SIZE(call.arguments)))
		return decode_unsupported(decoding, "",
					  "a call with more than 16 arguments or 4 results");
	if (parts.target->kind == PTX_OPERAND_SYMBOL) {
		const char *name = parts.target->name;

		if (!name_find(&decoding->all->functions, name, &index) ||
		    !module->functions[index].defined) {
			decode_undefined_call(decoding, name, &parts);
			return false;
		}
		if (module->functions[index].entry)
			return decode_unsupported(decoding, "call of entry", name);
		call.function = index;
		callee = &module->functions[index];
		if (!counts_match(&parts, callee))
			return decode_invalid(decoding, MISMATCH, callee->name);
	} else {
		call.pointer = decode_source(decoding, parts.target, TYPE_u64);
	}
	read_call_arguments(decoding, &parts, callee, &call);
	if (decoding->unsupported || decoding->rc)
		return false;
	if (callee && !signature_matches(&call, callee))
		return decode_invalid(decoding, MISMATCH, callee->name);
	out->calls = xgrow(out->calls, &decoding->call_capacity, out->call_count + 1,
			   sizeof(*out->calls));
	out->calls[out->call_count] = call;
	emit_instruction(decoding, OP_CALL)->target = (uint32_t)out->call_count++;
	for (size_t i = 0; callee && i < callee->result_count; i++)
		if (callee->parameters[i].in_register)
			load_register_result(decoding, &parts.results->elements[i], callee,
					     &callee->parameters[i], call.results[i].to);
	return false;
}

const struct statement_form call_forms[] = {
	{"call", decode_call, 0},
	{0},
};
