// perflab: axis n = 2^16
// perflab: axis block = 64..256
// perflab: buffer x: f32[n] in
// perflab: buffer y: f32[n] out
// perflab: verify y = x + 4
// perflab: variant float
// perflab: launch mine::add<float, 4><<<ceil_div(n, block), block>>>(x, y, n)
namespace mine
{
template <typename T, int K> __global__ void add(const T *x, T *y, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = x[i] + K;
}
}
