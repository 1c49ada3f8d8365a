/* mathKernel2 as printed in the notes, with the parameter that is missing there: even and odd warps
 * write different numbers. */
extern "C" __global__ void divergence_math_kernel_warp(float *c)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	float a, b;

	a = b = 0.0f;
	if ((tid / warpSize) % 2 == 0)
		a = 100.0f;
	else
		b = 200.0f;
	c[tid] = a + b;
}
