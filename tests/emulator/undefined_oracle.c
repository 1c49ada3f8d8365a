/* Executes a program of undefined_program.h thread by thread, and says what it uses undefined. */
#include "undefined_oracle.h"

#include <stdlib.h>
#include <string.h>

/* ---- the verdict ---- */

static void add_origin(struct undefined_verdict *verdict, const char *kind, uint32_t line)
{
	verdict->origins[verdict->origin_count].kind = kind;
	verdict->origins[verdict->origin_count++].line = line;
}

void oracle_use(struct oracle *oracle, uint64_t undefined, uint64_t from, uint32_t line)
{
	if (!undefined)
		return;
	oracle->verdict->uses = true;
	oracle->verdict->use_line = line;
	if (from & FROM_REGISTER)
		add_origin(oracle->verdict, "uninitialised register", line);
	for (unsigned i = 0; i < oracle->site_count; i++)
		if (from >> i & 1)
			add_origin(oracle->verdict, oracle->sites[i].kind, oracle->sites[i].line);
	longjmp(oracle->end, 1);
}

void oracle_invalid(struct oracle *oracle)
{
	oracle->verdict->invalid = true;
	longjmp(oracle->end, 1);
}

uint64_t oracle_site(struct oracle *oracle, const char *kind, uint32_t line)
{
	for (unsigned i = 0; i < oracle->site_count; i++)
		if (oracle->sites[i].line == line && oracle->sites[i].kind == kind)
			return UINT64_C(1) << i;
	if (oracle->site_count == MOST_ORIGINS)
		oracle_invalid(oracle);
	oracle->sites[oracle->site_count].kind = kind;
	oracle->sites[oracle->site_count].line = line;
	return UINT64_C(1) << oracle->site_count++;
}

/* ---- registers and memory ---- */

struct oracle_thread *oracle_lane(struct oracle *oracle, unsigned lane)
{
	return &oracle->threads[32 * oracle->warp + lane];
}

struct bits_value oracle_read(const struct oracle_thread *thread,
			      const struct undefined_operand *operand)
{
	if (operand->immediate)
		return (struct bits_value){.bits = (uint64_t)operand->value &
						   low_mask(class_bits[operand->of])};
	return thread->registers[operand->of][operand->index];
}

void oracle_write(struct oracle_thread *thread, const struct undefined_operand *operand,
		  struct bits_value value)
{
	thread->registers[operand->of][operand->index] = value;
}

const char *oracle_read_kind(const struct undefined_node *node)
{
	return node->space == IN_LOCAL    ? "uninitialised local read"
	       : node->space == IN_SHARED ? "uninitialised shared read"
					  : "uninitialised global read";
}

/* The thread whose slot a base means, in the block or, for buffers, in the grid. */
static unsigned slot_of(const struct oracle *oracle, enum undefined_base base, unsigned thread)
{
	const unsigned threads = 32 * oracle->program->warps, first = threads * oracle->block;

	switch (base) {
	case BASE_SHARED_NEXT:
		return (thread + 1) % threads;
	case BASE_SHARED_WARP:
		return (thread + 32) % threads;
	case BASE_OUT_NEXT:
		return first + (thread + 1) % threads;
	case BASE_OUT_BLOCK:
		return (first + thread + threads) % (threads * oracle->program->blocks);
	case BASE_OUT:
	case BASE_IN:
		return first + thread;
	default:
		return thread;
	}
}

static struct oracle_bytes bytes_of(struct oracle *oracle, enum undefined_base base,
				    unsigned thread)
{
	const size_t at = (size_t)slot_of(oracle, base, thread) * UNDEFINED_SLOT;

	if (base == BASE_LOCAL)
		return (struct oracle_bytes){oracle->threads[thread].local,
					     oracle->threads[thread].local_undefined};
	if (base <= BASE_SHARED_WARP)
		return (struct oracle_bytes){oracle->shared + at, oracle->shared_undefined + at};
	if (base == BASE_IN)
		return (struct oracle_bytes){(unsigned char *)oracle->program->in + at,
					     oracle->in_undefined + at};
	return (struct oracle_bytes){oracle->verdict->out + at, oracle->verdict->undefined + at};
}

struct oracle_bytes oracle_place(struct oracle *oracle, const struct undefined_node *node,
				 unsigned lane, int64_t offset, unsigned bytes)
{
	const unsigned thread = 32 * oracle->warp + lane;
	const struct oracle_thread *of = &oracle->threads[thread];
	enum undefined_base base = node->base;
	struct oracle_bytes at;

	if (base == BASE_COMPUTED) {
		oracle_use(oracle, of->computed_undefined, of->computed_from, node->line);
		base = of->computed_base;
		offset += (int64_t)of->computed_offset;
	}
	if (offset < 0 || offset + bytes > UNDEFINED_SLOT || offset % bytes)
		oracle_invalid(oracle);
	at = bytes_of(oracle, base, thread);
	return (struct oracle_bytes){at.data + offset, at.undefined + offset};
}

struct bits_value oracle_load(struct oracle_bytes at, unsigned bytes, uint64_t from)
{
	struct bits_value value = {0};

	memcpy(&value.bits, at.data, bytes);
	memcpy(&value.undefined, at.undefined, bytes);
	value.bits &= ~value.undefined;
	value.from = value.undefined ? from : 0;
	return value;
}

void oracle_store(struct oracle_bytes at, unsigned bytes, struct bits_value value)
{
	memcpy(at.data, &value.bits, bytes);
	memcpy(at.undefined, &value.undefined, bytes);
}

/* ---- operations of one lane ---- */

static void load(struct oracle *oracle, const struct undefined_node *node, unsigned lane)
{
	const struct undefined_node extension = {.from_bits = 8 * node->bytes,
						 .to_bits = 64,
						 .is_signed = node->is_signed,
						 .to_signed = node->is_signed};

	for (unsigned i = 0; i < node->count; i++) {
		struct oracle_bytes at =
			oracle_place(oracle, node, lane, node->offset, node->bytes * node->count);
		struct bits_value value;

		at.data += i * node->bytes;
		at.undefined += i * node->bytes;
		value = oracle_load(at, node->bytes, 0);
		if (value.undefined)
			value.from = oracle_site(oracle, oracle_read_kind(node), node->line);
		oracle_write(oracle_lane(oracle, lane), &node->d[i],
			     converted(&extension, value, class_bits[node->d[i].of]));
	}
}

static void store(struct oracle *oracle, const struct undefined_node *node, unsigned lane)
{
	for (unsigned i = 0; i < node->count; i++) {
		struct oracle_bytes at =
			oracle_place(oracle, node, lane, node->offset, node->bytes * node->count);

		at.data += i * node->bytes;
		at.undefined += i * node->bytes;
		oracle_store(at, node->bytes, oracle_read(oracle_lane(oracle, lane), &node->s[i]));
	}
}

static void compute_address(struct oracle_thread *thread, const struct undefined_node *node)
{
	const struct bits_value value = oracle_read(thread, &node->s[0]);

	thread->computed_base = node->base;
	thread->computed_offset = value.bits & (uint64_t)node->mask;
	thread->computed_undefined = value.undefined & (uint64_t)node->mask;
	thread->computed_from = value.from;
}

static void atomic(struct oracle *oracle, const struct undefined_node *node, unsigned lane)
{
	struct oracle_thread *thread = oracle_lane(oracle, lane);
	const struct oracle_bytes at = oracle_place(oracle, node, lane, node->offset, 4);
	struct bits_value old = oracle_load(at, 4, 0), value = oracle_read(thread, &node->s[0]);

	if (old.undefined)
		value.from |= oracle_site(oracle, oracle_read_kind(node), node->line);
	oracle_use(oracle, old.undefined | value.undefined, value.from, node->line);
	oracle_store(at, 4, (struct bits_value){.bits = old.bits + value.bits});
	if (node->op == DO_ATOMIC)
		oracle_write(thread, &node->d[0], old);
}

static void copy(struct oracle *oracle, const struct undefined_node *node, unsigned lane)
{
	const struct undefined_node target = {.base = BASE_SHARED};
	const struct oracle_bytes from =
		oracle_place(oracle, node, lane, node->offset, node->bytes);
	const struct oracle_bytes to = oracle_place(oracle, &target, lane, node->mask, node->bytes);

	memcpy(to.data, from.data, node->bytes);
	memcpy(to.undefined, from.undefined, node->bytes);
}

static void call(struct oracle *oracle, const struct undefined_node *node, unsigned lane)
{
	struct oracle_thread *thread = oracle_lane(oracle, lane);
	const struct bits_value x = oracle_read(thread, &node->s[0]);
	const struct bits_value y = oracle_read(thread, &node->s[1]);
	struct bits_value result = x;

	if (node->mask == FUNCTION_JOINS)
		result = (struct bits_value){(x.bits & 0xffff) | (y.bits & 0xffff) << 16,
					     (x.undefined & 0xffff) | (y.undefined & 0xffff) << 16,
					     x.from | y.from};
	if (node->mask == FUNCTION_BRANCHES) {
		oracle_use(oracle, x.undefined & 1, x.from, undefined_branch_line);
		result = x.bits & 1 ? y : (struct bits_value){.bits = 7};
	}
	/* The function reads its parameters from memory; which memory, the rule leaves open. */
	oracle_write(thread, &node->d[0], result);
}

static void pack(struct oracle_thread *thread, const struct undefined_node *node)
{
	const unsigned half = class_bits[node->of] / 2;
	struct bits_value low = oracle_read(thread, &node->s[0]);

	if (node->op == DO_PACK) {
		const struct bits_value high = oracle_read(thread, &node->s[1]);

		low.bits |= high.bits << half;
		low.undefined |= high.undefined << half;
		low.from |= high.from;
		oracle_write(thread, &node->d[0], low);
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		struct bits_value part = {low.bits >> (i * half) & low_mask(half),
					  low.undefined >> (i * half) & low_mask(half), low.from};

		oracle_write(thread, &node->d[i], part);
	}
}

static void compute(struct oracle_thread *thread, const struct undefined_node *node)
{
	struct bits_value s[4];

	for (unsigned i = 0; i < 4; i++)
		s[i] = oracle_read(thread, &node->s[i]);
	oracle_write(thread, &node->d[0], simple_value(node->op, class_bits[node->of], s));
}

static void execute_lane(struct oracle *oracle, const struct undefined_node *node, unsigned lane)
{
	struct oracle_thread *thread = oracle_lane(oracle, lane);

	switch (node->op) {
	case DO_CVT:
		oracle_write(thread, &node->d[0],
			     converted(node, oracle_read(thread, &node->s[0]),
				       class_bits[node->d[0].of]));
		break;
	case DO_PACK:
	case DO_UNPACK:
		pack(thread, node);
		break;
	case DO_LOAD:
		load(oracle, node, lane);
		break;
	case DO_STORE:
		store(oracle, node, lane);
		break;
	case DO_ADDRESS:
		compute_address(thread, node);
		break;
	case DO_ATOMIC:
	case DO_REDUCE:
		atomic(oracle, node, lane);
		break;
	case DO_COPY:
		copy(oracle, node, lane);
		break;
	case DO_CALL:
		call(oracle, node, lane);
		break;
	default:
		compute(thread, node);
	}
}

/* ---- control flow ---- */

/* The lanes of `mask` for which the guard holds; it is used. */
static uint32_t guarded_lanes(struct oracle *oracle, const struct undefined_node *node,
			      uint32_t mask)
{
	uint32_t holds = 0;

	for (unsigned lane = 0; lane < 32; lane++) {
		const struct bits_value guard =
			oracle_lane(oracle, lane)->registers[CLASS_P][node->guard];

		if (!(mask >> lane & 1))
			continue;
		oracle_use(oracle, guard.undefined, guard.from, node->line);
		if ((guard.bits != 0) != node->guard_not)
			holds |= UINT32_C(1) << lane;
	}
	return holds;
}

static void execute(struct oracle *oracle, const struct undefined_node *nodes, size_t count,
		    uint32_t mask);

static void execute_loop(struct oracle *oracle, const struct undefined_node *node, uint32_t mask)
{
	struct bits_value bounds[32];

	for (unsigned lane = 0; lane < 32; lane++) {
		bounds[lane] = oracle_read(oracle_lane(oracle, lane), &node->s[0]);
		bounds[lane].undefined &= 3;
		bounds[lane].bits &= 3;
	}
	for (unsigned round = 1; mask; round++) {
		execute(oracle, node->then, node->then_count, mask);
		for (unsigned lane = 0; lane < 32; lane++) {
			if (!(mask >> lane & 1))
				continue;
			oracle_use(oracle, bounds[lane].undefined, bounds[lane].from, node->line);
			if (round >= bounds[lane].bits)
				mask &= ~(UINT32_C(1) << lane);
		}
	}
}

static void execute_node(struct oracle *oracle, const struct undefined_node *node, uint32_t mask)
{
	if (node->op == DO_LOOP) {
		execute_loop(oracle, node, mask);
		return;
	}
	if (node->op == DO_IF) {
		const uint32_t holds = guarded_lanes(oracle, node, mask);

		execute(oracle, node->then, node->then_count, holds);
		execute(oracle, node->otherwise, node->else_count, mask & ~holds);
		return;
	}
	if (node->guarded)
		mask = guarded_lanes(oracle, node, mask);
	if (!mask || oracle_warp_wide(oracle, node, mask))
		return;
	for (unsigned lane = 0; lane < 32; lane++)
		if (mask >> lane & 1)
			execute_lane(oracle, node, lane);
}

static void execute(struct oracle *oracle, const struct undefined_node *nodes, size_t count,
		    uint32_t mask)
{
	for (size_t i = 0; mask && i < count; i++)
		execute_node(oracle, &nodes[i], mask);
}

/* ---- launches ---- */

static void begin_block(struct oracle *oracle)
{
	memset(oracle->shared_undefined, 255, sizeof(oracle->shared_undefined));
	for (unsigned i = 0; i < 32 * oracle->program->warps; i++) {
		struct oracle_thread *thread = &oracle->threads[i];

		for (unsigned of = 0; of < CLASS_COUNT; of++)
			for (unsigned k = 0; k < class_registers[of]; k++)
				thread->registers[of][k] =
					all_undefined(class_bits[of], FROM_REGISTER);
		thread->registers[CLASS_R][0] = (struct bits_value){.bits = i};
		memset(thread->local_undefined, 255, sizeof(thread->local_undefined));
		thread->computed_undefined = 1;
		thread->computed_from = FROM_REGISTER;
	}
}

static void run_launch(struct oracle *oracle, unsigned number)
{
	const struct undefined_program *program = oracle->program;

	for (oracle->block = 0; oracle->block < program->blocks; oracle->block++) {
		begin_block(oracle);
		for (unsigned i = 0; i < program->segment_count[number]; i++)
			for (oracle->warp = 0; oracle->warp < program->warps; oracle->warp++)
				execute(oracle, program->segments[number][i].nodes,
					program->segments[number][i].count, UINT32_MAX);
	}
}

void undefined_judge(struct undefined_verdict *out, const struct undefined_program *program)
{
	struct oracle *oracle = xmalloc(sizeof(*oracle));

	memset(oracle, 0, sizeof(*oracle));
	memset(out, 0, sizeof(*out));
	memset(out->undefined, 255, sizeof(out->undefined));
	oracle->program = program;
	oracle->verdict = out;
	if (!setjmp(oracle->end))
		for (unsigned i = 0; i < program->launches; i++)
			run_launch(oracle, i);
	free(oracle);
}
