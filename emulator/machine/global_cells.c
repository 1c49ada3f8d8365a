/* Rows and cells of global memory. See global_cells.h. */
#include "emulator/machine/global_cells.h"

#include <stdlib.h>
#include <string.h>

bool shadow_rows_allocate(struct shadow_rows *of, size_t count)
{
	const size_t line = sizeof(*of->rows);
	unsigned char *memory = calloc(count + 1, line);

	if (!memory)
		return false;
	of->memory = memory;
	of->rows = (struct shadow_row *)(void *)(memory + (line - (uintptr_t)memory % line) % line);
	of->count = count;
	return true;
}

void shadow_rows_free(struct shadow_rows *of)
{
	if (!of)
		return;
	free(of->memory);
	free(of);
}

int64_t shadow_rows_bytes(const struct shadow_rows *of)
{
	return (int64_t)(of->count * sizeof(*of->rows));
}

/* ---- the pool ---- */

void cell_pool_release(struct cell_pool *pool)
{
	for (size_t i = 0; i < pool->chunk_count; i++)
		free(pool->chunks[i]);
	free(pool->chunks);
	*pool = (struct cell_pool){0};
}

int64_t cell_pool_bytes(const struct cell_pool *pool)
{
	return (int64_t)(pool->chunk_count * POOL_CHUNK * sizeof(struct row_cells));
}

uint32_t cell_pool_take(struct cell_pool *pool)
{
	uint32_t number = pool->used + 1;

	if (number / POOL_CHUNK >= pool->chunk_count) {
		struct row_cells *chunk = calloc(POOL_CHUNK, sizeof(*chunk));

		if (!chunk)
			return 0;
		pool->chunks = xgrow(pool->chunks, &pool->chunk_capacity, pool->chunk_count + 1,
				     sizeof(*pool->chunks));
		pool->chunks[pool->chunk_count++] = chunk;
	}
	pool->used = number;
	return number;
}

/* ---- rows with a record per cell ---- */

static void expand_record(struct row_cells *to, enum cell_slot slot,
			  const struct run_record *record)
{
	for (uint32_t rest = record->run.cells; rest; rest &= rest - 1) {
		unsigned cell = (unsigned)__builtin_ctz(rest);

		to->slots[cell][slot] = (struct cell_record){
			.segment = record->segment,
			.place = record->place & PLACE_MOST,
			.lane = run_lane(&record->run, cell) % LANES,
			.many = record->run.many,
		};
	}
}

bool row_expand(struct shadow_row *row, struct cell_pool *pool)
{
	uint32_t number = cell_pool_take(pool);
	struct row_cells *cells;

	if (!number)
		return false;
	cells = cell_pool_at(pool, number);
	expand_record(cells, SLOT_WRITE, &row->write);
	expand_record(cells, SLOT_READ, &row->reads[0]);
	expand_record(cells, SLOT_READ_BEFORE, &row->reads[1]);
	row->cells = number;
	return true;
}

/* Makes rows of bytes of one row of words. */
static bool split_row(struct shadow_row *to, struct shadow_row *from, struct cell_pool *pool)
{
	if (!from->cells && !row_expand(from, pool))
		return false;
	for (unsigned part = 0; part < 1 << WORD_SHIFT; part++) {
		uint32_t number = cell_pool_take(pool);
		const struct row_cells *words;
		struct row_cells *bytes;

		if (!number)
			return false;
		words = cell_pool_at(pool, from->cells);
		bytes = cell_pool_at(pool, number);
		for (unsigned i = 0; i < ROW_CELLS; i++)
			memcpy(bytes->slots[i], words->slots[(part * ROW_CELLS + i) >> WORD_SHIFT],
			       sizeof(bytes->slots[i]));
		to[part] = (struct shadow_row){.launch = from->launch, .cells = number};
	}
	return true;
}

bool shadow_rows_split(struct shadow_rows *of, struct cell_pool *pool, uint32_t launch)
{
	struct shadow_rows bytes = {0};
	bool done = shadow_rows_allocate(&bytes, of->count << WORD_SHIFT);

	for (size_t i = 0; done && i < of->count; i++)
		if (of->rows[i].launch == launch)
			done = split_row(&bytes.rows[i << WORD_SHIFT], &of->rows[i], pool);
	free(done ? of->memory : bytes.memory);
	if (done)
		*of = bytes;
	return done;
}
