/* A block along x: every 32 consecutive threads are a warp. A rest of fewer threads is a warp that
 * is not full. */
#include "warp_map.cuh"

extern "C" __global__ void warp_map_line(unsigned *place, long long n)
{
	write_place(place, n);
}
