#include "emulator/machine/races/races_global.h"
#include "emulator/machine/finding.h"

#include "emulator/machine/memory/access.h"
#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/races/global_rows.h"
#include "emulator/machine/races/global_stream.h"

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
	shadow->first_place = instruction_numbers(launch->program);
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

/* ---- rows of an allocation ---- */

static struct shadow_rows *create_rows(struct global_races *shadow, struct allocation *in)
{
	struct shadow_rows *rows = xcalloc(1, sizeof(*rows));
	int64_t bytes;

	rows->cell_shift = WORD_SHIFT;
	rows->count = (size_t)(in->bytes / (ROW_CELLS << WORD_SHIFT)) + 1;
	bytes = shadow_rows_bytes(rows);
	rows->unchecked =
		global_races_room(shadow) < bytes || !shadow_rows_allocate(rows, rows->count);
	if (rows->unchecked)
		rows->count = 0;
	shadow->memory->rows_bytes += shadow_rows_bytes(rows);
	return rows;
}

static struct shadow_rows *global_races_rows(struct global_races *shadow, struct allocation *in,
					     unsigned bytes)
{
	struct shadow_rows *rows = in->shadow;

	if (!rows)
		rows = in->shadow = create_rows(shadow, in);
	if (!rows->unchecked && bytes < 1U << rows->cell_shift) {
		const int64_t before = shadow_rows_bytes(rows);

		if (global_races_room(shadow) < 3 * before || !global_rows_split(shadow, rows))
			shadow_rows_release(rows);
		shadow->memory->rows_bytes += shadow_rows_bytes(rows) - before;
	}
	return rows->unchecked ? NULL : rows;
}

/* Whether a lane reads a byte that nobody has written, and uses it. */
static bool reads_unwritten(const struct global_request *request, unsigned lane)
{
	const struct instruction *at = request->at;
	const uint64_t offset = request->offset[lane];

	if (written_all(request->in, offset, request->bytes))
		return false;
	for (unsigned i = 0; i < request->bytes; i++) {
		if (!written_all(request->in, offset + i, 1) &&
		    !(at->operation == OP_LOAD && at->unread >> i / at->width & 1))
			return true;
	}
	return false;
}

static void written_check(const struct global_request *request)
{
	if (request->consecutive &&
	    written_all(request->in, request->offset[0], (uint64_t)LANES * request->bytes))
		return;
	EACH_BIT(lane, request->mask)
		if (reads_unwritten(request, lane))
			*request->warp->block->launch->may_be_undefined = true;
}

static void written_note(const struct global_request *request)
{
	if (request->consecutive) {
		written_add(request->in, request->offset[0], (uint64_t)LANES * request->bytes);
		return;
	}
	EACH_BIT(lane, request->mask)
		written_add(request->in, request->offset[lane], request->bytes);
}

/* ---- the lanes of a request ---- */

/* The mask of `count` cells from `first` on. */
static uint32_t cell_mask(unsigned first, unsigned count)
{
	return (count == ROW_CELLS ? ALL_LANES : (UINT32_C(1) << count) - 1) << first;
}

/* What all lanes access of a row, one behind the other from the cell `begin` on. */
static inline struct lane_run row_part(uint64_t index, uint64_t begin, unsigned each)
{
	const uint64_t first = index * ROW_CELLS, end = begin + LANES * each;
	const unsigned low = first < begin ? (unsigned)(begin - first) : 0;
	const unsigned high = end - first < ROW_CELLS ? (unsigned)(end - first) : ROW_CELLS;

	return (struct lane_run){
		.cells = cell_mask(low, high - low),
		.bias = (int16_t)((int64_t)first - (int64_t)begin),
		.step = (uint8_t)each,
		.each = (uint8_t)each,
	};
}

/* All lanes, one behind the other. */
static void check_consecutive(struct checked_access *by)
{
	const unsigned shift = by->rows->cell_shift;
	const unsigned each = by->request->bytes >> shift; /* cells of a lane */
	const uint64_t begin = by->request->offset[0] >> shift, end = begin + LANES * each;

	for (uint64_t index = begin / ROW_CELLS; index * ROW_CELLS < end; index++) {
		const struct lane_run run = row_part(index, begin, each);

		check_global_run(by, index, &run);
	}
}

/*
 * An access of one lane, or of many, to one cell. Rows whose cells are all accessed so have planes,
 * to which a record is added here. Other rows take the usual way.
 */
static inline void check_single(struct checked_access *by, uint64_t at,
				const struct cell_record *me)
{
	const uint64_t index = at / ROW_CELLS;
	const unsigned cell = at % ROW_CELLS;
	const bool writes = by->request->writes;
	struct shadow_row *row = &by->rows->rows[index];
	const struct row_plane *planes = row->planes;
	struct lane_run run = {.step = 1, .each = 1};

	/* The summary says so, too, but lies in another line of the cache. */
	if (!by->strong && row->settled_time >= by->shadow->order.first_time &&
	    (row->form == ROW_PLANES || log_spread_single(by->shadow, row, writes)) &&
	    !planes[SLOT_STRONG_WRITE].segments &&
	    !planes[writes ? SLOT_READ : SLOT_WRITE].segments &&
	    plane_add(&planes[writes ? SLOT_WRITE : SLOT_READ], by->shadow->pool, cell, me))
		return;
	run.cells = UINT32_C(1) << cell;
	run.bias = (int16_t)((int)me->lane - (int)cell);
	run.many = me->many;
	check_global_run(by, index, &run);
}

/* Lanes that read one place. */
static void check_one_place(struct checked_access *by)
{
	const unsigned shift = by->rows->cell_shift;
	const unsigned lane = (unsigned)__builtin_ctz(by->request->mask);
	const uint64_t cell = by->request->offset[lane] >> shift;
	const unsigned each = by->request->bytes >> shift, first = (unsigned)(cell % ROW_CELLS);
	const bool many = (by->request->mask & (by->request->mask - 1)) != 0;
	const struct lane_run run = {
		.cells = cell_mask(first, each),
		.step = (uint8_t)each,
		.each = (uint8_t)each,
		.bias = (int16_t)((int)(lane * each) - (int)first),
		.many = many,
	};
	const struct cell_record me = {
		.segment = by->segment,
		.place = by->place,
		.lane = lane % LANES,
		.many = many,
	};

	if (each == 1)
		check_single(by, cell, &me);
	else
		check_global_run(by, cell / ROW_CELLS, &run);
}

/* The cells from lane to lane, if that is the same for all lanes; else the cells of a lane. */
static unsigned lane_step(const struct global_request *request, unsigned shift)
{
	const unsigned first = (unsigned)__builtin_ctz(request->mask);
	const uint64_t begin = request->offset[first];
	const uint64_t step = request->mask >> first & 2 ? request->offset[first + 1] - begin : 0;
	uint64_t differ = 0;

	if (step <= request->bytes || step > INT32_MAX)
		return request->bytes >> shift;
	for (unsigned lane = 0; lane < LANES; lane++)
		differ |= (request->offset[lane] ^ (begin + (lane - (uint64_t)first) * step)) &
			  (0 - (uint64_t)(request->mask >> lane & 1));
	return (differ ? request->bytes : (unsigned)step) >> shift;
}

/* Lanes in a row each, which access a cell each. */
static void check_column(struct checked_access *by)
{
	const struct global_request *request = by->request;
	const unsigned shift = by->rows->cell_shift;
	struct cell_record me = {.segment = by->segment, .place = by->place};

	EACH_BIT(lane, request->mask) {
		me.lane = lane % LANES;
		check_single(by, request->offset[lane] >> shift, &me);
	}
}

/* Lanes in any order: neighbours together, if they have consecutive addresses, or the same one, or
 * the step of all lanes. */
static void check_runs(struct checked_access *by)
{
	const struct global_request *request = by->request;
	const unsigned shift = by->rows->cell_shift, each = request->bytes >> shift;
	const unsigned row_shift = shift + ROW_SHIFT, distance = lane_step(request, shift);
	const unsigned step = distance < ROW_CELLS / 2 ? distance : each;
	const bool joins = !request->writes || by->strong;
	struct lane_run run = {.step = (uint8_t)step, .each = (uint8_t)each};
	uint64_t index = 0, begin = 0;
	unsigned last = (unsigned)__builtin_ctz(request->mask);

	if (!(request->spread >> row_shift) &&
	    reads_settled_row(by, request->offset[last] >> row_shift))
		return;
	if (distance >= ROW_CELLS && each == 1 && !by->strong) {
		check_column(by);
		return;
	}
	EACH_BIT(lane, request->mask) {
		const uint64_t cell = request->offset[lane] >> shift;

		if (run.cells && cell == begin + step && !run.many && lane == last + 1 &&
		    cell / ROW_CELLS == index) {
			run.cells |= cell_mask((unsigned)(cell % ROW_CELLS), each);
		} else if (run.cells && joins && cell == begin && lanes_in(run.cells) == each) {
			run.many = true;
		} else {
			if (run.cells)
				check_global_run(by, index, &run);
			index = cell / ROW_CELLS;
			run.many = false;
			run.cells = cell_mask((unsigned)(cell % ROW_CELLS), each);
			run.bias = (int16_t)((int)(lane * step) - (int)(cell % ROW_CELLS));
		}
		begin = cell;
		last = lane;
	}
	if (run.cells)
		check_global_run(by, index, &run);
}

/* ---- requests ---- */

/* The most bytes of a range that are checked together. */
#define PIECE_BYTES 16

/* What the lanes learn, and what others learn from them. */
static void synchronise(const struct checked_access *by)
{
	const struct global_request *request = by->request;

	EACH_BIT(lane, request->mask) {
		const uint64_t address = request->in->address + request->offset[lane];

		if (request->reads)
			order_strong_read(&by->shadow->order, request->warp, address);
		if (request->writes)
			order_strong_write(&by->shadow->order, request->warp, address);
	}
}

void global_races_access(const struct global_request *request)
{
	struct warp *warp = request->warp;
	struct global_races *shadow = warp->block->launch->global;
	const struct instruction *at = request->at;
	struct checked_access by = {.shadow = shadow, .request = request};

	if (at->space == PTX_SPACE_CONST)
		return;
	if (request->in->bytes_written) {
		if (request->reads)
			written_check(request);
		if (request->writes)
			written_note(request);
	}
	by.rows = global_races_rows(shadow, request->in, request->bytes);
	by.segment = order_segment(&shadow->order, warp);
	by.strong = at->operation == OP_ATOMIC || at->strong || at->is_volatile;
	by.of_block = by.strong && at->of_block;
	by.place = warp_place(shadow, warp, (uint32_t)(at - warp->frame->function->code));
	by.full = !by.rows || !by.segment;
	if (by.strong)
		synchronise(&by);
	by.strong |= at->guess;
	if (!by.full) {
		if (request->consecutive && request->bytes >= 1U << by.rows->cell_shift)
			check_consecutive(&by);
		else if (request->spread == 0 && !request->writes)
			check_one_place(&by);
		else
			check_runs(&by);
	}
	shadow->unchecked += by.full;
}

void global_races_range(struct warp *warp, const struct instruction *at, unsigned lane,
			struct allocation *in, uint64_t offset, uint32_t bytes, bool reads,
			bool writes)
{
	uint64_t offsets[LANES] = {0};
	struct global_request request = {
		.warp = warp,
		.at = at,
		.in = in,
		.mask = UINT32_C(1) << lane,
		.offset = offsets,
		.reads = reads,
		.writes = writes,
	};

	for (uint32_t done = 0; warp->block->launch->global && done < bytes;
	     done += request.bytes) {
		offsets[lane] = offset + done;
		/* The largest power of two that divides the offset, and fits what is left. */
		request.bytes = PIECE_BYTES;
		while (offsets[lane] % request.bytes || request.bytes > bytes - done)
			request.bytes /= 2;
		global_races_access(&request);
	}
}

bool global_rows_pass(const struct regular_request *by)
{
	struct global_races *shadow = by->warp->block->launch->global;
	struct shadow_rows *rows = by->in->shadow;
	const uint64_t begin = by->begin >> WORD_SHIFT;
	const unsigned each = by->bytes >> WORD_SHIFT;
	struct row_access access = {
		.shadow = shadow,
		.warp = by->warp,
		.segment = order_segment(&shadow->order, by->warp),
		.place = warp_place(shadow, by->warp, (uint32_t)by->number),
		.writes = by->writes,
	};

	if (!access.segment)
		return false;
	for (uint64_t index = begin / ROW_CELLS; index * ROW_CELLS < begin + LANES * each;
	     index++) {
		struct row_summary *summary = &rows->summaries[index];
		struct shadow_row *row;

		if (!by->writes && row_is_settled(summary, &shadow->order))
			continue;
		access.run = row_part(index, begin, each);
		if (run_fits_summary(&access.run) &&
		    row_summarise(
			    summary,
			    run_summary(&access.run, access.segment, access.place, by->writes),
			    &shadow->order, by->warp))
			continue;
		row = global_row(shadow, rows, index);
		if (by->writes || row->settled_time != shadow->order.time ||
		    access.run.cells & ~row->settled) {
			if (row->form != ROW_LOG || log_add(row, &access) != LOG_DONE)
				return false;
		}
		conclude_row(summary, row, access.segment, shadow->order.time);
	}
	return true;
}
