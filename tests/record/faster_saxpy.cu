// A replacement for the kernel saxpy of cases.cu: consecutive threads read consecutive elements.
// perflab: launch saxpy_coalesced<<<grid, block>>>(p0, p1, p2, p3)
extern "C" __global__ void saxpy_coalesced(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}
