/*
 * Loads that race, or read bytes that nobody has written: no finding if nothing uses the value, and
 * a finding if anything does. machine_run() runs the launches again as the harness does.
 */
#include "support_machine.h"

#include <string.h>

/*
 * Thread 0 of the block with the number `reader` reads out[0], and thread 0 of the other one of two
 * blocks writes it, or another word `written`. Block 0 runs first. `use` follows the load, whose
 * value is in %f1, with %p2 false and 5 in %r5. The address of out[8] is in %rd5.
 */
#define RACE(reader, functions, use) RACE_AT("[%rd1]", reader, functions, use)
#define RACE_AT(written, reader, functions, use)                                                 \
	MACHINE_HEADER functions MACHINE_ENTRY(                                                  \
		".shared .align 8 .b8 place[8];\nmov.u32 %r3, %ctaid.x;\n"                       \
		"setp.ne.u32 %p3, %r1, 0;\n@%p3 ret;\nmov.u32 %r5, 5;\n"                         \
		"setp.eq.u32 %p2, %r5, 6;\nadd.s64 %rd5, %rd1, 32;\n"                            \
		"setp.eq.u32 %p1, %r3, " reader ";\n@%p1 bra READ;\n"                            \
		"st.global.u32 " written ", %r5;\nret;\nREAD:\nld.global.f32 %f1, [%rd1];\n" use \
		"ret;\n")
#define EARLY "0"
#define LATE "1"

static struct machine_result run_two_blocks(const char *ptx, int64_t threads)
{
	return machine_run(&(struct machine_case){.ptx = ptx,
						  .grid = {2},
						  .block = {threads},
						  .out_words = 256,
						  .checked_blocks = -1,
						  .check_global = true});
}

static void assert_dropped(const char *ptx)
{
	struct machine_result result = run_two_blocks(ptx, 32);
	struct text text = TEXT_INIT;

	if (result.findings.count) {
		finding_text(&text, &result.findings.items[0]);
		fail_msg("%s\n%s", text.data, ptx);
	}
	assert_int_equal(result.counts.unchecked_requests, 0);
	machine_release(&result);
}

static void assert_reported(const char *ptx)
{
	struct machine_result result = run_two_blocks(ptx, 32);

	if (result.findings.count != 1 || result.findings.items[0].kind != FINDING_GLOBAL_RACE)
		fail_msg("%zu findings\n%s", result.findings.count, ptx);
	machine_release(&result);
}

/* ---- values that nothing uses ---- */

#define NOTHING "add.f32 %f2, %f1, 0f3F800000;\n"
#define BRANCH_AROUND                                                                             \
	"mul.f32 %f2, %f1, %f1;\n@!%p2 bra END;\nst.global.f32 [%rd5], %f2;\nEND:\nmov.u32 %r7, " \
	"1;\n"
#define GUARD "@%p2 st.global.f32 [%rd5], %f1;\n"
#define SELECT "selp.f32 %f2, %f1, 0f3F800000, %p2;\nst.global.f32 [%rd5], %f2;\n"
#define OVERWRITE "mov.f32 %f1, 0f3F800000;\nst.global.f32 [%rd5], %f1;\n"
#define DECIDED                                                                 \
	"setp.gt.f32 %p4, %f1, 0f00000000;\nand.pred %p4, %p4, %p2;\nselp.u32 " \
	"%r7, 1, 2, %p4;\nst.global.u32 [%rd5], %r7;\n"

static void test_dropped(void **state)
{
	(void)state;
#define BOTH_ORDERS(check, functions, use)  \
	check(RACE(EARLY, functions, use)); \
	check(RACE(LATE, functions, use))
	BOTH_ORDERS(assert_dropped, "", NOTHING);
	BOTH_ORDERS(assert_dropped, "", BRANCH_AROUND);
	BOTH_ORDERS(assert_dropped, "", GUARD);
	BOTH_ORDERS(assert_dropped, "", SELECT);
	BOTH_ORDERS(assert_dropped, "", OVERWRITE);
	BOTH_ORDERS(assert_dropped, "", DECIDED);
}

/* ---- values that something uses ---- */

#define STORE "add.f32 %f2, %f1, 0f3F800000;\nst.global.f32 [%rd5], %f2;\n"
#define STORE_SHARED "st.shared.f32 [place], %f1;\n"
#define STORE_LOCAL_LATER "bar.warp.sync 1;\n@!%p2 bra ON;\nON:\nst.global.f32 [%rd5], %f1;\n"
#define ADDRESS                                                                           \
	"mov.b32 %r7, %f1;\nand.b32 %r7, %r7, 4;\ncvt.u64.u32 %rd6, %r7;\nadd.s64 %rd6, " \
	"%rd5, %rd6;\nst.global.u32 [%rd6], %r5;\n"
#define LOAD_ADDRESS                                                                      \
	"mov.b32 %r7, %f1;\nand.b32 %r7, %r7, 4;\ncvt.u64.u32 %rd6, %r7;\nadd.s64 %rd6, " \
	"%rd5, %rd6;\nld.global.u32 %r8, [%rd6];\n"
#define CONDITION                                                                   \
	"setp.gt.f32 %p4, %f1, 0f00000000;\n@%p4 bra ELSE;\nst.global.u32 [%rd5], " \
	"%r5;\nELSE:\nmov.u32 %r7, 1;\n"
#define CONDITION_OF_STORE "setp.gt.f32 %p4, %f1, 0f00000000;\n@%p4 st.global.u32 [%rd5], %r5;\n"
#define SELECT_IT "selp.f32 %f2, 0f3F800000, %f1, %p2;\nst.global.f32 [%rd5], %f2;\n"
#define CHOOSES                                                                              \
	"setp.gt.f32 %p4, %f1, 0f00000000;\nselp.u32 %r7, 1, 2, %p4;\nst.global.u32 [%rd5]," \
	" %r7;\n"
#define ATOMIC "mov.b32 %r7, %f1;\natom.global.add.u32 %r8, [%rd5], %r7;\n"
#define SHUFFLE \
	"mov.b32 %r7, %f1;\nshfl.sync.bfly.b32 %r8, %r7, 0, 31, 1;\nst.global.u32 [%rd5], %r8;\n"
#define VOTE "setp.gt.f32 %p4, %f1, 0f00000000;\nvote.sync.ballot.b32 %r8, %p4, 1;\n"
#define TWO_LOADS                                                                      \
	"ld.global.f32 %f3, [%rd1+4];\nadd.f32 %f2, %f3, %f1;\nst.global.f32 [%rd5], " \
	"%f2;\n"
#define KEEP                                                                        \
	".func keep(.param .b32 v, .param .b64 p)\n{\n.reg .b32 %r<2>;\n.reg .b64 " \
	"%rd<2>;\nld.param"                                                         \
	".u32 %r1, [v];\nld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], %r1;\nret;\n}\n"
#define CALL                                                                            \
	"{\n.param .b32 v;\n.param .b64 p;\nst.param.f32 [v], %f1;\nst.param.b64 [p], " \
	"%rd5;\ncall "                                                                  \
	"keep, (v, p);\n}\n"

static void test_used(void **state)
{
	(void)state;
	BOTH_ORDERS(assert_reported, "", STORE);
	BOTH_ORDERS(assert_reported, "", STORE_SHARED);
	BOTH_ORDERS(assert_reported, "", STORE_LOCAL_LATER);
	BOTH_ORDERS(assert_reported, "", ADDRESS);
	BOTH_ORDERS(assert_reported, "", LOAD_ADDRESS);
	BOTH_ORDERS(assert_reported, "", CONDITION);
	BOTH_ORDERS(assert_reported, "", CONDITION_OF_STORE);
	BOTH_ORDERS(assert_reported, "", SELECT_IT);
	BOTH_ORDERS(assert_reported, "", CHOOSES);
	BOTH_ORDERS(assert_reported, "", ATOMIC);
	BOTH_ORDERS(assert_reported, "", SHUFFLE);
	BOTH_ORDERS(assert_reported, "", VOTE);
	BOTH_ORDERS(assert_reported, "", TWO_LOADS);
	BOTH_ORDERS(assert_reported, KEEP, CALL);
}

/* ---- lanes, loops and several loads ---- */

/* All 64 threads of block 0 read out[0], and each stores what it read unless `drop` ends it. Then a
 * thread of block 1 writes out[0]. */
#define LANES_OF_WARPS(drop)                                                                \
	MACHINE_KERNEL("mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra READ;\n" \
		       "setp.ne.u32 %p3, %r1, 0;\n@%p3 ret;\nst.global.u32 [%rd1], %r1;\n"  \
		       "ret;\nREAD:\nld.global.u32 %r5, [%rd1];\n" drop                     \
		       "st.global.u32 [%rd3+256], %r5;\nret;\n")

static void test_one_lane_uses_it(void **state)
{
	(void)state;
	struct machine_result result =
		run_two_blocks(LANES_OF_WARPS("setp.ne.u32 %p2, %r1, 37;\n@%p2 ret;\n"), 64);

	assert_finding(&result, FINDING_GLOBAL_RACE, 0,
		       "which thread (37,0,0) of block (0,0,0) read");
	machine_release(&result);
	result = run_two_blocks(LANES_OF_WARPS("setp.ne.u32 %p2, %r1, 64;\n@%p2 ret;\n"), 64);
	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
}

/* The reader reads out[16 + i] with i from 0 to 2, and drops the values for which `drops` is true
 * of i, which is %r7. The writer writes out[17]. */
#define LOOP(reader, drops)                                                                     \
	RACE_AT("[%rd1+68]", reader, "",                                                        \
		"mov.u32 %r7, 0;\nadd.s64 %rd7, %rd1, 64;\nLOOP:\nld.global.u32 %r8, [%rd7];\n" \
		"setp." drops ";\n@%p5 bra NEXT;\nst.global.u32 [%rd5], %r8;\nNEXT:\n"          \
		"add.s64 %rd7, %rd7, 4;\nadd.u32 %r7, %r7, 1;\nsetp.ne.u32 %p6, %r7, 3;\n"      \
		"@%p6 bra LOOP;\n")

static void test_passes_of_a_loop(void **state)
{
	(void)state;
	assert_dropped(LOOP(EARLY, "eq.u32 %p5, %r7, 1"));
	assert_dropped(LOOP(LATE, "eq.u32 %p5, %r7, 1"));
	assert_dropped(LOOP(EARLY, "ge.u32 %p5, %r7, 1"));
	assert_reported(LOOP(EARLY, "ne.u32 %p5, %r7, 1"));
	assert_reported(LOOP(LATE, "ne.u32 %p5, %r7, 1"));
	assert_reported(LOOP(EARLY, "lt.u32 %p5, %r7, 1"));
}

/* The shadow remembers one of several loads of a word: the first, whose value is dropped. */
#define SECOND_LOAD \
	"ld.global.u32 %r7, [%rd1];\nld.global.u32 %r8, [%rd1];\nst.global.u32 [%rd5], %r8;\n"
#define UNROLLED_LINE \
	"ld.global.u32 %r7, [%rd1];\nld.global.u32 %r8, [%rd1];\nld.global.u32 %r9, [%rd1];\n"

static void test_several_loads(void **state)
{
	(void)state;
	BOTH_ORDERS(assert_reported, "", SECOND_LOAD);
	BOTH_ORDERS(assert_dropped, "", UNROLLED_LINE);
	/* one element of a vector is enough */
	assert_reported(RACE_AT("[%rd1+4]", EARLY, "",
				"ld.global.v2.u32 {%r7, %r8}, [%rd1];\nst.global.u32 [%rd5], %r7;\n"
				"@%p2 st.global.u32 [%rd5], %r8;\n"));
	assert_dropped(RACE_AT("[%rd1+4]", EARLY, "",
			       "ld.global.v2.u32 {%r7, %r8}, [%rd1];\n"
			       "@%p2 st.global.v2.u32 [%rd5], {%r7, %r8};\n"));
}

/* ---- values that meet ---- */

#define BOTH_WORDS "[%rd1], %r5;\nst.global.u32 [%rd1+4]"
#define SUM "ld.global.f32 %f3, [%rd1+4];\nadd.f32 %f2, %f3, %f1;\n"

static void assert_two_reported(const char *ptx)
{
	struct machine_result result = run_two_blocks(ptx, 32);

	assert_int_equal(result.findings.count, 2);
	machine_release(&result);
}

static void test_values_that_meet(void **state)
{
	(void)state;
	assert_dropped(RACE_AT(BOTH_WORDS, EARLY, "", SUM "@%p2 st.global.f32 [%rd5], %f2;\n"));
	assert_dropped(RACE_AT(BOTH_WORDS, LATE, "", SUM "@%p2 st.global.f32 [%rd5], %f2;\n"));
	assert_two_reported(RACE_AT(BOTH_WORDS, EARLY, "", SUM "st.global.f32 [%rd5], %f2;\n"));
	assert_two_reported(RACE_AT(BOTH_WORDS, LATE, "", SUM "st.global.f32 [%rd5], %f2;\n"));
	/* the second operand alone */
	assert_reported(RACE_AT(BOTH_WORDS, LATE, "",
				SUM "selp.f32 %f2, %f2, %f3, %p2;\nst.global.f32 [%rd5], %f2;\n"));
}

/* Lane i of the warp of block 0 loads out[64 + i] and out[128 + i]. Lane `lane` of block 1 writes
 * the word that is `bytes` behind out[lane]. */
#define LANES_OF_WARP(bytes, lane, use)                                                       \
	MACHINE_KERNEL("mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra READ;\n"   \
		       "setp.ne.u32 %p3, %r1, " lane ";\n@%p3 ret;\n"                         \
		       "st.global.u32 [%rd3+" bytes "], %r1;\nret;\nREAD:\n"                  \
		       "ld.global.u32 %r5, [%rd3+256];\nld.global.u32 %r6, [%rd3+512];\n" use \
		       "ret;\n")
/* Lane 0 stores what lane 3 has loaded, twice over. */
#define FROM_LANE_3                                                         \
	"shfl.sync.down.b32 %r7, %r5, 3, 31, -1;\nadd.u32 %r7, %r7, %r7;\n" \
	"setp.eq.u32 %p2, %r1, 0;\n@%p2 st.global.u32 [%rd3], %r7;\n"
/* Lane 4 stores its own value plus that of lane 6. */
#define FROM_LANES_4_AND_6                                                  \
	"shfl.sync.bfly.b32 %r7, %r5, 2, 31, -1;\nadd.u32 %r7, %r7, %r5;\n" \
	"setp.eq.u32 %p2, %r1, 4;\n@%p2 st.global.u32 [%rd3], %r7;\n"
/* Odd lanes have the first load's value in %r7, the others the second one's; lane 9 stores it. */
#define FROM_TWO_BRANCHES(lane)                                                    \
	"and.b32 %r8, %r1, 1;\nsetp.eq.u32 %p2, %r8, 1;\n@%p2 mov.u32 %r7, %r5;\n" \
	"@!%p2 mov.u32 %r7, %r6;\nsetp.eq.u32 %p3, %r1, " lane ";\n"               \
	"@%p3 st.global.u32 [%rd3], %r7;\n"

static void test_lanes_exchange_values(void **state)
{
	(void)state;
	assert_reported(LANES_OF_WARP("256", "3", FROM_LANE_3));
	assert_dropped(LANES_OF_WARP("256", "0", FROM_LANE_3));
	assert_dropped(LANES_OF_WARP("256", "6", FROM_LANE_3));
	assert_reported(LANES_OF_WARP("256", "4", FROM_LANES_4_AND_6));
	assert_reported(LANES_OF_WARP("256", "6", FROM_LANES_4_AND_6));
	assert_dropped(LANES_OF_WARP("256", "2", FROM_LANES_4_AND_6));
	assert_reported(LANES_OF_WARP("256", "9", FROM_TWO_BRANCHES("9")));
	assert_dropped(LANES_OF_WARP("512", "9", FROM_TWO_BRANCHES("9")));
	assert_reported(LANES_OF_WARP("512", "8", FROM_TWO_BRANCHES("8")));
	assert_dropped(LANES_OF_WARP("256", "8", FROM_TWO_BRANCHES("8")));
}

/* ---- bytes that nobody has written ---- */

static struct machine_result run_unwritten(const char *ptx)
{
	return machine_run(&(struct machine_case){
		.ptx = ptx, .block = {32}, .check_global = true, .out_unwritten = true});
}

static void test_unwritten_bytes(void **state)
{
	(void)state;
	struct machine_result result = run_unwritten(MACHINE_KERNEL(
		"ld.global.u32 %r3, [%rd3];\nsetp.gt.u32 %p1, %r1, 31;\n@%p1 st.global.u32 [%rd3], "
		"%r3;\n"));

	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
	result = run_unwritten(MACHINE_KERNEL(
		"ld.global.u32 %r3, [%rd3];\nsetp.gt.u32 %p1, %r1, 30;\n@%p1 st.global.u32 [%rd3], "
		"%r3;\n"));
	assert_finding(&result, FINDING_UNWRITTEN, 0, "thread (31,0,0)");
	machine_release(&result);
}

/* ---- shared memory ---- */

/* The threads of warp 0 run `first`, those of warp 1 `second`. The thread's word is at %r4, with
 * 32 more behind those of the 64 threads. */
#define WARPS(first, second)                                                                       \
	MACHINE_KERNEL(".shared .align 8 .b8 place[384];\nmov.u32 %r3, place;\n"                   \
		       "shl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r3, %r4;\nsetp.lt.u32 %p1, %r1, 32;\n" \
		       "st.shared.u32 [%r4], %r1;\nbar.sync 0;\n@%p1 bra FIRST;\n" second          \
		       "ret;\nFIRST:\n" first "ret;\n")
#define WRITES "st.shared.u32 [%r4], 7;\n"
/* %p2: the lane is `lane`. */
#define READS(word, lane, use) READS_BY("ld.shared.u32", word, lane, use)
#define READS_BY(load, word, lane, use) \
	load " %r5, [%r4" word "];\nsetp.eq.u32 %p2, %r1, " lane ";\n@%p2 " use

static void assert_of_warps(const char *ptx, enum finding_kind kind, const char *words)
{
	struct machine_result result = run_two_blocks(ptx, 64);

	if (words)
		assert_finding(&result, kind, 0, words);
	else if (result.findings.count)
		fail_msg("%s\n%s", result.findings.items[0].text, ptx);
	machine_release(&result);
}

static void test_shared_memory(void **state)
{
	(void)state;
	/* a read before the write, because warp 1 goes on first; a read after it; and a word that
	 * nobody has written */
	assert_of_warps(WARPS(WRITES, READS("+-128", "64", "st.global.u32 [%rd3], %r5;\n")),
			FINDING_RACE, NULL);
	assert_of_warps(WARPS(WRITES, READS("+-128", "37", "st.global.u32 [%rd3], %r5;\n")),
			FINDING_RACE, "which thread (37,0,0) read");
	assert_of_warps(WARPS(READS("+128", "64", "st.global.u32 [%rd3], %r5;\n"), WRITES),
			FINDING_RACE, NULL);
	assert_of_warps(WARPS(READS("+128", "5", "st.global.u32 [%rd3], %r5;\n"), WRITES),
			FINDING_RACE, "thread (5,0,0) reads word 37");
	assert_of_warps(WARPS("", READS("+128", "64", "st.global.u32 [%rd3], %r5;\n")),
			FINDING_UNINITIALISED, NULL);
	assert_of_warps(WARPS("", READS("+128", "37", "st.global.u32 [%rd3], %r5;\n")),
			FINDING_UNINITIALISED, "thread (37,0,0)");
	/* as OpenCV's reduce() reads */
	assert_of_warps(WARPS("", READS_BY("ld.volatile.shared.u32", "+128", "64",
					   "st.global.u32 [%rd3], %r5;\n")),
			FINDING_UNINITIALISED, NULL);
}

/* ---- what stays as it was ---- */

#define BOTH_WRITE(value)                                                              \
	MACHINE_KERNEL("mov.u32 %r3, %ctaid.x;\nsetp.ne.u32 %p3, %r1, 0;\n@%p3 ret;\n" \
		       "ld.global.u32 %r5, [%rd1];\nst.global.u32 [%rd1], " value ";\nret;\n")

/* Leaving out the load does not leave out the stores. */
static void test_stores_still_race(void **state)
{
	(void)state;
	assert_reported(BOTH_WRITE("%r3"));
}

/* Each run begins with the same clock and counts alone. */
static void test_clock_and_results(void **state)
{
	(void)state;
	static const char ptx[] =
		RACE(LATE, "", "mov.u32 %r7, %clock;\nst.global.u32 [%rd5], %r7;\n");
	struct machine_result result = run_two_blocks(ptx, 32), alone;

	assert_int_equal(result.findings.count, 0);
	alone = machine_run(
		&(struct machine_case){.ptx = ptx, .grid = {2}, .block = {32}, .out_words = 256});
	assert_int_equal(result.out[8], alone.out[8]);
	assert_int_equal(result.counts.warp_instructions, alone.counts.warp_instructions);
	machine_release(&alone);
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_used),
		cmocka_unit_test(test_one_lane_uses_it),
		cmocka_unit_test(test_passes_of_a_loop),
		cmocka_unit_test(test_several_loads),
		cmocka_unit_test(test_values_that_meet),
		cmocka_unit_test(test_lanes_exchange_values),
		cmocka_unit_test(test_unwritten_bytes),
		cmocka_unit_test(test_shared_memory),
		cmocka_unit_test(test_stores_still_race),
		cmocka_unit_test(test_clock_and_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
