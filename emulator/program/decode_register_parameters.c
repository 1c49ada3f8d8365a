/*
 * Parameters and results of functions in registers (.reg), as PTX of old compilers has them. They
 * have slots in the frames like those in .param space. A call stores the arguments behind the
 * variables of its own frame, from where the machine copies them, and loads the results from there;
 * the callee loads its parameters when it begins, and stores its results when it returns.
 */
#include "emulator/program/decode.h"

/* Accesses a place of the frame, as a step of the current instruction. */
static struct instruction *emit_frame_access(struct function_decoding *decoding,
					     enum operation operation, int64_t offset, int width)
{
	struct instruction *access = emit_instruction(decoding, operation);

	access->auxiliary = true;
	access->space = PTX_SPACE_PARAM;
	access->a = value_constant(decoding, (struct program_constant){.kind = CONSTANT_LOCAL,
								       .bytes = 4,
								       .bits = (uint64_t)offset});
	access->narrow_address = true;
	access->width = (uint8_t)width;
	access->vector = 1;
	return access;
}

void load_register_parameters(struct function_decoding *decoding)
{
	const struct ptx_function *source = decoding->source;

	for (size_t i = source->result_count; i < source->parameter_count; i++) {
		const struct ptx_variable *parameter = &source->parameters[i];

		if (parameter->in_register)
			emit_frame_access(decoding, OP_LOAD, decoding->out->parameter_offsets[i],
					  (int)parameter->bytes)
				->rows[0] = parameter->in_register;
	}
}

void store_register_results(struct function_decoding *decoding)
{
	const struct ptx_function *source = decoding->source;

	for (size_t i = 0; i < source->result_count; i++) {
		const struct ptx_variable *result = &source->parameters[i];

		if (result->in_register)
			emit_frame_access(decoding, OP_STORE, decoding->out->parameter_offsets[i],
					  (int)result->bytes)
				->rows[0] = result->in_register;
	}
}

bool find_register_argument(struct function_decoding *decoding, const struct ptx_variable *formal,
			    size_t slot, int64_t *offset)
{
	int64_t end;

	if (!formal || !formal->in_register)
		return false;
	if (!decoding->register_arguments)
		decoding->register_arguments = decoding->out->local_bytes;
	*offset = decoding->register_arguments + (int64_t)slot * PARAMETER_SLOT_BYTES;
	end = *offset + PARAMETER_SLOT_BYTES;
	if (decoding->out->local_bytes < end)
		decoding->out->local_bytes = end;
	return true;
}

void store_register_argument(struct function_decoding *decoding, const struct ptx_operand *operand,
			     const struct ptx_variable *formal, int64_t offset)
{
	uint32_t value = decode_store_source(decoding, operand, (int)formal->bytes);

	if (!decoding->rc && !decoding->unsupported)
		emit_frame_access(decoding, OP_STORE, offset, (int)formal->bytes)->rows[0] = value;
}

void load_register_result(struct function_decoding *decoding, const struct ptx_operand *operand,
			  const struct ptx_variable *formal, int64_t offset)
{
	enum extension extension = EXTEND_ZERO;
	uint32_t to =
		decode_load_destination(decoding, operand, (int)formal->bytes, false, &extension);
	struct instruction *load;

	if (decoding->rc || decoding->unsupported)
		return;
	load = emit_frame_access(decoding, OP_LOAD, offset, (int)formal->bytes);
	load->rows[0] = to;
	load->extension = (uint8_t)extension;
	emit_extensions(decoding);
}
