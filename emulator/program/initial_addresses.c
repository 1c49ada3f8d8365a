/*
 * Addresses in the initial values of module variables: tables of functions, of virtual functions
 * and of pointers. The emulator gives all of them or refuses the functions that refer to the
 * variable, also through other variables.
 */
#include "emulator/program/decode.h"

#include <stdlib.h>

/* Why an address cannot be given, as `what` of struct unsupported_feature; NULL: it can. Sets all
 * fields of *out but `variable`. */
static const char *resolve_address(const struct program_decoding *all,
				   const struct ptx_relocation *from, struct initial_address *out)
{
	uint64_t largest;
	bool is_function;

	*out = (struct initial_address){
		.at = from->at,
		.bytes = from->bytes,
		.addend = from->addend,
		.mask = from->mask,
		.shift = (unsigned)__builtin_ctzll(from->mask),
	};
	is_function = !name_table_find(&all->variables, from->symbol, &out->target);
	out->is_function = is_function;
	if (is_function && !name_table_find(&all->functions, from->symbol, &out->target))
		return "address of unknown";
	if (is_function && (!all->module->functions[out->target].defined ||
			    all->module->functions[out->target].entry))
		return "address of function";
	if (!is_function) {
		const struct ptx_variable *variable = &all->module->variables[out->target];

		if (variable->external || variable->reference ||
		    (variable->space != PTX_SPACE_GLOBAL && variable->space != PTX_SPACE_CONST))
			return "address of variable";
	}
	largest = from->mask >> out->shift;
	if (from->bytes < 8 && largest >> 8 * from->bytes)
		return "a part of the address of";
	return NULL;
}

void check_initial_addresses(struct function_decoding *decoding)
{
	const struct program_decoding *all = decoding->all;
	const struct function_reach *reach = decoding->reach;
	struct initial_address address;

	for (size_t i = 0; i < reach->variable_count; i++) {
		const struct ptx_variable *variable = &all->module->variables[reach->variables[i]];

		for (size_t k = 0; k < variable->relocation_count; k++) {
			const struct ptx_relocation *from = &variable->relocations[k];
			const char *why = resolve_address(all, from, &address);

			if (why)
				decode_unsupported_at(decoding, why, from->symbol, from->line);
		}
	}
}

void resolve_initial_addresses(struct program_decoding *all)
{
	struct ptx_program *program = all->program;
	size_t capacity = 0;

	for (size_t i = 0; i < all->module->variable_count; i++) {
		const struct ptx_variable *variable = &all->module->variables[i];

		if (variable->space != PTX_SPACE_GLOBAL && variable->space != PTX_SPACE_CONST)
			continue;
		for (size_t k = 0; k < variable->relocation_count; k++) {
			struct initial_address address;

			if (resolve_address(all, &variable->relocations[k], &address))
				continue;
			address.variable = (uint32_t)i;
			program->initial_addresses =
				xgrow(program->initial_addresses, &capacity,
				      program->initial_address_count + 1, sizeof(address));
			program->initial_addresses[program->initial_address_count++] = address;
		}
	}
}
