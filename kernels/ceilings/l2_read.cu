/* Reads an array that fits in the L2 again and again, and bypasses the L1. */
#include "ceilings.cuh"

extern "C" __global__ void ceilings_l2_read(const uint4 *a, unsigned *out, unsigned groups,
					    int turns)
{
	out[global_thread()] = walk(groups, turns, [&](unsigned group) {
		uint4 words;

		/* Device scope: the L1 must not answer, as it does even to .cg. */
		asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
			     : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
			     : "l"(a + group));
		return words;
	});
}
