/* The kernel of the demo capture with pointers in memory: see make_demo.h. Adds all lists to the
 * first one. */
extern "C" __global__ void add_lists(float **lists, int count, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	for (int list = 1; list < count; list++)
		lists[0][i] += lists[list][i];
}
