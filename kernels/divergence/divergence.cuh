/*
 * Shared by the divergence variants: the work of one branch. Every case has its own constants
 * in every step, so that the compiler can neither merge two cases nor select between their
 * results.
 */
#pragma once

/* Steps of a body: so few that the compiler predicates them, or so many that it must branch. The
 * oracle in divergence.c and the work model use the same numbers. */
#define STEPS_SHORT 3
#define STEPS_LONG 256
#define STEPS_SWITCH 64

/* Unrolled: the branches of a loop would dilute those that the family is about. */
template <int which, int steps> __device__ __forceinline__ float body(float value)
{
#pragma unroll
	for (int step = 0; step < steps; step++)
		value = fmaf(value, (4095 - which) / 4096.0f, (step + 1 + 3 * which) / 8192.0f);
	return value;
}

/* One of two bodies per element; a real branch if `steps` is large. */
template <int steps>
__device__ __forceinline__ void branch(const float *__restrict__ x, float *__restrict__ y,
				       long long i, bool second)
{
	float value = x[i];

	if (second)
		value = body<1, steps>(value);
	else
		value = body<0, steps>(value);
	y[i] = value;
}

/* One of up to 32 bodies per element. */
__device__ __forceinline__ float body_of_case(float value, unsigned which)
{
#define CASE(which)                                       \
	case which:                                       \
		value = body<which, STEPS_SWITCH>(value); \
		break;
	switch (which) {
		CASE(0)
		CASE(1)
		CASE(2)
		CASE(3)
		CASE(4)
		CASE(5)
		CASE(6)
		CASE(7)
		CASE(8)
		CASE(9)
		CASE(10)
		CASE(11)
		CASE(12)
		CASE(13)
		CASE(14)
		CASE(15)
		CASE(16)
		CASE(17)
		CASE(18)
		CASE(19)
		CASE(20)
		CASE(21)
		CASE(22)
		CASE(23)
		CASE(24)
		CASE(25)
		CASE(26)
		CASE(27)
		CASE(28)
		CASE(29)
		CASE(30)
		CASE(31)
	}
#undef CASE
	return value;
}

__device__ inline long long global_thread()
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}
