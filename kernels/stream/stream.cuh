/*
 * Shared by the stream variants: the four operations, on one element and on the aligned groups of
 * four that a 16-byte load reads. n may have any value: the last group may be short. Pointers must
 * be 16-byte aligned.
 */
#pragma once

/*
 * groups_in_flight: how many groups of four a thread loads before it stores the first one. 64 bytes
 * per thread hide the latency of DRAM even at low occupancy. With their addresses they fit the 32
 * registers that full occupancy leaves to a thread.
 */
struct copy_operation {
	static constexpr bool reads_b = false;
	static constexpr int groups_in_flight = 4;
	__device__ float operator()(float a, float) const
	{
		return a;
	}
};

struct scale_operation {
	static constexpr bool reads_b = false;
	static constexpr int groups_in_flight = 4;
	float factor;
	__device__ float operator()(float a, float) const
	{
		return factor * a;
	}
};

struct add_operation {
	static constexpr bool reads_b = true;
	static constexpr int groups_in_flight = 2;
	__device__ float operator()(float a, float b) const
	{
		return a + b;
	}
};

struct triad_operation {
	static constexpr bool reads_b = true;
	static constexpr int groups_in_flight = 2;
	float factor;
	__device__ float operator()(float a, float b) const
	{
		return a + factor * b;
	}
};

__device__ inline long long global_thread()
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

template <class Operation> __device__ float4 operate(Operation operation, float4 a, float4 b)
{
	return make_float4(operation(a.x, b.x), operation(a.y, b.y), operation(a.z, b.z),
			   operation(a.w, b.w));
}

/* Elements 4 * group to 4 * group + 3, without those at n and beyond. */
template <class Operation>
__device__ void stream_group(Operation operation, const float *__restrict__ a,
			     const float *__restrict__ b, float *__restrict__ c, long long n,
			     long long group)
{
	long long i = 4 * group;

	if (i + 4 <= n) {
		float4 from_b = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

		if (Operation::reads_b)
			from_b = reinterpret_cast<const float4 *>(b)[group];
		reinterpret_cast<float4 *>(c)[group] =
			operate(operation, reinterpret_cast<const float4 *>(a)[group], from_b);
		return;
	}
#pragma unroll 1
	for (; i < n; i++)
		c[i] = operation(a[i], Operation::reads_b ? b[i] : 0.0f);
}

/* groups_in_flight whole groups, `stride` groups apart: all loads first, then all stores. */
template <class Operation>
__device__ void stream_groups(Operation operation, const float *__restrict__ a,
			      const float *__restrict__ b, float *__restrict__ c, long long group,
			      long long stride)
{
	float4 from_a[Operation::groups_in_flight];
	float4 from_b[Operation::groups_in_flight] = {};

#pragma unroll
	for (int k = 0; k < Operation::groups_in_flight; k++) {
		from_a[k] = reinterpret_cast<const float4 *>(a)[group + k * stride];
		if (Operation::reads_b)
			from_b[k] = reinterpret_cast<const float4 *>(b)[group + k * stride];
	}
#pragma unroll
	for (int k = 0; k < Operation::groups_in_flight; k++)
		reinterpret_cast<float4 *>(c)[group + k * stride] =
			operate(operation, from_a[k], from_b[k]);
}

/* A grid of any size walks over any n. */
template <class Operation>
__device__ void stream_grid_stride(Operation operation, const float *__restrict__ a,
				   const float *__restrict__ b, float *__restrict__ c, long long n)
{
	long long whole = n / 4;
	long long stride = (long long)gridDim.x * blockDim.x;
	long long group = global_thread();

#pragma unroll 1
	for (; group + (Operation::groups_in_flight - 1) * stride < whole;
	     group += Operation::groups_in_flight * stride)
		stream_groups(operation, a, b, c, group, stride);
#pragma unroll 1
	for (; 4 * group < n; group += stride)
		stream_group(operation, a, b, c, n, group);
}
