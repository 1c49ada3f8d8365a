/*
 * simulated_noise: what a median differs by although nothing changed, for simulations of histories
 * and fleets. All values are of logarithms.
 */
#ifndef TESTS_METRICS_SIMULATED_NOISE_H
#define TESTS_METRICS_SIMULATED_NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum noise_model {
	NOISE_NORMAL,        /* of rounds only, as the next three */
	NOISE_T3,            /* Student's distribution with three degrees of freedom */
	NOISE_LOGNORMAL,     /* one-sided */
	NOISE_MODE_OF_ROUND, /* a fifth of the rounds is slower by the mode */
	NOISE_RUNS,          /* runs scatter, their rounds a third as much; as the rest */
	NOISE_T3_RUNS,
	NOISE_LOGNORMAL_RUNS,
	NOISE_MODE,         /* a fifth of the runs is slower by the mode */
	NOISE_LASTING_MODE, /* likewise, for three runs in a row on average */
	NOISE_OUTLIERS,     /* a twentieth of the runs is slower by 2 to 30 % */
	NOISE_CORRELATED,   /* of neighbouring runs: 0.6 */
	NOISE_DRIFT,        /* a fifteenth of the scatter per run */
	NOISE_MODELS
};

struct simulated_noise {
	enum noise_model model;
	double scale; /* standard deviation without mode, outliers and drift */
	uint64_t state;
	/* of the run before */
	double last;
	bool slow, begun;
	size_t run;
};

#define NOISE_SLOW_MODE 0.02

const char *noise_name(enum noise_model model);
double noise_normal(struct simulated_noise *noise);
/* A number between 0 and 1. */
double noise_uniform(struct simulated_noise *noise);
/* Forgets the runs, not the state of the random numbers. */
void noise_begin(struct simulated_noise *noise);
/* What the next run differs by, and each of its rounds in addition. */
double noise_of_run(struct simulated_noise *noise);
double noise_of_round(struct simulated_noise *noise);

/* Repetitions of a simulation: PERFLAB_SIMULATIONS, else `usual`. */
size_t simulation_count(size_t usual);

#endif
