// Threads read shared memory that other threads write, with no barrier between. The upper half of
// the block is late, so a GPU reads the zeroes.
// expect: gpu=mismatch reason="elements of 'y' differ"
// expect: emulator=fault reason="shared-memory race"
//
// perflab: axis n = 2^12
// perflab: axis block = 256
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: launch race<<<n / block, block>>>(x, y)
// perflab: verify reversed_blocks<<<n / block, block>>>(x, y)
extern "C" __global__ void reversed_blocks(const float *x, float *y)
{
	int first = blockIdx.x * blockDim.x;

	y[first + threadIdx.x] = x[first + blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void race(const float *x, float *y)
{
	__shared__ float tile[256];
	int first = blockIdx.x * blockDim.x;

	tile[threadIdx.x] = 0;
	__syncthreads();
	if (threadIdx.x >= 128)
		__nanosleep(20000);
	tile[threadIdx.x] = x[first + threadIdx.x];
	y[first + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
