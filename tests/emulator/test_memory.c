/*
 * Memory of the emulated device: allocations, and what loads and stores of
 * global memory move, count and touch.
 */
#include "memory_fixture.h"

#include "emulator/machine/memory/device_memory.h"

/* ---- allocations ---- */

static void addresses_depend_on_the_calls_alone(void **state)
{
	uint64_t address[3], again;
	struct error err = {0};

	(void)state;
	for (int round = 0; round < 2; round++) {
		struct device_memory *memory = device_memory_create(1 << 20);
		uint64_t previous_end = 0;

		for (int i = 0; i < 3; i++) {
			uint64_t here;

			assert_int_equal(
				device_memory_allocate(memory, 1000 * i + 1, "a", &here, &err), 0);
			assert_int_equal(here % 512, 0);
			assert_true(here >= previous_end + DEVICE_FAR_BYTES);
			if (round)
				assert_int_equal(here, address[i]);
			address[i] = here;
			previous_end = here + 1000 * (uint64_t)i + 1;
		}
		/* A gap is taken again. */
		device_memory_release(memory, address[1]);
		assert_null(device_memory_data(memory, address[1]));
		assert_int_equal(device_memory_allocate(memory, 1001, "b", &again, &err), 0);
		assert_int_equal(again, address[1]);
		device_memory_release(memory, address[0] + 1);
		assert_non_null(device_memory_data(memory, address[0]));
		assert_null(device_memory_data(memory, address[0] + 1));
		device_memory_free(memory);
	}
}

/* More than there are places far apart. */
static void many_allocations_are_near(void **state)
{
	struct device_memory *memory = device_memory_create(1 << 20);
	struct error err = {0};
	uint64_t address;

	(void)state;
	for (int i = 0; i < 3000; i++)
		assert_int_equal(device_memory_allocate(memory, 100, "a", &address, &err), 0);
	for (size_t i = 1; i < memory->count; i++)
		assert_true(memory->items[i].address >=
			    memory->items[i - 1].address + 100 + DEVICE_GUARD_BYTES);
	assert_true(memory->items[memory->count - 1].address + 100 < HEAP_ADDRESS);
	device_memory_free(memory);
}

static void expect_described(const struct device_memory *memory, uint64_t address,
			     const char *words)
{
	struct text text = TEXT_INIT;

	device_memory_describe(&text, memory, address, 4);
	assert_string_equal(text.data, words);
	text_release(&text);
}

/* What a 32-bit index reaches belongs to the buffer that it is for. */
static void no_index_reaches_another_allocation(void **state)
{
	struct device_memory *memory = device_memory_create(1 << 20);
	struct error err = {0};
	uint64_t address[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(device_memory_allocate(memory, i == 1 ? 64 : 0, i == 1 ? "x" : "y",
							&address[i], &err),
				 0);
	for (int64_t element = 1; element <= 16; element *= 2) {
		const uint64_t low = address[1] - (uint64_t)(element << 31);

		assert_null(device_memory_find(memory, 0, low));
		assert_null(device_memory_find(memory, 0,
					       address[1] + (uint64_t)(UINT32_MAX * element)));
	}
	expect_described(memory, address[1] + ((uint64_t)INT32_MAX * 4),
			 "which ends 8589934528 bytes past the end of 'x' (64 bytes)");
	expect_described(memory, address[1] - (UINT64_C(4) << 31),
			 "which begins 8589934592 bytes before 'x' (64 bytes)");
	expect_described(memory, address[0], "which ends 4 bytes past the end of 'y' (0 bytes)");
	device_memory_free(memory);
}

static void too_much_memory_is_an_error(void **state)
{
	struct device_memory *memory = device_memory_create(5000);
	uint64_t address = 7;
	struct error err = {0};

	(void)state;
	assert_int_equal(device_memory_allocate(memory, 5001, "big", &address, &err), PL_ENOMEM);
	assert_non_null(strstr(err.text, "big"));
	assert_int_equal(device_memory_allocate(memory, -1, "neg", &address, &err), PL_ENOMEM);
	assert_int_equal(device_memory_allocate(memory, INT64_MAX, "all", &address, &err),
			 PL_ENOMEM);
	assert_int_equal(address, 7);
	assert_int_equal(device_memory_allocate(memory, 4000, "x", &address, &err), 0);
	assert_int_equal(device_memory_allocate(memory, 1001, "y", &address, &err), PL_ENOMEM);
	device_memory_release(memory, address);
	assert_int_equal(device_memory_allocate(memory, 5000, "y", &address, &err), 0);
	assert_int_equal(((char *)device_memory_data(memory, address))[4999], 0);
	device_memory_free(memory);
	memory = device_memory_create(INT64_MAX);
	assert_int_equal(device_memory_allocate(memory, INT64_C(1) << 62, "z", &address, &err),
			 PL_ENOMEM);
	assert_int_equal(device_memory_allocate(memory, 0, "none", &address, &err), 0);
	assert_non_null(device_memory_data(memory, address));
	device_memory_free(memory);
	device_memory_free(NULL);
}

/* ---- the same access, done the slow way ---- */

#define BYTES 65536

/* Sectors that differ. */
static unsigned expected_sectors(uint64_t base, uint32_t mask)
{
	static bool seen[BYTES / 32];
	unsigned count = 0;

	memset(seen, 0, sizeof(seen));
	for (int lane = 0; lane < LANES; lane++) {
		uint64_t sector = (row_lane(ROW_ADDRESS, lane, 8) - base) / 32;

		if (!(mask >> lane & 1))
			continue;
		count += !seen[sector];
		seen[sector] = true;
	}
	return count;
}

/* Bytes that a lane of the mask touches, each once. */
static unsigned expected_bytes(uint64_t base, uint32_t mask, unsigned bytes)
{
	static bool seen[BYTES];
	unsigned count = 0;

	memset(seen, 0, sizeof(seen));
	for (int lane = 0; lane < LANES; lane++)
		for (unsigned i = 0; i < bytes && mask >> lane & 1; i++) {
			uint64_t byte = row_lane(ROW_ADDRESS, lane, 8) - base + i;

			count += !seen[byte];
			seen[byte] = true;
		}
	return count;
}

static void fill_memory(unsigned char *data)
{
	for (int i = 0; i < BYTES; i++)
		data[i] = (unsigned char)(i * 37 + (i >> 8) * 11 + 3);
}

static uint64_t element_at(const unsigned char *from, unsigned width, bool sign)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < width; i++)
		value |= (uint64_t)from[i] << 8 * i;
	if (sign && width < 4 && value >> (8 * width - 1))
		value |= UINT32_MAX << 8 * width;
	return value & (width == 8 ? UINT64_MAX : UINT32_MAX);
}

static void check_load(uint64_t base, const unsigned char *data, uint32_t mask, unsigned width,
		       unsigned vector, bool sign)
{
	struct instruction *at = access_at(0, OP_LOAD, PTX_SPACE_GLOBAL, width, vector);
	unsigned bytes = width * vector;

	at->extension = sign ? EXTEND_SIGN : EXTEND_ZERO;
	memset(fixture.file + ROW_DST, 0xa5, 8 * 256);
	fixture.warp->active = mask;
	assert_int_equal(execute(at), STEP_NEXT);
	for (int lane = 0; lane < LANES; lane++) {
		uint64_t offset = row_lane(ROW_ADDRESS, lane, 8) - base;

		for (unsigned i = 0; i < vector; i++) {
			uint64_t is = row_lane(at->rows[i], lane, width);
			uint64_t untouched = width == 8 ? UINT64_C(0xa5a5a5a5a5a5a5a5) : 0xa5a5a5a5;

			if (mask >> lane & 1)
				assert_int_equal(
					is, element_at(data + offset + i * width, width, sign));
			else
				assert_int_equal(is, untouched);
		}
	}
	assert_int_equal(counted(at)->requests, mask != 0);
	assert_int_equal(counted(at)->bytes, expected_bytes(base, mask, bytes));
	assert_int_equal(counted(at)->sectors, expected_sectors(base, mask));
}

static void check_store(uint64_t base, unsigned char *data, uint32_t mask, unsigned width,
			unsigned vector)
{
	static unsigned char expected[BYTES];
	struct instruction *at = access_at(0, OP_STORE, PTX_SPACE_GLOBAL, width, vector);
	unsigned bytes = width * vector;

	memset(data, 0, BYTES);
	memset(expected, 0, BYTES);
	for (unsigned i = 0; i < vector; i++) {
		for (int lane = 0; lane < LANES; lane++) {
			uint64_t value = UINT64_C(0x9182736455463728) * (uint64_t)(lane + 1) + i;
			uint64_t offset = row_lane(ROW_ADDRESS, lane, 8) - base;

			set_row_lane(at->rows[i], lane, width, value);
			for (unsigned byte = 0; byte < width && mask >> lane & 1; byte++)
				expected[offset + i * width + byte] =
					(unsigned char)(value >> 8 * byte);
		}
	}
	fixture.warp->active = mask;
	assert_int_equal(execute(at), STEP_NEXT);
	assert_memory_equal(data, expected, BYTES);
	assert_int_equal(counted(at)->requests, mask != 0);
	assert_int_equal(counted(at)->bytes, expected_bytes(base, mask, bytes));
	assert_int_equal(counted(at)->sectors, expected_sectors(base, mask));
}

static const struct {
	unsigned width, vector;
} shapes[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {1, 2}, {1, 4}, {2, 2}, {2, 4},
	      {4, 2}, {4, 4}, {8, 2}, {8, 4}, {4, 8}, {2, 8}, {1, 8}};
static const uint32_t masks[] = {ALL_LANES,  0,          1,          0x80000000, 0x0000ffff,
				 0xffff0000, 0x55555555, 0x00ffff00, 0x80000001, 0x0f0f0ff0,
				 0x7fffffff, 0xfffffffe, 0x00010000, 0x13572468};

static void body_every_shape_stride_offset_and_mask(void)
{
	uint64_t base = allocate(BYTES, "x");
	unsigned char *data = device_memory_data(fixture.memory, base);

	for (size_t s = 0; s < ARRAY_SIZE(shapes); s++) {
		unsigned width = shapes[s].width, vector = shapes[s].vector;
		unsigned bytes = width * vector;

		for (unsigned stride = 0; stride <= 33; stride++) {
			for (unsigned start = 0; start < 3; start++) {
				const unsigned starts[] = {0, bytes, 32 - bytes % 32};

				set_addresses(base + 64 + starts[start], stride * bytes);
				for (size_t m = 0; m < ARRAY_SIZE(masks); m++) {
					fill_memory(data);
					check_load(base, data, masks[m], width, vector, stride % 2);
					check_store(base, data, masks[m], width, vector);
				}
			}
		}
	}
	assert_int_equal(fixture.found, 0);
}
EACH_SET(every_shape_stride_offset_and_mask)

static void body_addresses_in_no_order(void)
{
	uint64_t base = allocate(BYTES, "x");
	unsigned char *data = device_memory_data(fixture.memory, base);
	uint32_t random = 12345;

	for (int round = 0; round < 400; round++) {
		unsigned bytes = 1u << round % 4;
		uint32_t span = UINT32_C(64) << round % 11;

		for (int lane = 0; lane < LANES; lane++) {
			random = random * 1664525 + 1013904223;
			set_row_lane(ROW_ADDRESS, lane, 8,
				     base + (random >> 8) % (span / bytes) * bytes);
		}
		fill_memory(data);
		check_load(base, data, masks[(unsigned)round % ARRAY_SIZE(masks)], bytes, 1, false);
		check_store(base, data, masks[(unsigned)round / 7 % ARRAY_SIZE(masks)], bytes, 1);
	}
}
EACH_SET(addresses_in_no_order)

/* Literal counts of what is known of hardware: full warps, stride in elements. */
static void body_sectors_of_strides(void)
{
	static const struct {
		unsigned width, vector, stride, start;
		unsigned sectors;
	} cases[] = {
		{4, 1, 0, 0, 1},  {4, 1, 1, 0, 4},  {4, 1, 1, 4, 5},  {4, 1, 1, 28, 5},
		{4, 1, 2, 0, 8},  {4, 1, 4, 0, 16}, {4, 1, 8, 0, 32}, {4, 1, 32, 0, 32},
		{1, 1, 1, 0, 1},  {1, 1, 1, 16, 2}, {2, 1, 1, 0, 2},  {8, 1, 1, 0, 8},
		{8, 1, 2, 0, 16}, {4, 2, 1, 0, 8},  {4, 2, 4, 0, 32}, {4, 4, 1, 0, 16},
		{8, 2, 1, 0, 16}, {4, 4, 2, 0, 32},
	};
	uint64_t base = allocate(BYTES, "x");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct instruction *at =
			access_at(0, OP_LOAD, PTX_SPACE_GLOBAL, cases[i].width, cases[i].vector);

		set_addresses(base + cases[i].start,
			      cases[i].stride * cases[i].width * cases[i].vector);
		assert_int_equal(execute(at), STEP_NEXT);
		assert_int_equal(counted(at)->sectors, cases[i].sectors);
	}
}
EACH_SET(sectors_of_strides)

/* ---- touched bytes ---- */

static void body_touched_bytes(void)
{
	uint64_t x = allocate(4096, "x"), y = allocate(100, "y");
	struct instruction *load = access_at(0, OP_LOAD, PTX_SPACE_GLOBAL, 4, 1);
	struct instruction *store = access_at(1, OP_STORE, PTX_SPACE_GLOBAL, 4, 1);
	struct touched_bytes touched;

	for (int twice = 0; twice < 2; twice++) {
		set_addresses(x, 4);
		execute(load);
		execute(load);
		touched = device_memory_touched(fixture.memory);
		assert_int_equal(touched.read, 128);
		assert_int_equal(touched.written, 0);
		/* What was written first is not read. */
		set_addresses(x + 1024 + 64, 32);
		execute(store);
		execute(load);
		touched = device_memory_touched(fixture.memory);
		assert_int_equal(touched.read, 128);
		assert_int_equal(touched.written, 32 * 32);
		/* A sector that both have; what is read first stays read. */
		set_addresses(x + 16, 0);
		execute(store);
		fixture.warp->active = 1;
		set_addresses(y + 96, 0);
		execute(load);
		fixture.warp->active = ALL_LANES;
		touched = device_memory_touched(fixture.memory);
		assert_int_equal(touched.read, 128 + 32);
		assert_int_equal(touched.written, 32 * 32 + 32);
		device_memory_touched_reset(fixture.memory);
		touched = device_memory_touched(fixture.memory);
		assert_int_equal(touched.read + touched.written, 0);
	}
}
EACH_SET(touched_bytes)

/* Every run of sectors, against bits set one by one. */
static void touched_runs(void **state)
{
	uint64_t read[4], written[4], set[4];
	struct allocation in = {.read = read, .written = written};

	(void)state;
	for (uint64_t first = 0; first < 140; first++) {
		for (uint64_t last = first; last < first + 70; last++) {
			memset(read, 0, sizeof(read));
			memset(written, 0, sizeof(written));
			memset(set, 0, sizeof(set));
			for (uint64_t i = first; i <= last; i++)
				set[i / 64] |= UINT64_C(1) << i % 64;
			touch_written(&in, first, last);
			assert_memory_equal(written, set, sizeof(set));
			touch_read(&in, first, last + 1);
			for (uint64_t i = 0; i < 256; i++)
				assert_int_equal(read[i / 64] >> i % 64 & 1, i == last + 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_depend_on_the_calls_alone),
		cmocka_unit_test(many_allocations_are_near),
		cmocka_unit_test(no_index_reaches_another_allocation),
		cmocka_unit_test(too_much_memory_is_an_error),
		cmocka_unit_test(every_shape_stride_offset_and_mask),
		cmocka_unit_test(addresses_in_no_order),
		cmocka_unit_test(sectors_of_strides),
		cmocka_unit_test(touched_bytes),
		cmocka_unit_test(touched_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
