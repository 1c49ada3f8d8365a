/* Tensor cores, tf32 with sums in single precision, by mma.sync. */
// perflab: needs sm_80

#include "tensor.cuh"

struct shape : packed_register<32, 0x80000000u> {
	static constexpr int tile_rows = 16, of_a = 4, of_b = 2, of_sum = 4;
	__device__ static unsigned pack(const int *numbers)
	{
		return __float_as_uint((float)*numbers);
	}
	__device__ static void multiply(float (&sum)[of_sum], const unsigned (&a)[of_a],
					const unsigned (&b)[of_b])
	{
		asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
			     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
			     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
	}
};

extern "C" __global__ void ceilings_tensor_tf32(int *out, const int *a, const int *b, int turns)
{
	multiply_tiles<shape, 32, 32>(out, a, b, turns);
}
