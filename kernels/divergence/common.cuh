/*
 * Bodies that are mostly the same: STEPS_EDGE steps of their own, STEPS_COMMON steps that both
 * have, and again STEPS_EDGE steps of their own. divergence.c repeats these numbers.
 */
#pragma once

#include "divergence.cuh"

#define STEPS_EDGE 32
#define STEPS_COMMON 192

__device__ __forceinline__ float common_steps(float value)
{
	return body<2, STEPS_COMMON>(value);
}

__device__ __forceinline__ float own_steps(float value, bool second)
{
	return second ? body<1, STEPS_EDGE>(value) : body<0, STEPS_EDGE>(value);
}
