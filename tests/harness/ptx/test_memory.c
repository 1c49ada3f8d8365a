/* Memory of the emulated device, and loads and stores of global and generic addresses. */
#include "memory_fixture.h"

#include "harness/ptx/machine/memory.h"

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
			assert_true(here >= previous_end + DEVICE_GUARD_BYTES);
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

/* ---- what is wrong ---- */

static void expect_finding(const struct instruction *at, enum finding_kind kind, int lane,
			   const char *words)
{
	int before = fixture.found;

	assert_int_equal(execute(at), STEP_STOPPED);
	assert_int_equal(fixture.found, before + 1);
	assert_int_equal(fixture.kind, kind);
	assert_int_equal(fixture.lane, lane);
	if (!strstr(fixture.text, words))
		fail_msg("'%s' has no '%s'", fixture.text, words);
}

static void body_bounds(void)
{
	uint64_t x = allocate(4096, "x"), out = allocate(1000, "out");
	struct instruction *load = access_at(0, OP_LOAD, PTX_SPACE_GLOBAL, 4, 1);
	struct instruction *store = access_at(1, OP_STORE, PTX_SPACE_GLOBAL, 4, 1);
	struct instruction *wide = access_at(2, OP_STORE, PTX_SPACE_GLOBAL, 4, 4);
	struct instruction *eight = access_at(3, OP_LOAD, PTX_SPACE_GLOBAL, 8, 1);
	char text[64];

	/* Both ends fit to the byte. */
	set_addresses(x, 4);
	assert_int_equal(execute(load), STEP_NEXT);
	set_addresses(x + 4096 - 128, 4);
	assert_int_equal(execute(load), STEP_NEXT);
	assert_int_equal(execute(store), STEP_NEXT);
	/* One element beyond. */
	set_addresses(x + 4096 - 124, 4);
	expect_finding(store, FINDING_OUT_OF_BOUNDS, 31, "a 4-byte store to 0x7f");
	expect_finding(store, FINDING_OUT_OF_BOUNDS, 31,
		       "4 bytes past the end of 'x' (4096 bytes)");
	set_addresses(x - 4, 4);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 0, "a 4-byte load from 0x7e");
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 0, "4 bytes before 'x' (4096 bytes)");
	/* The lanes that do not run may point anywhere. */
	fixture.warp->active = ~UINT32_C(1);
	assert_int_equal(execute(load), STEP_NEXT);
	fixture.warp->active = ALL_LANES;
	/* The lowest lane of several. */
	set_addresses(x, 4);
	set_row_lane(ROW_ADDRESS, 7, 8, out + 1000);
	set_row_lane(ROW_ADDRESS, 20, 8, 0);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 7, "4 bytes past the end of 'out'");
	fixture.warp->active = ~(UINT32_C(1) << 7);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 20, "null pointer");
	/* Partly inside. */
	fixture.warp->active = 1;
	set_addresses(out + 992, 0);
	expect_finding(wide, FINDING_OUT_OF_BOUNDS, 0, "a 16-byte store");
	expect_finding(wide, FINDING_OUT_OF_BOUNDS, 0,
		       "8 bytes past the end of 'out' (1000 bytes)");
	assert_int_equal(execute(eight), STEP_NEXT);
	set_addresses(out + 1000, 0);
	expect_finding(eight, FINDING_OUT_OF_BOUNDS, 0, "an 8-byte load");
	/* At the ends of all addresses. */
	set_addresses(UINT64_MAX - 3, 0);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 0, "far from every allocation");
	set_addresses(UINT64_MAX - 15, 0);
	expect_finding(wide, FINDING_OUT_OF_BOUNDS, 0, "far from every allocation");
	fixture.warp->active = ALL_LANES;
	set_addresses(UINT64_MAX - 63, 4);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 0, "far from every allocation");
	set_addresses(x - (UINT64_C(1) << 63), 4);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 0, "far from every allocation");
	/* Nothing that was stopped has counted or moved. */
	assert_int_equal(counted(wide)->sectors, 0);
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)out + 1000);
	set_addresses(out + 1000, 0);
	expect_finding(store, FINDING_OUT_OF_BOUNDS, 0, text);
}
EACH_SET(bounds)

static void body_nothing_is_allocated(void)
{
	struct instruction *load = access_at(0, OP_LOAD, PTX_SPACE_GLOBAL, 4, 1);
	uint64_t empty;

	set_addresses(UINT64_C(0x7f0000000000), 4);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 0, "far from every allocation");
	empty = allocate(0, "empty");
	set_addresses(empty, 4);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 0, "4 bytes past the end of 'empty' (0 bytes)");
	allocate(2, "tiny");
	set_addresses(empty + 4096 + 512 - 512, 0);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 0, "2 bytes past the end of 'tiny' (2 bytes)");
}
EACH_SET(nothing_is_allocated)

static void body_misaligned(void)
{
	static const unsigned widths[] = {2, 4, 8};
	uint64_t x = allocate(4096, "x");

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		struct instruction *load = access_at(0, OP_LOAD, PTX_SPACE_GLOBAL, widths[i], 1);

		set_addresses(x, widths[i]);
		set_row_lane(ROW_ADDRESS, 5, 8, x + widths[i] / 2);
		set_row_lane(ROW_ADDRESS, 9, 8, 1);
		expect_finding(load, FINDING_MISALIGNED, 5, "no multiple of");
		set_addresses(x + 1, widths[i]);
		expect_finding(load, FINDING_MISALIGNED, 0, "no multiple of");
	}
	/* A vector wants the alignment of all its bytes. */
	set_addresses(x + 8, 16);
	expect_finding(access_at(0, OP_STORE, PTX_SPACE_GLOBAL, 4, 4), FINDING_MISALIGNED, 0,
		       "no multiple of 16");
}
EACH_SET(misaligned)

/* ---- where addresses come from ---- */

static void body_address_arithmetic(void)
{
	uint64_t x = allocate(4096, "x");
	uint32_t *data = device_memory_data(fixture.memory, x);
	struct instruction *at = access_at(0, OP_LOAD, PTX_SPACE_GLOBAL, 4, 1);

	for (uint32_t i = 0; i < 1024; i++)
		data[i] = i;
	/* Row and offset wrap at 64 bits. */
	at->offset = (int64_t)(x + 64);
	set_addresses(UINT64_MAX - 63, 4);
	assert_int_equal(execute(at), STEP_NEXT);
	for (int lane = 0; lane < LANES; lane++)
		assert_int_equal(row_lane(ROW_DST, lane, 4), lane);
	at->offset = -64;
	set_addresses(x + 64 + 128, 4);
	assert_int_equal(execute(at), STEP_NEXT);
	assert_int_equal(row_lane(ROW_DST, 0, 4), 32);
	/* No row: the offset alone. */
	at->a = 0;
	at->offset = (int64_t)x + 12;
	assert_int_equal(execute(at), STEP_NEXT);
	assert_int_equal(row_lane(ROW_DST, 31, 4), 3);
	/* The result may lie where the address was. */
	at->a = ROW_ADDRESS;
	at->offset = 0;
	at->rows[0] = ROW_ADDRESS;
	for (int lane = 0; lane < LANES; lane++)
		set_row_lane(ROW_ADDRESS, lane, 8, x + 4 * (uint64_t)(lane * 7 % 32));
	assert_int_equal(execute(at), STEP_NEXT);
	for (int lane = 0; lane < LANES; lane++)
		assert_int_equal(row_lane(ROW_ADDRESS, lane, 4), lane * 7 % 32);
}
EACH_SET(address_arithmetic)

static void body_two_allocations_at_once(void)
{
	uint64_t x = allocate(256, "x"), y = allocate(256, "y");
	struct instruction *store = access_at(0, OP_STORE, PTX_SPACE_GLOBAL, 4, 1);
	uint32_t *in_x = device_memory_data(fixture.memory, x);
	uint32_t *in_y = device_memory_data(fixture.memory, y);

	for (int lane = 0; lane < LANES; lane++) {
		set_row_lane(ROW_ADDRESS, lane, 8, (lane % 2 ? y : x) + 4 * (uint64_t)lane);
		set_row_lane(ROW_DST, lane, 4, 100 + (uint64_t)lane);
	}
	assert_int_equal(execute(store), STEP_NEXT);
	for (int lane = 0; lane < LANES; lane++) {
		assert_int_equal(in_x[lane], lane % 2 ? 0 : 100 + lane);
		assert_int_equal(in_y[lane], lane % 2 ? 100 + lane : 0);
	}
	assert_int_equal(counted(store)->sectors, 8);
	assert_int_equal(counted(store)->requests, 1);
	assert_int_equal(counted(store)->bytes, 128);
}
EACH_SET(two_allocations_at_once)

static void body_generic_addresses(void)
{
	uint64_t x = allocate(4096, "x");
	uint32_t *data = device_memory_data(fixture.memory, x);
	struct instruction *load = access_at(0, OP_LOAD, PTX_SPACE_GENERIC, 4, 1);
	struct instruction *store = access_at(1, OP_STORE, PTX_SPACE_GENERIC, 4, 1);

	/* A third of the lanes each: global, shared, local. */
	for (int lane = 0; lane < LANES; lane++) {
		uint64_t word = 4 * (uint64_t)(lane % 16);

		set_row_lane(ROW_ADDRESS, lane, 8,
			     word + (lane % 3 == 0   ? x
				     : lane % 3 == 1 ? SHARED_WINDOW
						     : LOCAL_WINDOW));
		set_row_lane(ROW_DST, lane, 4, 1000 + (uint64_t)lane);
	}
	assert_int_equal(execute(store), STEP_NEXT);
	assert_int_equal(data[3], 1003);
	assert_int_equal(data[15], 1015);
	assert_int_equal(fixture.shared[4 * 12] | fixture.shared[4 * 12 + 1] << 8, 1028);
	assert_int_equal(fixture.local[2 * LOCAL_SIZE + 8], 1002 % 256);
	memset(fixture.file + ROW_DST, 0, 256);
	assert_int_equal(execute(load), STEP_NEXT);
	for (int lane = 0; lane < LANES; lane++) {
		/* Lanes 16 apart are in different spaces, so nobody overwrote anybody. */
		assert_int_equal(row_lane(ROW_DST, lane, 4), 1000 + lane);
	}
	assert_int_equal(counted(load)->requests, 1);
	assert_int_equal(counted(load)->shared_requests, 1);
	/* Of global memory: 11 lanes, none at the place of another. */
	assert_int_equal(counted(load)->bytes, 44);
	assert_int_equal(counted(load)->sectors, 2);
	assert_int_equal(counted(load)->wavefronts, 1);
	assert_int_equal(counted(load)->local_requests, 1);
	/* All in one. */
	set_addresses(x, 4);
	assert_int_equal(execute(load), STEP_NEXT);
	assert_int_equal(counted(load)->requests, 2);
	assert_int_equal(counted(load)->shared_requests, 1);
	set_addresses(SHARED_WINDOW, 4);
	assert_int_equal(execute(load), STEP_NEXT);
	assert_int_equal(counted(load)->requests, 2);
	assert_int_equal(counted(load)->shared_requests, 2);
	assert_int_equal(counted(load)->local_requests, 1);
	set_addresses(SHARED_WINDOW + SHARED_SIZE - 124, 4);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 31,
		       "shared memory at byte 8192, 4 bytes past its end (8192 bytes)");
	set_addresses(LOCAL_WINDOW + LOCAL_SIZE, 0);
	expect_finding(store, FINDING_OUT_OF_BOUNDS, 0,
		       "local memory at byte 64, 4 bytes past its end (64 bytes)");
	set_addresses(SHARED_WINDOW - 4, 0);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 0, "far from every allocation");
}
EACH_SET(generic_addresses)

static void body_local_memory(void)
{
	struct instruction *store = access_at(0, OP_STORE, PTX_SPACE_LOCAL, 8, 1);
	struct instruction *load = access_at(1, OP_LOAD, PTX_SPACE_PARAM, 4, 2);

	set_addresses(16, 0);
	for (int lane = 0; lane < LANES; lane++)
		set_row_lane(ROW_DST, lane, 8, UINT64_C(0x0000000500000000) + (uint64_t)lane);
	fixture.warp->active = 0xfffffff7;
	assert_int_equal(execute(store), STEP_NEXT);
	memset(fixture.file + ROW_DST, 0xff, 512);
	fixture.warp->active = 0xffffff0f;
	assert_int_equal(execute(load), STEP_NEXT);
	for (int lane = 0; lane < LANES; lane++) {
		bool runs = lane < 4 || lane > 7;
		/* Lane 3 stored nothing: local memory begins as zeroes here. */
		uint32_t low = lane == 3 ? 0 : (uint32_t)lane, high = lane == 3 ? 0 : 5;

		assert_int_equal(row_lane(ROW_DST, lane, 4), runs ? low : UINT32_MAX);
		assert_int_equal(row_lane(ROW_DST + 256, lane, 4), runs ? high : UINT32_MAX);
	}
	assert_int_equal(counted(store)->requests, 1);
	/* Parameters are registers on the hardware. */
	assert_int_equal(counted(load)->requests, 0);
	set_addresses(LOCAL_SIZE - 4, 0);
	expect_finding(store, FINDING_MISALIGNED, 0, "local memory at byte 60");
	set_addresses((uint64_t)-8, 0);
	expect_finding(store, FINDING_OUT_OF_BOUNDS, 0, "byte -8, before it begins");
}
EACH_SET(local_memory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_depend_on_the_calls_alone),
		cmocka_unit_test(too_much_memory_is_an_error),
		cmocka_unit_test(every_shape_stride_offset_and_mask),
		cmocka_unit_test(addresses_in_no_order),
		cmocka_unit_test(sectors_of_strides),
		cmocka_unit_test(touched_bytes),
		cmocka_unit_test(touched_runs),
		cmocka_unit_test(bounds),
		cmocka_unit_test(nothing_is_allocated),
		cmocka_unit_test(misaligned),
		cmocka_unit_test(address_arithmetic),
		cmocka_unit_test(two_allocations_at_once),
		cmocka_unit_test(generic_addresses),
		cmocka_unit_test(local_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
