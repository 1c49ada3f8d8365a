/* Every index runs exactly once, for any count, grain and number of processors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/parallel.h"

static void visit(void *context, int64_t begin, int64_t end)
{
	unsigned char *visits = context;

	for (int64_t i = begin; i < end; i++)
		visits[i]++;
}

static void every_index_once(void **state)
{
	static const int64_t counts[] = {0, 1, 2, 63, 64, 65, 127, 128, 1000, 4096, 100003};
	static const int64_t grains[] = {1, 7, 64, 100000};

	(void)state;
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		for (size_t g = 0; g < sizeof(grains) / sizeof(grains[0]); g++) {
			unsigned char *visits = calloc((size_t)counts[c] + 1, 1);

			parallel_for(counts[c], grains[g], visit, visits);
			for (int64_t i = 0; i < counts[c]; i++)
				assert_int_equal(visits[i], 1);
			assert_int_equal(visits[counts[c]], 0);
			free(visits);
		}
	}
}

struct cuts {
	int64_t grain;
	int wrong;
};

static void note_cut(void *context, int64_t begin, int64_t end)
{
	struct cuts *cuts = context;

	(void)end;
	if (begin % cuts->grain)
		__atomic_add_fetch(&cuts->wrong, 1, __ATOMIC_SEQ_CST);
}

/* Oracles that work in tiles rely on it. */
static void ranges_begin_at_grains(void **state)
{
	struct cuts cuts = {.grain = 64};

	(void)state;
	parallel_for(100003, cuts.grain, note_cut, &cuts);
	assert_int_equal(cuts.wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_index_once),
		cmocka_unit_test(ranges_begin_at_grains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
