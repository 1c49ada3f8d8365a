/* Atomics: every kind and type, their order, what they count, where they may not go. */
#include "memory_fixture.h"

#include "emulator/machine/memory/device_memory.h"

static struct instruction *atomic_at(enum ptx_space space, enum atomic_kind kind,
				     enum value_type type, unsigned width)
{
	struct instruction *at = access_at(0, OP_ATOMIC, space, width, 1);

	at->kind = (uint8_t)kind;
	at->type = (uint8_t)type;
	at->b = ROW_B;
	at->c = ROW_C;
	at->dst = ROW_DST;
	return at;
}

static void set_operands(unsigned width, uint64_t b, uint64_t c)
{
	for (int lane = 0; lane < LANES; lane++) {
		set_row_lane(ROW_B, lane, width, b);
		set_row_lane(ROW_C, lane, width, c);
	}
}

static uint64_t bits_of_f32(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint64_t bits_of_f64(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* One lane: old value, operands, what is there afterwards. */
static void body_kinds_and_types(void)
{
	static const struct {
		enum atomic_kind kind;
		enum value_type type;
		unsigned width;
		uint64_t old, b, c, becomes;
	} cases[] = {
		{ATOMIC_ADD, TYPE_u32, 4, 0xffffffff, 2, 0, 1},
		{ATOMIC_ADD, TYPE_s32, 4, 0x7fffffff, 1, 0, 0x80000000},
		{ATOMIC_ADD, TYPE_u64, 8, UINT64_MAX, 3, 0, 2},
		{ATOMIC_ADD, TYPE_s64, 8, 5, (uint64_t)-7, 0, (uint64_t)-2},
		{ATOMIC_MIN, TYPE_u32, 4, 0x80000000, 1, 0, 1},
		{ATOMIC_MIN, TYPE_s32, 4, 0x80000000, 1, 0, 0x80000000},
		{ATOMIC_MIN, TYPE_u64, 8, UINT64_MAX, 1, 0, 1},
		{ATOMIC_MIN, TYPE_s64, 8, UINT64_MAX, 1, 0, UINT64_MAX},
		{ATOMIC_MAX, TYPE_u32, 4, 0x80000000, 1, 0, 0x80000000},
		{ATOMIC_MAX, TYPE_s32, 4, 0x80000000, 1, 0, 1},
		{ATOMIC_MAX, TYPE_u64, 8, 1, UINT64_MAX, 0, UINT64_MAX},
		{ATOMIC_MAX, TYPE_s64, 8, 1, UINT64_MAX, 0, 1},
		{ATOMIC_AND, TYPE_b32, 4, 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
		{ATOMIC_OR, TYPE_b32, 4, 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
		{ATOMIC_XOR, TYPE_b32, 4, 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
		{ATOMIC_XOR, TYPE_b64, 8, UINT64_MAX, 1, 0, UINT64_MAX - 1},
		{ATOMIC_EXCH, TYPE_b32, 4, 7, 9, 0, 9},
		{ATOMIC_EXCH, TYPE_b64, 8, 7, UINT64_MAX, 0, UINT64_MAX},
		{ATOMIC_CAS, TYPE_b32, 4, 7, 7, 9, 9},
		{ATOMIC_CAS, TYPE_b32, 4, 7, 8, 9, 7},
		{ATOMIC_CAS, TYPE_b64, 8, UINT64_MAX, UINT64_MAX, 9, 9},
		{ATOMIC_CAS, TYPE_b64, 8, 0x100000007, 7, 9, 0x100000007},
		{ATOMIC_INC, TYPE_u32, 4, 4, 5, 0, 5},
		{ATOMIC_INC, TYPE_u32, 4, 5, 5, 0, 0},
		{ATOMIC_INC, TYPE_u32, 4, 6, 5, 0, 0},
		{ATOMIC_INC, TYPE_u32, 4, 0xffffffff, 0xffffffff, 0, 0},
		{ATOMIC_DEC, TYPE_u32, 4, 5, 5, 0, 4},
		{ATOMIC_DEC, TYPE_u32, 4, 6, 5, 0, 5},
		{ATOMIC_DEC, TYPE_u32, 4, 0, 5, 0, 5},
		{ATOMIC_CAS, TYPE_b16, 2, 7, 7, 9, 9},
		{ATOMIC_CAS, TYPE_b16, 2, 7, 8, 9, 7},
		/* 1 + 2 = 3; in pairs -1 + 1 = 0, and above it 2^-24 + 2^-24: no flushing */
		{ATOMIC_ADD_F16, TYPE_b16, 2, 0x3c00, 0x4000, 0, 0x4200},
		{ATOMIC_ADD_F16, TYPE_b32, 4, 0x0001bc00, 0x00013c00, 0, 0x00020000},
		{ATOMIC_ADD_BF16, TYPE_b16, 2, 0x3f80, 0x4000, 0, 0x4040},
		{ATOMIC_ADD_BF16, TYPE_b32, 4, 0x0001bf80, 0x00013f80, 0, 0x00020000},
	};
	static const enum ptx_space spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_SHARED,
						PTX_SPACE_GENERIC};
	uint64_t x = allocate(64, "x");
	unsigned char *data = device_memory_data(fixture.memory, x);

	fixture.warp->active = 0x10;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (size_t space = 0; space < ARRAY_SIZE(spaces); space++) {
			struct instruction *at = atomic_at(spaces[space], cases[i].kind,
							   cases[i].type, cases[i].width);
			unsigned char *place =
				spaces[space] == PTX_SPACE_SHARED ? fixture.shared + 8 : data + 8;
			uint64_t is = 0;

			set_addresses(spaces[space] == PTX_SPACE_SHARED ? 8 : x + 8, 0);
			set_operands(cases[i].width, cases[i].b, cases[i].c);
			memset(place, 0xee, 16);
			memcpy(place, &cases[i].old, cases[i].width);
			memset(fixture.file + ROW_DST, 0, 256);
			assert_int_equal(execute(at), STEP_NEXT);
			memcpy(&is, place, cases[i].width);
			assert_int_equal(is, cases[i].becomes);
			assert_int_equal(place[cases[i].width], 0xee);
			assert_int_equal(row_lane(ROW_DST, 4, cases[i].width), cases[i].old);
			assert_int_equal(row_lane(ROW_DST, 5, cases[i].width), 0);
		}
	}
}
EACH_SET(kinds_and_types)

static uint64_t added(enum ptx_space space, enum value_type type, uint64_t old, uint64_t b)
{
	unsigned width = type == TYPE_f64 ? 8 : 4;
	struct instruction *at = atomic_at(space, ATOMIC_ADD, type, width);
	uint64_t x = allocate(16, "x"), is = 0;
	unsigned char *place =
		space == PTX_SPACE_SHARED ? fixture.shared : device_memory_data(fixture.memory, x);

	set_addresses(space == PTX_SPACE_SHARED ? 0 : x, 0);
	set_operands(width, b, 0);
	memcpy(place, &old, width);
	fixture.warp->active = 1;
	assert_int_equal(execute(at), STEP_NEXT);
	memcpy(&is, place, width);
	device_memory_release(fixture.memory, x);
	return is;
}

static void body_sums_of_floating_point(void)
{
	const enum ptx_space global = PTX_SPACE_GLOBAL, shared = PTX_SPACE_SHARED;
	const uint64_t quiet = UINT64_C(0x7ff8000000000000);

	assert_int_equal(added(global, TYPE_f32, bits_of_f32(1.5f), bits_of_f32(-0.25f)),
			 bits_of_f32(1.25f));
	assert_int_equal(added(global, TYPE_f64, bits_of_f64(1e300), bits_of_f64(1)),
			 bits_of_f64(1e300));
	/* Subnormals: zero in global memory, themselves in shared. */
	assert_int_equal(added(global, TYPE_f32, 0, 1), 0);
	assert_int_equal(added(global, TYPE_f32, 0x80000001, 0x80000001), 0x80000000);
	assert_int_equal(added(global, TYPE_f32, 0x00800001, 0x80800000), 0);
	assert_int_equal(added(shared, TYPE_f32, 0, 1), 1);
	assert_int_equal(added(shared, TYPE_f32, 0x00800001, 0x80800000), 1);
	assert_int_equal(added(global, TYPE_f64, 0, 1), 1);
	/* NaN: one pattern in single precision, its own in double: in global memory as it is, and
	 * the operand's first; in shared quiet, and the memory's first. */
	assert_int_equal(added(global, TYPE_f32, 0x7f800000, 0xff800000), 0x7fffffff);
	assert_int_equal(added(shared, TYPE_f32, 0xffc01234, 0), 0x7fffffff);
	assert_int_equal(added(global, TYPE_f64, quiet | 5, quiet | 6), quiet | 6);
	assert_int_equal(added(global, TYPE_f64, quiet | 5, 0), quiet | 5);
	assert_int_equal(added(shared, TYPE_f64, quiet | 5, quiet | 6), quiet | 5);
	assert_int_equal(added(global, TYPE_f64, 0, UINT64_C(0x7ff0000000000001)),
			 UINT64_C(0x7ff0000000000001));
	assert_int_equal(added(shared, TYPE_f64, 0, UINT64_C(0x7ff0000000000001)), quiet | 1);
	assert_int_equal(
		added(global, TYPE_f64, UINT64_C(0x7ff0000000000000), UINT64_C(0xfff0000000000000)),
		UINT64_C(0xfff8000000000000));
}
EACH_SET(sums_of_floating_point)

/* Lanes take their turns in ascending order: a sum that depends on it, and old values. */
static void body_order_of_lanes(void)
{
	uint64_t x = allocate(16, "x");
	float *sum = device_memory_data(fixture.memory, x), expected = 0;
	struct instruction *at = atomic_at(PTX_SPACE_GLOBAL, ATOMIC_ADD, TYPE_f32, 4);

	set_addresses(x, 0);
	for (int lane = 0; lane < LANES; lane++) {
		float value = lane % 3 ? 1.0f : 1e8f * (lane % 2 ? 1.0f : -1.0f);

		set_row_lane(ROW_B, lane, 4, bits_of_f32(value));
	}
	assert_int_equal(execute(at), STEP_NEXT);
	for (int lane = 0; lane < LANES; lane++) {
		float value = lane % 3 ? 1.0f : 1e8f * (lane % 2 ? 1.0f : -1.0f);

		assert_int_equal(row_lane(ROW_DST, lane, 4), bits_of_f32(expected));
		expected += value;
	}
	assert_true(*sum == expected);
	assert_int_equal(counted(at)->serialised, 32);
	/* The result may lie where an operand was. */
	at->dst = ROW_B;
	*sum = 0;
	set_operands(4, bits_of_f32(1), 0);
	assert_int_equal(execute(at), STEP_NEXT);
	assert_int_equal(row_lane(ROW_B, 31, 4), bits_of_f32(31));
	/* Nobody wants the result. */
	at->dst = 0;
	assert_int_equal(execute(at), STEP_NEXT);
}
EACH_SET(order_of_lanes)

static void body_counts(void)
{
	uint64_t x = allocate(65536, "x"), y = allocate(64, "y");
	struct instruction *at = atomic_at(PTX_SPACE_GLOBAL, ATOMIC_ADD, TYPE_u32, 4);
	struct touched_bytes touched;

	set_operands(4, 1, 0);
	/* Four lanes an address, eight addresses, each in a sector of its own. */
	for (int lane = 0; lane < LANES; lane++)
		set_row_lane(ROW_ADDRESS, lane, 8, x + 2048 * (uint64_t)(lane % 8));
	assert_int_equal(execute(at), STEP_NEXT);
	assert_int_equal(counted(at)->requests, 1);
	assert_int_equal(counted(at)->sectors, 8);
	assert_int_equal(counted(at)->serialised, 4);
	touched = device_memory_touched(fixture.memory);
	assert_int_equal(touched.read, 256);
	assert_int_equal(touched.written, 256);
	/* All different; then a queue among some. */
	memset(&fixture.counts[0], 0, sizeof(fixture.counts[0]));
	set_addresses(x, 4);
	assert_int_equal(execute(at), STEP_NEXT);
	assert_int_equal(counted(at)->serialised, 1);
	assert_int_equal(counted(at)->sectors, 4);
	set_row_lane(ROW_ADDRESS, 30, 8, x + 8);
	set_row_lane(ROW_ADDRESS, 31, 8, x + 8);
	assert_int_equal(execute(at), STEP_NEXT);
	assert_int_equal(counted(at)->serialised, 1 + 3);
	/* Two allocations in one request. */
	memset(&fixture.counts[0], 0, sizeof(fixture.counts[0]));
	for (int lane = 0; lane < LANES; lane++)
		set_row_lane(ROW_ADDRESS, lane, 8, lane % 2 ? x : y);
	fixture.warp->active = 0x7fffffff;
	assert_int_equal(execute(at), STEP_NEXT);
	assert_int_equal(counted(at)->serialised, 16);
	assert_int_equal(counted(at)->sectors, 2);
	assert_int_equal(*(uint32_t *)device_memory_data(fixture.memory, y), 16);
	/* Nobody there. */
	memset(&fixture.counts[0], 0, sizeof(fixture.counts[0]));
	fixture.warp->active = 0;
	assert_int_equal(execute(at), STEP_NEXT);
	assert_int_equal(counted(at)->requests, 0);
}
EACH_SET(counts)

static void body_what_is_wrong(void)
{
	uint64_t x = allocate(64, "x");
	struct instruction *at = atomic_at(PTX_SPACE_GENERIC, ATOMIC_ADD, TYPE_u64, 8);

	set_operands(8, 1, 0);
	set_addresses(x, 8);
	expect_finding(at, FINDING_OUT_OF_BOUNDS, 8, "an 8-byte atomic on 0x40");
	expect_finding(at, FINDING_OUT_OF_BOUNDS, 8, "8 bytes past the end of 'x' (64 bytes)");
	set_addresses(x + 4, 0);
	expect_finding(at, FINDING_MISALIGNED, 0, "not a multiple of 8");
	set_addresses(SHARED_WINDOW + SHARED_SIZE, 0);
	expect_finding(at, FINDING_OUT_OF_BOUNDS, 0, "shared memory at byte 8192");
	set_addresses(x, 0);
	set_row_lane(ROW_ADDRESS, 6, 8, LOCAL_WINDOW + 8);
	expect_finding(at, FINDING_UNSUPPORTED, 6, "an atomic on local memory");
}
EACH_SET(what_is_wrong)

/* Generic addresses may mean both at once. */
static void body_two_spaces_at_once(void)
{
	uint64_t x = allocate(64, "x");
	struct instruction *at = atomic_at(PTX_SPACE_GENERIC, ATOMIC_ADD, TYPE_u32, 4);
	uint32_t in_shared;

	set_operands(4, 2, 0);
	for (int lane = 0; lane < LANES; lane++)
		set_row_lane(ROW_ADDRESS, lane, 8, lane < 10 ? x : SHARED_WINDOW + 16);
	assert_int_equal(execute(at), STEP_NEXT);
	memcpy(&in_shared, fixture.shared + 16, 4);
	assert_int_equal(*(uint32_t *)device_memory_data(fixture.memory, x), 20);
	assert_int_equal(in_shared, 44);
	assert_int_equal(row_lane(ROW_DST, 9, 4), 18);
	assert_int_equal(row_lane(ROW_DST, 31, 4), 42);
	assert_int_equal(counted(at)->requests, 1);
	assert_int_equal(counted(at)->shared_requests, 1);
	assert_int_equal(counted(at)->sectors, 1);
	assert_int_equal(counted(at)->serialised, 22);
	/* All in shared memory. */
	set_addresses(SHARED_WINDOW, 4);
	assert_int_equal(execute(at), STEP_NEXT);
	assert_int_equal(counted(at)->requests, 1);
	assert_int_equal(counted(at)->shared_requests, 2);
}
EACH_SET(two_spaces_at_once)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_and_types), cmocka_unit_test(sums_of_floating_point),
		cmocka_unit_test(order_of_lanes),  cmocka_unit_test(counts),
		cmocka_unit_test(what_is_wrong),   cmocka_unit_test(two_spaces_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
