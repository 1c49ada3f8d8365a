/* The schedule of interim analyses, and how many rounds a case still needs. */
#include "metrics/analysis/sequential_tests.h"

#include <limits.h>
#include <math.h>

/* Chosen by simulation (docs/sequential-tests.md): few interim analyses, because each costs a part
 * of the 5 %, and most of it for the later ones, where it buys the most. Multiples of the first
 * number of rounds, in thirds. */
static const struct {
	int thirds;
	double share;
} schedule[INTERIM_COUNT] = {{3, 0.1}, {8, 0.2}, {20, 0.7}};

int interim_rounds(int first, int interim)
{
	return (first * schedule[interim].thirds + 2) / 3;
}

double interim_share(int interim)
{
	return schedule[interim].share;
}

/* A number of rounds from `least` on; 0: the fact is missing or something else. */
static int rounds_fact(const struct run *run, const char *key, int64_t least)
{
	const char *text = key_value_get(&run->environment, key);
	struct error ignored = {0};
	int64_t value;

	if (!text || parse_i64(&value, text, &ignored) || value < least ||
	    value > SEQUENTIAL_FIRST_MOST * (int64_t)schedule[INTERIM_COUNT - 1].thirds)
		return 0;
	return (int)value;
}

struct sequential_test sequential_test_of_run(const struct run *run)
{
	struct sequential_test test = {.first = rounds_fact(run, SEQUENTIAL_FIRST_KEY, 2)};
	const char *moved = key_value_get(&run->environment, SEQUENTIAL_MOVED_KEY);
	struct error ignored = {0};

	if (test.first > SEQUENTIAL_FIRST_MOST)
		test.first = 0;
	if (!test.first)
		return test;
	test.used = rounds_fact(run, SEQUENTIAL_USED_KEY, test.first);
	if (!moved || parse_double(&test.moved, moved, &ignored))
		test.moved = 0;
	return test;
}

char *sequential_test_discarded(const struct sequential_test *test)
{
	if (!test->used)
		return NULL;
	return xasprintf("the rounds from number %d on are not used: the control cases moved by "
			 "%.2g %%",
			 test->used + 1, 100 * test->moved);
}

int interim_last(const struct sequential_test *test, const struct trial *trial)
{
	int last = 0,
	    rounds = trial->round_count ? trial->rounds[trial->round_count - 1].round + 1 : 0;

	if (!test->first)
		return 0;
	if (test->used && rounds > test->used)
		rounds = test->used;
	while (last + 1 < INTERIM_COUNT && interim_rounds(test->first, last + 1) <= rounds)
		last++;
	return last;
}

int interim_limit(const struct sequential_test *test, int interim)
{
	return test->first ? interim_rounds(test->first, interim) : INT_MAX;
}

double interim_share_of(const struct sequential_test *test, int interim)
{
	return test->first ? interim_share(interim) : 1;
}

/* ---- rounds needed ---- */

bool rounds_would_decide(const struct effect *effect, size_t base, size_t head,
			 const struct change_limits *limits, double share, size_t cases)
{
	const double freedom = PROCESS_NOISE_WEIGHT + (double)base - 1 + (double)head - 1;
	const double error = sqrt(effect->variance * (1 / (double)base + 1 / (double)head));
	const double difference = log1p(effect->change);
	/* both bounds are within the limits if they are at most this far away */
	const double room = fmin(difference - log1p(-limits->resolution),
				 log1p(limits->resolution) - difference);

	if (base < 2 || head < 2)
		return false;
	if (fabs(effect->change) >= limits->smallest &&
	    student_two_sided(difference / error, freedom) * (double)cases <
		    limits->false_alarms * share)
		return true;
	return room > 0 && student_two_sided(room / error, freedom) <= 2 * EFFECT_LEVEL * share;
}

/* The least number of rounds that decides, of both runs or of the head alone. */
static int least_rounds(const struct effect *effect, size_t base, size_t head, bool both,
			const struct change_limits *limits, double share, size_t cases)
{
	const size_t begin = both && base > head ? base : head;
	size_t below = begin, enough = begin;

	while (!rounds_would_decide(effect, both ? enough : base, enough, limits, share, cases)) {
		if (enough >= ROUNDS_NEEDED_MOST)
			return 0;
		below = enough;
		enough = enough * 2 > ROUNDS_NEEDED_MOST ? ROUNDS_NEEDED_MOST : enough * 2;
	}
	while (enough - below > 1) {
		const size_t middle = below + (enough - below) / 2;

		*(rounds_would_decide(effect, both ? middle : base, middle, limits, share, cases)
			  ? &enough
			  : &below) = middle;
	}
	return (int)enough;
}

struct rounds_needed rounds_needed_for(const struct effect *effect, size_t base, size_t head,
				       const struct change_limits *limits, double share,
				       size_t cases)
{
	if (isnan(effect->change) || base > ROUNDS_NEEDED_MOST || head > ROUNDS_NEEDED_MOST)
		return (struct rounds_needed){0, 0};
	return (struct rounds_needed){
		.each = least_rounds(effect, base, head, true, limits, share, cases),
		.head = least_rounds(effect, base, head, false, limits, share, cases),
	};
}
