/* A case of a built-in kernel with its data, for the tests of oracles. */
#ifndef TESTS_KERNELS_ORACLE_BENCH_H
#define TESTS_KERNELS_ORACLE_BENCH_H

#include "kernels/kernels.h"

struct oracle_bench {
	struct launch_case *work;
	struct host_buffers inputs, expected;
};

/* Which floats fill inputs: those of the kernel, or normal ones of this standard deviation. */
#define INPUTS_OF_KERNEL 0.0

/*
 * Resolves KERNEL/VARIANT for "block=64,n=100" and fills its inputs. Axes that
 * the text leaves out have the first of their default values. Results are
 * bytes of 0xff. The caller computes and releases.
 */
void oracle_bench_init(struct oracle_bench *bench, const char *kernel, const char *variant,
		       const char *config, uint64_t seed, double deviation);
void oracle_bench_compute(struct oracle_bench *bench);
void oracle_bench_release(struct oracle_bench *bench);
/* The data of a buffer, an input or a result; *length may be NULL. */
void *oracle_bench_data(const struct oracle_bench *bench, const char *name, int64_t *length);
int64_t oracle_bench_axis(const struct oracle_bench *bench, const char *name);

#endif
