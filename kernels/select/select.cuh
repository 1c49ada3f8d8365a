/*
 * Shared by the select variants: a choice between two constants in every step of a recurrence. With
 * a branch, the whole recurrence is written twice, once with each constant; with a conditional
 * assignment, once.
 */
#pragma once

/* Steps of a recurrence: so few that the compiler predicates both sides, or so many that it must
 * branch. The oracle in select.c and the work model use the same numbers. */
#define STEPS_SHORT 2
#define STEPS_LONG 64

/* The term that a step adds, for elements below one half and for the others. Each step has
 * constants of its own: a function of the step would be computed, and selected, anew. */
template <int step> constexpr float below = (step + 1) / 256.0f;
template <int step> constexpr float above = (2 * step + 1) / 512.0f;

/* The steps from `step` on, with one of the constants or with a choice between them. */
template <int step, int steps> __device__ __forceinline__ float with_below(float value)
{
	if constexpr (step < steps)
		return with_below<step + 1, steps>(fmaf(value, 0.5f, below<step>));
	return value;
}

template <int step, int steps> __device__ __forceinline__ float with_above(float value)
{
	if constexpr (step < steps)
		return with_above<step + 1, steps>(fmaf(value, 0.5f, above<step>));
	return value;
}

template <int step, int steps>
__device__ __forceinline__ float by_choice(float value, bool is_below)
{
	if constexpr (step < steps)
		return by_choice<step + 1, steps>(
			fmaf(value, 0.5f, is_below ? below<step> : above<step>), is_below);
	return value;
}

template <int steps> __device__ __forceinline__ float by_branch(float x)
{
	float value;

	if (x < 0.5f)
		value = with_below<0, steps>(x);
	else
		value = with_above<0, steps>(x);
	return value;
}

template <int steps> __device__ __forceinline__ float by_assignment(float x)
{
	return by_choice<0, steps>(x, x < 0.5f);
}

__device__ inline long long global_thread()
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}
