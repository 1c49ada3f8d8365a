/*
 * expected_results: a cache of the results that oracles compute, for cases with
 * equal expected results, in front of the data that a request shares. Internal to
 * harness/workers/ptx/.
 */
#ifndef HARNESS_WORKERS_PTX_EXPECTED_RESULTS_H
#define HARNESS_WORKERS_PTX_EXPECTED_RESULTS_H

#include "harness/workers/case_capture.h"
#include "harness/workers/shared_data.h"

#define EXPECTED_MOST_BYTES (INT64_C(256) << 20)

struct expected_result {
	char *key;
	void *data;
	int64_t bytes;
	uint64_t last_use;
};
struct expected_cache {
	struct expected_result *items;
	size_t count, capacity;
	uint64_t clock;
};
void expected_cache_release(struct expected_cache *cache);

/* Executes the reference launches of a case and copies its results to results->data. */
struct reference_runner {
	void *context;
	int (*run)(void *context, struct host_buffers *results, struct error *err);
};

/*
 * Stores the expected results of a case in expected->data, by buffer; NULL for
 * buffers that are not results. `inputs` must be what kernel_fill() makes from
 * `seed`, or what `from` has for the case (NULL: it has no capture). `reference` is called only for
 * a case that has reference launches. Results that `shared` has are not computed; those that it
 * wants are given to it. The results are valid until the next call or the end of the request, and
 * nobody may change them. Errors are those of case_expected_compute() and of the reference;
 * PL_ENOMEM.
 */
int expected_results_find(struct expected_cache *cache, const struct launch_case *work,
			  const struct case_capture *from, uint64_t seed,
			  struct shared_data *shared, const struct host_buffers *inputs,
			  const struct reference_runner *reference, int64_t command_end_ns,
			  struct host_buffers *expected, struct error *err);

#endif
