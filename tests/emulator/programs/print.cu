/* For the decoder: see test_decode_files.c. nvcc -ptx -arch=compute_90 (or 100) -std=c++17. */
#include <cassert>
#include <cstdio>
__global__ void print_kernel(int *p, double d)
{
	printf("thread %d of %s: %f %lld\n", threadIdx.x, "words", d, (long long)p[0]);
	assert(p[threadIdx.x] > 3 && "more than three");
}
__global__ void print_nothing()
{
	printf("nothing\n");
}
__global__ void trap_kernel(int *p)
{
	if (p[0] == 3)
		__trap();
	if (p[1] == 2)
		__brkpt();
}
