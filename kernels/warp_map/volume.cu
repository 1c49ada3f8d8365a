/* A block of layers, each of rows: x runs fastest, then y, then z, so that a warp here is two
 * layers of 4 x 4 threads. */
#include "warp_map.cuh"

extern "C" __global__ void warp_map_volume(unsigned *place, long long n)
{
	write_place(place, n);
}
