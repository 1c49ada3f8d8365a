/* Tensor cores, bfloat16 with sums in single precision, by mma.sync. */
// perflab: needs sm_80
#include <cuda_bf16.h>

#include "tensor.cuh"

struct shape : packed_register<16, 0x80008000u> {
	static constexpr int tile_rows = 16, of_a = 4, of_b = 2, of_sum = 4;
	__device__ static unsigned pack(const int *numbers)
	{
		__nv_bfloat162 pair = __floats2bfloat162_rn((float)numbers[0], (float)numbers[1]);

		return *reinterpret_cast<const unsigned *>(&pair);
	}
	__device__ static void multiply(float (&sum)[of_sum], const unsigned (&a)[of_a],
					const unsigned (&b)[of_b])
	{
		asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
			     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
			     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	}
};

extern "C" __global__ void ceilings_tensor_bf16(int *out, const int *a, const int *b, int turns)
{
	multiply_tiles<shape, 32, 32>(out, a, b, turns);
}
