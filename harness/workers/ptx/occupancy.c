/*
 * Theoretical occupancy. Each quarter of an SM gives registers to its warps in
 * whole units. Blocks get shared memory in whole units, and since compute
 * capability 8.0 the driver reserves another 1 KiB per block.
 */
#include "harness/workers/ptx/chips.h"

enum {
	SM_QUARTERS = 4,
	REGISTER_UNIT = 256, /* registers, per warp */
	RESERVED_SHARED_BYTES = 1024,
};

static int64_t round_up(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static int64_t at_most(int64_t value, int64_t limit)
{
	return value < limit ? value : limit;
}

static int64_t blocks_by_registers(const struct launch_needs *needs, int64_t warps)
{
	int64_t per_warp;

	if (needs->registers_per_thread <= 0)
		return INT64_MAX;
	if (needs->registers_per_thread > CHIP_REGISTERS_PER_THREAD)
		return 0;
	per_warp = round_up(CHIP_LANES_PER_WARP * needs->registers_per_thread, REGISTER_UNIT);
	/* The launch check assumes that the warps of a block fill all quarters equally. */
	if (per_warp * round_up(warps, SM_QUARTERS) > CHIP_REGISTERS_PER_SM)
		return 0;
	return CHIP_REGISTERS_PER_SM / SM_QUARTERS / per_warp * SM_QUARTERS / warps;
}

static int64_t blocks_by_shared(const struct chip *chip, const struct launch_needs *needs)
{
	bool reserves = chip->cc_major >= 8;
	int64_t bytes;

	if (needs->shared_bytes > chip->shared_bytes_per_block)
		return 0;
	bytes = round_up(needs->shared_bytes + (reserves ? RESERVED_SHARED_BYTES : 0),
			 reserves ? 128 : 256);
	return bytes ? chip->shared_bytes_per_sm / bytes : INT64_MAX;
}

struct occupancy chip_occupancy(const struct chip *chip, const struct launch_needs *needs)
{
	const int64_t warps_per_sm = chip->threads_per_sm / CHIP_LANES_PER_WARP;
	struct occupancy occupancy = {.limiter = "block size"};
	struct {
		int64_t blocks;
		const char *limiter;
	} limits[] = {
		{INT64_MAX, "registers"},
		{INT64_MAX, "shared memory"},
		{INT64_MAX, "warps"},
		{INT64_MAX, "blocks"},
	};
	int64_t warps;

	if (needs->block_threads < 1 || needs->block_threads > CHIP_THREADS_PER_BLOCK)
		return occupancy;
	warps = round_up(needs->block_threads, CHIP_LANES_PER_WARP) / CHIP_LANES_PER_WARP;
	limits[0].blocks = blocks_by_registers(needs, warps);
	limits[1].blocks = blocks_by_shared(chip, needs);
	limits[2].blocks = warps_per_sm / warps;
	limits[3].blocks = chip->blocks_per_sm;
	occupancy.blocks = INT64_MAX;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		occupancy.blocks = at_most(limits[i].blocks, occupancy.blocks);
	/* The first of the lowest limits, as harness/workers/cuda/ reads the toolkit's calculator.
	 */
	for (size_t i = ARRAY_SIZE(limits); i > 0; i--)
		if (limits[i - 1].blocks == occupancy.blocks)
			occupancy.limiter = limits[i - 1].limiter;
	occupancy.pct = 100.0 * (double)(occupancy.blocks * warps) / (double)warps_per_sm;
	if (occupancy.blocks * warps >= warps_per_sm)
		occupancy.limiter = "none";
	return occupancy;
}
