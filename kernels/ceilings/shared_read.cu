/* Reads 16 KiB of shared memory again and again, 16 bytes per thread, without bank conflicts. */
#include "ceilings.cuh"

extern "C" __global__ void ceilings_shared_read(const uint4 *a, unsigned *out, int turns)
{
	__shared__ uint4 window[WINDOW_GROUPS];

	for (int group = threadIdx.x; group < WINDOW_GROUPS; group += blockDim.x)
		window[group] = a[group];
	__syncthreads();
	out[global_thread()] = circle(turns, [&](unsigned group, int k) {
		uint4 words;

		asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
			     : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
			     : "r"((unsigned)__cvta_generic_to_shared(window + group + 32 * k)));
		return words;
	});
}
