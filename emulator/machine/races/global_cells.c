/* Rows and cells of global memory. See global_cells.h. */
#include "emulator/machine/races/global_cells.h"

#include <stdlib.h>
#include <string.h>

bool shadow_rows_allocate(struct shadow_rows *of, size_t count)
{
	const size_t line = sizeof(*of->rows);
	unsigned char *memory = calloc(count + 1, line);
	struct row_summary *summaries = calloc(count, sizeof(*summaries));

	if (!memory || !summaries) {
		free(memory);
		free(summaries);
		return false;
	}
	of->memory = memory;
	of->rows = (struct shadow_row *)(void *)(memory + (line - (uintptr_t)memory % line) % line);
	of->summaries = summaries;
	of->count = count;
	return true;
}

void shadow_rows_release(struct shadow_rows *of)
{
	free(of->memory);
	free(of->summaries);
	*of = (struct shadow_rows){.unchecked = true};
}

void shadow_rows_free(struct shadow_rows *of)
{
	if (!of)
		return;
	shadow_rows_release(of);
	free(of);
}

int64_t shadow_rows_need(size_t count)
{
	return (int64_t)(count * (sizeof(struct shadow_row) + sizeof(struct row_summary)));
}

int64_t shadow_rows_bytes(const struct shadow_rows *of)
{
	return shadow_rows_need(of->count);
}

/* ---- the pool ---- */

void cell_pool_free(struct cell_pool *pool)
{
	if (!pool)
		return;
	cell_pool_empty(pool, 0);
	free(pool->chunks);
	free(pool);
}

void cell_pool_empty(struct cell_pool *pool, int64_t kept_bytes)
{
	while (cell_pool_bytes(pool) > kept_bytes)
		free(pool->chunks[--pool->chunk_count]);
	pool->used = 0;
}

int64_t cell_pool_bytes(const struct cell_pool *pool)
{
	return (int64_t)pool->chunk_count * POOL_CHUNK_BYTES;
}

bool cell_pool_reserve(struct cell_pool *pool, unsigned count, int64_t room_bytes)
{
	union piece *chunk;

	if ((pool->used + count) / POOL_CHUNK < pool->chunk_count)
		return true;
	chunk = room_bytes < POOL_CHUNK_BYTES ? NULL : malloc((size_t)POOL_CHUNK_BYTES);
	if (!chunk)
		return false;
	pool->chunks = xgrow(pool->chunks, &pool->chunk_capacity, pool->chunk_count + 1,
			     sizeof(*pool->chunks));
	pool->chunks[pool->chunk_count++] = chunk;
	return true;
}

uint32_t cell_pool_take(struct cell_pool *pool)
{
	memset(cell_pool_at(pool, ++pool->used), 0, sizeof(union piece));
	return pool->used;
}

/* ---- planes ---- */

void plane_put(struct row_plane *plane, struct cell_pool *pool, unsigned cell,
	       const struct cell_record *record)
{
	const uint32_t info = record_info(record);

	if (!plane->segments) {
		plane->segments = cell_pool_take(pool);
		plane->common = info;
	}
	if (!plane->infos && info != plane->common && record->segment) {
		plane->infos = cell_pool_take(pool);
		for (unsigned i = 0; i < ROW_CELLS; i++)
			cell_pool_at(pool, plane->infos)->words[i] = plane->common;
	}
	cell_pool_at(pool, plane->segments)->words[cell] = record->segment;
	if (plane->infos)
		cell_pool_at(pool, plane->infos)->words[cell] = info;
}

bool row_spread(struct shadow_row *row, struct cell_pool *pool, const struct row_slots *slots,
		int64_t room_bytes)
{
	if (!cell_pool_reserve(pool, 2 * SLOT_COUNT, room_bytes))
		return false;
	memset(row->planes, 0, sizeof(row->planes));
	row->form = ROW_PLANES;
	row->more = 0;
	for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
		for (uint32_t rest = slots->held[slot]; rest; rest &= rest - 1) {
			const unsigned cell = (unsigned)__builtin_ctz(rest);

			if (slots->of[slot][cell].segment)
				plane_put(&row->planes[slot], pool, cell, &slots->of[slot][cell]);
		}
	return true;
}
