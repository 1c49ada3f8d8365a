/*
 * The bytes of fills never change: recorded counters depend on the inputs, and
 * the inputs of an old run must be those of a new one. The hashes come from the
 * revision that computed every element by itself.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

#include "kernels/kernels.h"

/* Two ranges of threads, and a last tile that is not whole. */
#define LENGTH ((1 << 16) + 4099)

struct row {
	enum buffer_fill fill;
	double low, high;
	int bits; /* -1: all */
	uint64_t hash;
};

/* The fill of every type, those that cannot hold it left out. */
static uint64_t hash_of_row(const struct row *row, int64_t length)
{
	XXH64_state_t *state = XXH64_createState();
	void *data = xcalloc(LENGTH, sizeof(uint64_t));
	uint64_t hash;

	XXH64_reset(state, 0);
	for (int type = 0; type < ELEMENT_TYPES; type++) {
		const int most = element_significant_bits((enum element_type)type);
		const struct case_buffer buffer = {
			.name = "x",
			.type = (enum element_type)type,
			.length = length,
			.role = BUFFER_IN,
			.fill = row->fill,
			.fill_low = row->low,
			.fill_high = row->high,
			.has_fill_bits = row->bits >= 0,
			.fill_bits = row->bits < most ? row->bits : most,
		};
		struct error err = {0};

		if (!kernel_fill(data, &buffer, 7, &err))
			XXH64_update(state, data,
				     (size_t)length * element_size_bytes((enum element_type)type));
	}
	hash = XXH64_digest(state);
	XXH64_freeState(state);
	free(data);
	return hash;
}

static void test_bytes_never_change(void **state)
{
	static const struct row rows[] = {
		{FILL_UNIFORM, 0.0, 1.0, -1, UINT64_C(0x3f1d8897f875aa90)},
		{FILL_UNIFORM, -3.0, 1000.0, -1, UINT64_C(0xbc67e1ee545de160)},
		{FILL_UNIFORM, 0.0, 4294967296.0, -1, UINT64_C(0x5212a5a98902df31)},
		{FILL_UNIFORM, -1e300, 1e300, -1, UINT64_C(0x3b5df0fc1fb5ad5b)},
		{FILL_UNIFORM, 0.0, 1.0, 24, UINT64_C(0x5b4a1ea96d1a9e77)},
		{FILL_UNIFORM, 1e-44, 3e-40, 24, UINT64_C(0x334d4e36086d3d49)},
		{FILL_UNIFORM, -1e30, 1e30, 5, UINT64_C(0x5aef3906776ce231)},
		{FILL_UNIFORM, 1e-310, 1e-307, 3, UINT64_C(0xd4275cd29788a28f)},
		{FILL_INDEX, 0.0, 0.0, -1, UINT64_C(0x66866550e5736335)},
		{FILL_CONSTANT, 1.23, 0.0, -1, UINT64_C(0x5ee5b6c1e25ddc34)},
		{FILL_CONSTANT, -7e50, 0.0, -1, UINT64_C(0x5dfa5ee02b801b9c)},
		{FILL_NORMAL, 0.0, 1.0, -1, UINT64_C(0xffc2f8f9ece09e4a)},
		{FILL_NORMAL, 5.0, 100.0, -1, UINT64_C(0x93e6a1d9905e37ea)},
		{FILL_NORMAL, 1e-5, 2e-6, -1, UINT64_C(0xc9f48efc114d9540)},
		{FILL_NORMAL, 0.0, 1e300, -1, UINT64_C(0x84ff5d7bb6f87e20)},
		{FILL_NORMAL, 5.0, 100.0, 4, UINT64_C(0xc97cb0ea3b13d8ef)},
		{FILL_PERMUTATION, 0.0, 0.0, -1, UINT64_C(0x0e58ac777ea047c2)},
		{FILL_INTEGERS, -7.0, 99.0, -1, UINT64_C(0x7f498e6e787ed1aa)},
		{FILL_INTEGERS, -7e8, 1e9, 3, UINT64_C(0xe57eeae6e960d4c3)},
	};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		const uint64_t hash = hash_of_row(&rows[r], LENGTH);

		if (hash != rows[r].hash)
			fail_msg("row %zu: %016" PRIx64, r, hash);
	}
}

/* An element does not depend on the length, so not on its place in a tile either. */
static void test_any_length(void **state)
{
	static const enum buffer_fill fills[] = {FILL_UNIFORM, FILL_NORMAL, FILL_INTEGERS,
						 FILL_INDEX, FILL_CONSTANT};
	uint64_t all[200], some[201];

	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(fills); f++)
		for (int type = 0; type < ELEMENT_TYPES; type++)
			for (int64_t length = 1; length <= 200; length += length < 70 ? 1 : 13) {
				struct case_buffer buffer = {.name = "x",
							     .type = (enum element_type)type,
							     .length = 200,
							     .role = BUFFER_IN,
							     .fill = fills[f],
							     .fill_low = 1,
							     .fill_high = 50};

				memset(some, 0xee, sizeof(some));
				kernel_fill(all, &buffer, 3, NULL);
				buffer.length = length;
				kernel_fill(some, &buffer, 3, NULL);
				assert_memory_equal(
					all, some,
					(size_t)length *
						element_size_bytes((enum element_type)type));
				/* nothing is written beyond the end */
				assert_int_equal(
					((unsigned char *)
						 some)[(size_t)length *
						       element_size_bytes((enum element_type)type)],
					0xee);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_never_change),
		cmocka_unit_test(test_any_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
