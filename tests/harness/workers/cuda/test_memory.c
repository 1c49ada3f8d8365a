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
	/* The same key with another size is another block. */
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

	memory_keep(acquire(f, NULL, 3 * MIB, true));
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

	memory_keep(kept);
	memory_forget(acquire(f, "x", MIB, true));
	acquire(f, "x", MIB, true);
	acquire(f, "y", MIB, true);
	memory_forget_all(&f->memory);
	acquire(f, "x", MIB, true);
	acquire(f, "y", MIB, true);
	acquire(f, "kept", MIB, false);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
