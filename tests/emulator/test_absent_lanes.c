/* Shuffles that read lanes which do not take part: the value is 0, and its use is found. */
#include "support_machine.h"

#include <stdlib.h>

/* Lane t has t + 100 in %r4 and gets a value in %r5; %r6 is its lane. */
#define VALUES "mov.u32 %r6, %laneid;\nadd.u32 %r4, %r1, 100;\nmov.u32 %r5, 7;\n"
#define STORE "st.global.u32 [%rd3], %r5;\nret;\n"
#define ABOVE_19 "setp.ge.u32 %p1, %r6, 20;\n"

static struct machine_result run(const char *ptx, int64_t threads)
{
	return machine_run(&(struct machine_case){.ptx = ptx, .block = {threads}});
}

/* Every way of being absent gives 0, and the finding names both lanes and the reason. */
static void an_absent_lane_gives_0_and_is_found(void **state)
{
	static const struct {
		const char *ptx;
		int64_t threads;
		uint32_t lane, source;
		const char *words;
	} kernels[] = {
		{MACHINE_KERNEL(VALUES ABOVE_19
				"@%p1 exit;\nshfl.sync.down.b32 %r5, %r4, 2, 31, -1;\n" STORE),
		 32, 18, 20, "reads lane 20, which has ended"},
		{MACHINE_KERNEL(VALUES ABOVE_19 "@%p1 bra END;\n"
						"shfl.sync.bfly.b32 %r5, %r4, 16, 31, 0xfffff;\n"
						"END:\n" STORE),
		 32, 4, 20, "reads lane 20, which does not execute the shuffle"},
		{MACHINE_KERNEL(VALUES ABOVE_19
				"@!%p1 shfl.sync.idx.b32 %r5, %r4, 31, 31, 0xfffff;\n" STORE),
		 32, 0, 31, "reads lane 31, which does not execute the shuffle"},
		{MACHINE_KERNEL(VALUES "shfl.sync.down.b32 %r5, %r4, 8, 31, -1;\n" STORE), 24, 16,
		 24, "reads lane 24, which does not exist in this block"},
		{MACHINE_KERNEL(VALUES ABOVE_19 "selp.b32 %r7, 0xfff00000, 0xfffff, %p1;\n"
						"shfl.sync.up.b32 %r5, %r4, 1, 0, %r7;\n" STORE),
		 32, 20, 19, "reads lane 19, which is not in its member mask"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct machine_result result = run(kernels[i].ptx, kernels[i].threads);

		assert_finding(&result, FINDING_ABSENT_SOURCE,
			       line_with(kernels[i].ptx, i == 2 ? "@!%p1 shfl" : "shfl"),
			       kernels[i].words);
		assert_int_equal(result.findings.items[0].thread[0], kernels[i].lane);
		/* Only a lane that is at the same instruction gives its value, 119. */
		assert_int_equal(result.out[kernels[i].lane], i == 4 ? 119 : 0);
		machine_release(&result);
	}
}

/* The value is followed through registers to the place that uses it. */
static void every_use_is_found(void **state)
{
	static const char *const uses[] = {
		"add.u32 %r8, %r5, 1;\ncvt.u64.u32 %rd5, %r8;\nst.global.u32 [%rd3], %rd5;\nret;\n",
		"setp.eq.u32 %p2, %r5, 0;\n@%p2 bra NEXT;\nNEXT:\nret;\n",
		"setp.eq.u32 %p2, %r5, 0;\n@%p2 mov.u32 %r8, 1;\nret;\n",
		"and.b32 %r8, %r5, 12;\ncvt.u64.u32 %rd5, %r8;\nadd.u64 %rd5, %rd5, "
		"%rd1;\nld.global.u32 %r8, [%rd5];\n"
		"st.global.u32 [%rd1], %r8;\nret;\n",
		"red.global.add.u32 [%rd1], %r5;\nret;\n",
		"setp.eq.u32 %p2, %r5, 0;\nvote.sync.any.pred %p3, %p2, 0xffff;\nret;\n",
		"setp.eq.u32 %p2, %r5, 0;\nselp.b32 %r8, 1, 2, %p2;\n"
		"shfl.sync.idx.b32 %r9, %r8, 15, 31, 0xffff;\nst.global.u32 [%rd3], %r9;\nret;\n",
		"setp.eq.u32 %p2, %r5, 0;\nsetp.eq.u32 %p3, %r6, 15;\nand.pred %p2, %p2, %p3;\n"
		"@%p2 bra NEXT;\nNEXT:\nret;\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
		char *ptx =
			xasprintf("%s%s}\n",
				  MACHINE_HEADER ".visible .entry k(.param .u64 out, .param "
						 ".u64 in, .param .u32 n)\n{\n" MACHINE_REGISTERS
						 "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
						 "mul.wide.u32 %rd3, %r1, 4;\n"
						 "add.s64 %rd3, %rd1, %rd3;\n" VALUES
						 "shfl.sync.down.b32 %r5, %r4, 1, 31, 0xffff;\n",
				  uses[i]);
		struct machine_result result = run(ptx, 16);

		assert_finding(&result, FINDING_ABSENT_SOURCE,
			       line_with(ptx, "shfl.sync.down.b32 %r5"), "reads lane 16");
		machine_release(&result);
		free(ptx);
	}
}

/* A lane may get such a value if it drops it, as reductions in a warp that is not full do. */
static void a_dropped_value_is_no_finding(void **state)
{
	static const char *const drops[] = {
		/* chosen away, hidden behind a condition, overwritten, in another lane */
		"setp.lt.u32 %p2, %r6, 15;\nselp.b32 %r5, %r5, 33, %p2;\n",
		"setp.eq.u32 %p2, %r5, 0;\nsetp.lt.u32 %p3, %r6, 15;\nand.pred %p2, %p2, %p3;\n"
		"not.pred %p4, %p3;\nor.pred %p2, %p2, %p4;\n@%p2 mov.u32 %r5, 33;\n",
		"setp.lt.u32 %p2, %r6, 15;\n@!%p2 mov.u32 %r5, 33;\n",
		"setp.lt.u32 %p2, %r6, 15;\n@%p2 bra NEXT;\nld.global.u32 %r5, [%rd3];\nNEXT:\n"
		"add.u32 %r5, %r5, 0;\n",
		"add.u32 %r8, %r5, %r5;\nsetp.eq.u32 %p2, %r6, 15;\n@%p2 exit;\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(drops); i++) {
		char *ptx =
			xasprintf("%s%s%s}\n",
				  MACHINE_HEADER ".visible .entry k(.param .u64 out, .param "
						 ".u64 in, .param .u32 n)\n{\n" MACHINE_REGISTERS
						 "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
						 "mul.wide.u32 %rd3, %r1, 4;\n"
						 "add.s64 %rd3, %rd1, %rd3;\n" VALUES
						 "shfl.sync.down.b32 %r5, %r4, 1, 31, 0xffff;\n",
				  drops[i], STORE);
		struct machine_result result = run(ptx, 16);

		if (result.findings.count)
			fail_msg("%zu: %s", i, result.findings.items[0].text);
		if (i != 1)
			assert_int_equal(result.out[3], 104);
		machine_release(&result);
		free(ptx);
	}
}

/* The notes of one block and of one call say nothing about the next. */
static void notes_end_with_the_block(void **state)
{
	struct machine_case work = {
		.ptx = MACHINE_KERNEL(
			"mov.u32 %r7, %ctaid.x;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 bra NEXT;\n"
			"shfl.sync.down.b32 %r5, %r1, 1, 31, 0xffff;\nret;\nNEXT:\n" STORE),
		.block = {16},
		.grid = {2},
	};
	struct machine_result result = machine_run(&work);

	(void)state;
	assert_finding(&result, FINDING_UNINITIALISED_REGISTER, 0, "register %r5 is read");
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_absent_lane_gives_0_and_is_found),
		cmocka_unit_test(every_use_is_found),
		cmocka_unit_test(a_dropped_value_is_no_finding),
		cmocka_unit_test(notes_end_with_the_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
