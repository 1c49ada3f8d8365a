/* Finds races and reads of unwritten bytes in global memory. See global_shadow.h. */
#include "emulator/machine/global_shadow.h"

#include "emulator/machine/access.h"
#include "emulator/machine/global_stream.h"

#include <stdlib.h>
#include <string.h>

/* ---- an access ---- */

struct checked_access {
	struct global_shadow *shadow;
	const struct global_request *request;
	struct shadow_rows *rows;
	uint32_t segment, place;
	bool strong, of_block;
	bool reported; /* one race of a request is enough */
	bool full;     /* there was no memory for a record */
};

static int64_t block_of(const struct checked_access *by, uint32_t segment)
{
	return order_find(&by->shadow->order, segment)->block;
}

static bool is_of_my_warp(const struct checked_access *by, uint32_t segment)
{
	const struct segment *of = order_find(&by->shadow->order, segment);

	return of->block == by->request->warp->block->number &&
	       of->warp == by->request->warp->index;
}

/* The bytes that a lane stores. */
static void stored_bytes(unsigned char out[LANES], const struct global_request *request,
			 unsigned lane)
{
	const struct instruction *at = request->at;
	const unsigned stride = at->width == 8 ? 8 : 4;

	for (unsigned i = 0; i < at->vector; i++)
		memcpy(out + i * at->width,
		       (unsigned char *)row_of(request->warp, at->rows[i]) + lane * stride,
		       at->width);
}

/* Whether a store changes nothing: the cell has the value, or gets it from the other lane, too. */
static bool stores_same(const struct checked_access *by, unsigned lane, uint64_t byte,
			const struct cell_record *rival)
{
	const struct global_request *request = by->request;
	const size_t size = (size_t)1 << by->rows->cell_shift;
	const uint64_t from = byte - request->offset[lane];
	unsigned char mine[LANES], others[LANES];

	if (request->at->operation != OP_STORE)
		return false;
	stored_bytes(mine, request, lane);
	if (rival->segment == by->segment && rival->place == by->place &&
	    request->mask >> rival->lane & 1 &&
	    request->offset[rival->lane] == request->offset[lane]) {
		stored_bytes(others, request, rival->lane);
		return !memcmp(mine + from, others + from, size);
	}
	return !memcmp(mine + from, request->in->data + byte, size);
}

/* Both are atomic for each other. */
static bool both_strong(const struct checked_access *by, const struct cell_record *rival)
{
	return by->strong && rival->strong &&
	       ((!by->of_block && !rival->of_block) ||
		block_of(by, rival->segment) == by->request->warp->block->number);
}

static bool races_with(const struct checked_access *by, unsigned lane, bool many,
		       const struct cell_record *rival)
{
	if (!rival->segment || both_strong(by, rival))
		return false;
	if (rival->segment == by->segment)
		return many || rival->many || rival->lane != lane;
	return !order_is_before(&by->shadow->order, rival->segment, by->request->warp);
}

static void report_race(struct checked_access *by, unsigned lane, uint64_t byte,
			const struct cell_record *rival, bool wrote)
{
	const struct global_rival of = {*rival, wrote};

	if (!by->reported)
		global_report_race(by->shadow, by->request, lane, byte, &of);
	by->reported = true;
}

/* ---- rows with a record per cell ---- */

static void settle(struct checked_access *by, struct shadow_row *row, uint32_t cells)
{
	if (row->settled_time != by->shadow->order.time) {
		row->settled_time = by->shadow->order.time;
		row->settled = 0;
	}
	row->settled |= cells;
}

/* Whether two reads are by different blocks and not released. */
static bool settles(const struct checked_access *by, uint32_t a, uint32_t b)
{
	const struct segment *first = order_find(&by->shadow->order, a);
	const struct segment *second = order_find(&by->shadow->order, b);

	return first->block != second->block && !first->released && !second->released;
}

/* Which of two reads to forget: one of this block if the other is of another, else the older. */
static unsigned read_to_forget(const struct checked_access *by, uint32_t a, uint32_t b)
{
	const int64_t block = by->request->warp->block->number;
	const bool mine = block_of(by, a) == block, second_mine = block_of(by, b) == block;

	if (mine != second_mine)
		return second_mine;
	return b < a;
}

static void remember_read(struct checked_access *by, struct shadow_row *row, unsigned cell,
			  struct cell_record *slots, const struct cell_record *me)
{
	struct cell_record *reads = &slots[SLOT_READ];
	unsigned at = 0;

	for (; at < 2 && reads[at].segment; at++) {
		if (reads[at].segment == me->segment) {
			reads[at].many |= me->many || reads[at].lane != me->lane;
			reads[at].strong &= me->strong;
			return;
		}
		if (is_of_my_warp(by, reads[at].segment))
			break;
	}
	if (at == 2 && me->strong && !(reads[0].strong && reads[1].strong))
		return; /* an atomic does not race with a strong read: plain ones say more */
	if (at == 2)
		at = reads[0].strong   ? 0
		     : reads[1].strong ? 1
				       : read_to_forget(by, reads[0].segment, reads[1].segment);
	reads[at] = *me;
	if (reads[0].segment && reads[1].segment && !reads[0].strong && !reads[1].strong &&
	    !slots[SLOT_WRITE].segment && !slots[SLOT_STRONG_WRITE].segment &&
	    settles(by, reads[0].segment, reads[1].segment))
		settle(by, row, UINT32_C(1) << cell);
}

static void check_global_cell(struct checked_access *by, struct shadow_row *row, unsigned cell,
			      uint64_t byte, unsigned lane, bool many)
{
	struct cell_record *slots = cell_pool_at(&by->shadow->pool, row->cells)->slots[cell];
	const struct cell_record me = {
		.segment = by->segment,
		.place = by->place & PLACE_MOST,
		.lane = lane % LANES,
		.many = many,
		.strong = by->strong,
		.of_block = by->of_block,
	};

	for (unsigned slot = 0; slot < (by->request->writes ? SLOT_COUNT : SLOT_READ); slot++) {
		const bool wrote = slot < SLOT_READ;

		if (races_with(by, lane, many, &slots[slot]) &&
		    !(wrote && by->request->writes && stores_same(by, lane, byte, &slots[slot])))
			report_race(by, lane, byte, &slots[slot], wrote);
	}
	if (!by->request->writes) {
		remember_read(by, row, cell, slots, &me);
		return;
	}
	row->settled &= ~(UINT32_C(1) << cell);
	if (by->strong) {
		slots[SLOT_STRONG_WRITE] = me;
		return;
	}
	memset(slots, 0, SLOT_COUNT * sizeof(*slots));
	slots[SLOT_WRITE] = me;
}

/* ---- rows with records of runs ---- */

static bool is_same_mapping(const struct lane_run *a, const struct lane_run *b)
{
	return a->bias == b->bias && a->shift == b->shift && !a->many && !b->many;
}

/* Whether lanes of the present segment accessed some of these cells in another order. */
static bool is_mixed(const struct checked_access *by, const struct run_record *record,
		     const struct lane_run *run)
{
	return record->segment == by->segment && record->run.cells & run->cells &&
	       !is_same_mapping(&record->run, run);
}

static void check_record(struct checked_access *by, const struct run_record *record,
			 const struct lane_run *run, uint64_t first_byte, bool wrote)
{
	uint32_t common = record->run.cells & run->cells;

	if (!common || record->segment == by->segment ||
	    order_is_before(&by->shadow->order, record->segment, by->request->warp))
		return;
	for (; common; common &= common - 1) {
		const unsigned cell = (unsigned)__builtin_ctz(common), lane = run_lane(run, cell);
		const uint64_t byte = first_byte + ((uint64_t)cell << by->rows->cell_shift);
		const struct cell_record rival = {
			.segment = record->segment,
			.place = record->place & PLACE_MOST,
			.lane = run_lane(&record->run, cell) % LANES,
			.many = record->run.many,
		};

		if (!(wrote && by->request->writes && stores_same(by, lane, byte, &rival)))
			report_race(by, lane, byte, &rival, wrote);
	}
}

/* Returns false if the records cannot hold the access. */
static bool write_run(struct checked_access *by, struct shadow_row *row, const struct lane_run *run,
		      uint64_t first_byte)
{
	struct run_record *write = &row->write;
	const bool joins = write->segment == by->segment && is_same_mapping(&write->run, run);

	if ((write->run.cells & ~run->cells && !joins) || is_mixed(by, write, run) ||
	    is_mixed(by, &row->reads[0], run) || is_mixed(by, &row->reads[1], run))
		return false;
	check_record(by, write, run, first_byte, true);
	for (size_t i = 0; i < ARRAY_SIZE(row->reads); i++) {
		check_record(by, &row->reads[i], run, first_byte, false);
		row->reads[i].run.cells &= ~run->cells;
	}
	row->settled &= ~run->cells;
	if (joins)
		write->run.cells |= run->cells;
	else
		*write = (struct run_record){*run, by->segment, by->place};
	return true;
}

/* Where a read can be recorded; NULL: nowhere. *known: it needs no record. */
static struct run_record *find_read(const struct checked_access *by, struct shadow_row *row,
				    const struct lane_run *run, bool *known)
{
	struct run_record *reads = row->reads;

	for (size_t i = 0; i < ARRAY_SIZE(row->reads); i++) {
		if (!reads[i].run.cells)
			return &reads[i];
		if (reads[i].segment == by->segment && is_same_mapping(&reads[i].run, run)) {
			reads[i].run.cells |= run->cells;
			*known = true;
			return &reads[i];
		}
		if (!(reads[i].run.cells & ~run->cells) && is_of_my_warp(by, reads[i].segment) &&
		    reads[i].segment != by->segment)
			return &reads[i];
	}
	*known = !(run->cells & ~(reads[0].run.cells & reads[1].run.cells)) &&
		 !(run->cells & row->write.run.cells) &&
		 settles(by, reads[0].segment, reads[1].segment);
	if (*known || !((reads[0].run.cells | reads[1].run.cells) & ~run->cells))
		return &reads[read_to_forget(by, reads[0].segment, reads[1].segment)];
	return NULL;
}

static bool read_run(struct checked_access *by, struct shadow_row *row, const struct lane_run *run,
		     uint64_t first_byte)
{
	struct run_record *reads = row->reads, *to;
	bool known = false;

	if (is_mixed(by, &row->write, run))
		return false;
	to = find_read(by, row, run, &known);
	if (!to)
		return false;
	check_record(by, &row->write, run, first_byte, true);
	if (!known)
		*to = (struct run_record){*run, by->segment, by->place};
	if (reads[0].run.cells && reads[1].run.cells &&
	    settles(by, reads[0].segment, reads[1].segment))
		settle(by, row, reads[0].run.cells & reads[1].run.cells & ~row->write.run.cells);
	return true;
}

/* Checks and records what lanes of the request do to cells of a row that has details. */
static void check_details(struct checked_access *by, struct shadow_row *row, uint64_t first_byte,
			  const struct lane_run *run)
{
	if (!by->request->writes && row->settled_time == by->shadow->order.time &&
	    !(run->cells & ~row->settled))
		return;
	if (!row->cells && !by->strong &&
	    (by->request->writes ? write_run(by, row, run, first_byte)
				 : read_run(by, row, run, first_byte)))
		return;
	if (!row->cells &&
	    (!global_shadow_has_room(by->shadow, POOL_CHUNK * sizeof(struct row_cells)) ||
	     !row_expand(row, &by->shadow->pool))) {
		by->full = true;
		return;
	}
	for (uint32_t rest = run->cells; rest; rest &= rest - 1) {
		const unsigned cell = (unsigned)__builtin_ctz(rest);

		check_global_cell(by, row, cell,
				  first_byte + ((uint64_t)cell << by->rows->cell_shift),
				  run_lane(run, cell), run->many);
	}
}

/* ---- summaries of rows ---- */

/* Whether a request can only read what is settled in the row, and so needs no record. */
static inline bool reads_settled_row(const struct checked_access *by, uint64_t index)
{
	return !by->request->writes &&
	       row_is_settled(&by->rows->summaries[index], &by->shadow->order);
}

/* Records the access in the summary of a row, if that can hold the outcome. */
static bool run_summarise(struct checked_access *by, struct row_summary *summary,
			  const struct lane_run *run)
{
	const struct row_summary now = {
		.segment = by->segment,
		.place = by->place & PLACE_MOST,
		.kind = by->request->writes ? SUMMARY_WRITE : SUMMARY_READ,
		.shift = run->shift & 3,
		.part = (unsigned)run->bias / ROW_CELLS & 7,
	};

	return !by->strong && run_fits_summary(run) &&
	       row_summarise(summary, now, &by->shadow->order, by->request->warp);
}

/* Checks and records what lanes of the request do to cells of a row. */
static void check_global_run(struct checked_access *by, uint64_t index, const struct lane_run *run)
{
	struct row_summary *summary = &by->rows->summaries[index];
	const uint32_t time = by->shadow->order.time;
	struct shadow_row *row;

	if (reads_settled_row(by, index) || run_summarise(by, summary, run))
		return;
	row = shadow_row_details(by->rows, index, by->shadow->launch, by->shadow->order.first);
	check_details(by, row, (index * ROW_CELLS) << by->rows->cell_shift, run);
	*summary = (struct row_summary){.segment = by->segment, .kind = SUMMARY_DETAILS};
	if (row->settled == UINT32_MAX && row->settled_time == time)
		*summary = (struct row_summary){.segment = time, .kind = SUMMARY_SETTLED};
}

/* ---- the lanes of a request ---- */

/* The mask of `count` cells from `first` on. */
static uint32_t cell_mask(unsigned first, unsigned count)
{
	return (count == ROW_CELLS ? ALL_LANES : (UINT32_C(1) << count) - 1) << first;
}

/* All lanes, one behind the other. */
static void check_consecutive(struct checked_access *by)
{
	const unsigned shift = by->rows->cell_shift;
	const unsigned each = by->request->bytes >> shift; /* cells of a lane */
	const uint64_t begin = by->request->offset[0] >> shift, end = begin + LANES * each;

	for (uint64_t index = begin / ROW_CELLS; index * ROW_CELLS < end; index++) {
		const uint64_t first = index * ROW_CELLS;
		const unsigned low = first < begin ? (unsigned)(begin - first) : 0;
		const unsigned high = end - first < ROW_CELLS ? (unsigned)(end - first) : ROW_CELLS;
		const struct lane_run run = {
			.cells = cell_mask(low, high - low),
			.bias = (int16_t)((int64_t)first - (int64_t)begin),
			.shift = (uint8_t)__builtin_ctz(each),
		};

		check_global_run(by, index, &run);
	}
}

/* Lanes that read one place. */
static void check_one_place(struct checked_access *by)
{
	const unsigned shift = by->rows->cell_shift;
	const unsigned lane = (unsigned)__builtin_ctz(by->request->mask);
	const uint64_t cell = by->request->offset[lane] >> shift;
	const unsigned each = by->request->bytes >> shift, first = (unsigned)(cell % ROW_CELLS);
	const struct lane_run run = {
		.cells = cell_mask(first, each),
		.shift = (uint8_t)__builtin_ctz(each),
		.bias = (int16_t)(((int)lane << __builtin_ctz(each)) - (int)first),
		.many = (by->request->mask & (by->request->mask - 1)) != 0,
	};

	check_global_run(by, cell / ROW_CELLS, &run);
}

/* Lanes in any order: neighbours with consecutive addresses, or with the same one, together. */
static void check_runs(struct checked_access *by)
{
	const struct global_request *request = by->request;
	const unsigned shift = by->rows->cell_shift, each = request->bytes >> shift;
	const unsigned row_shift = shift + ROW_SHIFT;
	const bool joins = !request->writes || by->strong;
	struct lane_run run = {.shift = (uint8_t)__builtin_ctz(each)};
	uint64_t index = 0, begin = 0, end = 0;
	unsigned last = (unsigned)__builtin_ctz(request->mask);

	if (!(request->spread >> row_shift) &&
	    reads_settled_row(by, request->offset[last] >> row_shift))
		return;
	for (uint32_t rest = request->mask; rest; rest &= rest - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(rest);
		const uint64_t cell = request->offset[lane] >> shift;

		if (run.cells && cell == end && !run.many && lane == last + 1 && cell % ROW_CELLS) {
			run.cells |= cell_mask((unsigned)(cell % ROW_CELLS), each);
			end = cell + each;
		} else if (run.cells && joins && cell == begin && end == begin + each) {
			run.many = true;
		} else {
			if (run.cells)
				check_global_run(by, index, &run);
			index = cell / ROW_CELLS;
			begin = cell;
			end = cell + each;
			run.many = false;
			run.cells = cell_mask((unsigned)(cell % ROW_CELLS), each);
			run.bias = (int16_t)(((int)lane << run.shift) - (int)(cell % ROW_CELLS));
		}
		last = lane;
	}
	if (run.cells)
		check_global_run(by, index, &run);
}

/* ---- requests ---- */

/* What the lanes learn, and what others learn from them. */
static void synchronise(const struct checked_access *by)
{
	const struct global_request *request = by->request;

	for (uint32_t rest = request->mask; rest; rest &= rest - 1) {
		const uint64_t address =
			request->in->address + request->offset[__builtin_ctz(rest)];

		if (request->reads)
			order_strong_read(&by->shadow->order, request->warp, address);
		if (request->writes)
			order_strong_write(&by->shadow->order, request->warp, address);
	}
}

void global_shadow_access(const struct global_request *request)
{
	struct warp *warp = request->warp;
	struct global_shadow *shadow = warp->block->launch->global;
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
	by.rows = global_shadow_rows(shadow, request->in, request->bytes);
	by.segment = order_segment(&shadow->order, warp);
	by.strong = at->operation == OP_ATOMIC || at->strong || at->is_volatile;
	by.of_block = by.strong && at->of_block;
	by.place = shadow->first_place[warp->frame->function_index] +
		   (uint32_t)(at - warp->frame->function->code);
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
