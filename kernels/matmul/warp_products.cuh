/*
 * Tiles multiplied by mma.sync: a warp takes a part of C, 64 x 64 elements if it has the registers.
 * Its operands pass through registers by ldmatrix. Fragments of 8 lines of 16 bytes have the same
 * bytes for two-byte and four-byte elements. Which thread holds what: PTX ISA, "Matrix fragments
 * for mma".
 */
#pragma once

#include "tensor_tiles.cuh"

/* Loads four fragments. A thread gives the address of line lane % 8 of fragment lane / 8. */
__device__ inline void load_fragments(unsigned fragments[4], const unsigned char *line)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(fragments[0]), "=r"(fragments[1]), "=r"(fragments[2]),
		       "=r"(fragments[3])
		     : "r"((unsigned)__cvta_generic_to_shared(line))
		     : "memory");
}

/* Number provides bytes and multiply(sums, a, b): 16 rows by 8 columns over one slice. The code is
 * unrolled for `slices_at_once` slices: fewer if registers for the next operands are missing. */
template <class Number, class Shape_, int slices_at_once = SLICES> struct warp_products {
	using Shape = Shape_;
	static constexpr int element_bytes = Number::bytes, delay = 0;
	static constexpr int rows = Shape::part_rows, columns = Shape::part_columns;
	static constexpr int warps_across = Shape::columns / columns;
	static_assert(Shape::rows / rows * warps_across * 32 == Shape::threads, "one per warp");
	static_assert(rows % 16 == 0 && columns % 16 == 0, "four fragments are 16 lines by 2");

	float sums[rows / 16][columns / 8][4] = {};

	__device__ static int warp_row()
	{
		return threadIdx.x / 32 / warps_across * rows;
	}

	__device__ static int warp_column()
	{
		return threadIdx.x / 32 % warps_across * columns;
	}

	__device__ void prepare()
	{
	}

	__device__ void begin(const unsigned char *, const unsigned char *)
	{
	}

	__device__ void end(const unsigned char *a, const unsigned char *b)
	{
		int lane = threadIdx.x % 32;
		int a_line = warp_row() + lane % 16, a_group = lane / 16;
		int b_line = warp_column() + lane % 8 + lane / 16 * 8, b_group = lane / 8 % 2;

#pragma unroll slices_at_once
		for (int slice = 0; slice < SLICES; slice++) {
			unsigned of_a[rows / 16][4], of_b[columns / 16][4];

#pragma unroll
			for (int i = 0; i < rows / 16; i++)
				load_fragments(of_a[i], a + group_offset(a_line + i * 16,
									 slice * 2 + a_group));
#pragma unroll
			for (int j = 0; j < columns / 16; j++)
				load_fragments(of_b[j], b + group_offset(b_line + j * 16,
									 slice * 2 + b_group));
#pragma unroll
			for (int i = 0; i < rows / 16; i++)
#pragma unroll
				for (int j = 0; j < columns / 8; j++)
					Number::multiply(sums[i][j], of_a[i],
							 &of_b[j / 2][j % 2 * 2]);
		}
	}

	__device__ void finish()
	{
	}

	__device__ void write(float *c, int n, int first_row, int first_column) const
	{
		int row = first_row + warp_row() + threadIdx.x % 32 / 4;
		int column = first_column + warp_column() + threadIdx.x % 4 * 2;

#pragma unroll
		for (int i = 0; i < rows / 8; i++)
#pragma unroll
			for (int j = 0; j < columns / 8; j++)
				if (row + i * 8 < n && column + j * 8 < n)
					*reinterpret_cast<float2 *>(
						c + (long long)(row + i * 8) * n + column + j * 8) =
						make_float2(sums[i / 2][j][i % 2 * 2],
							    sums[i / 2][j][i % 2 * 2 + 1]);
	}
};

#define MMA(shape_and_types)                                                            \
	asm volatile("mma.sync.aligned." shape_and_types                                \
		     " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
		     : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])       \
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

struct half_numbers {
	static constexpr int bytes = 2;
	__device__ static void multiply(float sums[4], const unsigned a[4], const unsigned b[2])
	{
		MMA("m16n8k16.row.col.f32.f16.f16.f32");
	}
};

struct bfloat16_numbers {
	static constexpr int bytes = 2;
	__device__ static void multiply(float sums[4], const unsigned a[4], const unsigned b[2])
	{
		MMA("m16n8k16.row.col.f32.bf16.bf16.f32");
	}
};

/* Floats with their last 13 bits ignored. */
struct tf32_numbers {
	static constexpr int bytes = 4;
	__device__ static void multiply(float sums[4], const unsigned a[4], const unsigned b[2])
	{
		MMA("m16n8k8.row.col.f32.tf32.tf32.f32");
	}
};

/* Tiles by the threads of a block: with 512 and 1024, each has registers for less of C. */
using warp_tile_64 = tile_shape<64, 128, 3, 64, 64, 64>;
using warp_tile_128 = tile_shape<128, 128, 3, 128, 64, 64>;
using warp_tile_256 = tile_shape<128, 256, 3, 256, 64, 64>;
using warp_tile_512 = tile_shape<128, 256, 3, 512, 32, 64>;
using warp_tile_1024 = tile_shape<128, 256, 3, 1024, 32, 32>;
