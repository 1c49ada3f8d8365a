/* Coordinates: those at which the hardware decides, and pseudo-random ones. */
#include <math.h>

#include "tests/gpu/textures/textures.cuh"

static unsigned seed = 1;
unsigned next_random()
{
	seed = seed * 1664525u + 1013904223u;
	return hash32(seed);
}

float random_between(float low, float high)
{
	return low + (high - low) * (float)(next_random() >> 8) / 16777216.0f;
}

const char *const modes[4] = {"clamp", "wrap", "mirror", "border"};

float step_ulp(float x, int ulps)
{
	unsigned u = bits_of(x);
	return float_of(u + (unsigned)ulps);
}

std::vector<float> edges(int w, bool normalised)
{
	float n = (float)w, inf = INFINITY;
	float list[] = {0,
			-0.0f,
			0.25f,
			0.5f,
			0.75f,
			step_ulp(1, -1),
			1,
			step_ulp(1, 1),
			1.5f,
			n - 1,
			n - 0.5f,
			step_ulp(n, -1),
			n,
			step_ulp(n, 1),
			n + 0.25f,
			n + 0.5f,
			n + 1,
			n + 1.5f,
			-1e-40f,
			1e-40f,
			-1e-30f,
			-1e-6f,
			-1.0f / 1024,
			-1.0f / 512,
			-1.0f / 256,
			-0.25f,
			-0.5f,
			step_ulp(-0.5f, 1),
			-0.75f,
			-1,
			-1.25f,
			-1.5f,
			-n,
			-n - 0.5f,
			-n - 1,
			-2 * n - 0.75f,
			2 * n - 0.5f,
			2 * n,
			2 * n + 0.25f,
			3 * n + 0.75f,
			10 * n + 0.6f,
			1000 * n + 1.6f,
			65535.5f,
			1e5f,
			1e6f + 0.5f,
			8388608.0f,
			16777216.0f,
			1e8f,
			2147483520.0f,
			2147483648.0f,
			-2147483648.0f,
			4294967296.0f,
			1e12f,
			-1e12f,
			1e20f,
			3e38f,
			-3e38f,
			inf,
			-inf,
			NAN,
			-NAN};
	std::vector<float> out;
	for (float x : list)
		out.push_back(normalised && fabsf(x) > 1e-20f ? x / n : x);
	return out;
}
