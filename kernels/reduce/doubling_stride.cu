/*
 * Adds to each element the one that lies a stride further on. Each launch doubles the stride; after
 * the last launch the first element is the sum. Every launch goes through the whole array in global
 * memory, from one copy to the other: in place, a thread would read an element that its neighbour
 * may have written.
 */
extern "C" __global__ void reduce_doubling_stride(const float *__restrict__ x, float *even,
						  float *odd, float *sum, long long count,
						  long long step)
{
	const float *source = step == 0 ? x : step % 2 ? even : odd;
	float *target = step % 2 ? odd : even;
	long long stride = 1LL << step;
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count) {
		float value = source[i];

		if (i + stride < count)
			value += source[i + stride];
		target[i] = value;
		if (i == 0 && stride >= count - stride)
			*sum = value;
	}
}
