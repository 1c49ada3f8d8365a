#include "emulator/machine/call_frame.h"

#include "emulator/machine/control_flow.h"
#include "emulator/machine/races/dead_loads.h"
#include "emulator/machine/undefined/undefined.h"
#include "emulator/machine/warpgroups/warpgroup.h"

#include <stdlib.h>
#include <string.h>

/* ---- constant rows ---- */

static void fill_lane(unsigned char *row, bool wide, unsigned lane, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	if (wide)
		memcpy(row + 8 * lane, &value, 8);
	else
		memcpy(row + 4 * lane, &narrow, 4);
}

static void fill_row(unsigned char *row, bool wide, uint64_t value)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		fill_lane(row, wide, lane, value);
}

static uint64_t parameter_value(const struct launch *launch,
				const struct program_constant *constant)
{
	uint64_t value = 0;
	unsigned bits = 8u * constant->bytes;

	/* Launches with a parameter block that is too short were refused: this stays inside. */
	memcpy(&value, (const unsigned char *)launch->what.arguments + constant->bits,
	       constant->bytes);
	if (constant->extension == EXTEND_SIGN && bits < 64 && value >> (bits - 1) & 1)
		value |= ~UINT64_C(0) << bits;
	return value;
}

/* The shared memory of a block without what the system reserves: a multiple of 128 bytes, since
 * compute capability 8.0. */
static int64_t own_shared_bytes(const struct launch *launch)
{
	return ((int64_t)launch->shared_bytes - launch->reserved_bytes + 127) & -128;
}

static int64_t sm_count(const struct launch *launch)
{
	return launch->what.sm_count > 0 ? launch->what.sm_count : 1;
}

static int64_t shape_of(const struct launch *launch, uint64_t special)
{
	switch (special) {
	case SPECIAL_NTID_X:
	case SPECIAL_NTID_Y:
	case SPECIAL_NTID_Z:
		return launch->what.block[special - SPECIAL_NTID_X];
	case SPECIAL_NCTAID_X:
	case SPECIAL_NCTAID_Y:
	case SPECIAL_NCTAID_Z:
		return launch->what.grid[special - SPECIAL_NCTAID_X];
	case SPECIAL_NCLUSTERID_X:
	case SPECIAL_NCLUSTERID_Y:
	case SPECIAL_NCLUSTERID_Z:
		return launch->what.grid[special - SPECIAL_NCLUSTERID_X] /
		       launch->cluster[special - SPECIAL_NCLUSTERID_X];
	case SPECIAL_CLUSTER_NCTAID_X:
	case SPECIAL_CLUSTER_NCTAID_Y:
	case SPECIAL_CLUSTER_NCTAID_Z:
		return launch->cluster[special - SPECIAL_CLUSTER_NCTAID_X];
	case SPECIAL_CLUSTER_NCTARANK:
		return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
	case SPECIAL_NSMID:
		return sm_count(launch);
	case SPECIAL_GRIDID:
		return (int64_t)launch->number;
	case SPECIAL_IS_EXPLICIT_CLUSTER:
		return launch->explicit_cluster;
	case SPECIAL_DYNAMIC_SMEM_SIZE:
		return launch->what.shared_bytes;
	case SPECIAL_TOTAL_SMEM_SIZE:
		return own_shared_bytes(launch);
	case SPECIAL_AGGR_SMEM_SIZE:
		return own_shared_bytes(launch) + RESERVED_SHARED_BYTES;
	case SPECIAL_CURRENT_GRAPH_EXEC: /* a launch is part of no graph */
	case SPECIAL_RESERVED_BEGIN:
	case SPECIAL_RESERVED_0:
	case SPECIAL_RESERVED_1:
		return 0;
	case SPECIAL_RESERVED_END:
		return RESERVED_USED_BYTES;
	case SPECIAL_RESERVED_CAP:
		return launch->reserved_bytes;
	case SPECIAL_ENVREG1:
		return (int64_t)(launch->grid_workspace >> 32);
	case SPECIAL_ENVREG2:
		return (int64_t)(launch->grid_workspace & UINT32_MAX);
	default:
		return LANES; /* WARP_SZ */
	}
}

static uint32_t special_of_lane(const struct warp *warp, uint64_t special, int lane)
{
	const int64_t *shape = warp->block->launch->what.block;
	int64_t thread = (int64_t)warp->index * LANES + lane;
	uint32_t bit = UINT32_C(1) << lane;

	switch (special) {
	case SPECIAL_TID_X:
		return (uint32_t)(thread % shape[0]);
	case SPECIAL_TID_Y:
		return (uint32_t)(thread / shape[0] % shape[1]);
	case SPECIAL_TID_Z:
		return (uint32_t)(thread / shape[0] / shape[1]);
	case SPECIAL_LANEID:
		return (uint32_t)lane;
	case SPECIAL_WARPID:
		return warp->index;
	case SPECIAL_NWARPID:
		return warp->block->warp_count;
	case SPECIAL_LANEMASK_EQ:
		return bit;
	case SPECIAL_LANEMASK_LT:
		return bit - 1;
	case SPECIAL_LANEMASK_LE:
		return bit - 1 + bit;
	case SPECIAL_LANEMASK_GT:
		return ~(bit - 1 + bit);
	case SPECIAL_LANEMASK_GE:
		return ~(bit - 1);
	default:
		return (uint32_t)shape_of(warp->block->launch, special);
	}
}

static int64_t special_of_block(const struct block *block, uint64_t special)
{
	const int64_t *cluster = block->launch->cluster, *index = block->index;

	switch (special) {
	case SPECIAL_CTAID_X:
	case SPECIAL_CTAID_Y:
	case SPECIAL_CTAID_Z:
		return index[special - SPECIAL_CTAID_X];
	case SPECIAL_CLUSTERID_X:
	case SPECIAL_CLUSTERID_Y:
	case SPECIAL_CLUSTERID_Z:
		return index[special - SPECIAL_CLUSTERID_X] /
		       cluster[special - SPECIAL_CLUSTERID_X];
	case SPECIAL_CLUSTER_CTAID_X:
	case SPECIAL_CLUSTER_CTAID_Y:
	case SPECIAL_CLUSTER_CTAID_Z:
		return index[special - SPECIAL_CLUSTER_CTAID_X] %
		       cluster[special - SPECIAL_CLUSTER_CTAID_X];
	case SPECIAL_SMID: /* PTX promises no place */
		return block->number % sm_count(block->launch);
	default:
		return block->rank; /* SPECIAL_CLUSTER_CTARANK */
	}
}

/* Constant rows that change with the launch, with the block, with the place of the call. */
enum rows { ROWS_OF_LAUNCH, ROWS_OF_BLOCK, ROWS_OF_CALL };

static void fill_rows(const struct warp *warp, struct frame *frame, enum rows which)
{
	const struct program_function *function = frame->function;
	const struct launch *launch = warp->block->launch;

	for (size_t i = 0; i < function->constant_count; i++) {
		const struct program_constant *constant = &function->constants[i];
		unsigned char *row = frame->file + constant->row;
		const bool of_block = constant->kind == CONSTANT_SPECIAL &&
				      constant->bits >= SPECIAL_CTAID_X &&
				      constant->bits <= SPECIAL_SMID;
		enum rows kind = constant->kind == CONSTANT_LOCAL ? ROWS_OF_CALL
				 : of_block                       ? ROWS_OF_BLOCK
								  : ROWS_OF_LAUNCH;

		if (kind != which)
			continue;
		switch (constant->kind) {
		case CONSTANT_BITS:
			fill_row(row, constant->wide, constant->bits);
			break;
		case CONSTANT_SHARED:
			fill_row(row, constant->wide, launch->reserved_bytes + constant->bits);
			break;
		case CONSTANT_PARAMETER:
			fill_row(row, constant->wide, parameter_value(launch, constant));
			break;
		case CONSTANT_GLOBAL:
			fill_row(row, constant->wide, launch->variables[constant->bits]);
			break;
		case CONSTANT_LOCAL:
			fill_row(row, constant->wide, frame->local_base + constant->bits);
			break;
		case CONSTANT_FUNCTION:
			fill_row(row, constant->wide, constant->bits + 1);
			break;
		case CONSTANT_SPECIAL:
			if (which == ROWS_OF_BLOCK)
				fill_row(row, constant->wide,
					 (uint64_t)special_of_block(warp->block, constant->bits));
			else
				for (unsigned lane = 0; lane < LANES; lane++)
					fill_lane(row, constant->wide, lane,
						  special_of_lane(warp, constant->bits, lane));
			break;
		}
	}
}

/* ---- frames ---- */

static struct frame *frame_new(struct warp *warp, uint32_t function)
{
	const struct launch *launch = warp->block->launch;
	struct frame *frame = xcalloc(1, sizeof(*frame));
	size_t bytes;

	frame->function = &launch->program->functions[function];
	frame->flow = &launch->flows[function];
	frame->function_index = function;
	frame->block = -1;
	bytes = ((size_t)frame->function->file_bytes + 63) / 64 * 64;
	frame->file = aligned_alloc(64, bytes ? bytes : 64);
	if (!frame->file ||
	    (launch->follower && !undefined_file_create(&frame->undefined_bits, bytes))) {
		undefined_file_free(&frame->undefined_bits);
		free(frame->file);
		free(frame);
		return NULL;
	}
	memset(frame->file, 0, bytes);
	fill_rows(warp, frame, ROWS_OF_LAUNCH);
	return frame;
}

static struct frame *frame_take(struct warp *warp, uint32_t function, uint32_t local_base)
{
	struct frame *frame = warp->spare[function];
	bool fresh = !frame;

	if (fresh)
		frame = frame_new(warp, function);
	else
		warp->spare[function] = frame->next;
	if (!frame)
		return NULL;
	load_values_frame_begin(warp, frame);
	warpgroup_frame_begin(frame);
	if (frame->block != warp->block->number) {
		fill_rows(warp, frame, ROWS_OF_BLOCK);
		frame->block = warp->block->number;
	}
	if (fresh || frame->local_base != local_base) {
		frame->local_base = local_base;
		fill_rows(warp, frame, ROWS_OF_CALL);
	}
	frame->next = NULL;
	return frame;
}

static void clear_local(struct warp *warp, const struct frame *frame, uint32_t lanes)
{
	if (frame->function->local_bytes <= 0)
		return;
	EACH_BIT(lane, lanes)
		local_begin(warp, lane, frame->local_base, (uint64_t)frame->function->local_bytes);
}

/* Launches without an alloca have no stack, and nothing to keep at each call. */
static bool has_stack(const struct warp *warp)
{
	const struct launch *launch = warp->block->launch;

	return launch->stack_base < launch->local_bytes;
}

struct frame *frame_enter(struct warp *warp)
{
	struct frame *frame = frame_take(warp, warp->block->launch->entry, 0);

	if (!frame)
		return NULL;
	frame->caller = NULL;
	frame->call = NULL;
	frame->depth = 0;
	frame->lanes_left = warp->present;
	clear_local(warp, frame, warp->present);
	memset(warp->stack_used, 0, sizeof(warp->stack_used));
	memset(frame->stack_used, 0, sizeof(frame->stack_used));
	warp->entry = frame;
	return frame;
}

static int64_t frame_cost(const struct program_function *function)
{
	return (function->local_bytes + 15) / 16 * 16 + FRAME_EXTRA_BYTES;
}

struct frame *frame_call(struct warp *warp, uint32_t function, const struct program_call *call,
			 uint32_t return_pc)
{
	const struct program_function *called = &warp->block->launch->program->functions[function];
	struct frame *frame;
	int64_t base = warp->frame->local_base + frame_cost(warp->frame->function);

	for (frame = warp->calls; frame; frame = frame->next)
		if (frame->caller == warp->frame && frame->call == call &&
		    frame->function_index == function)
			break;
	if (frame) {
		frame->lanes_left |= warp->active;
	} else {
		if (base + called->local_bytes > (int64_t)warp->block->launch->stack_base)
			return NULL;
		frame = frame_take(warp, function, (uint32_t)base);
		if (!frame)
			return NULL;
		frame->caller = warp->frame;
		frame->call = call;
		frame->return_pc = return_pc;
		frame->depth = warp->frame->depth + 1;
		frame->lanes_left = warp->active;
		frame->next = warp->calls;
		warp->calls = frame;
	}
	clear_local(warp, frame, warp->active);
	EACH_BIT(lane, has_stack(warp) ? warp->active : 0)
		frame->stack_used[lane] = warp->stack_used[lane];
	return frame;
}

static void frame_put_back(struct warp *warp, struct frame *frame)
{
	for (struct frame **link = &warp->calls; *link; link = &(*link)->next) {
		if (*link == frame) {
			*link = frame->next;
			break;
		}
	}
	if (frame == warp->entry)
		warp->entry = NULL;
	frame->next = warp->spare[frame->function_index];
	warp->spare[frame->function_index] = frame;
}

void frame_leave(struct warp *warp, struct frame *frame, uint32_t lanes)
{
	EACH_BIT(lane, has_stack(warp) ? lanes : 0)
		warp->stack_used[lane] = frame->stack_used[lane];
	frame->lanes_left &= ~lanes;
	if (!frame->lanes_left)
		frame_put_back(warp, frame);
}

void frame_leave_all(struct warp *warp, struct frame *frame, uint32_t lanes)
{
	struct frame *caller;

	for (; frame; frame = caller) {
		caller = frame->caller;
		frame_leave(warp, frame, lanes);
	}
}

static void frames_free(struct frame *frame)
{
	struct frame *next;

	for (; frame; frame = next) {
		next = frame->next;
		free(frame->undefined);
		undefined_file_free(&frame->undefined_bits);
		free(frame->fragments);
		free(frame->file);
		free(frame);
	}
}

void frames_release(struct warp *warp)
{
	if (!warp->spare)
		return;
	frames_free(warp->calls);
	frames_free(warp->entry);
	warp->calls = warp->entry = NULL;
	for (size_t i = 0; i < warp->block->launch->program->function_count; i++)
		frames_free(warp->spare[i]);
	free(warp->spare);
	warp->spare = NULL;
}

static int64_t least_frame_bytes(const struct program_function *function)
{
	int64_t bytes = FRAME_LEAST_BYTES;

	for (size_t i = 0; i < function->source->variable_count; i++)
		if (function->source->variables[i].space == PTX_SPACE_LOCAL)
			bytes += (function->source->variables[i].bytes + 7) / 8 * 8;
	return bytes;
}

int64_t frame_recursion_bytes(const struct frame *frame)
{
	const struct frame *caller = frame->caller;
	int64_t bytes = 0;

	while (caller && caller->function != frame->function)
		caller = caller->caller;
	for (; caller && frame->caller; frame = frame->caller)
		bytes += least_frame_bytes(frame->function);
	return bytes;
}

int64_t frame_local_bytes(const struct ptx_program *program, uint32_t entry)
{
	int64_t bytes = program->functions[entry].local_bytes, calls = 0;

	for (size_t i = 0; i < program->function_count; i++) {
		if (i != entry && program->functions[i].code_count)
			calls += frame_cost(&program->functions[i]);
	}
	if (program->functions[entry].call_count)
		bytes = frame_cost(&program->functions[entry]) + calls + RECURSION_BYTES;
	return (bytes + 15) / 16 * 16;
}

bool frame_allocates(const struct ptx_program *program)
{
	for (size_t i = 0; i < program->function_count; i++)
		if (program->functions[i].allocates)
			return true;
	return false;
}
