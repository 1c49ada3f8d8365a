// Kernels of 1 to 10 microseconds on an H200, for clocks.sh: a large part of such a time is the clock.
// perflab: axis n = 2^12, 2^16, 2^19, 2^21 "elements"
// perflab: axis block = 256 "threads per block"
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out

// perflab: variant copy
// perflab: launch copy<<<ceil_div(n, block), block>>>(i32(n), x, y)
// perflab: verify y = x
extern "C" __global__ void copy(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = x[i];
}

// perflab: variant copy4
// perflab: launch copy4<<<ceil_div(n / 4, block), block>>>(i32(n / 4), x, y)
// perflab: verify y = x
extern "C" __global__ void copy4(int n, const float4 *x, float4 *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = x[i];
}

// perflab: variant stencil
// perflab: launch stencil<<<ceil_div(n, block), block>>>(i32(n), x, y)
// perflab: verify y = i > 0 && i < n - 1 ? x[i - 1] + x[i] + x[i + 1] : x[i]
// perflab: tolerance abs = 1e-6, rel = 1e-5
extern "C" __global__ void stencil(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = i > 0 && i < n - 1 ? x[i - 1] + x[i] + x[i + 1] : x[i];
}

// perflab: variant reverse
// perflab: launch reverse<<<ceil_div(n, block), block>>>(i32(n), x, y)
// perflab: verify y = x[n - 1 - i]
extern "C" __global__ void reverse(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = x[n - 1 - i];
}

// perflab: variant newton
// perflab: launch newton<<<ceil_div(n, block), block>>>(i32(n), x, y)
// perflab: verify y = sqrt(x * x + 1)
// perflab: tolerance rel = 1e-4
extern "C" __global__ void newton(int n, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float value, root = 1;

	if (i >= n)
		return;
	value = x[i] * x[i] + 1;
#pragma unroll 1
	for (int step = 0; step < 24; step++)
		root = 0.5f * (root + __fdividef(value, root));
	y[i] = root;
}

// perflab: variant sums
// perflab: launch sums<<<ceil_div(n, block), block>>>(i32(n), x, y)
// perflab: verify y = sum(k, i / block * block, min(n, i / block * block + block), x[k])
// perflab: tolerance abs = 1e-3, rel = 1e-4
extern "C" __global__ void sums(int n, const float *x, float *y)
{
	__shared__ float part[1024];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	part[threadIdx.x] = i < n ? x[i] : 0;
	__syncthreads();
	for (unsigned step = blockDim.x / 2; step; step /= 2) {
		if (threadIdx.x < step)
			part[threadIdx.x] += part[threadIdx.x + step];
		__syncthreads();
	}
	if (i < n)
		y[i] = part[0];
}
