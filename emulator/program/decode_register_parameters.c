/*
 * Parameters and results of functions in registers (.reg), as PTX of old compilers has them. They
 * have slots in the frames like those in .param space. A call stores the arguments behind the
 * variables of its own frame, from where the machine copies them, and loads the results from there;
 * the callee loads its parameters when it begins, and stores its results when it returns.
 */
#include <string.h>

#include "emulator/program/decode_access.h"

/* Accesses the place of a parameter in the frame, as a step of the current instruction. */
static struct instruction *emit_frame_access(struct function_decoding *decoding,
					     enum operation operation, int64_t offset,
					     const struct ptx_variable *formal)
{
	struct instruction *access = emit_instruction(decoding, operation);

	access->auxiliary = true;
	access->space = PTX_SPACE_PARAM;
	access->a = value_constant(decoding, (struct program_constant){.kind = CONSTANT_LOCAL,
								       .bytes = 4,
								       .bits = (uint64_t)offset});
	access->narrow_address = true;
	access->width = (uint8_t)formal->element_bytes;
	access->vector = (uint8_t)formal->count;
	return access;
}

/* Loads or stores predicate `value`, which is a byte in memory. */
static void emit_predicate_load(struct function_decoding *decoding, uint32_t value, int64_t offset,
				const struct ptx_variable *formal)
{
	uint32_t byte = new_temporary(decoding, 32);

	emit_frame_access(decoding, OP_LOAD, offset, formal)->rows[0] = byte;
	emit_step(decoding, ALU_SETP_NE_U32, value, byte, value_bits(decoding, 0, false), 0);
}

static void emit_predicate_store(struct function_decoding *decoding, uint32_t value, int64_t offset,
				 const struct ptx_variable *formal)
{
	uint32_t byte = new_temporary(decoding, 32);

	emit_step(decoding, require_operation(decoding, "selp.b32"), byte,
		  value_bits(decoding, 1, false), value_bits(decoding, 0, false), value);
	emit_frame_access(decoding, OP_STORE, offset, formal)->rows[0] = byte;
}

static bool is_predicate(const struct ptx_function *function, const struct ptx_variable *formal)
{
	return function->registers[formal->in_register - 1].width_bits == 1;
}

void load_register_parameters(struct function_decoding *decoding)
{
	const struct ptx_function *source = decoding->source;

	for (size_t i = source->result_count; i < source->parameter_count; i++) {
		const struct ptx_variable *parameter = &source->parameters[i];
		int64_t offset = decoding->out->parameter_offsets[i];
		struct instruction *load;

		if (!parameter->in_register)
			continue;
		if (is_predicate(source, parameter)) {
			emit_predicate_load(decoding, parameter->in_register, offset, parameter);
			continue;
		}
		load = emit_frame_access(decoding, OP_LOAD, offset, parameter);
		for (uint32_t k = 0; k < load->vector; k++)
			load->rows[k] = parameter->in_register + k;
	}
}

void store_register_results(struct function_decoding *decoding)
{
	const struct ptx_function *source = decoding->source;

	for (size_t i = 0; i < source->result_count; i++) {
		const struct ptx_variable *result = &source->parameters[i];
		int64_t offset = decoding->out->parameter_offsets[i];
		struct instruction *store;

		if (!result->in_register)
			continue;
		if (is_predicate(source, result)) {
			emit_predicate_store(decoding, result->in_register, offset, result);
			continue;
		}
		store = emit_frame_access(decoding, OP_STORE, offset, result);
		for (uint32_t k = 0; k < store->vector; k++)
			store->rows[k] = result->in_register + k;
	}
}

bool find_register_argument(struct function_decoding *decoding, const struct ptx_variable *formal,
			    size_t slot, int64_t *offset)
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

void store_register_argument(struct function_decoding *decoding, const struct ptx_operand *operand,
			     const struct ptx_function *callee, const struct ptx_variable *formal,
			     int64_t offset)
{
	const struct ptx_operand *elements =
		access_registers(decoding, operand, (int)formal->count);
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
	store = emit_frame_access(decoding, OP_STORE, offset, formal);
	memcpy(store->rows, rows, sizeof(rows));
}

void load_register_result(struct function_decoding *decoding, const struct ptx_operand *operand,
			  const struct ptx_function *callee, const struct ptx_variable *formal,
			  int64_t offset)
{
	const struct ptx_operand *elements =
		access_registers(decoding, operand, (int)formal->count);
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
	load = emit_frame_access(decoding, OP_LOAD, offset, formal);
	memcpy(load->rows, rows, sizeof(rows));
	load->extension = (uint8_t)extension;
	emit_extensions(decoding);
}
