/* The facts of a launch: registers, memory, occupancy and code hash. */
#include <cuda_occupancy.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/workers/cuda/operation.h"

static int64_t grid_threads(const struct case_launch *launch)
{
	return launch->grid[0] * launch->grid[1] * launch->grid[2] * launch->block[0] *
	       launch->block[1] * launch->block[2];
}

/* Returns what limits the number of resident blocks, from the toolkit's occupancy calculator, or ""
 * if it finds no limit. */
static const char *occupancy_limiter(const struct device_info *info,
				     const cudaOccFuncAttributes *function, int block_threads,
				     size_t dynamic_bytes)
{
	cudaOccDeviceProp properties;
	cudaOccDeviceState state;
	cudaOccResult result;

	memset(&properties, 0, sizeof(properties));
	memset(&state, 0, sizeof(state));
	properties.computeMajor = info->cc_major;
	properties.computeMinor = info->cc_minor;
	properties.maxThreadsPerBlock = (int)info->max_threads_per_block;
	properties.maxThreadsPerMultiprocessor = (int)info->max_threads_per_sm;
	properties.regsPerBlock = (int)info->registers_per_sm;
	properties.regsPerMultiprocessor = (int)info->registers_per_sm;
	properties.warpSize = 32;
	properties.sharedMemPerBlock = 48 << 10;
	properties.sharedMemPerMultiprocessor = (size_t)info->shared_bytes_per_sm;
	properties.numSms = (int)info->sm_count;
	properties.sharedMemPerBlockOptin = (size_t)info->shared_bytes_per_block;
	properties.reservedSharedMemPerBlock = 1 << 10;
	state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
	if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, function, &state,
						    block_threads,
						    dynamic_bytes) != CUDA_OCC_SUCCESS)
		return "";
	if (result.limitingFactors & OCC_LIMIT_REGISTERS)
		return "registers";
	if (result.limitingFactors & OCC_LIMIT_SHARED_MEMORY)
		return "shared memory";
	if (result.limitingFactors & OCC_LIMIT_WARPS)
		return "warps";
	if (result.limitingFactors & OCC_LIMIT_BLOCKS)
		return "blocks";
	return "";
}

/* Returns the index of the launch with the most threads among those in device code, or the number
 * of launches if there is none. */
static size_t largest_launch(const struct launch_case *work)
{
	size_t largest = work->launch_count;

	for (size_t i = 0; i < work->launch_count; i++) {
		if (!work->launches[i].library[0] &&
		    (largest == work->launch_count ||
		     grid_threads(&work->launches[i]) > grid_threads(&work->launches[largest])))
			largest = i;
	}
	return largest;
}

/* Reads the attributes of a compiled function. */
static int read_function(const struct device *device, CUfunction function,
			 cudaOccFuncAttributes *attributes, int *local_bytes, struct error *err)
{
	int shared_bytes = 0;
	struct {
		CUfunction_attribute attribute;
		int *out;
	} wanted[] = {{CU_FUNC_ATTRIBUTE_NUM_REGS, &attributes->numRegs},
		      {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &shared_bytes},
		      {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, local_bytes},
		      {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &attributes->maxThreadsPerBlock}};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(wanted) && rc == 0; i++)
		rc = cuda_check(&device->driver,
				device->driver.cuFuncGetAttribute(wanted[i].out,
								  wanted[i].attribute, function),
				err, "cuFuncGetAttribute");
	attributes->sharedSizeBytes = (size_t)shared_bytes;
	attributes->partitionedGCConfig = PARTITIONED_GC_OFF;
	attributes->shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
	attributes->maxDynamicSharedSizeBytes = (size_t)device->info.shared_bytes_per_block;
	attributes->numBlockBarriers = 1;
	return rc;
}

int operation_facts(const struct operation *operation, struct launch_facts *out, struct error *err)
{
	const struct device *device = operation->resources->device;
	const size_t largest = largest_launch(operation->work);
	const struct case_launch *launch = &operation->work->launches[largest];
	struct launch_facts facts = launch_facts_unknown;
	cudaOccFuncAttributes function = {0};
	int local_bytes = 0;
	int threads, warps, blocks = 0;
	int rc;

	if (largest == operation->work->launch_count) {
		/* perflab cannot hash the code of a library, so it hashes the library's version */
		const char *version = operation->launches[0].call.version;

		hash_of(facts.code_hash, version, strlen(version));
		snprintf(facts.code_kind, sizeof(facts.code_kind), "%.15s", version);
		*out = facts;
		return 0;
	}
	threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
	warps = (threads + 31) / 32;
	rc = read_function(device, operation->launches[largest].function, &function, &local_bytes,
			   err);
	if (rc == 0)
		rc = cuda_check(&device->driver,
				device->driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
					&blocks, operation->launches[largest].function, threads,
					(size_t)launch->shared_bytes),
				err, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
	if (rc)
		return rc;
	facts.registers_per_thread = function.numRegs;
	facts.shared_static_bytes = (int64_t)function.sharedSizeBytes;
	facts.local_bytes_per_thread = local_bytes;
	facts.shared_dynamic_bytes = launch->shared_bytes;
	facts.theoretical_occupancy_pct =
		100.0 * blocks * warps / (device->info.max_threads_per_sm / 32.0);
	snprintf(facts.occupancy_limiter, sizeof(facts.occupancy_limiter), "%s",
		 facts.theoretical_occupancy_pct >= 100.0
			 ? "none"
			 : occupancy_limiter(&device->info, &function, threads,
					     (size_t)launch->shared_bytes));
	snprintf(facts.code_hash, sizeof(facts.code_hash), "%s", operation->image->code_hash);
	snprintf(facts.instructions_hash, sizeof(facts.instructions_hash), "%s",
		 operation->image->instructions_hash);
	snprintf(facts.code_kind, sizeof(facts.code_kind), "%.15s", operation->image->code_kind);
	*out = facts;
	return 0;
}
