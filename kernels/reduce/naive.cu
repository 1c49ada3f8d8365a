/*
 * Halves the array in global memory, one launch per halving: the end of a launch is the only
 * barrier between blocks. `source` and `target` may be the same array, because no thread reads an
 * element that another thread writes.
 */
extern "C" __global__ void reduce_naive(const float *source, float *target, float *sum,
					long long count)
{
	long long half = (count + 1) / 2;
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < half) {
		float value = source[i];

		if (i + half < count)
			value += source[i + half];
		target[i] = value;
		if (half == 1)
			*sum = value;
	}
}
