#include "emulator/machine/fused_instructions.h"

#include <stdlib.h>

/* Two instructions are faster one by one. */
#define CHAIN_LEAST 3
/* Rows begin at multiples of this (program.h). */
#define ROW_BYTES 128
/* How far behind a move its result may be read and overwritten. */
#define REACH 32

struct series_builder {
	const struct program_function *function;
	struct instruction *code;
	const struct handlers *handlers;
	/* By number of 128 bytes in the register file, which begins with the constants. */
	const struct program_constant **constants;
	uint32_t constants_end;   /* byte */
	struct chain_link *links; /* of all chains of the function */
	size_t link_count;
};

static void find_constants(struct series_builder *builder)
{
	const struct program_function *function = builder->function;

	for (size_t i = 0; i < function->constant_count; i++)
		if (function->constants[i].row >= builder->constants_end)
			builder->constants_end = function->constants[i].row + ROW_BYTES;
	builder->constants = xcalloc(builder->constants_end / ROW_BYTES + 1, sizeof(void *));
	for (size_t i = 0; i < function->constant_count; i++)
		builder->constants[function->constants[i].row / ROW_BYTES] =
			&function->constants[i];
}

/* The constant in a row; NULL: none. */
static const struct program_constant *constant_in(const struct series_builder *builder,
						  uint32_t row)
{
	return row < builder->constants_end ? builder->constants[row / ROW_BYTES] : NULL;
}

/* ---- moves of constants ---- */

static enum step skip_moves(struct warp *warp, const struct instruction *at)
{
	(void)warp;
	(void)at;
	return STEP_NEXT;
}

static bool moves_constant(const struct series_builder *builder, const struct instruction *at)
{
	return (at->operation == ALU_MOV_B32 || at->operation == ALU_MOV_B64) && at->dst &&
	       constant_in(builder, at->a);
}

/* Whether it always writes its whole result, in each lane that executes it. */
static bool overwrites(const struct instruction *at)
{
	return alu_row_of(at->operation) || at->operation == OP_LOAD;
}

/* Whether an operand belongs to the instruction alone, and so can be replaced. */
static bool is_own(const struct instruction *at, const uint32_t *operand)
{
	return (const char *)operand >= (const char *)at &&
	       (const char *)operand < (const char *)(at + 1);
}

/* Returns the instruction that overwrites the result of the move at `from`, before which all that
 * reads it can read another row; 0: there is none. Lanes do not change before `end`. */
static size_t last_use(const struct series_builder *builder, size_t from, size_t end)
{
	struct instruction *code = builder->code;
	const uint32_t row = code[from].dst;

	for (size_t i = from + 1; i < end && i <= from + REACH; i++) {
		struct instruction_operands operands;

		instruction_operands(builder->function, &code[i], &operands);
		for (size_t k = 0; k < operands.read_count; k++)
			if (*operands.reads[k] == row && !is_own(&code[i], operands.reads[k]))
				return 0;
		for (size_t k = 0; k < operands.write_count; k++)
			if (*operands.writes[k] == row)
				return overwrites(&code[i]) ? i : 0;
	}
	return 0;
}

/* Has the uses of a move read its constant. Returns false if one of them cannot. */
static bool forward_constant(const struct series_builder *builder, size_t from, size_t end)
{
	struct instruction *code = builder->code;
	const size_t last = last_use(builder, from, end);

	for (size_t i = from + 1; i <= last; i++) {
		struct instruction_operands operands;

		instruction_operands(builder->function, &code[i], &operands);
		for (size_t k = 0; k < operands.read_count; k++)
			if (*operands.reads[k] == code[from].dst)
				*operands.reads[k] = code[from].a;
	}
	return last != 0;
}

/* ---- chains ---- */

/* Fills the link of an instruction that has the row `value` as an operand; as a second one, it is
 * read as a row. Returns false if it has not. */
static bool make_link(const struct series_builder *builder, struct chain_link *link,
		      const struct instruction *at, uint32_t value)
{
	const struct program_constant *c = constant_in(builder, at->c);

	if (at->a != value && at->b != value && at->c != value)
		return false;
	*link = (struct chain_link){
		.factor = at->a == value ? at->b : at->a,
		.other = at->c,
		.dst = at->dst,
		.kind = LINK_FACTOR,
	};
	if (at->a != value && at->b != value) {
		link->factor = at->b;
		link->other = at->a;
		link->kind = LINK_ADDEND;
	} else if (c && c->kind == CONSTANT_BITS) {
		link->other = (uint32_t)c->bits;
		link->kind = LINK_FACTOR_BITS;
	}
	return true;
}

static bool link_reads(const struct chain_link *link, uint32_t row)
{
	return link->factor == row || (link->kind != LINK_FACTOR_BITS && link->other == row);
}

/* Whether a later link overwrites the result of links[0] before it is read as a row. */
static bool is_passed(const struct chain_link *links, size_t count)
{
	for (size_t i = 1; i < count && i < REACH; i++) {
		if (link_reads(&links[i], links[0].dst))
			return false;
		if (links[i].dst == links[0].dst)
			return true;
	}
	return false;
}

/* Gives the chain that begins at `head` its handler, if it is one. Returns the instruction behind
 * it. */
static struct instruction *build_chain(struct series_builder *builder, struct instruction *head,
				       const struct instruction *end)
{
	instruction_handler *run = builder->handlers->chain(head);
	struct chain_link *links = builder->links + builder->link_count;
	struct instruction *last = head, *next = head + (head->next - head);
	size_t count = 1;

	if (!run)
		return next;
	links[0] = (struct chain_link){.dst = head->dst};
	while (next < end && next->operation == head->operation &&
	       make_link(builder, &links[count], next, last->dst)) {
		last = next;
		next += next->next - next;
		count++;
	}
	if (count < CHAIN_LEAST)
		return next;
	for (size_t i = 0; i < count; i++)
		if (is_passed(links + i, count - i))
			links[i].dst = 0;
	head->run_series = run;
	head->next = next;
	head->links = links;
	head->link_count = (uint32_t)count;
	builder->link_count += count;
	return next;
}

/* ---- straight code ---- */

/* Instructions without guards that the same lanes execute. */
static void build_straight(struct series_builder *builder, size_t begin, size_t end)
{
	struct instruction *code = builder->code, *next = code + end;

	for (size_t i = begin; i < end; i++)
		if (moves_constant(builder, &code[i]) && forward_constant(builder, i, end))
			code[i].run_series = skip_moves;
	for (size_t i = end; i-- > begin;) {
		code[i].next = next;
		if (code[i].run_series != skip_moves)
			next = &code[i];
	}
	for (next = code + begin; next < code + end;)
		next = build_chain(builder, next, code + end);
}

struct chain_link *series_build(const struct control_flow *flow, struct instruction *code,
				const struct handlers *handlers)
{
	const size_t count = flow->function->code_count;
	struct series_builder builder = {
		.function = flow->function, .code = code, .handlers = handlers};

	builder.links = xcalloc(count + 1, sizeof(*builder.links));
	find_constants(&builder);
	for (size_t i = 0; i < count; i++) {
		code[i].run_series = code[i].run;
		code[i].next = &code[i + 1];
	}
	for (size_t i = 0; i < count; i++) {
		if (flow->steps[i].guard != GUARD_NONE)
			continue;
		build_straight(&builder, i, flow->steps[i].end);
		i = flow->steps[i].end - 1;
	}
	free(builder.constants);
	return builder.links;
}
