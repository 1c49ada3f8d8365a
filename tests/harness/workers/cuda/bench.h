/* A resources on the stub driver, as large as an H200 in all but memory. */
#ifndef TESTS_HARNESS_WORKERS_CUDA_BENCH_H
#define TESTS_HARNESS_WORKERS_CUDA_BENCH_H

#include "stub_driver.h"

#include "harness/workers/cuda/operation.h"

struct bench {
	struct stub_driver stub;
	struct device device;
	struct cuda_resources resources;
};

int bench_set_up(void **context);
int bench_tear_down(void **context);
/* A built-in case of `n` elements in blocks of `block`; to be freed. */
struct launch_case *bench_case(const char *kernel, const char *variant, int64_t block, int64_t n);

#endif
