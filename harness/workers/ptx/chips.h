/*
 * chips: the limits of GPUs that the emulator uses for plans and theoretical
 * occupancy, because it has no limits of its own. A chip has CUPTI's name of the
 * die; the numbers are those of the named product. Internal to
 * harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_CHIPS_H
#define HARNESS_WORKERS_PTX_CHIPS_H

#include "metrics/metrics.h"

#define CHIP_DEFAULT "GH100" /* the PTX of the built-in kernels has its compute capability */

struct chip {
	const char *name;    /* "GH100" */
	const char *product; /* the product that has this SM count, L2 and memory */
	int cc_major, cc_minor;
	int64_t sm_count;
	int64_t threads_per_sm, blocks_per_sm;
	int64_t shared_bytes_per_sm, shared_bytes_per_block; /* per block: with opt-in */
	int64_t l2_bytes, memory_bytes;
};
const struct chip *chip_all(size_t *count);
/* Finds a chip by name, ignoring case; NULL: CHIP_DEFAULT. PL_EUSAGE, with the nearest names. */
int chip_find(const struct chip **out, const char *name, struct error *err);

/*
 * Describes the emulated device: "PTX emulator (GH100 limits)". It has no chip,
 * uuid or driver, so it cannot be mistaken for a real one.
 */
void chip_describe_device(const struct chip *chip, struct device_info *out);

/* ---- occupancy ---- */

/* Equal on all chips here (compute capability 7.5 to 12). */
#define CHIP_LANES_PER_WARP 32
#define CHIP_THREADS_PER_BLOCK 1024
#define CHIP_REGISTERS_PER_SM 65536
#define CHIP_REGISTERS_PER_THREAD 255

/* The resources of an SM that a launch needs. */
struct launch_needs {
	int64_t block_threads;
	int64_t registers_per_thread; /* as ptxas allocated them; -1: unknown, no limit */
	int64_t shared_bytes;         /* static and dynamic */
};
struct occupancy {
	int64_t blocks;      /* resident on one SM; 0: such a block cannot be launched */
	double pct;          /* share of the warps that an SM can hold */
	const char *limiter; /* "registers", "shared memory", "warps", "blocks", "block size";
				"none" at 100 % */
};
/* Computes what cudaOccupancyMaxActiveBlocksPerMultiprocessor() does for a function that may use
 * all of the shared memory. */
struct occupancy chip_occupancy(const struct chip *chip, const struct launch_needs *needs);

#endif
