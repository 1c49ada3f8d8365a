/* Warps that part and meet: results, and counts that were worked out by hand. */
#include "support_machine.h"

#include <string.h>

static struct machine_result run(const char *ptx, int64_t threads, uint32_t n)
{
	struct machine_result result =
		machine_run(&(struct machine_case){.ptx = ptx, .block = {threads}, .n = n});

	for (size_t i = 0; i < result.findings.count; i++)
		print_message("%s\n", result.findings.items[i].text);
	assert_int_equal(result.findings.count, 0);
	return result;
}

#define LOOP_KERNEL                                                                       \
	MACHINE_KERNEL("mov.u32 %r4, 0;\nmov.u32 %r5, 0;\n"                               \
		       "LOOP:\nsetp.ge.u32 %p1, %r5, %r1;\n@%p1 bra DONE;\n"              \
		       "add.u32 %r4, %r4, %r5;\nadd.u32 %r5, %r5, 1;\nbra LOOP;\nDONE:\n" \
		       "st.global.u32 [%rd3], %r4;\nret;\n")

/* Lane t goes round t times. */
static void lanes_leave_a_loop_one_by_one(void **state)
{
	struct machine_result result = run(LOOP_KERNEL, 32, 0);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], t * (t - 1) / 2);
	/* The head 32 times, the body 31 times, the rest once. */
	assert_int_equal(result.counts.warp_instructions,
			 MACHINE_PROLOGUE + 2 + 32 * 2 + 31 * 3 + 2);
	/* The head t + 1 times for lane t, its branch by all that decide, the body t times. */
	assert_int_equal(result.counts.lane_instructions,
			 32 * (MACHINE_PROLOGUE + 2) + 528 * 2 + 496 * 3 + 32 * 2);
	assert_int_equal(result.counts.branches, 32);
	assert_int_equal(result.counts.divergent_branches, 31);
	assert_int_equal(result.counts.global_store_requests, 1);
	assert_int_equal(result.counts.global_store_sectors, 4);
	assert_int_equal(result.counts.global_store_bytes, 128);
	assert_int_equal(result.counts.blocks_executed, 1);
	assert_int_equal(result.counts.blocks_total, 1);
	machine_release(&result);
}

static void lines_have_their_own_counts(void **state)
{
	struct machine_result result = run(LOOP_KERNEL, 32, 0);
	uint32_t head = line_with(LOOP_KERNEL, "setp"), branch = line_with(LOOP_KERNEL, "@%p1");
	uint32_t body = line_with(LOOP_KERNEL, "add.u32 %r4"),
		 store = line_with(LOOP_KERNEL, "st.");
	int found = 0;
	int64_t before = 0, instructions = 0;

	(void)state;
	for (size_t i = 0; i < result.lines.count; i++) {
		const struct line_count *line = &result.lines.items[i];

		assert_null(line->file);
		assert_true(line->line > before);
		before = line->line;
		instructions += line->instructions;
		if (line->line == head) {
			assert_int_equal(line->instructions, 32);
			assert_int_equal(line->lanes, 528);
			found++;
		} else if (line->line == branch) {
			assert_int_equal(line->branches, 32);
			assert_int_equal(line->divergent, 31);
			found++;
		} else if (line->line == body) {
			assert_int_equal(line->instructions, 31);
			assert_int_equal(line->lanes, 496);
			found++;
		} else if (line->line == store) {
			assert_int_equal(line->requests, 1);
			assert_int_equal(line->sectors, 4);
			found++;
		}
	}
	assert_int_equal(found, 4);
	assert_int_equal(instructions, result.counts.warp_instructions);
	machine_release(&result);
}

#define SOURCE_KERNEL                                                                     \
	MACHINE_HEADER                                                                    \
	".file 1 \"/src/a.cu\"\n.file 2 \"/src/b.cuh\"\n"                                 \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 "                 \
	"n)\n{\n" MACHINE_REGISTERS ".loc 1 7 3\nld.param.u64 %rd1, [out];\n.loc 2 5 1\n" \
	"mov.u32 %r1, %tid.x;\n.loc 1 7 9\nmul.wide.u32 %rd3, %r1, 4;\n.loc 1 8 1\n"      \
	"add.s64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3], %r1;\nret;\n}\n"

static void lines_are_of_the_source_where_it_is_known(void **state)
{
	static const struct {
		const char *file;
		int64_t line, instructions;
	} expected[] = {{"/src/a.cu", 7, 2}, {"/src/a.cu", 8, 3}, {"/src/b.cuh", 5, 1}};
	struct machine_result result = run(SOURCE_KERNEL, 32, 0);

	(void)state;
	assert_int_equal(result.lines.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_string_equal(result.lines.items[i].file, expected[i].file);
		assert_int_equal(result.lines.items[i].line, expected[i].line);
		assert_int_equal(result.lines.items[i].instructions, expected[i].instructions);
	}
	machine_release(&result);
}

/* out = tid < 16 ? (tid < 8 ? 1 : 2) : (tid < 24 ? 3 : 4), then + 10 together. */
static void nested_ifs_meet_again(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra HIGH;\n"
				   "setp.lt.u32 %p2, %r1, 8;\n@!%p2 bra L2;\n"
				   "mov.u32 %r4, 1;\nbra JOIN;\n"
				   "L2:\nmov.u32 %r4, 2;\nbra JOIN;\n"
				   "HIGH:\nsetp.lt.u32 %p2, %r1, 24;\n@!%p2 bra L4;\n"
				   "mov.u32 %r4, 3;\nbra JOIN;\n"
				   "L4:\nmov.u32 %r4, 4;\n"
				   "JOIN:\nadd.u32 %r4, %r4, 10;\nst.global.u32 [%rd3], %r4;\n"
				   "ret;\n"),
		    32, 0);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], 11 + t / 8);
	assert_int_equal(result.counts.warp_instructions,
			 MACHINE_PROLOGUE + 2 + 2 + 2 + 2 + 2 + 2 + 1 + 3);
	assert_int_equal(result.counts.lane_instructions,
			 32 * MACHINE_PROLOGUE + 32 * 2 + 2 * (16 * 2) + 3 * 8 * 2 + 8 + 32 * 3);
	assert_int_equal(result.counts.branches, 3);
	assert_int_equal(result.counts.divergent_branches, 3);
	assert_int_equal(result.counts.global_store_requests, 1);
	machine_release(&result);
}

static void a_uniform_branch_does_not_part(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("mov.u32 %r4, 1;\nsetp.eq.u32 %p1, %r2, 5;\n@%p1 bra END;\n"
				   "mov.u32 %r4, 2;\nEND:\nst.global.u32 [%rd3], %r4;\nret;\n"),
		    32, 5);

	(void)state;
	assert_int_equal(result.out[31], 1);
	assert_int_equal(result.counts.branches, 1);
	assert_int_equal(result.counts.divergent_branches, 0);
	assert_int_equal(result.counts.warp_instructions, MACHINE_PROLOGUE + 5);
	machine_release(&result);
}

static void guards_count_the_lanes_whose_guard_holds(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("mov.u32 %r4, 1;\nsetp.lt.u32 %p1, %r1, 5;\n"
				   "@%p1 mov.u32 %r4, 2;\n@!%p1 add.u32 %r4, %r4, 6;\n"
				   "setp.gt.u32 %p2, %r1, 99;\n@%p2 mov.u32 %r4, 9;\n"
				   "@%p1 st.global.u32 [%rd3], %r4;\n"
				   "@!%p1 st.global.u32 [%rd3], %r4;\nret;\n"),
		    32, 0);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], t < 5 ? 2 : 7);
	assert_int_equal(result.counts.warp_instructions, MACHINE_PROLOGUE + 9);
	assert_int_equal(result.counts.lane_instructions,
			 32 * (MACHINE_PROLOGUE + 4) + 5 + 27 + 0 + 5 + 27);
	assert_int_equal(result.counts.branches, 0);
	assert_int_equal(result.counts.global_store_requests, 2);
	assert_int_equal(result.counts.global_store_bytes, 128);
	machine_release(&result);
}

static void guarded_ends_let_the_others_go_on(void **state)
{
	struct machine_result result = run(MACHINE_KERNEL("setp.lt.u32 %p1, %r1, 10;\n@%p1 exit;\n"
							  "setp.lt.u32 %p1, %r1, 20;\n@%p1 ret;\n"
							  "st.global.u32 [%rd3], %r1;\nret;\n"),
					   32, 0);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], t < 20 ? 0 : t);
	assert_int_equal(result.counts.warp_instructions, MACHINE_PROLOGUE + 6);
	assert_int_equal(result.counts.lane_instructions,
			 32 * (MACHINE_PROLOGUE + 1) + 10 + 22 + 10 + 12 * 2);
	machine_release(&result);
}

#define SWITCH_KERNEL                                                                           \
	MACHINE_KERNEL("and.b32 %r4, %r1, 3;\nTABLE: .branchtargets C0, C1, C2, C1;\n"          \
		       "brx.idx %r4, TABLE;\n"                                                  \
		       "C0:\nmov.u32 %r5, 100;\nbra JOIN;\nC1:\nmov.u32 %r5, 200;\nbra JOIN;\n" \
		       "C2:\nmov.u32 %r5, 300;\nJOIN:\nst.global.u32 [%rd3], %r5;\nret;\n")

static void a_switch_takes_each_lane_to_its_case(void **state)
{
	static const uint32_t expected[] = {100, 200, 300, 200};
	struct machine_result result = run(SWITCH_KERNEL, 32, 0);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], expected[t % 4]);
	assert_int_equal(result.counts.warp_instructions, MACHINE_PROLOGUE + 2 + 2 + 2 + 1 + 2);
	assert_int_equal(result.counts.branches, 1);
	assert_int_equal(result.counts.divergent_branches, 1);
	machine_release(&result);
}

static void a_switch_beyond_its_table_is_found(void **state)
{
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = MACHINE_KERNEL("TABLE: .branchtargets C0, C1;\nbrx.idx %r1, TABLE;\n"
				      "C0:\nret;\nC1:\nret;\n"),
		.block = {32}});

	(void)state;
	assert_finding(&result, FINDING_UNSUPPORTED, 0, "thread (2,0,0)");
	machine_release(&result);
}

/* A label behind the last statement. */
static void code_may_branch_to_its_end(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("st.global.u32 [%rd3], 5;\nbra END;\nEND:\n"), 32, 0);

	(void)state;
	assert_int_equal(result.out[31], 5);
	assert_int_equal(result.counts.warp_instructions, MACHINE_PROLOGUE + 2);
	machine_release(&result);
}

static void a_partial_warp_has_its_lanes_only(void **state)
{
	struct machine_result result = machine_run(
		&(struct machine_case){.ptx = LOOP_KERNEL, .block = {37}, .out_words = 64});

	(void)state;
	for (uint32_t t = 0; t < 64; t++)
		assert_int_equal(result.out[t], t < 37 ? t * (t - 1) / 2 : 0);
	/* The second warp: lanes 32 to 36. */
	assert_int_equal(result.counts.warp_instructions,
			 2 * (MACHINE_PROLOGUE + 4) + (32 + 37) * 2 + (31 + 36) * 3);
	assert_int_equal(result.counts.global_store_bytes, 37 * 4);
	machine_release(&result);
}

static void a_block_may_be_one_thread(void **state)
{
	struct machine_result result = run(LOOP_KERNEL, 1, 0);

	(void)state;
	assert_int_equal(result.counts.warp_instructions, MACHINE_PROLOGUE + 2 + 2 + 2);
	assert_int_equal(result.counts.lane_instructions, MACHINE_PROLOGUE + 2 + 2 + 2);
	machine_release(&result);
}

/* Every special register of position, as one number per thread of a grid of 3 dimensions. */
#define SHAPE_KERNEL                                                                            \
	MACHINE_KERNEL(                                                                         \
		"mov.u32 %r4, %ctaid.z;\nmov.u32 %r5, %nctaid.y;\nmov.u32 %r6, %ctaid.y;\n"     \
		"mad.lo.u32 %r4, %r4, %r5, %r6;\nmov.u32 %r5, %nctaid.x;\n"                     \
		"mov.u32 %r6, %ctaid.x;\nmad.lo.u32 %r4, %r4, %r5, %r6;\n"                      \
		"mov.u32 %r5, %ntid.z;\nmov.u32 %r6, %tid.z;\nmad.lo.u32 %r4, %r4, %r5, %r6;\n" \
		"mov.u32 %r5, %ntid.y;\nmov.u32 %r6, %tid.y;\nmad.lo.u32 %r4, %r4, %r5, %r6;\n" \
		"mov.u32 %r5, %ntid.x;\nmad.lo.u32 %r4, %r4, %r5, %r1;\n"                       \
		"mov.u32 %r7, %laneid;\nmov.u32 %r8, %warpid;\nshl.b32 %r8, %r8, 5;\n"          \
		"add.u32 %r7, %r7, %r8;\nshl.b32 %r7, %r7, 16;\nadd.u32 %r7, %r7, %r4;\n"       \
		"mul.wide.u32 %rd4, %r4, 4;\nadd.s64 %rd4, %rd1, %rd4;\n"                       \
		"st.global.u32 [%rd4], %r7;\nret;\n")

static void grids_and_blocks_have_three_dimensions(void **state)
{
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = SHAPE_KERNEL, .grid = {2, 3, 4}, .block = {5, 6, 7}, .out_words = 24 * 210});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	for (uint32_t i = 0; i < 24 * 210; i++)
		assert_int_equal(result.out[i], (i % 210) << 16 | i);
	assert_int_equal(result.counts.blocks_executed, 24);
	machine_release(&result);
}

static void only_the_blocks_that_were_asked_for_run(void **state)
{
	static const int64_t blocks[] = {1, 5, 23};
	struct machine_result result = machine_run(&(struct machine_case){.ptx = SHAPE_KERNEL,
									  .grid = {2, 3, 4},
									  .block = {5, 6, 7},
									  .out_words = 24 * 210,
									  .blocks = blocks,
									  .block_count = 3});

	(void)state;
	for (uint32_t i = 0; i < 24 * 210; i++) {
		bool runs = i / 210 == 1 || i / 210 == 5 || i / 210 == 23;

		assert_int_equal(result.out[i], runs ? (i % 210) << 16 | i : 0);
	}
	assert_int_equal(result.counts.blocks_executed, 3);
	assert_int_equal(result.counts.blocks_total, 24);
	machine_release(&result);
}

static void lane_masks_are_of_the_lane(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("mov.u32 %r4, %lanemask_lt;\nmov.u32 %r5, %lanemask_ge;\n"
				   "xor.b32 %r4, %r4, %r5;\nmov.u32 %r5, %lanemask_le;\n"
				   "mov.u32 %r6, %lanemask_gt;\nand.b32 %r5, %r5, %r6;\n"
				   "mov.u32 %r6, %lanemask_eq;\nxor.b32 %r4, %r4, %r5;\n"
				   "xor.b32 %r4, %r4, %r6;\nst.global.u32 [%rd3], %r4;\nret;\n"),
		    32, 0);

	(void)state;
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(result.out[t], ~(UINT32_C(1) << t));
	machine_release(&result);
}

/* Each lane takes a lock of its warp's, adds 1 to what it protects, and gives it back. */
#define LOCK_KERNEL                                                                  \
	MACHINE_KERNEL("SPIN:\natom.global.cas.b32 %r4, [%rd2], 0, 1;\n"             \
		       "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra SPIN;\n"                  \
		       "ld.volatile.global.u32 %r5, [%rd1];\nadd.u32 %r5, %r5, 1;\n" \
		       "st.volatile.global.u32 [%rd1], %r5;\nmembar.gl;\n"           \
		       "atom.global.exch.b32 %r6, [%rd2], 0;\nret;\n")

static void a_spin_lock_ends_within_a_warp_and_across_warps(void **state)
{
	static const uint32_t unlocked = 0;
	static const int64_t threads[] = {32, 100, 256};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		struct machine_result result =
			machine_run(&(struct machine_case){.ptx = LOCK_KERNEL,
							   .block = {threads[i]},
							   .in = &unlocked,
							   .in_words = 1,
							   .max_instructions = 100000000});

		assert_int_equal(result.findings.count, 0);
		assert_int_equal(result.out[0], threads[i]);
		machine_release(&result);
	}
}

/* A lock with the critical section inside of the loop, as it should be written. */
static void a_lock_inside_a_loop_ends(void **state)
{
	static const uint32_t unlocked = 0;
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = MACHINE_KERNEL(
			"mov.u32 %r7, 0;\nSPIN:\natom.global.cas.b32 %r4, [%rd2], 0, 1;\n"
			"setp.ne.u32 %p1, %r4, 0;\n@%p1 bra NEXT;\n"
			"ld.volatile.global.u32 %r5, [%rd1];\nadd.u32 %r5, %r5, 1;\n"
			"st.volatile.global.u32 [%rd1], %r5;\nmov.u32 %r7, 1;\n"
			"atom.global.exch.b32 %r6, [%rd2], 0;\n"
			"NEXT:\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 bra SPIN;\nret;\n"),
		.block = {64},
		.in = &unlocked,
		.in_words = 1});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[0], 64);
	/* 32 times round, one lane of the warp leaves each time. */
	assert_int_equal(result.counts.warp_instructions,
			 2 * (MACHINE_PROLOGUE + 1 + 32 * (3 + 5 + 2) + 1));
	machine_release(&result);
}

/* One warp waits for a flag that another sets. */
static void warps_wait_for_each_other(void **state)
{
	static const uint32_t flag = 0;
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = MACHINE_KERNEL("setp.ge.u32 %p1, %r1, 32;\n@%p1 bra SET;\n"
				      "WAIT:\nld.volatile.global.u32 %r4, [%rd2];\n"
				      "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra WAIT;\n"
				      "st.global.u32 [%rd3], %r4;\nret;\n"
				      "SET:\nst.volatile.global.u32 [%rd2], 7;\nret;\n"),
		.block = {64},
		.in = &flag,
		.in_words = 1});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[0], 7);
	machine_release(&result);
}

/* A long loop that cannot spin keeps its lanes together, whatever waits behind it. */
static void long_loops_are_no_spin_locks(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("mov.u32 %r4, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n"
				   "LOOP:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, %r2;\n"
				   "@%p2 bra LOOP;\nDONE:\nst.global.u32 [%rd3], %r4;\nret;\n"),
		    32, 20000);

	(void)state;
	assert_int_equal(result.out[0], 0);
	assert_int_equal(result.out[1], 20000);
	assert_int_equal(result.counts.global_store_requests, 1);
	assert_int_equal(result.counts.warp_instructions, MACHINE_PROLOGUE + 3 + 60000 + 2);
	machine_release(&result);
}

static void what_never_ends_is_found(void **state)
{
	static const char *const kernels[] = {
		MACHINE_KERNEL("LOOP:\nadd.u64 %rd4, %rd4, 1;\nbra LOOP;\n"),
		MACHINE_KERNEL("LOOP:\nld.volatile.global.u32 %r4, [%rd1];\n"
			       "add.u64 %rd4, %rd4, 1;\nbra LOOP;\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct machine_result result = machine_run(&(struct machine_case){
			.ptx = kernels[i], .block = {64}, .max_instructions = 300000});

		assert_finding(&result, FINDING_ENDLESS, 0, "300000");
		assert_true(result.counts.warp_instructions >= 300000);
		assert_true(result.counts.warp_instructions < 300100);
		machine_release(&result);
	}
}

static void what_just_ends_is_not_endless(void **state)
{
	uint64_t needed = MACHINE_PROLOGUE + 2 + 32 * 2 + 31 * 3 + 2;
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = LOOP_KERNEL, .block = {32}, .max_instructions = needed});

	(void)state;
	assert_int_equal(result.findings.count, 0);
	machine_release(&result);
	result = machine_run(&(struct machine_case){
		.ptx = LOOP_KERNEL, .block = {32}, .max_instructions = needed - 2});
	assert_int_equal(result.findings.count, 1);
	assert_int_equal(result.findings.items[0].kind, FINDING_ENDLESS);
	machine_release(&result);
}

#define FLOP_KERNEL                                                                       \
	MACHINE_HEADER                                                                    \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 "                 \
	"n)\n{\n" MACHINE_REGISTERS ".reg .b16 %h<8>;\n.reg .f64 %fd<4>;\n"               \
	"add.f32 %f1, %f2, %f3;\nsub.rn.f32 %f1, %f2, %f3;\nmul.ftz.f32 %f1, %f2, %f3;\n" \
	"fma.rn.f32 %f1, %f2, %f3, %f4;\ndiv.rn.f32 %f1, %f2, %f3;\n"                     \
	"sqrt.rn.f32 %f1, %f2;\nex2.approx.f32 %f1, %f2;\nneg.f32 %f1, %f2;\n"            \
	"add.f64 %fd1, %fd2, %fd3;\nfma.rn.f64 %fd1, %fd2, %fd3, %fd1;\n"                 \
	"add.f16 %h1, %h2, %h3;\nfma.rn.f16x2 %r1, %r2, %r3, %r4;\nadd.u32 %r1, %r2, "    \
	"%r3;\nret;\n}\n"

static void operations_are_counted_by_type(void **state)
{
	struct machine_result result = run(FLOP_KERNEL, 20, 0);

	(void)state;
	assert_int_equal(result.counts.f32_flop, 20 * 5);
	assert_int_equal(result.counts.f64_flop, 20 * 3);
	assert_int_equal(result.counts.f16_flop, 20 * 5);
	assert_int_equal(result.counts.special_flop, 20 * 3);
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lanes_leave_a_loop_one_by_one),
		cmocka_unit_test(lines_have_their_own_counts),
		cmocka_unit_test(lines_are_of_the_source_where_it_is_known),
		cmocka_unit_test(nested_ifs_meet_again),
		cmocka_unit_test(a_uniform_branch_does_not_part),
		cmocka_unit_test(guards_count_the_lanes_whose_guard_holds),
		cmocka_unit_test(guarded_ends_let_the_others_go_on),
		cmocka_unit_test(a_switch_takes_each_lane_to_its_case),
		cmocka_unit_test(a_switch_beyond_its_table_is_found),
		cmocka_unit_test(code_may_branch_to_its_end),
		cmocka_unit_test(a_partial_warp_has_its_lanes_only),
		cmocka_unit_test(a_block_may_be_one_thread),
		cmocka_unit_test(grids_and_blocks_have_three_dimensions),
		cmocka_unit_test(only_the_blocks_that_were_asked_for_run),
		cmocka_unit_test(lane_masks_are_of_the_lane),
		cmocka_unit_test(a_spin_lock_ends_within_a_warp_and_across_warps),
		cmocka_unit_test(a_lock_inside_a_loop_ends),
		cmocka_unit_test(warps_wait_for_each_other),
		cmocka_unit_test(long_loops_are_no_spin_locks),
		cmocka_unit_test(what_never_ends_is_found),
		cmocka_unit_test(what_just_ends_is_not_endless),
		cmocka_unit_test(operations_are_counted_by_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
