/*
 * Instructions that exchange values between lanes: shuffles, votes, matches,
 * reductions.
 *
 * Each lane gives a member mask. Usually all active lanes give the same one. The
 * lanes of one instruction may also form several groups with a mask each, as
 * after match.any. warp_gather() ensures that every living lane of the masks is
 * active, and that each lane names itself.
 */
#include "emulator/lanes/handlers.h"
#include "emulator/machine/races/dead_loads.h"
#include "emulator/machine/undefined/undefined.h"
#include "emulator/machine/warp_sync.h"

#include <string.h>

/* A result that is built aside, because its row may also be an operand. */
struct values {
	_Alignas(64) uint32_t of[LANES];
};

/* Writes the active lanes of a row. Row 0: no destination. */
static void write_active_lanes(struct warp *warp, uint32_t row, const struct values *values)
{
	uint32_t *to;

	if (!row)
		return;
	to = row_of(warp, row);
	for (int lane = 0; lane < LANES; lane++)
		to[lane] = (values->of[lane] & (uint32_t)warp->lanes[lane]) |
			   (to[lane] & ~(uint32_t)warp->lanes[lane]);
}

/* ---- shuffles ---- */

/*
 * Sets the source lane of each lane, and whether (ALL_LANES or 0) it lies within the lane's
 * segment; if not, the source is the lane itself. `reach` is operand b. `limits` is operand c: a
 * clamp in its low bits, and above them a mask that divides the warp into segments. Compiled for
 * each kind.
 */
static inline __attribute__((always_inline)) void
source_lanes(unsigned kind, const uint32_t reach[LANES], const uint32_t limits[LANES],
	     struct values *from, struct values *inside)
{
	for (uint32_t lane = 0; lane < LANES; lane++) {
		uint32_t segment = limits[lane] >> 8 & 31, first = lane & segment;
		/* The last lane of the segment; for up, the first. */
		uint32_t bound = first | (limits[lane] & 31 & ~segment);
		uint32_t distance = reach[lane] & 31;
		uint32_t source = kind == SHUFFLE_UP          ? lane - distance
				  : kind == SHUFFLE_DOWN      ? lane + distance
				  : kind == SHUFFLE_BUTTERFLY ? lane ^ distance
							      : first | (distance & ~segment);
		bool is_inside = kind == SHUFFLE_UP ? (int32_t)source >= (int32_t)bound
						    : (int32_t)source <= (int32_t)bound;

		from->of[lane] = is_inside ? source : lane;
		inside->of[lane] = is_inside ? ALL_LANES : 0;
	}
}

/* Returns the lanes that read a lane which does not take part. PTX leaves the value undefined. It
 * becomes 0, as on an H200; only of a lane that executes the shuffle at the same time, with another
 * mask, it is that lane's. */
static uint32_t clear_absent(struct warp *warp, const struct instruction *at,
			     const struct values *from, struct values *result)
{
	const uint32_t *members = row_of(warp, at->d);
	uint32_t absent = 0;

	for (uint32_t rest = warp->active; rest; rest &= rest - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(rest);

		if (members[lane] & warp->active & UINT32_C(1) << from->of[lane])
			continue;
		absent |= rest & -rest;
		if (!(warp->active >> from->of[lane] & 1))
			result->of[lane] = 0;
	}
	return absent;
}

/* Whether all lanes are active and give the full mask, so that none is absent. */
static bool all_take_part(const struct warp *warp, const struct instruction *at)
{
	const uint32_t *members = row_of(warp, at->d);
	uint32_t common = warp->active;

	for (int lane = 0; lane < LANES; lane++)
		common &= members[lane];
	return common == ALL_LANES;
}

static enum step run_shuffle(struct warp *warp, const struct instruction *at)
{
	enum step step = warp_gather(warp, at, at->d);
	const uint32_t *value, *reach, *limits;
	struct values result, from, inside;
	uint32_t absent = 0;

	if (step != STEP_NEXT)
		return step;
	warp->sync_epoch++;
	value = row_of(warp, at->a);
	reach = row_of(warp, at->b);
	limits = row_of(warp, at->c);
	switch (at->kind) {
	case SHUFFLE_UP:
		source_lanes(SHUFFLE_UP, reach, limits, &from, &inside);
		break;
	case SHUFFLE_DOWN:
		source_lanes(SHUFFLE_DOWN, reach, limits, &from, &inside);
		break;
	case SHUFFLE_BUTTERFLY:
		source_lanes(SHUFFLE_BUTTERFLY, reach, limits, &from, &inside);
		break;
	default:
		source_lanes(SHUFFLE_INDEX, reach, limits, &from, &inside);
	}
	for (int lane = 0; lane < LANES; lane++)
		result.of[lane] = value[from.of[lane]];
	if (!all_take_part(warp, at))
		absent = clear_absent(warp, at, &from, &result);
	*warp->block->launch->may_be_undefined |= absent != 0;
	if (warp->block->launch->follower)
		undefined_shuffle(warp, at, from.of, absent);
	if (warp->load_value_rows)
		load_values_shuffled(warp, at, from.of, absent);
	write_active_lanes(warp, at->dst, &result);
	write_active_lanes(warp, at->dst2, &inside);
	return STEP_NEXT;
}

/* ---- groups of lanes with one mask ---- */

/* Removes the first group from *left and returns it: lanes that give the same mask. */
static uint32_t next_group(const struct warp *warp, const struct instruction *at, uint32_t *left)
{
	const uint32_t *members = row_of(warp, at->d);
	uint32_t first = members[__builtin_ctz(*left)], group = 0;

	for (uint32_t rest = *left; rest; rest &= rest - 1)
		if (members[__builtin_ctz(rest)] == first)
			group |= rest & -rest;
	*left &= ~group;
	return group;
}

static void set_lanes(struct values *values, uint32_t lanes, uint32_t value)
{
	for (; lanes; lanes &= lanes - 1)
		values->of[__builtin_ctz(lanes)] = value;
}

/* Computes the results of one group: `first` for dst and, of a pair, `second` for dst2. */
typedef void group_function(const struct warp *warp, const struct instruction *at, uint32_t group,
			    struct values *first, struct values *second);

static inline __attribute__((always_inline)) enum step
run_groups(struct warp *warp, const struct instruction *at, group_function *of_group, bool pair)
{
	enum step step = warp_gather(warp, at, at->d);
	struct values first = {{0}}, second = {{0}};

	if (step != STEP_NEXT)
		return step;
	warp->sync_epoch++;
	for (uint32_t left = warp->active; left;)
		of_group(warp, at, next_group(warp, at, &left), &first, &second);
	write_active_lanes(warp, at->dst, &first);
	if (pair)
		write_active_lanes(warp, at->dst2, &second);
	return STEP_NEXT;
}

static void vote(const struct warp *warp, const struct instruction *at, uint32_t group,
		 struct values *result, struct values *unused)
{
	uint32_t votes = at->a ? predicate_mask(row_of(warp, at->a)) & group : 0;
	bool decided = at->kind == VOTE_ALL   ? votes == group
		       : at->kind == VOTE_ANY ? votes != 0
					      : votes == group || votes == 0;

	(void)unused;
	set_lanes(result, group, at->kind == VOTE_BALLOT ? votes : decided ? ALL_LANES : 0);
}

static uint64_t match_value(const struct warp *warp, const struct instruction *at, int lane)
{
	const unsigned char *row = row_of(warp, at->a);
	uint64_t value = 0;

	if (at->type == TYPE_b64 || at->type == TYPE_u64 || at->type == TYPE_s64)
		memcpy(&value, row + 8 * lane, 8);
	else
		memcpy(&value, row + 4 * lane, 4);
	return value;
}

static void match(const struct warp *warp, const struct instruction *at, uint32_t group,
		  struct values *result, struct values *all)
{
	for (uint32_t rest = group, same; rest; rest &= ~same) {
		uint64_t value = match_value(warp, at, __builtin_ctz(rest));

		same = 0;
		for (uint32_t others = rest; others; others &= others - 1)
			if (match_value(warp, at, __builtin_ctz(others)) == value)
				same |= others & -others;
		if (at->kind == MATCH_ANY || same == group) {
			set_lanes(result, same, same);
			set_lanes(all, same, ALL_LANES);
		}
	}
}

static uint32_t redux_pair(const struct instruction *at, uint32_t a, uint32_t b)
{
	bool is_less = at->type == TYPE_s32 ? (int32_t)a < (int32_t)b : a < b;

	switch (at->kind) {
	case ATOMIC_ADD:
		return a + b;
	case ATOMIC_MIN:
		return is_less ? a : b;
	case ATOMIC_MAX:
		return is_less ? b : a;
	case ATOMIC_AND:
		return a & b;
	case ATOMIC_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

static void redux(const struct warp *warp, const struct instruction *at, uint32_t group,
		  struct values *result, struct values *unused)
{
	const uint32_t *value = row_of(warp, at->a);
	uint32_t sum = value[__builtin_ctz(group)];

	(void)unused;
	for (uint32_t rest = group & (group - 1); rest; rest &= rest - 1)
		sum = redux_pair(at, sum, value[__builtin_ctz(rest)]);
	set_lanes(result, group, sum);
}

static void elect(const struct warp *warp, const struct instruction *at, uint32_t group,
		  struct values *leader, struct values *elected)
{
	(void)warp;
	(void)at;
	set_lanes(leader, group, (uint32_t)__builtin_ctz(group));
	set_lanes(elected, group & -group, ALL_LANES);
}

#define GROUP_HANDLER(name, pair)                                                    \
	static enum step run_##name(struct warp *warp, const struct instruction *at) \
	{                                                                            \
		return run_groups(warp, at, name, pair);                             \
	}
GROUP_HANDLER(vote, false)
GROUP_HANDLER(match, true)
GROUP_HANDLER(redux, false)
GROUP_HANDLER(elect, true)

static enum step run_active_mask(struct warp *warp, const struct instruction *at)
{
	struct values result;

	for (int lane = 0; lane < LANES; lane++)
		result.of[lane] = warp->active;
	write_active_lanes(warp, at->dst, &result);
	return STEP_NEXT;
}

static enum step run_warp_barrier(struct warp *warp, const struct instruction *at)
{
	enum step step = warp_gather(warp, at, at->a);

	if (step == STEP_NEXT)
		warp->sync_epoch++;
	return step;
}

instruction_handler *LANES_NAME(exchange_handler)(const struct instruction *instruction)
{
	switch (instruction->operation) {
	case OP_SHUFFLE:
		return run_shuffle;
	case OP_VOTE:
		return run_vote;
	case OP_MATCH:
		return run_match;
	case OP_REDUX:
		return run_redux;
	case OP_ELECT:
		return run_elect;
	case OP_ACTIVE_MASK:
		return run_active_mask;
	case OP_WARP_BARRIER:
		return run_warp_barrier;
	default:
		return NULL;
	}
}
