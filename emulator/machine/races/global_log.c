#include "emulator/machine/races/global_rows.h"

struct log_addition {
	const struct row_access *access;
	struct shadow_row *row;
	uint32_t shape;
};

static bool lanes_agree(uint32_t a, uint32_t b, uint32_t common)
{
	const struct lane_run first = shape_run(a), second = shape_run(b);

	if (first.many || second.many)
		return false;
	if (!((a ^ b) & SHAPE_MAPPING))
		return true;
	for (; common; common &= common - 1)
		if (run_lane(&first, (unsigned)__builtin_ctz(common)) !=
		    run_lane(&second, (unsigned)__builtin_ctz(common)))
			return false;
	return true;
}

static bool may_race(const struct log_addition *add)
{
	const struct row_access *access = add->access;
	const struct order *order = &access->shadow->order;

	for (unsigned i = 0; i < add->row->log.count; i++) {
		const struct log_entry entry = log_at(access->shadow->pool, add->row, i);
		const uint32_t common = shape_cells(*entry.shape) & access->run.cells;

		if (!common || (!access->writes && !(*entry.shape & SHAPE_WRITE)))
			continue;
		if (*entry.segment == access->segment
			    ? !lanes_agree(*entry.shape, add->shape, common)
			    : !order_is_before(order, *entry.segment, access->warp))
			return true;
	}
	return false;
}

/* Drops entries of which nothing is left after a write of these cells. */
static void log_erase(const struct log_addition *add)
{
	const struct cell_pool *pool = add->access->shadow->pool;
	unsigned kept = 0;

	for (unsigned i = 0; i < add->row->log.count; i++) {
		const struct log_entry from = log_at(pool, add->row, i);
		const struct log_entry to = log_at(pool, add->row, kept);

		if (!(shape_cells(*from.shape) & ~add->access->run.cells))
			continue;
		*to.segment = *from.segment;
		*to.shape = *from.shape;
		*to.place = *from.place;
		kept++;
	}
	add->row->log.count = (uint8_t)kept;
}

static enum log_outcome log_append(const struct log_addition *add, unsigned flags)
{
	const struct row_access *access = add->access;
	struct shadow_row *row = add->row;
	struct cell_pool *pool = access->shadow->pool;
	struct log_entry entry;

	if (row->log.count == LOG_INLINE && !row->more) {
		if (!(access->run.cells & (access->run.cells - 1)) && log_is_scattered(row))
			return LOG_FULL;
		if (!cell_pool_reserve(pool, 1, global_races_room(access->shadow)))
			return LOG_FULL;
		row->more = cell_pool_take(pool) & INT32_MAX;
	}
	if (row->log.count == LOG_INLINE + LOG_MORE)
		return LOG_FULL;
	entry = log_at(pool, row, row->log.count++);
	entry_set(&entry, access->segment, add->shape, access->place);
	row->log.flags = (uint8_t)flags;
	return LOG_DONE;
}

/*
 * Settles cells that another block has read, too. Returns false if the log cannot tell: segments
 * were released. (Of the two reads that a cell has, one is of another block as soon as two blocks
 * have read it, so it does not matter which are forgotten.)
 */
static bool log_settle(const struct log_addition *add)
{
	const struct row_access *access = add->access;
	const struct segment *me = order_find(&access->shadow->order, access->segment);
	uint32_t seen = 0, written = 0;

	for (unsigned i = 0; i < add->row->log.count; i++) {
		const struct log_entry entry = log_at(access->shadow->pool, add->row, i);
		const struct segment *of = order_find(&access->shadow->order, *entry.segment);
		const uint32_t cells = shape_cells(*entry.shape) & access->run.cells;

		if (*entry.shape & SHAPE_WRITE) {
			written |= cells;
		} else if (cells && of->block != me->block) {
			if (of->released || me->released)
				return false;
			seen |= cells;
		}
	}
	add->row->settled |= seen & ~written;
	return true;
}

static void entry_replace(const struct log_addition *add, unsigned i)
{
	const struct log_entry entry = log_at(add->access->shadow->pool, add->row, i);

	entry_set(&entry, add->access->segment, add->shape, add->access->place);
}

/* A read of a log whose reads all are of these cells: two of them remain, as in the cells. */
static enum log_outcome log_read_uniform(const struct log_addition *add, unsigned flags)
{
	const struct order *order = &add->access->shadow->order;
	const uint32_t *segments = add->row->log.segments;
	const uint32_t me = add->access->segment;

	for (unsigned i = 0; i < add->row->log.count; i++) {
		if (segments[i] == me)
			return LOG_DONE;
		if (order_same_warp(order, segments[i], me)) {
			entry_replace(add, i);
			return LOG_DONE;
		}
	}
	if (add->row->log.count < 2)
		return log_append(add, flags);
	entry_replace(add, order_read_to_forget(order, segments[0], segments[1], me));
	return LOG_DONE;
}

/* Whether no other entry has cells of the one with this number. */
static bool is_alone(const struct log_addition *add, unsigned number)
{
	for (unsigned i = 0; i < add->row->log.count; i++)
		if (i != number &&
		    shape_cells(*log_at(add->access->shadow->pool, add->row, i).shape) &
			    add->access->run.cells)
			return false;
	return true;
}

/* Whether a read changes no record, or those that an entry stands for, which it replaces then. */
static bool log_holds_read(const struct log_addition *add)
{
	const struct order *order = &add->access->shadow->order;
	const uint32_t me = add->access->segment;
	bool mine = true; /* all entries so far are reads of the segment */

	for (unsigned i = add->row->log.count; i-- > 0;) {
		const struct log_entry entry = log_at(add->access->shadow->pool, add->row, i);

		mine = mine && *entry.segment == me && !(*entry.shape & SHAPE_WRITE);
		if ((*entry.shape ^ add->shape) & SHAPE_BITS)
			continue;
		if (mine)
			return true;
		if (*entry.segment != me && order_same_warp(order, *entry.segment, me) &&
		    is_alone(add, i)) {
			entry_replace(add, i);
			return true;
		}
	}
	return false;
}

/* A read. Leaves the row as it was if the log cannot hold it. */
static enum log_outcome log_read(const struct log_addition *add, unsigned flags)
{
	struct shadow_row *row = add->row;
	const uint32_t settled = row->settled;
	enum log_outcome outcome = LOG_DONE;

	if (flags & LOG_MIXED && !log_settle(add))
		return LOG_FULL;
	if (flags & LOG_UNIFORM && !((row->log.shapes[0] ^ add->shape) & SHAPE_BITS))
		outcome = log_read_uniform(add, flags);
	else if (!log_holds_read(add))
		outcome = log_append(add, flags & ~(unsigned)LOG_UNIFORM);
	if (outcome != LOG_DONE)
		row->settled = settled;
	return outcome;
}

enum log_outcome log_add(struct shadow_row *row, const struct row_access *access)
{
	const struct order *order = &access->shadow->order;
	struct log_addition add = {.access = access, .row = row};
	unsigned flags = row->log.flags;

	if (!shape_make(&add.shape, &access->run, access->writes))
		return LOG_FULL;
	if (row->settled_time != order->time) {
		if (row->settled)
			return LOG_FULL;
		row->settled_time = order->time;
	}
	if (!access->raced && (access->writes || flags & LOG_WRITES) && may_race(&add))
		return LOG_RACE;
	if (access->writes) {
		log_erase(&add);
		row->settled &= ~access->run.cells;
	}
	if (row->log.count == 0)
		return log_append(&add, access->writes ? LOG_WRITES : LOG_UNIFORM);
	if (order_find(order, row->log.segments[0])->block != access->warp->block->number)
		row->log.flags = (uint8_t)(flags |= LOG_MIXED);
	if (access->writes)
		return log_append(&add, (flags & ~(unsigned)LOG_UNIFORM) | LOG_WRITES);
	return log_read(&add, flags);
}

bool log_is_scattered(const struct shadow_row *row)
{
	for (unsigned i = 0; i < LOG_INLINE && i < row->log.count; i++)
		if ((row->log.shapes[i] ^ row->log.shapes[i] >> SHAPE_LAST) % ROW_CELLS)
			return false;
	return true;
}
