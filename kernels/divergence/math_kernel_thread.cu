/* mathKernel1 as printed in the notes after Cheng, Grossman and McKercher: even and odd threads
 * write different numbers. Such a short body becomes a selection; no branch is left. */
extern "C" __global__ void divergence_math_kernel_thread(float *c)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	float a, b;

	a = b = 0.0f;
	if (tid % 2 == 0)
		a = 100.0f;
	else
		b = 200.0f;
	c[tid] = a + b;
}
