/*
 * The ceilings of Hopper's tensor cores by wgmma, which four warps issue together and which reads
 * its operands from shared memory: the small product of tensor.cuh, with tiles of 64 * 256.
 * mma.sync reaches about two thirds of the rate of such a device. wgmma exists only on compute
 * capability 9.0.
 *
 * Operands are stored as in PTX ISA, "Asynchronous warpgroup level matrix shared memory layout",
 * without swizzling: core matrices of 8 rows of 16 bytes; those below one another lie side by
 * side.
 */
#pragma once

#include "ceilings.cuh"

#define TILE_ROWS 64
#define TILE_COLUMNS 256
/* An instruction takes 32 bytes of each row, two core matrices. */
#define SLICES 4
#define SLICE_BYTES 32
#define ROW_BYTES (SLICES * SLICE_BYTES)
#define CORE_BYTES 128
#define HELD (TILE_COLUMNS / 2) /* numbers of D per thread */

/* The offset of 16 bytes of a row in an operand of `rows` rows. */
template <int rows> __device__ int core_offset(int row, int sixteenth)
{
	return sixteenth * rows * 16 + row / 8 * CORE_BYTES + row % 8 * 16;
}

/* Stores an operand. `numbers` has rows of ROW_BYTES / sizeof(Element) numbers. */
template <class Element, int rows>
__device__ void place_operand(unsigned char *operand, const int *numbers)
{
	constexpr int depth = ROW_BYTES / sizeof(Element);

	for (int i = threadIdx.x; i < rows * depth; i += blockDim.x) {
		int row = i / depth, byte = i % depth * (int)sizeof(Element);
		unsigned char *place = operand + core_offset<rows>(row, byte / 16) + byte % 16;

		*reinterpret_cast<Element *>(place) = Element((float)numbers[i]);
	}
}

/* Address, and bytes to the next core matrix along the row and below; all divided by 16. */
template <int rows> __device__ unsigned long long describe(const unsigned char *operand)
{
	unsigned long long address = (unsigned)__cvta_generic_to_shared(operand);

	return (address & 0x3ffff) >> 4 | (unsigned long long)(rows * 16 >> 4) << 16 |
	       (unsigned long long)(CORE_BYTES >> 4) << 32;
}

#define SUMS_1(i) "+f"(sums[i])
#define SUMS_4(i) SUMS_1(i), SUMS_1(i + 1), SUMS_1(i + 2), SUMS_1(i + 3)
#define SUMS_16(i) SUMS_4(i), SUMS_4(i + 4), SUMS_4(i + 8), SUMS_4(i + 12)
#define SUMS_64(i) SUMS_16(i), SUMS_16(i + 16), SUMS_16(i + 32), SUMS_16(i + 48)

/* sums += or -= the product of one slice. `rest` ends the operands of the instruction. */
#define WGMMA(shape_and_types, sign, rest)                                                         \
	asm volatile(                                                                              \
		"wgmma.mma_async.sync.aligned." shape_and_types " {"                               \
		"%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
		"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
		"%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
		"%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
		"%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
		"%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
		"%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, " \
		"%110, %111, "                                                                     \
		"%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "   \
		"%125, %126, %127"                                                                 \
		"}, %128, %129, 1, 1, " sign rest ";"                                              \
		: SUMS_64(0), SUMS_64(64)                                                          \
		: "l"(a), "l"(b))

__device__ inline void wgmma_fence()
{
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ inline void wgmma_commit()
{
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int pending> __device__ void wgmma_wait()
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/* Instruction provides Element, add(sums, a, b) and subtract(sums, a, b). */
template <class Instruction>
__device__ void multiply_in_groups(int *out, const int *a, const int *b, int turns)
{
	__shared__ alignas(CORE_BYTES) unsigned char of_a[TILE_ROWS * ROW_BYTES];
	__shared__ alignas(CORE_BYTES) unsigned char of_b[TILE_COLUMNS * ROW_BYTES];
	float sums[HELD] = {};

	place_operand<typename Instruction::Element, TILE_ROWS>(of_a, a);
	place_operand<typename Instruction::Element, TILE_COLUMNS>(of_b, b);
	/* makes the stores visible to the units that read by descriptor */
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();

	unsigned long long first_a = describe<TILE_ROWS>(of_a);
	unsigned long long first_b = describe<TILE_COLUMNS>(of_b);
	auto slice_of_a = [&](int slice) {
		return first_a + slice * (TILE_ROWS * SLICE_BYTES >> 4);
	};
	auto slice_of_b = [&](int slice) {
		return first_b + slice * (TILE_COLUMNS * SLICE_BYTES >> 4);
	};

#pragma unroll 1
	for (int turn = 0; turn < turns; turn++) {
		wgmma_fence();
#pragma unroll
		for (int slice = 0; slice < SLICES; slice++)
			Instruction::add(sums, slice_of_a(slice), slice_of_b(slice));
#pragma unroll
		for (int slice = 0; slice < SLICES; slice++)
			Instruction::subtract(sums, slice_of_a(slice), slice_of_b(slice));
		wgmma_commit();
		wgmma_wait<1>();
	}
	wgmma_fence();
#pragma unroll
	for (int slice = 0; slice < SLICES; slice++)
		Instruction::add(sums, slice_of_a(slice), slice_of_b(slice));
	wgmma_commit();
	wgmma_wait<0>();

	int total = 0;

#pragma unroll
	for (int i = 0; i < HELD; i++)
		total += (int)sums[i];
	out[global_thread()] = total;
}
