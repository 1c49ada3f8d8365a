/* A block of rows: they are laid end to end, x first, and cut into warps. If a row is shorter than
 * 32 threads or not a multiple of 32, a warp spans several rows. */
#include "warp_map.cuh"

extern "C" __global__ void warp_map_plane(unsigned *place, long long n)
{
	write_place(place, n);
}
