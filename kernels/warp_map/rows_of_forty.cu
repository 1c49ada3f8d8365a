/* Rows of 40 threads, of which no warp is made evenly: the block of the documents, 40 x 2, is 80
 * threads, three warps of 96 lanes, of which the last 16 idle in every instruction, and take
 * registers all the same. */
#include "warp_map.cuh"

extern "C" __global__ void warp_map_rows_of_forty(unsigned *place, long long n)
{
	write_place(place, n);
}
