/* A block reads its tile again and again. The more blocks run at a time, the more cache their tiles
 * need. When the tiles no longer fit, threads evict each other's data. */

/* As in occupancy.c. */
#define CACHED_TILE 12288
#define PASSES 16
/* Loads that a thread has in flight, so that even few warps use all that a cache can deliver. */
#define AT_ONCE 4

/*
 * The blocks of the grid share the tiles as evenly as whole tiles allow. One result per thread and
 * tile: its elements, once in pass 1, twice in pass 2 …, so no pass can be left out.
 */
extern "C" __global__ void occupancy_cached_tiles(const unsigned *__restrict__ x,
						  unsigned *__restrict__ y, long long n)
{
	const int width = blockDim.x;
	long long tiles = (n + CACHED_TILE - 1) / CACHED_TILE;
	long long end = tiles * (blockIdx.x + 1) / gridDim.x;

	for (long long tile = tiles * blockIdx.x / gridDim.x; tile < end; tile++) {
		const unsigned *from = x + tile * CACHED_TILE;
		const int count = (int)min(n - tile * CACHED_TILE, (long long)CACHED_TILE);
		unsigned sum = 0;

#pragma unroll 1
		for (unsigned pass = 1; pass <= PASSES; pass++) {
			int i = threadIdx.x;
			unsigned of_pass = 0;

#pragma unroll 1
			for (; i + (AT_ONCE - 1) * width < count; i += AT_ONCE * width)
#pragma unroll
				for (int k = 0; k < AT_ONCE; k++)
					of_pass += from[i + k * width];
#pragma unroll 1
			for (; i < count; i += width)
				of_pass += from[i];
			sum += pass * of_pass;
		}
		y[tile * width + threadIdx.x] = sum;
	}
}
