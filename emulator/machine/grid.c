#include "emulator/machine/grid.h"

#include "emulator/machine/barriers/mbarrier.h"
#include "emulator/machine/block.h"
#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/control.h"
#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/races/races_shared.h"

#include <inttypes.h>
#include <stdlib.h>

/* The workspace that cooperative groups use: its size, and the word of the barrier. */
#define WORKSPACE_BYTES 16

/* Rounds without a store in which every warp that runs waits in a loop. After this many, and again
 * whenever their number has doubled, the state of the grid is compared with that of the last time.
 * If they are equal, the blocks wait forever. If not, a loop counts or measures time, and may end.
 * In each round a waiting warp tests its condition 100 times. */
#define IDLE_ROUNDS 1000

/* The blocks that exist at once: all of a cooperative launch, or those of one cluster. */
struct grid {
	struct launch *launch;
	struct block *blocks;
	struct shared_races **shadows; /* by block; NULL: none yet */
	int64_t count, prepared, ended;
	struct cluster *clusters; /* NULL: the launch has none */
	int64_t cluster_count;
};

/* ---- clusters ---- */

/* The number of the cluster that the block with that linear number belongs to, and its rank. */
static int64_t cluster_of_block(const struct launch *launch, int64_t number, unsigned *rank)
{
	const int64_t *grid = launch->what.grid, *cluster = launch->cluster;
	const int64_t at[3] = {number % grid[0], number / grid[0] % grid[1],
			       number / grid[0] / grid[1]};

	*rank = (unsigned)(at[0] % cluster[0] +
			   cluster[0] * (at[1] % cluster[1] + cluster[1] * (at[2] % cluster[2])));
	return at[0] / cluster[0] +
	       grid[0] / cluster[0] *
		       (at[1] / cluster[1] + grid[1] / cluster[1] * (at[2] / cluster[2]));
}

/* Sets numbers[rank] to the linear number of each block of a cluster. */
static void cluster_block_numbers(const struct launch *launch, int64_t cluster,
				  int64_t numbers[CLUSTER_BLOCKS_MOST])
{
	const int64_t *grid = launch->what.grid, *shape = launch->cluster;
	const int64_t across = grid[0] / shape[0], down = grid[1] / shape[1];
	const int64_t first[3] = {cluster % across * shape[0], cluster / across % down * shape[1],
				  cluster / across / down * shape[2]};
	int64_t rank = 0;

	for (int64_t z = first[2]; z < first[2] + shape[2]; z++)
		for (int64_t y = first[1]; y < first[1] + shape[1]; y++)
			for (int64_t x = first[0]; x < first[0] + shape[0]; x++)
				numbers[rank++] = x + grid[0] * (y + grid[1] * z);
}

bool block_is_checked(const struct emulated_launch *what, int64_t nth, int64_t count)
{
	return what->checked_blocks < 0 || nth < what->checked_blocks ||
	       nth >= count - what->checked_blocks;
}

/* Whether all warps of a block wait for others or have ended. */
static bool is_blocked(const struct block *block)
{
	for (unsigned i = 0; i < block->warp_count; i++)
		if (!block->warps[i].blocked)
			return false;
	return true;
}

/* Reports why the blocks wait. Those that wait for threads of their own only come first: the others
 * wait for them. Returns false if all blocks have ended. */
static bool report_blocked(struct cluster *cluster)
{
	for (int meets = 0; meets <= 1; meets++)
		for (unsigned i = 0; i < cluster->count; i++) {
			struct block *block = cluster->blocks[i];

			if (cluster_block_ended(block) ||
			    cluster_barrier_holds(block) != (meets == 1))
				continue;
			barriers_deadlock(block);
			return true;
		}
	return false;
}

/* Returns true, with a finding, if no block of a cluster can ever continue: all warps wait at
 * barriers, or all that run wait for mbarriers and nothing changes. `spins`: all warps that ran
 * waited in loops. */
static bool cluster_is_stuck(struct cluster *cluster, bool spins)
{
	bool blocked = true;

	for (unsigned i = 0; i < cluster->count; i++) {
		struct block *block = cluster->blocks[i];

		if (cluster_block_ended(block) || is_blocked(block))
			continue;
		blocked = false;
		if (spins && mbarriers_idle(block))
			return true;
	}
	return blocked && report_blocked(cluster);
}

/* ---- turns ---- */

/* Executed stores, barriers and ended blocks. Atomics do not count, since a loop may wait with one
 * that changes nothing: grid_state() has what they change. */
static uint64_t visible_changes(const struct grid *grid)
{
	uint64_t sum = (uint64_t)grid->ended + executed_stores(grid->launch, false);

	for (int64_t i = 0; i < grid->count; i++)
		sum += grid->blocks[i].epoch + grid->blocks[i].partial_barriers +
		       grid->blocks[i].ended_count;
	return sum;
}

/* A value of the places, the registers and the memory of all threads that have not ended, except
 * local memory: visible_changes() counts its stores. Grids of equal state do the same again. */
static uint64_t grid_state(const struct grid *grid)
{
	uint64_t hash = state_hash_memory(0, grid->launch);

	for (int64_t i = 0; i < grid->count; i++)
		if (!cluster_block_ended(&grid->blocks[i]))
			hash = state_hash_block(hash, &grid->blocks[i]);
	return hash;
}

/* Reports the first warp that waits in a loop. */
static void report_waiting(struct grid *grid, int64_t rounds)
{
	for (int64_t i = 0; i < grid->count; i++) {
		struct block *block = &grid->blocks[i];

		for (unsigned k = 0; k < block->warp_count && !cluster_block_ended(block); k++) {
			struct warp *warp = &block->warps[k];

			if (warp->blocked || !warp->active)
				continue;
			warp_finding(
				warp, &warp->frame->function->code[warp->pc], -1, FINDING_DEADLOCK,
				"all blocks that have not ended (%" PRId64 " of %" PRId64
				") wait in loops, and for %" PRId64
				" rounds of 100 tests none has changed memory or a register; every "
				"thread of the grid must reach each grid.sync()",
				grid->count - grid->ended, grid->count, rounds);
			return;
		}
	}
}

/* Gives each block its turns. Returns false when all have ended, or the launch does. */
static bool run_round(struct grid *grid, bool *spins, struct error *err, int *rc)
{
	*spins = true;
	for (int64_t i = 0; i < grid->count; i++) {
		struct block *block = &grid->blocks[i];
		enum block_state state;

		if (cluster_block_ended(block))
			continue;
		state = block_take_turns(block);
		if (state == BLOCK_INTERRUPTED)
			*rc = error_set(err, PL_EINTERRUPTED, "stopped");
		if (state == BLOCK_INTERRUPTED || state == BLOCK_STOPPED)
			return false;
		grid->ended += state == BLOCK_ENDED;
		*spins &= state != BLOCK_ENDED && block->spins;
	}
	/* Blocks of a grid that spin may wait for other clusters: run_rounds() finds out. */
	for (int64_t i = 0; i < grid->cluster_count; i++)
		if (cluster_is_stuck(&grid->clusters[i], *spins && !grid->launch->what.cooperative))
			return false;
	return grid->ended < grid->count;
}

static int run_rounds(struct grid *grid, struct error *err)
{
	uint64_t changes = 0, state = 0;
	int64_t idle = 0, compare = IDLE_ROUNDS;
	int rc = 0;
	bool spins;

	while (run_round(grid, &spins, err, &rc)) {
		const uint64_t before = state, last = changes;

		spins &= grid->launch->what.cooperative;
		/* Only rounds without progress are worth the sum. */
		changes = spins ? visible_changes(grid) : 0;
		if (!spins || changes != last) {
			idle = 0;
			compare = IDLE_ROUNDS;
			continue;
		}
		if (++idle < compare)
			continue;
		compare *= 2;
		state = grid_state(grid);
		if (idle > IDLE_ROUNDS && state == before) {
			report_waiting(grid, idle);
			break;
		}
	}
	return rc;
}

/* ---- the blocks ---- */

/* Makes a block a member of its cluster. Returns whether the block is to be checked for races. */
static bool join_cluster(struct grid *grid, struct block *block, int64_t number)
{
	const struct launch *launch = grid->launch;
	const int64_t *shape = launch->what.grid, total = shape[0] * shape[1] * shape[2];
	struct cluster *cluster;
	int64_t of;

	if (!grid->clusters)
		return block_is_checked(&launch->what, number, grid->count);
	of = cluster_of_block(launch, number, &block->rank);
	cluster = &grid->clusters[launch->what.cooperative ? of : 0];
	cluster->number = (uint32_t)of;
	cluster->count = (unsigned)(grid->count / grid->cluster_count);
	cluster->blocks[block->rank] = block;
	block->cluster = cluster;
	/* All blocks of a cluster are checked, or none. */
	return block_is_checked(&launch->what, of * cluster->count, total) ||
	       block_is_checked(&launch->what, (of + 1) * cluster->count - 1, total);
}

/* Makes the blocks ready to run: those of that cluster, or of the whole cooperative launch. */
static int begin_blocks(struct grid *grid, int64_t cluster, struct error *err)
{
	struct launch *launch = grid->launch;
	int64_t numbers[CLUSTER_BLOCKS_MOST];
	int rc = 0;

	if (!launch->what.cooperative)
		cluster_block_numbers(launch, cluster, numbers);
	grid->ended = 0;
	for (int64_t i = 0; !rc && i < grid->count; i++) {
		struct block *block = &grid->blocks[i];
		const int64_t number = launch->what.cooperative ? i : numbers[i];
		bool checked;

		if (i == grid->prepared) {
			grid->prepared++;
			rc = block_prepare(block, launch, err);
		}
		checked = join_cluster(grid, block, number) && launch->shared_bytes > 0;
		if (!rc && checked && !grid->shadows[i]) {
			grid->shadows[i] = shared_races_create(launch);
			if (!grid->shadows[i])
				rc = error_set(err, PL_ENOMEM, "no memory to check for races");
		}
		block->shadow = checked ? grid->shadows[i] : NULL;
		if (!rc)
			rc = block_begin(block, number, err);
	}
	return rc;
}

static void grid_release(struct grid *grid)
{
	for (int64_t i = 0; i < grid->prepared; i++) {
		shared_races_free(grid->shadows[i]);
		block_release(&grid->blocks[i]);
	}
	free(grid->blocks);
	free(grid->shadows);
	free(grid->clusters);
}

static int check_together(const struct emulated_launch *what, int64_t count, struct error *err)
{
	if (what->blocks)
		return error_set(err, PL_EUSAGE,
				 "the launch %s, so its blocks cannot run alone; run all of them",
				 what->cooperative ? "is cooperative" : "has clusters");
	if (what->cooperative && what->resident_blocks > 0 && count > what->resident_blocks)
		return error_set(err, PL_EUSAGE,
				 "the launch is cooperative and has %" PRId64
				 " blocks, but the device holds only %" PRId64
				 " of them at once; launch fewer or smaller blocks",
				 count, what->resident_blocks);
	return 0;
}

int grid_run(struct emulation *emulation, struct launch *launch, struct error *err)
{
	const struct emulated_launch *what = &launch->what;
	const int64_t total = what->grid[0] * what->grid[1] * what->grid[2];
	const int64_t size = launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
	struct grid grid = {.launch = launch, .count = what->cooperative ? total : size};
	int rc = check_together(what, total, err);

	if (!rc && what->cooperative && launch->asks_for_workspace)
		rc = device_memory_allocate(emulation->memory, WORKSPACE_BYTES,
					    "the grid's workspace", &launch->grid_workspace, err);
	if (rc)
		return rc;
	grid.blocks = calloc((size_t)grid.count, sizeof(*grid.blocks));
	grid.shadows = calloc((size_t)grid.count, sizeof(*grid.shadows));
	emulation->blocks_total += (uint64_t)total;
	if (size > 1) {
		grid.cluster_count = grid.count / size;
		grid.clusters = xcalloc((size_t)grid.cluster_count, sizeof(*grid.clusters));
	}
	if (!grid.blocks || !grid.shadows)
		rc = error_set(err, PL_ENOMEM, "no memory for %" PRId64 " blocks", grid.count);
	for (int64_t i = 0; !rc && !launch->stopped && i < total / grid.count; i++) {
		rc = begin_blocks(&grid, i, err);
		if (!rc)
			rc = run_rounds(&grid, err);
		emulation->blocks_executed += (uint64_t)(what->cooperative ? grid.ended
							 : rc              ? 0
									   : size);
	}
	grid_release(&grid);
	if (launch->grid_workspace)
		device_memory_release(emulation->memory, launch->grid_workspace);
	return rc;
}
