/* An array of a thread with an index that is known only at run time: local memory. */
#include "patterns.cuh"

extern "C" __global__ void patterns_local_array(unsigned *out, PATTERN_PARAMETERS)
{
	long long i = ELEMENT;
	unsigned kept[8], total = 0;

	if (!TAKES_PART(i))
		return;
#pragma unroll 1
	for (int turn = 0; turn < 8; turn++)
		kept[(5 * turn + i) % 8] = word_of(i + turn);
#pragma unroll 1
	for (int turn = 0; turn < 8; turn++)
		total = 3 * total + kept[(turn + offset) % 8];
	out[i] = total;
}
