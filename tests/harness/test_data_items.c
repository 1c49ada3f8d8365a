/*
 * The data of a sweep's cases: who needs what until when, and what is dropped to make room: always
 * what is needed last, as a search through everything finds it, too.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/client/client.h"
#include "harness/sweep/data/data_items.h"
#include "metrics/settings.h"

#define CASES 40
#define ITEM_BYTES (INT64_C(64) << 10)

struct bench {
	struct measure_settings settings;
	struct plan plan;
	struct case_state states[CASES];
	struct sweep sweep;
	struct data_items data;
	uint64_t random;
};

/* Many cases have the same input: as many as `lengths` is smaller than the number of cases. */
static void bench_init(struct bench *bench, int64_t lengths, int64_t limit_bytes)
{
	*bench = (struct bench){.settings = measure_settings_default, .random = 12345};
	bench->sweep = (struct sweep)SWEEP_INIT(&bench->settings, NULL, NULL);
	for (size_t i = 0; i < CASES; i++) {
		struct launch_case *work;

		add_case(&bench->plan, "alpha", "one", 32 + (int64_t)i);
		work = bench->plan.cases[i].launch;
		work->buffers[0].length = ITEM_BYTES / 4 + (int64_t)i % lengths;
		work->check.kind = CHECK_NONE;
	}
	bench->sweep.plan = &bench->plan;
	bench->sweep.cases = bench->states;
	bench->sweep.rounds = 3;
	data_items_init(&bench->data, &bench->sweep, limit_bytes);
}

static void bench_release(struct bench *bench)
{
	data_items_release(&bench->data);
	for (size_t i = 0; i < CASES; i++) {
		launch_case_free(bench->plan.cases[i].launch);
		free(bench->plan.cases[i].kernel);
		free(bench->plan.cases[i].variant);
		free(bench->plan.cases[i].config);
	}
	free(bench->plan.cases);
	measure_settings_release(&bench->settings);
}

static size_t draw(struct bench *bench, size_t below)
{
	bench->random = bench->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (size_t)((bench->random >> 33) % below);
}

static void shuffle(struct bench *bench, size_t *order)
{
	for (size_t i = 0; i < CASES; i++)
		order[i] = i;
	for (size_t i = CASES; i > 1; i--) {
		const size_t j = draw(bench, i), swapped = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swapped;
	}
}

static struct data_item *item_of(const struct bench *bench, size_t index)
{
	return bench->data.cases[index].items[0].item;
}

/* Where in the order an item is needed next, by a search. */
static size_t search_next(const struct bench *bench, const struct data_item *item)
{
	const struct data_items *data = &bench->data;

	for (size_t o = data->position; o < data->order_count; o++)
		if (item_of(bench, data->order[o]) == item)
			return o;
	return NOWHERE;
}

static void assert_nothing_needed_later(const struct bench *bench, size_t next)
{
	for (size_t i = 0; i < bench->data.count; i++) {
		const struct data_item *item = bench->data.items[i];
		const size_t other = search_next(bench, item);

		if (item->state == DATA_READY && !item->pins && other > next)
			fail_msg("dropped what is needed at %zu, and kept what is at %zu", next,
				 other);
	}
}

/* As a sweep does with one case after the other, with little memory. */
static void run_order(struct bench *bench, const size_t *order)
{
	struct data_item *pinned = NULL;

	data_items_set_order(&bench->data, order, CASES);
	for (size_t o = 0; o < CASES; o++) {
		struct data_item *item = item_of(bench, order[o]);
		bool ready[CASES] = {false};
		size_t dropped = NOWHERE, least = NOWHERE;
		bool room;

		data_items_move_to(&bench->data, order[o]);
		for (size_t i = 0; i < bench->data.count; i++) {
			const struct data_item *other = bench->data.items[i];

			ready[i] = other->state == DATA_READY;
			assert_int_equal(other->next, search_next(bench, other));
		}
		if (item->state != DATA_READY) {
			room = data_items_make_room(&bench->data, data_item_room(item), o,
						    &dropped);
			for (size_t i = 0; i < bench->data.count; i++) {
				const struct data_item *other = bench->data.items[i];

				if (!ready[i] || other->state == DATA_READY)
					continue;
				assert_int_equal(other->pins, 0);
				assert_true(other->next > o);
				least = other->next < least ? other->next : least;
			}
			assert_int_equal(dropped, least);
			if (least != NOWHERE)
				assert_nothing_needed_later(bench, least);
			assert_true(room);
			assert_true(data_item_take(&bench->data, item, DATA_CLAIMED));
			data_item_set_ready(&bench->data, item);
		}
		assert_true(bench->data.used_bytes <= bench->data.limit_bytes);
		/* the request before this one still uses its item */
		data_item_pin(&bench->data, item);
		if (pinned)
			data_item_unpin(&bench->data, pinned);
		pinned = item;
	}
	data_item_unpin(&bench->data, pinned);
}

static void test_what_is_needed_last_is_dropped(void **context)
{
	static const int64_t lengths[] = {CASES, CASES / 2, 7, 1};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		for (int64_t items = 2; items < 12; items += 3) {
			size_t order[CASES];
			struct bench bench;

			/* one byte more than a range takes two */
			bench_init(&bench, lengths[i], items * 2 * ITEM_BYTES);
			assert_int_equal(bench.data.count, lengths[i]);
			for (int round = 0; round < 3; round++) {
				shuffle(&bench, order);
				run_order(&bench, order);
			}
			bench_release(&bench);
		}
}

/* Nothing is dropped for what comes later, or while it is in use. */
static void test_what_is_needed_sooner_stays(void **context)
{
	size_t order[CASES], dropped = NOWHERE;
	struct bench bench;

	(void)context;
	bench_init(&bench, CASES, 4 * ITEM_BYTES);
	for (size_t i = 0; i < CASES; i++)
		order[i] = i;
	data_items_set_order(&bench.data, order, CASES);
	for (size_t i = 1; i < 3; i++) {
		assert_true(data_item_take(&bench.data, item_of(&bench, i), DATA_CLAIMED));
		data_item_set_ready(&bench.data, item_of(&bench, i));
	}
	assert_int_equal(bench.data.used_bytes, 4 * ITEM_BYTES);
	assert_false(data_items_make_room(&bench.data, ITEM_BYTES, 2, &dropped));
	assert_int_equal(dropped, NOWHERE);
	data_item_pin(&bench.data, item_of(&bench, 2));
	data_item_pin(&bench.data, item_of(&bench, 1));
	assert_false(data_items_make_room(&bench.data, ITEM_BYTES, 0, &dropped));
	assert_int_equal(dropped, NOWHERE);
	data_item_unpin(&bench.data, item_of(&bench, 1));
	assert_true(data_items_make_room(&bench.data, ITEM_BYTES, 0, &dropped));
	assert_int_equal(dropped, 1);
	/* more than there ever is */
	assert_false(data_items_make_room(&bench.data, 5 * ITEM_BYTES, 0, &dropped));
	assert_false(data_items_make_room(&bench.data, INT64_MAX, 0, &dropped));
	assert_int_equal(item_of(&bench, 2)->state, DATA_READY);
	bench_release(&bench);
}

/* ---- until when ---- */

static void make_all(struct bench *bench)
{
	for (size_t i = 0; i < bench->data.count; i++) {
		assert_true(data_item_take(&bench->data, bench->data.items[i], DATA_CLAIMED));
		data_item_set_ready(&bench->data, bench->data.items[i]);
	}
}

static int64_t blocks_bytes(void)
{
	struct stat file;

	assert_int_equal(fstat(data_file_fd(), &file), 0);
	return (int64_t)file.st_blocks * 512;
}

static void test_memory_is_free_after_the_last_need(void **context)
{
	struct bench bench;

	(void)context;
	bench_init(&bench, CASES / 2, INT64_MAX); /* two cases share an input */
	make_all(&bench);
	bench.states[0].rounds_done = 3;
	data_items_update(&bench.data, 0);
	assert_int_equal(item_of(&bench, 0)->state, DATA_READY);
	bench.states[CASES / 2].ended = true;
	data_items_update(&bench.data, CASES / 2);
	assert_int_equal(item_of(&bench, 0)->state, DATA_WANTED);
	/* it is in use */
	data_item_pin(&bench.data, item_of(&bench, 1));
	bench.states[1].ended = bench.states[1 + CASES / 2].ended = true;
	data_items_update(&bench.data, 1);
	data_items_update(&bench.data, 1 + CASES / 2);
	assert_int_equal(item_of(&bench, 1)->state, DATA_READY);
	data_item_unpin(&bench.data, item_of(&bench, 1));
	data_item_drop_unneeded(&bench.data, item_of(&bench, 1));
	assert_int_equal(item_of(&bench, 1)->state, DATA_WANTED);
	bench_release(&bench);
	assert_int_equal(blocks_bytes(), 0);
}

static int add_none(struct sweep *sweep, struct error *err)
{
	(void)sweep;
	(void)err;
	return 0;
}

/* With --decide a case may get more rounds than all have. */
static void test_decide_may_add_rounds(void **context)
{
	struct bench bench;

	(void)context;
	bench_init(&bench, CASES, INT64_MAX);
	bench.sweep.hooks.add_rounds = add_none;
	make_all(&bench);
	bench.states[0].rounds_done = 3;
	data_items_update(&bench.data, 0);
	assert_int_equal(item_of(&bench, 0)->state, DATA_READY);
	bench.states[0].ended = true;
	data_items_update(&bench.data, 0);
	assert_int_equal(item_of(&bench, 0)->state, DATA_WANTED);
	bench_release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_needed_last_is_dropped),
		cmocka_unit_test(test_what_is_needed_sooner_stays),
		cmocka_unit_test(test_memory_is_free_after_the_last_need),
		cmocka_unit_test(test_decide_may_add_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
