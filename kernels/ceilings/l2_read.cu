/* Reads an array that the L2 holds, over and over, past the L1. */
#include "ceilings.cuh"

extern "C" __global__ void ceilings_l2_read(const uint4 *a, unsigned *out, unsigned groups,
					    int turns)
{
	out[global_thread()] = walk(groups, turns, [&](unsigned group) {
		uint4 words;

		/* At the scope of the device: the L1 may not answer, as it does even to .cg. */
		asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
			     : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
			     : "l"(a + group));
		return words;
	});
}
