/* Cooperative launches: blocks that wait for each other, and what the system reserves. */
#include "support_machine.h"

#include <string.h>

/* The barrier of cooperative groups, as nvcc 13 compiles grid.sync(), with its labels. */
#define GRID_SYNC(n)                                                                       \
	"mov.u32 %r30, %envreg2;\nmov.u32 %r31, %envreg1;\nmov.b64 %rd10, {%r30, %r31};\n" \
	"setp.ne.s64 %p5, %rd10, 0;\n@%p5 bra VALID" n ";\ntrap;\nVALID" n ":\n"           \
	"barrier.sync 0;\nsetp.ne.u32 %p6, %r1, 0;\n@%p6 bra PAST" n ";\n"                 \
	"add.s64 %rd11, %rd10, 4;\nmov.u32 %r32, %nctaid.x;\nmov.u32 %r33, %ctaid.x;\n"    \
	"sub.u32 %r34, 0x80000001, %r32;\nsetp.eq.u32 %p7, %r33, 0;\n"                     \
	"selp.b32 %r35, %r34, 1, %p7;\natom.add.release.gpu.u32 %r36, [%rd11], %r35;\n"    \
	"WAIT" n ":\nld.acquire.gpu.u32 %r37, [%rd11];\nxor.b32 %r38, %r37, %r36;\n"       \
	"setp.gt.s32 %p8, %r38, -1;\n@%p8 bra WAIT" n ";\nPAST" n ":\nbarrier.sync 0;\n"
/* %rd5: the address of out[%ctaid.x]; each block's first thread writes its number plus 1. */
#define WRITE_NUMBER                                                                       \
	"mov.u32 %r10, %ctaid.x;\nmov.u32 %r11, %nctaid.x;\nmul.wide.u32 %rd5, %r10, 4;\n" \
	"add.s64 %rd5, %rd1, %rd5;\nsetp.eq.u32 %p1, %r1, 0;\nadd.u32 %r12, %r10, 1;\n"    \
	"@%p1 st.global.u32 [%rd5], %r12;\n"
/* Adds up what all blocks wrote, in %r4. */
#define SUM                                                                              \
	"mov.u32 %r4, 0;\nmov.u32 %r13, 0;\nmov.u64 %rd6, %rd1;\nADD:\n"                 \
	"ld.global.u32 %r14, [%rd6];\nadd.u32 %r4, %r4, %r14;\nadd.s64 %rd6, %rd6, 4;\n" \
	"add.u32 %r13, %r13, 1;\nsetp.lt.u32 %p2, %r13, %r11;\n@%p2 bra ADD;\n"

static const char sums_of_all[] = MACHINE_KERNEL(
	WRITE_NUMBER GRID_SYNC("1") SUM GRID_SYNC("2") "@%p1 st.global.u32 [%rd5], %r4;\nret;\n");

static void a_grid_barrier_orders_all_blocks(void **state)
{
	static const int64_t blocks[] = {1, 2, 7, 100};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		struct machine_result result =
			machine_run(&(struct machine_case){.ptx = sums_of_all,
							   .grid = {blocks[i]},
							   .block = {64},
							   .out_words = (size_t)blocks[i],
							   .cooperative = true,
							   .resident_blocks = 100,
							   .launches = 2,
							   .check_global = true,
							   .checked_blocks = -1});
		uint32_t sum = (uint32_t)(blocks[i] * (blocks[i] + 1) / 2);

		assert_int_equal(result.findings.count, 0);
		assert_int_equal(result.counts.blocks_executed, 2 * blocks[i]);
		for (int64_t k = 0; k < blocks[i]; k++)
			assert_int_equal(result.out[k], sum);
		machine_release(&result);
	}
}

/* Without the first barrier, blocks read what others may not have written yet. */
static void without_a_grid_barrier_blocks_race(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(
		WRITE_NUMBER SUM GRID_SYNC("2") "@%p1 st.global.u32 [%rd5], %r4;\nret;\n");
	struct machine_result result = machine_run(&(struct machine_case){.ptx = ptx,
									  .grid = {3},
									  .block = {64},
									  .out_words = 3,
									  .cooperative = true,
									  .check_global = true});

	(void)state;
	/* in each block but the first; and warps of one block */
	assert_int_equal(result.findings.count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(result.findings.items[i].kind, FINDING_GLOBAL_RACE);
	machine_release(&result);
}

/* The limit is 16 MiB. Blocks that run at once need their local memory at once. */
static void local_memory_counts_towards_the_limit(void **state)
{
	struct machine_case work = {
		.ptx = MACHINE_KERNEL(".local .align 4 .b8 mine[32768];\nmov.u64 %rd5, mine;\n"
				      "st.local.u32 [%rd5], %r1;\nld.local.u32 %r4, [%rd5];\n"
				      "st.global.u32 [%rd3], %r4;\nret;\n"),
		.grid = {40},
		.block = {96},
		.out_words = 96};
	struct machine_result result = machine_run(&work);
	struct error err = {0};

	(void)state;
	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
	work.block[0] = 1024;
	assert_int_equal(machine_refused(&work, &err), PL_ENOMEM);
	assert_non_null(strstr(err.text, "local memory"));
	work.block[0] = 96;
	work.grid[0] = 3;
	work.cooperative = true;
	err = (struct error){0};
	assert_int_equal(machine_refused(&work, &err), PL_ENOMEM);
	assert_non_null(strstr(err.text, "local memory"));
	work.grid[0] = 2;
	result = machine_run(&work);
	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
}

static void a_plain_launch_cannot_synchronise_the_grid(void **state)
{
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = sums_of_all, .grid = {2}, .block = {32}});

	(void)state;
	assert_finding(&result, FINDING_TRAP, line_with(sums_of_all, "trap"),
		       "grid.sync() does so in a launch that is not cooperative");
	machine_release(&result);
}

static void a_grid_that_does_not_fit_is_refused(void **state)
{
	static const int64_t first = 0;
	struct machine_case work = {.ptx = sums_of_all,
				    .grid = {10},
				    .block = {32},
				    .cooperative = true,
				    .resident_blocks = 9};
	struct error err = {0};

	(void)state;
	assert_int_equal(machine_refused(&work, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "10 blocks, but the device holds only 9"));
	work.resident_blocks = 0;
	work.blocks = &first;
	work.block_count = 1;
	err = (struct error){0};
	assert_int_equal(machine_refused(&work, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "cannot run alone"));
}

/* The last block leaves before the barrier. */
static void a_block_that_leaves_is_a_deadlock(void **state)
{
	static const char leaves[] = MACHINE_KERNEL(
		"mov.u32 %r10, %ctaid.x;\nsetp.eq.u32 %p1, %r10, 2;\n@%p1 exit;\n" GRID_SYNC(
			"1") "ret;\n");
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = leaves,
						   .grid = {3},
						   .block = {96},
						   .cooperative = true,
						   .max_instructions = 100000000});

	(void)state;
	assert_int_equal(result.findings.count, 1);
	assert_int_equal(result.findings.items[0].kind, FINDING_DEADLOCK);
	assert_non_null(strstr(result.findings.items[0].text, "have not ended (2 of 3)"));
	assert_true(result.findings.items[0].ptx_line >= line_with(leaves, "WAIT1"));
	assert_true(result.findings.items[0].ptx_line <= line_with(leaves, "PAST1"));
	machine_release(&result);
}

/* A loop that reads a volatile word 400,000 times, and nobody writes. */
static void a_long_loop_is_no_deadlock(void **state)
{
	static const char counts[] = MACHINE_KERNEL(
		"mov.u32 %r4, 0;\nAGAIN:\nld.volatile.global.u32 %r5, [%rd1];\n"
		"add.u32 %r4, %r4, 1;\nsetp.ne.u32 %p1, %r4, 400000;\n@%p1 bra AGAIN;\n"
		"st.global.u32 [%rd3], %r4;\nret;\n");
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = counts,
						   .grid = {2},
						   .block = {32},
						   .cooperative = true,
						   .max_instructions = 100000000});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[31], 400000);
	machine_release(&result);
}

/* Atomics that test a flag do not change it. Those that count are no deadlock. */
static void atomics_that_wait_are_a_deadlock(void **state)
{
#define TEST(operand)                                                                    \
	MACHINE_KERNEL("AGAIN:\natom.global.add.u32 %r5, [%rd1], " operand ";\n"         \
		       "setp.lt.u32 %p1, %r5, 10000000;\n@%p1 bra AGAIN;\nbar.sync 0;\n" \
		       "st.global.u32 [%rd3], 7;\nret;\n")
	static const char tests[] = TEST("0"), counts[] = TEST("1");
	struct machine_case work = {.ptx = tests,
				    .grid = {2},
				    .block = {32},
				    .cooperative = true,
				    .max_instructions = 100000000};
	struct machine_result result = machine_run(&work);

	(void)state;
	assert_int_equal(result.findings.count, 1);
	assert_int_equal(result.findings.items[0].kind, FINDING_DEADLOCK);
	assert_non_null(strstr(result.findings.items[0].text, "none has changed memory"));
	machine_release(&result);
	work.ptx = counts;
	result = machine_run(&work);
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[31], 7);
	machine_release(&result);
}

/* A warp of one block waits at a barrier that the others have left. */
static void a_block_in_which_warps_wait_is_a_deadlock(void **state)
{
	static const char waits[] =
		MACHINE_KERNEL("setp.ge.u32 %p1, %r1, 32;\n@%p1 exit;\nbar.sync 1, 64;\nret;\n");
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = waits, .grid = {3}, .block = {64}, .cooperative = true});

	(void)state;
	assert_finding(&result, FINDING_DEADLOCK, line_with(waits, "bar.sync"), "is incomplete");
	machine_release(&result);
}

/* ---- clocks and reserved memory ---- */

static void clocks_rise_with_every_read(void **state)
{
	static const char reads[] = MACHINE_KERNEL(
		"mov.u64 %rd4, %clock64;\nmov.u64 %rd5, %globaltimer;\nmov.u32 %r5, %clock;\n"
		"mov.u32 %r6, %clock_hi;\nmov.u64 %rd6, %clock64;\n"
		"setp.lt.u64 %p1, %rd4, %rd5;\nsetp.lt.u64 %p2, %rd5, %rd6;\n"
		"and.pred %p1, %p1, %p2;\nselp.u32 %r4, 1, 0, %p1;\nadd.u32 %r4, %r4, %r6;\n"
		"mov.u32 %r10, %ctaid.x;\nmov.u32 %r11, %ntid.x;\nmad.lo.u32 %r10, %r10, %r11, "
		"%r1;\n"
		"mul.wide.u32 %rd7, %r10, 8;\nadd.s64 %rd7, %rd1, %rd7;\n"
		"st.global.u32 [%rd7], %r4;\nst.global.u32 [%rd7+4], %r5;\nret;\n");
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = reads, .grid = {2}, .block = {64}, .out_words = 2 * 128});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	for (uint32_t warp = 0; warp < 4; warp++) {
		assert_int_equal(result.out[64 * warp], 1);
		if (warp)
			assert_true(result.out[64 * warp + 1] > result.out[64 * warp - 1]);
	}
	machine_release(&result);
}

/* A loop that waits for a number of cycles ends. */
static void a_loop_can_wait_for_a_clock(void **state)
{
	static const char waits[] = MACHINE_KERNEL(
		"mov.u64 %rd4, %clock64;\nAGAIN:\nmov.u64 %rd5, %clock64;\n"
		"sub.s64 %rd5, %rd5, %rd4;\nsetp.lt.s64 %p1, %rd5, 20000;\n@%p1 bra AGAIN;\n"
		"mov.u32 %r4, 5;\nst.global.u32 [%rd3], %r4;\nret;\n");
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = waits, .block = {32}});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[31], 5);
	machine_release(&result);
}

/* Reserved memory lies below the program's own. Nobody has to initialise it, and it is not
 * checked for races. An access past the end is found as always. */
static void reserved_memory_is_apart(void **state)
{
#define RESERVED                                                                    \
	".shared .align 4 .b8 slots[256];\nmov.u32 %r5, %reserved_smem_offset_1;\n" \
	"mov.u32 %r6, slots;\nshl.b32 %r7, %r1, 2;\nadd.u32 %r7, %r6, %r7;\n"       \
	"ld.shared.u32 %r8, [%r5];\nst.shared.u32 [%r5], %r1;\nst.shared.u32 [%r7], %r1;\n"
	static const char uses[] = MACHINE_KERNEL(
		RESERVED "mov.u32 %r9, %reserved_smem_offset_cap;\nsetp.eq.u32 %p1, %r6, %r9;\n"
			 "selp.u32 %r4, 1, 0, %p1;\nst.global.u32 [%rd3], %r4;\nret;\n");
	static const char oversteps[] =
		MACHINE_KERNEL(RESERVED "st.shared.u32 [%r7+252], %r1;\nret;\n");
	struct machine_result result = machine_run(
		&(struct machine_case){.ptx = uses, .block = {64}, .checked_blocks = -1});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[63], 1);
	machine_release(&result);
	result = machine_run(
		&(struct machine_case){.ptx = oversteps, .block = {64}, .checked_blocks = -1});
	assert_finding(&result, FINDING_OUT_OF_BOUNDS,
		       line_with(oversteps, "st.shared.u32 [%r7+252]"),
		       "shared memory at byte 256, which ends 4 bytes past its end (256 bytes)");
	machine_release(&result);
}

/* Each block is on some SM of the device, and each launch has a number of its own. */
static void blocks_are_on_an_sm_of_the_device(void **state)
{
	static const char ptx[] = MACHINE_KERNEL(
		"mov.u32 %r10, %ctaid.x;\nmul.wide.u32 %rd5, %r10, 16;\nadd.s64 %rd5, %rd1, %rd5;\n"
		"mov.u32 %r4, %smid;\nmov.u32 %r5, %nsmid;\nmov.u64 %rd6, %gridid;\n"
		"st.global.u32 [%rd5], %r4;\nst.global.u32 [%rd5+4], %r5;\n"
		"st.global.u64 [%rd5+8], %rd6;\nret;\n");
	struct machine_case work = {.ptx = ptx, .grid = {7}, .out_words = 28, .launches = 2};

	(void)state;
	for (int given = 1; given >= 0; given--) {
		const uint32_t sms = given ? 3 : 1; /* without a number, there is one */
		struct machine_result result;

		work.sm_count = given ? 3 : 0;
		result = machine_run(&work);
		for (uint32_t i = 0; i < 7; i++) {
			assert_in_range(result.out[4 * i], 0, sms - 1);
			assert_int_equal(result.out[4 * i + 1], sms);
			assert_int_equal(result.out[4 * i + 2], work.launches);
			assert_int_equal(result.out[4 * i + 3], 0);
		}
		/* They are spread. */
		assert_int_equal(result.out[0] != result.out[4], sms > 1);
		machine_release(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_grid_barrier_orders_all_blocks),
		cmocka_unit_test(without_a_grid_barrier_blocks_race),
		cmocka_unit_test(local_memory_counts_towards_the_limit),
		cmocka_unit_test(a_plain_launch_cannot_synchronise_the_grid),
		cmocka_unit_test(a_grid_that_does_not_fit_is_refused),
		cmocka_unit_test(a_block_that_leaves_is_a_deadlock),
		cmocka_unit_test(a_long_loop_is_no_deadlock),
		cmocka_unit_test(atomics_that_wait_are_a_deadlock),
		cmocka_unit_test(a_block_in_which_warps_wait_is_a_deadlock),
		cmocka_unit_test(clocks_rise_with_every_read),
		cmocka_unit_test(a_loop_can_wait_for_a_clock),
		cmocka_unit_test(reserved_memory_is_apart),
		cmocka_unit_test(blocks_are_on_an_sm_of_the_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
