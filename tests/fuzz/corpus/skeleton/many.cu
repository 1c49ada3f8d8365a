#include <cuda_fp16.h>
#include <cstdint>
struct options { int a; float b[3]; };
namespace ns { /* __global__ void bogus(int x); */
__global__ void scale(float4 *out, const float4 *in, size_t count, options o) { size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) out[i] = in[i]; }
}
template <class T, int N> __global__ void tmpl(T *x, int n, T a) { if (threadIdx.x < n) x[threadIdx.x] = a * N; }
template <typename T> __global__ void inst(const T *in, T *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i]; }
template __global__ void inst<double>(const double *, double *, int);
__global__ void __launch_bounds__(256) total(const float *in, float *out, int len, __half h, bool flag) { extern __shared__ float tmp[]; tmp[threadIdx.x] = in[threadIdx.x]; __syncthreads(); int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < len) out[i] = tmp[0]; }
extern "C" __global__ void gather(const int *idx, const double *in, double *out, unsigned n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[idx[i]]; }
