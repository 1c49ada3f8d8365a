/* The life of an emulation: its handlers, variables, and what it follows between launches. */
#include "emulator/machine/emulation.h"
#include "emulator/machine/control.h"
#include "emulator/machine/fused_instructions.h"
#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/races/dead_loads.h"
#include "emulator/machine/textures/texture_object.h"
#include "emulator/machine/undefined/undefined.h"

#include <stdlib.h>
#include <string.h>

static instruction_handler *handler_of(const struct handlers *handlers,
				       const struct instruction *instruction)
{
	instruction_handler *(*const find[])(const struct instruction *) = {
		control_handler,  texture_handler,    handlers->alu,    handlers->memory,
		handlers->atomic, handlers->exchange, handlers->matrix, handlers->warpgroup,
	};
	instruction_handler *run = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(find) && !run; i++)
		run = find[i](instruction);
	return run;
}

static int prepare_function(struct emulation *emulation, size_t index,
			    const struct program_function *from, struct error *err)
{
	struct program_function *to = &emulation->program.functions[index];
	size_t count = from->code_count;
	struct instruction *code;

	*to = *from;
	to->code = NULL;
	if (!count)
		return 0;
	code = calloc(count + 1, sizeof(*code));
	emulation->counts[index] = calloc(count + 1, sizeof(**emulation->counts));
	to->code = code;
	if (!code || !emulation->counts[index])
		return error_set(err, PL_ENOMEM, "no memory for %zu instructions", count);
	memcpy(code, from->code, count * sizeof(*code));
	code[count] = (struct instruction){.operation = OP_RET, .auxiliary = true};
	code[count].statement = code[count - 1].statement;
	to->code_count = count + 1;
	for (size_t i = 0; i <= count; i++) {
		code[i].run = handler_of(emulation->handlers, &code[i]);
		if (!code[i].run)
			return error_set(err, PL_EUNSUPPORTED, "%s cannot be executed",
					 instruction_statement(from, &code[i])->mnemonic);
	}
	if (control_flow_build(&emulation->flows[index], to, code, err))
		return PL_ENOMEM;
	emulation->links[index] = series_build(&emulation->flows[index], code, emulation->handlers);
	return 0;
}

static int allocate_variables(struct emulation *emulation, struct error *err)
{
	const struct ptx_module *module = emulation->program.module;
	int rc = 0;

	emulation->variables = xcalloc(module->variable_count + 1, sizeof(uint64_t));
	for (size_t i = 0; !rc && i < module->variable_count; i++) {
		const struct ptx_variable *variable = &module->variables[i];

		if (variable->space == PTX_SPACE_GLOBAL || variable->space == PTX_SPACE_CONST)
			rc = device_memory_allocate(emulation->memory, variable->bytes,
						    variable->name, &emulation->variables[i], err);
	}
	if (!rc)
		emulation_reset_variables(emulation);
	return rc;
}

static int choose_lanes(const struct handlers **out, enum emulated_lanes lanes, struct error *err)
{
	const struct handlers *avx2 = handlers_avx2_or_null();

	if (lanes == LANES_AVX2 && !avx2)
		return error_set(err, PL_EUNSUPPORTED,
				 "this build or this processor does not support AVX2 with FMA");
	*out = lanes == LANES_PORTABLE || !avx2 ? &handlers_portable : avx2;
	return 0;
}

int emulation_create(struct emulation **out, const struct ptx_program *program,
		     struct device_memory *memory, enum emulated_lanes lanes, struct error *err)
{
	struct emulation *emulation = xcalloc(1, sizeof(*emulation));
	size_t count = program->function_count;
	int rc = choose_lanes(&emulation->handlers, lanes, err);

	emulation->memory = memory;
	emulation->heap = device_heap_create(memory);
	emulation->uses = dead_loads_create();
	emulation->program.module = program->module;
	emulation->program.function_count = count;
	emulation->program.initial_addresses = program->initial_addresses;
	emulation->program.initial_address_count = program->initial_address_count;
	emulation->program.functions = xcalloc(count + 1, sizeof(*program->functions));
	emulation->flows = xcalloc(count + 1, sizeof(*emulation->flows));
	emulation->links = xcalloc(count + 1, sizeof(*emulation->links));
	emulation->counts = xcalloc(count + 1, sizeof(*emulation->counts));
	for (size_t i = 0; !rc && i < count; i++)
		rc = prepare_function(emulation, i, &program->functions[i], err);
	if (!rc)
		rc = allocate_variables(emulation, err);
	if (rc) {
		emulation_free(emulation);
		return rc;
	}
	*out = emulation;
	return 0;
}

void emulation_free(struct emulation *emulation)
{
	if (!emulation)
		return;
	for (size_t i = 0; emulation->variables && i < emulation->program.module->variable_count;
	     i++)
		if (emulation->variables[i])
			device_memory_release(emulation->memory, emulation->variables[i]);
	for (size_t i = 0; i < emulation->program.function_count; i++) {
		control_flow_release(&emulation->flows[i]);
		free(emulation->program.functions[i].code);
		free(emulation->links[i]);
		free(emulation->counts[i]);
	}
	device_heap_free(emulation->heap);
	dead_loads_free(emulation->uses);
	follower_free(emulation->follower);
	free(emulation->variables);
	free(emulation->program.functions);
	free(emulation->flows);
	free(emulation->links);
	free(emulation->counts);
	free(emulation);
}

const char *emulator_best_lanes(void)
{
	const struct handlers *avx2 = handlers_avx2_or_null();

	return avx2 ? avx2->name : handlers_portable.name;
}

bool emulation_variable(const struct emulation *emulation, const char *name, uint64_t *address,
			int64_t *bytes)
{
	const struct ptx_module *module = emulation->program.module;

	for (size_t i = 0; emulation->variables && i < module->variable_count; i++)
		if (emulation->variables[i] && !strcmp(module->variables[i].name, name)) {
			*address = emulation->variables[i];
			*bytes = module->variables[i].bytes;
			return true;
		}
	return false;
}

/* Writes the addresses of an initial value. A function's is its index + 1, as CONSTANT_FUNCTION. */
static void write_initial_addresses(struct emulation *emulation)
{
	const struct ptx_program *program = &emulation->program;

	for (size_t i = 0; i < program->initial_address_count; i++) {
		const struct initial_address *from = &program->initial_addresses[i];
		uint64_t address = from->is_function ? (uint64_t)from->target + 1
						     : emulation->variables[from->target];
		unsigned char *to;

		to = device_memory_data(emulation->memory, emulation->variables[from->variable]);
		address = ((address + (uint64_t)from->addend) & from->mask) >> from->shift;
		for (int64_t k = 0; k < from->bytes; k++)
			to[from->at + k] = k < 8 ? (unsigned char)(address >> 8 * k) : 0;
	}
}

void emulation_reset_variables(struct emulation *emulation)
{
	const struct ptx_module *module = emulation->program.module;

	device_heap_reset(emulation->heap);
	for (size_t i = 0; i < module->variable_count; i++) {
		const struct ptx_variable *variable = &module->variables[i];
		void *data;

		if (!emulation->variables[i] || variable->bytes <= 0)
			continue;
		data = device_memory_data(emulation->memory, emulation->variables[i]);
		if (variable->initial)
			memcpy(data, variable->initial, (size_t)variable->bytes);
		else
			memset(data, 0, (size_t)variable->bytes);
	}
	write_initial_addresses(emulation);
}

void emulation_leaks(const struct emulation *emulation, struct finding_list *findings)
{
	device_heap_leaks(emulation->heap, findings);
}

/* ---- loads that nothing uses ---- */

/* Clocks go on from launch to launch: runs that are to be the same begin with the same time. */
static void restart_clock(struct emulation *emulation)
{
	emulation->executed = 0;
	emulation->clock = 0;
}

bool emulation_has_suspects(const struct emulation *emulation)
{
	return dead_loads_has_suspects(emulation->uses);
}

void emulation_follow_loads(struct emulation *emulation)
{
	dead_loads_follow(emulation->uses, &emulation->program);
	restart_clock(emulation);
}

void emulation_judge_loads(struct emulation *emulation)
{
	dead_loads_judge(emulation->uses);
	restart_clock(emulation);
}

/* ---- undefined values ---- */

bool emulation_may_be_undefined(const struct emulation *emulation)
{
	return emulation->may_be_undefined;
}

void emulation_follow_undefined(struct emulation *emulation, bool whole)
{
	emulation->follower = follower_create(whole);
	emulation->kept_unchecked = emulation->unchecked_requests;
	restart_clock(emulation);
}

void emulation_use_buffer(const struct emulation *emulation, uint64_t address, bool is_result,
			  struct finding_list *findings)
{
	const struct allocation *in = device_memory_below(emulation->memory, address);

	if (in && in->address == address)
		undefined_use_buffer(emulation->follower, in, is_result, findings);
}

bool emulation_end_following(struct emulation *emulation)
{
	bool complete = true;

	for (size_t i = 0; i < emulation->memory->count; i++) {
		complete &= !emulation->memory->items[i].undefined.missing;
		undefined_memory_free(&emulation->memory->items[i].undefined);
	}
	follower_free(emulation->follower);
	emulation->follower = NULL;
	emulation->may_be_undefined = false;
	emulation->unchecked_requests = emulation->kept_unchecked;
	return complete;
}
