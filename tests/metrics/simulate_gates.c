/*
 * Simulates `perflab regress` and `sweep --decide` on rounds of several models of noise: how often
 * they call equal code changed, find a change, and leave a case undecided, and how often the
 * interval of the change holds the true one, and that of a time its repetition. Prints a table in
 * Markdown; docs/results/simulation-gates.md keeps those of large simulations.
 *
 *	simulate_gates [FAMILIES [SEED]]    as many families of cases of each kind (default: 100)
 *	simulate_gates --check              few equal cases; exit 1 above the promised rate
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/statistics.h"

#define CASES 50
#define CHANGED 5 /* of the cases, when a change is simulated */
#define ROUNDS_MOST 20
#define ROUNDS_FIRST 3
#define CONTROLS 8

/* ---- random numbers ---- */

static uint64_t random_state;

/* in (0, 1) */
static double uniform(void)
{
	return ((double)(random_next(&random_state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* ---- models of noise ---- */

/* The noise of one run. Errors are of the logarithm of a round's median; 0.002 is 0.2 %. */
struct simulated_session {
	double common[ROUNDS_MOST]; /* of all cases */
	double of_run[CASES];
	double state[CASES]; /* of the round before */
	double drift;        /* from a round to the next */
};

struct model {
	const char *name;
	double (*draw)(struct simulated_session *session, size_t index, size_t round);
	double of_round, of_run, drift; /* standard deviations of the session's members */
	/* Promised in docs/sequential-tests.md: the most families of equal cases with a false
	 * alarm; 1: nothing. */
	double decide_most;
};

static double draw_normal(struct simulated_session *session, size_t index, size_t round)
{
	(void)session, (void)index, (void)round;
	return 0.002 * normal();
}

static double draw_quiet(struct simulated_session *session, size_t index, size_t round)
{
	(void)session, (void)index, (void)round;
	return 0.001 * normal();
}

static double draw_t3(struct simulated_session *session, size_t index, size_t round)
{
	double squares = 0;

	(void)session, (void)index, (void)round;
	for (int i = 0; i < 3; i++)
		squares += pow(normal(), 2);
	/* the variance of t with three degrees of freedom is 3 */
	return 0.002 / sqrt(3) * normal() / sqrt(squares / 3);
}

static double draw_lognormal(struct simulated_session *session, size_t index, size_t round)
{
	const double mean = exp(0.5), deviation = sqrt((M_E - 1) * M_E);

	(void)session, (void)index, (void)round;
	return 0.002 * (exp(normal()) - mean) / deviation;
}

static double draw_two_modes(struct simulated_session *session, size_t index, size_t round)
{
	return draw_quiet(session, index, round) + (uniform() < 0.5 ? 0.02 : 0);
}

static double draw_rare_mode(struct simulated_session *session, size_t index, size_t round)
{
	return draw_quiet(session, index, round) + (uniform() < 0.2 ? 0.02 : 0);
}

static double draw_outliers(struct simulated_session *session, size_t index, size_t round)
{
	return draw_quiet(session, index, round) + (uniform() < 0.05 ? 0.05 * uniform() : 0);
}

static double autoregressive(struct simulated_session *session, size_t index, size_t round,
			     double similar)
{
	double *state = &session->state[index];

	*state = round ? similar * *state + sqrt(1 - similar * similar) * normal() : normal();
	return 0.004 * *state;
}

static double draw_alike(struct simulated_session *session, size_t index, size_t round)
{
	return autoregressive(session, index, round, 0.5);
}

static double draw_very_alike(struct simulated_session *session, size_t index, size_t round)
{
	return autoregressive(session, index, round, 0.9);
}

static const struct model models[] = {
	{"normal, 0.2 %", draw_normal, 0, 0, 0, 0.05},
	{"t with 3 degrees of freedom, 0.2 %", draw_t3, 0, 0, 0, 0.05},
	{"lognormal, 0.2 %", draw_lognormal, 0, 0, 0, 0.05},
	{"two modes 2 % apart, each in half of the rounds", draw_two_modes, 0, 0, 0, 0.1},
	{"a mode 2 % slower in a fifth of the rounds", draw_rare_mode, 0, 0, 0, 0.1},
	{"outliers up to 5 % in a twentieth of the rounds", draw_outliers, 0, 0, 0, 0.05},
	{"autocorrelation 0.5, 0.4 %", draw_alike, 0, 0, 0, 0.1},
	{"autocorrelation 0.9, 0.4 %", draw_very_alike, 0, 0, 0, 0.1},
	{"rounds differ in all cases by 0.3 %", draw_quiet, 0.003, 0, 0, 0.05},
	{"runs differ in each case by 0.3 %", draw_quiet, 0, 0.003, 0, 1},
	{"drift of all cases by 0.05 % from round to round", draw_quiet, 0, 0, 0.0005, 0.05},
};
#define MODELS (sizeof(models) / sizeof(models[0]))

static void session_begin(struct simulated_session *session, const struct model *model)
{
	*session = (struct simulated_session){.drift = model->drift};
	for (size_t i = 0; i < ROUNDS_MOST; i++)
		session->common[i] = model->of_round * normal();
	for (size_t i = 0; i < CASES; i++)
		session->of_run[i] = model->of_run * normal();
}

static void measure(struct trial *trial, struct simulated_session *session,
		    const struct model *model, size_t index, double time_ns, size_t rounds)
{
	while (trial->round_count < rounds) {
		const size_t round = trial->round_count++;
		const double error = model->draw(session, index, round) + session->common[round] +
				     session->of_run[index] + session->drift * (double)round;

		trial->rounds[round].median_ns = time_ns * exp(error);
	}
}

/* ---- runs ---- */

static struct run run_new(void)
{
	struct run run = {.backend = xstrdup("cuda"), .seed = 1, .trial_count = CASES};

	run.trials = xcalloc(CASES, sizeof(*run.trials));
	for (size_t i = 0; i < CASES; i++) {
		struct trial *trial = &run.trials[i];

		*trial = (struct trial){.kernel = xstrdup("reduce"),
					.variant = xstrdup("shuffle"),
					.config = xasprintf("block=%zu", i),
					.status = TRIAL_OK,
					.facts = launch_facts_unknown,
					.rounds = xcalloc(ROUNDS_MOST, sizeof(*trial->rounds))};
		for (int round = 0; round < ROUNDS_MOST; round++)
			trial->rounds[round] = (struct round_summary){
				.round = round, .state = {1980e6, 3201e6, 40, 300, 0}};
	}
	return run;
}

static void run_empty(struct run *run, bool decides)
{
	for (size_t i = 0; i < CASES; i++)
		run->trials[i].round_count = 0;
	key_value_list_release(&run->environment);
	if (decides)
		key_value_set(&run->environment, SEQUENTIAL_FIRST_KEY, "3");
}

static void judge(struct regress *regress, const struct run *base, const struct run *head)
{
	const struct regress_options options = {.limits = change_limits_default,
						.counters = REGRESS_COUNTERS_NONE,
						.judge_same_code = true};
	struct regress_pair *pairs;
	struct error err = {0};
	size_t count = regress_pairs(&pairs, base, head);

	if (regress_judge(regress, pairs, count, &options, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(2);
	}
	free(pairs);
}

/* ---- families of cases ---- */

struct family {
	const struct model *model;
	double times_ns[CASES], changes[CASES];
	struct simulated_session of_base, of_head;
	struct run base, head;
};

struct outcome {
	size_t families, alarmed; /* that have a false alarm */
	size_t equal, undecided;  /* equal cases, and those of them that are undecided */
	size_t changed, found;    /* changed cases, and those that were found */
	size_t intervals, held;   /* intervals of cases, and those that hold the true change */
	size_t covered;           /* times of equal cases that lie in the interval of the base's */
	size_t rounds;            /* of the head */
};

static void family_begin(struct family *family, const struct model *model, double change,
			 bool decides)
{
	family->model = model;
	session_begin(&family->of_base, model);
	session_begin(&family->of_head, model);
	run_empty(&family->base, false);
	run_empty(&family->head, decides);
	for (size_t i = 0; i < CASES; i++) {
		family->times_ns[i] = 50e3 * pow(10, uniform());
		family->changes[i] = i < CHANGED ? change : 0;
		measure(&family->base.trials[i], &family->of_base, model, i, family->times_ns[i],
			ROUNDS_FIRST);
	}
}

static void measure_head(struct family *family, size_t index, size_t rounds)
{
	measure(&family->head.trials[index], &family->of_head, family->model, index,
		family->times_ns[index] * (1 + family->changes[index]), rounds);
}

static bool is_change(enum change change)
{
	return change == CHANGE_REGRESSED || change == CHANGE_IMPROVED;
}

static double median_of(const struct trial *trial)
{
	double *held;
	const struct process_medians medians = trial_medians(trial, ROUNDS_FIRST, &held);
	const double median = summarise(medians.time_ns, medians.count).median_ns;

	free(held);
	return median;
}

/* Whether a repetition with as many rounds lies in the interval that a report of the base shows. */
static bool is_covered(const struct trial *base, const struct trial *head)
{
	const double again = median_of(head);

	return base->summary.session_low_ns <= again && again <= base->summary.session_high_ns;
}

static void count_outcome(struct outcome *outcome, struct family *family,
			  const struct regress *regress)
{
	bool alarmed = false;

	for (size_t i = 0; i < CASES; i++)
		family->base.trials[i].summary.median_ns = median_of(&family->base.trials[i]);
	run_set_intervals(&family->base);
	for (size_t i = 0; i < CASES; i++) {
		const struct regress_case *item = &regress->cases[i];
		const double change = family->changes[i];
		const bool found = is_change(item->time);

		outcome->intervals++;
		outcome->held += item->effect.low <= change && change <= item->effect.high;
		outcome->rounds += item->head->round_count;
		if (change != 0) {
			outcome->changed++;
			outcome->found += found && (item->effect.change > 0) == (change > 0);
			continue;
		}
		outcome->equal++;
		outcome->covered += is_covered(item->base, item->head);
		outcome->undecided += item->undecided;
		alarmed |= found;
	}
	outcome->families++;
	outcome->alarmed += alarmed;
}

static void plain(struct outcome *outcome, struct family *family)
{
	struct regress regress;

	for (size_t i = 0; i < CASES; i++)
		measure_head(family, i, ROUNDS_FIRST);
	judge(&regress, &family->base, &family->head);
	count_outcome(outcome, family, &regress);
	regress_release(&regress);
}

/* The control cases of `sweep --decide` are decided cases that scatter little. */
static size_t choose_controls(size_t *controls, const struct regress *regress)
{
	size_t count = 0;

	for (size_t i = 0; i < CASES && count < CONTROLS; i++)
		if (!regress->cases[i].undecided)
			controls[count++] = i;
	return count;
}

/* Each undecided case gets the rounds of each interim analysis, as if time had no end. */
static void decide(struct outcome *outcome, struct family *family)
{
	size_t controls[CONTROLS], control_count = 0;
	struct regress regress;

	for (size_t i = 0; i < CASES; i++)
		measure_head(family, i, ROUNDS_FIRST);
	for (int interim = 1; interim < INTERIM_COUNT; interim++) {
		const size_t rounds = (size_t)interim_rounds(ROUNDS_FIRST, interim);

		judge(&regress, &family->base, &family->head);
		if (!control_count)
			control_count = choose_controls(controls, &regress);
		for (size_t i = 0; i < CASES; i++)
			if (regress.cases[i].undecided)
				measure_head(family, i, rounds);
		for (size_t i = 0; i < control_count; i++)
			measure_head(family, controls[i], rounds);
		regress_release(&regress);
	}
	judge(&regress, &family->base, &family->head);
	count_outcome(outcome, family, &regress);
	regress_release(&regress);
}

/* ---- the table ---- */

static const double changes[] = {0, 0.005, 0.01, 0.02};
#define CHANGES (sizeof(changes) / sizeof(changes[0]))

static double percent(size_t part, size_t of)
{
	return of ? 100 * (double)part / (double)of : NAN;
}

static void simulate(struct outcome outcomes[CHANGES], const struct model *model, bool decides,
		     int families, size_t change_count)
{
	struct family family = {.base = run_new(), .head = run_new()};

	for (size_t k = 0; k < change_count; k++)
		for (int i = 0; i < families; i++) {
			family_begin(&family, model, changes[k], decides);
			(decides ? decide : plain)(&outcomes[k], &family);
		}
	run_release(&family.base);
	run_release(&family.head);
}

static void print_row(const struct model *model, bool decides, const struct outcome *outcomes)
{
	const struct outcome *equal = &outcomes[0];

	printf("| %s | %s | %.1f %% | %.0f %% | %.0f %% | %.0f %% | %.1f %% | %.1f %% | %.1f %% | "
	       "%.1f |\n",
	       model->name, decides ? "--decide" : "regress",
	       percent(equal->alarmed, equal->families),
	       percent(outcomes[1].found, outcomes[1].changed),
	       percent(outcomes[2].found, outcomes[2].changed),
	       percent(outcomes[3].found, outcomes[3].changed),
	       percent(equal->held, equal->intervals), percent(equal->covered, equal->equal),
	       percent(equal->undecided, equal->equal),
	       (double)equal->rounds / (double)equal->equal);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
	const int families = check ? 20 : argc > 1 ? atoi(argv[1]) : 100;
	const uint64_t seed = !check && argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	bool above = false;

	if (families < 1 || argc > 3) {
		fprintf(stderr, "usage: simulate_gates [FAMILIES [SEED]] | --check\n");
		return 2;
	}
	printf("| noise | gate | false alarms | 0.5 %% found | 1 %% | 2 %% | interval holds |"
	       " time repeats | undecided | rounds |\n"
	       "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	for (size_t i = 0; i < MODELS; i++)
		for (int decides = 0; decides < 2; decides++) {
			struct outcome outcomes[CHANGES] = {0};
			/* of few families, more may have one by chance */
			const double most = models[i].decide_most + (check ? 0.1 : 0);

			random_state = seed + 1000 * i + (uint64_t)decides;
			simulate(outcomes, &models[i], decides, families, check ? 1 : CHANGES);
			print_row(&models[i], decides, outcomes);
			above |= decides && (double)outcomes[0].alarmed > most * families;
		}
	return check && above;
}
