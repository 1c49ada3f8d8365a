/*
 * Atomics on global, shared and generic addresses. The lanes execute in
 * ascending order, so floating-point sums are the same in every run.
 */
#include "emulator/lanes/alu_convert.h"
#include "emulator/lanes/memory.h"
#include "emulator/machine/barriers/mbarrier.h"
#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/copies/bulk.h"

/* The operands of the lanes, as bits of their type, and the old values that they receive. */
struct atomic_operands {
	uint64_t b[LANES], c[LANES], old[LANES];
};

/* An f32 sum in global memory flushes subnormals to zero. */
static uint32_t sum_f32_bits(uint32_t left, uint32_t right, bool global)
{
	float a = f32_of_bits(left), b = f32_of_bits(right);

	return bits_of_f32(global ? ftz(add_f32(ftz(a), ftz(b), ROUND_RN))
				  : add_f32(a, b, ROUND_RN));
}

/* In global memory the NaN of the operand, else of the memory, is kept unchanged, quiet or not. In
 * shared memory the NaN of the memory has priority. */
static uint64_t sum_f64_bits(uint64_t left, uint64_t right, bool global)
{
	double a = f64_of_bits(left), b = f64_of_bits(right);

	if (global && (a != a || b != b))
		return b != b ? right : left;
	return bits_of_f64(add_f64(b, a, ROUND_RN));
}

static bool is_less(uint64_t a, uint64_t b, enum value_type type)
{
	switch (type) {
	case TYPE_s32:
		return (int32_t)(uint32_t)a < (int32_t)(uint32_t)b;
	case TYPE_s64:
		return (int64_t)a < (int64_t)b;
	default:
		return a < b;
	}
}

/* The new value. The store drops the bits beyond the width of the type. */
ALWAYS_INLINE uint64_t atomic_result(uint64_t old, uint64_t b, uint64_t c, enum atomic_kind kind,
				     enum value_type type, bool global)
{
	switch (kind) {
	case ATOMIC_ADD:
		return type == TYPE_f32   ? sum_f32_bits((uint32_t)old, (uint32_t)b, global)
		       : type == TYPE_f64 ? sum_f64_bits(old, b, global)
					  : old + b;
	case ATOMIC_ADD_FTZ:
		return sum_f32_bits((uint32_t)old, (uint32_t)b, true);
	case ATOMIC_MIN:
		return is_less(b, old, type) ? b : old;
	case ATOMIC_MAX:
		return is_less(old, b, type) ? b : old;
	case ATOMIC_AND:
		return old & b;
	case ATOMIC_OR:
		return old | b;
	case ATOMIC_XOR:
		return old ^ b;
	case ATOMIC_EXCH:
		return b;
	case ATOMIC_CAS:
		return old == b ? c : old;
	case ATOMIC_INC:
		return old >= b ? 0 : old + 1;
	case ATOMIC_DEC:
		return old == 0 || old > b ? b : old - 1;
	case ATOMIC_ADD_F16:
		return type == TYPE_b16 ? half_add((uint16_t)old, (uint16_t)b)
					: PAIR_OF_TWO(half_add, old, b);
	case ATOMIC_ADD_BF16:
		return type == TYPE_b16 ? bfloat_add((uint16_t)old, (uint16_t)b)
					: PAIR_OF_TWO(bfloat_add, old, b);
	case ATOMIC_MIN_F16:
		return type == TYPE_b16 ? half_min((uint16_t)old, (uint16_t)b)
					: PAIR_OF_TWO(half_min, old, b);
	case ATOMIC_MIN_BF16:
		return type == TYPE_b16 ? bfloat_min((uint16_t)old, (uint16_t)b)
					: PAIR_OF_TWO(bfloat_min, old, b);
	case ATOMIC_MAX_F16:
		return type == TYPE_b16 ? half_max((uint16_t)old, (uint16_t)b)
					: PAIR_OF_TWO(half_max, old, b);
	case ATOMIC_MAX_BF16:
		return type == TYPE_b16 ? bfloat_max((uint16_t)old, (uint16_t)b)
					: PAIR_OF_TWO(bfloat_max, old, b);
	}
	return old;
}

/* Executes lane after lane, at addresses that were checked. */
ALWAYS_INLINE void take_turns(unsigned char *data, const uint64_t offset[LANES], uint32_t mask,
			      unsigned width, enum atomic_kind kind, enum value_type type,
			      bool global, struct atomic_operands *of)
{
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		int lane = __builtin_ctz(rest);
		unsigned char *place = data + offset[lane];

		of->old[lane] = memory_get(place, width, false);
		memory_put(
			place,
			atomic_result(of->old[lane], of->b[lane], of->c[lane], kind, type, global),
			width);
	}
}

/* The common operations of histograms and sums have loops of their own. */
static void take_turns_at(const struct instruction *at, unsigned char *data,
			  const uint64_t offset[LANES], uint32_t mask, bool global,
			  struct atomic_operands *of)
{
	if (at->kind == ATOMIC_ADD && (at->type == TYPE_u32 || at->type == TYPE_s32))
		take_turns(data, offset, mask, 4, ATOMIC_ADD, TYPE_u32, global, of);
	else if (at->kind == ATOMIC_ADD && at->type == TYPE_f32)
		take_turns(data, offset, mask, 4, ATOMIC_ADD, TYPE_f32, global, of);
	else
		take_turns(data, offset, mask, at->width, (enum atomic_kind)at->kind,
			   (enum value_type)at->type, global, of);
}

static void read_atomic_operand(uint64_t value[LANES], const struct warp *warp, uint32_t row,
				unsigned width)
{
	const unsigned char *from = row_of(warp, row);
	uint64_t keeps = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;

	for (int lane = 0; lane < LANES; lane++)
		value[lane] = row ? row_get(from, lane, width) & keeps : 0;
}

static void write_old_values(const struct warp *warp, uint32_t row, uint32_t mask, unsigned width,
			     const struct atomic_operands *of)
{
	for (uint32_t rest = row ? mask : 0; rest; rest &= rest - 1)
		row_put(row_of(warp, row), __builtin_ctz(rest), of->old[__builtin_ctz(rest)],
			width);
}

/* PTX makes each element of a vector atomic on its own, so they may follow each other. A result may
 * be in the register of another element's operand. */
static void take_turns_at_vector(struct warp *warp, const struct instruction *at,
				 unsigned char *data, const uint64_t offset[LANES], uint32_t mask)
{
	struct atomic_operands of[ATOMIC_RESULTS];

	for (unsigned i = 0; i < at->vector; i++) {
		read_atomic_operand(of[i].b, warp, at->rows[i], at->width);
		read_atomic_operand(of[i].c, warp, 0, at->width);
	}
	for (unsigned i = 0; i < at->vector; i++) {
		take_turns_at(at, data + i * at->width, offset, mask, true, &of[i]);
		write_old_values(warp, at->rows[ATOMIC_RESULTS + i], mask, at->width, &of[i]);
	}
}

/* An exchange of 128 bits, which is atomic as a whole. */
static bool is_whole(const struct instruction *at)
{
	return at->vector > 1 && (at->kind == ATOMIC_EXCH || at->kind == ATOMIC_CAS);
}

static void take_turns_at_whole(struct warp *warp, const struct instruction *at,
				unsigned char *data, const uint64_t offset[LANES], uint32_t mask)
{
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		const int lane = __builtin_ctz(rest);
		uint64_t old[2], operand[2][2] = {{0}};

		memcpy(old, data + offset[lane], sizeof(old));
		for (int i = 0; i < 4; i++)
			if (at->rows[i])
				operand[i / 2][i % 2] = row_get(row_of(warp, at->rows[i]), lane, 8);
		if (at->kind == ATOMIC_EXCH)
			memcpy(data + offset[lane], operand[0], sizeof(old));
		else if (old[0] == operand[0][0] && old[1] == operand[0][1])
			memcpy(data + offset[lane], operand[1], sizeof(old));
		for (int i = 0; i < 2; i++)
			if (at->rows[ATOMIC_RESULTS + i])
				row_put(row_of(warp, at->rows[ATOMIC_RESULTS + i]), lane, old[i],
					8);
	}
}

/* Executes the lanes that access one allocation, and counts their sectors. */
static void change_allocation(struct warp *warp, struct instruction_count *count,
			      const struct instruction *at, uint32_t mask, struct allocation *in,
			      const uint64_t address[LANES], struct atomic_operands *of)
{
	uint64_t offset[LANES];
	uint32_t sector[LANES], touched = UINT32_MAX, different = 0;

	for (int lane = 0; lane < LANES; lane++) {
		offset[lane] = address[lane] - in->address;
		sector[lane] = (uint32_t)(offset[lane] / SECTOR_BYTES);
	}
	if (warp->block->launch->global)
		memory_check_global(warp, at, mask, in, offset, access_bytes(at), false,
				    UINT64_MAX);
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		uint32_t here = sector[__builtin_ctz(rest)];

		if (here == touched)
			continue;
		touched = here;
		different++;
		touch_read(in, here, here);
		touch_written(in, here, here);
	}
	count->sectors += different == 1 ? 1 : access_sectors(sector, mask);
	if (is_whole(at))
		take_turns_at_whole(warp, at, in->data, offset, mask);
	else if (at->vector > 1)
		take_turns_at_vector(warp, at, in->data, offset, mask);
	else
		take_turns_at(at, in->data, offset, mask, true, of);
}

static enum step change_global(struct warp *warp, const struct instruction *at, uint32_t mask,
			       uint64_t address[LANES], struct atomic_operands *of)
{
	struct device_memory *memory = warp->block->launch->memory;
	size_t number = (size_t)(at - warp->frame->function->code);
	struct instruction_count *count =
		&warp->block->launch->counts[warp->frame->function_index][number];
	const unsigned bytes = access_bytes(at);
	uint64_t outside = 0, low = 0;
	struct allocation *in;

	MEMORY_FILL(address, mask);
	in = device_memory_find(memory, number, address[0]);
	for (int lane = 0; lane < LANES && in; lane++) {
		uint64_t here = address[lane] - in->address;

		outside |= here | (in->bytes - bytes - here);
		low |= here;
	}
	if (in && !(outside >> 63) && !(low & (bytes - 1))) {
		change_allocation(warp, count, at, mask, in, address, of);
		return STEP_NEXT;
	}
	/* The lanes access several allocations, or an address is invalid. */
	if (access_check(warp, at, PTX_SPACE_GLOBAL, mask, address) != STEP_NEXT)
		return STEP_STOPPED;
	while (mask) {
		uint32_t part = 0;

		in = device_memory_below(memory, address[__builtin_ctz(mask)]);
		for (int lane = 0; lane < LANES; lane++)
			part |= (uint32_t)(address[lane] - in->address < in->bytes) << lane;
		change_allocation(warp, count, at, mask & part, in, address, of);
		mask &= ~part;
	}
	return STEP_NEXT;
}

/* Executes the lanes that access shared memory of one block. */
static enum step change_block(struct warp *warp, struct block *block, const struct instruction *at,
			      uint32_t mask, const uint64_t offset[LANES],
			      struct atomic_operands *of)
{
	if (block->shadow) {
		uint32_t narrow[LANES];

		for (int lane = 0; lane < LANES; lane++)
			narrow[lane] = (uint32_t)offset[lane];
		if (at->shared_variable &&
		    access_check_variable(warp, at, mask, narrow) != STEP_NEXT)
			return STEP_STOPPED;
		shared_races_atomic(warp, block, at, mask, narrow, access_bytes(at));
	}
	if (is_whole(at))
		take_turns_at_whole(warp, at, block->shared, offset, mask);
	else
		take_turns_at(at, block->shared, offset, mask, false, of);
	return STEP_NEXT;
}

/* Lanes of which some access other blocks of the cluster; or an address is invalid. */
static __attribute__((noinline)) enum step
change_cluster(struct warp *warp, const struct instruction *at, uint32_t mask,
	       const uint64_t address[LANES], struct atomic_operands *of)
{
	uint32_t narrow[LANES];

	if (access_check(warp, at, PTX_SPACE_SHARED, mask, address) != STEP_NEXT)
		return STEP_STOPPED;
	for (int lane = 0; lane < LANES; lane++)
		narrow[lane] = (uint32_t)address[lane];
	cluster_count_request(warp, at, mask, narrow);
	while (mask) {
		struct cluster_part part;
		uint64_t offset[LANES] = {0};

		cluster_next_part(warp, at, &mask, narrow, &part);
		for (uint32_t rest = part.mask; rest; rest &= rest - 1)
			offset[__builtin_ctz(rest)] = part.offset[__builtin_ctz(rest)];
		if (change_block(warp, part.block, at, part.mask, offset, of) != STEP_NEXT)
			return STEP_STOPPED;
	}
	return STEP_NEXT;
}

static enum step change_shared(struct warp *warp, const struct instruction *at, uint32_t mask,
			       uint64_t address[LANES], struct atomic_operands *of)
{
	const unsigned bytes = access_bytes(at);
	const uint64_t limit = (uint64_t)warp->block->launch->shared_bytes - bytes;
	uint64_t outside = limit, low = 0;

	MEMORY_FILL(address, mask);
	/* The limit is negative if there is too little memory. */
	for (int lane = 0; lane < LANES; lane++) {
		outside |= limit - address[lane];
		low |= address[lane];
	}
	if (outside >> 63 || low & (bytes - 1))
		return change_cluster(warp, at, mask, address, of);
	return change_block(warp, warp->block, at, mask, address, of);
}

static enum step run_atomic(struct warp *warp, const struct instruction *at)
{
	struct instruction_count *count = count_at(warp, at);
	uint32_t mask = warp->active, shared = 0, local = 0;
	uint64_t address[LANES], offset[LANES];
	struct atomic_operands of;
	enum step step = STEP_NEXT;

	if (mask == 0)
		return STEP_NEXT;
	memory_addresses(address, warp, at);
	read_atomic_operand(of.b, warp, at->b, at->width);
	read_atomic_operand(of.c, warp, at->c, at->width);
	for (int lane = 0; lane < LANES; lane++) {
		shared |= (uint32_t)(address[lane] - SHARED_WINDOW < WINDOW_BYTES) << lane;
		local |= (uint32_t)(address[lane] - LOCAL_WINDOW < WINDOW_BYTES) << lane;
		offset[lane] = address[lane] % WINDOW_BYTES;
	}
	if (at->space != PTX_SPACE_GENERIC) {
		shared = at->space == PTX_SPACE_SHARED ? ALL_LANES : 0;
		local = 0;
	}
	if (mask & local)
		return warp_finding(warp, at, __builtin_ctz(mask & local), FINDING_UNSUPPORTED,
				    "an atomic on local memory is undefined");
	if (mask & shared && at->vector > 1 && !is_whole(at))
		return warp_finding(warp, at, __builtin_ctz(mask & shared), FINDING_UNSUPPORTED,
				    "an atomic on a vector in shared memory is undefined");
	count->requests += at->space != PTX_SPACE_GENERIC || mask & ~shared;
	count->serialised += access_longest_queue(address, mask);
	if (at->space == PTX_SPACE_GENERIC)
		count->shared_requests += (mask & shared) != 0;
	if (mask & ~shared)
		step = change_global(warp, at, mask & ~shared, address, &of);
	if (step == STEP_NEXT && mask & shared)
		step = change_shared(warp, at, mask & shared, offset, &of);
	if (step == STEP_NEXT && async_store_signals(at))
		return async_store_signal(warp, at);
	if (step == STEP_NEXT)
		write_old_values(warp, at->dst, mask, at->width, &of);
	return step;
}

/* ---- reductions of bulk copies ---- */

/* Unlike an atomic in global memory, a reduction there keeps a subnormal sum of single precision.
 */
static uint64_t combine_elements(uint64_t old, uint64_t with, enum atomic_kind kind,
				 enum value_type type, bool global)
{
	if (kind == ATOMIC_ADD && type == TYPE_f32)
		global = false;
	return atomic_result(old, with, 0, kind, type, global);
}

static enum step run_bulk_reduce(struct warp *warp, const struct instruction *at)
{
	return run_bulk_reduction(warp, at, combine_elements);
}

instruction_handler *LANES_NAME(atomic_handler)(const struct instruction *at)
{
	return at->operation == OP_ATOMIC        ? run_atomic
	       : at->operation == OP_BULK_REDUCE ? run_bulk_reduce
						 : NULL;
}
