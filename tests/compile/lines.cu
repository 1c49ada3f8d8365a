// What check_lines.py compiles: functions that are inlined into each other, and some that are not.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cub/cub.cuh>

namespace groups = cooperative_groups;

template <int ITEMS, typename T> __global__ void sort(T *values, int *sums)
{
	typedef cub::BlockRadixSort<T, 128, ITEMS> sorter;
	typedef cub::BlockScan<int, 128> scanner;
	__shared__ union {
		typename sorter::TempStorage sorts;
		typename scanner::TempStorage scans;
	} shared;
	T mine[ITEMS];

	for (int i = 0; i < ITEMS; i++)
		mine[i] = values[threadIdx.x * ITEMS + i];
	sorter(shared.sorts).Sort(mine);
	__syncthreads();
	int key = (int)(float)mine[0];
	scanner(shared.scans).ExclusiveSum(key, key);
	auto warp = groups::tiled_partition<32>(groups::this_thread_block());
	sums[threadIdx.x] = groups::reduce(warp, key, groups::plus<int>()) + warp.shfl_down(key, 3);
	for (int i = 0; i < ITEMS; i++)
		values[threadIdx.x * ITEMS + i] = mine[i];
}
template __global__ void sort<4, float>(float *, int *);

__device__ __noinline__ int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

struct function {
	__device__ virtual float at(float x) = 0;
};
struct sine : function {
	__device__ float at(float x) override { return sinf(x) / x; }
};
struct power : function {
	__device__ float at(float x) override { return powf(x, 3.3f); }
};

__global__ void calls(float *values, int n)
{
	sine first;
	power second;
	function *chosen = n > 3 ? (function *)&first : &second;

#line 7 "/another folder/x.cu"
	values[0] = chosen->at(values[1]) + fibonacci(n);
	printf("%d %f", n, values[0]);
}
