/* Which accesses bulk copies race with, and what they need before and after them. */
#include "support_bulk.h"

#include <string.h>

/* ---- what is too early ---- */

static void use_before_the_phase_is_told(void **state)
{
	(void)state;
	assert_bulk_told(MACHINE_KERNEL(AREAS EXPECT("32") FETCH(
				 "32") "ld.shared.u32 %r4, [%r21];\n" WAIT("0") STORE),
			 8, FINDING_UNWAITED_COPY, "ld.shared.u32",
			 "thread (0,0,0) reads word 0 before thread (0,0,0) has waited for its "
			 "asynchronous copy to it at line 30 of the PTX");
	/* A barrier of the block is no wait for the copy. */
	assert_bulk_told(MACHINE_KERNEL(AREAS EXPECT("32") FETCH(
				 "32") "bar.sync 0;\nld.shared.u32 %r4, [%r19];\n" WAIT("0") STORE),
			 8, FINDING_UNWAITED_COPY, "ld.shared.u32", "reads word 0 before");
	assert_bulk_told(MACHINE_KERNEL(AREAS EXPECT("32") FETCH(
				 "32") "st.shared.u32 [%r21], %r1;\n" WAIT("0") "ret;\n"),
			 8, FINDING_UNWAITED_COPY, "st.shared.u32", "writes word 0 before");
	/* The warp of thread 32 has waited; thread 0 of another warp has not. */
	assert_bulk_told(
		MACHINE_KERNEL(AREAS "setp.lt.u32 %p3, %r1, 32;\n@%p3 bra READ;\n"
				     "setp.eq.u32 %p1, %r1, 32;\n" EXPECT("32") FETCH("32")
					     WAIT("0") "READ:\nld.shared.u32 %r4, [%r19];\n" STORE),
		40, FINDING_RACE, "ld.shared.u32", "thread (0,0,0) reads word 0 at line");
}

static void reuse_of_the_source_is_told(void **state)
{
	(void)state;
	assert_bulk_told(
		MACHINE_KERNEL(
			AREAS FENCED_STORE("16") "@%p1 st.shared.u32 [%r19+12], 1;\n"
						 "@%p1 cp.async.bulk.wait_group.read 0;\nret;\n"),
		8, FINDING_UNWAITED_COPY, "@%p1 st.shared.u32",
		"thread (0,0,0) writes word 3 before thread (0,0,0) has waited for its bulk "
		"copy from it at line 33 of the PTX");
	/* The wait leaves the group pending. */
	assert_bulk_told(MACHINE_KERNEL(AREAS FENCED_STORE(
				 "16") "@%p1 cp.async.bulk.wait_group.read 1;\nbar.sync 0;\n"
				       "st.shared.u32 [%r21], 1;\nret;\n"),
			 8, FINDING_UNWAITED_COPY, "st.shared.u32 [%r21], 1",
			 "writes word 0 before");
	/* Other threads do not know that thread 0 has waited. */
	assert_bulk_told(
		MACHINE_KERNEL(AREAS FENCED_STORE("16") "@%p1 cp.async.bulk.wait_group.read 0;\n"
							"st.shared.u32 [%r19], 1;\nret;\n"),
		40, FINDING_RACE, "st.shared.u32 [%r19], 1", "which thread (0,0,0) read at");
	/* A copy into the source of another one. */
	assert_bulk_told(
		MACHINE_KERNEL(AREAS FENCED_STORE("16") FETCH("16") EXPECT(
			"16") "@%p1 cp.async.bulk.wait_group.read 0;\n" WAIT("0") "ret;\n"),
		8, FINDING_UNWAITED_COPY, "@%p1 " LOAD, "bulk copy from it");
}

static void reuse_after_the_wait_is_right(void **state)
{
	struct machine_result result = bulk_run_clean(
		MACHINE_KERNEL(AREAS FENCED_STORE(
			"16") "@%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n"
			      "st.shared.u32 [%r21], 1;\nfence.proxy.async;\nbar.sync 0;\n"
			      "@%p1 " STORE_GROUP " [%rd1+16], [%r19+64], 16;\n" COMMIT
			      "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		40);

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(result.out[i], i < 4 ? i + 5 : 1);
	machine_release(&result);
}

static void a_missing_fence_is_told(void **state)
{
	(void)state;
	assert_bulk_told(
		MACHINE_KERNEL(AREAS "st.shared.u32 [%r21], 1;\nbar.sync 0;\n@%p1 " STORE_GROUP
				     " [%rd1], [%r19+16], 16;\n" COMMIT
				     "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		8, FINDING_UNFENCED, "@%p1 " STORE_GROUP,
		"a bulk copy reads word 4, which thread (4,0,0) wrote at line 29 of the PTX "
		"with no fence.proxy.async between; execute it after the write and before the "
		"barrier, or the copy may read the old value");
	/* A fence before the write is none. */
	assert_bulk_told(
		MACHINE_KERNEL(AREAS "fence.proxy.async;\nst.shared.u32 [%r21], 1;\nbar.sync 0;\n"
				     "@%p1 " STORE_GROUP " [%rd1], [%r19], 16;\n" COMMIT
				     "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		8, FINDING_UNFENCED, "@%p1 " STORE_GROUP, "reads word 0");
	/* Without a barrier it is a race. */
	assert_bulk_told(
		MACHINE_KERNEL(AREAS
			       "st.shared.u32 [%r21], 1;\nfence.proxy.async;\n@%p1 " STORE_GROUP
			       " [%rd1], [%r19+144], 16;\n" COMMIT
			       "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		40, FINDING_RACE, "@%p1 " STORE_GROUP,
		"thread (0,0,0) reads word 36 at line 31 of the PTX, which thread (36,0,0) "
		"wrote at line 29");
}

/* A fence counts wherever it stands between the write and the copy. */
static void fences_of_either_side_count(void **state)
{
	static const char *const right[] = {
		/* by the thread that copies, after the barrier */
		MACHINE_KERNEL(AREAS "st.shared.u32 [%r21], 1;\nbar.sync 0;\n@%p1 fence.proxy.async"
				     ";\n@%p1 " STORE_GROUP " [%rd1], [%r19], 32;\n" COMMIT
				     "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		/* by the thread that copies, after an mbarrier */
		MACHINE_KERNEL(AREAS "@%p1 bra COPY;\nst.shared.u32 [%r21], 1;\n"
				     "setp.eq.u32 %p3, %r1, 32;\n"
				     "@%p3 mbarrier.arrive.shared.b64 _, [%r20];\nret;\n"
				     "COPY:\n" WAIT("0") "fence.proxy.async;\n" STORE_GROUP
							 " [%rd1], [%r19+128], 32;\n" COMMIT
							 "cp.async.bulk.wait_group 0;\nret;\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		struct machine_result result = bulk_run_clean(right[i], 40);

		assert_int_equal(result.out[0], 1);
		machine_release(&result);
	}
}

/* What a copy wrote needs no fence before another one reads it. */
static void copies_need_no_fence_between_them(void **state)
{
	struct machine_result result = bulk_run_clean(
		MACHINE_KERNEL(AREAS EXPECT("32") FETCH("32")
				       WAIT("0") "@%p1 " STORE_GROUP " [%rd1], [%r19], 32;\n" COMMIT
						 "@%p1 cp.async.bulk.wait_group 0;\nret;\n"),
		8);

	(void)state;
	assert_memory_equal(result.out, bulk_numbers, sizeof(bulk_numbers));
	machine_release(&result);
}

/* ---- global memory ---- */

static void accesses_to_global_memory_are_checked(void **state)
{
	static const char race[] = MACHINE_KERNEL(AREAS "st.global.u32 [%rd3], 1;\n" FENCED_STORE(
		"16") "@%p1 cp.async.bulk.wait_group 0;\nret;\n");
	static const char unwritten[] = MACHINE_KERNEL(
		AREAS EXPECT("16") "@%p1 " LOAD " [%r19], [%rd1], 16, [%r20];\n" WAIT(
			"0") "ld.shared.u32 %r4, [%r19];\n" STORE);
	struct machine_result result;

	(void)state;
	/* Ordered by the barrier; without it, thread 0 and the others race. */
	result = bulk_run_clean(race, 8);
	machine_release(&result);
	assert_bulk_told(MACHINE_KERNEL(AREAS "st.shared.u32 [%r21], 1;\n"
					      "fence.proxy.async;\nbar.sync 0;\n@%p1 " STORE_GROUP
					      " [%rd1], [%r19], 32;\n" COMMIT
					      "@%p1 cp.async.bulk.wait_group 0;\n"
					      "setp.eq.u32 %p3, %r1, 1;\n"
					      "@%p3 st.global.u32 [%rd1+4], 5;\nret;\n"),
			 8, FINDING_GLOBAL_RACE, "@%p3 st.global.u32",
			 "which thread (0,0,0) of block (0,0,0) wrote at");
	result = machine_run(&(struct machine_case){.ptx = unwritten,
						    .block = {8},
						    .out_unwritten = true,
						    .check_global = true,
						    .checked_blocks = -1});
	assert_finding(&result, FINDING_UNWRITTEN, line_with(unwritten, "@%p1 " LOAD), "of 'out'");
	machine_release(&result);
}

/* Blocks that reduce the same place do not race; blocks that store to it do. */
static void reductions_of_blocks_do_not_race(void **state)
{
	static const char adds[] = MACHINE_KERNEL(
		AREAS "st.shared.u32 [%r21], 2;\nfence.proxy.async;\nbar.sync 0;\n@%p1 " REDUCE
		      ".add.u32 [%rd1], [%r19], 16;\n" COMMIT
		      "@%p1 cp.async.bulk.wait_group 0;\nret;\n");
	static const char stores[] =
		MACHINE_KERNEL(AREAS FENCED_STORE("16") "@%p1 cp.async.bulk.wait_group 0;\nret;\n");
	struct machine_case work = {
		.ptx = adds, .grid = {5}, .block = {8}, .check_global = true, .checked_blocks = -1};
	struct machine_result result = machine_run(&work);

	(void)state;
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.out[3], 10);
	machine_release(&result);
	work.ptx = stores;
	result = machine_run(&work);
	assert_finding(&result, FINDING_GLOBAL_RACE, line_with(stores, "@%p1 " STORE_GROUP),
		       "writes byte 0 of 'out'");
	machine_release(&result);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(use_before_the_phase_is_told),
		cmocka_unit_test(reuse_of_the_source_is_told),
		cmocka_unit_test(reuse_after_the_wait_is_right),
		cmocka_unit_test(a_missing_fence_is_told),
		cmocka_unit_test(fences_of_either_side_count),
		cmocka_unit_test(copies_need_no_fence_between_them),
		cmocka_unit_test(accesses_to_global_memory_are_checked),
		cmocka_unit_test(reductions_of_blocks_do_not_race),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
