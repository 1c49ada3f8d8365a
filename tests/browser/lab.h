/*
 * lab: constructed runs for tests of the page, on a device that does not exist. The times and
 * counters of its kernels follow from a few parameters and a pseudo-random generator, so every
 * build makes the same runs.
 */
#ifndef TESTS_BROWSER_LAB_H
#define TESTS_BROWSER_LAB_H

#include "db/db.h"

/* A kernel of the lab: what an execution does and how efficiently. */
struct lab_kernel {
	const char *kernel, *variant;
	double flop, bytes;        /* per element */
	double moved;              /* DRAM bytes over compulsory bytes */
	double l2, l1, shared;     /* bytes of each level over compulsory bytes */
	double efficiency;         /* of the roof, at the best block */
	int best_block, registers; /* a block of that size is the fastest */
	double threads_pct;        /* lanes that an instruction keeps busy */
	double branch_pct;         /* branch efficiency; NAN: no branches */
	bool f64;
};
extern const struct lab_kernel lab_kernels[];
extern const size_t lab_kernel_count;

/* Roofs of the device. */
#define LAB_DRAM_PER_S 3.9e12
#define LAB_F32_PER_S 5.6e13
#define LAB_F64_PER_S 2.9e13
struct lab_roof {
	const char *variant; /* of the family `ceilings` */
	double per_s;
	bool flop; /* else bytes */
};
extern const struct lab_roof lab_roofs[];
extern const size_t lab_roof_count;

struct lab_case {
	const struct lab_kernel *kernel;
	int64_t block, n;
};
/* From 0 to 1, the same for the same seed. */
double lab_random(uint64_t *seed);
/* Device time of an execution without noise. */
double lab_time_ns(const struct lab_case *of, double slower);
/* The counters that a device would give. */
void lab_count(struct counter_list *out, const struct lab_case *of, double time_ns, bool all);
/* The run, without trials. */
struct run lab_run(const char *label, const char *command);
struct trial *lab_add(struct run *run, const struct lab_case *of);
/* A trial that shows the roof, in the time returned. */
double lab_add_roof(struct run *run, const struct lab_roof *roof);

#endif
