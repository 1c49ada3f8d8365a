/*
 * A sweep of the fake worker whose cases have data that workers share: inputs and expected results.
 */
#ifndef TESTS_HARNESS_PREPARATION_FIXTURE_H
#define TESTS_HARNESS_PREPARATION_FIXTURE_H

#include "sweep_fixture.h"

#include "harness/sweep/data/preparation.h"

#define PREPARATION_ROUNDS 3
/* The elements of the first case, and how many fewer each further one has: just over 31 pages. */
#define ELEMENTS 31760
#define FEWER_ELEMENTS 2

/* Every case has data of its own. */
int preparation_set_up(void **context);
int preparation_tear_down(void **context);
/* Tears down and sets up: for the next row of a table of cases. */
struct sweep_fixture *preparation_start_again(void **context);
/* Only a worker with a device can make the expected result. */
void preparation_set_reference(struct launch_case *work);

/* The memory that shared data take. */
int64_t preparation_bytes(void);
/* How many lines the log has for this word in all rounds: made, shared or wrong. */
size_t preparation_logged(const struct sweep_fixture *f, const char *what);
/* All ended well, and nobody found other bytes than there must be. */
void preparation_assert_as_without(const struct sweep_fixture *f);

#define PREPARATION_TEST(name) \
	cmocka_unit_test_setup_teardown(name, preparation_set_up, preparation_tear_down)

#endif
