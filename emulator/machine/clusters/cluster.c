/* The shapes of clusters. See cluster.h. */
#include "emulator/machine/clusters/cluster.h"

#include "emulator/machine/block.h"

#include <inttypes.h>
#include <string.h>

static bool is_cluster(const int64_t shape[3])
{
	return shape[0] || shape[1] || shape[2];
}

/* Which clusters the launch has: those it asks for, or those the entry was compiled for. */
static int choose_cluster(struct launch *launch, const struct ptx_function *entry,
			  struct error *err)
{
	const int64_t *asked = launch->what.cluster, *compiled = entry->cluster;
	bool asks = asked[0] > 1 || asked[1] > 1 || asked[2] > 1;

	for (int i = 0; i < 3; i++)
		if (asked[i] < 0 || (is_cluster(asked) && asked[i] < 1))
			return error_set(err, PL_EUSAGE, "the cluster has %" PRId64 " blocks in %c",
					 asked[i], "xyz"[i]);
	if (!is_cluster(compiled)) {
		for (int i = 0; i < 3; i++)
			launch->cluster[i] = asks ? asked[i] : 1;
		launch->explicit_cluster = asks;
		if (entry->explicit_cluster && !asks)
			return error_set(err, PL_EUSAGE,
					 "%s was compiled for launches with clusters; give the "
					 "launch a cluster",
					 entry->name);
		return 0;
	}
	if (asks && memcmp(asked, compiled, sizeof(entry->cluster)) != 0)
		return error_set(err, PL_EUSAGE,
				 "the cluster has %" PRId64 " x %" PRId64 " x %" PRId64
				 " blocks; %s was compiled for exactly %" PRId64 " x %" PRId64
				 " x %" PRId64,
				 asked[0], asked[1], asked[2], entry->name, compiled[0],
				 compiled[1], compiled[2]);
	memcpy(launch->cluster, compiled, sizeof(launch->cluster));
	launch->explicit_cluster = true;
	return 0;
}

int cluster_check_shape(struct launch *launch, struct error *err)
{
	const struct ptx_function *entry = launch->program->functions[launch->entry].source;
	const int64_t *cluster = launch->cluster;
	int64_t blocks = 1, most = CLUSTER_BLOCKS_MOST;
	int rc = choose_cluster(launch, entry, err);

	if (rc)
		return rc;
	if (entry->most_cluster && entry->most_cluster < most)
		most = entry->most_cluster;
	for (int i = 0; i < 3; i++) {
		blocks = cluster[i] >= 1 && cluster[i] <= most ? blocks * cluster[i] : most + 1;
		if (blocks > most)
			return error_set(err, PL_EUSAGE,
					 "a cluster of %" PRId64 " x %" PRId64 " x %" PRId64
					 " blocks; 1 to %" PRId64 " blocks are possible",
					 cluster[0], cluster[1], cluster[2], most);
	}
	for (int i = 0; i < 3; i++)
		if (launch->what.grid[i] % cluster[i])
			return error_set(err, PL_EUSAGE,
					 "the grid has %" PRId64
					 " blocks along %c, no multiple of the %" PRId64
					 " of a cluster",
					 launch->what.grid[i], "xyz"[i], cluster[i]);
	return 0;
}

int64_t cluster_of_block(const struct launch *launch, int64_t number, unsigned *rank)
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

void cluster_block_numbers(const struct launch *launch, int64_t cluster,
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

bool cluster_is_checked(const struct launch *launch, int64_t cluster)
{
	const int64_t *grid = launch->what.grid, *shape = launch->cluster;
	const int64_t blocks = shape[0] * shape[1] * shape[2], total = grid[0] * grid[1] * grid[2];
	const int64_t first = cluster * blocks;

	return block_is_checked(&launch->what, first, total) ||
	       block_is_checked(&launch->what, first + blocks - 1, total);
}
