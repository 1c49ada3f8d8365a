/* bench: resources on the stub driver, with the limits of an H200 except for 1 GiB of memory. */
#ifndef TESTS_HARNESS_WORKERS_CUDA_BENCH_H
#define TESTS_HARNESS_WORKERS_CUDA_BENCH_H

#include "stub_driver.h"

#include "harness/workers/cuda/backend.h"

struct bench {
	struct stub_driver stub;
	struct device device;
	struct cuda_resources resources;
};

int bench_set_up(void **context);
int bench_tear_down(void **context);
/* Returns a built-in case of `n` elements in blocks of `block`. The caller frees it. */
struct launch_case *bench_case(const char *kernel, const char *variant, int64_t block, int64_t n);
/* Opens a timer that has just measured what events cost, with a cold and with a hot cache. */
struct timer *bench_timer(struct bench *bench, struct operation *operation);

#endif
