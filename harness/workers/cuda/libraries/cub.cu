#include "harness/workers/cuda/libraries/cub.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

int perflab_cub_version(void)
{
	return CUB_VERSION;
}

int perflab_cub_sum(void *temporary, size_t *temporary_bytes, const float *x, float *sum,
		    long long n, void *stream)
{
	return (int)cub::DeviceReduce::Sum(temporary, *temporary_bytes, x, sum, n,
					   static_cast<cudaStream_t>(stream));
}

int perflab_cub_histogram(void *temporary, size_t *temporary_bytes, const unsigned *x,
			  unsigned *counts, long long n, long long bins, void *stream)
{
	return (int)cub::DeviceHistogram::HistogramEven(
		temporary, *temporary_bytes, x, counts, (int)bins + 1, 0u, (unsigned)bins, n,
		static_cast<cudaStream_t>(stream));
}
