// Makes its input persist in the L2, where a flush does not evict it. The lines are reset before
// each cold sample, so it must not be faster than the same kernel without a cache policy.
// expect: gpu=ok emulator=ok
// expect: gpu not faster: persisting than plain
//
// perflab: axis n = 2^22
// perflab: axis block = 256
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n / block] out
// perflab: launch persisting<<<n / block, block>>>(x, y)
// perflab: launch plain<<<n / block, block>>>(x, y)
// perflab: verify y = 2 * x[i * block]
__device__ static void store_first(float value, float *y)
{
	// never 1e9: every load is needed, and only the first thread of a block stores
	if (threadIdx.x == 0 || value == 1e9f)
		y[blockIdx.x] = 2 * value;
}

extern "C" __global__ void persisting(const float *x, float *y)
{
	unsigned long long policy;
	float value;

	asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
	asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;"
		     : "=f"(value)
		     : "l"(x + blockIdx.x * blockDim.x + threadIdx.x), "l"(policy));
	store_first(value, y);
}

extern "C" __global__ void plain(const float *x, float *y)
{
	float value;

	asm volatile("ld.global.f32 %0, [%1];"
		     : "=f"(value)
		     : "l"(x + blockIdx.x * blockDim.x + threadIdx.x));
	store_first(value, y);
}
