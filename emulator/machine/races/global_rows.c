#include "emulator/machine/races/global_rows.h"

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

int64_t shadow_rows_bytes(const struct shadow_rows *of)
{
	return (int64_t)(of->count * (sizeof(*of->rows) + sizeof(*of->summaries)));
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
		EACH_BIT(cell, slots->held[slot]) {
			if (slots->of[slot][cell].segment)
				plane_put(&row->planes[slot], pool, cell, &slots->of[slot][cell]);
		}
	return true;
}

int64_t global_races_room(const struct global_races *shadow)
{
	return shadow->limit_bytes - shadow->memory->rows_bytes - cell_pool_bytes(shadow->pool) -
	       order_bytes(&shadow->order);
}

/* ---- the records of the cells ---- */

int cell_read_slot(const struct order *order, struct cell_record reads[2],
		   const struct cell_record *me, bool *fresh)
{
	int at = 0;

	*fresh = true;
	for (; at < 2 && reads[at].segment; at++) {
		if (reads[at].segment == me->segment) {
			reads[at].many |= me->many || reads[at].lane != me->lane;
			reads[at].strong &= me->strong;
			reads[at].saw |= me->saw;
			*fresh = false;
			return at;
		}
		if (order_same_warp(order, reads[at].segment, me->segment))
			break;
	}
	if (at == 2 && me->strong && !(reads[0].strong && reads[1].strong))
		return -1; /* an atomic does not race with a strong read: plain ones say more */
	if (at == 2)
		at = reads[0].strong   ? 0
		     : reads[1].strong ? 1
				       : (int)order_read_to_forget(order, reads[0].segment,
								   reads[1].segment, me->segment);
	reads[at] = *me;
	return at;
}

static void replay_cell(const struct order *order, struct row_slots *out, unsigned cell,
			const struct cell_record *me, bool writes)
{
	struct cell_record reads[2] = {out->of[SLOT_READ][cell], out->of[SLOT_READ_BEFORE][cell]};
	const uint32_t bit = UINT32_C(1) << cell;
	bool fresh;

	if (writes) {
		memset(reads, 0, sizeof(reads));
		out->of[SLOT_WRITE][cell] = *me;
		out->held[SLOT_WRITE] |= bit;
	} else {
		(void)cell_read_slot(order, reads, me, &fresh);
	}
	out->of[SLOT_READ][cell] = reads[0];
	out->of[SLOT_READ_BEFORE][cell] = reads[1];
	out->held[SLOT_READ] |= bit;
	out->held[SLOT_READ_BEFORE] |= bit;
}

static struct cell_record entry_record(struct log_entry entry, const struct lane_run *run,
				       unsigned cell)
{
	return (struct cell_record){
		.segment = *entry.segment,
		.place = (*entry.shape >> SHAPE_PLACE << 16 | *entry.place) & PLACE_MOST,
		.lane = run_lane(run, cell) % LANES,
		.many = run->many,
	};
}

void log_replay(const struct global_races *shadow, const struct shadow_row *row,
		struct row_slots *out)
{
	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < row->log.count; i++) {
		const struct log_entry entry =
			log_at(shadow->pool, (struct shadow_row *)(uintptr_t)row, i);
		const struct lane_run run = shape_run(*entry.shape);

		EACH_BIT(cell, run.cells) {
			const struct cell_record me = entry_record(entry, &run, cell);

			replay_cell(&shadow->order, out, cell, &me,
				    (*entry.shape & SHAPE_WRITE) != 0);
		}
	}
}

bool global_row_spread(struct global_races *shadow, struct shadow_row *row)
{
	struct row_slots slots;

	log_replay(shadow, row, &slots);
	return row_spread(row, shadow->pool, &slots, global_races_room(shadow));
}

bool log_spread_single(struct global_races *shadow, struct shadow_row *row, bool writes)
{
	const uint32_t shape = row->log.shapes[0];
	const struct lane_run run = shape_run(shape);
	struct cell_record me;
	unsigned cell;

	if (row->log.count != 1 || ((shape & SHAPE_WRITE) != 0) != writes ||
	    run.cells & (run.cells - 1) ||
	    !cell_pool_reserve(shadow->pool, 2, global_races_room(shadow)))
		return false;
	cell = (unsigned)__builtin_ctz(run.cells);
	me = entry_record(log_at(shadow->pool, row, 0), &run, cell);
	memset(row->planes, 0, sizeof(row->planes));
	row->form = ROW_PLANES;
	plane_put(&row->planes[writes ? SLOT_WRITE : SLOT_READ], shadow->pool, cell, &me);
	return true;
}

/* ---- rows ---- */

/* Whether a summary is the whole record of its row in the launch. */
static bool summary_is_record(const struct row_summary *summary, const struct order *order)
{
	return (summary->kind == SUMMARY_READ || summary->kind == SUMMARY_WRITE) &&
	       summary->segment >= order->first;
}

/* Whether the row itself says what happened in the launch. */
static bool summary_has_row(const struct row_summary *summary, const struct order *order)
{
	return summary->kind == SUMMARY_SETTLED
		       ? summary->segment >= order->first_time
		       : summary->kind == SUMMARY_DETAILS && summary->segment >= order->first;
}

struct shadow_row *global_row(struct global_races *shadow, struct shadow_rows *of, uint64_t index)
{
	const struct row_summary *summary = &of->summaries[index];
	struct shadow_row *row = &of->rows[index];

	if (summary_has_row(summary, &shadow->order))
		return row;
	row->log.count = 0;
	row->log.flags = 0;
	row->more = 0;
	row->form = ROW_LOG;
	row->settled = 0;
	row->settled_time = shadow->order.time;
	if (summary_is_record(summary, &shadow->order)) {
		const bool wrote = summary->kind == SUMMARY_WRITE;
		const struct lane_run run = {
			.cells = UINT32_MAX,
			.bias = (int16_t)(summary->part * ROW_CELLS),
			.step = (uint8_t)(1U << summary->shift),
			.each = (uint8_t)(1U << summary->shift),
		};
		const struct log_entry entry = log_at(shadow->pool, row, 0);
		uint32_t shape = 0;

		(void)shape_make(&shape, &run, wrote);
		entry_set(&entry, summary->segment, shape, summary->place);
		row->log.count = 1;
		row->log.flags = wrote ? LOG_WRITES : LOG_UNIFORM;
	}
	return row;
}

/* Makes rows of bytes of one row of words. */
static bool split_row(struct shadow_row *to, struct shadow_row *from, struct global_races *shadow)
{
	if (from->form == ROW_LOG && !global_row_spread(shadow, from))
		return false;
	for (unsigned part = 0; part < 1 << WORD_SHIFT; part++) {
		struct row_slots bytes;

		memset(bytes.held, 0xff, sizeof(bytes.held));
		for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
			for (unsigned i = 0; i < ROW_CELLS; i++)
				bytes.of[slot][i] = plane_get(&from->planes[slot], shadow->pool,
							      (part * ROW_CELLS + i) >> WORD_SHIFT);
		if (!row_spread(&to[part], shadow->pool, &bytes, global_races_room(shadow)))
			return false;
	}
	return true;
}

bool global_rows_split(struct global_races *shadow, struct shadow_rows *of)
{
	struct shadow_rows bytes = {0};
	bool done = shadow_rows_allocate(&bytes, of->count << WORD_SHIFT);

	for (size_t i = 0; done && i < of->count; i++) {
		if (!summary_is_record(&of->summaries[i], &shadow->order) &&
		    !summary_has_row(&of->summaries[i], &shadow->order))
			continue;
		done = split_row(&bytes.rows[i << WORD_SHIFT], global_row(shadow, of, i), shadow);
		for (size_t part = 0; part < 1 << WORD_SHIFT; part++)
			bytes.summaries[(i << WORD_SHIFT) + part] = (struct row_summary){
				.segment = shadow->order.first, .kind = SUMMARY_DETAILS};
	}
	if (!done) {
		shadow_rows_release(&bytes);
		return false;
	}
	shadow_rows_release(of);
	*of = bytes;
	return true;
}
