/* What the warps of a block do together: barriers; and what goes wrong. */
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

/* Each thread reads what the thread at the other end wrote before the barrier. */
static void a_barrier_orders_all_warps(void **state)
{
	static const int64_t threads[] = {1, 32, 70, 1024};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		struct machine_result result = machine_run(&(struct machine_case){
			.ptx = MACHINE_KERNEL(SHARED_SLOT
					      "st.shared.u32 [%r21], %r1;\nbar.sync 0;\n"
					      "mov.u32 %r5, %ntid.x;\nsub.u32 %r5, %r5, 1;\n"
					      "sub.u32 %r5, %r5, %r1;\nshl.b32 %r5, %r5, 2;\n"
					      "add.u32 %r5, %r20, %r5;\n"
					      "ld.shared.u32 %r4, [%r5];\n" STORE),
			.block = {threads[i]},
			.checked_blocks = -1});

		assert_int_equal(result.findings.count, 0);
		for (uint32_t t = 0; t < threads[i]; t++)
			assert_int_equal(result.out[t], (uint32_t)threads[i] - 1 - t);
		assert_int_equal(result.counts.barriers, (threads[i] + 31) / 32);
		machine_release(&result);
	}
}

static void ended_threads_count_as_arrived(void **state)
{
	static const char *const kernels[] = {
		/* Whole warps and parts of one have ended before: by exit, and by a jump to the
		 * end, where they wait until the others are at the barrier. */
		MACHINE_KERNEL("mov.u32 %r4, 1;\nsetp.gt.u32 %p1, %r1, 40;\n@%p1 exit;\n"
			       "bar.sync 0;\n" STORE),
		MACHINE_KERNEL("mov.u32 %r4, 1;\nsetp.gt.u32 %p1, %r1, 40;\n@%p1 bra END;\n"
			       "bar.sync 0;\nst.global.u32 [%rd3], %r4;\nEND:\nret;\n"),
		/* They do something on their own way to the end. */
		MACHINE_KERNEL("mov.u32 %r4, 1;\nsetp.gt.u32 %p1, %r1, 40;\n@%p1 bra OUT;\n"
			       "bar.sync 0;\n" STORE
			       "OUT:\nmov.u32 %r4, 0;\nst.global.u32 [%rd3], %r4;\nret;\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct machine_result result = run(kernels[i], 100);

		for (uint32_t t = 0; t < 100; t++)
			assert_int_equal(result.out[t], t <= 40);
		assert_int_equal(result.counts.barriers, 2);
		machine_release(&result);
	}
}

/* Lanes that part before a barrier and come to it one after the other are one arrival. */
static void lanes_gather_at_a_barrier(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("mov.u32 %r4, 0;\nLOOP:\nadd.u32 %r4, %r4, 1;\n"
				   "setp.lt.u32 %p1, %r4, %r1;\n@%p1 bra LOOP;\nbar.sync 0;\n"
				   "bar.sync 1;\n" STORE),
		    64);

	(void)state;
	assert_int_equal(result.counts.barriers, 4);
	assert_int_equal(result.out[63], 63);
	machine_release(&result);
}

static void a_divergent_barrier_is_found(void **state)
{
	static const struct {
		const char *ptx, *at, *words;
	} kernels[] = {
		/* Some lanes pass it by, do what all do, and end. */
		{MACHINE_KERNEL("setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra NEXT;\nbar.sync 0;\n"
				"NEXT:\nmov.u32 %r4, 1;\n" STORE),
		 "bar.sync 0", "0xffff0000 went past it"},
		/* Both halves come to a barrier, each to its own. */
		{MACHINE_KERNEL("setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra OTHER;\nbar.sync 0;\n"
				"mov.u32 %r4, 1;\nbra NEXT;\nOTHER:\nmov.u32 %r4, 2;\n"
				"bar.sync 0;\nNEXT:\n" STORE),
		 "bar.sync 0", "wait elsewhere"},
		/* One warp of two is divided. */
		{MACHINE_KERNEL("setp.lt.u32 %p1, %r1, 40;\n@!%p1 bra NEXT;\nbar.sync 0;\n"
				"NEXT:\nbar.sync 1;\nmov.u32 %r4, 1;\n" STORE),
		 "bar.sync 0", "of warp 1"},
		/* Lanes leave a loop that the others wait in. */
		{MACHINE_KERNEL("mov.u32 %r4, 0;\nLOOP:\nadd.u32 %r4, %r4, 1;\n"
				"setp.gt.u32 %p1, %r4, %r1;\n@%p1 bra DONE;\nbar.sync 0;\n"
				"bra LOOP;\nDONE:\n" STORE),
		 "bar.sync 0", "went past it"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct machine_result result = run_found(kernels[i].ptx, 64);

		assert_finding(&result, FINDING_DIVERGENT_BARRIER,
			       line_with(kernels[i].ptx, kernels[i].at), kernels[i].words);
		machine_release(&result);
	}
}

/* barrier.sync without .aligned is for single threads: divergent code may have it. */
static void unaligned_barriers_take_threads_one_by_one(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL("mov.u32 %r4, 1;\nsetp.lt.u32 %p1, %r1, 16;\n@!%p1 bra OTHER;\n"
				   "barrier.sync 0;\nbra NEXT;\nOTHER:\nmov.u32 %r4, 2;\n"
				   "barrier.sync 0;\nNEXT:\n" STORE),
		    64);

	(void)state;
	assert_int_equal(result.out[0], 1);
	assert_int_equal(result.out[63], 2);
	machine_release(&result);
}

/* Producers arrive, consumers wait: warp 0 reads what warp 1 wrote. */
static void named_barriers_have_their_own_threads(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL(SHARED_SLOT
				   "mov.u32 %r4, 5;\nsetp.ge.u32 %p1, %r1, 64;\n@%p1 bra DONE;\n"
				   "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra PRODUCE;\n"
				   "bar.sync 3, 64;\nld.shared.u32 %r4, [%r21+128];\nbra DONE;\n"
				   "PRODUCE:\nst.shared.u32 [%r21], %r1;\nbar.arrive 3, 64;\n"
				   "DONE:\nbar.sync 0;\n" STORE),
		    96);

	(void)state;
	for (uint32_t t = 0; t < 96; t++)
		assert_int_equal(result.out[t], t < 32 ? t + 32 : 5);
	machine_release(&result);
}

static void barriers_reduce_predicates(void **state)
{
	struct machine_result result =
		run(MACHINE_KERNEL(
			    "setp.lt.u32 %p1, %r1, 40;\nbar.red.popc.u32 %r4, 0, %p1;\n"
			    "bar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, %p1;\n"
			    "setp.lt.u32 %p4, %r1, 99;\nbar.red.and.pred %p5, 0, !%p4;\n"
			    "bar.red.and.pred %p6, 0, %p4;\n"
			    "@%p2 add.u32 %r4, %r4, 1000;\n@%p3 add.u32 %r4, %r4, 2000;\n"
			    "@%p5 add.u32 %r4, %r4, 4000;\n@%p6 add.u32 %r4, %r4, 8000;\n" STORE),
		    64);

	(void)state;
	for (uint32_t t = 0; t < 64; t++)
		assert_int_equal(result.out[t], 40 + 2000 + 8000);
	machine_release(&result);
}

static void a_deadlock_is_found(void **state)
{
	static const char *const kernels[] = {
		/* Two warps wait for three. */
		MACHINE_KERNEL("bar.sync 1, 96;\nmov.u32 %r4, 1;\n" STORE),
		/* Each of two warps at a barrier of its own. */
		MACHINE_KERNEL("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra ONE;\nbar.sync 1, 64;\nret;\n"
			       "ONE:\nbar.sync 2, 64;\nret;\n"),
		MACHINE_KERNEL("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra ONE;\nbar.sync 1;\nret;\n"
			       "ONE:\nbar.sync 2;\nret;\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct machine_result result = run_found(kernels[i], 64);

		assert_finding(&result, FINDING_DEADLOCK, 0, "2 of 2 warps wait");
		machine_release(&result);
	}
}

static void wrong_barriers_are_found(void **state)
{
	struct machine_result result;

	(void)state;
	result = run_found(MACHINE_KERNEL("mov.u32 %r4, 16;\nbar.sync %r4;\nret;\n"), 32);
	assert_finding(&result, FINDING_UNSUPPORTED, 0, "barrier 16");
	machine_release(&result);
	result = run_found(MACHINE_KERNEL("bar.sync 1, 33;\nret;\n"), 64);
	assert_finding(&result, FINDING_UNSUPPORTED, 0, "33 threads");
	machine_release(&result);
	result = run_found(MACHINE_KERNEL("bar.sync %r1;\nret;\n"), 32);
	assert_finding(&result, FINDING_DIVERGENT_BARRIER, 0, "different barriers");
	machine_release(&result);
	result = run_found(MACHINE_KERNEL("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra ONE;\n"
					  "bar.sync 1, 64;\nret;\nONE:\nbar.sync 1, 96;\nret;\n"),
			   64);
	assert_finding(&result, FINDING_DIVERGENT_BARRIER, 0, "others wait");
	machine_release(&result);
}

/* Both lines of a race: that of the kernel, and that of the function inlined there. */
static void races_in_inlined_code_name_all_four_lines(void **state)
{
	struct machine_result result = machine_run(&(struct machine_case){
		.ptx = MACHINE_HEADER ".file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n" MACHINE_ENTRY(
			".shared .b32 cell;\n.loc 1 40 2\nmov.u32 %r3, cell;\n"
			".loc 2 7 3, function_name $f, inlined_at 1 40 2\n"
			"st.shared.u32 [%r3], %r1;\n"
			".loc 2 9 3, function_name $f, inlined_at 1 40 2\n"
			"ld.shared.u32 %r4, [%r3];\nst.global.u32 [%rd3], %r4;\nret;\n"),
		.block = {2},
		.checked_blocks = -1});

	(void)state;
	assert_true(result.findings.count > 0);
	assert_string_equal(result.findings.items[0].caller_file, "a.cu");
	assert_non_null(strstr(result.findings.items[0].text, "at a.cu:40 (b.cuh:7)"));
	assert_non_null(strstr(result.findings.items[1].text, "at a.cu:40 (b.cuh:9)"));
	machine_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(races_in_inlined_code_name_all_four_lines),
		cmocka_unit_test(a_barrier_orders_all_warps),
		cmocka_unit_test(ended_threads_count_as_arrived),
		cmocka_unit_test(lanes_gather_at_a_barrier),
		cmocka_unit_test(a_divergent_barrier_is_found),
		cmocka_unit_test(unaligned_barriers_take_threads_one_by_one),
		cmocka_unit_test(named_barriers_have_their_own_threads),
		cmocka_unit_test(barriers_reduce_predicates),
		cmocka_unit_test(a_deadlock_is_found),
		cmocka_unit_test(wrong_barriers_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
