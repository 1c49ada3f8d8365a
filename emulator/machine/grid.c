/* Cooperative launches. See grid.h. */
#include "emulator/machine/grid.h"

#include "emulator/machine/block.h"
#include "emulator/machine/clusters/cluster_run.h"
#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/races/races_shared.h"
#include "emulator/machine/state_hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The workspace that cooperative groups use: its size, and the word of the barrier. */
#define WORKSPACE_BYTES 16

/* Rounds without a store in which every warp that runs waits in a loop. After this many, and again
 * whenever their number has doubled, the state of the grid is compared with that of the last time.
 * If they are equal, the blocks wait forever. If not, a loop counts or measures time, and may end.
 * In each round a waiting warp tests its condition 100 times. */
#define IDLE_ROUNDS 1000

struct grid {
	struct launch *launch;
	struct block *blocks;
	bool *ended;
	int64_t count, prepared, ended_count;
	struct cluster *clusters; /* NULL: the launch has none */
	int64_t cluster_count;
};

/* Executed stores, barriers and ended blocks. Atomics do not count, since a loop may wait with one
 * that changes nothing: grid_state() has what they change. */
static uint64_t visible_changes(const struct grid *grid)
{
	const struct launch *launch = grid->launch;
	uint64_t sum = (uint64_t)grid->ended_count;

	for (size_t i = 0; i < launch->program->function_count; i++) {
		const struct program_function *function = &launch->program->functions[i];

		for (size_t k = 0; k < function->code_count; k++) {
			const struct instruction_count *count = &launch->counts[i][k];
			enum operation operation = (enum operation)function->code[k].operation;

			if (operation == OP_STORE || operation == OP_COPY ||
			    operation == OP_BULK_COPY)
				sum += count->requests + count->shared_requests +
				       count->local_requests + count->remote_requests;
		}
	}
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
		if (!grid->ended[i])
			hash = state_hash_block(hash, &grid->blocks[i]);
	return hash;
}

/* Reports the first warp that waits in a loop. */
static void report_waiting(struct grid *grid, int64_t rounds)
{
	for (int64_t i = 0; i < grid->count; i++) {
		struct block *block = &grid->blocks[i];

		for (unsigned k = 0; k < block->warp_count && !grid->ended[i]; k++) {
			struct warp *warp = &block->warps[k];

			if (warp->blocked || !warp->active)
				continue;
			warp_finding(
				warp, &warp->frame->function->code[warp->pc], -1, FINDING_DEADLOCK,
				"all blocks that have not ended (%" PRId64 " of %" PRId64
				") wait in loops, and for %" PRId64
				" rounds of 100 tests none has changed memory or a register; every "
				"thread of the grid must reach each grid.sync()",
				grid->count - grid->ended_count, grid->count, rounds);
			return;
		}
	}
}

/* Gives each block its turns. Returns false when the launch ends. */
static bool run_round(struct grid *grid, bool *spins, struct error *err, int *rc)
{
	*spins = true;
	for (int64_t i = 0; i < grid->count; i++) {
		struct block *block = &grid->blocks[i];
		enum block_state state;

		if (grid->ended[i])
			continue;
		state = block_take_turns(block);
		*spins &= (state == BLOCK_CONTINUES || state == BLOCK_WAITS) && block->spins;
		if (state == BLOCK_ENDED) {
			grid->ended[i] = true;
			grid->ended_count++;
		} else if (state != BLOCK_CONTINUES && state != BLOCK_WAITS) {
			if (state == BLOCK_INTERRUPTED)
				*rc = error_set(err, PL_EINTERRUPTED, "stopped");
			return false;
		}
	}
	/* Blocks that spin may wait for other clusters; the caller finds out. */
	for (int64_t i = 0; i < grid->cluster_count; i++)
		if (cluster_is_stuck(&grid->clusters[i], false))
			return false;
	return grid->ended_count < grid->count;
}

static int run_rounds(struct grid *grid, struct error *err)
{
	uint64_t changes = 0, state = 0;
	int64_t idle = 0, compare = IDLE_ROUNDS;
	int rc = 0;
	bool spins;

	while (run_round(grid, &spins, err, &rc)) {
		const uint64_t before = state, last = changes;

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

/* Makes a block a member of its cluster. */
static void join_cluster(struct grid *grid, int64_t number)
{
	struct block *block = &grid->blocks[number];
	struct cluster *cluster;
	int64_t of;

	if (!grid->clusters)
		return;
	of = cluster_of_block(grid->launch, number, &block->rank);
	cluster = &grid->clusters[of];
	cluster->number = (uint32_t)of;
	cluster->count = (unsigned)(grid->count / grid->cluster_count);
	cluster->blocks[block->rank] = block;
	block->cluster = cluster;
}

static bool is_checked(const struct grid *grid, int64_t number)
{
	const struct cluster *cluster = grid->blocks[number].cluster;

	return cluster ? cluster_is_checked(grid->launch, cluster->number)
		       : block_is_checked(&grid->launch->what, number, grid->count);
}

static int begin_blocks(struct grid *grid, struct error *err)
{
	struct launch *launch = grid->launch;
	int rc = 0;

	for (int64_t i = 0; !rc && i < grid->count; i++) {
		struct block *block = &grid->blocks[i];

		grid->prepared = i + 1;
		rc = block_prepare(block, launch, err);
		join_cluster(grid, i);
		if (!rc && launch->shared_bytes > 0 && is_checked(grid, i)) {
			block->shadow = shared_races_create(launch);
			if (!block->shadow)
				rc = error_set(err, PL_ENOMEM, "no memory to check for races");
		}
		if (!rc)
			rc = block_begin(block, i, err);
	}
	return rc;
}

static void grid_release(struct grid *grid)
{
	for (int64_t i = 0; i < grid->prepared; i++) {
		shared_races_free(grid->blocks[i].shadow);
		block_release(&grid->blocks[i]);
	}
	free(grid->blocks);
	free(grid->ended);
	free(grid->clusters);
}

static int check_together(const struct emulated_launch *what, int64_t count, struct error *err)
{
	if (what->blocks)
		return error_set(err, PL_EUSAGE,
				 "the launch is cooperative, so its blocks cannot run alone; run "
				 "all of them");
	if (what->resident_blocks > 0 && count > what->resident_blocks)
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
	struct grid grid = {.launch = launch,
			    .count = what->grid[0] * what->grid[1] * what->grid[2]};
	const int64_t cluster_blocks = launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
	int rc = check_together(what, grid.count, err);

	if (!rc && launch->asks_for_workspace)
		rc = device_memory_allocate(emulation->memory, WORKSPACE_BYTES,
					    "the grid's workspace", &launch->grid_workspace, err);
	if (rc)
		return rc;
	grid.blocks = calloc((size_t)grid.count, sizeof(*grid.blocks));
	grid.ended = calloc((size_t)grid.count, sizeof(*grid.ended));
	emulation->blocks_total += (uint64_t)grid.count;
	if (cluster_blocks > 1) {
		grid.cluster_count = grid.count / cluster_blocks;
		grid.clusters = xcalloc((size_t)grid.cluster_count, sizeof(*grid.clusters));
	}
	if (!grid.blocks || !grid.ended)
		rc = error_set(err, PL_ENOMEM, "no memory for %" PRId64 " blocks", grid.count);
	if (!rc)
		rc = begin_blocks(&grid, err);
	if (!rc)
		rc = run_rounds(&grid, err);
	emulation->blocks_executed += (uint64_t)grid.ended_count;
	grid_release(&grid);
	if (launch->grid_workspace)
		device_memory_release(emulation->memory, launch->grid_workspace);
	return rc;
}
