// perflab: operation saxpy
// perflab: axis n = 2^16
// perflab: axis block = 64..256
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] inout
// perflab: verify y = 2 * x + y
// perflab: launch saxpy<<<ceil_div(n, block), block>>>(n, 2.0, x, y)
__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

// perflab: variant items
// perflab: define ITEMS = 2, 4 "elements per thread"
// perflab: launch saxpy_items<<<ceil_div(n, block * ITEMS), block>>>(n, 2.0, x, y)
#ifdef ITEMS
__global__ void saxpy_items(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;

	for (int k = 0; k < ITEMS; k++, i += blockDim.x)
		if (i < n)
			y[i] = a * x[i] + y[i];
}
#endif
