/*
 * chips: limits of GPUs for theoretical occupancy and for plans, since the
 * emulator has none of its own. A chip is CUPTI's name for a die; the numbers
 * are those of the product named. Internal to harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_CHIPS_H
#define HARNESS_WORKERS_PTX_CHIPS_H

#include "metrics/metrics.h"

#define CHIP_DEFAULT "GH100" /* the built-in kernels' PTX is of its compute capability */

struct chip {
	const char *name;    /* "GH100" */
	const char *product; /* whose SM count, L2 and memory these are */
	int cc_major, cc_minor;
	int64_t sm_count;
	int64_t threads_per_sm, blocks_per_sm;
	int64_t shared_bytes_per_sm, shared_bytes_per_block; /* the latter with opt-in */
	int64_t l2_bytes, memory_bytes;
};
const struct chip *chip_all(size_t *count);
/* By name, whatever its case; NULL asks for CHIP_DEFAULT. PL_EUSAGE with the nearest names. */
int chip_find(const struct chip **out, const char *name, struct error *err);

/*
 * The emulated device: "PTX emulator (GH100 limits)", without a chip, a uuid
 * or a driver, so that nobody takes it for a real one.
 */
void chip_describe_device(const struct chip *chip, struct device_info *out);

/* ---- occupancy ---- */

/* The same on all chips here (compute capability 7.5 to 12). */
#define CHIP_LANES_PER_WARP 32
#define CHIP_THREADS_PER_BLOCK 1024
#define CHIP_REGISTERS_PER_SM 65536
#define CHIP_REGISTERS_PER_THREAD 255

/* What a launch takes of an SM. */
struct launch_needs {
	int64_t block_threads;
	int64_t registers_per_thread; /* as ptxas allotted them; -1: not known, no limit */
	int64_t shared_bytes;         /* static and dynamic */
};
struct occupancy {
	int64_t blocks;      /* resident in one SM; 0: such a block cannot be launched */
	double pct;          /* of the warps that an SM can hold */
	const char *limiter; /* "registers", "shared memory", "warps", "blocks", "block size";
				"none" at 100 % */
};
/* As cudaOccupancyMaxActiveBlocksPerMultiprocessor() for a function that may use all the shared
 * memory there is. */
struct occupancy chip_occupancy(const struct chip *chip, const struct launch_needs *needs);

#endif
