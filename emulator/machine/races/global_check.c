#include "emulator/machine/races/global_rows.h"
#include "emulator/machine/races/global_stream.h"

#include "emulator/machine/finding.h"
#include "emulator/machine/races/dead_loads.h"
#include "emulator/machine/warp_splits.h"

#include <inttypes.h>

static void add_global_thread(struct text *out, const struct launch *launch, int64_t block,
			      unsigned thread)
{
	const int64_t *grid = launch->what.grid, *shape = launch->what.block;

	text_addf(out,
		  "thread (%" PRId64 ",%" PRId64 ",%" PRId64 ") of block (%" PRId64 ",%" PRId64
		  ",%" PRId64 ")",
		  thread % shape[0], thread / shape[0] % shape[1], thread / shape[0] / shape[1],
		  block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]);
}

static const char *verb(const struct global_request *by)
{
	return !by->writes ? "reads" : by->reads ? "changes" : "writes";
}

static const char *remedy(const struct global_request *by, const struct segment *rival,
			  bool both_strong)
{
	if (both_strong)
		return ": an atomic with the scope of a block is none for other blocks; use "
		       "the scope of the device";
	if (rival->block == by->warp->block->number)
		return " with no barrier between; order the accesses with __syncthreads(), or "
		       "__syncwarp() within a warp, or use atomics";
	return " with nothing between that orders the blocks; use atomics, or __threadfence() "
	       "and then an atomic flag, or two launches";
}

/* Reports that a lane's access races with an earlier one at that byte of the allocation. One race
 * of a request is enough. */
static void report_race(struct checked_access *access, unsigned lane, uint64_t byte,
			const struct cell_record *rival, bool wrote)
{
	const struct global_races *shadow = access->shadow;
	const struct global_request *by = access->request;
	struct warp *warp = by->warp;
	const struct launch *launch = warp->block->launch;
	const struct segment *from = order_find(&shadow->order, rival->segment);
	const bool strong = by->at->operation == OP_ATOMIC || by->at->strong || by->at->is_volatile;
	const struct instruction *at;
	struct text text = TEXT_INIT;
	uint32_t function;

	if (access->reported)
		return;
	access->reported = true;
	add_global_thread(&text, launch, warp->block->number, warp->index * LANES + lane);
	text_addf(&text, " %s byte %" PRIu64 " of '%s'", verb(by), byte, by->in->name);
	instruction_place_text(&text, shadow->program, shadow->first_place,
			       shadow->first_place[warp->frame->function_index] +
				       (uint32_t)(by->at - warp->frame->function->code));
	text_add(&text, ", which ");
	add_global_thread(&text, launch, from->block,
			  (unsigned)from->warp * LANES + (unsigned)rival->lane);
	if (rival->many)
		text_add(&text, " and others of its warp");
	text_add(&text, wrote ? " wrote" : " read");
	instruction_place_text(&text, shadow->program, shadow->first_place, rival->place);
	text_add(&text, remedy(by, from, strong && rival->strong));
	warp_finding(warp, by->at, (int)lane, FINDING_GLOBAL_RACE, "%s", text.data);
	text_release(&text);
	/* The values of the loads of a race may be dropped. */
	dead_loads_suspect(launch->uses, shadow->program, warp->frame->function_index, by->at);
	at = instruction_of_number(shadow->program, shadow->first_place, rival->place, &function);
	if (!wrote)
		dead_loads_suspect(launch->uses, shadow->program, function, at);
}

/* ---- races ---- */

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

/* Whether two accesses are atomic for each other. */
static bool both_strong(const struct checked_access *by, const struct cell_record *rival)
{
	return by->strong && rival->strong &&
	       ((!by->of_block && !rival->of_block) ||
		order_find(&by->shadow->order, rival->segment)->block ==
			by->request->warp->block->number);
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

/* ---- rows with a record per cell ---- */

static void settle(struct checked_access *by, struct shadow_row *row, uint32_t cells)
{
	if (row->settled_time != by->shadow->order.time) {
		row->settled_time = by->shadow->order.time;
		row->settled = 0;
	}
	row->settled |= cells;
}

/* Whether the warp, or one that is ordered before it, has seen the last strong write: what follows
 * the read of a value follows its write, too. */
static bool saw_strong_write(const struct checked_access *by,
			     const struct cell_record slots[SLOT_COUNT])
{
	for (unsigned slot = SLOT_READ; slot < SLOT_COUNT; slot++)
		if (slots[slot].saw &&
		    (slots[slot].segment == by->segment ||
		     order_is_before(&by->shadow->order, slots[slot].segment, by->request->warp)))
			return true;
	return false;
}

/* Whether an earlier read in this segment, by other lanes of the warp, is over. */
static bool global_read_is_over(const struct checked_access *by, const struct cell_record *read)
{
	const struct warp *warp = by->request->warp;
	const uint32_t first = warp_place(by->shadow, warp, 0);
	const uint32_t lanes = read->many ? warp->present : UINT32_C(1) << read->lane;

	if (read->segment != by->segment || read->place < first ||
	    read->place - first >= warp->frame->function->code_count)
		return false;
	EACH_BIT(lane, lanes)
		if (!lane_read_is_over(by->request->warp, by->request->at, lane,
				       warp->frame->function_index, read->place - first))
			return false;
	return true;
}

/* Reports a race with what is remembered of a cell. */
static inline void check_slots(struct checked_access *by, uint64_t byte, unsigned lane, bool many,
			       const struct cell_record slots[SLOT_COUNT])
{
	for (unsigned slot = 0; slot < (by->request->writes ? SLOT_COUNT : SLOT_READ); slot++) {
		const bool wrote = slot < SLOT_READ;

		if (races_with(by, lane, many, &slots[slot]) &&
		    !(!wrote && global_read_is_over(by, &slots[slot])) &&
		    !(slot == SLOT_STRONG_WRITE && saw_strong_write(by, slots)) &&
		    !(wrote && by->request->writes && stores_same(by, lane, byte, &slots[slot])))
			report_race(by, lane, byte, &slots[slot], wrote);
	}
}

static void remember_read(struct checked_access *by, struct shadow_row *row, unsigned cell,
			  struct cell_record slots[SLOT_COUNT], const struct cell_record *me)
{
	struct cell_record *reads = &slots[SLOT_READ];
	bool fresh;
	const struct order *order = &by->shadow->order;
	const int at = cell_read_slot(order, reads, me, &fresh);
	const struct segment *first, *second;

	if (at < 0)
		return;
	plane_put(&row->planes[SLOT_READ + at], by->shadow->pool, cell, &reads[at]);
	if (!fresh || !reads[0].segment || !reads[1].segment || reads[0].strong ||
	    reads[1].strong || slots[SLOT_WRITE].segment || slots[SLOT_STRONG_WRITE].segment)
		return;
	/* Two reads settle a cell that are by different blocks and not released. */
	first = order_find(order, reads[0].segment);
	second = order_find(order, reads[1].segment);
	if (first->block != second->block && !first->released && !second->released)
		settle(by, row, UINT32_C(1) << cell);
}

static void remember_write(struct checked_access *by, struct shadow_row *row, unsigned cell,
			   const struct cell_record slots[SLOT_COUNT], const struct cell_record *me)
{
	static const struct cell_record none;
	const enum cell_slot mine = by->strong ? SLOT_STRONG_WRITE : SLOT_WRITE;

	row->settled &= ~(UINT32_C(1) << cell);
	plane_put(&row->planes[mine], by->shadow->pool, cell, me);
	for (unsigned slot = 0; slot < SLOT_COUNT && !by->strong; slot++)
		if (slot != mine && slots[slot].segment)
			plane_put(&row->planes[slot], by->shadow->pool, cell, &none);
	for (unsigned slot = SLOT_READ; slot < SLOT_COUNT && by->strong; slot++)
		if (slots[slot].saw) {
			struct cell_record read = slots[slot];

			read.saw = false;
			plane_put(&row->planes[slot], by->shadow->pool, cell, &read);
		}
}

static void check_global_cell(struct checked_access *by, struct shadow_row *row, unsigned cell,
			      uint64_t byte, unsigned lane, bool many)
{
	struct cell_record slots[SLOT_COUNT];
	struct cell_record me = {
		.segment = by->segment,
		.place = by->place,
		.lane = lane % LANES,
		.many = many,
		.strong = by->strong,
		.of_block = by->of_block,
	};

	if (!cell_pool_reserve(by->shadow->pool, 4, global_races_room(by->shadow))) {
		by->full = true;
		return;
	}
	for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
		slots[slot] = plane_get(&row->planes[slot], by->shadow->pool, cell);
	check_slots(by, byte, lane, many, slots);
	me.saw = by->strong && !by->request->at->guess && slots[SLOT_STRONG_WRITE].segment &&
		 both_strong(by, &slots[SLOT_STRONG_WRITE]);
	if (by->request->writes)
		remember_write(by, row, cell, slots, &me);
	else
		remember_read(by, row, cell, slots, &me);
}

/* ---- rows with a log ---- */

/* Finds the races of an access with what a log says, if there is no memory for planes. */
static void check_log(struct checked_access *by, const struct shadow_row *row, uint64_t first_byte,
		      const struct lane_run *run)
{
	struct row_slots slots;

	log_replay(by->shadow, row, &slots);
	EACH_BIT(cell, run->cells) {
		struct cell_record of[SLOT_COUNT];

		for (unsigned slot = 0; slot < SLOT_COUNT; slot++)
			of[slot] = slots.of[slot][cell];
		check_slots(by, first_byte + ((uint64_t)cell << by->rows->cell_shift),
			    run_lane(run, cell), run->many, of);
	}
}

/* Returns false if the row needs planes. */
static bool check_with_log(struct checked_access *by, struct shadow_row *row, uint64_t first_byte,
			   const struct lane_run *run)
{
	struct row_access access = {
		.shadow = by->shadow,
		.warp = by->request->warp,
		.segment = by->segment,
		.place = by->place,
		.run = *run,
		.writes = by->request->writes,
	};
	enum log_outcome outcome = log_add(row, &access);

	if (outcome == LOG_DONE)
		return true;
	if (global_row_spread(by->shadow, row))
		return false;
	if (outcome == LOG_RACE) {
		check_log(by, row, first_byte, run);
		access.raced = true;
		outcome = log_add(row, &access);
	}
	by->full |= outcome != LOG_DONE;
	return true;
}

/* The cells of lanes that have some of these. Those of a lane are aligned to their number. */
static uint32_t lanes_with(const struct lane_run *run, uint32_t cells)
{
	const uint32_t lane = run->each == ROW_CELLS ? UINT32_MAX : (UINT32_C(1) << run->each) - 1;
	uint32_t found = 0;

	for (unsigned first = 0; first < ROW_CELLS; first += run->each)
		if (run->cells & cells & lane << first)
			found |= run->cells & lane << first;
	return found;
}

/* Checks and records what lanes of the request do to cells of a row that has no summary. */
static void check_details(struct checked_access *by, struct shadow_row *row, uint64_t first_byte,
			  const struct lane_run *lanes)
{
	struct lane_run run = *lanes;

	if (!by->request->writes && row->settled_time == by->shadow->order.time) {
		if (!(run.cells & ~row->settled))
			return;
		if (run.step > run.each)
			run.cells &= lanes_with(&run, ~row->settled);
	}
	if (row->form == ROW_LOG && !by->strong && check_with_log(by, row, first_byte, &run))
		return;
	if (row->form == ROW_LOG && !global_row_spread(by->shadow, row)) {
		by->full = true;
		return;
	}
	EACH_BIT(cell, run.cells) {
		check_global_cell(by, row, cell,
				  first_byte + ((uint64_t)cell << by->rows->cell_shift),
				  run_lane(&run, cell), run.many);
	}
}

/* ---- summaries of rows ---- */

void check_global_run(struct checked_access *by, uint64_t index, const struct lane_run *run)
{
	struct row_summary *summary = &by->rows->summaries[index];
	const uint32_t time = by->shadow->order.time;
	struct shadow_row *row;

	if (reads_settled_row(by, index) ||
	    (!by->strong && run_fits_summary(run) &&
	     row_summarise(summary, run_summary(run, by->segment, by->place, by->request->writes),
			   &by->shadow->order, by->request->warp)))
		return;
	row = global_row(by->shadow, by->rows, index);
	check_details(by, row, (index * ROW_CELLS) << by->rows->cell_shift, run);
	conclude_row(summary, row, by->segment, time);
}
