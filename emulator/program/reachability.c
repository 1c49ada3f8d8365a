/*
 * Finds what a function reaches, lays out its shared memory, and resolves the addresses in the
 * initial values of variables. nvcc declares a kernel's shared
 * arrays at module scope, so an entry uses only some of a module's variables: those that it or a
 * function that it calls refers to. Entries that share a variable, through a function that both
 * call, have one common layout.
 */
#include "emulator/program/decode.h"

#include <stdlib.h>
#include <string.h>

/* State while the operands of a function are visited. */
struct walk {
	struct program_decoding *all;
	const struct ptx_function *function;
	struct function_reach *reach;
	struct name_index variables, parameters;
	/* By module variable: index + 1 in program_decoding.shared, or 0. */
	uint32_t *module_shared;
	/* The last function that referred to it, + 1: by index in program_decoding.shared, by
	 * function, and by module variable outside shared memory. */
	uint32_t *mentioned, *called, *read;
	size_t mentioned_capacity;
	struct number_list initials; /* variables whose initial addresses are not yet followed */
	uint32_t number;
};

static void number_list_add(struct number_list *list, uint32_t number)
{
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = number;
}

static void note_shared_variable(struct walk *walk, const struct ptx_variable *variable,
				 uint32_t *known)
{
	struct function_reach *reach = walk->reach;
	struct program_decoding *all = walk->all;

	if (variable->external) {
		reach->dynamic = true;
		if (variable->align > reach->dynamic_align)
			reach->dynamic_align = variable->align;
		return;
	}
	if (!*known) {
		all->shared = xgrow(all->shared, &all->shared_capacity, all->shared_count + 1,
				    sizeof(*all->shared));
		walk->mentioned = xgrow(walk->mentioned, &walk->mentioned_capacity,
					all->shared_count + 1, sizeof(*walk->mentioned));
		walk->mentioned[all->shared_count] = 0;
		all->shared[all->shared_count++] =
			(struct shared_variable){.variable = variable, .group = UINT32_MAX};
		*known = (uint32_t)all->shared_count;
	}
	if (walk->mentioned[*known - 1] == walk->number + 1)
		return;
	walk->mentioned[*known - 1] = walk->number + 1;
	number_list_add(&reach->shared, *known - 1);
}

static void note_callee(struct walk *walk, uint32_t number)
{
	struct function_reach *reach = walk->reach;

	if (walk->called[number] == walk->number + 1)
		return;
	walk->called[number] = walk->number + 1;
	number_list_add(&reach->callees, number);
}

/* Records a reference to a name of module scope. */
static void note_module_name(struct walk *walk, const char *name)
{
	const struct ptx_module *module = walk->all->module;
	struct function_reach *reach = walk->reach;
	uint32_t number;

	if (!name_find(&walk->all->variables, name, &number)) {
		if (name_find(&walk->all->functions, name, &number))
			note_callee(walk, number);
		return;
	}
	if (module->variables[number].space == PTX_SPACE_SHARED) {
		note_shared_variable(walk, &module->variables[number],
				     &walk->module_shared[number]);
		return;
	}
	if (walk->read[number] == walk->number + 1)
		return;
	walk->read[number] = walk->number + 1;
	number_list_add(&walk->initials, number);
	number_list_add(&reach->variables, number);
}

/* The initial value of a variable may be the address of a function, which may then be called. */
static void follow_initial_addresses(struct walk *walk)
{
	while (walk->initials.count) {
		const struct ptx_variable *variable =
			&walk->all->module->variables[walk->initials.items[--walk->initials.count]];

		for (size_t i = 0; i < variable->relocation_count; i++)
			note_module_name(walk, variable->relocations[i].symbol);
	}
}

static void note_name(struct walk *walk, const char *name, bool as_address, uint32_t *own_shared)
{
	uint32_t number;

	if (name_find(&walk->variables, name, &number)) {
		if (walk->function->variables[number].space == PTX_SPACE_SHARED)
			note_shared_variable(walk, &walk->function->variables[number],
					     &own_shared[number]);
	} else if (name_find(&walk->parameters, name, &number)) {
		if (!as_address)
			walk->reach->address_taken[number] = true;
	} else {
		note_module_name(walk, name);
	}
}

static void walk_operand(struct walk *walk, const struct ptx_operand *operand, bool as_address,
			 uint32_t *own_shared)
{
	if (operand->kind == PTX_OPERAND_SYMBOL)
		note_name(walk, operand->name, as_address, own_shared);
	for (size_t i = 0; i < operand->element_count; i++)
		walk_operand(walk, &operand->elements[i], operand->kind == PTX_OPERAND_ADDRESS,
			     own_shared);
}

static void walk_function(struct walk *walk, uint32_t number)
{
	const struct ptx_function *function = &walk->all->module->functions[number];
	uint32_t *own_shared = xcalloc(function->variable_count + 1, sizeof(*own_shared));

	walk->function = function;
	walk->number = number;
	walk->reach = &walk->all->reach[number];
	walk->reach->address_taken = xcalloc(function->parameter_count + 1, sizeof(bool));
	for (size_t i = 0; i < function->variable_count; i++)
		name_add(&walk->variables, function->variables[i].name, (uint32_t)i);
	for (size_t i = 0; i < function->parameter_count; i++)
		name_add(&walk->parameters, function->parameters[i].name, (uint32_t)i);
	for (size_t i = 0; i < function->statement_count; i++) {
		const struct ptx_statement *statement = &function->statements[i];

		for (size_t j = 0; j < statement->operand_count; j++)
			walk_operand(walk, &statement->operands[j], false, own_shared);
	}
	follow_initial_addresses(walk);
	name_index_release(&walk->variables);
	name_index_release(&walk->parameters);
	free(own_shared);
}

/* A work list instead of recursion: untrusted PTX may have call chains of any depth. */
struct reached_list {
	struct number_list functions;
	uint32_t *stamp; /* by function: the last root + 1 that reached it */
};

static void reached_list_add(struct reached_list *list, uint32_t function, uint32_t root)
{
	if (list->stamp[function] == root + 1)
		return;
	list->stamp[function] = root + 1;
	number_list_add(&list->functions, function);
}

/* Collects what is reachable from a root, the root first. Visits functions that were not visited
 * yet. */
static void collect_reachable(struct walk *walk, struct reached_list *list, uint32_t root)
{
	list->functions.count = 0;
	reached_list_add(list, root, root);
	for (size_t i = 0; i < list->functions.count; i++) {
		struct function_reach *reach = &walk->all->reach[list->functions.items[i]];

		if (!reach->reached) {
			reach->reached = true;
			walk_function(walk, list->functions.items[i]);
		}
		for (size_t j = 0; j < reach->callees.count; j++)
			reached_list_add(list, reach->callees.items[j], root);
	}
}

static uint32_t find_group(uint32_t *parents, uint32_t root)
{
	while (parents[root] != root) {
		parents[root] = parents[parents[root]];
		root = parents[root];
	}
	return root;
}

/* Joins the groups of roots that reach the same variable, or the same function that uses dynamic
 * shared memory. */
static void join_groups(struct program_decoding *all, const struct reached_list *list,
			uint32_t root, uint32_t *parents, uint32_t *dynamic_roots)
{
	for (size_t i = 0; i < list->functions.count; i++) {
		const struct function_reach *reach = &all->reach[list->functions.items[i]];
		uint32_t *dynamic_root = &dynamic_roots[list->functions.items[i]];

		for (size_t j = 0; j < reach->shared.count; j++) {
			struct shared_variable *shared = &all->shared[reach->shared.items[j]];

			if (shared->group == UINT32_MAX)
				shared->group = root;
			else
				parents[find_group(parents, root)] =
					find_group(parents, shared->group);
		}
		if (!reach->dynamic)
			continue;
		if (*dynamic_root == UINT32_MAX)
			*dynamic_root = root;
		else
			parents[find_group(parents, root)] = find_group(parents, *dynamic_root);
	}
}

static int compare_align(const void *left, const void *right, void *context)
{
	const struct program_decoding *all = context;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	int64_t a = all->shared[i].variable->align, b = all->shared[j].variable->align;

	return a != b ? (a < b ? 1 : -1) : (i > j) - (i < j);
}

static int64_t align_offset(int64_t offset, int64_t align)
{
	return align > 1 ? (offset + align - 1) / align * align : offset;
}

/* Assigns offsets in each group, the largest alignment first. `ends` is by group. */
static void lay_out_shared_groups(struct program_decoding *all, uint32_t *parents, int64_t *ends)
{
	uint32_t *order = xcalloc(all->shared_count + 1, sizeof(*order));

	for (size_t i = 0; i < all->shared_count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, all->shared_count, sizeof(*order), compare_align, all);
	for (size_t i = 0; i < all->shared_count; i++) {
		struct shared_variable *shared = &all->shared[order[i]];
		int64_t *end = &ends[find_group(parents, shared->group)];
		int64_t bytes = shared->variable->bytes, align = shared->variable->align;

		/* A layout over the limit is reported when the function is decoded. */
		if (bytes > MAX_SHARED_BYTES || align > MAX_SHARED_BYTES ||
		    *end > MAX_SHARED_BYTES) {
			*end = INT64_C(2) * MAX_SHARED_BYTES;
			continue;
		}
		shared->offset = align_offset(*end, align);
		*end = shared->offset + bytes;
	}
	free(order);
}

/* Sets the size of a root's static shared memory, and where dynamic shared memory begins in the
 * functions that it reaches. */
static void set_shared_ends(struct program_decoding *all, const struct reached_list *list,
			    uint32_t root, int64_t group_end)
{
	int64_t end = 0, align = 0;

	for (size_t i = 0; i < list->functions.count; i++) {
		const struct function_reach *reach = &all->reach[list->functions.items[i]];

		if (reach->dynamic_align > align)
			align = reach->dynamic_align;
		for (size_t j = 0; j < reach->shared.count; j++) {
			const struct shared_variable *shared = &all->shared[reach->shared.items[j]];
			int64_t after = shared->offset + shared->variable->bytes;

			if (after > end)
				end = after;
		}
	}
	if (group_end > MAX_SHARED_BYTES || align > MAX_SHARED_BYTES)
		end = INT64_C(2) * MAX_SHARED_BYTES;
	else if (align)
		end = align_offset(group_end, align);
	all->reach[root].root = true;
	all->reach[root].shared_bytes = end;
	for (size_t i = 0; align && i < list->functions.count; i++) {
		struct function_reach *reach = &all->reach[list->functions.items[i]];

		if (reach->dynamic && end > reach->dynamic_at)
			reach->dynamic_at = end;
	}
}

void find_reachable(struct program_decoding *all, uint32_t only)
{
	size_t functions = all->module->function_count;
	uint32_t first = only == UINT32_MAX ? 0 : only;
	uint32_t last = only == UINT32_MAX ? (uint32_t)functions : only + 1;
	uint32_t *parents = xcalloc(functions + 1, sizeof(*parents));
	uint32_t *dynamic_roots = xcalloc(functions + 1, sizeof(*dynamic_roots));
	int64_t *ends = xcalloc(functions + 1, sizeof(*ends));
	struct reached_list list = {.stamp = xcalloc(functions + 1, sizeof(*list.stamp))};
	struct walk walk = {
		.all = all,
		.module_shared = xcalloc(all->module->variable_count + 1, sizeof(uint32_t)),
		.called = xcalloc(functions + 1, sizeof(uint32_t)),
		.read = xcalloc(all->module->variable_count + 1, sizeof(uint32_t)),
	};

	for (size_t i = 0; i < functions; i++) {
		parents[i] = (uint32_t)i;
		dynamic_roots[i] = UINT32_MAX;
	}
	for (uint32_t root = first; root < last; root++) {
		collect_reachable(&walk, &list, root);
		join_groups(all, &list, root, parents, dynamic_roots);
	}
	lay_out_shared_groups(all, parents, ends);
	memset(list.stamp, 0, (functions + 1) * sizeof(*list.stamp));
	for (uint32_t root = first; root < last; root++) {
		collect_reachable(&walk, &list, root);
		set_shared_ends(all, &list, root, ends[find_group(parents, root)]);
	}
	free(parents);
	free(dynamic_roots);
	free(ends);
	free(list.stamp);
	free(list.functions.items);
	free(walk.module_shared);
	free(walk.mentioned);
	free(walk.called);
	free(walk.read);
	free(walk.initials.items);
}

void reachable_release(struct program_decoding *all)
{
	for (size_t i = 0; i < all->module->function_count; i++) {
		free(all->reach[i].callees.items);
		free(all->reach[i].shared.items);
		free(all->reach[i].variables.items);
		free(all->reach[i].address_taken);
	}
	free(all->reach);
	free(all->shared);
}

int64_t shared_variable_offset(const struct program_decoding *all,
			       const struct function_reach *reach,
			       const struct ptx_variable *variable)
{
	if (variable->external)
		return reach->dynamic_at;
	for (size_t i = 0; i < reach->shared.count; i++) {
		if (all->shared[reach->shared.items[i]].variable == variable)
			return all->shared[reach->shared.items[i]].offset;
	}
	return 0;
}

/* ---- addresses in initial values: tables of functions and of pointers ---- */

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
	is_function = !name_find(&all->variables, from->symbol, &out->target);
	out->is_function = is_function;
	if (is_function && !name_find(&all->functions, from->symbol, &out->target))
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

	for (size_t i = 0; i < reach->variables.count; i++) {
		const struct ptx_variable *variable =
			&all->module->variables[reach->variables.items[i]];

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
