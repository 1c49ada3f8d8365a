/* Finds races and uninitialised reads of shared memory. See shadow.h. */
#include "emulator/machine/block_clocks.h"
#include "emulator/machine/shadow_report.h"
#include "emulator/machine/warpgroup.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY UINT16_MAX
#define CELL_ALIGNMENT 64

/*
 * The readers of one warp since its last synchronisation: the first one and one
 * other. Two are enough to find a race with any later writer: if the writer is
 * one of the two, it races with the other; if not, with either.
 */
struct readers {
	uint16_t first, other; /* thread numbers in the block; NOBODY */
	uint32_t sync;
	uint32_t first_place, other_place;
};

/*
 * A word or a byte. All zeroes: untouched, since epochs are stored plus 1. The
 * readers of two warps are enough, for the same reason: at least one of the two
 * is not the warp of the writer.
 */
struct cell {
	uint32_t write_epoch, write_sync, write_place;
	uint32_t plain_sync; /* of the writer's last write that was not atomic, if any */
	uint16_t writer;
	bool write_atomic; /* all writes of the writer in the epoch were atomic */
	bool initialised;
	uint32_t read_epoch;
	struct readers readers[2];
	uint32_t copy_place;   /* of a pending asynchronous copy, plus 1; 0: none */
	uint16_t copier;       /* thread of that copy */
	uint16_t write_fences; /* what proxy_fences of the writer's warp was then */
};

/* The clocks of a cell's accesses (block_clocks.h): of the last write, and of the last reads by the
 * warps of its readers. Beside the cells, so that these keep their size in other blocks. */
struct cell_clocks {
	uint32_t write, readers[2];
};

/*
 * A cell is settled for an epoch if lanes of two warps have read it and no
 * thread has written it. Further loads need no record: any later writer already
 * races with one of the readers.
 */
#define ROW_CELLS 32
struct settled_row {
	uint32_t epoch;    /* 1 more than the block's; 0: never */
	uint32_t cells;    /* mask of the cells that are settled for the epoch */
	uint32_t products; /* mask of those that a product of a warpgroup has read, too */
};

static void unsettle(struct shared_shadow *shadow, size_t cell)
{
	struct settled_row *row = &shadow->settled[cell / ROW_CELLS];

	row->cells &= ~(UINT32_C(1) << cell % ROW_CELLS);
	row->products &= ~(UINT32_C(1) << cell % ROW_CELLS);
}

static size_t settled_rows(size_t cells)
{
	return (cells + ROW_CELLS - 1) / ROW_CELLS;
}

/* Zeroed cells, each in one line of the cache if it has 64 bytes. NULL: no memory. */
static struct cell *allocate_cells(size_t count)
{
	size_t bytes = (count + 1) * sizeof(struct cell);
	struct cell *cells = aligned_alloc(CELL_ALIGNMENT, (bytes + CELL_ALIGNMENT - 1) /
								   CELL_ALIGNMENT * CELL_ALIGNMENT);

	if (cells)
		memset(cells, 0, bytes);
	return cells;
}

struct shared_shadow *shared_shadow_create(const struct launch *launch)
{
	struct shared_shadow *shadow = xcalloc(1, sizeof(*shadow));
	uint32_t place = 0;

	shadow->program = launch->program;
	shadow->first_place = xcalloc(launch->program->function_count + 1, sizeof(uint32_t));
	for (size_t i = 0; i < launch->program->function_count; i++) {
		shadow->first_place[i] = place;
		place += (uint32_t)launch->program->functions[i].code_count;
	}
	shadow->bytes = ((size_t)launch->shared_bytes + 31) / 32 * 32;
	shadow->reserved_bytes = launch->reserved_bytes;
	shadow->grain = WORD_BYTES;
	shadow->cell_count = shadow->bytes / WORD_BYTES;
	shadow->cells = allocate_cells(shadow->cell_count);
	shadow->settled = calloc(settled_rows(shadow->bytes) + 1, sizeof(*shadow->settled));
	shadow->arriving = calloc(shadow->bytes + 1, 1);
	if (!shadow->cells || !shadow->settled || !shadow->arriving) {
		shared_shadow_free(shadow);
		return NULL;
	}
	return shadow;
}

void shared_shadow_free(struct shared_shadow *shadow)
{
	if (!shadow)
		return;
	free(shadow->first_place);
	free(shadow->cells);
	free(shadow->clocks);
	free(shadow->settled);
	free(shadow->arriving);
	free(shadow);
}

void shared_shadow_begin(struct shared_shadow *shadow)
{
	memset(shadow->cells, 0, shadow->cell_count * sizeof(*shadow->cells));
	if (shadow->clocks)
		memset(shadow->clocks, 0, shadow->cell_count * sizeof(*shadow->clocks));
	memset(shadow->settled, 0, settled_rows(shadow->cell_count) * sizeof(*shadow->settled));
}

static struct cell_clocks *allocate_clocks(size_t count)
{
	return xcalloc(count + 1, sizeof(struct cell_clocks));
}

static void split_clocks_into_bytes(struct shared_shadow *shadow)
{
	struct cell_clocks *clocks = allocate_clocks(shadow->bytes);

	for (size_t i = 0; i < shadow->bytes; i++)
		clocks[i] = shadow->clocks[i / WORD_BYTES];
	free(shadow->clocks);
	shadow->clocks = clocks;
}

/* Makes each cell a byte from now on. */
static void split_cells_into_bytes(struct shared_shadow *shadow)
{
	struct cell *cells = xcalloc(shadow->bytes + 1, sizeof(*cells));

	for (size_t i = 0; i < shadow->bytes; i++)
		cells[i] = shadow->cells[i / WORD_BYTES];
	free(shadow->cells);
	shadow->cells = cells;
	if (shadow->clocks)
		split_clocks_into_bytes(shadow);
	memset(shadow->settled, 0, settled_rows(shadow->bytes) * sizeof(*shadow->settled));
	shadow->cell_count = shadow->bytes;
	shadow->grain = 1;
}

/* ---- accesses of two threads to a cell ---- */

static uint32_t warp_of(uint16_t thread)
{
	return thread / LANES;
}

/* Returns true if neither a synchronisation of a common warp nor an mbarrier orders the access of
 * `thread`, with that sync and clock, before the other one. */
static bool unordered(const struct shadow_access *by, uint16_t thread, uint32_t sync,
		      uint32_t clock)
{
	if (warp_of(thread) == warp_of(by->thread))
		return sync == by->sync;
	return !block_clock_known(by->warp, warp_of(thread), clock);
}

/* The clocks of a cell. */
static struct cell_clocks clocks_of(const struct shadow_access *by, const struct cell *cell)
{
	const struct shared_shadow *shadow = by->warp->block->shadow;

	return shadow->clocks ? shadow->clocks[cell - shadow->cells] : (struct cell_clocks){0};
}

static bool rival_writer(const struct cell *cell, const struct shadow_access *by,
			 struct rival *rival)
{
	/* An atomic access can race with a plain write only. */
	uint32_t sync = by->atomic ? cell->plain_sync : cell->write_sync;

	if (cell->write_epoch != by->epoch || cell->writer == by->thread ||
	    (cell->write_atomic && by->atomic) ||
	    !unordered(by, cell->writer, sync, clocks_of(by, cell).write))
		return false;
	*rival = (struct rival){cell->writer, cell->write_place, true};
	return true;
}

static bool rival_reader(const struct cell *cell, const struct shadow_access *by,
			 struct rival *rival)
{
	if (cell->read_epoch != by->epoch)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(cell->readers); i++) {
		const struct readers *readers = &cell->readers[i];

		if (readers->first == NOBODY ||
		    !unordered(by, readers->first, readers->sync, clocks_of(by, cell).readers[i]))
			continue;
		if (readers->first != by->thread)
			*rival = (struct rival){readers->first, readers->first_place, false};
		else if (readers->other != NOBODY)
			*rival = (struct rival){readers->other, readers->other_place, false};
		else
			continue;
		return true;
	}
	return false;
}

static inline void begin_readers(struct readers *readers, uint16_t thread, uint32_t sync,
				 uint32_t place)
{
	readers->first = thread;
	readers->other = NOBODY;
	readers->sync = sync;
	readers->first_place = place;
}

/* `thread`, `sync` and `place` are those of the access. Returns the number of the readers to which
 * it was added; -1: there are two of other warps. */
static inline int remember_reader(struct cell *cell, uint32_t epoch, uint16_t thread, uint32_t sync,
				  uint32_t place)
{
	struct readers *readers = cell->readers;

	if (cell->read_epoch != epoch) {
		cell->read_epoch = epoch;
		begin_readers(&readers[0], thread, sync, place);
		readers[1].first = NOBODY;
		return 0;
	}
	for (int i = 0; i < (int)ARRAY_SIZE(cell->readers); i++) {
		if (readers[i].first == NOBODY) {
			begin_readers(&readers[i], thread, sync, place);
			return i;
		}
		if (warp_of(readers[i].first) != warp_of(thread))
			continue;
		if (readers[i].sync != sync) {
			begin_readers(&readers[i], thread, sync, place);
		} else if (readers[i].first != thread && readers[i].other == NOBODY) {
			readers[i].other = thread;
			readers[i].other_place = place;
		}
		return i;
	}
	return -1;
}

static inline void remember_writer(struct cell *cell, const struct shadow_access *by)
{
	bool again = cell->write_epoch == by->epoch && cell->writer == by->thread;

	cell->write_atomic = by->atomic && (!again || cell->write_atomic);
	cell->write_epoch = by->epoch;
	cell->write_sync = by->sync;
	if (!by->atomic)
		cell->plain_sync = by->sync;
	cell->write_place = by->place;
	cell->writer = by->thread;
	cell->write_fences = by->warp->block->warps[warp_of(by->thread)].proxy_fences;
	cell->initialised = true;
}

/* ---- the lanes of an instruction ---- */

static struct shadow_access access_by(struct warp *warp, const struct instruction *at)
{
	struct shared_shadow *shadow = warp->block->shadow;

	if (warp->block->clocks && !shadow->clocks)
		shadow->clocks = allocate_clocks(shadow->cell_count);
	return (struct shadow_access){
		.warp = warp,
		.at = at,
		.epoch = warp->block->epoch + 1,
		.sync = warp->sync_epoch,
		.clock = block_clock(warp),
		.place = shadow->first_place[warp->frame->function_index] +
			 (uint32_t)(at - warp->frame->function->code),
	};
}

/* The kinds of finding that this request has reported: one of each kind is enough. */
struct reported_kinds {
	bool race, uninitialised, unwaited, product, unfenced;
};

/* Returns true if a copy to the cell is pending, unless `value` is what the copy will write. */
static bool is_early(const struct shared_shadow *shadow, const struct cell *cell, size_t index,
		     const unsigned char *value)
{
	return cell->copy_place &&
	       !(value && !memcmp(value, shadow->arriving + index * shadow->grain, shadow->grain));
}

/* Notes the clock of a read that was added to those readers of the cell. */
static inline void note_read(struct shared_shadow *shadow, size_t index, uint32_t clock,
			     int readers)
{
	if (shadow->clocks && readers >= 0)
		shadow->clocks[index].readers[readers] = clock;
}

/* Checks an access to a cell, then records it. `value`: the bytes to be stored at `there`, or
 * NULL. A store of the value that is there already does not race with an earlier write. */
static void check_cell(struct shared_shadow *shadow, const struct shadow_access *by, size_t index,
		       const unsigned char *value, const unsigned char *there,
		       struct reported_kinds *reported)
{
	struct cell *cell = &shadow->cells[index];
	struct rival rival;

	if (index * shadow->grain < shadow->reserved_bytes)
		return;
	if (by->reads && !by->unread && !cell->initialised && !reported->uninitialised) {
		reported->uninitialised = true;
		shadow_report_uninitialised(shadow, by, index);
	}
	if (is_early(shadow, cell, index, value)) {
		rival = (struct rival){cell->copier, cell->copy_place - 1, true};
		if (!reported->unwaited)
			shadow_report_unwaited(shadow, by, index, &rival);
		reported->unwaited = true;
	} else if (!reported->race && !reported->product &&
		   ((rival_writer(cell, by, &rival) &&
		     !(value && !memcmp(value, there, shadow->grain))) ||
		    (by->writes && rival_reader(cell, by, &rival)))) {
		reported->race = true;
		shadow_report_race(shadow, by, index, &rival);
	}
	if (by->reads && !by->atomic)
		note_read(shadow, index, by->clock,
			  remember_reader(cell, by->epoch, by->thread, by->sync, by->place));
	if (by->writes) {
		remember_writer(cell, by);
		if (shadow->clocks)
			shadow->clocks[index].write = by->clock;
	}
}

static unsigned cell_shift(struct shared_shadow *shadow, unsigned bytes)
{
	if (bytes < shadow->grain)
		split_cells_into_bytes(shadow);
	return shadow->grain == WORD_BYTES ? 2 : 0;
}

/* Reports a write to bytes that a product of a warpgroup may still read. */
static void check_products(struct shared_shadow *shadow, const struct shadow_access *by,
			   uint32_t offset, struct reported_kinds *reported)
{
	uint32_t place;
	unsigned group;

	if (reported->product || !warpgroup_reads(by->warp->block, offset, &group, &place))
		return;
	reported->product = true;
	shadow_report_product(shadow, by, offset / shadow->grain, group, place);
}

/* Whether a store or atomic cannot be a finding: no thread has accessed the cell in this epoch. */
static inline bool write_is_clean(const struct cell *cell, const struct shadow_access *by)
{
	return cell->write_epoch != by->epoch && cell->read_epoch != by->epoch &&
	       !cell->copy_place && (!by->reads || cell->initialised);
}

/* Checks the cells of each lane's bytes. `values`: the bytes of a store, else NULL. */
static void check_lanes(struct shadow_access *by, uint32_t mask, const uint32_t offset[LANES],
			unsigned bytes, const unsigned char *values)
{
	struct shared_shadow *shadow = by->warp->block->shadow;
	const unsigned shift = cell_shift(shadow, bytes);
	const size_t reserved = shadow->reserved_bytes >> shift;
	struct reported_kinds reported = {0};

	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctz(rest);
		const unsigned char *value = values ? values + lane * bytes : NULL;
		const unsigned char *there = by->warp->block->shared + offset[lane];

		by->thread = (uint16_t)(by->warp->index * LANES + lane);
		if (by->warp->block->groups)
			check_products(shadow, by, offset[lane], &reported);
		for (size_t i = 0; i < bytes >> shift; i++) {
			size_t index = (offset[lane] >> shift) + i;

			if (index >= reserved && write_is_clean(&shadow->cells[index], by)) {
				remember_writer(&shadow->cells[index], by);
				if (shadow->clocks)
					shadow->clocks[index].write = by->clock;
				continue;
			}
			check_cell(shadow, by, index, value ? value + (i << shift) : NULL,
				   there + (i << shift), &reported);
			unsettle(shadow, index);
		}
	}
}

/* ---- loads: most cells are settled ---- */

static struct settled_row *settled_row(struct shared_shadow *shadow, size_t number, uint32_t epoch)
{
	struct settled_row *row = &shadow->settled[number];

	if (row->epoch != epoch)
		*row = (struct settled_row){.epoch = epoch};
	return row;
}

static bool is_settled(const struct cell *cell, uint32_t epoch)
{
	return cell->initialised && !cell->copy_place && cell->write_epoch != epoch &&
	       cell->read_epoch == epoch && cell->readers[1].first != NOBODY;
}

uint32_t shared_shadow_unsettled(struct warp *warp, uint32_t row, uint32_t words)
{
	struct shared_shadow *shadow = warp->block->shadow;

	/* Later reads matter, since an mbarrier may order only the earlier ones. */
	if (shadow->grain != WORD_BYTES || warp->block->clocks)
		return words;
	return words & ~settled_row(shadow, row, warp->block->epoch + 1)->cells;
}

/* Whether a load cannot be a finding: no thread has written the cell in this epoch. */
static inline bool read_is_clean(const struct cell *cell, uint32_t epoch)
{
	return cell->initialised && cell->write_epoch != epoch && !cell->copy_place;
}

void shared_shadow_load(struct warp *warp, const struct instruction *at, uint32_t mask,
			const uint32_t offset[LANES], unsigned bytes)
{
	struct shared_shadow *shadow = warp->block->shadow;
	const unsigned shift = cell_shift(shadow, bytes);
	const size_t count = bytes >> shift;
	struct shadow_access by = access_by(warp, at);
	/* Copies, which calls cannot change. */
	const uint32_t epoch = by.epoch, sync = by.sync, clock = by.clock, place = by.place;
	const bool strong = at->strong;
	struct reported_kinds reported = {0};

	by.reads = true;
	by.atomic = strong;
	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);
		const size_t first = offset[lane] >> shift;

		by.thread = (uint16_t)(warp->index * LANES + lane);
		for (size_t index = first; index < first + count; index++) {
			struct cell *cell = &shadow->cells[index];

			if (!strong && read_is_clean(cell, epoch)) {
				note_read(shadow, index, clock,
					  remember_reader(cell, epoch, by.thread, sync, place));
			} else {
				if (at->unread)
					by.unread = at->unread >>
							    ((index - first) << shift) / at->width &
						    1;
				check_cell(shadow, &by, index, NULL, NULL, &reported);
			}
			if (is_settled(cell, epoch))
				settled_row(shadow, index / ROW_CELLS, epoch)->cells |=
					UINT32_C(1) << index % ROW_CELLS;
		}
	}
}

/* ---- atomics and stores ---- */

void shared_shadow_atomic(struct warp *warp, const struct instruction *at, uint32_t mask,
			  const uint32_t offset[LANES], unsigned bytes)
{
	struct shadow_access by = access_by(warp, at);

	by.reads = by.writes = by.atomic = true;
	check_lanes(&by, mask, offset, bytes, NULL);
}

/* Reports two lanes of one instruction that store different values to one place. */
static void report_disagreement(const struct shadow_access *by, unsigned lane, unsigned earlier,
				uint32_t offset)
{
	const struct shared_shadow *shadow = by->warp->block->shadow;
	struct shadow_access at = *by;
	const struct rival rival = {(uint16_t)(by->warp->index * LANES + earlier), by->place, true};

	at.thread = (uint16_t)(by->warp->index * LANES + lane);
	if (offset >= shadow->reserved_bytes)
		shadow_report_race(shadow, &at, offset / shadow->grain, &rival);
}

/*
 * Returns the lanes of a store that are the lowest at their place; they stand
 * for the others. Accesses are aligned: two lanes share all of their bytes or
 * none.
 */
static uint32_t lowest_of_each_place(const struct shadow_access *by, uint32_t mask,
				     const uint32_t offset[LANES], unsigned bytes,
				     const unsigned char *values)
{
	uint32_t lowest = mask;
	bool rising = true, reported = false;

	for (unsigned lane = 1; lane < LANES; lane++)
		rising &= offset[lane] > offset[lane - 1];
	if (rising)
		return mask;
	for (unsigned lane = 0; lane < LANES; lane++) {
		uint32_t same = 0;

		if (!(lowest >> lane & 1))
			continue;
		for (unsigned other = 0; other < LANES; other++)
			same |= (uint32_t)(offset[other] == offset[lane]) << other;
		same &= lowest & ~(UINT32_C(1) << lane);
		lowest &= ~same;
		for (; same && !reported; same &= same - 1) {
			unsigned other = (unsigned)__builtin_ctz(same);

			reported =
				memcmp(values + lane * bytes, values + other * bytes, bytes) != 0;
			if (reported)
				report_disagreement(by, other, lane, offset[lane]);
		}
	}
	return lowest;
}

void shared_shadow_store(struct warp *warp, const struct instruction *at, uint32_t mask,
			 const uint32_t offset[LANES], unsigned bytes, const unsigned char *values)
{
	struct shadow_access by = access_by(warp, at);

	by.writes = true;
	by.atomic = at->strong;
	if (!by.atomic)
		mask = lowest_of_each_place(&by, mask, offset, bytes, values);
	check_lanes(&by, mask, offset, bytes, values);
}

/* ---- asynchronous copies ---- */

uint32_t shared_shadow_copy(struct warp *warp, const struct instruction *at, uint32_t mask,
			    const uint32_t offset[LANES], unsigned bytes,
			    const unsigned char *values)
{
	struct shared_shadow *shadow = warp->block->shadow;
	struct shadow_access by = access_by(warp, at);

	/* The copy may write at any time from now on. */
	shared_shadow_store(warp, at, mask, offset, bytes, values);
	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);

		memcpy(shadow->arriving + offset[lane], values + lane * bytes, bytes);
		for (size_t i = 0; i < bytes / shadow->grain; i++) {
			struct cell *cell = &shadow->cells[offset[lane] / shadow->grain + i];

			cell->copy_place = by.place + 1;
			cell->copier = (uint16_t)(warp->index * LANES + lane);
		}
	}
	return by.place;
}

void shared_shadow_arrive(struct warp *warp, uint32_t mask, const uint32_t offset[LANES],
			  unsigned bytes, uint32_t place, uint32_t clock)
{
	struct shared_shadow *shadow = warp->block->shadow;
	struct shadow_access by = {.warp = warp,
				   .epoch = warp->block->epoch + 1,
				   .sync = warp->sync_epoch,
				   .clock = clock,
				   .place = place,
				   .writes = true};

	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);

		by.thread = (uint16_t)(warp->index * LANES + lane);
		for (size_t i = 0; i < bytes / shadow->grain; i++) {
			size_t index = offset[lane] / shadow->grain + i;

			shadow->cells[index].copy_place = 0;
			remember_writer(&shadow->cells[index], &by);
			if (shadow->clocks)
				shadow->clocks[index].write = clock;
			unsettle(shadow, index);
		}
	}
}

/* ---- products of a warpgroup ---- */

/* Whether nobody fenced the last write to the cell for the async proxy: neither its warp since
 * then, nor any thread after a barrier. */
static bool is_unfenced(const struct block *block, const struct cell *cell)
{
	return cell->initialised && cell->write_epoch >= block->fence_epoch &&
	       block->warps[warp_of(cell->writer)].proxy_fences == cell->write_fences;
}

/* Checks a read of a cell by the warpgroup of a warp. Two of its warps stand for all: a later
 * writer is not in one of them. */
static void check_product_cell(struct shared_shadow *shadow, struct shadow_access *by, size_t index,
			       struct reported_kinds *reported)
{
	const struct block *block = by->warp->block;
	const struct cell *cell = &shadow->cells[index];

	for (unsigned i = 0; i < 2; i++) {
		const struct warp *reader = &block->warps[by->warp->index ^ i];

		by->thread = (uint16_t)(reader->index * LANES);
		by->sync = reader->sync_epoch;
		by->clock = block_clock(reader);
		check_cell(shadow, by, index, NULL, NULL, reported);
	}
	if (reported->race || reported->unfenced || !is_unfenced(block, cell) ||
	    index * shadow->grain < shadow->reserved_bytes)
		return;
	reported->unfenced = true;
	shadow_report_unfenced(shadow, by, index,
			       &(struct rival){cell->writer, cell->write_place, true});
}

uint32_t shared_shadow_product(struct warp *warp, const struct instruction *at, uint32_t mask,
			       const uint32_t offset[LANES])
{
	struct shared_shadow *shadow = warp->block->shadow;
	const unsigned shift = cell_shift(shadow, GROUP_UNIT_BYTES);
	const size_t cells = GROUP_UNIT_BYTES >> shift;
	struct shadow_access by = access_by(warp, at);
	struct reported_kinds reported = {0};

	by.reads = true;
	for (; mask; mask &= mask - 1) {
		const size_t first = offset[__builtin_ctz(mask)] >> shift;
		struct settled_row *row = settled_row(shadow, first / ROW_CELLS, by.epoch);
		const uint32_t unit = ((UINT32_C(1) << cells) - 1) << first % ROW_CELLS;
		bool settled = true;

		/* Most units are read again and again. */
		if (!warp->block->clocks && (row->products & unit) == unit)
			continue;
		for (size_t index = first; index < first + cells; index++) {
			check_product_cell(shadow, &by, index, &reported);
			settled &= is_settled(&shadow->cells[index], by.epoch);
		}
		if (settled)
			row->products |= unit;
	}
	return by.place;
}
