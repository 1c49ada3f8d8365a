/* What the lanes of a warp do together: shuffles, votes and their like; and missing lanes. */
#include "support_machine.h"

#include <string.h>

static struct machine_result run_found(const char *ptx, int64_t threads)
{
	return machine_run(&(struct machine_case){.ptx = ptx, .block = {threads}});
}

static struct machine_result run(const char *ptx, int64_t threads)
{
	struct machine_result result = run_found(ptx, threads);

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

#define STORE "st.global.u32 [%rd3], %r4;\nret;\n"
#define SHARED_SLOT                                                 \
	".shared .align 4 .b8 slots[4096];\nmov.u32 %r20, slots;\n" \
	"shl.b32 %r21, %r1, 2;\nadd.u32 %r21, %r20, %r21;\n"

/* ---- shuffles and their like ---- */

/* The value of lane t is 100 + t; `expected` has where lane t's comes from, 100 more when p. */
static void assert_shuffle(const char *ptx, uint32_t (*from)(uint32_t lane),
			   bool (*inside)(uint32_t lane))
{
	struct machine_result result = run(ptx, 32);

	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], 100 + from(t) + (inside(t) ? 1000 : 0));
	machine_release(&result);
}

#define SHUFFLE_KERNEL(instruction)                           \
	MACHINE_KERNEL("add.u32 %r5, %r1, 100;\n" instruction \
		       "@%p1 add.u32 %r4, %r4, 1000;\n" STORE)

static uint32_t from_up(uint32_t lane)
{
	return lane >= 3 ? lane - 3 : lane;
}
static bool inside_up(uint32_t lane)
{
	return lane >= 3;
}
static uint32_t from_down_in_8(uint32_t lane)
{
	return lane % 8 < 6 ? lane + 2 : lane;
}
static bool inside_down_in_8(uint32_t lane)
{
	return lane % 8 < 6;
}
static uint32_t from_butterfly(uint32_t lane)
{
	return lane ^ 5;
}
static bool always(uint32_t lane)
{
	(void)lane;
	return true;
}
static uint32_t from_index_in_16(uint32_t lane)
{
	return lane / 16 * 16 + (lane + 1) % 16;
}
/* Clamped at 20: what lies above is not there. */
static uint32_t from_clamped(uint32_t lane)
{
	return lane + 4 <= 20 ? lane + 4 : lane;
}
static bool inside_clamped(uint32_t lane)
{
	return lane + 4 <= 20;
}
static uint32_t from_up_in_4(uint32_t lane)
{
	return lane % 4 ? lane - 1 : lane;
}
static bool inside_up_in_4(uint32_t lane)
{
	return lane % 4;
}

static void shuffles_move_values_within_segments(void **state)
{
	(void)state;
	assert_shuffle(SHUFFLE_KERNEL("shfl.sync.up.b32 %r4|%p1, %r5, 3, 0, -1;\n"), from_up,
		       inside_up);
	assert_shuffle(SHUFFLE_KERNEL("shfl.sync.up.b32 %r4|%p1, %r5, 1, 7168, -1;\n"),
		       from_up_in_4, inside_up_in_4);
	assert_shuffle(SHUFFLE_KERNEL("shfl.sync.down.b32 %r4|%p1, %r5, 2, 6175, -1;\n"),
		       from_down_in_8, inside_down_in_8);
	assert_shuffle(SHUFFLE_KERNEL("shfl.sync.down.b32 %r4|%p1, %r5, 4, 20, -1;\n"),
		       from_clamped, inside_clamped);
	assert_shuffle(SHUFFLE_KERNEL("shfl.sync.bfly.b32 %r4|%p1, %r5, 5, 31, -1;\n"),
		       from_butterfly, always);
	assert_shuffle(SHUFFLE_KERNEL("add.u32 %r6, %r1, 1;\n"
				      "shfl.sync.idx.b32 %r4|%p1, %r5, %r6, 4127, -1;\n"),
		       from_index_in_16, always);
	/* The result may lie where the value did. */
	assert_shuffle(SHUFFLE_KERNEL("mov.u32 %r4, %r5;\n"
				      "shfl.sync.bfly.b32 %r4|%p1, %r4, 5, 31, -1;\n"),
		       from_butterfly, always);
}

static void votes_see_every_lane(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("setp.lt.u32 %p1, %r1, 4;\nsetp.lt.u32 %p2, %r1, 99;\n"
				   "vote.sync.ballot.b32 %r4, %p1, -1;\n"
				   "vote.sync.all.pred %p3, %p1, -1;\n"
				   "vote.sync.any.pred %p4, %p1, -1;\n"
				   "vote.sync.uni.pred %p5, %p1, -1;\n"
				   "vote.sync.all.pred %p6, %p2, -1;\n"
				   "vote.sync.uni.pred %p7, !%p2, -1;\n"
				   "@%p3 add.u32 %r4, %r4, 100;\n@%p4 add.u32 %r4, %r4, 200;\n"
				   "@%p5 add.u32 %r4, %r4, 400;\n@%p6 add.u32 %r4, %r4, 800;\n"
				   "@%p7 add.u32 %r4, %r4, 1600;\n" STORE),
		    32);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], 15 + 200 + 800 + 1600);
	machine_release(&result);
}

static void matches_find_lanes_with_the_same_value(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("shr.u32 %r5, %r1, 3;\nmatch.any.sync.b32 %r4, %r5, -1;\n"
				   "cvt.u64.u32 %rd5, %r5;\nshl.b64 %rd5, %rd5, 40;\n"
				   "match.any.sync.b64 %r6, %rd5, -1;\n"
				   "match.all.sync.b32 %r7|%p1, %r5, -1;\n"
				   "match.all.sync.b32 %r8|%p2, %r2, -1;\n"
				   "xor.b32 %r6, %r6, %r4;\nor.b32 %r7, %r7, %r6;\n"
				   "not.b32 %r8, %r8;\nor.b32 %r7, %r7, %r8;\n"
				   "add.u32 %r4, %r4, %r7;\n@%p1 mov.u32 %r4, 1;\n"
				   "@!%p2 mov.u32 %r4, 2;\n" STORE),
		    32);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], UINT32_C(0xff) << t / 8 * 8);
	machine_release(&result);
}

/* Groups of match.any, each with its own mask in one instruction. */
static void one_instruction_may_have_several_groups(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("and.b32 %r5, %r1, 3;\nmatch.any.sync.b32 %r6, %r5, -1;\n"
				   "redux.sync.add.u32 %r4, %r1, %r6;\n"
				   "redux.sync.min.s32 %r7, %r1, %r6;\n"
				   "shl.b32 %r7, %r7, 16;\nor.b32 %r4, %r4, %r7;\n" STORE),
		    32);

	(void)state;
	for (uint32_t t = 0; t < 32; t++) {
		uint32_t sum = 0;

		for (uint32_t other = t % 4; other < 32; other += 4)
			sum += other;
		assert_int_equal(result.out[t], sum | t % 4 << 16);
	}
	machine_release(&result);
}

static void reductions_know_signs(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("sub.u32 %r5, %r1, 8;\nredux.sync.min.s32 %r6, %r5, -1;\n"
				   "redux.sync.min.u32 %r7, %r5, -1;\n"
				   "redux.sync.max.s32 %r8, %r5, -1;\n"
				   "redux.sync.max.u32 %r9, %r5, -1;\n"
				   "redux.sync.xor.b32 %r10, %r1, -1;\n"
				   "redux.sync.or.b32 %r11, %r1, -1;\n"
				   "redux.sync.and.b32 %r12, %r1, -1;\n"
				   "add.u32 %r4, %r6, 1000;\nadd.u32 %r4, %r4, %r7;\n"
				   "mad.lo.u32 %r4, %r8, 10000, %r4;\nadd.u32 %r4, %r4, %r9;\n"
				   "add.u32 %r4, %r4, %r10;\nmad.lo.u32 %r4, %r11, 1000000, %r4;\n"
				   "add.u32 %r4, %r4, %r12;\n" STORE),
		    32);

	(void)state;
	assert_int_equal(result.out[9], 1000 - 8 + 0 + 23 * 10000 - 1 + 0 + 31 * 1000000 + 0);
	machine_release(&result);
}

static void one_lane_is_elected(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("mov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r1, 6;\n@%p1 bra END;\n"
				   "elect.sync %r4|%p2, 0xffffffc0;\n"
				   "@%p2 add.u32 %r4, %r4, 100;\nactivemask.b32 %r5;\n"
				   "and.b32 %r5, %r5, 64;\nadd.u32 %r4, %r4, %r5;\nEND:\n" STORE),
		    32);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], t < 6 ? 0 : t == 6 ? 170 : 70);
	machine_release(&result);
}

/* ---- lanes that are missing ---- */

/* The named lanes come later, by way of other code: they are waited for. */
static void named_lanes_are_waited_for(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("mov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r1, 16;\n@!%p1 bra HIGH;\n"
				   "LOW:\nshfl.sync.bfly.b32 %r4, %r1, 16, 31, -1;\nbra JOIN;\n"
				   "HIGH:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 50;\n"
				   "@%p2 bra HIGH;\nbra LOW;\nJOIN:\n" STORE),
		    32);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], t ^ 16);
	/* Once, and all lanes together. */
	assert_int_equal(result.counts.warp_instructions,
			 MACHINE_PROLOGUE + 3 + 150 + 1 + 1 + 1 + 2);
	assert_int_equal(result.counts.lane_instructions,
			 32 * (MACHINE_PROLOGUE + 2) + 32 /* whether to HIGH */ + 2 * 16 * 50 +
				 16 * 50 /* whether back */ + 16 + 32 + 32 + 64);
	machine_release(&result);
}

/* PTX lets lanes of one shuffle, or barrier of a warp, be at different places. */
static void lanes_may_meet_at_different_places(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra HIGH;\n"
				   "add.u32 %r5, %r1, 50;\n"
				   "shfl.sync.bfly.b32 %r4|%p2, %r5, 16, 31, -1;\n"
				   "bar.warp.sync -1;\nbra JOIN;\n"
				   "HIGH:\nadd.u32 %r6, %r1, 70;\n"
				   "shfl.sync.bfly.b32 %r7|%p3, %r6, 16, 31, -1;\n"
				   "bar.warp.sync -1;\nmov.u32 %r4, %r7;\n"
				   "@!%p3 mov.u32 %r4, 0;\nJOIN:\n" STORE),
		    32);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], t < 16 ? t + 16 + 70 : t - 16 + 50);
	assert_int_equal(result.counts.warp_instructions, MACHINE_PROLOGUE + 2 + 4 + 5 + 2);
	machine_release(&result);
}

static void warp_barriers_order_parted_lanes(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL(SHARED_SLOT
				   "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra NEXT;\n"
				   "st.shared.u32 [%r21], %r1;\nNEXT:\nbar.warp.sync -1;\n"
				   "xor.b32 %r5, %r1, 16;\nshl.b32 %r5, %r5, 2;\n"
				   "add.u32 %r5, %r20, %r5;\nld.shared.u32 %r4, [%r5];\n" STORE),
		    32);

	(void)state;
	for (uint32_t t = 0; t < 16; t++)
		assert_int_equal(result.out[t], t + 16);
	machine_release(&result);
}

static void ended_lanes_need_not_come(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("setp.ge.u32 %p1, %r1, 20;\n@%p1 bra END;\n"
				   "shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;\n"
				   "st.global.u32 [%rd3], %r4;\nEND:\nret;\n"),
		    40);

	(void)state;
	for (uint32_t t = 0; t < 40; t++)
		assert_int_equal(result.out[t], t < 20 ? t ^ 1 : 0);
	machine_release(&result);
}

static void absent_lanes_are_found(void **state)
{
	static const struct {
		const char *ptx, *at, *words;
		uint32_t out; /* of lane 3 */
	} kernels[] = {
		/* Half of the lanes go past it and end. The others go on, as on an H200. */
		{MACHINE_KERNEL("mov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r1, 16;\n@!%p1 bra NEXT;\n"
				"shfl.sync.bfly.b32 %r4, %r1, 8, 31, -1;\nNEXT:\n"
				"add.u32 %r4, %r4, 1;\n" STORE),
		 "shfl", "lanes 0xffff0000, which went past it", 12},
		{MACHINE_KERNEL("mov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r1, 16;\n@!%p1 bra NEXT;\n"
				"vote.sync.ballot.b32 %r4, %p1, -1;\nNEXT:\n" STORE),
		 "vote", "lanes 0xffff0000, which went past it", 0xffff},
		/* A lane that is not in its own mask takes part. */
		{MACHINE_KERNEL("shfl.sync.bfly.b32 %r4, %r1, 8, 31, 0xff;\n"
				"setp.gt.u32 %p1, %r1, 11;\n@%p1 mov.u32 %r4, 0;\n"
				"setp.lt.u32 %p1, %r1, 8;\n@%p1 mov.u32 %r4, %r1;\n" STORE),
		 "shfl", "does not name the lane", 3},
		{MACHINE_KERNEL("redux.sync.add.u32 %r4, %r1, 0xfffffff7;\n" STORE), "redux",
		 "thread (3,0,0)", 31 * 16},
		{MACHINE_KERNEL("mov.u32 %r5, 0;\nredux.sync.add.u32 %r4, %r1, %r5;\n" STORE),
		 "redux", "the mask 0x00000000 does not name", 31 * 16},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct machine_result result = run_found(kernels[i].ptx, 32);

		assert_true(result.findings.count > 0);
		result.findings.count = i == 2 ? 1 : result.findings.count;
		assert_finding(&result, FINDING_ABSENT_LANES,
			       line_with(kernels[i].ptx, kernels[i].at), kernels[i].words);
		assert_int_equal(result.out[3], kernels[i].out);
		machine_release(&result);
	}
}

/* These hang on an H200. */
static void lanes_that_wait_for_each_other_are_found(void **state)
{
	static const struct {
		const char *ptx, *at, *words;
	} kernels[] = {
		{MACHINE_KERNEL("mov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r1, 16;\n@!%p1 bra NEXT;\n"
				"vote.sync.any.pred %p2, %p1, -1;\nNEXT:\nbar.sync 0;\n" STORE),
		 "vote", "which wait elsewhere"},
		{MACHINE_KERNEL("mov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r1, 16;\n@!%p1 bra NEXT;\n"
				"bar.warp.sync 0x1ffff;\nNEXT:\nbar.warp.sync -1;\n" STORE),
		 "bar.warp.sync 0x1ffff", "lanes 0x00010000, which wait elsewhere"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct machine_result result = run_found(kernels[i].ptx, 32);

		assert_finding(&result, FINDING_DEADLOCK, line_with(kernels[i].ptx, kernels[i].at),
			       kernels[i].words);
		machine_release(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shuffles_move_values_within_segments),
		cmocka_unit_test(votes_see_every_lane),
		cmocka_unit_test(matches_find_lanes_with_the_same_value),
		cmocka_unit_test(one_instruction_may_have_several_groups),
		cmocka_unit_test(reductions_know_signs),
		cmocka_unit_test(one_lane_is_elected),
		cmocka_unit_test(named_lanes_are_waited_for),
		cmocka_unit_test(lanes_may_meet_at_different_places),
		cmocka_unit_test(warp_barriers_order_parted_lanes),
		cmocka_unit_test(ended_lanes_need_not_come),
		cmocka_unit_test(absent_lanes_are_found),
		cmocka_unit_test(lanes_that_wait_for_each_other_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
