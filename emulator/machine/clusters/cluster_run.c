/* Launches with clusters. See cluster_run.h. */
#include "emulator/machine/clusters/cluster_run.h"

#include "emulator/machine/barriers/cluster_barrier.h"
#include "emulator/machine/barriers/mbarrier.h"
#include "emulator/machine/block.h"
#include "emulator/machine/control.h"
#include "emulator/machine/races/races_shared.h"

struct cluster_run {
	struct launch *launch;
	struct block blocks[CLUSTER_BLOCKS_MOST];
	struct shared_races *shadows[CLUSTER_BLOCKS_MOST]; /* NULL: no block is checked */
	struct cluster cluster;
	unsigned prepared, ended;
};

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

bool cluster_is_stuck(struct cluster *cluster, bool spins)
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

/* Gives each block its turns. Returns false when the cluster has ended, or the launch. */
static bool run_turns(struct cluster_run *run, struct error *err, int *rc)
{
	bool spins = true;

	for (unsigned i = 0; i < run->cluster.count; i++) {
		struct block *block = &run->blocks[i];
		enum block_state state;

		if (cluster_block_ended(block))
			continue;
		state = block_take_turns(block);
		if (state == BLOCK_INTERRUPTED)
			*rc = error_set(err, PL_EINTERRUPTED, "stopped");
		if (state == BLOCK_INTERRUPTED || state == BLOCK_STOPPED)
			return false;
		run->ended += state == BLOCK_ENDED;
		spins &= state != BLOCK_ENDED && block->spins;
	}
	return run->ended < run->cluster.count && !cluster_is_stuck(&run->cluster, spins);
}

static int run_one_cluster(struct cluster_run *run, int64_t number, struct error *err)
{
	const bool checked = cluster_is_checked(run->launch, number);
	int64_t numbers[CLUSTER_BLOCKS_MOST];
	int rc = 0;

	run->ended = 0;
	run->cluster.number = (uint32_t)number;
	cluster_block_numbers(run->launch, number, numbers);
	for (unsigned i = 0; !rc && i < run->cluster.count; i++) {
		run->blocks[i].shadow = checked ? run->shadows[i] : NULL;
		rc = block_begin(&run->blocks[i], numbers[i], err);
	}
	while (!rc && run_turns(run, err, &rc))
		;
	return rc;
}

static int prepare_blocks(struct cluster_run *run, struct error *err)
{
	struct launch *launch = run->launch;
	const bool checks = launch->shared_bytes > 0 && launch->what.checked_blocks != 0;
	int rc = 0;

	for (unsigned i = 0; !rc && i < run->cluster.count; i++) {
		struct block *block = &run->blocks[i];

		run->prepared = i + 1;
		rc = block_prepare(block, launch, err);
		block->cluster = &run->cluster;
		block->rank = i;
		run->cluster.blocks[i] = block;
		if (rc || !checks)
			continue;
		run->shadows[i] = shared_races_create(launch);
		if (!run->shadows[i])
			rc = error_set(err, PL_ENOMEM, "no memory to check for races");
	}
	return rc;
}

static void release_blocks(struct cluster_run *run)
{
	for (unsigned i = 0; i < run->prepared; i++) {
		shared_races_free(run->shadows[i]);
		block_release(&run->blocks[i]);
	}
}

int clusters_run(struct emulation *emulation, struct launch *launch, struct error *err)
{
	const int64_t *grid = launch->what.grid, *shape = launch->cluster;
	const int64_t size = shape[0] * shape[1] * shape[2];
	const int64_t total = grid[0] * grid[1] * grid[2];
	struct cluster_run run = {.launch = launch, .cluster.count = (unsigned)size};
	int rc;

	if (launch->what.blocks)
		return error_set(err, PL_EUSAGE,
				 "the launch has clusters, so its blocks cannot run alone; run all "
				 "of them");
	emulation->blocks_total += (uint64_t)total;
	rc = prepare_blocks(&run, err);
	for (int64_t i = 0; !rc && !launch->stopped && i < total / size; i++) {
		rc = run_one_cluster(&run, i, err);
		emulation->blocks_executed += rc ? 0 : (uint64_t)size;
	}
	release_blocks(&run);
	return rc;
}
