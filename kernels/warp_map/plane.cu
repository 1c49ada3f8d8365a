/* A block of rows: they are laid end to end, x first, and cut into warps; where a row is shorter
 * than 32 threads or no multiple of them, a warp spans several. */
#include "warp_map.cuh"

extern "C" __global__ void warp_map_plane(unsigned *place, long long n)
{
	write_place(place, n);
}
