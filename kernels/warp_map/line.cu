/* A block along x: each 32 consecutive threads are a warp, and a last part of them one that is
 * not full. */
#include "warp_map.cuh"

extern "C" __global__ void warp_map_line(unsigned *place, long long n)
{
	write_place(place, n);
}
