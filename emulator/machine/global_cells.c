/* Rows and cells of global memory. See global_cells.h. */
#include "emulator/machine/global_cells.h"

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

/* Whether a summary is the whole record of its row in the launch. */
static bool summary_is_record(const struct row_summary *summary, uint32_t first)
{
	return (summary->kind == SUMMARY_READ || summary->kind == SUMMARY_WRITE) &&
	       summary->segment >= first;
}

struct shadow_row *shadow_row_details(struct shadow_rows *of, uint64_t index, uint32_t launch,
				      uint32_t first)
{
	const struct row_summary *summary = &of->summaries[index];
	struct shadow_row *row = &of->rows[index];
	const struct run_record record = {
		.run = {.cells = UINT32_MAX,
			.bias = (int16_t)(summary->part * ROW_CELLS),
			.shift = summary->shift},
		.segment = summary->segment,
		.place = summary->place,
	};

	if (row->launch != launch)
		*row = (struct shadow_row){.launch = launch};
	if (summary_is_record(summary, first))
		*(summary->kind == SUMMARY_WRITE ? &row->write : &row->reads[0]) = record;
	return row;
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

bool shadow_rows_split(struct shadow_rows *of, struct cell_pool *pool, uint32_t launch,
		       uint32_t first)
{
	struct shadow_rows bytes = {0};
	bool done = shadow_rows_allocate(&bytes, of->count << WORD_SHIFT);

	for (size_t i = 0; done && i < of->count; i++) {
		if (!summary_is_record(&of->summaries[i], first) && of->rows[i].launch != launch)
			continue;
		done = split_row(&bytes.rows[i << WORD_SHIFT],
				 shadow_row_details(of, i, launch, first), pool);
		for (size_t part = 0; part < 1 << WORD_SHIFT; part++)
			bytes.summaries[(i << WORD_SHIFT) + part] =
				(struct row_summary){.segment = first, .kind = SUMMARY_DETAILS};
	}
	if (!done) {
		shadow_rows_release(&bytes);
		return false;
	}
	shadow_rows_release(of);
	*of = bytes;
	return true;
}
