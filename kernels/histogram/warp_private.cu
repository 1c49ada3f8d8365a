/* A histogram of each warp in shared memory, without atomics in the block: a lane writes its count
 * with its own number in the top five bits and reads it back. If it finds the number of another
 * lane, it tries again. */
#include "histogram.cuh"

#define TAG_SHIFT 27

/* Other lanes of the warp write this word as well: the value that is read is one of theirs. */
__device__ inline unsigned load(const unsigned *address)
{
	unsigned value;

	asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
	return value;
}

__device__ inline void store(unsigned *address, unsigned value)
{
	asm volatile("st.relaxed.cta.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/* All lanes of the warp call it. `counts` is the histogram of the warp. */
__device__ inline void add_tagged(unsigned *counts, unsigned bin, bool has_one)
{
	const unsigned tag = threadIdx.x % 32 << TAG_SHIFT;
	bool waits = has_one;

	while (__any_sync(ALL_LANES, waits)) {
		unsigned counted = 0;

		if (waits) {
			counted = tag | (load(&counts[bin]) & ((1u << TAG_SHIFT) - 1)) + 1;
			store(&counts[bin], counted);
		}
		__syncwarp();
		waits = waits && load(&counts[bin]) != counted;
		__syncwarp();
	}
}

extern "C" __global__ void histogram_warp_private(const unsigned *__restrict__ x, unsigned *counts,
						  long long n, unsigned mask)
{
	extern __shared__ unsigned of_warps[];
	const unsigned warps = blockDim.x / 32;
	unsigned *of_warp = of_warps + threadIdx.x / 32 * BINS;
	const long long stride = grid_threads();

	clear(of_warps, warps * BINS);
	/* whole warps run every turn */
#pragma unroll 1
	for (long long first = global_thread() - threadIdx.x % 32; first < n; first += stride) {
		long long i = first + threadIdx.x % 32;

		add_tagged(of_warp, i < n ? x[i] & mask : 0, i < n);
	}
	__syncthreads();
	for (unsigned bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
		unsigned sum = 0;

		for (unsigned warp = 0; warp < warps; warp++)
			sum += of_warps[warp * BINS + bin] & ((1u << TAG_SHIFT) - 1);
		if (sum)
			atomicAdd(&counts[bin], sum);
	}
}
