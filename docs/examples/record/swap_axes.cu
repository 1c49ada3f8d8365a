// perflab: launch swap_axes<<<dim3(512 / 32, 4096 / 32, 32), dim3(32, 8)>>>(p1_512, p1_504, 4096, 512)

// Swaps the axes `time` and `channel` of frames[batch][time][channel], by tiles in shared memory,
// so that both the loads and the stores of a warp are neighbours.
extern "C" __global__ void swap_axes(const float *frames, float *out, int time, int channels)
{
	__shared__ float tile[32][33];
	const long long begin = (long long)blockIdx.z * time * channels;
	int channel = blockIdx.x * 32 + threadIdx.x, at = blockIdx.y * 32 + threadIdx.y;

	for (int i = 0; i < 32; i += 8)
		tile[threadIdx.y + i][threadIdx.x] =
			frames[begin + (long long)(at + i) * channels + channel];
	__syncthreads();
	channel = blockIdx.x * 32 + threadIdx.y;
	at = blockIdx.y * 32 + threadIdx.x;
	for (int i = 0; i < 32; i += 8)
		out[begin + (long long)(channel + i) * time + at] = tile[threadIdx.x][threadIdx.y + i];
}
