#include "bench.h"

#include <string.h>

#include "kernels/kernels.h"
#include "metrics/metrics.h"

int bench_set_up(void **context)
{
	static struct bench bench;
	struct error err = {0};

	memset(&bench, 0, sizeof(bench));
	bench.device.info = (struct device_info){
		.cc_major = 9,
		.sm_count = 132,
		.max_threads_per_sm = 2048,
		.max_threads_per_block = 1024,
		.max_blocks_per_sm = 32,
		.registers_per_sm = 65536,
		.shared_bytes_per_sm = 233472,
		.shared_bytes_per_block = 232448,
		.l2_bytes = 1 << 20,
		.memory_bytes = INT64_C(1) << 30,
	};
	bench.stub = (struct stub_driver){
		.memory_bytes = (size_t)1 << 30,
		.registers = 32,
		.max_threads = 1024,
		.shared_dynamic_max = 48 << 10,
		.resident_blocks = 1,
	};
	stub_driver_install(&bench.stub, &bench.device);
	if (cuda_resources_open(&bench.resources, &bench.device, 1, &err))
		fail_msg("%s", err.text);
	*context = &bench;
	return 0;
}

int bench_tear_down(void **context)
{
	struct bench *bench = *context;

	cuda_resources_close(&bench->resources);
	stub_driver_assert_empty(&bench->stub);
	return 0;
}

struct launch_case *bench_case(const char *kernel, const char *variant, int64_t block, int64_t n)
{
	const struct kernel *found = kernel_find(kernel);
	const struct axis_value axes[] = {{"block", block}, {"n", n}};
	struct launch_case *work = NULL;
	struct text skip = TEXT_INIT;
	struct error err = {0};

	if (kernel_resolve(&work, &skip, found, kernel_find_variant(found, variant), axes,
			   ARRAY_SIZE(axes), &device_limits_minimum, &err))
		fail_msg("%s", err.text);
	if (!work)
		fail_msg("%s", skip.data);
	text_release(&skip);
	return work;
}

struct timer *bench_timer(struct bench *bench, struct operation *operation)
{
	struct measure_settings settings = {.min_samples = 1, .rounds = 1, .max_time_ns = 1};
	struct timer *timer = NULL;
	struct error err = {0};

	if (timer_open(&timer, &bench->resources, true, &err))
		fail_msg("%s", err.text);
	for (settings.cache = CACHE_COLD; settings.cache <= CACHE_HOT; settings.cache++) {
		struct round_result result = {0};

		if (timer_run(timer, operation, NULL, &settings, &result, &err))
			fail_msg("%s", err.text);
		free(result.time_ns);
	}
	bench->stub.intervals = bench->stub.launches = bench->stub.flushes = 0;
	bench->stub.idle_kernels = bench->stub.resets = 0;
	bench->stub.waits = bench->stub.waits_for_all = 0;
	return timer;
}
