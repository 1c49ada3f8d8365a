/* The tiled product of any size with a width that the compiler knows: it unrolls the loop over a
 * tile, and all offsets in the tile are constants. */
#define MATRICES \
	const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, long long n

template <int width> __device__ __forceinline__ void multiply(MATRICES)
{
	__shared__ float of_a[width][width];
	__shared__ float of_b[width][width];
	int x = threadIdx.x, y = threadIdx.y;
	long long column = (long long)blockIdx.x * width + x;
	long long row = (long long)blockIdx.y * width + y;
	float sum = 0.0f;

	for (long long first = 0; first < n; first += width) {
		of_a[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0.0f;
		of_b[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0.0f;
		__syncthreads();
		for (int k = 0; k < width; k++)
			sum += of_a[y][k] * of_b[k][x];
		__syncthreads();
	}
	if (row < n && column < n)
		c[row * n + column] = sum;
}

extern "C" __global__ void matmul_tiled_constant_2(MATRICES)
{
	multiply<2>(a, b, c, n);
}

extern "C" __global__ void matmul_tiled_constant_4(MATRICES)
{
	multiply<4>(a, b, c, n);
}

extern "C" __global__ void matmul_tiled_constant_8(MATRICES)
{
	multiply<8>(a, b, c, n);
}

extern "C" __global__ void matmul_tiled_constant_16(MATRICES)
{
	multiply<16>(a, b, c, n);
}

extern "C" __global__ void matmul_tiled_constant_32(MATRICES)
{
	multiply<32>(a, b, c, n);
}
