#include "emulator/machine/undefined/undefined_parts.h"
#include "emulator/tensor_map.h"

#include <string.h>

static const unsigned type_widths[] = {
#define X(name, c_type, width) width,
	VALUE_TYPE_LIST(X)
#undef X
};

static void undefined_alu(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const struct alu_row *row = alu_row_of((enum operation)at->operation);
	const uint32_t rows[UNDEFINED_OPERANDS] = {at->a, at->b, at->c, at->d};
	struct lane_operands of = {.row = row};
	bool any = false;

	for (int i = 0; i <= row->operands; i++)
		of.width[i] = type_widths[row->types[i]];
	for (int i = 0; i < row->operands; i++)
		any |= row_is_undefined(warp, rows[i], of.width[i + 1] == 64);
	if (!any) {
		row_define(warp, at->dst, of.width[0] == 64, lanes);
		return;
	}
	EACH_BIT(lane, lanes) {
		struct undefined_bits result = {0};
		bool undefined = false;

		for (int i = 0; i < row->operands; i++) {
			of.undefined[i] = row_bits(warp, at, rows[i], lane, of.width[i + 1]);
			of.undefined[i].bits &= undefined_mask(of.width[i + 1]);
			of.value[i] =
				lane_value(warp, rows[i], of.width[i + 1] == 64 ? 8 : 4, lane);
			if (of.width[i + 1] == 1)
				of.value[i] = of.value[i] != 0;
			undefined |= of.undefined[i].bits != 0;
		}
		if (undefined)
			result = undefined_result(&of);
		row_set(warp, at->dst, lane, of.width[0], result);
	}
}

static void begin_register(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const struct ptx_function *source = warp->frame->function->source;
	/* The decoder has registers of its own, such as the carry flag. */
	const undefined_origin origin =
		origin_of_register(warp, at,
				   at->target && at->target <= source->register_count
					   ? source->registers[at->target - 1].name
					   : "CC.CF");
	const struct undefined_bits all = {UINT64_MAX >> (64 - at->width), origin};

	for (; lanes; lanes &= lanes - 1)
		row_set(warp, at->dst, __builtin_ctz(lanes), at->width, all);
}

static bool row_is_wide(const struct warp *warp, uint32_t row)
{
	return warp->frame->function->wide_rows[row / ROW_STEP_BYTES];
}

static void use_all(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	struct instruction copy = *at;
	struct instruction_operands operands;

	copy.guard = 0;
	instruction_operands(warp->frame->function, &copy, &operands);
	for (size_t i = 0; i < operands.read_count; i++)
		row_use(warp, at, *operands.reads[i], row_is_wide(warp, *operands.reads[i]), lanes);
	for (size_t i = 0; i < operands.write_count; i++)
		row_define(warp, *operands.writes[i], row_is_wide(warp, *operands.writes[i]),
			   lanes);
}

/* mapa and the like: like arithmetic. */
static void follow_address(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const bool to = row_is_wide(warp, at->dst);

	EACH_BIT(lane, lanes) {
		struct undefined_bits value = {0};
		const uint32_t rows[] = {at->a, at->b};

		for (size_t i = 0; i < ARRAY_SIZE(rows) && !value.bits; i++)
			value = row_bits(warp, at, rows[i], lane,
					 rows[i] && row_is_wide(warp, rows[i]) ? 64 : 32);
		if (value.bits)
			value.bits = UINT64_MAX;
		row_set(warp, at->dst, lane, to ? 64 : 32, value);
	}
}

/* The texels: texture.c. */
static void follow_surface(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	row_use(warp, at, at->a, true, lanes);
	for (size_t i = 0; i < 4; i++)
		row_use(warp, at, at->rows[TEXTURE_COORDINATES + i], false, lanes);
	for (unsigned i = 0; at->operation == OP_SURFACE_LOAD && i < at->vector; i++)
		row_define(warp, at->rows[i], at->width == 8, lanes);
}

/* tensormap.cp_fenceproxy: what copies read from a map is not followed, so the map is used here. */
static void follow_map_copy(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const int lane = __builtin_ctz(warp->active);
	const uint64_t target = lane_value(warp, at->b, 8, lane);
	struct undefined_place from, to;

	use_all(warp, at, lanes);
	from = undefined_place_of(warp, PTX_SPACE_SHARED, lane, access_address(warp, at, lane),
				  TENSOR_MAP_BYTES);
	to = undefined_place_of(warp, PTX_SPACE_GLOBAL, lane, target + (uint64_t)at->from_offset,
				TENSOR_MAP_BYTES);
	for (unsigned i = 0; i < TENSOR_MAP_BYTES; i += 8) {
		value_use(warp, at, place_read(warp, at, lane, &from, i, 8));
		place_write(&to, i, 8, (struct undefined_bits){0});
	}
}

static void follow_discard(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	use_all(warp, at, lanes);
	undefined_discard(warp, at, lanes);
}

static void follow_mbarrier(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	use_all(warp, at, lanes);
	EACH_BIT(lane, at->kind == MBARRIER_INIT ? lanes : 0) {
		const struct undefined_place place = undefined_place_of(
			warp, (enum ptx_space)at->space, lane, access_address(warp, at, lane), 8);

		place_write(&place, 0, 8, (struct undefined_bits){0});
	}
}

typedef void follow_function(struct warp *warp, const struct instruction *at, uint32_t lanes);

void undefined_follow(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	/* The bytes of bulk copies are followed in bulk_memory.c. */
	static follow_function *const functions[] = {
		[OP_UNDEFINED] = begin_register,
		[OP_LOAD] = undefined_load,
		[OP_STORE] = undefined_store,
		[OP_ATOMIC] = undefined_atomic,
		[OP_COPY] = undefined_copy,
		[OP_MATRIX_LOAD] = undefined_matrix_rows,
		[OP_MATRIX_STORE] = undefined_matrix_rows,
		[OP_MATRIX_TRANSPOSE] = undefined_transpose,
		[OP_MATRIX_PRODUCT] = undefined_product,
		[OP_GROUP_PRODUCT] = undefined_group_product,
		[OP_SURFACE_LOAD] = follow_surface,
		[OP_SURFACE_STORE] = follow_surface,
		[OP_CLUSTER_ADDRESS] = follow_address,
		[OP_MAP_COPY] = follow_map_copy,
		[OP_DISCARD] = follow_discard,
		[OP_MBARRIER] = follow_mbarrier,
	};

	row_use(warp, at, at->guard, false, warp->active);
	if (!lanes || at->operation == OP_SHUFFLE) /* see undefined_shuffle() */
		return;
	if (alu_row_of((enum operation)at->operation))
		undefined_alu(warp, at, lanes);
	else if (at->operation < ARRAY_SIZE(functions) && functions[at->operation])
		functions[at->operation](warp, at, lanes);
	else
		use_all(warp, at, lanes);
}

void undefined_shuffle(struct warp *warp, const struct instruction *at, const uint32_t *from,
		       uint32_t absent)
{
	struct undefined_bits values[LANES];

	row_use(warp, at, at->b, false, warp->active);
	row_use(warp, at, at->c, false, warp->active);
	row_use(warp, at, at->d, false, warp->active);
	for (int lane = 0; lane < LANES; lane++)
		values[lane] = absent >> lane & 1 ? (struct undefined_bits){UINT32_MAX, 0}
						  : row_bits(warp, at, at->a, (int)from[lane], 32);
	EACH_BIT(lane, warp->active) {
		if (absent >> lane & 1)
			values[lane].origin = origin_of_absent(warp, at, lane, from[lane]);
		row_set(warp, at->dst, lane, 32, values[lane]);
		row_set(warp, at->dst2, lane, 1, (struct undefined_bits){0});
	}
}
