/* Shares, evicts and guards blocks of device memory. */
#include "stub_driver.h"

#include <string.h>

#include "harness/workers/cuda/device_memory.h"

#define MIB ((size_t)1 << 20)

struct memory_fixture {
	struct stub_driver stub;
	struct device device;
	struct memory memory;
};

static int set_up(void **context)
{
	static struct memory_fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.stub.memory_bytes = 10 * MIB;
	stub_driver_install(&fixture.stub, &fixture.device);
	memory_init(&fixture.memory, &fixture.device, UINT64_MAX);
	*context = &fixture;
	return 0;
}

static int tear_down(void **context)
{
	struct memory_fixture *f = *context;

	memory_release(&f->memory);
	stub_driver_assert_empty(&f->stub);
	return 0;
}

/* Acquires the block of a key and checks *fresh. */
static struct memory_block *acquire(struct memory_fixture *f, const char *key, size_t bytes,
				    bool expect_fresh)
{
	struct memory_block *block = NULL;
	struct error err = {0};
	bool fresh = !expect_fresh;

	if (memory_acquire(&f->memory, key, bytes, &block, &fresh, &err))
		fail_msg("%s", err.text);
	assert_int_equal(fresh, expect_fresh);
	assert_int_equal(block->bytes, bytes);
	return block;
}

static void test_keys_are_shared(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *x = acquire(f, "x", MIB, true);

	assert_ptr_equal(acquire(f, "x", MIB, false), x);
	assert_ptr_not_equal(acquire(f, "y", MIB, true), x);
	/* A key with another size is another block. */
	assert_ptr_not_equal(acquire(f, "x", 2 * MIB, true), x);
	memory_unpin_all(&f->memory);
	assert_ptr_equal(acquire(f, "x", MIB, false), x);
}

static void test_scratch_is_reused_when_it_is_free(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *scratch = acquire(f, NULL, MIB, true);

	assert_ptr_not_equal(acquire(f, NULL, MIB, true), scratch);
	assert_ptr_not_equal(acquire(f, "x", MIB, true), scratch);
	memory_unpin_all(&f->memory);
	acquire(f, NULL, MIB, false);
	acquire(f, NULL, MIB, false);
	acquire(f, NULL, MIB, true);
}

static void test_least_recently_used_goes_first(void **context)
{
	struct memory_fixture *f = *context;

	acquire(f, "old", 3 * MIB, true);
	acquire(f, "older", 3 * MIB, true);
	acquire(f, "old", 3 * MIB, false);
	memory_unpin_all(&f->memory);
	acquire(f, "new", 4 * MIB, true);
	acquire(f, "old", 3 * MIB, false);
	assert_int_equal(f->memory.count, 2);
}

static void test_what_is_in_use_stays(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *untouched = NULL;
	struct error err = {0};

	acquire(f, NULL, 3 * MIB, true)->kept = true;
	memory_unpin_all(&f->memory);
	acquire(f, "used", 3 * MIB, true);
	assert_int_equal(memory_acquire(&f->memory, "large", 6 * MIB, &untouched, NULL, &err),
			 PL_ENOMEM);
	assert_non_null(strstr(err.text, "allocating 6.0 MiB on the device"));
	assert_null(untouched);
	assert_int_equal(f->memory.count, 2);
	/* The next case can use the memory. */
	memory_unpin_all(&f->memory);
	acquire(f, "large", 6 * MIB, true);
	assert_int_equal(f->memory.count, 2);
	/* A kept block is never reused as scratch memory. */
	memory_unpin_all(&f->memory);
	acquire(f, NULL, 3 * MIB, true);
}

static void test_limit_leaves_room_to_others(void **context)
{
	struct memory_fixture *f = *context;

	f->memory.limit_bytes = 5 * MIB;
	acquire(f, "a", 2 * MIB, true);
	acquire(f, "b", 2 * MIB, true);
	memory_unpin_all(&f->memory);
	acquire(f, "c", 2 * MIB, true);
	assert_int_equal(f->memory.used_bytes, 4 * MIB);
	/* A case that needs more than the limit gets it. */
	acquire(f, "d", 6 * MIB, true);
	assert_int_equal(f->memory.used_bytes, 8 * MIB);
}

static void test_guards(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *block = acquire(f, NULL, 1000, true);
	unsigned char *data = (void *)(uintptr_t)block->data;
	struct error err = {0};
	bool intact = false;

	memset(data, 7, block->bytes);
	assert_int_equal(memory_check_guards(&f->memory, block, &intact, &err), 0);
	assert_true(intact);
	for (int side = 0; side < 2; side++) {
		data[side ? 1000 : -1] ^= 1;
		assert_int_equal(memory_check_guards(&f->memory, block, &intact, &err), 0);
		assert_false(intact);
		/* The zone is restored, so that it does not fail the next case. */
		assert_int_equal(memory_check_guards(&f->memory, block, &intact, &err), 0);
		assert_true(intact);
	}
}

static void test_forgotten_content_is_not_found(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *kept = acquire(f, "kept", MIB, true);

	kept->kept = true;
	memory_forget(acquire(f, "x", MIB, true));
	acquire(f, "x", MIB, true);
	acquire(f, "y", MIB, true);
	memory_forget_all(&f->memory);
	acquire(f, "x", MIB, true);
	acquire(f, "y", MIB, true);
	acquire(f, "kept", MIB, false);
}

/* ---- pages that can be replaced ---- */

static void make_replaceable(struct memory_fixture *f, size_t memory_bytes)
{
	struct error err = {0};

	f->stub.memory_bytes = memory_bytes;
	f->memory.limit_bytes = memory_bytes;
	if (memory_make_replaceable(&f->memory, 1, &err))
		fail_msg("%s", err.text);
}

static void write_content(const struct memory_block *block)
{
	unsigned char *data = (void *)(uintptr_t)block->data;

	for (size_t i = 0; i < block->bytes; i++)
		data[i] = (unsigned char)(i * 31 >> 3);
}

static void assert_content(struct memory_fixture *f, const struct memory_block *block)
{
	const unsigned char *data = (void *)(uintptr_t)block->data;
	struct error err = {0};
	bool intact = false;

	for (size_t i = 0; i < block->bytes; i++)
		if (data[i] != (unsigned char)(i * 31 >> 3))
			fail_msg("byte %zu of the block is lost", i);
	assert_int_equal(memory_check_guards(&f->memory, block, &intact, &err), 0);
	assert_true(intact);
}

static size_t replace(struct memory_fixture *f, struct memory_block *block)
{
	struct error err = {0};
	size_t replaced = 99;

	if (memory_replace_pages(&f->memory, &block, 1, &replaced, &err))
		fail_msg("%s", err.text);
	return replaced;
}

/* The physical memory behind a block. */
static size_t pages_of(const struct memory_fixture *f, const struct memory_block *block)
{
	size_t slot = 0;

	while (f->stub.mappings[slot].address != block->base)
		assert_true(++slot < STUB_MAX_PAGES);
	return f->stub.mappings[slot].pages;
}

static void test_other_pages_have_the_content_and_the_address(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *block;
	size_t places = 0;
	bool seen[STUB_MAX_PAGES] = {0};

	make_replaceable(f, 2000 * MIB);
	block = acquire(f, "x", 5 * MIB + 12, true);
	write_content(block);
	for (int i = 0; i < 100; i++) {
		const CUdeviceptr data = block->data;
		const size_t before = pages_of(f, block);

		places += !seen[before];
		seen[before] = true;
		assert_int_equal(replace(f, block), 1);
		assert_true(block->data == data);
		assert_int_not_equal(pages_of(f, block), before);
	}
	assert_content(f, block);
	/* Pages are made until there are some to choose from, and none later. */
	assert_in_range(places, 5, 20);
	assert_in_range(f->stub.created, 5, 40);
	assert_ptr_equal(acquire(f, "x", 5 * MIB + 12, false), block);
}

/* Where small results begin in a page changes times, so that must not depend on what was allocated
 * before. Small inputs share pages. */
static void test_results_of_any_size_begin_a_page(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *result, *input;

	make_replaceable(f, 2000 * MIB);
	acquire(f, "before", 4096, true);
	acquire(f, NULL, 48, true);
	result = acquire(f, NULL, 1024, true);
	assert_int_equal(result->base % STUB_GRANULE, 0);
	assert_int_equal(result->pages.bytes, STUB_GRANULE);
	assert_int_equal(replace(f, result), 1);
	input = acquire(f, "input", 1024, true);
	assert_int_equal(input->pages.bytes, 0);
}

/* A kernel that wrote out of bounds is found after its data was moved, too. */
static void test_damage_of_guards_is_moved(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *block;
	struct error err = {0};
	bool intact = true;

	make_replaceable(f, 1000 * MIB);
	block = acquire(f, NULL, MIB, true);
	((unsigned char *)(uintptr_t)block->data)[MIB] ^= 1;
	assert_int_equal(replace(f, block), 1);
	assert_int_equal(memory_check_guards(&f->memory, block, &intact, &err), 0);
	assert_false(intact);
}

static void test_a_replacement_that_fails_changes_nothing(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *block;
	size_t failed = 0;

	make_replaceable(f, 1000 * MIB);
	f->memory.source.spares_per_size = 100; /* each makes pages */
	block = acquire(f, NULL, 3 * MIB, true);
	write_content(block);
	for (size_t at = 1; f->stub.fails_at == 0; at++) {
		const size_t before = pages_of(f, block), mapped = f->stub.mapped_bytes;

		f->stub.fails_at = at;
		if (replace(f, block)) {
			assert_int_not_equal(pages_of(f, block), before);
		} else {
			failed++;
			assert_int_equal(pages_of(f, block), before);
			assert_int_equal(f->stub.mapped_bytes, mapped);
		}
		assert_content(f, block);
	}
	f->stub.fails_at = 0;
	/* Reserving, mapping and opening the window, unmapping, mapping, opening. Without a filler
	 * the pages are replaced all the same, and making pages is tried twice. */
	assert_int_equal(failed, 6);
	assert_int_equal(replace(f, block), 1);
}

static void test_memory_that_cannot_come_back_is_an_error(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *block;
	struct error err = {0};
	size_t replaced = 0;

	make_replaceable(f, 1000 * MIB);
	block = acquire(f, NULL, 3 * MIB, true);
	/* filler, pages, and the window: reserved, mapped, accessible */
	f->stub.fails_at = 6;
	f->stub.fails_on = true;
	assert_int_equal(memory_replace_pages(&f->memory, &block, 1, &replaced, &err), PL_EDEVICE);
	assert_non_null(strstr(err.text, "mapping device memory at its address again"));
	assert_int_equal(replaced, 0);
	f->stub.fails_at = 0;
	f->stub.fails_on = false;
}

static void test_scarce_memory_leaves_pages_where_they_are(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *blocks[2];
	struct error err = {0};
	size_t replaced = 99;

	make_replaceable(f, 14 * MIB);
	blocks[0] = acquire(f, "x", 3 * MIB, true);
	blocks[1] = acquire(f, "y", 7 * MIB, true);
	write_content(blocks[0]);
	write_content(blocks[1]);
	assert_int_equal(memory_replace_pages(&f->memory, blocks, 2, &replaced, &err), 0);
	assert_int_equal(replaced, 0);
	/* Spare pages are freed for a block. */
	f->stub.memory_bytes = 18 * MIB;
	f->memory.source.spare_limit_bytes = UINT64_MAX;
	assert_int_equal(replace(f, blocks[0]), 1);
	assert_int_equal(f->memory.source.spare_count, 1);
	acquire(f, "z", 5 * MIB, true);
	assert_int_equal(f->memory.source.spare_count, 0);
	assert_content(f, blocks[0]);
	assert_content(f, blocks[1]);
}

static void test_what_cannot_be_replaced(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *before = acquire(f, "before", 2 * MIB, true);
	struct error err = {0};

	f->stub.cannot_map = true;
	assert_int_equal(memory_make_replaceable(&f->memory, 1, &err), PL_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "the device cannot map memory"));
	assert_int_equal(acquire(f, "x", 2 * MIB, true)->pages.bytes, 0);
	f->stub.cannot_map = false;
	make_replaceable(f, 1000 * MIB);
	assert_int_equal(before->pages.bytes, 0);
	assert_int_equal(acquire(f, "small", MIB - 1, true)->pages.bytes, 0);
	assert_int_not_equal(acquire(f, "large", MIB, true)->pages.bytes, 0);
	/* Where mapping fails, there is other memory. */
	f->stub.maps_fail = true;
	assert_int_equal(acquire(f, "y", 2 * MIB, true)->pages.bytes, 0);
}

/* A block with guard zones that could not be written loses its key. */
static void test_half_made_block_is_not_found(void **context)
{
	struct memory_fixture *f = *context;
	struct memory_block *block = NULL;

	f->stub.fills_fail = true;
	assert_int_equal(memory_acquire(&f->memory, "x", MIB, &block, NULL, NULL), PL_EDEVICE);
	f->stub.fills_fail = false;
	acquire(f, "x", MIB, true);
}

int main(void)
{
#define MEMORY_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		MEMORY_TEST(test_keys_are_shared),
		MEMORY_TEST(test_scratch_is_reused_when_it_is_free),
		MEMORY_TEST(test_least_recently_used_goes_first),
		MEMORY_TEST(test_what_is_in_use_stays),
		MEMORY_TEST(test_limit_leaves_room_to_others),
		MEMORY_TEST(test_guards),
		MEMORY_TEST(test_forgotten_content_is_not_found),
		MEMORY_TEST(test_half_made_block_is_not_found),
		MEMORY_TEST(test_other_pages_have_the_content_and_the_address),
		MEMORY_TEST(test_results_of_any_size_begin_a_page),
		MEMORY_TEST(test_damage_of_guards_is_moved),
		MEMORY_TEST(test_a_replacement_that_fails_changes_nothing),
		MEMORY_TEST(test_memory_that_cannot_come_back_is_an_error),
		MEMORY_TEST(test_scarce_memory_leaves_pages_where_they_are),
		MEMORY_TEST(test_what_cannot_be_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
