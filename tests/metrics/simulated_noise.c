#include "simulated_noise.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

#define MODE_SHARE 0.2
#define MODE_STAY 3.0 /* runs on average */
#define OUTLIER_SHARE 0.05
#define CORRELATION 0.6
#define DRIFT (1 / 15.0)

static const char *const names[NOISE_MODELS] = {
	[NOISE_NORMAL] = "rounds: normal",
	[NOISE_T3] = "rounds: t3",
	[NOISE_LOGNORMAL] = "rounds: lognormal",
	[NOISE_MODE_OF_ROUND] = "rounds: slow mode, 20 %",
	[NOISE_RUNS] = "effects of runs",
	[NOISE_T3_RUNS] = "runs: t3",
	[NOISE_LOGNORMAL_RUNS] = "runs: lognormal",
	[NOISE_MODE] = "runs: slow mode, 20 %",
	[NOISE_LASTING_MODE] = "runs: slow mode, 20 %, lasting",
	[NOISE_OUTLIERS] = "runs: outliers, 5 %",
	[NOISE_CORRELATED] = "runs: autocorrelation 0.6",
	[NOISE_DRIFT] = "drift",
};

const char *noise_name(enum noise_model model)
{
	return names[model];
}

double noise_uniform(struct simulated_noise *noise)
{
	return ((double)(random_next(&noise->state) >> 11) + 0.5) / 9007199254740992.0;
}

double noise_normal(struct simulated_noise *noise)
{
	const double radius = sqrt(-2 * log(noise_uniform(noise)));

	return radius * cos(2 * M_PI * noise_uniform(noise));
}

/* All have a mean of 0 and a variance of 1. */
static double student_3(struct simulated_noise *noise)
{
	const double top = noise_normal(noise);
	double squares = 0;

	for (int i = 0; i < 3; i++) {
		const double value = noise_normal(noise);

		squares += value * value;
	}
	return top / sqrt(squares);
}

static double lognormal(struct simulated_noise *noise)
{
	return (exp(noise_normal(noise)) - sqrt(M_E)) / sqrt((M_E - 1) * M_E);
}

static double shaped(struct simulated_noise *noise)
{
	if (noise->model == NOISE_T3 || noise->model == NOISE_T3_RUNS)
		return student_3(noise);
	if (noise->model == NOISE_LOGNORMAL || noise->model == NOISE_LOGNORMAL_RUNS)
		return lognormal(noise);
	return noise_normal(noise);
}

void noise_begin(struct simulated_noise *noise)
{
	noise->begun = false;
	noise->run = 0;
}

static double correlated(struct simulated_noise *noise)
{
	const double fresh = noise_normal(noise);

	return noise->begun
		       ? CORRELATION * noise->last + sqrt(1 - CORRELATION * CORRELATION) * fresh
		       : fresh;
}

/* A slow run is followed by another one so often that a stay lasts MODE_STAY runs. */
static bool is_slow(struct simulated_noise *noise)
{
	const double leave = 1 / MODE_STAY, enter = leave * MODE_SHARE / (1 - MODE_SHARE);
	const double drawn = noise_uniform(noise);

	if (!noise->begun || noise->model == NOISE_MODE)
		return drawn < MODE_SHARE;
	return noise->slow ? drawn >= leave : drawn < enter;
}

double noise_of_run(struct simulated_noise *noise)
{
	double value;

	if (noise->model < NOISE_RUNS)
		return 0;
	value = noise->model == NOISE_CORRELATED ? correlated(noise) : shaped(noise);
	noise->last = value;
	value *= noise->scale;
	if (noise->model == NOISE_MODE || noise->model == NOISE_LASTING_MODE) {
		noise->slow = is_slow(noise);
		value += noise->slow ? NOISE_SLOW_MODE : 0;
	}
	if (noise->model == NOISE_OUTLIERS && noise_uniform(noise) < OUTLIER_SHARE)
		value += 0.02 + 0.28 * noise_uniform(noise);
	if (noise->model == NOISE_DRIFT)
		value += DRIFT * noise->scale * (double)noise->run;
	noise->begun = true;
	noise->run++;
	return value;
}

double noise_of_round(struct simulated_noise *noise)
{
	const double value = noise->scale * shaped(noise);

	if (noise->model >= NOISE_RUNS)
		return value / 3;
	if (noise->model == NOISE_MODE_OF_ROUND && noise_uniform(noise) < MODE_SHARE)
		return value + NOISE_SLOW_MODE;
	return value;
}

size_t simulation_count(size_t usual)
{
	const char *text = getenv("PERFLAB_SIMULATIONS");
	const long count = text ? strtol(text, NULL, 10) : 0;

	return count > 0 ? (size_t)count : usual;
}
