/* mathKernel1 with two ifs instead of the else, as the notes propose: the compiler makes the same
 * code of both. */
extern "C" __global__ void divergence_math_kernel_ifs(float *c)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	float a, b;

	a = b = 0.0f;
	if (tid % 2 == 0)
		a = 100.0f;
	if (tid % 2 != 0)
		b = 200.0f;
	c[tid] = a + b;
}
