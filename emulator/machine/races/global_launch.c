/* The check of global memory of one launch: its memory and the rows of allocations. See
 * races_global.h. */
#include "emulator/machine/races/global_rows.h"

#include <stdlib.h>

/* Segments of one launch. */
#define SEGMENTS_MOST ((size_t)1 << 24)
#define TIME_MOST (UINT32_C(1) << 31)
/* What the pool keeps between launches, because the host takes long to give new memory. */
#define POOL_KEPT_BYTES (INT64_C(1) << 25)

/* ---- a launch ---- */

/* Rows of launches long ago must not be taken for those of this one. */
static void restart_numbers(struct device_memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		device_memory_drop_rows(memory, &memory->items[i]);
	memory->shadow_segment = 0;
	memory->shadow_time = 0;
}

struct global_races *global_races_create(const struct launch *launch, int64_t limit_bytes)
{
	struct global_races *shadow = xcalloc(1, sizeof(*shadow));
	struct device_memory *memory = launch->memory;
	const size_t most = (size_t)(limit_bytes / 4) / sizeof(struct segment);
	uint32_t place = 0;

	if (memory->shadow_segment > UINT32_MAX - SEGMENTS_MOST - 1 ||
	    memory->shadow_time > TIME_MOST)
		restart_numbers(memory);
	shadow->program = launch->program;
	shadow->memory = memory;
	shadow->limit_bytes = limit_bytes;
	if (!memory->shadow_pool)
		memory->shadow_pool = xcalloc(1, sizeof(*memory->shadow_pool));
	shadow->pool = memory->shadow_pool;
	order_init(&shadow->order, memory->shadow_segment + 1, memory->shadow_time + 1,
		   most < SEGMENTS_MOST ? most : SEGMENTS_MOST);
	shadow->first_place = xcalloc(launch->program->function_count + 1, sizeof(uint32_t));
	for (size_t i = 0; i < launch->program->function_count; i++) {
		shadow->first_place[i] = place;
		place += (uint32_t)launch->program->functions[i].code_count;
	}
	return shadow;
}

void global_races_free(struct global_races *shadow)
{
	if (!shadow)
		return;
	shadow->memory->shadow_segment = shadow->order.next;
	shadow->memory->shadow_time = shadow->order.time;
	order_release(&shadow->order);
	cell_pool_empty(shadow->pool, POOL_KEPT_BYTES);
	free(shadow->first_place);
	free(shadow);
}

uint64_t global_races_unchecked(const struct global_races *shadow)
{
	return shadow->unchecked;
}

void global_races_join_unchecked(struct global_races *shadow, uint64_t before)
{
	if (shadow->unchecked > before)
		shadow->unchecked = before + 1;
}

void global_races_fence(struct warp *warp, bool device)
{
	order_fence(&warp->block->launch->global->order, warp, device);
}

void global_races_cluster_barrier(struct block *block)
{
	order_cluster_barrier(&block->launch->global->order, block);
}

void global_races_release(struct warp *warp, struct handed_order *into)
{
	order_hand(&warp->block->launch->global->order, warp, into);
}

void global_races_acquire(struct warp *warp, const struct handed_order *from)
{
	order_hear(warp, from);
}

/* ---- rows of an allocation ---- */

static struct shadow_rows *create_rows(struct global_races *shadow, struct allocation *in)
{
	struct shadow_rows *rows = xcalloc(1, sizeof(*rows));
	const size_t count = (size_t)(in->bytes / (ROW_CELLS << WORD_SHIFT)) + 1;
	const int64_t bytes = shadow_rows_need(count);

	rows->cell_shift = WORD_SHIFT;
	rows->unchecked = global_races_room(shadow) < bytes || !shadow_rows_allocate(rows, count);
	if (!rows->unchecked)
		shadow->memory->rows_bytes += bytes;
	return rows;
}

static void drop_rows(struct global_races *shadow, struct shadow_rows *rows)
{
	shadow->memory->rows_bytes -= shadow_rows_bytes(rows);
	shadow_rows_release(rows);
}

struct shadow_rows *global_races_rows(struct global_races *shadow, struct allocation *in,
				      unsigned bytes)
{
	struct shadow_rows *rows = in->shadow;

	if (!rows)
		rows = in->shadow = create_rows(shadow, in);
	if (!rows->unchecked && bytes < 1U << rows->cell_shift) {
		const int64_t before = shadow_rows_bytes(rows);

		if (global_races_room(shadow) >= 3 * before && global_rows_split(shadow, rows))
			shadow->memory->rows_bytes += shadow_rows_bytes(rows) - before;
		else
			drop_rows(shadow, rows);
	}
	return rows->unchecked ? NULL : rows;
}
