// perflab: axis w = 128, 136
// perflab: axis h = 64
// perflab: buffer x: f32[w * h] in
// perflab: buffer y: f32[w * h] out
// perflab: launch twice<<<(ceil_div(w, 32), ceil_div(h, 16)), 128>>>(tensormap(x[w, h], box(32, 16), swizzle(128)), tensormap(y[w, h], box(32, 16)))
// perflab: verify y = 2 * x
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__global__ void twice(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y)
{
	__shared__ alignas(1024) float tile[16][8][4], result[16][32];
	__shared__ alignas(8) uint64_t bar;
	const int at[] = {(int)blockIdx.x * 32, (int)blockIdx.y * 16};

	if (threadIdx.x == 0) {
		ptx::mbarrier_init(&bar, 1);
		ptx::fence_proxy_async(ptx::space_shared);
		ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &x, at, &bar);
		ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
					       &bar, sizeof(tile));
	}
	__syncthreads();
	while (!ptx::mbarrier_try_wait_parity(&bar, 0))
		;
	for (int i = threadIdx.x; i < 512; i += blockDim.x) {
		int row = i / 32, column = i % 32;

		result[row][column] = 2 * tile[row][column / 4 ^ row % 8][column % 4];
	}
	ptx::fence_proxy_async(ptx::space_shared);
	__syncthreads();
	if (threadIdx.x == 0) {
		ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &y, at, result);
		ptx::cp_async_bulk_commit_group();
		ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
	}
}
