/*
 * Addresses of loads and stores: those that are refused, how they come about,
 * and which memory a generic or local one means.
 */
#include "memory_fixture.h"

#include "emulator/machine/memory/device_memory.h"

/* ---- what is wrong ---- */

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
	expect_finding(store, FINDING_OUT_OF_BOUNDS, 31, "a 4-byte store to 0x40");
	expect_finding(store, FINDING_OUT_OF_BOUNDS, 31,
		       "4 bytes past the end of 'x' (4096 bytes)");
	set_addresses(x - 4, 4);
	expect_finding(load, FINDING_OUT_OF_BOUNDS, 0, "a 4-byte load from 0x3f");
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
	set_addresses(allocate(2, "tiny"), 0);
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
		expect_finding(load, FINDING_MISALIGNED, 5, "not a multiple of");
		set_addresses(x + 1, widths[i]);
		expect_finding(load, FINDING_MISALIGNED, 0, "not a multiple of");
	}
	/* A vector wants the alignment of all its bytes. */
	set_addresses(x + 8, 16);
	expect_finding(access_at(0, OP_STORE, PTX_SPACE_GLOBAL, 4, 4), FINDING_MISALIGNED, 0,
		       "not a multiple of 16");
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
	/* Global memory: 11 lanes, none at the place of another. */
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
		       "shared memory at byte 8192, which ends 4 bytes past its end (8192 bytes)");
	set_addresses(LOCAL_WINDOW + LOCAL_SIZE, 0);
	expect_finding(store, FINDING_OUT_OF_BOUNDS, 0,
		       "local memory at byte 64, which ends 4 bytes past its end (64 bytes)");
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
