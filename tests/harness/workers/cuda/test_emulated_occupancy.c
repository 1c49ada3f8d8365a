/* The emulator's occupancy equals that of the toolkit's calculator for every chip it knows. */
#include <cuda_occupancy.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness/workers/ptx/chips.h"

static int toolkit_blocks(const struct chip *chip, const struct launch_needs *needs,
			  const char **limiter)
{
	cudaOccDeviceProp properties;
	cudaOccDeviceState state;
	cudaOccFuncAttributes function;
	cudaOccResult result = {0};

	memset(&properties, 0, sizeof(properties));
	memset(&state, 0, sizeof(state));
	memset(&function, 0, sizeof(function));
	properties.computeMajor = chip->cc_major;
	properties.computeMinor = chip->cc_minor;
	properties.maxThreadsPerBlock = 1024;
	properties.maxThreadsPerMultiprocessor = (int)chip->threads_per_sm;
	properties.regsPerBlock = properties.regsPerMultiprocessor = 65536;
	properties.warpSize = 32;
	properties.sharedMemPerBlock = 48 << 10;
	properties.sharedMemPerMultiprocessor = (size_t)chip->shared_bytes_per_sm;
	properties.numSms = (int)chip->sm_count;
	properties.sharedMemPerBlockOptin = (size_t)chip->shared_bytes_per_block;
	properties.reservedSharedMemPerBlock = chip->cc_major >= 8 ? 1 << 10 : 0;
	state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
	function.maxThreadsPerBlock = INT_MAX;
	function.numRegs = (int)needs->registers_per_thread;
	function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
	function.maxDynamicSharedSizeBytes = (size_t)chip->shared_bytes_per_block;
	function.numBlockBarriers = 1;
	assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &function,
								 &state, (int)needs->block_threads,
								 (size_t)needs->shared_bytes),
			 CUDA_OCC_SUCCESS);
	*limiter = result.limitingFactors & OCC_LIMIT_REGISTERS       ? "registers"
		   : result.limitingFactors & OCC_LIMIT_SHARED_MEMORY ? "shared memory"
		   : result.limitingFactors & OCC_LIMIT_WARPS         ? "warps"
								      : "blocks";
	return result.activeBlocksPerMultiprocessor;
}

static void test_occupancy_equals_the_toolkits(void **context)
{
	static const int64_t shared[] = {
		0,        1,         127,       128,       1024,      4095,      8192,     10000,
		16 << 10, 24 << 10,  32 << 10,  33 << 10,  48 << 10,  49 << 10,  64 << 10, 75 << 10,
		99 << 10, 100 << 10, 113 << 10, 163 << 10, 164 << 10, 227 << 10, 228 << 10};
	size_t chips;
	const struct chip *chip = chip_all(&chips);
	size_t compared = 0;

	(void)context;
	for (size_t c = 0; c < chips; c++) {
		for (int64_t block = 1; block <= 1024; block += block < 64 ? 7 : 29) {
			for (int64_t registers = 1; registers <= 255; registers += 6) {
				for (size_t s = 0; s < ARRAY_SIZE(shared); s++) {
					const struct launch_needs needs = {block, registers,
									   shared[s]};
					struct occupancy got = chip_occupancy(&chip[c], &needs);
					const char *limiter;
					int blocks = toolkit_blocks(&chip[c], &needs, &limiter);

					if (got.blocks != blocks)
						fail_msg("%s block %d registers %d shared %d: "
							 "%d, not %d",
							 chip[c].name, (int)block, (int)registers,
							 (int)shared[s], (int)got.blocks, blocks);
					if (strcmp(got.limiter, "none") != 0)
						assert_string_equal(got.limiter, limiter);
					else
						assert_true(got.pct == 100);
					compared++;
				}
			}
		}
	}
	assert_true(compared > 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_occupancy_equals_the_toolkits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
