/*
 * Computes the counts of an emulation, in total and per source line, from the
 * counts of basic blocks and of single instructions.
 */
#include "emulator/machine/emulation.h"
#include "emulator/program/decode.h"

#include <stdlib.h>
#include <string.h>

/* ---- one instruction ---- */

/* An instruction, its statement and its counts. */
struct counted {
	const struct instruction *at;
	const struct ptx_statement *statement;
	const struct instruction_count *count;
	uint64_t warps, lanes;
	/* For OP_MATRIX_PRODUCT and OP_GROUP_PRODUCT: the type of its factors, operations of a
	 * warp, and how many times it was executed. */
	enum matrix_type product_type;
	uint64_t product_operations, products;
};

static void set_product(struct counted *out, const struct program_function *function)
{
	const struct program_product *product;
	uint64_t columns;

	if (out->at->operation == OP_MATRIX_PRODUCT) {
		product = &function->products[out->at->target];
		columns = product->n * (product->quads ? 4U : 1U);
	} else if (out->at->operation == OP_GROUP_PRODUCT) {
		product = &function->group_products[out->at->target].part;
		columns = function->group_products[out->at->target].n;
	} else {
		return;
	}
	out->product_type = (enum matrix_type)product->a_type;
	out->product_operations = columns * 2 * product->m * product->k;
}

static struct counted counted_at(const struct emulation *emulation, size_t function, size_t index)
{
	const struct program_function *of = &emulation->program.functions[function];
	const struct control_flow *flow = &emulation->flows[function];
	const struct block_count *block = &flow->blocks[flow->steps[index].block];
	struct counted counted = {.at = &of->code[index],
				  .count = &emulation->counts[function][index]};

	counted.statement = instruction_statement(of, counted.at);
	set_product(&counted, of);
	if (counted.product_operations) {
		/* The lanes of a warp execute it together. */
		counted.products =
			counted.at->guard ? counted.count->guarded_lanes / LANES : block->warps;
	}
	if (counted.at->auxiliary)
		return counted;
	counted.warps = block->warps;
	/* All active lanes take part in the decision of a branch, whichever way they go. */
	counted.lanes = counted.at->guard && counted.at->operation != OP_BRA
				? counted.count->guarded_lanes
				: block->lanes;
	return counted;
}

static uint64_t *product_count(struct emulated_counts *counts, enum matrix_type type)
{
	switch (type) {
	case MATRIX_F64:
		return &counts->tensor_f64_flop;
	case MATRIX_TF32:
		return &counts->tensor_tf32_flop;
	case MATRIX_F16:
		return &counts->tensor_f16_flop;
	case MATRIX_BF16:
		return &counts->tensor_bf16_flop;
	case MATRIX_E4M3:
	case MATRIX_E5M2:
		return &counts->tensor_f8_flop;
	default:
		return &counts->tensor_integer_operations;
	}
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}
#define IS_ONE_OF(word, ...)                                \
	is_one_of(word, (const char *const[]){__VA_ARGS__}, \
		  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

enum number_type { NUMBER_NONE, NUMBER_HALF, NUMBER_SINGLE, NUMBER_DOUBLE };

static enum number_type number_type(const struct ptx_statement *statement, unsigned *elements)
{
	*elements = 1;
	if (statement_has_modifier(statement, "f32"))
		return NUMBER_SINGLE;
	if (statement_has_modifier(statement, "f64"))
		return NUMBER_DOUBLE;
	if (statement_has_modifier(statement, "f16") || statement_has_modifier(statement, "bf16"))
		return NUMBER_HALF;
	*elements = 2;
	if (statement_has_modifier(statement, "f16x2") ||
	    statement_has_modifier(statement, "bf16x2"))
		return NUMBER_HALF;
	return statement_has_modifier(statement, "f32x2") ? NUMBER_SINGLE : NUMBER_NONE;
}

static void add_operations(struct emulated_counts *out, const struct counted *counted)
{
	const char *base = counted->statement->base;
	unsigned elements, operations = 0;
	enum number_type type;

	if (IS_ONE_OF(base, "add", "sub", "mul"))
		operations = 1;
	else if (IS_ONE_OF(base, "fma", "mad"))
		operations = 2;
	else if (!IS_ONE_OF(base, "div", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos",
			    "tanh"))
		return;
	type = number_type(counted->statement, &elements);
	if (type == NUMBER_NONE)
		return;
	if (!operations)
		out->special_flop += counted->lanes * elements;
	else if (type == NUMBER_HALF)
		out->f16_flop += counted->lanes * operations * elements;
	else if (type == NUMBER_SINGLE)
		out->f32_flop += counted->lanes * operations * elements;
	else
		out->f64_flop += counted->lanes * operations;
}

/* Requests of an instruction to one space. */
static uint64_t requests_in(const struct counted *counted, enum ptx_space space)
{
	const struct instruction_count *count = counted->count;

	if (counted->at->operation == OP_COPY) /* accesses both global and shared memory */
		return count->requests;
	if (counted->at->space != PTX_SPACE_GENERIC)
		return counted->at->space == space ? count->requests : 0;
	return space == PTX_SPACE_GLOBAL   ? count->requests
	       : space == PTX_SPACE_SHARED ? count->shared_requests
					   : count->local_requests;
}

static void add_global(struct emulated_counts *out, const struct counted *counted)
{
	const struct instruction_count *count = counted->count;
	uint64_t requests = requests_in(counted, PTX_SPACE_GLOBAL);

	/* The instruction accesses other spaces only. */
	if (!requests)
		return;
	if (counted->at->operation == OP_LOAD) {
		out->global_load_requests += requests;
		out->global_load_sectors += count->sectors;
		out->global_load_bytes += count->bytes;
	} else if (counted->at->operation == OP_STORE) {
		out->global_store_requests += requests;
		out->global_store_sectors += count->sectors;
		out->global_store_bytes += count->bytes;
	} else if (counted->at->result_unused) {
		out->global_reduction_requests += requests;
		out->global_reduction_sectors += count->sectors;
	} else {
		out->global_atomic_requests += requests;
		out->global_atomic_sectors += count->sectors;
	}
}

static bool is_load(const struct counted *counted)
{
	return counted->at->operation == OP_LOAD || counted->at->operation == OP_MATRIX_LOAD;
}

static bool is_store(const struct counted *counted)
{
	return counted->at->operation == OP_STORE || counted->at->operation == OP_MATRIX_STORE;
}

static void add_shared(struct emulated_counts *out, const struct counted *counted)
{
	const struct instruction_count *count = counted->count;
	uint64_t requests = requests_in(counted, PTX_SPACE_SHARED);

	out->remote_shared_requests += count->remote_requests;
	out->shared_bank_conflicts += count->wavefronts - count->ideal_wavefronts;
	if (is_load(counted)) {
		out->shared_load_requests += requests;
		out->shared_load_wavefronts += count->wavefronts;
	} else if (is_store(counted)) {
		out->shared_store_requests += requests;
		out->shared_store_wavefronts += count->wavefronts;
	} else {
		out->shared_atomic_requests += requests;
	}
}

static void add_memory(struct emulated_counts *out, const struct counted *counted)
{
	if (counted->at->operation == OP_ATOMIC) {
		out->atomic_lanes += counted->lanes;
		out->atomic_serialised += counted->count->serialised;
	}
	add_global(out, counted);
	add_shared(out, counted);
	if (counted->at->operation == OP_LOAD)
		out->local_load_requests += requests_in(counted, PTX_SPACE_LOCAL);
	else if (counted->at->operation == OP_STORE)
		out->local_store_requests += requests_in(counted, PTX_SPACE_LOCAL);
}

static void add_copy(struct emulated_counts *out, const struct instruction_count *count)
{
	out->async_copy_requests += count->requests;
	out->async_copy_sectors += count->sectors;
	out->async_copy_wavefronts += count->wavefronts;
}

static bool is_memory(const struct counted *counted)
{
	return is_load(counted) || is_store(counted) || counted->at->operation == OP_ATOMIC ||
	       counted->at->operation == OP_COPY;
}

/* A branch on which a warp may split. */
static bool is_conditional(const struct counted *counted)
{
	return (counted->at->operation == OP_BRA && counted->at->guard) ||
	       counted->at->operation == OP_BRX;
}

static void add_instruction(struct emulated_counts *out, const struct counted *counted)
{
	out->warp_instructions += counted->warps;
	out->lane_instructions += counted->lanes;
	if (is_conditional(counted)) {
		out->branches += counted->warps;
		out->divergent_branches += counted->count->divergent;
	}
	switch (counted->at->operation) {
	case OP_BARRIER:
	case OP_BARRIER_REDUCE:
	case OP_BARRIER_ARRIVE:
		out->barriers += counted->warps;
		break;
	case OP_LOAD:
	case OP_STORE:
	case OP_MATRIX_LOAD:
	case OP_MATRIX_STORE:
	case OP_ATOMIC:
		add_memory(out, counted);
		break;
	case OP_COPY:
		add_copy(out, counted->count);
		break;
	case OP_BULK_COPY:
	case OP_BULK_REDUCE:
		out->bulk_copies += counted->count->requests;
		out->bulk_bytes += counted->count->bytes;
		break;
	case OP_MATRIX_PRODUCT:
	case OP_GROUP_PRODUCT:
		*product_count(out, counted->product_type) +=
			counted->products * counted->product_operations;
		break;
	default:
		add_operations(out, counted);
	}
}

uint64_t emulated_product_operations(const struct emulated_counts *counts)
{
	return counts->tensor_f64_flop + counts->tensor_tf32_flop + counts->tensor_f16_flop +
	       counts->tensor_bf16_flop + counts->tensor_f8_flop +
	       counts->tensor_integer_operations;
}

/* ---- all instructions ---- */

void emulation_counts(const struct emulation *emulation, struct emulated_counts *out)
{
	*out = (struct emulated_counts){.blocks_executed = emulation->blocks_executed,
					.blocks_total = emulation->blocks_total,
					.unchecked_requests = emulation->unchecked_requests};
	for (size_t i = 0; i < emulation->program.function_count; i++)
		for (size_t k = 0; k < emulation->program.functions[i].code_count; k++) {
			struct counted counted = counted_at(emulation, i, k);

			add_instruction(out, &counted);
		}
}

static bool is_bulk_copy_of_global(const struct program_function *function,
				   const struct instruction *at)
{
	const struct program_bulk_copy *copy;

	if (at->operation != OP_BULK_COPY && at->operation != OP_BULK_REDUCE)
		return false;
	copy = &function->bulk_copies[at->target];
	return copy->to.space != PTX_SPACE_SHARED || copy->from.space != PTX_SPACE_SHARED;
}

uint64_t emulation_global_requests(const struct emulation *emulation)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < emulation->program.function_count; i++)
		for (size_t k = 0; k < emulation->program.functions[i].code_count; k++) {
			const struct counted counted = {
				.at = &emulation->program.functions[i].code[k],
				.count = &emulation->counts[i][k],
			};

			if (is_memory(&counted))
				sum += requests_in(&counted, PTX_SPACE_GLOBAL);
			else if (is_bulk_copy_of_global(&emulation->program.functions[i],
							counted.at))
				sum += counted.count->requests;
		}
	return sum;
}

void emulation_counts_reset(struct emulation *emulation)
{
	for (size_t i = 0; i < emulation->program.function_count; i++) {
		struct control_flow *flow = &emulation->flows[i];
		size_t count = emulation->program.functions[i].code_count;

		if (!count)
			continue;
		memset(flow->blocks, 0, flow->block_count * sizeof(*flow->blocks));
		memset(emulation->counts[i], 0, count * sizeof(**emulation->counts));
	}
	emulation->unchecked_requests = 0;
	emulation->blocks_executed = emulation->blocks_total = 0;
}

/* ---- by line ---- */

static int compare_lines(const void *left, const void *right)
{
	const struct line_count *a = left, *b = right;
	int by_file = !a->file || !b->file ? (a->file != NULL) - (b->file != NULL)
					   : strcmp(a->file, b->file);

	return by_file ? by_file : (a->line > b->line) - (a->line < b->line);
}

static void add_to_line(struct line_count *to, const struct line_count *from)
{
	to->instructions += from->instructions;
	to->lanes += from->lanes;
	to->branches += from->branches;
	to->divergent += from->divergent;
	to->requests += from->requests;
	to->sectors += from->sectors;
	to->shared_requests += from->shared_requests;
	to->wavefronts += from->wavefronts;
	to->conflicts += from->conflicts;
}

/* The counts of one instruction at its line; the file name is borrowed. */
static struct line_count line_count_of(const struct ptx_module *module,
				       const struct counted *counted)
{
	const struct ptx_statement *statement = counted->statement;
	const struct instruction_count *count = counted->count;
	struct line_count line = {.line = statement->line,
				  .instructions = (int64_t)counted->warps,
				  .lanes = (int64_t)counted->lanes};

	if (statement->source_line && statement->file < module->file_count &&
	    module->files[statement->file]) {
		line.file = (char *)module->files[statement->file];
		line.line = statement->source_line;
	}
	if (is_conditional(counted)) {
		line.branches = (int64_t)counted->warps;
		line.divergent = (int64_t)count->divergent;
	}
	if (!is_memory(counted))
		return line;
	line.requests = (int64_t)requests_in(counted, PTX_SPACE_GLOBAL);
	line.sectors = line.requests ? (int64_t)count->sectors : 0;
	line.shared_requests = (int64_t)requests_in(counted, PTX_SPACE_SHARED);
	line.wavefronts = (int64_t)count->wavefronts;
	line.conflicts = (int64_t)(count->wavefronts - count->ideal_wavefronts);
	return line;
}

/* Sorts the lines and adds up equal ones; file names are borrowed. Returns the new count. */
static size_t join_lines(struct line_count *lines, size_t count)
{
	size_t kept = 0;

	qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++) {
		if (kept && !compare_lines(&lines[kept - 1], &lines[i]))
			add_to_line(&lines[kept - 1], &lines[i]);
		else
			lines[kept++] = lines[i];
	}
	return kept;
}

void emulation_lines(const struct emulation *emulation, struct line_count_list *out)
{
	struct line_count_list joined = {0};
	struct line_count *lines = NULL;
	size_t count = 0, capacity = 0;

	for (size_t i = 0; i < emulation->program.function_count; i++)
		for (size_t k = 0; k < emulation->program.functions[i].code_count; k++) {
			struct counted counted = counted_at(emulation, i, k);

			/* Some accesses of wmma are not counted as instructions. */
			if (!counted.warps &&
			    !(is_memory(&counted) && (requests_in(&counted, PTX_SPACE_GLOBAL) ||
						      requests_in(&counted, PTX_SPACE_SHARED))))
				continue;
			lines = xgrow(lines, &capacity, count + 1, sizeof(*lines));
			lines[count++] = line_count_of(emulation->program.module, &counted);
		}
	for (size_t i = 0; i < out->count; i++) {
		lines = xgrow(lines, &capacity, count + 1, sizeof(*lines));
		lines[count++] = out->items[i];
	}
	count = count ? join_lines(lines, count) : 0;
	for (size_t i = 0; i < count; i++)
		add_to_line(line_count_list_add(&joined, lines[i].file, lines[i].line), &lines[i]);
	line_count_list_release(out);
	*out = joined;
	free(lines);
}
