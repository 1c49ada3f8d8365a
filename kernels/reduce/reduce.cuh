/*
 * Shared by the reduce variants: sums over a warp and over a block by shuffles, and
 * the second pass, which follows in every variant that leaves one partial sum per
 * block. Blocks are one-dimensional and whole warps. Pointers must be 16-byte
 * aligned.
 */
#pragma once

#define ALL_LANES 0xffffffffu

/* The sum over the warp, in lane 0. The other lanes hold parts of it. */
__device__ inline float warp_sum(float value)
{
#pragma unroll
	for (int offset = 16; offset > 0; offset /= 2)
		value += __shfl_down_sync(ALL_LANES, value, offset);
	return value;
}

/* The sum over the block, in thread 0. Every thread of the block must call it. Between two calls
 * there must be a barrier. */
__device__ inline float block_sum(float value)
{
	__shared__ float of_warp[32];
	unsigned lane = threadIdx.x % 32;
	unsigned warp = threadIdx.x / 32;

	value = warp_sum(value);
	if (lane == 0)
		of_warp[warp] = value;
	__syncthreads();
	if (warp == 0)
		value = warp_sum(lane < blockDim.x / 32 ? of_warp[lane] : 0.0f);
	return value;
}

/* The loops below are unrolled by hand so that their loads overlap. Unrolled by the compiler, they
 * would divide 64-bit numbers to compute how often they run. */

/* The sum of x[first], x[first + stride] … below n: four loads at a time, one sum. */
__device__ inline float strided_sum(const float *__restrict__ x, long long n, long long first,
				    long long stride)
{
	long long i = first;
	float sum = 0.0f;

#pragma unroll 1
	for (; i + 3 * stride < n; i += 4 * stride) {
		float part[4];

#pragma unroll
		for (int k = 0; k < 4; k++)
			part[k] = x[i + k * stride];
		sum += (part[0] + part[1]) + (part[2] + part[3]);
	}
#pragma unroll 1
	for (; i < n; i += stride)
		sum += x[i];
	return sum;
}

/*
 * All threads together sum the same elements as with strided_sum(), but in groups of four: `first`
 * and `stride` count groups. Four 16-byte loads are in flight at a time.
 */
__device__ inline float strided_sum_float4(const float *__restrict__ x, long long n,
					   long long first, long long stride)
{
	const float4 *groups = reinterpret_cast<const float4 *>(x);
	long long whole = n / 4;
	long long group = first;
	float sum = 0.0f;

#pragma unroll 1
	for (; group + 3 * stride < whole; group += 4 * stride) {
		float4 part[4];

#pragma unroll
		for (int k = 0; k < 4; k++)
			part[k] = groups[group + k * stride];
#pragma unroll
		for (int k = 0; k < 4; k++)
			sum += (part[k].x + part[k].y) + (part[k].z + part[k].w);
	}
#pragma unroll 1
	for (; group < whole; group += stride) {
		float4 part = groups[group];

		sum += (part.x + part.y) + (part.z + part.w);
	}
	/* At most three elements are left. */
	if (4 * whole + first < n)
		sum += x[4 * whole + first];
	return sum;
}

__device__ inline long long global_thread()
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ inline long long grid_threads()
{
	return (long long)gridDim.x * blockDim.x;
}

/* The second pass: one block sums the partial sums of the first pass. */
extern "C" __global__ void reduce_finish(const float *__restrict__ partials,
					 float *__restrict__ sum, long long count)
{
	float total = block_sum(strided_sum_float4(partials, count, threadIdx.x, blockDim.x));

	if (threadIdx.x == 0)
		*sum = total;
}
