/* A product of matrices as kernels for Hopper compute it: one warp loads tiles by tensor copies, a
 * warpgroup multiplies them by wgmma, and one of its threads releases each tile: see
 * test_bulk_programs.c. nvcc -ptx -arch=compute_90a -std=c++17 -diag-suppress 20054. */
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

#define STAGES 2
#define LINE 64 /* halves of a row of a tile: the span of the swizzle */

/* The matrix descriptor of a tile whose rows have 128 bytes, swizzled. */
static __device__ uint64_t descriptor(const void *tile)
{
	uint64_t address = __cvta_generic_to_shared(tile);

	return (address & 0x3ffff) >> 4 | 1ull << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

static __device__ void multiply(float d[4], uint64_t a, uint64_t b)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, "
		     "1, 1, 1, 0, 0;"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "l"(a), "l"(b));
}

/* out = A B^T: A has 64 rows per block, B 8 rows behind those of A; both have n tiles of 64 halves.
 * A copy loads 8 rows. */
extern "C" __global__ void product(float *out, const void *, unsigned n,
				   const __grid_constant__ CUtensorMap map)
{
	__shared__ alignas(1024) uint16_t tiles_a[STAGES][64 * LINE], tiles_b[STAGES][8 * LINE];
	__shared__ alignas(8) uint64_t full[STAGES], empty[STAGES];
	const unsigned thread = threadIdx.x;
	float d[4] = {0, 0, 0, 0};

	if (thread == 0) {
		for (int i = 0; i < STAGES; i++) {
			ptx::mbarrier_init(&full[i], 1);
			ptx::mbarrier_init(&empty[i], 1);
		}
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	__syncthreads();
	if (thread >= 128) {
		for (unsigned k = 0; thread == 128 && k < n; k++) {
			const unsigned stage = k % STAGES;

			while (!ptx::mbarrier_try_wait_parity(&empty[stage], (k / STAGES & 1) ^ 1))
				;
			ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
						       ptx::space_shared, &full[stage],
						       sizeof(tiles_a[0]) + sizeof(tiles_b[0]));
			for (unsigned i = 0; i <= 8; i++) {
				const int at[] = {(int)k * LINE, (int)(i < 8 ? blockIdx.x * 64 + i * 8
									     : gridDim.x * 64)};

				ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global,
							  i < 8 ? tiles_a[stage] + i * 8 * LINE
								: tiles_b[stage],
							  &map, at, &full[stage]);
			}
		}
		return;
	}
	for (unsigned k = 0; k < n; k++) {
		const unsigned stage = k % STAGES;

		while (!ptx::mbarrier_try_wait_parity(&full[stage], k / STAGES & 1))
			;
		/* One warp is late by more than a turn of the emulator. */
		for (int i = 0; thread / 32 == 2 && i < 150000; i++)
			asm volatile("" : "+r"(i));
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		for (int i = 0; i < LINE / 16; i++)
			multiply(d, descriptor(tiles_a[stage] + 16 * i),
				 descriptor(tiles_b[stage] + 16 * i));
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]),
			     "+f"(d[2]), "+f"(d[3])::"memory");
		/* One thread for the whole warpgroup, of each warp in turn. */
		if (thread == k % 4 * 32)
			ptx::mbarrier_arrive(&empty[stage]);
	}
	for (int i = 0; i < 4; i++) {
		unsigned row = thread / 32 * 16 + thread % 32 / 4 + i / 2 * 8;

		out[(blockIdx.x * 64 + row) * 8 + thread % 4 * 2 + i % 2] = d[i];
	}
}
