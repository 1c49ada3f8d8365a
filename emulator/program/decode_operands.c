/*
 * Operands: registers, immediates, special registers and addresses of variables become values. PTX
 * allows registers that are wider than the type of an instruction. The decoder emits steps that
 * narrow operands and widen results.
 */
#include "emulator/program/decode.h"

#include <stdlib.h>
#include <string.h>

static bool type_is_signed(enum value_type type)
{
	return type == TYPE_s8 || type == TYPE_s16 || type == TYPE_s32 || type == TYPE_s64;
}

/* ---- variables ---- */

bool find_frame_variable(struct function_decoding *decoding, const char *name, int64_t *offset,
			 int64_t *bytes)
{
	uint32_t number;

	if (name_find(&decoding->variables, name, &number)) {
		const struct ptx_variable *variable = &decoding->source->variables[number];

		if (variable->space != PTX_SPACE_LOCAL && variable->space != PTX_SPACE_PARAM)
			return false;
		*offset = decoding->variable_offsets[number];
		*bytes = variable->bytes;
		return true;
	}
	if (name_find(&decoding->parameters, name, &number)) {
		*offset = decoding->source->entry ? decoding->parameter_copy_offsets[number]
						  : decoding->out->parameter_offsets[number];
		*bytes = decoding->source->parameters[number].bytes;
		return *offset >= 0;
	}
	return false;
}

/* Whether `variable` is the element `number` of the array. An empty array is NULL. */
static bool is_element_of(const struct ptx_variable *variables, size_t count, uint32_t number,
			  const struct ptx_variable *variable)
{
	return number < count && variable == &variables[number];
}

static const struct ptx_variable *find_variable(struct function_decoding *decoding,
						const char *name, uint32_t *number)
{
	if (name_find(&decoding->variables, name, number))
		return &decoding->source->variables[*number];
	if (name_find(&decoding->parameters, name, number))
		return &decoding->source->parameters[*number];
	if (name_find(&decoding->all->variables, name, number))
		return &decoding->all->module->variables[*number];
	return NULL;
}

/* Nothing binds a reference to a texture: neither an annotation, nor the emulator. */
static uint32_t refuse_reference(struct function_decoding *decoding,
				 const struct ptx_variable *variable)
{
	const char *remedy =
		strcmp(variable->reference, ".samplerref") == 0 ? "a texture object has the sampler"
		: strcmp(variable->reference, ".surfref") == 0  ? "pass a surface object"
								: "pass a texture object";
	char *name =
		xasprintf("%.60s, a %s: %s instead", variable->name, variable->reference, remedy);

	decode_unsupported(decoding, "variable", name);
	free(name);
	return 0;
}

/* Returns the value of a variable's address. Offsets of shared and local memory may be 32 or 64
 * bits wide. */
static uint32_t variable_address(struct function_decoding *decoding,
				 const struct ptx_variable *variable, uint32_t number, bool wide)
{
	struct program_constant constant = {.wide = wide, .bytes = wide ? 8 : 4};
	int64_t offset, bytes;

	switch (variable->space) {
	case PTX_SPACE_GLOBAL:
	case PTX_SPACE_CONST:
		if (!is_element_of(decoding->all->module->variables,
				   decoding->all->module->variable_count, number, variable))
			return decode_unsupported(decoding, "variable", variable->name);
		if (variable->reference)
			return refuse_reference(decoding, variable);
		if (variable->external)
			return decode_undefined(decoding, UNDEFINED "variable", variable->name);
		constant.kind = CONSTANT_GLOBAL;
		constant.bits = number;
		break;
	case PTX_SPACE_SHARED:
		constant.kind = CONSTANT_SHARED;
		constant.bits =
			(uint64_t)shared_variable_offset(decoding->all, decoding->reach, variable);
		break;
	default:
		if (!find_frame_variable(decoding, variable->name, &offset, &bytes))
			return decode_unsupported(decoding, "variable", variable->name);
		constant.kind = CONSTANT_LOCAL;
		constant.bits = (uint64_t)offset;
		break;
	}
	if (!wide && constant.kind == CONSTANT_GLOBAL)
		return decode_unsupported(decoding, "32-bit address of", variable->name);
	return value_constant(decoding, constant);
}

struct decoded_address decode_address(struct function_decoding *decoding,
				      const struct ptx_operand *operand, enum ptx_space space)
{
	struct decoded_address out = {.space = space};
	const struct ptx_operand *base = operand->element_count ? operand->elements : NULL;
	const struct ptx_variable *variable;
	uint32_t number;
	int width;

	if (operand->kind != PTX_OPERAND_ADDRESS) {
		decode_invalid(decoding, "expected an address in []");
		return out;
	}
	out.offset = operand->offset;
	if (!base || base->kind == PTX_OPERAND_INTEGER) {
		out.value = value_bits(decoding, base ? base->bits : 0, true);
		return out;
	}
	if (base->kind == PTX_OPERAND_REGISTER) {
		out.value = base->index + 1;
		width = value_width(decoding, out.value);
		out.narrow = width == 32;
		if (width != 64 && (width != 32 || space == PTX_SPACE_GLOBAL ||
				    space == PTX_SPACE_CONST || space == PTX_SPACE_GENERIC))
			decode_invalid(decoding, "a %d-bit register cannot hold this address",
				       width);
		return out;
	}
	if (base->kind != PTX_OPERAND_SYMBOL) {
		decode_invalid(decoding, "an address must be a register, a variable or a number");
		return out;
	}
	variable = find_variable(decoding, base->name, &number);
	if (!variable) {
		decode_invalid(decoding, "unknown variable %.60s", base->name);
		return out;
	}
	out.symbolic = true;
	out.space = variable->space;
	out.offset += base->offset;
	if (variable->space == PTX_SPACE_PARAM && decoding->source->entry &&
	    is_element_of(decoding->source->parameters, decoding->source->parameter_count, number,
			  variable)) {
		out.parameter = variable;
		out.parameter_offset = decoding->out->parameter_offsets[number];
		return out;
	}
	out.narrow = variable->space != PTX_SPACE_GLOBAL && variable->space != PTX_SPACE_CONST;
	out.value = variable_address(decoding, variable, number, !out.narrow);
	return out;
}

/* ---- registers of 128 bits ---- */

static void refuse_whole(struct function_decoding *decoding, const struct ptx_operand *operand,
			 enum value_type type)
{
	decode_invalid(decoding, "%s has 128 bits, but the operand needs %d",
		       decoding->source->registers[operand->elements[0].index].name,
		       type_bits(type));
}

const struct ptx_operand *decode_whole(struct function_decoding *decoding,
				       const struct ptx_operand *operand)
{
	if (operand->whole)
		return operand->elements;
	if (operand->kind == PTX_OPERAND_INTEGER)
		decode_unsupported(decoding, "", "an immediate value of 128 bits");
	else
		decode_invalid(decoding, "expected a register of 128 bits");
	return NULL;
}

/* ---- sources ---- */

static uint32_t emit_negation(struct function_decoding *decoding, uint32_t value,
			      enum value_type type)
{
	uint32_t to;

	if (type != TYPE_pred)
		return decode_unsupported(decoding, "", "a negated register");
	to = new_temporary(decoding, 1);
	emit_step(decoding, require_operation(decoding, "not.pred"), to, value, 0, 0);
	return to;
}

static uint32_t register_source(struct function_decoding *decoding,
				const struct ptx_operand *operand, enum value_type type)
{
	uint32_t value = operand->index + 1;
	int width = value_width(decoding, value), bits = type_bits(type);

	if ((width == 1) != (bits == 1) || width < bits)
		return decode_invalid(decoding, "%s has %d bits, but the operand needs %d",
				      decoding->source->registers[operand->index].name, width,
				      bits);
	if (operand->negated)
		return emit_negation(decoding, value, type);
	if (bits > 1 && width > bits && width > 16)
		return emit_narrowing(decoding, value, bits);
	return value;
}

/* Converts the bits of a literal to the type. */
static uint64_t immediate_bits(const struct ptx_operand *operand, enum value_type type)
{
	uint64_t bits = operand->bits;
	double number;
	float single;
	uint32_t single_bits;

	if (operand->kind == PTX_OPERAND_F64 && type_bits(type) == 32) {
		memcpy(&number, &bits, sizeof(number));
		single = (float)number;
		memcpy(&single_bits, &single, sizeof(single_bits));
		return single_bits;
	}
	if (type == TYPE_pred)
		return bits ? UINT32_MAX : 0;
	if (type_bits(type) < 64)
		bits &= (UINT64_C(1) << type_bits(type)) - 1;
	return bits;
}

static uint32_t symbol_source(struct function_decoding *decoding, const struct ptx_operand *operand,
			      enum value_type type)
{
	const struct ptx_variable *variable;
	bool wide = type_bits(type) == 64;
	uint32_t number, value, sum;

	variable = find_variable(decoding, operand->name, &number);
	if (!variable) {
		if (!name_find(&decoding->all->functions, operand->name, &number))
			return decode_invalid(decoding, "unknown variable or function %.60s",
					      operand->name);
		if (!wide || !decoding->all->module->functions[number].defined)
			return decode_unsupported(decoding, "address of function", operand->name);
		return value_constant(decoding, (struct program_constant){
							.kind = CONSTANT_FUNCTION,
							.wide = true,
							.bytes = 8,
							.bits = number,
						});
	}
	if (type_bits(type) < 32)
		return decode_invalid(decoding,
				      "the address of %.60s does not fit into the operand",
				      operand->name);
	value = variable_address(decoding, variable, number, wide);
	if (operand->offset == 0 || decoding->unsupported || decoding->rc)
		return value;
	sum = new_temporary(decoding, wide ? 64 : 32);
	emit_step(decoding, require_operation(decoding, wide ? "add.s64" : "add.s32"), sum, value,
		  value_bits(decoding, (uint64_t)operand->offset, wide), 0);
	return sum;
}

uint32_t decode_source(struct function_decoding *decoding, const struct ptx_operand *operand,
		       enum value_type type)
{
	switch (operand->kind) {
	case PTX_OPERAND_REGISTER:
		return register_source(decoding, operand, type);
	case PTX_OPERAND_SPECIAL:
		return decode_special_source(decoding, operand->name, type);
	case PTX_OPERAND_INTEGER:
	case PTX_OPERAND_F32:
	case PTX_OPERAND_F64:
		return value_bits(decoding, immediate_bits(operand, type), type_bits(type) == 64);
	case PTX_OPERAND_SYMBOL:
		return symbol_source(decoding, operand, type);
	default:
		if (operand->whole)
			refuse_whole(decoding, operand, type);
		return decode_invalid(decoding, "not a valid source operand");
	}
}

uint32_t decode_store_source(struct function_decoding *decoding, const struct ptx_operand *operand,
			     int width)
{
	enum value_type type = width == 8 ? TYPE_b64 : TYPE_b32;

	/* A store writes the low bytes of a row, so a narrow value needs no conversion. */
	if (operand->kind == PTX_OPERAND_REGISTER && width <= 4 && !operand->negated) {
		uint32_t value = operand->index + 1;
		int bits = value_width(decoding, value);

		if (bits == 1 || bits < width * 8)
			decode_invalid(decoding, "cannot store %d bytes of a %d-bit register",
				       width, bits);
		return bits == 64 ? emit_narrowing(decoding, value, 32) : value;
	}
	return decode_source(decoding, operand, type);
}

/* ---- destinations ---- */

static uint32_t defer_extension(struct function_decoding *decoding, uint32_t to, int bits,
				const char *mnemonic)
{
	uint32_t from = new_temporary(decoding, bits);
	size_t count = decoding->extension_count;

	if (count == ARRAY_SIZE(decoding->extensions)) {
		decode_invalid(decoding, "too many results");
		return from;
	}
	decoding->extensions[count].operation = (uint16_t)require_operation(decoding, mnemonic);
	decoding->extensions[count].from = from;
	decoding->extensions[count].to = to;
	decoding->extension_count++;
	return from;
}

uint32_t decode_destination(struct function_decoding *decoding, const struct ptx_operand *operand,
			    enum value_type type)
{
	uint32_t value;
	int width, bits = type_bits(type);

	if (operand->kind == PTX_OPERAND_SINK)
		return new_temporary(decoding, bits == 8 ? 16 : bits);
	if (operand->whole)
		refuse_whole(decoding, operand, type);
	if (operand->kind != PTX_OPERAND_REGISTER || operand->negated)
		return decode_invalid(decoding, "the result must be a register");
	value = operand->index + 1;
	width = value_width(decoding, value);
	if ((width == 1) != (bits == 1) || width < bits)
		return decode_invalid(decoding, "the result has %d bits, but %s has %d", bits,
				      decoding->source->registers[operand->index].name, width);
	if (width == bits || width <= 16 || (width == 32 && !type_is_signed(type)))
		return value;
	if (width == 32)
		return defer_extension(decoding, value, 16, "cvt.s32.s16");
	if (bits == 32)
		return defer_extension(decoding, value, 32,
				       type == TYPE_s32 ? "cvt.s64.s32" : "cvt.u64.u32");
	return defer_extension(decoding, value, 16,
			       type_is_signed(type) ? "cvt.s64.s16" : "cvt.u64.u16");
}

uint32_t decode_load_destination(struct function_decoding *decoding,
				 const struct ptx_operand *operand, int width, bool is_signed,
				 enum extension *extension)
{
	uint32_t value;
	int bits;

	*extension = is_signed ? EXTEND_SIGN : EXTEND_ZERO;
	if (operand->kind == PTX_OPERAND_SINK)
		return 0;
	if (operand->kind != PTX_OPERAND_REGISTER || operand->negated)
		return decode_invalid(decoding, "the result must be a register");
	value = operand->index + 1;
	bits = value_width(decoding, value);
	if (bits == 1 || bits < width * 8)
		return decode_invalid(decoding, "cannot load %d bytes into %s, which has %d bits",
				      width, decoding->source->registers[operand->index].name,
				      bits);
	if (bits == 64 && width < 8)
		return defer_extension(decoding, value, 32,
				       is_signed ? "cvt.s64.s32" : "cvt.u64.u32");
	if (bits <= 16) {
		*extension = EXTEND_ZERO;
		if (bits == 16 && width == 1 && is_signed)
			return defer_extension(decoding, value, 16, "cvt.s16.s8");
	}
	return value;
}
