/* The block of the documents, 40 x 2: 80 threads are three warps of 96 lanes, of which the last
 * 16 idle in every instruction, and take registers all the same. */
#include "warp_map.cuh"

extern "C" __global__ void warp_map_forty_by_two(unsigned *place, long long n)
{
	write_place(place, n);
}
