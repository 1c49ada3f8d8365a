/* A block of layers of rows: x runs fastest, then y, then z. Here a warp is two layers of 4 x 4
 * threads. */
#include "warp_map.cuh"

extern "C" __global__ void warp_map_volume(unsigned *place, long long n)
{
	write_place(place, n);
}
