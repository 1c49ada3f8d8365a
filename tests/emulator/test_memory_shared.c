/* Loads and stores of shared memory: bytes, wavefronts, bounds. */
#include "memory_fixture.h"

#include "emulator/machine/memory/access.h"

static const uint32_t masks[] = {ALL_LANES,  0,          1,          0x0000ffff, 0xffff0000,
				 0x55555555, 0x00ffff00, 0x80000001, 0x0f0f0ff0, 0x7fffffff,
				 0x000000ff, 0xff00ff00, 0x13572468};
static const struct {
	unsigned width, vector;
} shapes[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {4, 2}, {4, 4}, {8, 2}, {1, 4}, {8, 4}};

/* Words of each bank that differ among the lanes first … end - 1; the most of any bank. */
static unsigned passes_of(uint32_t mask, unsigned bytes, unsigned first, unsigned end)
{
	static bool wanted[SHARED_SIZE / 4];
	unsigned of_bank[32] = {0}, most = 0;

	memset(wanted, 0, sizeof(wanted));
	for (unsigned lane = first; lane < end; lane++) {
		for (unsigned byte = 0; byte < bytes && mask >> lane & 1; byte++)
			wanted[(row_lane(ROW_ADDRESS, (int)lane, 8) + byte) / 4] = true;
	}
	for (unsigned word = 0; word < ARRAY_SIZE(wanted); word++)
		of_bank[word % 32] += wanted[word];
	for (unsigned bank = 0; bank < 32; bank++)
		most = of_bank[bank] > most ? of_bank[bank] : most;
	return most;
}

/* No active lane among first … end - 1 differs from its active partner. */
static bool goes_in_pairs(uint32_t mask, unsigned distance, unsigned first, unsigned end)
{
	for (unsigned lane = first; lane < end; lane++)
		if (mask >> lane & 1 && mask >> (lane ^ distance) & 1 &&
		    row_lane(ROW_ADDRESS, (int)lane, 8) !=
			    row_lane(ROW_ADDRESS, (int)(lane ^ distance), 8))
			return false;
	return true;
}

static unsigned expected_wavefronts(uint32_t mask, unsigned bytes, bool load)
{
	unsigned group = bytes <= 4 ? 32 : 128 / bytes, sum = 0;

	if (group == 32)
		return passes_of(mask, bytes, 0, 32);
	for (unsigned first = 0; first < LANES; first += 2 * group) {
		unsigned end = first + 2 * group;

		if (load &&
		    (goes_in_pairs(mask, 1, first, end) || goes_in_pairs(mask, 2, first, end)))
			sum += passes_of(mask, bytes, first, end);
		else
			sum += passes_of(mask, bytes, first, first + group) +
			       passes_of(mask, bytes, first + group, end);
	}
	return sum;
}

static void check(unsigned width, unsigned vector, uint32_t mask)
{
	static unsigned char expected[SHARED_SIZE];
	struct instruction *store = access_at(0, OP_STORE, PTX_SPACE_SHARED, width, vector);
	struct instruction *load = access_at(1, OP_LOAD, PTX_SPACE_SHARED, width, vector);
	unsigned bytes = width * vector, active = (unsigned)__builtin_popcount(mask);
	unsigned ideal = (active * bytes + 127) / 128;

	memset(fixture.shared, 0, SHARED_SIZE);
	memset(expected, 0, sizeof(expected));
	for (int lane = 0; lane < LANES; lane++) {
		for (unsigned i = 0; i < vector; i++) {
			uint64_t value = UINT64_C(0x8173625544738291) * (uint64_t)(lane + 7) + i;

			set_row_lane(store->rows[i], lane, width, value);
			if (mask >> lane & 1)
				memcpy(expected + row_lane(ROW_ADDRESS, lane, 8) + i * width,
				       &value, width);
		}
	}
	fixture.warp->active = mask;
	assert_int_equal(execute(store), STEP_NEXT);
	assert_memory_equal(fixture.shared, expected, SHARED_SIZE);
	memset(fixture.file + ROW_DST, 0x5a, 8 * 256);
	assert_int_equal(execute(load), STEP_NEXT);
	for (int lane = 0; lane < LANES; lane++) {
		for (unsigned i = 0; i < vector; i++) {
			uint64_t value = 0;

			memcpy(&value, expected + row_lane(ROW_ADDRESS, lane, 8) + i * width,
			       width);
			if (!(mask >> lane & 1))
				memset(&value, 0x5a, width == 8 ? 8 : 4);
			assert_int_equal(row_lane(load->rows[i], lane, width), value);
		}
	}
	for (int i = 0; i < 2; i++) {
		unsigned wavefronts = expected_wavefronts(mask, bytes, i == 1);

		assert_int_equal(fixture.counts[i].requests, mask != 0);
		assert_int_equal(fixture.counts[i].wavefronts, wavefronts);
		assert_int_equal(fixture.counts[i].ideal_wavefronts,
				 ideal < wavefronts ? ideal : wavefronts);
		assert_int_equal(fixture.counts[i].sectors, 0);
	}
}

static void body_every_shape_stride_offset_and_mask(void)
{
	for (size_t s = 0; s < ARRAY_SIZE(shapes); s++) {
		unsigned width = shapes[s].width, vector = shapes[s].vector;
		unsigned bytes = width * vector;

		for (unsigned stride = 0; stride <= 33 && stride * bytes * 31 < 7500; stride++) {
			for (unsigned start = 0; start < 128; start += bytes < 16 ? 60 : 96) {
				set_addresses(start / bytes * bytes, stride * bytes);
				for (size_t m = 0; m < ARRAY_SIZE(masks); m++)
					check(width, vector, masks[m]);
			}
		}
	}
}
EACH_SET(every_shape_stride_offset_and_mask)

static void body_addresses_in_no_order(void)
{
	uint32_t random = 99;

	for (int round = 0; round < 500; round++) {
		unsigned width = 1u << round % 4;
		uint32_t span = UINT32_C(64) << round % 8;

		for (int lane = 0; lane < LANES; lane++) {
			random = random * 1664525 + 1013904223;
			set_row_lane(ROW_ADDRESS, lane, 8, (random >> 8) % (span / width) * width);
		}
		check(width, 1, masks[(unsigned)round % ARRAY_SIZE(masks)]);
	}
}
EACH_SET(addresses_in_no_order)

/* Lanes that go together, all of them or but for one, at random places. */
static void body_lanes_that_share(void)
{
	uint32_t random = 7;

	for (unsigned round = 0; round < 600; round++) {
		int distance = 1 << round % 5, odd = round % 2 ? (int)(round % LANES) : -1;
		unsigned bytes = round % 3 ? 16 : 8;

		for (int lane = 0; lane < LANES; lane++) {
			int with = lane == odd ? lane : lane & ~distance;

			random = random * 1664525 + 1013904223;
			set_row_lane(ROW_ADDRESS, lane, 8,
				     with < lane ? row_lane(ROW_ADDRESS, with, 8)
						 : (random >> 8) % 64 * bytes);
		}
		check(bytes / 2, 2, masks[round % ARRAY_SIZE(masks)]);
	}
}
EACH_SET(lanes_that_share)

/* Counts of an H200: full warps in which `share` neighbouring lanes go to one place. */
static void body_loads_of_pairs(void)
{
	static const struct {
		unsigned width, vector;
		int share, loads, stores;
	} cases[] = {{8, 1, 1, 2, 2},  {8, 1, 2, 1, 2}, {8, 1, 4, 1, 2}, {8, 1, 32, 1, 2},
		     {4, 4, 1, 4, 4},  {4, 4, 2, 2, 4}, {4, 4, 8, 2, 4}, {4, 4, 32, 2, 4},
		     {4, 1, 32, 1, 1}, {4, 2, 2, 1, 2}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (int store = 0; store < 2; store++) {
			struct instruction *at =
				access_at(store, store ? OP_STORE : OP_LOAD, PTX_SPACE_SHARED,
					  cases[i].width, cases[i].vector);
			uint64_t bytes = cases[i].width * cases[i].vector;

			for (int lane = 0; lane < LANES; lane++)
				set_row_lane(ROW_ADDRESS, lane, 8,
					     (uint64_t)(lane / cases[i].share) * bytes);
			assert_int_equal(execute(at), STEP_NEXT);
			assert_int_equal(counted(at)->wavefronts,
					 store ? cases[i].stores : cases[i].loads);
		}
}
EACH_SET(loads_of_pairs)

/* Literal counts: full warps; strides in elements. */
static void body_wavefronts_of_strides(void)
{
	static const struct {
		unsigned width, vector, stride, wavefronts, ideal;
	} cases[] = {
		{4, 1, 0, 1, 1},    {4, 1, 1, 1, 1},   {4, 1, 2, 2, 1},   {4, 1, 3, 1, 1},
		{4, 1, 4, 4, 1},    {4, 1, 8, 8, 1},   {4, 1, 16, 16, 1}, {4, 1, 32, 32, 1},
		{4, 1, 33, 1, 1},   {4, 1, 48, 16, 1}, {1, 1, 1, 1, 1},   {1, 1, 4, 1, 1},
		{1, 1, 128, 32, 1}, {2, 1, 2, 1, 1},   {8, 1, 1, 2, 2},   {8, 1, 2, 4, 2},
		{8, 1, 16, 32, 2},  {4, 4, 1, 4, 4},   {4, 4, 2, 8, 4},   {4, 4, 8, 32, 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct instruction *at =
			access_at(0, OP_LOAD, PTX_SPACE_SHARED, cases[i].width, cases[i].vector);

		set_addresses(0, cases[i].stride * cases[i].width * cases[i].vector);
		assert_int_equal(execute(at), STEP_NEXT);
		assert_int_equal(counted(at)->wavefronts, cases[i].wavefronts);
		assert_int_equal(counted(at)->ideal_wavefronts, cases[i].ideal);
	}
}
EACH_SET(wavefronts_of_strides)

static void expect_text(const struct instruction *at, enum finding_kind kind, int lane,
			const char *text)
{
	expect_finding(at, kind, lane, text);
	assert_string_equal(fixture.text, text);
}

static void body_bounds_and_alignment(void)
{
	struct instruction *store = access_at(0, OP_STORE, PTX_SPACE_SHARED, 4, 1);
	struct instruction *wide = access_at(1, OP_LOAD, PTX_SPACE_SHARED, 4, 4);

	set_addresses(SHARED_SIZE - 128, 4);
	assert_int_equal(execute(store), STEP_NEXT);
	set_addresses(SHARED_SIZE - 124, 4);
	expect_text(store, FINDING_OUT_OF_BOUNDS, 31,
		    "a 4-byte store to shared memory at byte 8192, which ends 4 bytes past its end "
		    "(8192 bytes)");
	set_addresses(UINT64_C(0xfffffffc), 4);
	expect_text(store, FINDING_OUT_OF_BOUNDS, 0,
		    "a 4-byte store to shared memory at byte -4, before it begins (8192 bytes)");
	set_addresses(SHARED_SIZE - 512, 16);
	assert_int_equal(execute(wide), STEP_NEXT);
	set_row_lane(ROW_ADDRESS, 3, 8, SHARED_SIZE);
	expect_text(
		wide, FINDING_OUT_OF_BOUNDS, 3,
		"a 16-byte load from shared memory at byte 8192, which ends 16 bytes past its end "
		"(8192 bytes)");
	set_row_lane(ROW_ADDRESS, 2, 8, 8);
	expect_text(wide, FINDING_MISALIGNED, 2,
		    "a 16-byte load from shared memory at byte 8, which is not a multiple of 16");
	/* A block without shared memory. */
	fixture.launch.shared_bytes = 0;
	set_addresses(0, 0);
	expect_text(store, FINDING_OUT_OF_BOUNDS, 0,
		    "a 4-byte store to shared memory at byte 0, which ends 4 bytes past its end (0 "
		    "bytes)");
	fixture.launch.shared_bytes = SHARED_SIZE;
}
EACH_SET(bounds_and_alignment)

/* Addresses of shared memory have 32 bits, in rows of either width, and wrap there. */
static void body_narrow_addresses(void)
{
	struct instruction *load = access_at(0, OP_LOAD, PTX_SPACE_SHARED, 4, 1);

	for (uint32_t i = 0; i < SHARED_SIZE / 4; i++)
		memcpy(fixture.shared + 4 * i, &i, 4);
	load->narrow_address = true;
	load->offset = 32;
	for (int lane = 0; lane < LANES; lane++)
		set_row_lane(ROW_ADDRESS, lane, 4, (uint32_t)(4 * lane - 32));
	assert_int_equal(execute(load), STEP_NEXT);
	assert_int_equal(row_lane(ROW_DST, 0, 4), 0);
	assert_int_equal(row_lane(ROW_DST, 31, 4), 31);
	load->narrow_address = false;
	set_addresses(UINT64_C(0xabcd00000000) + (uint32_t)-32, 4);
	assert_int_equal(execute(load), STEP_NEXT);
	assert_int_equal(row_lane(ROW_DST, 31, 4), 31);
	load->a = 0;
	assert_int_equal(execute(load), STEP_NEXT);
	assert_int_equal(row_lane(ROW_DST, 31, 4), 8);
}
EACH_SET(narrow_addresses)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_stride_offset_and_mask),
		cmocka_unit_test(addresses_in_no_order),
		cmocka_unit_test(lanes_that_share),
		cmocka_unit_test(loads_of_pairs),
		cmocka_unit_test(wavefronts_of_strides),
		cmocka_unit_test(bounds_and_alignment),
		cmocka_unit_test(narrow_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
