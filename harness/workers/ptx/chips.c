/* The table of chips, and the theoretical occupancy of launches on them. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "harness/workers/ptx/chips.h"

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/*
 * Sources. Threads, blocks and shared memory: CUDA C++ Programming Guide, table
 * "Technical Specifications per Compute Capability". SMs, L2 and memory of the
 * named product: NVIDIA's white papers on Turing, GA100, GA102, Ada, Hopper and
 * Blackwell RTX, and the data sheet of the HGX B200. The L2 of GB100, 126 MiB, is
 * what its users report; NVIDIA does not state it.
 */
static const struct chip chips[] = {
	{"TU102", "GeForce RTX 2080 Ti", 7, 5, 68, 1024, 16, 64 * KIB, 64 * KIB, 5632 * KIB,
	 11 * GIB},
	{"GA100", "A100 SXM4 80GB", 8, 0, 108, 2048, 32, 164 * KIB, 163 * KIB, 40 * MIB, 80 * GIB},
	{"GA102", "GeForce RTX 3090", 8, 6, 82, 1536, 16, 100 * KIB, 99 * KIB, 6 * MIB, 24 * GIB},
	{"AD102", "GeForce RTX 4090", 8, 9, 128, 1536, 24, 100 * KIB, 99 * KIB, 72 * MIB, 24 * GIB},
	{"GH100", "H100 SXM5 80GB", 9, 0, 132, 2048, 32, 228 * KIB, 227 * KIB, 50 * MIB, 80 * GIB},
	{"GB100", "B200", 10, 0, 148, 2048, 32, 228 * KIB, 227 * KIB, 126 * MIB, 180 * GIB},
	{"GB202", "GeForce RTX 5090", 12, 0, 170, 1536, 24, 100 * KIB, 99 * KIB, 96 * MIB,
	 32 * GIB},
};

const struct chip *chip_all(size_t *count)
{
	*count = ARRAY_SIZE(chips);
	return chips;
}

int chip_find(const struct chip **out, const char *name, struct error *err)
{
	const char *names[ARRAY_SIZE(chips)];
	struct text nearest = TEXT_INIT;
	int rc;

	if (!name)
		name = CHIP_DEFAULT;
	for (size_t i = 0; i < ARRAY_SIZE(chips); i++) {
		if (!strcasecmp(chips[i].name, name)) {
			*out = &chips[i];
			return 0;
		}
		names[i] = chips[i].name;
	}
	if (!nearest_names(&nearest, name, names, ARRAY_SIZE(names))) {
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			text_addf(&nearest, "%s%s", i ? ", " : "", names[i]);
		rc = error_set(err, PL_EUSAGE,
			       "unknown chip '%s': the emulator knows the limits of %s", name,
			       nearest.data);
	} else {
		rc = error_set(err, PL_EUSAGE, "unknown chip '%s': did you mean %s?", name,
			       nearest.data);
	}
	text_release(&nearest);
	return rc;
}

void chip_describe_device(const struct chip *chip, struct device_info *out)
{
	*out = (struct device_info){
		.cc_major = chip->cc_major,
		.cc_minor = chip->cc_minor,
		.sm_count = chip->sm_count,
		.max_threads_per_sm = chip->threads_per_sm,
		.max_threads_per_block = CHIP_THREADS_PER_BLOCK,
		.max_blocks_per_sm = chip->blocks_per_sm,
		.registers_per_sm = CHIP_REGISTERS_PER_SM,
		.shared_bytes_per_sm = chip->shared_bytes_per_sm,
		.shared_bytes_per_block = chip->shared_bytes_per_block,
		.l2_bytes = chip->l2_bytes,
		.memory_bytes = chip->memory_bytes,
	};
	snprintf(out->name, sizeof(out->name), "PTX emulator (%s limits)", chip->name);
}

/*
 * Theoretical occupancy. Each quarter of an SM gives registers to its warps in
 * whole units. Blocks get shared memory in whole units, and since compute
 * capability 8.0 the driver reserves another 1 KiB per block.
 */
enum {
	SM_QUARTERS = 4,
	REGISTER_UNIT = 256, /* registers, per warp */
	RESERVED_SHARED_BYTES = 1024,
};

static int64_t round_up(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
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
		if (limits[i].blocks < occupancy.blocks)
			occupancy.blocks = limits[i].blocks;
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
