// A replacement for the kernel saxpy of cases.cu: consecutive threads read consecutive elements.
// Without a list of arguments it gets the recorded ones.
// perflab: axis block = 256 "threads per block"
// perflab: launch saxpy_coalesced<<<ceil_div(p0_int, block), block>>>
extern "C" __global__ void saxpy_coalesced(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}
