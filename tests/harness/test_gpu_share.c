/* The claims of the processes of a sweep on several GPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/sweep/gpus/gpus.h"
#include "harness/sweep/sweep_state.h"

#define CASES 2000
#define PROCESSES 4

/* Cases without launches; the first `pairs` odd ones are measured beside the case before. */
static struct gpu_share *make_share(size_t count, size_t pairs)
{
	struct plan_case *cases = calloc(count, sizeof(*cases));
	struct plan plan = {.cases = cases, .count = count};
	struct gpu_share *share = NULL;
	struct error err = {0};

	for (size_t i = 0; i < count; i++) {
		cases[i].base = NO_BASE;
		if (i % 2 && i / 2 < pairs) {
			cases[i].base_variant = "base";
			cases[i].base = i - 1;
		}
	}
	assert_int_equal(gpu_share_new(&share, &plan, &err), 0);
	free(cases);
	return share;
}

static void test_a_case_has_one_owner(void **state)
{
	struct gpu_share *share = make_share(4, 0);

	(void)state;
	assert_int_equal(gpu_share_owner(share, 2), -1);
	assert_true(gpu_share_claim(share, 1, 2));
	assert_true(gpu_share_claim(share, 1, 2)); /* it may ask again */
	assert_false(gpu_share_claim(share, 0, 2));
	assert_int_equal(gpu_share_owner(share, 2), 1);
	assert_int_equal(gpu_share_free_cases(share), 3);
	gpu_share_free(share);
}

static void test_a_pair_is_claimed_together(void **state)
{
	struct gpu_share *share = make_share(6, 2);

	(void)state;
	assert_true(gpu_share_claim(share, 0, 1));
	assert_false(gpu_share_claim(share, 1, 0));
	assert_true(gpu_share_claim(share, 1, 2));
	assert_false(gpu_share_claim(share, 0, 3));
	assert_true(gpu_share_claim(share, 0, 4));
	assert_true(gpu_share_claim(share, 1, 5));
	gpu_share_free(share);
}

static void test_what_is_done_is_not_given_back(void **state)
{
	struct gpu_share *share = make_share(6, 1);

	(void)state;
	assert_true(gpu_share_claim(share, 0, 0)); /* with 1 */
	assert_true(gpu_share_claim(share, 0, 2));
	assert_true(gpu_share_claim(share, 0, 3));
	assert_true(gpu_share_claim(share, 1, 4));
	gpu_share_set_done(share, 0, 2, true);
	/* of another slot: changes nothing */
	gpu_share_set_done(share, 0, 4, true);
	assert_int_equal(gpu_share_give_back(share, 0), 3);
	assert_int_equal(gpu_share_owner(share, 0), -1);
	assert_int_equal(gpu_share_owner(share, 1), -1);
	assert_int_equal(gpu_share_owner(share, 2), 0);
	assert_int_equal(gpu_share_owner(share, 4), 1);
	assert_true(gpu_share_claim(share, 1, 1));
	/* a case that was in flight when its GPU was lost */
	gpu_share_set_done(share, 0, 2, false);
	assert_int_equal(gpu_share_give_back(share, 0), 1);
	assert_true(gpu_share_claim(share, 1, 2));
	gpu_share_free(share);
}

/* Cases that end together are done when their results are in the database, and not before. */
static void test_what_is_not_committed_is_given_back(void **state)
{
	struct plan_case cases[4] = {
		{.base = NO_BASE}, {.base = NO_BASE}, {.base = NO_BASE}, {.base = NO_BASE}};
	struct plan plan = {.cases = cases, .count = ARRAY_SIZE(cases)};
	struct case_state states[ARRAY_SIZE(cases)] = {0};
	struct gpu_share *share = make_share(plan.count, 0);
	struct gpu_part part = {.share = share, .gpus = 2};
	struct sweep sweep = SWEEP_INIT(NULL, NULL, NULL);

	(void)state;
	sweep.hooks = gpu_part_hooks(&part);
	sweep.plan = &plan;
	sweep.cases = states;
	sweep.hooks.begun(&sweep, 1);
	for (size_t i = 0; i < plan.count; i++)
		assert_true(sweep.hooks.take(&sweep, i));
	sweep.hooks.ended(&sweep, 0);
	sweep.together = true;
	sweep.hooks.ended(&sweep, 1);
	sweep.hooks.ended(&sweep, 2);
	sweep.hooks.committed(&sweep, false);
	assert_int_equal(gpu_share_give_back(share, 0), 3);

	for (size_t i = 1; i < plan.count; i++)
		assert_true(sweep.hooks.take(&sweep, i));
	sweep.hooks.ended(&sweep, 1);
	sweep.hooks.ended(&sweep, 2);
	sweep.hooks.committed(&sweep, true);
	assert_int_equal(gpu_share_give_back(share, 0), 1);
	free(part.left);
	free(part.deferred);
	gpu_share_free(share);
}

/* Runs in a process: claims from its own place on, as the sweep does. Exits with 0. */
static void claim_all(struct gpu_share *share, int slot)
{
	for (size_t i = 0; i < CASES; i++) {
		const size_t at = (i + (size_t)slot * CASES / PROCESSES) % CASES;

		if (gpu_share_claim(share, slot, at))
			atomic_fetch_add(&share->slots[slot].done, 1);
	}
	_exit(0);
}

static void test_processes_claim_each_case_once(void **state)
{
	struct gpu_share *share = make_share(CASES, 0);
	long long claimed = 0;
	int status;

	(void)state;
	for (int slot = 0; slot < PROCESSES; slot++) {
		const pid_t child = fork();

		assert_true(child >= 0);
		if (!child)
			claim_all(share, slot);
	}
	for (int slot = 0; slot < PROCESSES; slot++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	for (int slot = 0; slot < PROCESSES; slot++)
		claimed += atomic_load(&share->slots[slot].done);
	assert_int_equal(claimed, CASES);
	assert_int_equal(gpu_share_free_cases(share), 0);
	gpu_share_free(share);
}

static void test_a_turn_passes_over_what_has_ended(void **state)
{
	struct gpu_share *share = make_share(1, 0);

	(void)state;
	assert_true(gpu_share_await_turn(share, 0));
	gpu_share_end_turn(share, 1); /* does not have it */
	assert_int_equal(atomic_load(&share->turn), 0);
	gpu_share_end_turn(share, 0);
	atomic_store(&share->slots[1].ended, 1);
	assert_true(gpu_share_await_turn(share, 2));
	share->stop = 1;
	assert_false(gpu_share_await_turn(share, 3));
	gpu_share_free(share);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_case_has_one_owner),
		cmocka_unit_test(test_a_pair_is_claimed_together),
		cmocka_unit_test(test_what_is_done_is_not_given_back),
		cmocka_unit_test(test_what_is_not_committed_is_given_back),
		cmocka_unit_test(test_processes_claim_each_case_once),
		cmocka_unit_test(test_a_turn_passes_over_what_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
