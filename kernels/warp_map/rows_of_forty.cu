/* Rows of 40 threads, which do not divide into whole warps. The block of 40 x 2 from the notes on
 * warps has 80 threads: three warps of 96 lanes. The last 16 lanes idle in every instruction, but
 * take registers all the same. */
#include "warp_map.cuh"

extern "C" __global__ void warp_map_rows_of_forty(unsigned *place, long long n)
{
	write_place(place, n);
}
